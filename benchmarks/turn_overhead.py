"""What a message costs besides the model: door, commit, turn, commit, outbox, receipt.

    python -m benchmarks.turn_overhead --messages 200 --chats 100 --units 10000 --json

prints a table, and one JSON object as its last line. With an echo in the place of an agent: milliseconds from a
person's message to its answer when one waits for the other (`p50_ms`, `p99_ms`), messages a second when many chats talk
at once (`per_s`), and syncs of the disk per message in both cases, counted by tracing a run of its own (null where
tracing is not possible). `recognises` is a platform that recognises a repeated message (no mark before sending),
`other` one that does not. `model` is a whole turn with an agent, its memory and a model that answers at once
(`benchmarks.agent_turn`), `meaning` the same with a memory that is searched by meaning, too; `same_prefix` is the share
of a request's bytes with which the next turn's begins, too. `pieces` is what an answer costs by its length: processor
time of a turn whose answer has `--words` words, which an endpoint streams one by one, of one with eight, and of each
word more.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from zoneinfo import ZoneInfo

import structlog
from pydantic import SecretStr

from adapters.in_memory import PLAIN, InMemoryAdapter
from adapters.port import Outbound, Receipt
from benchmarks import agent_turn
from benchmarks import figures as kept
from bot.access.access import Access
from bot.access.routing import Routing
from bot.llm.client import OpenAIModel
from bot.llm.endpoint import Endpoint
from bot.llm.retry import ModelHealth
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.intake import Intake
from bot.pipeline.worker import Worker
from bot.service.service import Service
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Agent, Reply, Turn
from bot.waiting import pause
from memory import FrozenClock, Memory, SystemClock
from memory.embed import lazy
from tests.chaos import ptrace
from tests.chaos.tracer import SYNCS, Watch, record
from tests.servers.control import ServerProcess
from tests.servers.openai_script import Fault, Received, Step, slow
from tests.servers.openai_server import KEY, MODEL
from tests.support.service import RunningService, ServiceOptions, running_service

WITH_MODEL = ("model", "meaning")
KINDS = ("recognises", "other", *WITH_MODEL, "pieces")
SHORT_WORDS = 8
ROUNDS = 7
PIECE_S = 0.002
"""Between two words of a streamed answer; each is read for itself then, as from most providers."""
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Chat(InMemoryAdapter):
    """A platform that tells when an answer has been shown."""

    def __init__(self, *, recognises: bool) -> None:
        super().__init__(now=lambda: NOON, capabilities=replace(PLAIN, idempotent=recognises))
        self.answers: asyncio.Queue[Outbound] = asyncio.Queue()

    async def send(self, out: Outbound) -> Receipt:
        self.answers.put_nowait(out)
        return Receipt(out.id)


async def echo(turn: Turn) -> Reply:
    """The cheapest answer."""
    return Reply(turn.text)


async def one_by_one(chat: Chat, messages: int) -> list[float]:
    """Seconds from each message to its answer."""
    took = []
    for n in range(messages):
        start = perf_counter()
        chat.say(f"message {n}")
        await chat.answers.get()
        took.append(perf_counter() - start)
    return took


async def all_at_once(chat: Chat, messages: int, chats: int) -> list[float]:
    """Seconds for all of them, spread over the chats."""
    start = perf_counter()
    for n in range(messages):
        chat.say(f"message {n}", chat=str(n % chats))
    for _ in range(messages):
        await chat.answers.get()
    return [perf_counter() - start]


async def measured(folder: Path, *, messages: int, chats: int, recognises: bool) -> list[float]:
    """Run the service in a folder; with one chat one by one, with more all at once."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    chat = Chat(recognises=recognises)
    platforms = Adapters([chat])
    clock = FrozenClock(NOON)
    agent = Agent("personal", "an example", Memory.__new__(Memory), ZoneInfo("UTC"), clock)
    async with SqliteCoordinator.open(folder / "state.sqlite", clock=clock) as core, asyncio.TaskGroup() as group:
        service = Service(
            core,
            intake=Intake(
                core,
                access=Access({"volatile:owner"}, register=AccessStore()),
                routing=Routing(agent.name, [agent.name], register=AccessStore()),
                register=AccessStore(),
            ),
            worker=Worker(
                core,
                agents={agent.name: agent},
                respond=echo,
                renderer=Renderer(platforms, clock=clock),
                adapters=platforms,
                batch_limit=1,
                pause=pause,
            ),
            outbox=Outbox(core, adapters=platforms, pause=pause),
            accounts=Accounts([chat]),
        )
        group.create_task(service.run([agent.name], owner="benchmark"))
        took = await (one_by_one(chat, messages) if chats == 1 else all_at_once(chat, messages, chats))
        service.stop()
    return took


def syncs(messages: int, chats: int, kind: str) -> float | None:
    """Syncs per message: those of a run with that many messages, less those of a run with one."""
    if ptrace.why_not():
        return None
    counts = []
    for number in (1, messages + 1):
        with tempfile.TemporaryDirectory() as folder:
            argv = [sys.executable, "-m", "benchmarks.turn_overhead", "--into", folder, "--kind", kind]
            sizes = ["--messages", str(number), "--chats", str(chats)]
            env = {"PYTHONPATH": str(Path(__file__).parents[1])}
            counts.append(len(record([*argv, *sizes], watch=Watch(Path(folder), SYNCS), env=env).calls))
    return round((counts[1] - counts[0]) / messages, 2)


