"""A year of one person's observations, with consolidation twice a day, in some minutes.

    python -m tests.acceptance.simulated_year --observations 20000 --seed 1 --json

Statements are put together from lists of words; two in five say again what was said before, in other words. Ten times a
day something is asked, and what answers is cited. Printed are, as the last line with `--json` as one object:

- `growth`: facts that recall finds by default, as a share of the observations; `lines`: facts in the files, likewise;
- `fresh`: the share of facts with a retrievability of .95 or more on the last day;
- `found`: the share of the planted facts, told once and never asked for, that a question finds on the last day;
- `wrong`: observations and facts that were merged into another one which says something else;
- `mixed`: episodes that count remarks which are not about the same thing, as a share of all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeVar

from memory import OWNER, Decision, FrozenClock, Observed
from memory.journal.records import Action
from memory.knowledge.context import KnowledgeContext
from memory.life.calibrate import Bands, LanguageBands, keep
from memory.life.consolidation.plan import Consolidation
from memory.ports import Embedding
from memory.strength import Fading
from tests.fakes.hashed_embedder import HashedEmbedder, embed
from tests.support.consolidating import Listener, listening

T = TypeVar("T")

BEGIN = datetime(2026, 1, 1, 6, tzinfo=UTC)
RESTATED = 0.4
SALIENT = 0.12
"""The share of statements that are decisions and preferences; the others are trifles."""
QUERIES = 10
FRESH = 0.95
SHOWN = 6

WHO = (
    "Ana Peter Mira Jonas Lena Omar Yuki Carla Felix Greta Hugo Ines Klaus Lucia Marco Nadia Oskar Paula Rosa Stefan "
    "Tamara Ulrich Vera Walter Xenia Yannick Zoe Anton Beata Cyril"
).split()
VERBS = {
    "repaired": "mended", "bought": "purchased", "painted": "coloured", "lost": "misplaced", "found": "discovered",
    "cleaned": "washed", "borrowed": "took", "sold": "traded", "broke": "smashed", "photographed": "filmed",
    "returned": "handed back", "measured": "sized up", "wrapped": "packed", "polished": "shined", "hid": "concealed",
    "carried": "hauled", "sketched": "drew", "weighed": "balanced", "ordered": "requested", "opened": "unlocked",
}  # fmt: skip
ADJECTIVES = (
    "green wooden rusty tiny striped velvet broken ancient yellow plastic heavy crooked silver foldable noisy woollen "
    "transparent square leather portable dusty golden marble paper enormous purple ceramic frozen sticky hollow"
).split()
NOUNS = {
    "kettle": "teapot", "bicycle": "bike", "curtain": "drape", "lantern": "lamp", "suitcase": "luggage",
    "armchair": "seat", "ladder": "steps", "painting": "picture", "blanket": "quilt", "umbrella": "parasol",
    "typewriter": "keyboard", "basket": "hamper", "mirror": "glass", "violin": "fiddle", "wardrobe": "closet",
    "carpet": "rug", "toolbox": "kit", "telescope": "scope", "backpack": "rucksack", "cupboard": "cabinet",
    "hammock": "swing", "fountain": "spring", "chessboard": "board", "pillow": "cushion", "bucket": "pail",
    "postcard": "card", "saucepan": "pot", "notebook": "diary", "trumpet": "horn", "scarf": "shawl",
}  # fmt: skip
PLACES = (
    "at the harbour|behind the library|near the old mill|in the attic|on the balcony|beside the station|in the garage|"
    "under the bridge|at the bakery|in the cellar|by the lake|outside the museum|in the courtyard|at the market|"
    "on the ferry|inside the chapel|next to the school|at the campsite|in the greenhouse|along the canal"
).split("|")
CITIES = (
    "Lisbon Porto Oslo Graz Turin Gdansk Nantes Bergen Malaga Tartu Zagreb Leipzig Bruges Cork Split Kaunas Basel "
    "Delft Siena Uppsala"
).split()
PLANS = "visit sell renovate rent insure sketch abandon register".split()
THINGS = (
    "observatory vineyard lighthouse sawmill orchard windmill boathouse bakery bookshop sauna chapel greenhouse studio "
    "tunnel quarry brewery stable pier cinema smithy"
).split()


@dataclass(frozen=True, slots=True)
class Truth:
    """Something that is so: how it is said in four ways, the last two in other words, and how one asks for it."""

    ways: tuple[str, str, str, str]
    question: str


@dataclass(slots=True)
class Year:
    """What came of it."""

    observations: int = 0
    days: int = 0
    growth: float = 0.0
    lines: float = 0.0
    facts: int = 0
    fresh: float = 0.0
    planted: int = 0
    found: float = 0.0
    wrong: int = 0
    mixed: float = 0.0
    episodes: int = 0
    merged: int = 0
    promoted: int = 0
    queries: int = 0
    seconds: float = 0.0
    decisions: dict[str, int] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)


def trifle(chance: random.Random) -> Truth:
    """Return something that happened and matters little."""
    who, verb, adjective = chance.choice(WHO), chance.choice([*VERBS]), chance.choice(ADJECTIVES)
    noun, place = chance.choice([*NOUNS]), chance.choice(PLACES)
    said = f"{who} {verb} the {adjective} {noun} {place}."
    return Truth(
        (
            said,
            f"{who} currently {verb} the {adjective} {noun} {place}.",
            f"{place[0].upper()}{place[1:]}, {who} {VERBS[verb]} the {adjective} {noun}.",
            f"The {adjective} {NOUNS[noun]} was {verb} by {who} {place}.",
        ),
        f"What about the {adjective} {noun} {place} and {who}?",
    )


def decision(chance: random.Random) -> Truth:
    """Return something that was decided."""
    plan, thing, city = chance.choice(PLANS), chance.choice(THINGS), chance.choice(CITIES)
    who, adjective = chance.choice(WHO), chance.choice(ADJECTIVES)
    said = f"We decided to {plan} the {adjective} {thing} in {city} with {who}."
    return Truth(
        (
            said,
            f"We actually decided to {plan} the {adjective} {thing} in {city} with {who}.",
            f"Together with {who} we agreed to {plan} the {adjective} {thing} of {city}.",
            f"It is settled: with {who} we {plan} that {adjective} {thing} in {city}.",
        ),
        f"What did we decide about the {adjective} {thing} in {city} with {who}?",
    )


def different(chance: random.Random, count: int, share: float) -> list[Truth]:
    """Return so many truths, no two of which are alike to the word; a share of them are decisions."""
    found: dict[str, Truth] = {}
    while len(found) < count:
        one = decision(chance) if chance.random() < share else trifle(chance)
        found.setdefault(one.ways[0], one)
    return list(found.values())


class Simulation:
    """One year, lived through."""

    def __init__(self, life: Listener, *, observations: int, days: int, planted: int, seed: int) -> None:
        self.year = Year(observations=observations, days=days, planted=planted)
        self._life = life
        self._chance = chance = random.Random(seed)
        every = different(chance, int(observations * (1 - RESTATED)) + planted, SALIENT)
        important = [one for one in every if one.ways[0].startswith("We decided")][:planted]
        self._planted = important
        self._new = [one for one in every if one not in important]
        self._told: list[Truth] = []
        self._of: dict[str, Truth] = {}  # what a fact says, or an observation
        self._decisions: Counter[str] = Counter()
        self._mixed = 0
        self._spent: dict[str, float] = {}

    async def live(self) -> Year:
        """Live through all days, and look at what is there on the last."""
        began = time.perf_counter()
        year, per_day = self.year, self.year.observations / self.year.days
        due = 0.0
        plant_on = Counter(int(at * year.days * 0.9 / len(self._planted)) for at in range(len(self._planted)))
        plants = iter(self._planted)
        for day in range(year.days):
            begin = BEGIN + timedelta(days=day)
            due += per_day
            count, due = int(due), due - int(due)
            moments = sorted(self._chance.random() * 16 for _ in range(count))
            for at, hour in enumerate(moments):
                self._until(begin + timedelta(hours=hour))
                for one in islice(plants, plant_on[day] if at == count // 2 else 0):
                    await self._hear(one, 0)
                await self._hear_something()
                if at % max(1, count // QUERIES) == 0 and year.queries < (day + 1) * QUERIES:
                    await self._ask()
            for hour in (17, 23):
                self._until(begin + timedelta(hours=hour))
                await self._timed("embed", self._life.memory.embed())
                self._note(await self._timed("consolidate", self._life.consolidate_whole()))
                for name, copied in (await self._life.memory.run(_promoted)).items():
                    self._of[name] = self._of[copied]
        await self._judge()
        year.seconds = round(time.perf_counter() - began, 1)
        year.spent = {name: round(value, 1) for name, value in self._spent.items()}
        year.decisions = dict(self._decisions)
        return year

    def _until(self, at: datetime) -> None:
        self._life.clock.advance(seconds=max(0.0, (at - self._life.clock.now()).total_seconds()))

    async def _timed(self, name: str, work: Awaitable[T]) -> T:
        began = time.perf_counter()
        try:
            return await work
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.perf_counter() - began

    async def _hear_something(self) -> None:
        is_restated = self._told and (self._chance.random() < RESTATED or not self._new)
        if not is_restated:
            truth = self._new.pop()
            self._told.append(truth)
            await self._hear(truth, 0)
        else:
            recent = self._told[-60:] if self._chance.random() < 0.6 else self._told
            await self._hear(self._chance.choice(recent), self._chance.randrange(1, 4))

    async def _hear(self, truth: Truth, way: int) -> None:
        (seen,) = await self._timed("observe", self._life.hear(truth.ways[way], pause_s=0))
        self._decisions[seen.decision.value] += 1
        self._of[self._life.last_op] = truth
        self._check(seen, truth)

    def _check(self, seen: Observed, truth: Truth) -> None:
        if seen.decision is Decision.MERGE:
            self.year.wrong += self._of.get(seen.fact_id or "", truth) is not truth
        elif seen.fact_id:
            self._of[seen.fact_id] = truth

    def _note(self, done: Consolidation) -> None:
        """Take what a run has written into account."""
        by_text = {}
        for episode in done.plan.episodes:
            truths = {self._of[name].ways[0]: self._of[name] for name in episode.made_of}
            self._mixed += len(truths) > 1
            by_text[tuple(episode.made_of)] = truths
        for (name, text), truths in zip(done.written.items(), by_text.values(), strict=False):
            if len(truths) == 1:
                self._of[name] = next(iter(truths.values()))
            elif "said" in text:
                self.year.wrong += 1
        for merge in done.plan.merges:
            into = self._of.get(merge.into)
            self.year.wrong += sum(self._of.get(name, into) is not into for name in merge.targets)
        self.year.episodes += len(done.written)
        self.year.merged += done.hidden
        self.year.promoted += len(done.promoted)

    async def _ask(self) -> None:
        self.year.queries += 1
        decided = [one for one in self._told[-400:] if one.question.startswith("What did")]
        truth = self._chance.choice(decided or self._told[-20:])
        found = await self._timed("recall", self._life.memory.recall(truth.question, scope=OWNER))
        if found.answers:
            await self._timed("review", self._life.note(
                found.answers[0].id, Action.REVIEW, {"rating": "good", "reason": "cited"}
            ))  # fmt: skip

    async def _judge(self) -> None:
        year = self.year
        await self._life.memory.embed()
        standing, every, fresh = await self._life.memory.run(_count, self._life.clock.now())
        year.facts = standing
        year.growth = round(standing / year.observations, 4)
        year.lines = round(every / year.observations, 4)
        year.fresh = round(fresh / max(1, standing), 4)
        year.mixed = round(self._mixed / max(1, year.episodes), 4)
        hits = 0
        for one in self._planted:
            found = await self._life.memory.recall(one.question, scope=OWNER, limit=SHOWN)
            hits += any(self._of.get(hit.id) is one for hit in found.hits)
        year.found = round(hits / max(1, len(self._planted)), 4)


def _count(context: KnowledgeContext, now: datetime) -> tuple[int, int, int]:
    """Return how many facts no other stands for, how many there are, and how many of the first are fresh."""
    every = context.index_manager.ask(lambda index: index.lives.facts(scope=OWNER))
    standing, fading = [one for one in every if not one.merged], Fading()
    strong = (fading.retrievability(one, now.date()) for one in standing)
    return len(standing), len(every), sum(value >= FRESH for value in strong)


def _promoted(context: KnowledgeContext) -> dict[str, str]:
    """Return the ids of promoted facts, each with that of the fact it says again."""
    lives = context.journal.state.lives
    return {
        name: event.details["from"][0]
        for name, events in lives.items()
        for event in events
        if event.action == Action.PROMOTE
    }


def calibrated(chance: random.Random) -> Bands:
    """Return the bands in which other words for the same are linked, measured on truths that nobody tells."""
    some = different(chance, 200, SALIENT)
    alike = sorted(float(embed(one.ways[0]) @ embed(way)) for one in some for way in one.ways[2:])
    apart = [float(embed(one.ways[0]) @ embed(other.ways[0])) for one, other in pairwise(some)]
    link = alike[len(alike) // 20]
    return Bands(sum(apart) / len(apart), link, (1 + link) / 2)


async def simulate(folder: Path, *, observations: int, days: int, planted: int, seed: int) -> Year:
    """Live through a year of so many days and observations."""
    embedder, cache = HashedEmbedder(), folder / "vectors.sqlite"
    folder.mkdir(parents=True, exist_ok=True)
    keep(embedder.identity, LanguageBands(dict.fromkeys(("", "en"), calibrated(random.Random(seed)))), cache)
    async with listening(folder, clock=FrozenClock(BEGIN), embedding=Embedding(embedder, cache)) as life:
        return await Simulation(life, observations=observations, days=days, planted=planted, seed=seed).live()


def main() -> None:
    """Simulate a year, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observations", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--planted", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    in_memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=in_memory if Path(in_memory).is_dir() else None) as name:
        year = asyncio.run(
            simulate(
                Path(name), observations=given.observations, days=given.days, planted=given.planted, seed=given.seed
            )
        )
    if not given.json:
        for key, value in asdict(year).items():
            print(f"{key}: {value}")
    print(json.dumps(asdict(year)))


if __name__ == "__main__":
    main()
