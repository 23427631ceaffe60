"""Vectors: what lies near a question, each of them compared with it, in memory or on disk."""
