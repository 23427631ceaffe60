"""What is owed, on its way to people: rendered, shown as it grows, sent in order."""
