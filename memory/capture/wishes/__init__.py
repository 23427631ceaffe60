"""Wishes about what is remembered: forgotten, corrected, reminded of."""
