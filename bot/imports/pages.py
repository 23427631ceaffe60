"""Pages of imported text: dated, marked as somebody else's, with nothing in them that passes for a mark of ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from hashlib import blake2b
from itertools import groupby
from unicodedata import category, normalize

from bot.imports.sources.base import Item
from bot.texts.formatting import well_formed
from memory import CATEGORIES, Fact, Origin
from memory.capture import draft
from memory.files.markdown import BlockKind, fence_mark, frontmatter_end, line_kind, properties, separated, split_lines
from memory.files.notation import format_fact
from memory.files.paths import DEEPEST, objection
from memory.index.chunking import day_in, label
from memory.index.units import read_facts
from memory.knowledge.imports import FOLDER
from memory.privacy.secrets import MARK, find_secrets, mask, mask_values

SLUG_CHARS = 48
TITLE_CHARS = 200
NAME_CHARS = 60
MAX_FOLDERS = DEEPEST - 1 - 3
"""Folders of a source that are kept as they are below `memory/imports/<source>/`."""

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
_HEADING = re.compile(r"^(\s*)(?=#{1,6}(?:\s|$))")
_ANY_ID = re.compile(r"((?:^|\s))(?=\^[A-Za-z0-9-]+\s*$)")
_OUR_ID = re.compile(r"((?:^|\s))(?=\^(?:[a-z0-9]{8}|[a-z0-9]{12}|h[0-9a-f]{10})\s*$)", re.MULTILINE)
_OUR_COMMENT = re.compile(r"(<!--\s*scrubjay):")
_BETWEEN = re.compile(r"[^\w]+")


@dataclass(slots=True)
class Masking:
    """Takes secrets out of texts, those of the configuration and what looks like one; `count` says how many."""

    values: Collection[str]
    count: int = 0

    def apply(self, text: str) -> str:
        """Return the text with a mark in the place of each secret."""
        masked = mask_values(mask(text, find_secrets(text)), self.values)
        self.count += max(0, masked.count(MARK) - text.count(MARK))
        return masked


def fingerprint(*texts: str) -> str:
    """Return a hash of some texts, 16 hexadecimal digits."""
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def cleaned(text: str) -> str:
    """Return a text without what a file cannot hold or a terminal obeys; its lines end in a newline."""
    return _OBEYED.sub("", _LINE_ENDS.sub("\n", well_formed(text)))


def day_of(at: date | None, zone: tzinfo) -> str:
    """Return the ISO day of a day or an instant, for the owner; empty for None."""
    if isinstance(at, datetime):
        return at.astimezone(zone).date().isoformat()
    return at.isoformat() if at else ""


def conversation_page(item: Item, source: str, zone: tzinfo, masking: Masking) -> str:
    """Return a conversation as notes that recall reads turn by turn, each dated by its section."""
    title = _ANY_ID.sub(r"\1\\", " ".join(cleaned(masking.apply(item.title)).split()))[:TITLE_CHARS].lstrip("#<- ")
    lines = ["---", f"origin: {Origin.IMPORT}", f"source: {source}", "---", "", f"# {title or 'Conversation'}", ""]
    voices = frozenset(message.who for message in item.messages)
    began = day_of(item.at, zone)
    for day, said in groupby(item.messages, key=lambda message: day_of(message.at, zone) or began):
        lines += [f"## {day}", ""] if day else []
        for message in said:
            text = harmless(masking.apply(cleaned(message.text)).strip("\n"), voices)
            first = text.partition("\n")[0].strip()
            gap = " " if line_kind(first) is BlockKind.PARAGRAPH else "\n\n"
            time = f"[{message.at.astimezone(zone):%H:%M}] " if message.at else ""
            lines += [f"{time}**{message.who}**:{gap}{text}", ""]
    return "\n".join(lines)


def harmless(text: str, voices: frozenset[str]) -> str:
    """Return a message in which nothing is a heading, a comment, an id, a fence that stays open, or another's turn.

    What would be gets a backslash before it; code in closed fences stays as it is.
    """
    is_code = set[int]()
    for block in separated(text):
        if block.kind is BlockKind.FENCE and block.end > block.start:
            is_code |= {*range(block.start, block.end + 1)}
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        plain = _ANY_ID.sub(r"\1\\", line)
        if label(plain.strip()) in voices:
            plain = f"\\{plain}"
        if number not in is_code:
            plain = _HEADING.sub(r"\1\\", plain.replace("<!--", "\\<!--"))
            plain = f"\\{plain.lstrip()}" if fence_mark(plain.strip()) else plain
        found.append(plain)
    return "\n".join(found)


def note_page(item: Item, source: str, path: str, zone: tzinfo, masking: Masking) -> str:
    """Return a note as it is, with the properties that say where it comes from, and when if its name does not."""
    text = _OUR_COMMENT.sub(r"\1 ", _OUR_ID.sub(r"\1\\", masking.apply(cleaned(item.text))))
    day = day_of(item.at, zone)
    stated = {"origin": Origin.IMPORT.value, "source": source}
    if day and day_in(path.rpartition("/")[2]) != day:
        stated["date"] = day
    lines = split_lines(text)
    end = frontmatter_end(lines)
    known = {key.casefold() for key in properties("\n".join(lines[:end]))} if end else set()
    head = [f"{key}: {value}" for key, value in stated.items() if key == "origin" or key not in known]
    if not end:
        return "\n".join(["---", *head, "---", "", *lines]) + "\n"
    return "\n".join([lines[0], *head, *lines[1:]]) + "\n"


def fact_of(item: Item, masking: Masking) -> Fact:
    """Return the fact that an item is: what the source does not say of it is found by rule."""
    text = masking.apply(cleaned(item.text)).strip()
    guessed = draft(text)
    kind, entities = item.kind or guessed.kind, item.entities or guessed.entities
    said = item.category if item.category in CATEGORIES else guessed.category
    importance = () if item.importance is None else (("i", f"{item.importance:.2g}"),)
    attributes = (*importance, ("from", Origin.IMPORT.value))
    return Fact(text, kind=kind, entities=entities, category=said, id=fact_id(item), attributes=attributes)


def fact_id(item: Item) -> str:
    """Return the id of a fact: the same for the same words of the same day."""
    number = int(fingerprint(" ".join(item.text.split()), str(item.at or "")), 16)
    name = "".join(_LETTERS[number >> shift & 31] for shift in range(0, 60, 5))
    return f"x{name[1:]}" if name[0] == "h" else name  # with h the ids of lines without one begin


def facts_page(path: str, title: str, facts: Sequence[tuple[str, Fact]], *, source: str) -> tuple[str, frozenset[str]]:
    """Return a page of facts by their days (ISO, or empty), and the ids of those that it could not hold to the letter.

    Left out is what recall would not read back as it was said.
    """
    read = {one.id: one.text for one in read_facts(path, format_page(facts, title=title, source=source))}
    lost = frozenset(str(fact.id) for _, fact in facts if read.get(fact.id) != fact.text)
    return format_page((one for one in facts if one[1].id not in lost), title=title, source=source), lost


def format_page(facts: Iterable[tuple[str, Fact]], *, title: str, source: str) -> str:
    """Return the text of a page of facts, whether or not it can be read back."""
    lines = ["---", f"origin: {Origin.IMPORT}", f"source: {source}", "---", "", f"# {title}", ""]
    for day, found in groupby(facts, key=lambda one: one[0]):
        lines += [f"## {day or 'Undated'}", "", "### Retain", "", *(format_fact(fact) for _, fact in found), ""]
    return "\n".join(lines)


def conversation_path(item: Item, source: str, zone: tzinfo) -> str:
    """Return where a conversation goes, by its day and its title."""
    day = day_of(item.at, zone)
    title = mask(item.title, find_secrets(item.title))
    slug = _BETWEEN.sub("-", normalize("NFKC", cleaned(title)).casefold()).strip("-_")[:SLUG_CHARS].strip("-_")
    return f"{FOLDER}/{source}/{_file_name('-'.join(filter(None, [day, slug or 'conversation'])))}.md"


def note_path(item: Item, source: str) -> str:
    """Return where a note goes: as in its source, with the names that a workspace admits, and no secret in them."""
    *folders, name = mask(item.place, find_secrets(item.place)).split("/")
    stem = re.sub(r"\.(?:md|markdown|txt)$", "", name, flags=re.IGNORECASE)
    if len(folders) > MAX_FOLDERS:
        folders = [*folders[: MAX_FOLDERS - 1], "-".join(folders[MAX_FOLDERS - 1 :])]
    return "/".join([FOLDER, source, *map(_file_name, folders), f"{_file_name(stem)}.md"])


def _file_name(name: str) -> str:
    known = normalize("NFKC", cleaned(name))
    plain = "".join(one if one in " -_.,'()+&" or category(one)[0] in "LMN" else "-" for one in known)
    while len(plain.encode()) > 3 * NAME_CHARS or len(plain) > 2 * NAME_CHARS:
        plain = plain[:-1]
    plain = plain.strip(" .~-") or "note"
    return plain if objection(f"{plain}.md") is None and objection(plain) is None else f"note-{fingerprint(name)}"
