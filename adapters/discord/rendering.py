"""Markdown as Discord shows it: what its apps do not know is put in a way that they do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from adapters.markdown_events import Event, parse

MAX_CHARS = 2000
DEEPEST_HEADING = 3
RULE = "———"
BAR = "│ "
"""What stands before the lines of a quotation inside of a list or of another one."""

MAX_QUOTE_DEPTH = 20
"""Deeper quotations stay as they are written: looking for their marks would take too long."""

_TICKS = "```"
_ROUND_NUMBER = re.compile(rb"\d+\)")
_QUOTE_MARK = re.compile(rb"[ \t]*>")
_ESCAPED_MATH = re.compile(r"\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]", re.DOTALL)
_LIKE_MATH = re.compile(r"\\[a-zA-Z]|[\^_=]")
_LANGUAGE = re.compile(r"[\w+.#-]*", re.ASCII)
_FENCED = re.compile(rb"(`{3,}|~{3,})([^\n]*)\n(.*?)(\n[ \t>]*)?(\1[`~]*)?[ \t]*\Z", re.DOTALL)


def render(markdown: str) -> str:
    """Return a message as it is to be sent; as it was written, if it would become too long.

    Formulas become Unicode in code, boxes of tasks ☐ and ☑, headings below the third level and those in lists bold.
    Quotations in lists and in other quotations have a bar, and the blocks of code and lists have the marks that
    Discord knows. Nothing is a picture: its description is a link to it.

    >>> print(render("#### Soon\\n- [x] $\\\\alpha^2$\\n1) > said"))
    **Soon**
    - ☑ `α²`
    1. │ said
    """
    converter = _Converter(markdown)
    for event in parse(markdown.encode()):
        if event.kind == "Start":
            converter.start(event)
        elif event.kind == "End":
            converter.end()
        else:
            converter.leaf(event)
    shown = converter.finish()
    return markdown if len(shown) > MAX_CHARS >= len(markdown) else shown


@dataclass(slots=True)
class _Element:
    """An element of the text that is not closed yet; positions are in bytes.

    Attributes:
        tag: its kind, as the parser calls it.
        value: what the parser says of it.
        first: where the first thing inside of it begins; -1 if there is nothing.
        last: where the last thing inside of it ends.
        texts: the texts directly inside of it.
    """

    tag: str
    value: Any
    start: int
    end: int
    first: int = -1
    last: int = -1
    texts: list[str] = field(default_factory=list)


class _Converter:
    """Collects the changes to one text while its events come in, and makes them. Positions are in bytes."""

    def __init__(self, markdown: str) -> None:
        self._source = markdown.encode()
        self._markdown = markdown
        self._changes: dict[tuple[int, int], str] = {}
        self._open: list[_Element] = []
        self._depths: Counter[str] = Counter()
        self._code: list[tuple[int, int]] = []

    def finish(self) -> str:
        r"""Return the text with all changes, and with the formulas between \( and \), which Markdown does not know."""
        for formula in _ESCAPED_MATH.finditer(self._markdown):
            latex = formula[1] or formula[2]
            start = len(self._markdown[: formula.start()].encode())
            end = start + len(formula[0].encode())
            if _LIKE_MATH.search(latex) and not any(first < end and start < last for first, last in self._code):
                self._change(start, end, _formula(latex))
        parts, at = [], 0
        for (start, end), text in sorted(self._changes.items()):
            if start >= at:  # else it is inside of what has been replaced
                parts += [self._source[at:start], text.encode()]
                at = end
        return b"".join([*parts, self._source[at:]]).decode()

    def _change(self, start: int, end: int, text: str) -> None:
        if self._source[start:end] != text.encode():
            self._changes[start, end] = text

    def start(self, event: Event) -> None:
        tag, start, end = event.tag, event.start, event.end
        self._note(start, end)
        number = _ROUND_NUMBER.match(self._source, start)
        if tag == "Item" and self._source.startswith(b"+", start):
            self._change(start, start + 1, "-")
        elif tag == "Item" and number:
            self._change(number.end() - 1, number.end(), ".")
        elif tag == "BlockQuote":
            self._mark_quote(start, end)
        self._open.append(_Element(tag, event.value, start, end))
        self._depths[tag] += 1

    def _note(self, start: int, end: int) -> None:
        """Note that something lies inside of the innermost element."""
        if self._open:
            inner = self._open[-1]
            inner.first, inner.last = start if inner.first < 0 else inner.first, max(inner.last, end)

    def _is_within(self, *tags: str) -> bool:
        return any(self._depths[tag] for tag in tags)

    def leaf(self, event: Event) -> None:
        """Take in what has nothing inside."""
        kind, value, start, end = event
        self._note(start, end)
        match kind:
            case "Text" if self._open:
                self._open[-1].texts.append(value)
            case "Code":
                self._code.append((start, end))
            case "TaskListMarker":
                self._change(start, end, "☑" if value else "☐")
            case "Rule":
                self._change(start, start + len(self._source[start:end].rstrip()), RULE)
            case "HardBreak" if self._source[start:end].startswith(b"\\"):
                self._change(start, start + 1, "")
            case "SoftBreak" if self._is_within("Heading"):
                self._change(start, end, " ")
            case "InlineMath" | "DisplayMath":
                self._code.append((start, end))
                self._change(start, end, _formula(value))

    def end(self) -> None:
        element = self._open.pop()
        self._depths[element.tag] -= 1
        match element.tag:
            case "Heading":
                self._end_heading(element)
            case "CodeBlock":
                self._code.append((element.start, element.end))
                self._end_code(element)
            case "Image" if self._is_within("Link"):
                self._change(element.start, element.end, "".join(element.texts))
            case "Image":
                address = element.value["Image"]["dest_url"]
                mark_end = element.start + 1 if element.texts else element.end
                self._change(element.start, mark_end, "" if element.texts else f"<{address}>")
            case "Strong":
                is_bold_already = any(self._is_bold(outer) for outer in self._open)
                if is_bold_already or self._source[element.start : element.start + 2] == b"__":
                    self._change(element.start, element.start + 2, "" if is_bold_already else "**")
                    self._change(element.end - 2, element.end, "" if is_bold_already else "**")

    def _mark_quote(self, start: int, end: int) -> None:
        """Mark the lines of a quotation: Discord knows them only at the start of a line, and not inside another one."""
        is_plain = not self._is_within("Item", "BlockQuote")
        depth = 1 + self._depths["BlockQuote"]
        if depth > MAX_QUOTE_DEPTH:
            return
        marks, line = [start], self._source.find(b"\n", start, end) + 1
        while 0 < line < end:
            at = line
            for _ in range(depth):
                mark_found = _QUOTE_MARK.match(self._source, at, end)
                at = mark_found.end() if mark_found else -1
                if at < 0:
                    break
            if at > 0:
                marks.append(at - 1)
            elif is_plain:
                self._change(line, line, "> ")  # a line that goes on without a mark
            line = self._source.find(b"\n", line, end) + 1
        for mark in marks:
            after = mark + 1 + self._source.startswith((b" ", b"\t"), mark + 1)
            self._change(mark, after, "> " if is_plain else BAR)

    def _end_heading(self, heading: _Element) -> None:
        """Discord has three levels of headings, marked with #, and none in lists."""
        if heading.first < 0:
            return
        last = heading.start + len(self._source[heading.start : heading.end].rstrip())
        if self._is_bold(heading):
            before, behind = "**", "**"
        else:
            before, behind = "#" * _level(heading) + " ", ""
        self._change(heading.start, heading.first, before)
        self._change(heading.last, max(last, heading.last), behind)

    def _is_bold(self, element: _Element) -> bool:
        """Whether an element is a heading that is shown as bold text."""
        return element.tag == "Heading" and (_level(element) > DEEPEST_HEADING or self._is_within("Item"))

    def _end_code(self, code: _Element) -> None:
        """Put a block of code between the only marks that Discord knows."""
        content = "".join(code.texts)
        for start, end in [place for place, text in self._changes.items() if text == BAR]:
            if code.start < start < code.end:
                self._changes[start, end] = ""  # in the code itself it would be shown
        if code.value == {"CodeBlock": "Indented"}:
            start = self._source.rfind(b"\n", 0, code.start) + 1
            if not self._open and content.strip():
                newline = "" if content.endswith("\n") else "\n"
                self._change(start, code.end, f"{_TICKS}\n{_apart(content)}{newline}{_TICKS}\n")
            return
        fence = _FENCED.match(self._source, code.start, code.end)
        if fence is None:
            return
        language = _LANGUAGE.match(fence[2].decode().strip())
        self._change(fence.start(1), fence.end(2), _TICKS + (language[0] if language else ""))
        if _TICKS in content:
            inside = fence[3].decode()
            self._change(fence.start(3), fence.end(3), _apart(inside))
        if fence[5]:
            self._change(fence.start(5), fence.end(5), _TICKS)
        elif content.strip() and self._source[code.end :].strip():  # a quotation or an item ends it, but not on Discord
            end = code.start + len(self._source[code.start : code.end].rstrip())
            self._change(end, end, _TICKS)


def _level(heading: _Element) -> int:
    return int(heading.value["Heading"]["level"][1:])


def _apart(code: str) -> str:
    """Return code in which no three marks are together: they would end the block."""
    return code.replace(_TICKS, "`\u200b`\u200b`")


def _formula(latex: str) -> str:
    """Return a formula in Unicode, as code, in which no mark has a meaning."""
    from telegramify_markdown.latex_escape.helper import LatexToUnicodeHelper

    helper: Any = LatexToUnicodeHelper()  # it has no types
    shown = str(helper.convert(latex)).strip().replace("`", "'")
    return f"{_TICKS}\n{shown}\n{_TICKS}" if "\n" in shown else f"`{shown or latex}`"
