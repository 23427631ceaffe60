"""Jobs: what is done for an agent again and again, one file each."""
