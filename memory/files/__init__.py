"""The truth: a folder of Markdown, how it is read, and the only code that writes to it (`atomic`).

To read, start at `workspace`, `sources`, `markdown` and `notation`. To write, and to ask who wrote what, start at
`memory.journal`: a change goes writer -> write_ahead -> journal, then `atomic`.
"""
