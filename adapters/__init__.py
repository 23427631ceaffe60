"""Platforms behind one port: each module speaks to one of them and knows nothing of the bot."""
