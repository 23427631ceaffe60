"""What a model sees: rules and files, the conversation, what is recalled, and the fences around others' texts."""
