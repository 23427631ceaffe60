"""Tells thoughts from the answer where a model writes both into one text: `<think>...</think>` at its beginning."""

from __future__ import annotations

from collections.abc import Iterator

from bot.llm.port import TextDelta, Thinking

OPEN, CLOSE = "<think>", "</think>"


class ThinkTags:
    """Splits one streamed text. Tags anywhere but at the very beginning are part of the answer."""

    def __init__(self) -> None:
        self._feed = self._beginning
        self._held = ""

    def feed(self, text: str) -> Iterator[TextDelta | Thinking]:
        """Take in a piece of text."""
        text, self._held = self._held + text, ""
        yield from self._feed(text)

    def end(self) -> Iterator[TextDelta | Thinking]:
        """What was held back in case that a tag was coming."""
        if self._held:
            yield Thinking(self._held) if self._feed == self._inside else TextDelta(self._held)
        self._held = ""

    def _beginning(self, text: str) -> Iterator[TextDelta | Thinking]:
        start = text.lstrip()
        if start.startswith(OPEN):
            self._feed = self._inside
            yield from self._inside(start.removeprefix(OPEN))
        elif OPEN.startswith(start):
            self._held = text
        else:
            self._feed = self._after
            yield TextDelta(text)

    def _inside(self, text: str) -> Iterator[TextDelta | Thinking]:
        thought, closed, rest = text.partition(CLOSE)
        if not closed:
            kept = _overlap(text)
            thought, self._held = text[: len(text) - kept], text[len(text) - kept :]
        if thought:
            yield Thinking(thought)
        if closed:
            self._feed = self._gap
            yield from self._gap(rest)

    def _gap(self, text: str) -> Iterator[TextDelta | Thinking]:
        """The blank lines between thoughts and answer belong to neither."""
        if answer := text.lstrip():
            self._feed = self._after
            yield TextDelta(answer)

    def _after(self, text: str) -> Iterator[TextDelta | Thinking]:
        if text:
            yield TextDelta(text)


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    return next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)
