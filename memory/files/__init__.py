"""The truth: a folder of Markdown, how it is read, and the only code that writes to it.

To read, start at `workspace`, `scan`, `markdown` and `notation`; to write, at `scribe`; to ask who wrote what, at
`journal`. A change goes scribe -> write_ahead -> journal -> carry_out -> atomic.
"""
