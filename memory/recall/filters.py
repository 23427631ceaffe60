"""What a recall is narrowed by: read from options and from plain questions, and put into words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from itertools import accumulate
from posixpath import normpath
from typing import Any

from memory.errors import FilterRefused
from memory.index.sql import Index
from memory.language.normalize import normalize
from memory.language.time import calendar, dates
from memory.language.time.calendar import Days
from memory.language.words import CONFIDENCE, KNOWN, PRESENT, VALID
from memory.types import CATEGORIES, EVERYWHERE, Filter, Kind

FACTS = tuple(kind for kind in Kind if kind is not Kind.NOTE)
MAX_PASSAGES = 50

_OPTIONS = {
    "entity": ("entities", "--entity Peter"),
    "kind": ("kinds", "--kind opinion"),
    "category": ("categories", "--category decision"),
    "tag": ("tags", "--tag garden"),
    "since": ("since", "--since 30d"),
    "until": ("until", "--until 2026-01-31"),
    "as-of": ("as_of", "--as-of 2025-11-27"),
    "believed": ("believed", "--believed 2026-03-31"),
    "in": ("under", "--in handbook"),
    "k": ("limit", "-k 25"),
    "n": ("limit", "-n 25"),
    "limit": ("limit", "--limit 25"),
}
"""What each option that is typed narrows, and an example of it."""
_SEVERAL = ("entities", "kinds", "categories", "tags", "under")
_LONG_NAMES = [name for name in _OPTIONS if len(name) > 2]
"""Those that another word can be a misspelling of."""
_LINES = re.compile(r"#L\d[^/]*\Z")
"""Line numbers behind a path, as a citation has them."""
_FADED = re.compile(r"(?<!\S)(?:--|—)faded(?!\S)")
_NAMES = "--entity --kind --category --tag --since --until --as-of --believed --in --faded -k --limit"
_QUOTED = r"\"[^\"]*\"|'[^']*'|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」"
# Telephones make one dash of two.
_OPTION = re.compile(
    r"(?<!\S)(?:(?:--|—)(?P<name>[a-z][a-z-]*)|-(?P<short>[kn]))(?![\w-])"
    rf"(?:(?:=|\s+)(?P<value>{_QUOTED}|(?!--|—)\S+))?"
)
_BACK = re.compile(r"(\d{1,4})\s?([dwmy])", re.IGNORECASE)
_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_DAY_HINT = 'Give a day (2026-01-31), a time back (30d, 2w, 3m, 1y), or words in quotes ("last week").'


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What a person or a model has typed to narrow a recall; several values are alternatives."""

    entities: Sequence[str] = ()
    kinds: Sequence[str] = ()
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    believed: str | None = None
    faded: bool = False
    under: Sequence[str] = ()

    def resolve(self, today: date) -> Filter:
        """Return the filter that is meant, its relative days counted from `today`; raises `FilterRefused`."""
        since, until = _day(self.since, today), _day(self.until, today)
        as_of, believed = _day(self.as_of, today), _day(self.believed, today)
        if since and until and since.first > until.last:
            raise FilterRefused(f"`{self.since}` is after `{self.until}`.", hint="Exchange them, or leave one out.")
        places = [normpath(_LINES.sub("", place.strip()).strip("/")) for place in self.under]
        return Filter(
            since=str(since.first) if since else None,
            until=str(until.last) if until else None,
            kinds=tuple(dict.fromkeys(map(_kind, _each(self.kinds)))),
            entities=tuple(dict.fromkeys(name.strip("@[] ") for name in self.entities if name.strip("@[] "))),
            categories=tuple(dict.fromkeys(map(_category, _each(self.categories)))),
            tags=tuple(dict.fromkeys(filter(None, (tag.strip("#") for tag in _each(self.tags))))),
            valid=(str(as_of.first), str(as_of.last)) if as_of else None,
            known=str(believed.last) if believed else None,
            faded=self.faded,
            under=tuple(dict.fromkeys(place for place in places if place != ".")),
        )


def split_options(text: str, today: date) -> tuple[str, Filter, int | None]:
    """Take the options out of a question in which they are typed, wherever they stand.

    Returns the question without them, what they narrow it to, and how many passages are wanted; None if that is not
    said. Raises `FilterRefused` if an option has no value, or one that it does not take, or its name is misspelt.
    """
    text, faded = _FADED.subn("", text)
    typed: dict[str, list[str]] = {}
    rest: list[str] = []
    at = 0
    for option in _OPTION.finditer(text):
        name, value = option["name"] or option["short"], option["value"]
        if name not in _OPTIONS:
            if near := get_close_matches(name, _LONG_NAMES, n=1, cutoff=0.7):
                raise FilterRefused(f"There is no option `--{name}`.", hint=f"Did you mean `--{near[0]}`? {_NAMES}")
            continue  # the question is about it
        if not value:
            raise FilterRefused(f"`{option[0].strip()}` has no value.", hint=f"For example: {_OPTIONS[name][1]}")
        typed.setdefault(_OPTIONS[name][0], []).append(value if value[0] not in "\"'“„«「" else value[1:-1])
        rest.append(text[at : option.start()].strip())
        at = option.end()
    rest.append(text[at:].strip())
    question = " ".join(filter(None, rest))
    given: dict[str, Any] = {name: values if name in _SEVERAL else values[-1] for name, values in typed.items()}
    limit = given.pop("limit", None)
    if limit is not None and not (limit.isdecimal() and 1 <= int(limit) <= MAX_PASSAGES):
        raise FilterRefused(f"{limit} passages cannot be handed over.", hint=f"Ask for 1 to {MAX_PASSAGES}: -k 25")
    return question, FilterOptions(**given, faded=bool(faded)).resolve(today), int(limit) if limit else None