def figures(messages: int, chats: int, kind: str) -> dict[str, float | None]:
    """All figures for one kind of platform."""
    recognises = kind == "recognises"
    with tempfile.TemporaryDirectory() as folder:
        took = asyncio.run(measured(Path(folder), messages=messages, chats=1, recognises=recognises))
    with tempfile.TemporaryDirectory() as folder:
        (together,) = asyncio.run(measured(Path(folder), messages=messages, chats=chats, recognises=recognises))
    return {
        "p50_ms": quantile(took, 0.5),
        "p99_ms": quantile(took, 0.99),
        "syncs": syncs(messages, 1, kind),
        "per_s": round(messages / together, 1),
        "syncs_together": syncs(messages, chats, kind),
    }


def quantile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return round(sorted(seconds)[int(share * (len(seconds) - 1))] * 1000, 2)


async def by_meaning(folder: Path, size: agent_turn.Size) -> agent_turn.Turns:
    """Turns over a memory that is searched by words and meaning, with the built-in embedder for the questions."""
    embedder = lazy.builtin(folder / "cache")
    try:
        await embedder.probe()
        return await agent_turn.measured(folder, size, embedder=embedder)
    finally:
        await embedder.close()


def with_model(kind: str, size: agent_turn.Size) -> dict[str, float]:
    """All figures for turns with a model."""
    measure = by_meaning if kind == "meaning" else agent_turn.measured
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), size))
    return {
        "units": found.units,
        "p50_ms": quantile(found.plain_s, 0.5),
        "p99_ms": quantile(found.plain_s, 0.99),
        "cpu_ms": round(found.cpu_s * 1000, 2),
        "search_p50_ms": quantile(found.searching_s, 0.5),
        "history_tokens": found.history_tokens,
        "assembly_p50_ms": quantile(found.assembly_s, 0.5),
        "assembly_p99_ms": quantile(found.assembly_s, 0.99),
        "same_prefix_p50": round(sorted(found.same)[len(found.same) // 2], 4),
        "same_prefix_least": round(min(found.same), 4),
    }


def streamed(request: Received) -> Step:
    """As many words as the message asks for, each a piece of its own."""
    return Step(text=("word ",) * int(request.user_text.split()[-1]))


def steadily(_: Received) -> Fault:
    """A pause before each piece."""
    return slow(PIECE_S)


async def by_pieces(folder: Path, words: int) -> dict[str, float | None]:
    """All figures for answers that are streamed word by word."""
    clock, name = SystemClock(), "benchmarks.turn_overhead"
    script = ("--answer", f"{name}:streamed", "--mishap", f"{name}:steadily")
    setting = ServiceOptions(clock=clock, pause=pause, health=ModelHealth(clock), window=128_000)
    with ServerProcess("tests.servers.openai_server", *script) as server:
        endpoint = Endpoint(model=MODEL, base_url=f"{server.url}/v1", api_key=SecretStr(KEY))
        async with OpenAIModel(endpoint, clock=clock) as model, running_service(folder, model, setting) as here:
            await cpu_ms(here, SHORT_WORDS)  # loads what the others need
            took = [(await cpu_ms(here, SHORT_WORDS), await cpu_ms(here, words)) for _ in range(ROUNDS)]
    short, long = map(median, zip(*took, strict=True))
    piece = 1000 * (long - short) / (words - SHORT_WORDS)
    return {"words": words, "short_ms": round(short, 2), "long_ms": round(long, 2), "piece_us": round(piece, 1)}


async def cpu_ms(here: RunningService, words: int) -> float:
    """Processor time of a turn whose answer has so many words."""
    began = process_time()
    await here.people.ask(f"How many words? {words}")
    return (process_time() - began) * 1000


def main() -> None:
    """Measure, or be the program that is traced (`--into`)."""
    parser = kept.command_line("What a message costs besides the model.", seed=1)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--units", type=int, default=10_000, help="units in the agent's memory")
    parser.add_argument("--history", type=int, default=20_000, help="tokens of the conversation before the request")
    parser.add_argument("--words", type=int, default=300, help="words of a long answer, more than eight")
    parser.add_argument("--kind", choices=KINDS, default="", help="only this part")
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    if given.into:
        recognises = given.kind == "recognises"
        asyncio.run(measured(given.into, messages=given.messages, chats=given.chats, recognises=recognises))
        return
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    parts: dict[str, object] = {"messages": given.messages, "chats": given.chats}
    size = agent_turn.Size(given.units, given.messages, given.history, given.seed)
    found: Mapping[str, float | None]
    for kind in [given.kind] if given.kind else KINDS:
        if kind == "pieces":
            with tempfile.TemporaryDirectory() as folder:
                found = asyncio.run(by_pieces(Path(folder), given.words))
        else:
            found = with_model(kind, size) if kind in WITH_MODEL else figures(given.messages, given.chats, kind)
        print(kind, *(f"  {name:18} {value}" for name, value in found.items()), sep="\n")
        parts[kind] = found
    if given.json:
        kept.write("turn_overhead", parts, seed=given.seed)
    print(json.dumps(parts))


if __name__ == "__main__":
    main()
