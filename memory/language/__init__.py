"""Languages: which one a text is in, its words in one form, and what they show besides their content."""
