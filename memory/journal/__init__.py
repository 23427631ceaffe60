"""The journal of a workspace: what is done to its files, noted before it is done, finished after a crash, undone."""
