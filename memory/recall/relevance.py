"""How likely a unit answers a question: one number that means the same for every question and in every memory.

A score orders the units of one memory for one question; its best unit may still have nothing to do with it. Relevance
is a logistic regression over a few measures, fitted on pairs of the repository's own (`benchmarks/answerable.py`):

- `held`: how much of what the question's words tell stands in the unit, its names and its titles;
- `near`: how near it is in meaning, measured against what any question and any text are to each other;
- `kind`: whether it tells the kind of thing that is asked for (an address, a price), as far as vectors show it;
- `out`: instead of these two, for an embedder that nobody has gauged, how far it stands out of all that is remembered;
- `missing`: whether the question asks for a form (a time, a number) that nothing in the unit has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory.index.terms import entity_key, terms, tokens
from memory.index.types import Entry
from memory.index.units import Unit
from memory.language.answer_forms import AnswerForm, Form, time_cue
from memory.language.words import WEAK, Phrases
from memory.recall.candidates import SearchRequest
from memory.recall.query import FUNCTION_WORDS, Query, Word
from memory.recall.ranking import Ranking
from memory.types import ANSWERS
from memory.vectors.questions import SemanticScan

_ASKING = frozenset(
    "name names named called heißt heißen heisst heissen name namens nombre llama llaman nom appelle sappelle appel "
    "appell зовут имя зовёт 名字 名前 이름".split()
)
"""Words that ask for a name and tell nothing of it."""
_AGE_ASKED = Phrases(r"how old|wie alt|cu[áa]ntos años|quel [âa]ge|сколько лет|何歳|几岁|多大")
_AGE = re.compile(r"\w ?[(（]\d{1,2}[)）]|\b(?:is|turned|turns|ist|wird|tiene) \d{1,2}(?![\d:.%])", re.IGNORECASE)
"""An age without a word for years: "Maya (7)"; a question for one asks for nothing else of the text."""
_CLEAR = 2
"""So many of its function words show that a question may be in a language."""
_DAY = 2.0
"""What a day that is asked for weighs, beside words, each of which weighs the logarithm of how rare it is."""
_TIMED = frozenset({"due", "every"})
"""Attributes that say when a reminder comes."""
_WHEN_REMINDED = 0.25
"""How much a time is missing that a reminder comes at: it may be of what is to be done before what is asked about."""
_MIN_DEVIATION = 1e-9
ANSWERS_AMONG_FEW = 0.05
"""The relevance from which a hit is taken for an answer in a memory of ten units."""
_FEW, _MANY = 10, 200
"""Units of a memory; from ten to two hundred the relevance that is needed rises to `ANSWERS`."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression: what each measure adds to the logarithm of the odds."""

    bias: float
    held: float
    near: float = 0.0
    kind: float = 0.0
    out: float = 0.0
    missing: float = 0.0

    def relevance(self, grounds: Mapping[str, float]) -> float:
        """Return the relevance, 0 to 1; a measure that is not there counts as 0."""
        odds = (
            self.bias
            + self.held * grounds.get("held", 0.0)
            + grounds.get("near", 0.0) * (self.near + self.kind * grounds.get("kind", 0.0))
            + self.out * grounds.get("out", 0.0)
            + self.missing * grounds.get("missing", 0.0)
        )
        return 1 / (1 + math.exp(-odds))


GAUGED = Weights(bias=-3.8, held=3.31, near=12.5, kind=27.6, missing=-1.6)
"""For an embedder whose vectors have been gauged: `near` is in cosines."""
SPREAD = Weights(bias=-5.64, held=4.78, out=2.17, missing=-2.4)
"""For any other: how far a unit stands out of its collection is on no embedder's own scale."""
BY_WORDS = Weights(bias=-2.58, held=5.38, missing=-3.41)
"""For a unit or a question without a vector."""


def floor_of(units: int) -> float:
    """Return the relevance from which a hit of a memory with so many units is taken for an answer.

    Among few units hardly one is near a question by chance; the line between the two sizes is straight in the
    logarithms of both.
    """
    share = min(1.0, math.log(max(units, _FEW) / _FEW) / math.log(_MANY / _FEW))
    few, many = math.log(ANSWERS_AMONG_FEW), math.log(ANSWERS)
    return round(math.exp(few + share * (many - few)), 4)


