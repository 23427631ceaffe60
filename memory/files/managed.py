"""The generated part of a page: what stands between `<!-- scrubjay:begin facts -->` and `<!-- scrubjay:end facts -->`.

Everything outside the marks is a person's and stays to the byte. What a person puts between them is moved below the
end mark before the part is written anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from memory.errors import Unparsable
from memory.files.markdown import MANAGED, BlockKind, blocks, split_lines

PART = "facts"
"""The name of the part, in its marks."""
WHOLE = re.compile(
    rf"^<!-- scrubjay:begin {PART} -->\r?$.*?^<!-- scrubjay:end {PART} -->\r?$", re.DOTALL | re.MULTILINE
)
"""The part with its marks."""
_GENERATED = re.compile(
    r"#{1,6}\s.*|.*\[\[[^\]\n]*(?:#\^[A-Za-z0-9-]+|\d{4}-\d\d-\d\d)\]\]|(?:\[\[[^\]\n]+\]\](?:, )?)+|<!-- scrubjay:.*"
)
"""How a line looks that was generated when nobody knows any more what was: a heading, links, a line with its source."""
_LISTED = re.compile(r"- (.+?) \[\[")
"""What an item of a generated list tells."""


def read_part(text: str) -> str | None:
    """Return what stands between the marks, without them; None if the page has no generated part.

    Raises `Unparsable` if it begins and does not end, ends before it begins, or is there twice.
    """
    marks = _find(text)
    return None if marks is None else "\n".join(split_lines(text)[marks[0] + 1 : marks[1]])


def write_part(text: str, body: str, *, was: str | None) -> tuple[str, tuple[str, ...]]:
    """Put a body between the marks, at the end of the page if it has none; none of its lines is a mark.

    Comes with the lines of a person that were inside and now stand below the part. `was` is what was generated there
    last; None if that is not known. Raises `Unparsable` as `read_part` does.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    fresh = [f"<!-- scrubjay:begin {PART} -->", *body.split("\n"), f"<!-- scrubjay:end {PART} -->"]
    marks = _find(text)
    if marks is None:
        above = text if not text or text.endswith("\n") else text + newline
        gap = newline if above and not above.endswith(newline * 2) else ""
        page = f"{above}{gap}{newline.join(fresh)}{newline}"
        if _find(page) is None:
            raise Unparsable(
                "a code fence or a comment is open to the end of the page, and would swallow what is generated.",
                hint="Close it.",
            )
        return page, ()
    begin, end = marks
    lines = text.split("\n")
    inside = [line.removesuffix("\r") for line in lines[begin + 1 : end]]
    if inside == fresh[1:-1]:
        return text, ()
    generated = {line.rstrip() for line in (*(was or "").split("\n"), *fresh)}
    if was is None:
        told = {item[1] for line in inside if (item := _LISTED.match(line))}
        generated |= {line.rstrip() for line in inside if _GENERATED.fullmatch(line.rstrip()) or _sums_up(line, told)}
    own = [line for line in inside if line.strip() and line.rstrip() not in generated]
    kept = ["", *own] if own else []
    last = "\r" if lines[end].endswith("\r") else ""
    middle = newline.join([*fresh, *kept]).split("\n")
    return "\n".join([*lines[:begin], *middle[:-1], middle[-1] + last, *lines[end + 1 :]]), tuple(own)


def _sums_up(line: str, told: Collection[str]) -> bool:
    """Return whether a line says what items of a list tell, one after the other, and nothing else."""
    left = {line}
    while left and "" not in left:
        begun = ((rest, item) for rest in left for item in told if rest.startswith(item))
        left = {rest.removeprefix(item).removeprefix(".").lstrip() for rest, item in begun}
    return "" in left


def _find(text: str) -> tuple[int, int] | None:
    """Return the lines of both marks, from 0."""
    places: dict[str, list[int]] = {"begin": [], "end": []}
    for block in blocks(text):
        mark = MANAGED.fullmatch(block.text.strip()) if block.kind is BlockKind.COMMENT else None
        if mark and mark[2] == PART:
            places[mark[1]].append(block.start - 1)
    begins, ends = places["begin"], places["end"]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise Unparsable(
            f"the generated part `{PART}` is not between one mark where it begins and one where it ends.",
            hint=f"Leave one `<!-- scrubjay:begin {PART} -->` and, below it, one `<!-- scrubjay:end {PART} -->`.",
        )
    return begins[0], ends[0]
