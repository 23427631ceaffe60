"""Tables of the index file beside units and words: facts, how they live on, their links, vectors."""
