"""Pages that follow from facts: one for each entity, one of what holds, one of what happened. Facts in, text out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memory.files.names import entity_name
from memory.files.paths import page_name
from memory.index.terms import entity_key
from memory.index.types import Stored
from memory.index.units import line_name
from memory.knowledge.reflection.opinions import PATH, observed_day
from memory.knowledge.reflection.succession import Standing
from memory.privacy.traces import PhraseIndex, phrase
from memory.types import Kind

FOLDER = "bank/entities/"
WORLD, EXPERIENCE = "bank/world.md", "bank/experience.md"

ENTITY_HEAD = "---\nkind: entity\ncreated: {}\n---\n\n"
"""How the page of an entity begins, with the day on which that was."""
BARE = re.compile(rf"(?:{ENTITY_HEAD.format('[-0-9]+')})?\s*")
"""What a page has beside its generated part if no person wrote on it."""
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
HEAD = re.compile(r"\A(?P<title># [^\n]*\n)(?P<summary>.*?)(?=^## )", re.DOTALL | re.MULTILINE)
"""The title of an entity's page, and what sums its facts up."""
OPENING = re.compile(r"\A(?:```|~~~|[#>]|[-+*]\s)")
"""Marks that would turn the opening paragraph into something else: a list, or a fence around all that follows."""
SUMMARY_MARK = "<!-- scrubjay:summary {} -->"
"""Stands below a model's summary, with the key of the facts that it sums up."""
_LINKED = re.compile(r"\[\[[^\]\n]*#\^([A-Za-z0-9-]+)\]\]")
_MENTION = re.compile(r"(?<![\w.+%/@`\\-])@(\w[\w-]*)")


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
    """Return the entities of facts given in order of time, with the facts that name them, with or without an `@`.

    `aliases` has the keys of other names, and the key of whom they name.
    """
    written = defaultdict[str, Counter[str]](Counter)
    about = defaultdict[str, dict[int, Stored]](dict)
    for fact in facts:
        for name in fact.unit.entities:
            key = entity_key(name)
            if not key or key in OWNERS:
                continue
            whose = aliases.get(key, key)
            about[whose][fact.id] = fact
            written[whose][name] += whose == key
    keys = defaultdict[str, set[str]](set)
    spelled = ((name, key) for key in about for name in (key, *written[key]))  # "élodie", whose key is "elodie"
    for name, key in [*spelled, *((name, key) for name, key in aliases.items() if key in about)]:
        said = phrase(name)
        if len(said.strip()) > 2:
            keys[said].add(key)
    names = PhraseIndex(keys)
    for fact in facts:
        said = phrase(fact.unit.body)
        near = [(name, key) for name in names.found_in(said) for key in keys[name]]
        for wanted, key in sorted(near, key=lambda pair: (-len(pair[0]), pair)):
            is_small = not any(name[:1].isupper() for name in written[key])
            if wanted in said and (is_small or _may_name(fact.unit.body, wanted.split()[0])):
                about[key][fact.id] = fact
                said = said.replace(wanted, " | ")  # who is called Peter Hansen is no other Peter
    order = {fact.id: n for n, fact in enumerate(facts)}
    return tuple(
        Entity(
            key,
            max(written[key], key=lambda name: written[key][name]),
            tuple(sorted(facts_of.values(), key=lambda fact: order[fact.id])),
        )
        for key, facts_of in sorted(about.items())
    )


def _may_name(text: str, word: str) -> bool:
    """Return whether a folded word may be a name in a text: `an atlas` is none, unless all of it is in lower case."""
    words = [spelling for spelling in re.findall(r"\w+", text) if spelling.casefold() == word]
    return text == text.lower() or not words or any(not spelling[0].islower() for spelling in words)


