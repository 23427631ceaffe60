"""Expressions of time: days of the past, instants to come, and how long a statement holds."""
