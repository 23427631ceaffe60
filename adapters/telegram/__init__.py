"""Telegram, through python-telegram-bot: `adapter` is the way in, and importing it loads the SDK."""
