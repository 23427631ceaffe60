"""Readers of what other programs keep: one file per source, each with a constant IMPORTER."""
