"""Who may speak, to which agent, and what their words count as."""
