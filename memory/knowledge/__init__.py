"""What is made of facts: days retained, proposals, summaries, timelines, and the journal as people read it."""
