"""Moving in: what `sources` read of other programs becomes files below `memory/imports/`, once, and can be undone."""
