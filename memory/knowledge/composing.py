"""Facts that a language model makes of statements: what it returns is checked against the statements that it cites."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, product
from typing import TypeVar
from unicodedata import normalize

from pydantic import BaseModel, Field, ValidationError

from memory.capture import draft
from memory.capture.corrections import without_negation
from memory.capture.draft import names_in, places_and_brands
from memory.capture.grammar import SIGNS, grammar_patterns
from memory.capture.languages import codes_for
from memory.capture.lexicon import read_vocabulary
from memory.capture.sentences import fold
from memory.capture.wishes.reminders import LANGUAGES
from memory.errors import WriterFailed
from memory.files.names import entity_name
from memory.knowledge.reflection.stance import Stance, polarity, telling_words
from memory.knowledge.retain import MAX_CHARS, MAX_FACTS, RetainedFact, Statement, content_words, date_fact
from memory.language.answer_forms import spells_number
from memory.language.guidance import is_first_person
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.language.time.instants import days_after, ordinals_in
from memory.language.words import read_lists
from memory.ports import Writer
from memory.types import Kind, Origin

MAX_DATA_CHARS = 24_000
SHARED, IN_CONTEXT = 0.5, 0.33
"""The share of a fact's content words that must stand in the statements it was made of: alone, or in a context."""

INSTRUCTIONS = """\
You write down what is worth remembering for months of what a person said and wrote on {day:%A, %Y-%m-%d}: facts about
them and their people, decisions, plans, preferences, events. Each line of the data is one statement with its number.

Answer with a JSON array of two to {most} objects, and nothing else; fewer, or [], if there is less to remember:
{{"fact": one self-contained sentence in the language of the statement, in the first person where they speak of
themselves, who did what and when, with dates written out, "of": [the numbers of the statements that say so],
"kind": W for a fact of the world, B for something that happened to them, O for an opinion or a preference, P for a way
to do something, T for something to be done, S for anything else, "about": [names of people, places and projects in it],
"confidence": for an opinion a number from 0 to 1}}
Leave out questions, small talk, guesses and what they repeat of others. Add nothing that no statement says.
"""

_NUMBER, _LONG_NUMBER = re.compile(r"\d+"), re.compile(r"\d{3,}")
_CLAUSE_END = re.compile(r"[.,;:!?…，。；：！？\n]|(?<!\w)(?:and|but|und|aber|y|pero|et|mais)(?!\w)|但是?|而且?")
_OWN = re.compile(  # "my sister", "mein kleiner Bruder", "我妻子"
    r"(?<!\w)(?:my|our|mein\w*|unser\w*|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|mo[йяеи]|наш\w*)\s(\w+)(?:\s(\w+))?"
    r"|我们?的?(\w\w)"
)
_WORDS = read_lists("memory.knowledge", "lexicon", "composing.toml")
_FEASTS = {tuple(map(int, day.split("-"))): re.compile(names) for day, names in _WORDS["feasts"].items()}
_YEAR = timedelta(days=365)
_QUIT = re.compile(_WORDS["quit"]["any"])
_UNWANTED = re.compile(r"<!--|\n|\^[A-Za-z0-9-]+\s*\Z")


class Cited(BaseModel):
    """Something that a model says, with the numbers of the lines of the data that say so."""

    of: list[int] = Field(min_length=1)


class Sentence(Cited):
    """A sentence that sums lines up."""

    sentence: str = Field(min_length=1, max_length=400)


class _Composed(Cited):
    fact: str = Field(min_length=1, max_length=MAX_CHARS)
    kind: str = Field(default="S", pattern="^[WBOPTS]$")
    about: list[str] = []
    confidence: float | None = Field(default=None, ge=0, le=1)


C = TypeVar("C", bound=Cited)


async def compose(statements: Sequence[Statement], day: date, writer: Writer) -> tuple[RetainedFact, ...] | None:
    """Return the facts that a model makes of a day's statements; None if rules have to do it.

    That is where it does not answer, where its answer is no JSON array, or where nothing of it holds.
    """
    lines, room = list[str](), MAX_DATA_CHARS
    for number, statement in enumerate(statements, 1):
        room -= len(statement.attributed)
        if room > 0:
            lines.append(f"{number}. {statement.attributed}")
    answer = await ask_for_list(writer, INSTRUCTIONS.format(day=day, most=MAX_FACTS), "\n".join(lines))
    if answer is None:
        return None
    checked = {retained.fact.text: retained for retained in _checked(answer, statements[: len(lines)], day)}
    facts = tuple(checked.values())[:MAX_FACTS]
    return facts if facts or not answer else None


