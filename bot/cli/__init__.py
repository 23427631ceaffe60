"""The command line: how a command is found, called and answered, and what all in `commands` share."""
