"""`scrubjay chat`: in the process that holds the home, or as a client of it."""
