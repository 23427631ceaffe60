"""The options, section by section."""
