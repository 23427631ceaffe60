"""Everything that could be wrong with an installation: one file per check, each with a constant CHECK."""
