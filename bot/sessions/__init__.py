"""Conversations: their transcripts, what is made of them, and what is taken out of them again."""
