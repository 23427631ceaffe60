"""What must not be kept: secrets, told from other texts; what was forgotten, recognised where it is repeated."""
