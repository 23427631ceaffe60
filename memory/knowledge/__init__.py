"""What is made of facts: proposals for the files that are always loaded."""
