"""Language models behind one port: asking, waiting, counting, finding one."""