async def ask_for_list(writer: Writer, instructions: str, data: str) -> list[object] | None:
    """Return the JSON array that a model answers with; None if it does not answer, or with something else."""
    try:
        answer = await writer.write(instructions, data)
        items = json.loads(answer[answer.find("[") : answer.rfind("]") + 1])
    except (WriterFailed, ValueError, RecursionError):
        return None
    return items if isinstance(items, list) else None


def read_cited(kind: type[C], answer: Sequence[object], count: int) -> Iterator[C]:
    """Yield the items of an answer that are as they should be, and cite none but the first `count` lines."""
    for item in answer:
        try:
            cited = kind.model_validate(item)
        except ValidationError:
            continue
        if all(1 <= number <= count for number in cited.of):
            yield cited


def _checked(answer: Sequence[object], statements: Sequence[Statement], day: date) -> Iterator[RetainedFact]:
    """Yield the facts of an answer that follow from the statements that they cite."""
    for composed in read_cited(_Composed, answer, len(statements)):
        cited = [statements[number - 1] for number in dict.fromkeys(composed.of)]
        said, text = "\n".join(statement.attributed for statement in cited), " ".join(composed.fact.split())
        if text and follows(text, said, day):
            sources = tuple(dict.fromkeys(statement.source for statement in cited))
            names = [name for name in composed.about if _plain(name) in _plain(said)]
            kind, confidence = Kind.from_letter(composed.kind), composed.confidence
            guessed = draft(text, known=names)
            category = guessed.category if guessed.kind is kind else None
            attributes = (("c", f"{confidence:.2f}"),) if kind is Kind.OPINION and confidence is not None else ()
            entities = tuple(filter(None, dict.fromkeys([*guessed.entities, *map(entity_name, names)])))
            fact = replace(guessed, kind=kind, category=category, attributes=attributes, entities=entities)
            yield RetainedFact(date_fact(fact, day), Origin.AGENT, sources)


def follows(text: str, said: str, day: date) -> bool:
    """Return whether a fact says nothing but what these words say.

    Its names, numbers and days stand in them (or the days follow from them), so does half of its content, it speaks in
    the first person only if they do, and it says the opposite of nothing that they say.
    """
    rest, known = dates.without_times(text, day), {*_NUMBER.findall(said)}
    if not known.issuperset(_NUMBER.findall(rest)) or _has_other_days(text, said, day):
        return False
    return not _added_names(text, _plain(said)) and _is_held(text, rest, said, added="", share=SHARED)


def follows_in_context(text: str, said: str, day: date, context: str, *, speaker: str = "") -> bool:
    """Return whether a fact says nothing but what these words of a `speaker` say of what a context tells.

    As `follows`, but names may stand in the context if nobody else there can be meant, small numbers may be others
    ("15:00" for "3pm"), longer ones and days stand here or there unless the words spell numbers out, and a third of its
    further content is enough.
    """
    rest, digits = dates.without_times(text, day), "".join(_NUMBER.findall(said))
    added = _added_names(rest, _plain(said))
    numbers = [one for one in _LONG_NUMBER.findall(rest) if one.strip("0") not in digits and one not in context]
    if any(name not in _plain(context) for name in added) or (numbers and not spells_number(said)):
        return False
    if _has_other_days(text, said, day, context) or _may_be_another(text, said, context, _plain(speaker)):
        return False
    return _is_held(text, rest, said, added=" ".join(added), share=IN_CONTEXT)


def _has_other_days(text: str, said: str, day: date, context: str = "") -> bool:
    """Return whether a text names days that neither stand in words nor follow from them, said on a day."""
    known, figures, plain = _days_said(said, day), _figures_said(said, day), _plain(f"{said}\n{context}")
    for when in dates.find(text, day):
        name = _plain(text[when.start : when.end])
        numbers = {*map(int, _NUMBER.findall(name))}
        without_year = {number % 100 for number in numbers - {day.year - 1, day.year, day.year + 1}}
        is_in_figures = bool(without_year) and without_year <= figures
        if is_in_figures or re.search(rf"(?<!\d){re.escape(name)}(?!\d)", plain):
            continue
        pairs = product(when.named, known)
        if not any(days.is_told_by(one) or (not numbers and days.is_weekday_of(one)) for days, one in pairs):
            return True
    return False


@lru_cache(maxsize=4)  # asked for each fact that is made of the same words
def _days_said(said: str, day: date) -> frozenset[Days]:
    """Return the days that words may mean, said on a day."""
    known = {Days(day, day)}
    for (month, number), names in _FEASTS.items():
        if names.search(said.lower()):
            feasts = [date(year, month, number) for year in (day.year - 1, day.year, day.year + 1)]
            known.update(Days(feast, feast) for feast in feasts if abs(feast - day) < _YEAR)
    for part, codes in _parts(said):
        known.update(days_after(part, day, codes))
        for when in dates.find(part, day):
            known.update(when.named, when.days)
            if dates.is_yearless(part[when.start : when.end]):  # a verb may tell which April
                known.update(days.in_year(days.first.year + years) for days in when.named for years in (-1, 1))
    return frozenset(known)


