"""The truth: a folder of Markdown, how it is read, and the only code that writes to it.

To read, start at `workspace`, `sources`, `markdown` and `notation`; to write, at `writer`; to ask who wrote what, at
`journal`. A change goes writer -> journal -> recovery -> atomic.
"""
