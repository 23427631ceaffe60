"""Pages that follow from facts: one for each entity, one of what holds, one of what happened. Facts in, text out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memory.files.notation import entity_name
from memory.index.port import Stored
from memory.index.terms import entity_key
from memory.index.units import line_name
from memory.knowledge.reflection.opinions import observed_day
from memory.knowledge.reflection.succession import Standing
from memory.privacy.traces import phrase
from memory.types import Kind

FOLDER = "bank/entities/"
WORLD, EXPERIENCE = "bank/world.md", "bank/experience.md"

MIN_FACTS = 2
"""Facts about an entity that make a page for it."""
MAX_SUMMARY = 3
"""Sentences of a summary."""
MAX_LINES = 400
"""Facts in one section, the newest."""
MAX_NAMES = 12
"""Other entities that a page points to."""
OWNERS = frozenset({"me", "myself", "owner"})
"""Names of the person whose memory it is: the profile is theirs, and no page."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something: its key in the index, its name as most facts write it, and facts in order of time."""

    key: str
    name: str
    facts: tuple[Stored, ...]

    @property
    def path(self) -> str:
        """The file of its page."""
        return f"{FOLDER}{entity_name(self.name)}.md"


def find_entities(facts: Sequence[Stored], aliases: Mapping[str, str]) -> tuple[Entity, ...]:
    """Return the entities of facts given in order of time, with the facts that name them with or without a mark.

    `aliases` has the keys of other names, and the key of whom they name.
    """
    written = defaultdict[str, Counter[str]](Counter)
    about = defaultdict[str, dict[int, Stored]](dict)
    for one in facts:
        for name in one.unit.entities:
            key = entity_key(name)
            if not key or key in OWNERS:
                continue
            is_alias = key in aliases
            key = aliases.get(key, key)
            about[key][one.id] = one
            written[key][name] += 0 if is_alias else 1
    phrases = defaultdict[str, list[tuple[str, str]]](list)
    for name, key in [*((key, key) for key in about), *((name, key) for name, key in aliases.items() if key in about)]:
        said = phrase(name)
        if len(said.strip()) > 2:
            phrases[said.split()[0]].append((said, key))
    for one in facts:
        said = phrase(one.unit.body)
        near = {pair for word in set(said.split()) & phrases.keys() for pair in phrases[word]}
        for wanted, key in sorted(near, key=lambda pair: (-len(pair[0]), pair)):
            is_small = not any(name[:1].isupper() for name in written[key])
            if wanted in said and (is_small or _may_name(one.unit.body, wanted.split()[0])):
                about[key][one.id] = one
                said = said.replace(wanted, " | ")  # who is called Peter Hansen is no other Peter
    order = {one.id: n for n, one in enumerate(facts)}
    return tuple(
        Entity(
            key,
            max(written[key], key=lambda name: written[key][name]),
            tuple(sorted(found.values(), key=lambda one: order[one.id])),
        )
        for key, found in sorted(about.items())
    )


def _may_name(text: str, word: str) -> bool:
    """Return whether a folded word may be a name in a text: `an atlas` is none, unless all of it is in lower case."""
    found = [one for one in re.findall(r"\w+", text) if one.casefold() == word]
    return text == text.lower() or not found or any(not one[0].islower() for one in found)


def entity_page(entity: Entity, standing: Standing, names: Mapping[str, str]) -> str:
    """Return the generated part of an entity's page; `names` are of all that have a page, by their keys."""
    newest = list(reversed(entity.facts))
    stating = [one for one in newest if one.unit.kind not in {Kind.EXPERIENCE, Kind.INTENTION, Kind.OPINION}]
    current = [one for one in stating if standing.is_current(one.unit.name)]
    earlier = [one for one in stating if not standing.is_current(one.unit.name)]
    opinions = [one for one in newest if one.unit.kind is Kind.OPINION]
    intentions = [one for one in newest if one.unit.kind is Kind.INTENTION and one.unit.name not in standing.ended]
    happened = [one for one in newest if one.unit.kind is Kind.EXPERIENCE]
    ends = (".", "!", "?", "。", "！", "？")
    texts = [_text(one) for one in current[:MAX_SUMMARY]]
    summary = OPENING.sub(r"\\\g<0>", " ".join(text if text.endswith(ends) else f"{text}." for text in texts))
    sections = [
        ("", [summary] if current else []),
        ("Facts", map(_line, current)),
        ("Opinions", map(_line, _folded(opinions))),
        ("Open", map(_line, intentions)),
        ("Happened", map(_dated, happened)),
        ("Earlier", (_line(one, is_over=True) for one in earlier)),
        ("In conflict", _conflicts(entity.facts, standing)),
        ("See also", _others(entity, names)),
    ]
    return _page(entity.name.replace("-", " "), sections).replace(f"[[{entity.name}]]", entity.name)