@lru_cache(maxsize=4)
def _figures_said(said: str, day: date) -> frozenset[int]:
    """Return the last two digits of the numbers in words, those of days aside, and ordinals: "on the 30th"."""
    figures = set[int]()
    for part, codes in _parts(said):
        figures.update(int(number) % 100 for number in _NUMBER.findall(dates.without_times(part, day)))
        figures.update(number for code in codes for number in ordinals_in(part, code))
    return frozenset(figures)


def _parts(said: str) -> Iterator[tuple[str, set[str]]]:
    """Yield words in pieces that `dates.find` reads whole, each with the languages that it may be in."""
    for at in range(0, len(said), dates.MAX_QUESTION_CHARS):
        part = said[at : at + dates.MAX_QUESTION_CHARS]
        yield part, {*LANGUAGES}.intersection(codes_for(fold(part)))


def _may_be_another(text: str, said: str, context: str, speaker: str) -> bool:
    """Return whether a text names whom words only call "she", and somebody else may be meant.

    Nobody else can be where words and context name one person besides the speaker, or where the words say "my sister"
    and the context tells that the one who is named is that.
    """
    pronouns = grammar_patterns().someone
    if not pronouns.search(said):
        return False
    lines_about = _people(f"{context}\n{said}")
    people = {name for name in lines_about if name.split()[0] not in speaker.split()}
    named = people & _added_names(text, _plain(said))
    others = {name for name in people if name not in _plain(text) and not pronouns.fullmatch(name)}  # "Ella"
    if len(named | others) < 2:
        return False
    role = telling_words(" ".join(chain.from_iterable(_OWN.findall(_plain(said)))), ())
    return any(role.isdisjoint(telling_words(lines_about[name], ())) for name in named)


@lru_cache(maxsize=4)
def _people(context: str) -> Mapping[str, str]:
    """Return who is named in a context, by a given name or at the beginning of a line, with the lines about them."""
    people, given = defaultdict[str, str](str), read_vocabulary("latin", "given_names")
    for line in context.split("\n"):
        for name in names_in(line):
            begins = line.lstrip("- ").startswith(name) and name not in places_and_brands()
            if begins or name.split()[0] in given:
                people[_plain(name)] += f"{_plain(line)}\n"
    return people


def _added_names(text: str, plain: str) -> set[str]:
    """Return the names in a text that do not stand in words."""
    return {name for name in (_plain(one.replace("-", " ")) for one in names_in(text)) if name not in plain}


def _is_held(text: str, rest: str, said: str, *, added: str, share: float) -> bool:
    """Return whether a text tells nothing in another way than words do, and shares so much of their content.

    Its days are not in the `rest`, and its `added` names are no content.
    """
    if _UNWANTED.search(text) or (is_first_person(text) and not is_first_person(said)):
        return False
    words = content_words(rest) - content_words(added)
    return not _is_reversed(text, said, added) and len(words & content_words(said)) >= share * len(words)


def _is_reversed(text: str, said: str, added: str) -> bool:
    """Return whether a text says the opposite of a clause, and the same as none.

    It lacks the negation of a clause that it repeats, has one that no clause like it has, or has hates for loves. Names
    that are `added` to the words, of whom they are about, do not count.
    """
    is_negated, words = _polarity(text)
    words -= _polarity(added)[1]
    clauses = [clause for clause in _CLAUSE_END.split(said) if clause.strip()]
    names, parts = names_in(text), filter(str.strip, _CLAUSE_END.split(text))
    stances = [{polarity(clause, part, names=names) for clause in clauses} for part in parts]
    if any(Stance.CONTRADICTS in found and Stance.SUPPORTS not in found for found in stances):
        return True
    if any(Stance.SUPPORTS in found for found in stances):
        return False
    ended = [] if _QUIT.search(text.lower()) else [clause for clause in clauses if _QUIT.search(clause.lower())]
    read = ((*_polarity(clause), clause in ended) for clause in clauses)  # "I stopped drinking": I no longer drink
    denied = [others for is_denied, others, is_ended in read if (is_denied or is_ended) and len(others) > 1]
    if is_negated:
        return not any(len(words & others) >= SHARED * min(len(words), len(others)) for others in denied)
    return any(words <= others or others <= words for others in denied)


def _polarity(text: str) -> tuple[bool, frozenset[str]]:
    """Return whether a text is negated, and its other words; of writing without spaces its characters."""
    is_negated, words = without_negation(text)
    return is_negated, frozenset(part for word in words for part in (word if SIGNS.match(word) else (word,)))


def _plain(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())
