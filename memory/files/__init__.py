"""The truth: a folder of Markdown, how it is read, and the only code that writes to it."""
