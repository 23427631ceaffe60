"""Backups of a home: made, listed, verified, restored."""
