"""The bot's accounts on chat platforms: how they are configured, and how they are opened."""
