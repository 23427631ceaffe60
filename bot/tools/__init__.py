"""Tools that a model can use: one file each, found by its name; the constant `TOOL` says the rest."""
