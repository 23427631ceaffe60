"""Vectors: what lies near a question, exactly, in memory or on disk."""
