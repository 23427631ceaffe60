"""Reflection: opinions that evidence moves, and pages that follow from facts."""
