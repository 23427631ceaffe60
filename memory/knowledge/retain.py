"""Retain: facts of a day that nobody has noted, made of what the owner said and wrote on it.

Only the owner's own statements are looked at: in the day's log what stands outside of `## Retain`, generated parts,
quotations and code, and of conversations what the caller hands over. A fact that comes of them names its sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory.capture import Act, WishKind, act_of, draft, statement, wish
from memory.capture.exchange import CLAUSE_LINK
from memory.capture.grammar import Shape, content, grammar_patterns, values
from memory.capture.sentences import fold, sentences
from memory.errors import Error
from memory.files.markdown import BlockKind, block_id, separated, without_comments
from memory.files.names import entity_name
from memory.files.paths import daily_log
from memory.index.chunking import label, speakers
from memory.index.sql import Index
from memory.index.terms import terms
from memory.journal.records import Operation
from memory.journal.writer import RETAINED
from memory.knowledge.context import KnowledgeContext
from memory.language.detect import language
from memory.language.guidance import TextFlags, text_flags, turns_to_agent
from memory.language.time import calendar, dates
from memory.language.time.dates import When
from memory.language.time.validity import find_period
from memory.language.words import ALL_STOP_WORDS
from memory.privacy.secrets import holds_secrets
from memory.recall.filters import FACTS
from memory.types import OWNER, Fact, Filter, Kind, Origin, Written

MAX_FACTS = 5
"""Facts of one day at most."""
MAX_STATEMENTS = 200
"""Statements of one day that are looked at; of more, those that tell most."""
MAX_CHARS = 500
"""Characters of a fact; a longer statement is taken sentence by sentence."""
MIN_CHARS = 10
"""Characters of a statement; a shorter one tells nothing."""
MAX_ALIKE = 5
"""Facts that a statement is compared with, the most similar by their words."""
COVERED = 0.8
"""The share of a statement's content words in one fact from which the fact says it already."""

_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.BULLET})
_BULLET = re.compile(r"\A\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[ \]\s+)?")
_DONE = re.compile(r"\s*[-*+]\s+\[[xX]\]\s")
_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"(?<=\d)(?=[a-z])")
"""Within "20mg", which says the same as "20 mg"."""
_ASIDE = re.compile(r"\[[^\[\]]*\](?!\()")  # "[shares a picture]"


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that the owner has said or written, on one line.

    Its source is the turn in which it was said, or the line of a file as `path#L12`. In a conversation that was written
    down the first of the speakers says it; the others take part.
    """

    text: str
    source: str
    speakers: tuple[str, ...] = ()

    @property
    def attributed(self) -> str:
        """The text with its speaker before it, if that is not the owner."""
        return f"{self.speakers[0]}: {self.text}" if self.speakers else self.text


@dataclass(frozen=True, slots=True)
class RetainedFact:
    """A fact to be written, where it comes from, and the sources that it was made of."""

    fact: Fact
    origin: Origin
    sources: tuple[str, ...]


def find_pending(context: KnowledgeContext, day: date, said: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements of a day of which nothing was made yet; none if the day is done.

    They are those of its log, and those `said` in conversations, in order.
    """
    context.journal.refresh()
    if not _count_left(context, day):
        return ()
    known = context.journal.state.provenance.values()
    covered = {source for record in known for source in (*record.sources, *record.turns)}
    passages = (passage for whole in (*said, *_read_log(context, day)) for passage in split(whole))
    return tuple({passage.text.casefold(): passage for passage in passages if passage.source not in covered}.values())


def most_telling(statements: Sequence[Statement], day: date, is_barred: Callable[[str], bool]) -> tuple[Statement, ...]:
    """Return the statements that tell most, in their order: no questions, courtesies or secrets.

    It may take seconds where much was said, so it is no work for a thread that others wait for. `is_barred` tells a
    text that must not be noted: it repeats what was forgotten.
    """
    due = [said for said in statements if len(said.text) >= MIN_CHARS and act_of(said.text) is Act.NOTE]
    best = sorted(due, key=lambda said: -weigh(said, day))[:MAX_STATEMENTS]
    fit = {said for said in best if not is_barred(said.text) and not holds_secrets(said.text)}
    return tuple(said for said in due if said in fit)