def world_page(
    facts: Sequence[Stored], standing: Standing, aliases: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """Return the generated part of the page of what holds, by the entity that each fact names first.

    What stands on the page itself is not told twice; the same holds of `experience_page`.
    """
    by_name = defaultdict[str, list[Stored]](list)
    for one in reversed(facts):
        if one.unit.kind is Kind.WORLD and one.path != WORLD and standing.is_current(one.unit.name):
            key = entity_key(one.unit.entities[0]) if one.unit.entities else ""
            by_name[aliases.get(key, key)].append(one)
    titles = {key: names.get(key, found[0].unit.entities[0]) if key else "Other" for key, found in by_name.items()}
    return _page("World", [(titles[key], map(_line, by_name[key])) for key in sorted(by_name, key=titles.__getitem__)])


def experience_page(facts: Sequence[Stored]) -> str:
    """Return the generated part of the page of what happened: by month, the newest first."""
    by_month = defaultdict[str, list[Stored]](list)
    for one in reversed(facts):
        if one.unit.kind is Kind.EXPERIENCE and one.path != EXPERIENCE:
            by_month[(one.unit.first or observed_day(one))[:7] or "Undated"].append(one)
    return _page("Experience", [(month, map(_dated, by_month[month])) for month in sorted(by_month, reverse=True)])


def source_link(one: Stored) -> str:
    """Return the link to the line of a fact, or to its file if the line has no id."""
    page = one.path.removesuffix(".md").rsplit("/", 1)[-1]
    is_marked = one.unit.name != line_name(one.path, one.unit.text) and not one.unit.name.startswith("h")
    return f"[[{page}#^{one.unit.name}]]" if is_marked else f"[[{page}]]"


HEAD = re.compile(r"\A(?P<title># [^\n]*\n)(?P<summary>.*?)(?=^## )", re.DOTALL | re.MULTILINE)
"""The title of an entity's page, and what sums its facts up."""
OPENING = re.compile(r"\A(?:```|~~~|[#>]|[-+*]\s)")
"""What would make something else of its opening paragraph: a list, or a fence around all that follows on the page."""
SUMMARY_MARK = "<!-- scrubjay:summary {} -->"
"""Stands below a model's summary, with the key of the facts that it sums up."""

_LINKED = re.compile(r"\[\[[^\]\n]*#\^([A-Za-z0-9-]+)\]\]")


def linked_ids(part: str) -> frozenset[str]:
    """Return the ids of the facts whose lines a generated part points to."""
    return frozenset(_LINKED.findall(part))


def key_of(part: str) -> str:
    """Return a name for the facts of a generated part, whatever sums them up: equal for equal facts."""
    return blake2b(HEAD.sub("", part).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def is_summed_up(part: str, facts: str) -> bool:
    """Return whether a part has a model's summary of the very facts that another one has."""
    return SUMMARY_MARK.format(key_of(facts)) in part and key_of(part) == key_of(facts)


def without(part: str, names: frozenset[str], texts: Sequence[str] = ()) -> str:
    """Return a generated part without the lines that point to some facts, nor what sums facts up without a source.

    `texts` is what they say, for links to facts without an id name their file alone.
    """
    lines = part.split("\n")
    kept = [line for line in lines if not _repeats(line, names, texts)]
    if len(kept) == len(lines):
        return part
    return "\n".join(line for line in kept if not line or line.startswith(("#", "- ", "[[")))


def without_lines(page: str, names: frozenset[str], texts: Sequence[str]) -> str:
    """Return a page whose generated part cannot be told apart without the lines that look generated of some facts."""
    lines = page.split("\n")
    return "\n".join(
        line for line in lines if not (line.startswith("- ") and "[[" in line and _repeats(line, names, texts))
    )


def _repeats(line: str, names: frozenset[str], texts: Sequence[str]) -> bool:
    said = phrase(line) if texts else ""
    return not names.isdisjoint(linked_ids(line)) or any(phrase(text) and phrase(text) in said for text in texts)


def _page(name: str, sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return sections under a title, which is generated as well: alone, it would only be in the way of a search."""
    found = []
    for title, lines in sections:
        shown = [*lines][:MAX_LINES]
        if shown:
            found.append("\n".join([*([f"## {title}"] if title else []), *shown]))
    return "\n\n".join([f"# {name}", *found]) if found else ""


def _line(one: Stored, *, is_over: bool = False) -> str:
    """Return a fact as a line of a list, with what it is qualified by, and its source."""
    attributes = dict(one.unit.attributes)
    held = " – ".join(filter(None, (one.unit.since or one.unit.first, one.unit.until))) if is_over else ""
    due = f"due {attributes['due']}" if "due" in attributes else ""
    confidence = f"{float(attributes['c']):.2f}" if "c" in attributes else ""
    marks = ", ".join(filter(None, (confidence, due, held)))
    return f"- {_text(one)}{f' ({marks})' if marks else ''} {source_link(one)}"


def _dated(one: Stored) -> str:
    day = one.unit.first or observed_day(one)
    return f"- {day + ': ' if day else ''}{_text(one)} {source_link(one)}"


def _text(one: Stored) -> str:
    """Return a statement on one line, with names as links, and nothing in it that could end the part."""
    line = " ".join(one.unit.body.split()).replace("<!--", "‹!--").replace("-->", "--›")
    return _MENTION.sub(lambda found: f"[[{found[1]}]]", line)


_MENTION = re.compile(r"(?<![\w.+%/@`\\-])@(\w[\w-]*)")


def _folded(opinions: Sequence[Stored]) -> Iterator[Stored]:
    """Yield opinions, of those that say the same the one of the page of opinions."""
    seen = set()
    for one in sorted(opinions, key=lambda one: one.path != "bank/opinions.md"):
        key = phrase(one.unit.body)
        if key not in seen:
            seen.add(key)
            yield one


def _conflicts(facts: Sequence[Stored], standing: Standing) -> Iterator[str]:
    known = {one.unit.name: one for one in facts}
    for earlier, later in standing.conflicts:
        if earlier in known and later in known:
            one, other = known[earlier], known[later]
            yield f"- {_text(one)} {source_link(one)} — {_text(other)} {source_link(other)}"


def _others(entity: Entity, names: Mapping[str, str]) -> Iterator[str]:
    found = Counter(
        entity_key(name) for one in entity.facts for name in one.unit.entities if entity_key(name) != entity.key
    )
    linked = [f"[[{names[key]}]]" for key, _ in found.most_common() if key in names][:MAX_NAMES]
    if linked:
        yield f"{', '.join(linked)}"
