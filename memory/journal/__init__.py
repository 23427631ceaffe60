"""The journal: what is done to files, noted before, finished after a crash, undone; beside it, what is no fact yet."""
