"""Text to vector: the built-in model, an endpoint, and a cache of what either has answered."""
