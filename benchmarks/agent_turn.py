"""What a turn with a model costs besides the model: over a memory of many units, with a model that answers at once.

As in a service that has been running for a while, its start is over: phrases are compiled, and the garbage collector
leaves alone what is there; nobody has changed the memory's files for an hour; and the end of each turn looks for what
was forgotten.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from uuid import UUID

from benchmarks.rebuild import Words
from benchmarks.stand_in import StandIn
from bot.agent.context.history import read_history
from bot.agent.context.prompt import RequestContext, assemble
from bot.llm.client import ParameterSupport, body
from bot.llm.endpoint import Endpoint
from bot.llm.retry import ModelHealth
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Limits, Message, Request, Role, ToolCall
from bot.service.run import GARBAGE_OBJECTS
from bot.sessions.language import compile_phrases
from bot.storage.port import EntryKind, Recorded, TranscriptEntry
from bot.waiting import InstantPause
from memory import OWNER, Embedder, Embedding, FrozenClock, Memory
from tests.support.factories import NOON
from tests.support.service import INDEX_FILE, RunningService, ServiceOptions, running_service

FACTS_A_DAY = 20
FIRST_DAY = date(2025, 1, 1)
WARM_UP = 5
CONVERSATION = 25
MESSAGE_WORDS = 8
"""Six of them are no stop words, which is more than a usual message has."""
ENDPOINT = Endpoint(model="benchmark", base_url="http://localhost/v1")


@dataclass(frozen=True, slots=True)
class Size:
    """How much: units of memory, turns, tokens of the history before a request; and the seed of the words."""

    units: int
    turns: int
    history: int
    seed: int


@dataclass(frozen=True, slots=True)
class Turns:
    """What was measured.

    Attributes:
        plain_s, searching_s: seconds of each turn, without a tool and with a search by tool.
        cpu_s: CPU seconds of a turn without a tool, in the mean: what a busy machine does not lengthen by much.
        assembly_s: seconds to make a request out of a transcript of so many tokens.
        history_tokens: how many that were.
        same: for each request, the share of its bytes with which the next one of the same conversation begins, too.
        units: how many the memory had.
    """

    plain_s: list[float]
    searching_s: list[float]
    cpu_s: float
    assembly_s: list[float]
    history_tokens: int
    same: list[float]
    units: int


async def measured(folder: Path, size: Size, *, embedder: Embedder | None = None) -> Turns:
    """Talk over a memory; then assemble requests.

    Args:
        folder: empty.
        size: how much.
        embedder: turns each message into its vector; every unit has one that somebody made up. None: words alone.
    """
    words, turns = Words(size.seed), size.turns
    write_old_facts(folder / "workspace", words, size.units, now=NOON)
    model, clock = ScriptedModel(then=answers), FrozenClock(NOON)
    embedding = Embedding(embedder, folder / "vectors.sqlite") if embedder else None
    if embedding:
        made_up = replace(embedding, embedder=StandIn())
        async with await Memory.open(folder / "workspace", index=folder / INDEX_FILE, embedding=made_up) as memory:
            await memory.embed()
    setting = ServiceOptions(
        clock=clock, pause=InstantPause(), health=ModelHealth(clock), window=128_000, embedding=embedding, masks=True
    )
    async with running_service(folder, model, setting) as here:
        compile_phrases()
        found = (await here.agent.memory.stats(scope=OWNER)).units
        await talk(here, random_messages(words, WARM_UP, "Warm up:"))
        plain, searching = random_messages(words, turns, "Say:"), random_messages(words, turns, "Look up:")
        with started():
            cpu_s = process_time()
            plain_s = await talk(here, plain)
            cpu_s = (process_time() - cpu_s) / turns
            asked = model.requests[-turns:]
            searching_s = await talk(here, searching)
    same = [one for start in range(0, turns, CONVERSATION) for one in shares(asked[start : start + CONVERSATION])]
    tokens, assembly_s = assembled(model.requests[-1].prefix[0], words, size.history, turns)
    return Turns(plain_s, searching_s, cpu_s, assembly_s, tokens, same, found)


@contextmanager
def started() -> Iterator[None]:
    """Collect garbage within a block as `scrubjay run` does once it has started."""
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(GARBAGE_OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def write_old_facts(workspace: Path, words: Words, units: int, *, now: datetime) -> None:
    """Write a memory that nobody has changed for an hour; what is new is read again with every look."""
    write_facts(workspace, words, units)
    an_hour_ago = now.timestamp() - 3600
    for path in workspace.rglob("*.md"):
        os.utime(path, (an_hour_ago, an_hour_ago))


def write_facts(workspace: Path, words: Words, units: int) -> None:
    """Daily logs with twenty facts each, and the files that stand before every conversation."""
    (workspace / "memory").mkdir(parents=True)
    for number in range(units // FACTS_A_DAY):
        day = FIRST_DAY + timedelta(days=number)
        facts = "".join(f"- W: {words.sentence()}\n" for _ in range(FACTS_A_DAY))
        (workspace / "memory" / f"{day}.md").write_text(f"# {day}\n\n## Retain\n{facts}", encoding="utf-8")
    for name in ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"):
        (workspace / name).write_text(words.note(2000), encoding="utf-8")


def answers(request: Request) -> Step:
    """A model that searches once when it is asked to look something up."""
    last = request.history[-1]
    if last.role is Role.USER and "Look up:" in last.text:
        query = last.text.rpartition("Look up:")[2]
        return Step(calls=(ToolCall("c1", "memory_search", {"query": query}),), usage=None)
    return Step(text="Noted, and thank you for telling me.", usage=None)


def random_messages(words: Words, turns: int, opening: str) -> list[str]:
    """Messages of random words, made beforehand: that takes half a millisecond for each."""
    return [f"{opening} {' '.join(words.sentence().split()[:MESSAGE_WORDS])}" for _ in range(turns)]


async def talk(here: RunningService, messages: Sequence[str]) -> list[float]:
    """Seconds from each message to its answer, in conversations of `CONVERSATION` turns."""
    took = []
    for number, text in enumerate(messages):
        if number % CONVERSATION == 0:
            await here.people.ask("/new")
        began = perf_counter()
        await here.people.ask(text)
        took.append(perf_counter() - began)
    return took


def shares(requests: Sequence[Request]) -> list[float]:
    """How much of each request's bytes the next one begins with."""
    sent = [
        json.dumps(body(request, ENDPOINT, ParameterSupport()), ensure_ascii=False).encode() for request in requests
    ]
    return [same_beginning(one, following) / len(one) for one, following in pairwise(sent)]


