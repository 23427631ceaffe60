"""What must not be kept: secrets, and what was forgotten, recognised where it is repeated."""