def entity_page(entity: Entity, standing: Standing, names: Mapping[str, str]) -> str:
    """Return the generated part of an entity's page; `names` are of all that have a page, by their keys."""
    newest = list(reversed(entity.facts))
    stating = [fact for fact in newest if fact.unit.kind not in {Kind.EXPERIENCE, Kind.INTENTION, Kind.OPINION}]
    current = [fact for fact in stating if standing.is_current(fact.unit.name)]
    earlier = [fact for fact in stating if not standing.is_current(fact.unit.name)]
    opinions = [fact for fact in newest if fact.unit.kind is Kind.OPINION]
    intentions = [fact for fact in newest if fact.unit.kind is Kind.INTENTION and fact.unit.name not in standing.ended]
    happened = [fact for fact in newest if fact.unit.kind is Kind.EXPERIENCE]
    ends = (".", "!", "?", "。", "！", "？")
    texts = [_text(fact) for fact in current[:MAX_SUMMARY]]
    summary = OPENING.sub(r"\\\g<0>", " ".join(text if text.endswith(ends) else f"{text}." for text in texts))
    sections = [
        ("", [summary] if current else []),
        ("Facts", map(_line, current)),
        ("Opinions", map(_line, _folded(opinions))),
        ("Open", map(_line, intentions)),
        ("Happened", map(_dated, happened)),
        ("Earlier", (_line(fact, is_over=True) for fact in earlier)),
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
    for fact in reversed(facts):
        if fact.unit.kind is Kind.WORLD and fact.path != WORLD and standing.is_current(fact.unit.name):
            key = entity_key(fact.unit.entities[0]) if fact.unit.entities else ""
            by_name[aliases.get(key, key)].append(fact)
    titles = {key: names.get(key, holding[0].unit.entities[0]) if key else "Other" for key, holding in by_name.items()}
    return _page("World", [(titles[key], map(_line, by_name[key])) for key in sorted(by_name, key=titles.__getitem__)])


def experience_page(facts: Sequence[Stored]) -> str:
    """Return the generated part of the page of what happened: by month, the newest first."""
    by_month = defaultdict[str, list[Stored]](list)
    for fact in reversed(facts):
        if fact.unit.kind is Kind.EXPERIENCE and fact.path != EXPERIENCE:
            by_month[(fact.unit.first or observed_day(fact))[:7] or "Undated"].append(fact)
    return _page("Experience", [(month, map(_dated, by_month[month])) for month in sorted(by_month, reverse=True)])


def source_link(fact: Stored) -> str:
    """Return the link to the line of a fact, or to its file if the line has no id."""
    page = page_name(fact.path)
    is_marked = fact.unit.name != line_name(fact.path, fact.unit.text) and not fact.unit.name.startswith("h")
    return f"[[{page}#^{fact.unit.name}]]" if is_marked else f"[[{page}]]"


def linked_ids(part: str) -> frozenset[str]:
    """Return the ids of the facts whose lines a generated part points to."""
    return frozenset(_LINKED.findall(part))


def key_of(part: str) -> str:
    """Return a name for the facts of a generated part, whatever sums them up: equal for equal facts."""
    return blake2b(HEAD.sub("", part).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def is_summed_up(part: str, facts: str) -> bool:
    """Return whether a part has a model's summary of the very facts that another one has."""
    return SUMMARY_MARK.format(key_of(facts)) in part and key_of(part) == key_of(facts)


def without(part: str, names: frozenset[str], said: PhraseIndex) -> str:
    """Return a generated part without the lines that point to some facts, what has no source, and what is empty then.

    Without a source are what sums the facts up and the names that they have beside this one. `said` has what they say,
    for links to facts without an id name their file alone.
    """
    lines = part.split("\n")
    kept = [line for line in lines if not repeats(line, names, said)]
    if len(kept) == len(lines):
        return part
    title, *sections = re.split(r"\n(?=#)", "\n".join(line for line in kept if line.startswith(("#", "- "))))
    sections = [section for section in sections if "\n" in section]
    return "\n\n".join([title, *sections]) if any(line.startswith("- ") for line in kept) else ""


def without_lines(page: str, names: frozenset[str], said: PhraseIndex) -> str:
    """Return a page whose generated part cannot be told apart without the lines that look generated of some facts."""
    lines = page.split("\n")
    kept = (line for line in lines if not (line.startswith("- ") and "[[" in line and repeats(line, names, said)))
    return "\n".join(kept)


def repeats(text: str, names: frozenset[str], said: PhraseIndex) -> bool:
    """Return whether a text points to one of some facts, or says what one of them says."""
    return not names.isdisjoint(linked_ids(text)) or bool(said.found_in(phrase(text)))


def _page(name: str, sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return sections under a title, which is generated as well: alone, it would only be in the way of a search."""
    parts = []
    for title, lines in sections:
        if shown := [*lines][:MAX_LINES]:
            parts.append("\n".join([*([f"## {title}"] if title else []), *shown]))
    return "\n\n".join([f"# {name}", *parts]) if parts else ""


def _line(fact: Stored, *, is_over: bool = False) -> str:
    """Return a fact as a line of a list, with what it is qualified by, and its source."""
    attributes = dict(fact.unit.attributes)
    held = " – ".join(filter(None, (fact.unit.since or fact.unit.first, fact.unit.until))) if is_over else ""
    due = f"due {attributes['due']}" if "due" in attributes else ""
    confidence = f"{float(attributes['c']):.2f}" if "c" in attributes else ""
    marks = ", ".join(filter(None, (confidence, due, held)))
    return f"- {_text(fact)}{f' ({marks})' if marks else ''} {source_link(fact)}"


def _dated(fact: Stored) -> str:
    day = fact.unit.first or observed_day(fact)
    return f"- {day + ': ' if day else ''}{_text(fact)} {source_link(fact)}"


def _text(fact: Stored) -> str:
    """Return a statement on one line, with names as links, and nothing in it that could end the part."""
    line = " ".join(fact.unit.body.split()).replace("<!--", "‹!--").replace("-->", "--›")
    return _MENTION.sub(lambda match: f"[[{match[1]}]]", line)


def _folded(opinions: Sequence[Stored]) -> Iterator[Stored]:
    """Yield opinions, of those that say the same the one of the page of opinions."""
    first = dict[str, Stored]()
    for opinion in sorted(opinions, key=lambda opinion: opinion.path != PATH):
        first.setdefault(phrase(opinion.unit.body), opinion)
    yield from first.values()


def _conflicts(facts: Sequence[Stored], standing: Standing) -> Iterator[str]:
    known = {fact.unit.name: fact for fact in facts}
    for pair in standing.conflicts:
        if known.keys() >= set(pair):
            earlier, later = (known[name] for name in pair)
            yield f"- {_text(earlier)} {source_link(earlier)} — {_text(later)} {source_link(later)}"


def _others(entity: Entity, names: Mapping[str, str]) -> Iterator[str]:
    keys = Counter(entity_key(name) for fact in entity.facts for name in fact.unit.entities)
    linked = [f"[[{names[key]}]]" for key, _ in keys.most_common() if key in names and key != entity.key][:MAX_NAMES]
    if linked:
        yield ", ".join(linked)
