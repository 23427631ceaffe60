"""What was accepted, what is owed and what was said: one file, changed in one transaction at a time."""
