"""The groups of commands, one file each."""
