"""Answers without a model: from rules and from memory alone."""
