"""One conversation's life between resets."""
