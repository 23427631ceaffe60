"""What language a text is in, and which of its words carry no content."""
