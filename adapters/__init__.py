"""Platforms behind one port, and what several of them need; none knows of another or of the bot."""
