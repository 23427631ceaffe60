"""The system that the bot runs on: the lock of a home, units that start it."""