class Relevance:
    """Measures for one question how likely a unit answers it; its `telling` words tell what it is about."""

    def __init__(self, request: SearchRequest, ranking: Ranking, meant: SemanticScan, *, today: date) -> None:
        self._days = request.query.days
        self._words = request.query.words
        self.telling = telling_words(request.query)
        age = _AGE_ASKED.find_in(request.query.text)
        self._besides_age = [word for word in self.telling if word.text not in age[0].split()] if age else []
        self._aliases = request.aliases
        self._ranking = ranking
        self._scan = meant.scan
        self._gauged = meant.gauge.for_question(meant.scan.asked) if meant.scan and meant.gauge else None
        self._wanted = AnswerForm(request.query.text, today)

    def of(self, entry: Entry, unit: Unit) -> tuple[float, dict[str, float]]:
        """Return the relevance of a unit, and the measures that it is made of; none of these is zero.

        Where nothing is asked for but what the search is narrowed to, all that is found is an answer.
        """
        if not (self._words or self._days):
            return 1.0, {"listed": 1.0}
        missing = float(self._wanted.is_missing(unit.statement))
        if self._wanted.form is Form.TIME and not _TIMED.isdisjoint(name for name, _ in unit.attributes):
            missing *= _WHEN_REMINDED
        asked = {term for key, alias in self._aliases if key in map(entity_key, unit.entities) for term in alias}
        grounds = {"held": self._held(entry, unit, asked), "missing": missing}
        weights = BY_WORDS
        scan = self._scan
        vector = scan.vector(entry.id) if scan else None
        if self._gauged and vector is not None:
            weights = GAUGED
            grounds["near"], grounds["kind"] = self._gauged.measured(vector)
        elif scan and vector is not None and scan.direction.deviation > _MIN_DEVIATION:
            weights = SPREAD
            # How far the unit is above the mean, by what the best of so many has by chance.
            chance = math.sqrt(2 * math.log(max(2, scan.count)))
            above = scan.similarity(entry.id, vector) - scan.direction.mean
            grounds["out"] = above / scan.direction.deviation / chance
        if asked:  # no embedder knows whose name the alias is, so its distance speaks against nothing
            grounds |= {name: max(0.0, grounds[name]) for name in ("near", "out") if name in grounds}
        relevance = round(weights.relevance(grounds), 4)
        return relevance, {name: round(value, 4) for name, value in grounds.items() if value}

    def _held(self, entry: Entry, unit: Unit, asked: set[str]) -> float:
        """Return how much of what words and days tell is the unit's, or `asked` by alias, 0 to 1; 0 for nothing."""
        titles = frozenset(terms(unit.title, unit.language)) if unit.title else frozenset()
        words = self._besides_age if self._besides_age and _AGE.search(unit.statement) else self.telling
        held, total = self._ranking.coverage(entry, words, titles | asked)
        if self._days:
            total += _DAY
            if unit.first and unit.last:
                span = [date.fromisoformat(unit.named or day) for day in (unit.first, unit.last)]
                held += _DAY * any(days.distance(*span) == 0 for days in self._days)
        return held / total if total else 0.0


def telling_words(query: Query) -> Sequence[Word]:
    """Return the words of a question that tell what it is about.

    Short questions often leave open which language they are in: words that are grammar in any language that shows in
    the question as clearly as the clearest tell nothing. Nor do words that ask for a time, beside others: "what time".
    """
    said = {token.lower() for token in tokens(query.text)}
    shown = {code: len(said & words) for code, words in FUNCTION_WORDS.items()}
    most = max(_CLEAR, *shown.values())
    likely = [code for code, count in shown.items() if count == most]
    grammar = [_ASKING, frozenset(query.dropped), *map(FUNCTION_WORDS.__getitem__, likely)]
    weak = WEAK.get(query.language, frozenset())
    told = [
        word
        for word in query.words
        if all(word.text.lower() not in words for words in grammar)
        and not all(character in weak for character in word.text)
    ]
    asking = {token.lower() for token in tokens(time_cue(query.text))}
    return [word for word in told if word.text.lower() not in asking] or told
