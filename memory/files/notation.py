"""The notation of facts in Markdown: bullets with kinds, attributes, mentions, categories and ids; read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import lru_cache

from memory.errors import Unparsable
from memory.files.markdown import ID, BlockKind, Closers, closes, fence_mark, is_identified, line_kind
from memory.files.names import distinct, entity_name, linked_name, mentions, name_end
from memory.types import CATEGORIES, Fact, Kind, Origin

Attributes = tuple[tuple[str, str], ...]

MAX_FACT_CHARS = 200_000
"""Characters of a fact's lines, its id included; a longer bullet is a note."""
MAX_TITLE = 80
"""Characters of the bold words that a fact begins with."""
INDENT = "  "
"""What stands before every further line of a statement."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(_DAY.pattern + r"(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?")


def parse_attributes(text: str, column: int) -> Attributes:
    """Read what stands between the parentheses; `column` is where it begins.

    Raises `Unparsable` for a name that is unknown or repeated, and for a value out of its range.
    """
    pairs: list[tuple[str, str]] = []
    for part in _split(text) if text.strip() else ():
        place = column + len(part) - len(part.lstrip())
        name, equals, value = part.partition("=")
        if not equals:
            raise Unparsable(f"`{part.strip()}` is not `name=value`.", column=place, hint=_NAMES_HINT)
        pairs.append((name.strip(), value.strip()))
        _check(pairs, place)
        column += len(part) + 1
    return tuple(pairs)


def _split(text: str) -> Iterator[str]:
    """Yield what stands between the commas; those of a cron expression (`every=0 9 * * 1,4`) separate nothing."""
    parts = text.split(",")
    while parts:
        part = parts.pop(0)
        while parts and "=" not in parts[0] and part.partition("=")[0].strip() == "every":
            part = f"{part},{parts.pop(0)}"
        yield part


def format_attributes(attributes: Iterable[tuple[str, str]]) -> str:
    """Return the parenthesis for these pairs, empty for none; raises `Unparsable` for one that cannot be read back."""
    written: list[tuple[str, str]] = []
    for pair in attributes:
        written.append(pair)
        _check(written, 1)
    return f"({', '.join(f'{name}={value}' for name, value in written)})" if written else ""


def _check(pairs: list[tuple[str, str]], column: int) -> None:
    """Check the last of these pairs."""
    name, value = pairs[-1]
    accepts = _ATTRIBUTES.get(name)
    if accepts is None:
        raise Unparsable(f"there is no attribute `{name}`.", column=column, hint=_NAMES_HINT)
    if any(name == earlier for earlier, _ in pairs[:-1]):
        raise Unparsable(f"`{name}` is given twice.", column=column, hint="Keep one of them.")
    test, wanted, example = accepts
    if not test(value):
        raise Unparsable(f"`{name}={value}` is not {wanted}.", column=column, hint=f"Write {name}={example}.")


def _within(low: float, high: float) -> Callable[[str], bool]:
    return lambda value: _NUMBER.fullmatch(value) is not None and low <= float(value) <= high


def is_day(value: str) -> bool:
    """Return whether a text is an ISO day that there is."""
    return _DAY.fullmatch(value) is not None and _exists(date.fromisoformat, value)


def _exists(read: Callable[[str], object], value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True


def _is_repeated(value: str) -> bool:
    from cronsim import CronSim, CronSimError

    try:
        CronSim(value, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError:
        return False
    return len(value.split()) == 5


def _is_instant(value: str) -> bool:
    return _INSTANT.fullmatch(value) is not None and _exists(datetime.fromisoformat, value)


def _is_trigger(value: str) -> bool:
    return any(map(str.isalnum, value)) and not {*"(),=\n"} & {*value}


_ATTRIBUTES: dict[str, tuple[Callable[[str], bool], str, str]] = {
    "c": (_within(0, 1), "a confidence from 0 to 1", "0.95"),
    "v": (_within(-1, 1), "a valence from -1 to 1", "-0.5"),
    "a": (_within(0, 1), "an arousal from 0 to 1", "0.5"),
    "i": (_within(0, 1), "an importance from 0 to 1", "0.7"),
    "due": (_is_instant, "an ISO day or time", "2026-12-01T09:00"),
    "every": (_is_repeated, "a cron expression of five fields", "0 9 * * 1-5"),
    "when": (_is_trigger, "a name or a few words", "Ana"),
    "since": (is_day, "an ISO day", "2025-11-27"),
    "until": (is_day, "an ISO day", "2025-12-01"),
    "from": (frozenset(Origin).__contains__, f"one of {', '.join(Origin)}", "owner"),
}
"""What each accepts, what that is in words, and an example of it."""
NAMES = tuple(_ATTRIBUTES)
_NAMES_HINT = f"The attributes are {', '.join(NAMES)}."

_LETTERS = "".join(kind.letter for kind in Kind)
_CATEGORY = rf"#({'|'.join(sorted(CATEGORIES))})"
_BULLET = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])(?:\s+|\Z)")
_HEAD = re.compile(rf"([{_LETTERS}])(?:(?P<open> ?\()|:(?=\s|\Z)|：|(?=\s+(?:@\w|\[\[)))")
_HEADS = re.compile(
    rf"^[ \t]*(?:[-*+]|[0-9]{{1,9}}[.)])[ \t]+[{_LETTERS}](?: ?\([^()\n]*\))?"
    r"(?:[ \t,]*(?:@\w[^\s,:：@]*|\[\[[^\[\]\n]+\]\]))*[ \t]*[:：]",
    re.MULTILINE,
)
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


@lru_cache(maxsize=512)  # a log is read as a whole with every line that is added, twice
def parse_fact(lines: str, *, kind: Kind = Kind.OBSERVATION) -> Fact:
    """Read one bullet, with its continuation lines if it has any; `kind` is that of one without a letter.

    Raises `Unparsable` if it is no bullet, nothing is said in it, or its head is malformed.
    """
    bullet = _BULLET.match(lines)
    if bullet is None:
        raise Unparsable("this is not a bullet.", column=1, hint="A fact is a line that begins with `- `.")
    body = _UNREADABLE.sub("\ufffd", lines[bullet.end() :].replace("\r\n", "\n"))
    first, newline, below = body.partition("\n")
    if newline and is_identified(first):
        indent = " " * (len(lines) - len(lines.lstrip())) + INDENT
        fact = _parse(first, bullet.end(), below=[line.removeprefix(indent) for line in below.split("\n")])
    else:
        first = " ".join(filter(None, map(str.strip, body.split("\n"))))
        fact = _parse(first, bullet.end())
    return fact if kind is fact.kind or _head(first) else replace(fact, kind=kind)


def without_heads(page: str) -> str:
    """Return a page without what stands before the statements of its facts, which is in no language."""
    return _HEADS.sub("", page)


def parse_typed(text: str) -> Fact | None:
    """Read a line of notation as somebody types it, with or without a bullet before it; None for any other text.

    Typed notation has attributes or an entity: `T: 030 1234567` is a telephone number, and is kept as it is. Raises
    `Unparsable` for what sets out to be notation and is malformed.
    """
    bullet = _BULLET.match(text)
    start = bullet.end() if bullet else len(text) - len(text.lstrip())
    body = text[start:].rstrip()
    head = _head(body)
    if head is None or "\n" in body or not (head["open"] or _ENTITY.match(body, head.end())):
        return None
    return _parse(body, start)


def format_fact(fact: Fact) -> str:
    """Return the lines for a fact, without a newline at the end; `parse_fact` gives `normal(fact)` back.

    Raises `Unparsable` if nothing is said, if kind, category, id or an attribute is none that the notation has, or if
    the text has a character that no text file can hold, or several lines and no id.
    """
    fact = normal(fact)
    if not fact.text.strip():
        raise Unparsable("there is nothing to write down.", hint="Say what is to be remembered.")
    if _UNWRITABLE.search(fact.text):
        raise Unparsable("the text has a character that no text file can hold.", hint="Leave it out, and say it again.")
    if not fact.kind.letter:
        raise Unparsable(f"a fact cannot be of kind `{fact.kind}`.", hint="Choose one that has a letter.")
    if fact.category and fact.category not in CATEGORIES:
        message = f"`#{fact.category}` is not a category."
        raise Unparsable(message, hint=f"Choose one of {', '.join(sorted(CATEGORIES))}.")
    if fact.id and not _ID.fullmatch(fact.id):
        raise Unparsable(f"`^{fact.id}` is not a block id.", hint="Use letters, digits and hyphens.")
    first, *below = fact.text.split("\n")
    if below and line_kind(first.strip()) is not BlockKind.PARAGRAPH:  # a block that opens the text begins below
        first, below = "", [first, *below]
    if below and not fact.id:
        raise Unparsable("a fact of several lines needs an id.", hint="Give it one.")
    head = f"- {fact.kind.letter}{format_attributes(fact.attributes)}"
    entities = "".join(f" @{name}" for name in fact.entities)
    tail = f" #{fact.category}" if fact.category else ""
    opening = f"{head}{entities}:{f' {_escape(first)}' if first else ''}{tail}{f' ^{fact.id}' if fact.id else ''}"
    return "\n".join([opening, *(f"{INDENT}{line}" if line else "" for line in _escape_lines(below))])


def normal(fact: Fact) -> Fact:
    """Return a fact as it is read back.

    Lines end in a newline, names as they can be written, mentions among the entities.
    """
    text = fact.text.replace("\r\n", "\n").replace("\r", "\n")
    names = [entity_name(name) for name in fact.entities]
    return replace(fact, text=text, entities=distinct([*filter(None, names), *mentions(text)]))


def forgotten_line(id: str) -> str:
    """Return the comment that replaces a forgotten line."""
    return f"<!-- scrubjay:forgotten ^{id} -->"


def forgotten_id(line: str) -> str | None:
    """Return the id in such a comment; None for any other line."""
    match = _FORGOTTEN.fullmatch(line)
    return match[1] if match else None


def closing_category(text: str) -> str | None:
    """Return the category with which a typed text ends (it keeps it); None if it ends with none, or is nothing else."""
    rest, category = _split_word(text.strip(), _CATEGORY_WORD)
    return category.lower() if rest and category else None


_TITLE = re.compile(rf"(?P<mark>\*\*|__)(?=\S)(?P<title>[^*_\n]{{1,{MAX_TITLE}}}?)(?<=\S)(?P=mark)(?=\s|[:：]|\Z)")
_TAG = re.compile(r"(?:(?<=[\s(\[{「『（【，。、；：！？])|\A)#(?=[\w/-]*[^\W\d_])([\w/-]+)")
_NO_TAGS = re.compile(
    r"`+[^`]*`+|\b[a-z][a-z0-9+.-]{0,19}://\S+|\]\([^)\n]{0,300}\)|\[\[[^\]\n]{1,200}\]\]", re.IGNORECASE
)


def title_of(text: str) -> str:
    """Return the bold words that a statement begins with, `**Offer:** sent` and its like; empty if it has no more."""
    title = _TITLE.match(text)
    if title is None or not text[title.end() :].strip(" :：\n"):
        return ""
    return title["title"].strip().rstrip(":：").rstrip()


def tags_of(text: str) -> tuple[str, ...]:
    """Return the hashtags in a statement without `#`, each once, in order; none of code, addresses and links."""
    if "#" not in text:
        return ()
    lines = (line for line, is_code in _with_fences(text.split("\n")) if not is_code)
    return distinct(match[1].rstrip("/-") for match in _TAG.finditer(_NO_TAGS.sub(" ", "\n".join(lines))))


def _parse(body: str, offset: int, *, below: Sequence[str] = ()) -> Fact:
    head = _head(body)
    fact, at = _parse_head(head, body, offset) if head else (Fact(""), 0)
    rest, block_id = _split_word(body[at:].strip(), _ID_WORD)
    first, category = _split_word(rest, _CATEGORY_WORD)
    lines = [_unescape(first)] if first or not below else []
    for line, is_code in _with_fences(below):
        bare = line
        for mark in () if is_code else _ESCAPED:
            if (found := mark.search(bare)) and found[1]:
                bare = bare[: found.start(1)] + bare[found.start(1) + 1 :]
        lines.append(bare)
    text = "\n".join(lines)
    if not text.strip():
        hint = "Write a statement, or remove it."
        raise Unparsable("nothing is said in this bullet.", column=offset + at + 1, hint=hint)
    named = mentions(text)
    entities = distinct([*fact.entities, *named]) if named else fact.entities
    return Fact(text, fact.kind, entities, category.lower() if category else None, block_id, fact.attributes)


def _head(body: str) -> re.Match[str] | None:
    """Match the kind's letter and what opens behind it; None for prose such as `O(n) is fast`.

    A parenthesis is notation if it begins with `name=` (a known name after a space), or if an entity or a colon
    follows it.
    """
    head = _HEAD.match(body)
    if head is None or not head["open"]:
        return head
    if head["open"] != "(":
        return head if _KNOWN_PAIR.match(body, head.end()) else None
    close = body.find(")", head.end())
    is_addressed = close > 0 and _ADDRESSED.match(body, close + 1)
    return head if is_addressed or _PAIR.match(body, head.end()) else None


def _parse_head(head: re.Match[str], body: str, offset: int) -> tuple[Fact, int]:
    """Read the fact without its statement; returns where that begins, too."""
    at = head.end()
    attributes: Attributes = ()
    if head["open"]:
        close = body.find(")", at)
        if close < 0:
            raise Unparsable("the parenthesis is not closed.", column=offset + at, hint="Add `)` after the attributes.")
        attributes = parse_attributes(body[at:close], offset + at + 1)
        at = close + 1
    names: list[str] = []
    statement_at = at
    if body[at - 1] not in ":：":
        while match := _ENTITY.match(body, at):
            at = match.end() if match[1] else name_end(body, match.end())
            names.append(linked_name(match[1]) if match[1] else entity_name(body[match.end() : at]))
        colon = _COLON.match(body, at)
        statement_at = colon.end() if colon else statement_at
    entities = distinct(filter(None, names))
    return Fact("", kind=Kind.from_letter(head[1]), entities=entities, attributes=attributes), statement_at


def _split_word(text: str, mark: re.Pattern[str]) -> tuple[str, str | None]:
    words = text.rsplit(None, 1)
    match = mark.fullmatch(words[-1]) if words else None
    return ("" if len(words) == 1 else words[0], match[1]) if match else (text, None)


def _escape(text: str) -> str:
    """Escape the first line of a statement, so that neither its ends nor its last word are taken for notation."""
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
    """Escape the lines below a bullet's first, so that none is taken for a block of the file's or for the fact's id."""
    end = max((n for n, line in enumerate(lines) if line.strip()), default=-1)
    for line, is_code in _with_fences(lines[: end + 1]):
        escaped = line
        for mark in () if is_code else _ESCAPED:
            if match := mark.search(escaped):
                escaped = f"{escaped[: match.start(1)]}\\{escaped[match.start(1) :]}"
        yield escaped
    yield from (f"\\{line}" for line in lines[end + 1 :])


def _with_fences(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a fenced block that is closed."""
    closers, opened = None, ""
    for number, line in enumerate(lines):
        if opened:
            yield line, True
            opened = "" if closes(line, opened) else opened
        else:
            if mark := fence_mark(line.strip()):
                closers = closers or Closers(lines)
                opened = mark if closers.fence(mark) > number else ""
            yield line, bool(opened)
