"""How memory lives: what is taken in, what fades, what is linked, and what becomes of it."""