def _each(values: Iterable[str]) -> Iterator[str]:
    return (part for value in values for part in re.split(r"[,\s]+", value) if part)


def _kind(typed: str) -> Kind:
    name = typed.casefold()
    known: dict[str, Kind] = {kind.letter.casefold(): kind for kind in FACTS}
    known |= {form: kind for kind in Kind for form in (kind.value, f"{kind}s")}
    if name not in known:
        raise FilterRefused(f"`{typed}` is no kind.", hint=f"The kinds are {', '.join(Kind)}.")
    return known[name]


def _category(typed: str) -> str:
    name = typed.casefold().removeprefix("#")
    if name not in CATEGORIES:
        known = ", ".join(sorted(CATEGORIES))
        raise FilterRefused(f"`{typed}` is no category.", hint=f"The categories are {known}.")
    return name


def _day(typed: str | None, today: date) -> Days | None:
    """Return the days that a text names; None if there is none."""
    if typed is None:
        return None
    value = typed.strip().strip("\"'‘’“”„«»「」").strip()
    if back := _BACK.fullmatch(value):
        first = calendar.lately(today, int(back[1]), _UNITS[back[2].lower()]).first
        return Days(first, first)
    times = dates.find(value, today)
    if len(times) != 1 or (times[0].start, times[0].end) != (0, len(value)):
        raise FilterRefused(f"`{typed}` names no day.", hint=_DAY_HINT)
    return times[0].named[0]


def read_question(text: str, today: date) -> tuple[str, Filter]:
    """Read what a plain question asks for: `what held in November`, `what did we believe in March`.

    Returns the question without the words that say so, and the filter; the question as it is if it says nothing of it.
    """
    if CONFIDENCE.are_in(text):
        aside = rf"[,，;；]?\s*(?:\b(?:and|und|et|y|и) )?¿?(?:{CONFIDENCE.pattern.pattern})"
        rest = re.sub(aside, " ", text, flags=re.IGNORECASE)
        text = rest if rest.strip(" ?？.") else text
    phrases = next((phrases for phrases in (VALID, KNOWN) if phrases.are_in(text)), None)
    if phrases is None:
        return text, EVERYWHERE
    times = [(when.start, when.end, when.days[0]) for when in dates.find(text, today)]
    if now := PRESENT.find_in(text):
        times.append((now.start(), now.end(), Days(today, today)))
    if not times:
        return text, EVERYWHERE
    start, end, days = times[0]
    rest = phrases.pattern.sub(lambda phrase: " " * len(phrase[0]), text)  # as long as it was, so that the places hold
    first, last = str(days.first), str(days.last)
    where = Filter(valid=(first, last)) if phrases is VALID else Filter(known=last)
    return f"{rest[:start]} {rest[end:]}", where


def with_places(index: Index, where: Filter) -> Filter:
    """Return a filter with the places that it names as the paths of indexed files spell them, whoever may see these.

    `extra/` before a place and `.md` behind it may be left out. Capital letters and normal forms make no difference,
    unless a place is spelled exactly: `memory` is the folder, and not `MEMORY.md`. Of a filter whose places are not
    there, nothing is found.
    """
    if not where.under:
        return where
    starts = {start for path in index.files() for start in accumulate(path.split("/"), "{}/{}".format)}
    found: set[str] = set()
    for place in where.under:
        named = {f"{before}{place}" for before in ("", "extra/")}
        folded = {*map(_folded, named)}
        exact = starts.intersection(named) | starts.intersection(f"{name}.md" for name in named)
        found |= exact or {path for path in starts if folded & {_folded(path), _folded(path.removesuffix(".md"))}}
    return replace(where, under=tuple(sorted(found)) or where.under)


def _folded(path: str) -> str:
    return normalize("NFC", path.rstrip("/").casefold())


def format_filter(where: Filter) -> str:
    """Return in words for a person what a filter lets through; empty for one that lets everything through."""
    return ", ".join(_limits(where))


def _limits(where: Filter) -> Iterator[str]:
    if where.kinds:
        yield "facts" if where.kinds == FACTS else f"kind {' or '.join(where.kinds)}"
    if where.entities:
        yield f"about {' or '.join(where.entities)}"
    if where.categories:
        yield f"category {' or '.join(where.categories)}"
    if where.tags:
        yield " or ".join(f"#{tag}" for tag in where.tags)
    if where.since or where.until:
        yield " ".join(f"{word} {day}" for word, day in (("from", where.since), ("to", where.until)) if day)
    if where.valid:
        first, last = where.valid
        yield f"what held on {first}" if first == last else f"what held from {first} to {last}"
    if where.known:
        yield f"what had been written down by {where.known}"
    if where.under:
        yield f"what is in {' or '.join(where.under)}"
