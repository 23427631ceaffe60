"""What answers a turn, keeps a conversation within its model's window, and has a model write for jobs."""
