"""What is made of facts, and told of them: days retained, proposals, summaries, timelines, the journal for people."""
