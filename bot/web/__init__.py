"""The dashboard: pages in a browser that show what the bot knows, why it says it, and what it forgets."""
