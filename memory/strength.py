"""Strength: how well a fact is kept in mind, from its reviews."""
