"""From a YAML file to checked options, with the line of every mistake; from the options to an example of the file."""
