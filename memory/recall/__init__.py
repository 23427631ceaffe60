"""Finding: a question to words, entities and days; candidates, their rank, and the passages that are handed over."""
