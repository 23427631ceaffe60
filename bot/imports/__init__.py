"""Moving in: what `bot.importers` read becomes files below `memory/imports/`, once, and can be taken out again."""
