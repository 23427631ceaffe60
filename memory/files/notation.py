r"""The Retain notation: one bullet is one fact, to the letter.

    - KIND(name=value, ...) @Entity @Other: first line of the statement #category ^block-id
      further lines of the statement, each behind two spaces

Everything but the statement is optional for a reader, and a bullet without a kind is an observation. The kind is
W world, B experience, O opinion, S observation, P procedure or T intention. It counts as notation only before `(`
with attributes, before `@name` or `[[name]]`, or before a colon; `- I went home` and `- O(n) is fast` are prose.

We always write kind and id, so `parse_fact(format_fact(fact))` is `normal(fact)` for any statement: its line breaks,
lists and code are kept. A statement that opens with a block (a list, a fence, a heading) begins below the bullet's
line. What would be read as something else gets a backslash before it, as in Markdown, and reading takes one away:
a closing category or id (`\#goal`, `\^abc`), a heading, a comment, a fence that nothing closes, blank lines at either
end, white space at the ends of the first line. Inside a closed fence nothing is escaped.

A bullet by hand without an id on its first line has its continuation lines joined by spaces, as Markdown shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.errors import Unparsable
from memory.files.attributes import NAMES, Attributes, format_attributes, parse_attributes
from memory.files.lines import ID, BlockKind, fence_mark, is_identified, line_kind
from memory.files.mentions import distinct, entity_name, linked_name, mentions, name_end
from memory.model import CATEGORIES, Fact, Kind

LONGEST_FACT = 200_000
"""Characters of a fact's lines, its id included; a longer bullet is a note."""

INDENT = "  "
"""What stands before every further line of a statement."""

_LETTERS = "".join(kind.letter for kind in Kind)
_CATEGORY = rf"#({'|'.join(sorted(CATEGORIES))})"
_BULLET = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])(?:\s+|\Z)")
_HEAD = re.compile(rf"([{_LETTERS}])(?:(?P<open> ?\()|:(?=\s|\Z)|：|(?=\s+(?:@\w|\[\[)))")
_PAIR = re.compile(r"\s*\w+\s*=")
_KNOWN_PAIR = re.compile(rf"\s*(?:{'|'.join(NAMES)})\s*=")
_ADDRESSED = re.compile(r"\s*(?:@\w|\[\[|[:：])")
_ENTITY = re.compile(r"[\s,]*(?:@(?=\w)|\[\[([^\[\]]+)\]\])")
_COLON = re.compile(r"\s*[:：]")
_ID = re.compile(ID)
_ID_WORD = re.compile(rf"\^({_ID.pattern})")
_CATEGORY_WORD = re.compile(_CATEGORY, re.IGNORECASE)
_TAIL_WORD = re.compile(rf"\\*(?:{_CATEGORY}|\^{_ID.pattern})", re.IGNORECASE)
_UNREADABLE = re.compile("[\x00\r\ud800-\udfff]")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_OPENING_SPACE = re.compile(r"\\*\s")
_CLOSING_SPACE = re.compile(r"\s\\*\Z")
_ESCAPED = (
    re.compile(r"\A\s*(\\*)(?=#{1,6}(?:\s|\Z)|<!--|`{3}|~{3})"),
    re.compile(rf"(?:^|(?<=\s))(\\*)(?=\^{_ID.pattern}\s*\Z)"),
    re.compile(r"\A(\\+)\s*\Z"),
)
"""What a backslash is put before in a line below the first; the group is the backslashes that are there."""

_FORGOTTEN = re.compile(rf"\s*<!-- scrubjay:forgotten \^({_ID.pattern}) -->\s*")


def parse_fact(lines: str) -> Fact:
    """Read one bullet, with its continuation lines if it has any.

    Raises:
        Unparsable: not a bullet, nothing said in it, or a head that is malformed.
    """
    bullet = _BULLET.match(lines)
    if bullet is None:
        raise Unparsable("this is not a bullet.", column=1, hint="A fact is a line that begins with `- `.")
    body = _UNREADABLE.sub("\ufffd", lines[bullet.end() :].replace("\r\n", "\n"))
    first, newline, below = body.partition("\n")
    if newline and is_identified(first):
        indent = " " * (len(lines) - len(lines.lstrip())) + INDENT
        return _parse(first, bullet.end(), below=[line.removeprefix(indent) for line in below.split("\n")])
    return _parse(" ".join(filter(None, map(str.strip, body.split("\n")))), bullet.end())


