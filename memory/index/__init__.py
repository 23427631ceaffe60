"""The derived side: units and terms made from the files, kept in one disposable SQLite file."""