def same_beginning(one: bytes, other: bytes) -> int:
    """With how many bytes both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def assembled(system: Message, words: Words, tokens: int, times: int) -> tuple[int, list[float]]:
    """Seconds from a transcript's rows to the body of a request; each time with one turn more, as in life."""
    counter, window = TokenCounter(), Window(128_000)
    recorded: list[Recorded] = []
    while len(recorded) < 20 or sum(map(counter.message, messages_of(recorded))) < tokens:
        recorded += exchange(words, len(recorded))
    limits, took = Limits(), []
    for _ in range(times):
        recorded = [*recorded[2:], *exchange(words, recorded[-1].seq + 1)]
        asked = Message(Role.USER, words.sentence())
        began = perf_counter()
        exchanges = read_history(recorded).exchanges
        frame = RequestContext(system=system, exchanges=exchanges, window=window, counter=counter)
        found = assemble(frame, [asked], tools=(), limits=limits)
        json.dumps(body(found.request, ENDPOINT, ParameterSupport()))
        took.append(perf_counter() - began)
        tokens = sum(map(counter.message, found.request.history))
    return tokens, took


def messages_of(recorded: Sequence[Recorded]) -> Iterator[Message]:
    for exchanged in read_history(recorded).exchanges:
        yield from exchanged.messages


def exchange(words: Words, seq: int) -> list[Recorded]:
    """A message and its answer as a transcript holds them."""
    turn = str(UUID(int=seq))
    said = {"sender": "owner", "name": "", "text": words.sentence(), "shown_as": f"[time]\n{words.sentence()}"}
    reply = {"text": " ".join(words.sentence() for _ in range(5))}
    bodies = [(EntryKind.MESSAGE, said), (EntryKind.REPLY, reply)]
    return [
        Recorded(seq + n, TranscriptEntry(kind, turn, NOON, json.dumps(text))) for n, (kind, text) in enumerate(bodies)
    ]