def parse_typed(text: str) -> Fact | None:
    """Read a line of notation as somebody types it, with or without a bullet before it; None for any other text.

    Typed notation has attributes or an entity: `T: 030 1234567` is a telephone number, and is kept as it is.

    Raises:
        Unparsable: it sets out to be notation and is malformed.
    """
    bullet = _BULLET.match(text)
    start = bullet.end() if bullet else len(text) - len(text.lstrip())
    body = text[start:].rstrip()
    head = _head(body)
    if head is None or "\n" in body or not (head["open"] or _ENTITY.match(body, head.end())):
        return None
    return _parse(body, start)


def format_fact(fact: Fact) -> str:
    """The lines for a fact, without a newline at the end; `parse_fact` gives `normal(fact)` back.

    Raises:
        Unparsable: nothing is said; kind, category, id or an attribute is none that the notation has; the text has a
            character that no text file can hold, or several lines and no id.
    """
    fact = normal(fact)
    if not fact.text.strip():
        raise Unparsable("there is nothing to write down.", hint="Say what is to be remembered.")
    if _UNWRITABLE.search(fact.text):
        raise Unparsable("the text has a character that no text file can hold.", hint="Leave it out, and say it again.")
    _check_marks(fact)
    first, below = _laid_out(fact.text)
    if below and not fact.id:
        raise Unparsable("a fact of several lines needs an id.", hint="Give it one.")
    head = f"- {fact.kind.letter}{format_attributes(fact.attributes)}"
    entities = "".join(f" @{name}" for name in fact.entities)
    tail = f" #{fact.category}" if fact.category else ""
    opening = f"{head}{entities}:{f' {_escape(first)}' if first else ''}{tail}{f' ^{fact.id}' if fact.id else ''}"
    return "\n".join([opening, *(f"{INDENT}{line}" if line else "" for line in _escape_lines(below))])


def normal(fact: Fact) -> Fact:
    """A fact as it is read back: lines end in a newline, names as they can be written, mentions among the entities."""
    text = fact.text.replace("\r\n", "\n").replace("\r", "\n")
    names = [entity_name(name) for name in fact.entities]
    return replace(fact, text=text, entities=distinct([*filter(None, names), *mentions(text)]))


def forgotten_line(id: str) -> str:
    """The comment that takes the place of a forgotten line."""
    return f"<!-- scrubjay:forgotten ^{id} -->"


def forgotten_id(line: str) -> str | None:
    """The id in such a comment; None for any other line."""
    match = _FORGOTTEN.fullmatch(line)
    return match[1] if match else None


def closing_category(text: str) -> str | None:
    """The category that a text ends with, as somebody types it; the text keeps it. None if there is nothing else."""
    rest, category = _split_word(text.strip(), _CATEGORY_WORD)
    return category.lower() if rest and category else None


def _parse(body: str, offset: int, *, below: Sequence[str] = ()) -> Fact:
    head = _head(body)
    fact, at = _parse_head(head, body, offset) if head else (Fact(""), 0)
    return _with_statement(fact, body[at:], offset + at, below=below)


def _head(body: str) -> re.Match[str] | None:
    """The kind's letter and what opens behind it; None for prose."""
    head = _HEAD.match(body)
    return None if head is None or (head["open"] and not _opens_attributes(body, head)) else head


def _check_marks(fact: Fact) -> None:
    if not fact.kind.letter:
        raise Unparsable(f"a fact cannot be of kind `{fact.kind}`.", hint="Choose one that has a letter.")
    if fact.category and fact.category not in CATEGORIES:
        raise Unparsable(
            f"`#{fact.category}` is not a category.", hint=f"Choose one of {', '.join(sorted(CATEGORIES))}."
        )
    if fact.id and not _ID.fullmatch(fact.id):
        raise Unparsable(f"`^{fact.id}` is not a block id.", hint="Use letters, digits and hyphens.")


def _opens_attributes(body: str, head: re.Match[str]) -> bool:
    """Whether a parenthesis after a kind's letter is notation and not prose such as `O(n) is fast`.

    It is if it begins with `name=` (a known name after a space), or if an entity or a colon follows it.
    """
    if head["open"] != "(":
        return _KNOWN_PAIR.match(body, head.end()) is not None
    close = body.find(")", head.end())
    addressed = close > 0 and _ADDRESSED.match(body, close + 1) is not None
    return addressed or _PAIR.match(body, head.end()) is not None


def _parse_head(head: re.Match[str], body: str, offset: int) -> tuple[Fact, int]:
    """The fact without its statement, and where that begins."""
    at = head.end()
    attributes: Attributes = ()
    if head["open"]:
        close = body.find(")", at)
        if close < 0:
            raise Unparsable("the parenthesis is not closed.", column=offset + at, hint="Add `)` after the attributes.")
        attributes = parse_attributes(body[at:close], offset + at + 1)
        at = close + 1
    said_after_colon = body[at - 1] in ":："
    entities, after = ((), at) if said_after_colon else _parse_entities(body, at)
    colon = None if said_after_colon else _COLON.match(body, after)
    fact = Fact("", kind=Kind.from_letter(head[1]), entities=entities, attributes=attributes)
    return fact, colon.end() if colon else at


