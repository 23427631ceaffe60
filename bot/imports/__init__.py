"""Moving in: what an importer reads becomes files below `memory/imports/`, once, and can be taken out again."""
