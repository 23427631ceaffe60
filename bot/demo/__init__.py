"""The demo home: half a year of an invented person, to look around in."""
