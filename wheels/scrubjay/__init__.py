"""What an installation puts beside the libraries of others; the program itself lies in `packages`."""
