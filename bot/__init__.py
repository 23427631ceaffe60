"""The service: routes messages to agents, runs their turns, and delivers the replies."""