def _parse_entities(body: str, at: int) -> tuple[tuple[str, ...], int]:
    names = []
    while match := _ENTITY.match(body, at):
        at = match.end() if match[1] else name_end(body, match.end())
        names.append(linked_name(match[1]) if match[1] else entity_name(body[match.end() : at]))
    return distinct(filter(None, names)), at


def _with_statement(fact: Fact, rest: str, offset: int, *, below: Sequence[str]) -> Fact:
    """The fact with text, category and id from what follows its head."""
    first, category, block_id = _split_tail(rest.strip())
    lines = [*([_unescape(first)] if first or not below else []), *_unescape_lines(below)]
    text = "\n".join(lines)
    if not text.strip():
        raise Unparsable("nothing is said in this bullet.", column=offset + 1, hint="Write a statement, or remove it.")
    return replace(
        fact,
        text=text,
        entities=distinct([*fact.entities, *mentions(text)]),
        category=category,
        id=block_id,
    )


def _split_tail(text: str) -> tuple[str, str | None, str | None]:
    """A statement without its closing category and block id, and these two."""
    rest, block_id = _split_word(text, _ID_WORD)
    rest, category = _split_word(rest, _CATEGORY_WORD)
    return rest, category.lower() if category else None, block_id


def _split_word(text: str, mark: re.Pattern[str]) -> tuple[str, str | None]:
    words = text.rsplit(None, 1)
    found = mark.fullmatch(words[-1]) if words else None
    return ("" if len(words) == 1 else words[0], found[1]) if found else (text, None)


def _laid_out(text: str) -> tuple[str, list[str]]:
    """What stands on the bullet's line, and the lines below it; a block that opens the text begins below."""
    first, newline, below = text.partition("\n")
    if not newline:
        return text, []
    if line_kind(first.strip()) is BlockKind.PARAGRAPH:
        return first, below.split("\n")
    return "", text.split("\n")


def _escape(text: str) -> str:
    """The first line of a statement, so that neither its ends nor its last word are taken for notation."""
    if _OPENING_SPACE.match(text):
        text = f"\\{text}"
    if _CLOSING_SPACE.search(text):
        text = f"{text}\\"
    word = text.rsplit(None, 1)[-1]
    return f"{text.removesuffix(word)}\\{word}" if _TAIL_WORD.fullmatch(word) else text


def _unescape(text: str) -> str:
    word = text.rsplit(None, 1)[-1] if text else ""
    if word[:1] == "\\" and _TAIL_WORD.fullmatch(word):
        text = text.removesuffix(word) + word[1:]
    if text[-1:] == "\\" and _CLOSING_SPACE.search(text):
        text = text[:-1]
    return text[1:] if text[:1] == "\\" and _OPENING_SPACE.match(text) else text


def _escape_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines below a bullet's first, so that none is taken for a block of the file's or for the fact's id."""
    end = max((n for n, line in enumerate(lines) if line.strip()), default=-1)
    for line, is_code in _with_fences(lines[: end + 1]):
        yield line if is_code else _escape_line(line)
    yield from (f"\\{line}" for line in lines[end + 1 :])


def _unescape_lines(lines: Sequence[str]) -> Iterator[str]:
    for line, is_code in _with_fences(lines):
        yield line if is_code else _unescape_line(line)


def _escape_line(line: str) -> str:
    for mark in _ESCAPED:
        if found := mark.search(line):
            line = f"{line[: found.start(1)]}\\{line[found.start(1) :]}"
    return line


def _unescape_line(line: str) -> str:
    for mark in _ESCAPED:
        if (found := mark.search(line)) and found[1]:
            line = line[: found.start(1)] + line[found.start(1) + 1 :]
    return line


def _with_fences(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced block that is closed."""
    marks = [fence_mark(line.strip()) for line in lines]
    longest: list[dict[str, int]] = [{}]  # by its character, the longest closing fence from each line on
    for line, mark in zip(reversed(lines), reversed(marks), strict=True):
        closes = mark and not line.strip().strip(mark[0])
        longest.append({**longest[-1], mark[0]: max(longest[-1].get(mark[0], 0), len(mark))} if closes else longest[-1])
    longest.reverse()
    opened = ""
    for n, (line, mark) in enumerate(zip(lines, marks, strict=True)):
        if opened:
            yield line, True
            if mark.startswith(opened) and not line.strip().strip(opened[0]):
                opened = ""
        else:
            opened = mark if mark and longest[n + 1].get(mark[0], 0) >= len(mark) else ""
            yield line, bool(opened)
