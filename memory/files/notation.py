r"""The Retain notation: one bullet is one fact.

    - KIND(name=value, ...) @Entity @Other: statement #category ^block-id

Everything but the statement is optional for a reader, and a bullet without a kind is an observation. The kind is
W world, B experience, O opinion, S observation, P procedure or T intention. It counts as notation only before `(`
with attributes, before `@name` or `[[name]]`, or before a colon; `- I went home` and `- O(n) is fast` are prose.

We always write the kind, so no statement can pass for a head. A statement whose own last word looks like a category
or a block id gets a backslash before it, as in Markdown: `\#goal`, `\^abc`; reading takes one backslash away.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.errors import Unparsable
from memory.files.attributes import NAMES, Attributes, format_attributes, parse_attributes
from memory.files.mentions import distinct, entity_name, linked_name, mentions, name_end
from memory.model import CATEGORIES, Fact, Kind

LONGEST_FACT = 8_000
"""Characters of a fact's line, its id included; a longer bullet is a note."""

_LETTERS = "".join(kind.letter for kind in Kind)
_CATEGORY = rf"#({'|'.join(sorted(CATEGORIES))})"
_BULLET = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])(?:\s+|\Z)")
_HEAD = re.compile(rf"([{_LETTERS}])(?:(?P<open> ?\()|:(?=\s|\Z)|：|(?=\s+(?:@\w|\[\[)))")
_PAIR = re.compile(r"\s*\w+\s*=")
_KNOWN_PAIR = re.compile(rf"\s*(?:{'|'.join(NAMES)})\s*=")
_ADDRESSED = re.compile(r"\s*(?:@\w|\[\[|[:：])")
_ENTITY = re.compile(r"[\s,]*(?:@(?=\w)|\[\[([^\[\]]+)\]\])")
_COLON = re.compile(r"\s*[:：]")
_ID = re.compile(r"[A-Za-z0-9-]+")
_ID_WORD = re.compile(rf"\^({_ID.pattern})")
_CATEGORY_WORD = re.compile(_CATEGORY, re.IGNORECASE)
_TAIL_WORD = re.compile(rf"\\*(?:{_CATEGORY}|\^{_ID.pattern})", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_FORGOTTEN = re.compile(rf"\s*<!-- scrubjay:forgotten \^({_ID.pattern}) -->\s*")


def parse_fact(line: str) -> Fact:
    """Read one bullet, with its continuation lines if it has any.

    Raises:
        Unparsable: not a bullet, nothing said in it, or a head that is malformed.
    """
    bullet = _BULLET.match(line)
    if bullet is None:
        raise Unparsable("this is not a bullet.", column=1, hint="A fact is a line that begins with `- `.")
    return _parse(_unfold(line[bullet.end() :]), bullet.end())


def parse_typed(text: str) -> Fact | None:
    """Read a fact as somebody types it, with or without a bullet before it; None for what is not in this notation.

    Raises:
        Unparsable: it sets out to be notation and is malformed.
    """
    bullet = _BULLET.match(text)
    start = bullet.end() if bullet else len(text) - len(text.lstrip())
    body = _one_line(text[start:])
    return None if _head(body) is None else _parse(body, start)


def format_fact(fact: Fact) -> str:
    """The line for a fact, without a newline; `parse_fact` gives `normal(fact)` back.

    Raises:
        Unparsable: nothing is said, or kind, category, id or an attribute is none that the notation has.
    """
    fact = normal(fact)
    if not fact.text:
        raise Unparsable("there is nothing to write down.", hint="Say what is to be remembered.")
    _check_marks(fact)
    head = f"- {fact.kind.letter}{format_attributes(fact.attributes)}"
    entities = "".join(f" @{name}" for name in fact.entities)
    tail = f" #{fact.category}" if fact.category else ""
    return f"{head}{entities}: {_escape(fact.text)}{tail}{f' ^{fact.id}' if fact.id else ''}"


def normal(fact: Fact) -> Fact:
    """A fact as it is read back: text on one line, names as they can be written, mentions among the entities."""
    text = _one_line(fact.text)
    names = [entity_name(name) for name in fact.entities]
    return replace(fact, text=text, entities=distinct([*filter(None, names), *mentions(text)]))


def forgotten_line(id: str) -> str:
    """The comment that takes the place of a forgotten line."""
    return f"<!-- scrubjay:forgotten ^{id} -->"


def forgotten_id(line: str) -> str | None:
    """The id in such a comment; None for any other line."""
    match = _FORGOTTEN.fullmatch(line)
    return match[1] if match else None


def split_category(text: str) -> tuple[str, str | None]:
    """A statement without the category that it ends with, and that; what is nothing but a category is left whole."""
    rest, category = _split_word(text.strip(), _CATEGORY_WORD)
    return (rest, category.lower()) if rest and category else (text, None)


def _parse(body: str, offset: int) -> Fact:
    head = _head(body)
    return _parse_noted(head, body, offset) if head else _with_statement(Fact(""), body, offset)


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


def _parse_noted(head: re.Match[str], body: str, offset: int) -> Fact:
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
    text_at = colon.end() if colon else at
    fact = Fact("", kind=Kind.from_letter(head[1]), entities=entities, attributes=attributes)
    return _with_statement(fact, body[text_at:], offset + text_at)


def _parse_entities(body: str, at: int) -> tuple[tuple[str, ...], int]:
    names = []
    while match := _ENTITY.match(body, at):
        at = match.end() if match[1] else name_end(body, match.end())
        names.append(linked_name(match[1]) if match[1] else entity_name(body[match.end() : at]))
    return distinct(filter(None, names)), at


def _with_statement(fact: Fact, rest: str, offset: int) -> Fact:
    """The fact with text, category and id from what follows its head."""
    text, category, block_id = _split_tail(rest.strip())
    if not text:
        raise Unparsable("nothing is said in this bullet.", column=offset + 1, hint="Write a statement, or remove it.")
    text = _unescape(text)
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


def _unfold(body: str) -> str:
    """A bullet with continuation lines as one line; an id that ends the first line is put at the end."""
    first, newline, more = body.partition("\n")
    if not newline:
        return _one_line(body)
    text, category, block_id = _split_tail(first)
    if block_id is None:
        return _one_line(body)
    return _one_line(f"{text}\n{more}") + (f" #{category}" if category else "") + f" ^{block_id}"


def _one_line(text: str) -> str:
    if _CONTROLS.search(text):
        text = " ".join(filter(None, (piece.strip() for piece in _CONTROLS.split(text))))
    return _SURROGATES.sub("\ufffd", text).strip()


def _escape(text: str) -> str:
    word = text.rsplit(None, 1)[-1]
    return f"{text.removesuffix(word)}\\{word}" if _TAIL_WORD.fullmatch(word) else text


def _unescape(text: str) -> str:
    word = text.rsplit(None, 1)[-1]
    return text.removesuffix(word) + word[1:] if word[0] == "\\" and _TAIL_WORD.fullmatch(word) else text
