"""Memory that lives in Markdown files, is found through a derived index, and can be inspected and undone."""