def find_new(context: KnowledgeContext, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements that no fact says yet and that hold none of the configured secrets."""
    fit = (said for said in statements if not context.is_secret(said.text))
    return tuple(said for said in fit if not _is_known(context.index, said.text))


def split(whole: Statement) -> Iterator[Statement]:
    """Yield the passages of a text that are its writer's own words: no quotations, code, tables, facts or comments,
    and nothing that is ticked off.

    A long passage is taken sentence by sentence, and so is what somebody says in a conversation: courtesies stand
    beside what tells something. A line of a file is named by where its passage begins.
    """
    path, _, first = whole.source.partition("#L")
    blocks = list(separated(whole.text))
    known = speakers(block.text for block in blocks if block.kind is BlockKind.PARAGRAPH)
    for block in blocks:
        is_fact = block.retain or block.managed or block_id(block.text.split("\n")[0])
        if block.kind not in _PROSE or is_fact or _DONE.match(block.text):
            continue
        lines = [line for line in block.text.split("\n") if not line.lstrip().startswith(">")]
        text = " ".join(without_comments(_BULLET.sub("", "\n".join(lines), count=1)).split())
        source = f"{path}#L{int(first) + block.start - 1}" if first else whole.source
        who = label(text)
        if who not in known and len(text) <= MAX_CHARS:
            yield Statement(statement(text), source)
            continue
        said = _ASIDE.sub(" ", text.partition(":")[2]).strip() if who in known else text
        taking_part = (who, *sorted(known - {who})) if who in known else ()
        for part in sentences(fold(said)):
            yield Statement(said[part.start : part.end].strip(), source, taking_part)


def choose_facts(statements: Sequence[Statement], day: date) -> tuple[RetainedFact, ...]:
    """Return the statements that tell most, as facts in the words in which they were said, in their order."""
    best = sorted((said for said in statements if weigh(said, day) > 1), key=lambda said: -weigh(said, day))[:MAX_FACTS]
    return tuple(
        RetainedFact(date_fact(_drafted(said), day), Origin.OWNER, (said.source,))
        for said in statements
        if said in best
    )


def _drafted(said: Statement) -> Fact:
    """Return the fact that a statement is; of a conversation's it is about who says it, not about whom they address."""
    fact = draft(said.text)
    if not said.speakers:
        return fact
    others = [name for name in fact.entities if name not in said.speakers]
    return replace(fact, entities=(entity_name(said.speakers[0]), *others))


def weigh(statement: Statement, day: date) -> int:
    """Return how much a statement tells by itself: points for names, days, values, decisions and preferences."""
    text, fact, wished = statement.text, _drafted(statement), wish(statement.text)
    pronoun, correction = grammar_patterns().pronoun, wished.what if wished and wished.kind is WishKind.CORRECT else ""
    # In a conversation a reminder was set, or answered with what it lacks and that nothing was noted.
    orders = {WishKind.FORGET} if "#L" in statement.source else {WishKind.FORGET, WishKind.REMIND}
    if (wished and wished.kind in orders) or pronoun.match(correction):
        return 0
    names = len(fact.entities) - bool(statement.speakers)
    measured = [value for value in values(text) if value.shape is not Shape.NAME]
    has_day = bool(dates.find(text, day))
    is_telling = fact.kind is not Kind.OBSERVATION or fact.category is not None
    is_guiding = bool(text_flags(text) & (TextFlags.STANDING | TextFlags.PREFERENCE))
    # What points back, is said to correct, or speaks to somebody who takes part, cannot be understood by itself.
    points_back = bool(correction and not _says_of_what(correction)) or pronoun.match(text) is not None
    is_addressed = bool(statement.speakers) and turns_to_agent(text)
    told = 2 * min(names, 2) + min(len(measured), 2) + 2 * has_day + is_telling + 2 * is_guiding
    return told - 2 * points_back - 2 * is_addressed


def _says_of_what(said: str) -> bool:
    """Return whether what corrects something says more than a value: "my dentist is Dr Shah now", not "Thursday"."""
    places = [range(value.start, value.end) for value in values(said)]
    return any(not any(start in place for place in places) for _, start, _ in content(said, "en"))


def date_fact(fact: Fact, day: date) -> Fact:
    """Return a fact with the days in which it holds, or by which it is to be done, as attributes; its words stay."""
    if fact.kind is Kind.INTENTION:
        # Of "on Friday, 4 December" the date counts.
        times = sorted(dates.find(fact.text, day), key=lambda when: not _DIGIT.search(fact.text, when.start, when.end))
        ahead = [end for when in times for end in _ends(when, fact.text, day) if end >= day]
        pairs: tuple[tuple[str, str], ...] = (("due", ahead[0].isoformat()),) if ahead else ()
    else:
        period = zip(("since", "until"), find_period(fact.text, day) or (), strict=False)
        pairs = tuple((name, end.isoformat()) for name, end in period if end)
    return replace(fact, attributes=(*fact.attributes, *(pair for pair in pairs if fact.attribute(pair[0]) is None)))


def _ends(when: When, text: str, day: date) -> Iterator[date]:
    """Yield the last days of what an expression names; of a month without a year that is over, in the next year."""
    lasts = [days.last for days in when.named]
    is_next_year = dates.is_yearless(text[when.start : when.end]) and all(last < day for last in lasts)
    yield from (calendar.in_year(last, day.year + 1) if is_next_year else last for last in lasts)


def write(context: KnowledgeContext, day: date, facts: Sequence[RetainedFact], *, actor: str) -> tuple[Written, ...]:
    """Write the facts of a day into its log; whoever is interrupted goes on with those that are left.

    The ids of the operations count down, so that the last one says that the day is done. A fact that looks like it
    holds a secret is left out, whoever made it. Raises as writing does; what was written before stands.
    """
    context.journal.refresh()
    facts = [retained for retained in facts if not context.is_secret(retained.fact.text)]
    written = []
    for number, retained in reversed(list(enumerate(reversed(facts[: _count_left(context, day)])))):
        operation = Operation(f"{RETAINED}{day}:{number}", actor, retained.origin, OWNER)
        receipt, content = context.writer.remember(retained.fact, operation, day=day, sources=retained.sources)
        context.index_manager.take_in(receipt, content)
        written.append(receipt)
    return tuple(written)


def _count_left(context: KnowledgeContext, day: date) -> int:
    """Return how many facts of a day may still be written; 0 if it is done."""
    known = context.journal.state.operations
    return next((number for number in range(MAX_FACTS) if f"{RETAINED}{day}:{number}" in known), MAX_FACTS)


def _read_log(context: KnowledgeContext, day: date) -> Iterator[Statement]:
    """Yield the text of the day's log, without the lines that are others' words."""
    path = daily_log(day.isoformat(), OWNER)
    try:
        page = context.pages.read_whole(path)
    except Error:  # no log, or one that cannot be read, of which `problems` tells
        return
    lines = page.text.split("\n")
    yield Statement("\n".join("" if n in page.foreign else line for n, line in enumerate(lines, 1)), f"{path}#L1")


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry its content."""
    return frozenset(terms(text, language(text)))


def _is_known(index: Index, text: str) -> bool:
    """Return whether one fact has nearly all that a statement says, or one clause of it all that a correction says."""
    wished = wish(text)
    said = wished.what if wished and wished.kind is WishKind.CORRECT else ""
    words = content_words(_AMOUNT.sub(" ", said or text))
    own = words - ALL_STOP_WORDS if said else words  # a correction is too short to show its language
    words = own if len(own) > 1 else words
    if not words:
        return True
    alike = index.match([[word] for word in words], scope=OWNER, where=Filter(kinds=FACTS), limit=MAX_ALIKE)
    facts = [_AMOUNT.sub(" ", fact.unit.statement) for fact in index.stored(alike, scope=OWNER)]
    known = (content_words(part) for fact in facts for part in (CLAUSE_LINK.split(fact) if said else [fact]))
    return any(len(words & part) >= (1.0 if said else COVERED) * len(words) for part in known)
