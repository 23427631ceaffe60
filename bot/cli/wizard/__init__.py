"""`scrubjay init`: a few screens of questions, what they come to, and what is done once it is saved."""
