"""The service: routes messages to agents, runs their turns, and delivers the replies."""

__version__ = "0.1.0"
