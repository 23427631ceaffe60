"""Slash commands: one file each, found by its name; the constant `COMMAND` says the rest."""
