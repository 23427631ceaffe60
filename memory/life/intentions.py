"""Intentions: what is to be done at an instant, again and again, or when something comes up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.index.owners import is_piece
from memory.index.terms import terms_of, tokens
from memory.journal.records import is_past
from memory.knowledge.context import KnowledgeContext
from memory.language.detect import language
from memory.language.words import ALL_STOP_WORDS
from memory.recall.passages import to_hit
from memory.types import OWNER, Filter, Hit, Kind, Origin, Scope

MAX_INTENTIONS = 5000
"""Intentions that are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Intention:
    """A fact of kind `T` that says when; what it does not say of these is empty.

    It is `due` on an ISO day or time, as written, or `every` so often by a cron expression, or when its trigger comes
    up.
    """

    id: str
    text: str
    due: str
    every: str
    trigger: str
    source: str  # `path#L12`
    scope: Scope
    origin: Origin

    @property
    def instants(self) -> str:
        """What says when it is due, as one word; empty if nothing does. Another one is another appointment."""
        return (self.every or self.due).replace(" ", "_")


def intentions(context: KnowledgeContext, scope: Scope) -> tuple[Intention, ...]:
    """Return the intentions of a scope that say when, newest first; nobody is reminded by what strangers wrote.

    Of several with one id, or with the same words and time, as in copies of a file, there is the one of `Index.find`.
    """
    listed = context.list_units(Filter(kinds=(Kind.INTENTION,)), scope=scope, limit=MAX_INTENTIONS)
    units = (stored for stored in listed if not is_piece(stored.unit.name))
    found = [(stored, intention) for stored in units if (intention := _intention(to_hit(stored)))]
    kept, known = set[Intention](), set[object]()
    for _, one in sorted(found, key=lambda pair: (len(pair[0].path), pair[0].path, pair[0].unit.start)):
        says = {one.id, (one.text, one.instants, one.trigger)}
        if known.isdisjoint(says):
            kept.add(one)
        known |= says
    return tuple(one for _, one in found if one in kept)


def find_intention(context: KnowledgeContext, name: str, scope: Scope) -> Intention | None:
    """Return one intention by its fact's id; None if there is none, or none any more."""
    stored = context.find(name, scope)
    return _intention(to_hit(stored)) if stored else None


def may_return(context: KnowledgeContext, name: str) -> bool:
    """Return whether a fact was forgotten, by its id, and can still be put back."""
    forgetting = context.journal.state.forgotten.get(name)
    return forgetting is not None and not is_past(forgetting.at, context.clock.now())


def _intention(hit: Hit) -> Intention | None:
    attributes = dict(hit.attributes)
    due, every, trigger = (attributes.get(name, "") for name in ("due", "every", "when"))
    is_guests = hit.scope == OWNER and hit.origin is Origin.GUEST  # of a shared workspace: reminded, and no more
    trigger = "" if is_guests else trigger
    if hit.kind is not Kind.INTENTION or not (due or every or trigger):
        return None
    if hit.scope == OWNER and hit.origin.is_foreign and not is_guests:
        return None
    return Intention(hit.id, hit.content, due, every, trigger, str(hit.source), hit.scope, hit.origin)


def waiting(context: KnowledgeContext, scope: Scope) -> tuple[Intention, ...]:
    """Return the intentions of a scope that wait for something to come up."""
    return tuple(intention for intention in intentions(context, scope) if intention.trigger)


def triggered(candidates: Sequence[Intention], text: str) -> tuple[Intention, ...]:
    """Return those intentions whose trigger a text speaks of: all of its words occur, whatever their form.

    A trigger that has stop words only is spoken of by nothing.
    """
    code = language(text)
    spoken = frozenset(terms_of(tokens(text), code).split())
    triggers = (tokens(intention.trigger) for intention in candidates)
    content = ([word for word in trigger if word.casefold() not in ALL_STOP_WORDS] for trigger in triggers)
    terms = [frozenset(terms_of(words, code).split()) for words in content]
    return tuple(intention for intention, own in zip(candidates, terms, strict=True) if own and own <= spoken)
