"""What it costs to have a fact written down, beside the syncs of the disk that it takes.

    python -m benchmarks.remember --facts 200 --units 10000 --sync-ms 4 --json

prints a table and, with --json, one JSON object as its last line. `memory` is one `Memory.remember` after the other,
`service` one `/remember` after the other over an in-memory platform, from the message to its receipt, in a service
whose start is over (`benchmarks.agent_turn`). For both: `p50_ms`, `p99_ms`, `cpu_ms` (the process's, in the mean);
`syncs`, how often the disk is synced for one fact, counted by tracing a run of its own; `syncs_p50_ms`, what as many
syncs take by themselves: between two facts, as many bytes are appended to files in the same folder and synced by the
same calls; `ratio` of the two medians, and `beside_ms`, their difference. Figures of syncs are null where tracing is
not possible.

On a disk whose syncs take longer than here the ratio is smaller. With `--sync-ms 4`, as on many an SSD of a home
server, each sync is held until it has taken so long, SQLite's and those in other threads, too, and those of
`syncs_p50_ms`: the program runs below a tracer, which stops it at no other call. One sync follows the other, as on a
slow disk; one that takes longer by itself is not made shorter.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Protocol

import structlog

from benchmarks import figures as kept
from benchmarks.agent_turn import started, write_old_facts
from benchmarks.rebuild import Words
from benchmarks.turn_overhead import quantile
from bot.llm.retry import ModelHealth
from bot.llm.scripted import ScriptedModel
from bot.sessions.language import compile_phrases
from bot.waiting import InstantPause
from memory import OWNER, Memory, Origin, SystemClock
from tests.chaos import ptrace
from tests.chaos.tracer import SYNCS, Call, Run, Watch, record, slow_syncs
from tests.support.service import INDEX_FILE, ServiceOptions, running_service

KINDS = ("memory", "service")
WARM_UP = 5
TRACED = 12
"""Facts in the run that is traced; those after the first few are alike."""
MARK = "mark"
"""The file into which a byte goes after each fact, so that the trace shows where one ends."""
WRITES = frozenset({"write", "pwrite64"})
ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).parents[1])}


@dataclass(frozen=True, slots=True)
class Sync:
    """Bytes that go into a file, named by its number among those of a fact, and the call that puts them on the disk."""

    file: int
    size: int
    call: str


class Remembers(Protocol):
    """Has a fact written down, and returns when that is acknowledged."""

    async def __call__(self, text: str, number: int, /) -> None: ...


async def opened(kind: str, folder: Path, stack: AsyncExitStack) -> Remembers:
    """Open a memory, or a service over one."""
    workspace, clock = folder / "workspace", SystemClock()
    if kind == "memory":
        memory = await stack.enter_async_context(await Memory.open(workspace, index=folder / INDEX_FILE, clock=clock))

        async def remember(text: str, number: int) -> None:
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"{number}:0", actor="owner")

        return remember
    options = ServiceOptions(clock=clock, pause=InstantPause(), health=ModelHealth(clock), masks=True)
    here = await stack.enter_async_context(running_service(folder, ScriptedModel(), options))
    compile_phrases()
    stack.enter_context(started())

    async def ask(text: str, _: int) -> None:
        answer = await here.people.ask(f"/remember {text}")
        assert "Noted" in answer, answer

    return ask


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each fact, and of its syncs alone; CPU seconds of a fact in the mean."""

    facts_s: list[float]
    syncs_s: list[float]
    cpu_s: float


async def measured(kind: str, folder: Path, words: Words, facts: int, replayed: Callable[[], None]) -> Measured:
    """Have facts written down one after the other, and between two of them do `replayed`."""
    facts_s, syncs_s, cpu_s = [], [], 0.0
    async with AsyncExitStack() as stack:
        remember = await opened(kind, folder, stack)
        for number in range(WARM_UP + facts):
            text, began, cpu = words.sentence(), perf_counter(), process_time()
            await remember(text, number)
            ended, cpu = perf_counter(), process_time() - cpu
            replayed()
            if number >= WARM_UP:
                facts_s.append(ended - began)
                syncs_s.append(perf_counter() - ended)
                cpu_s += cpu
    return Measured(facts_s, syncs_s, cpu_s / facts)


def command(kind: str, facts: int, units: int, seed: int, *more: str) -> list[str]:
    """Return the command that measures one kind, for the tracer."""
    sizes = ["--units", str(units), "--facts", str(facts), "--seed", str(seed)]
    return [sys.executable, "-m", "benchmarks.remember", "--kind", kind, *sizes, *more]


def ended(run: Run) -> Run:
    """Return a traced run that has ended well; else end with what it said."""
    if run.status:
        raise SystemExit(run.errors.decode(errors="replace") or f"It ended with status {run.status}.")
    return run


def traced(kind: str, units: int, seed: int) -> tuple[Sync, ...] | None:
    """Return the syncs of one fact, as most facts of a traced run have them; None where tracing is not possible."""
    if ptrace.why_not():
        return None
    with tempfile.TemporaryDirectory() as folder:
        argv = command(kind, TRACED, units, seed, "--into", folder)
        run = ended(record(argv, watch=Watch(Path(folder), SYNCS | WRITES), env=ENVIRONMENT))
    ((found, _),) = Counter(map(syncs_of, facts_in(run.calls))).most_common(1)
    return found


def facts_in(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """Yield the calls of each fact but for the first ones: those between two marks."""
    marks = [place for place, call in enumerate(calls) if call.paths[0].name == MARK]
    for start, end in zip(marks[WARM_UP:], marks[WARM_UP + 1 :], strict=False):
        yield list(calls[start + 1 : end])


def syncs_of(calls: Sequence[Call]) -> tuple[Sync, ...]:
    """Return the syncs among some calls, in order, each with what was written to its file before."""
    files, sizes, found = dict[Path, int](), defaultdict[Path, int](int), []
    for call in calls:
        path = call.paths[0]
        if call.name in SYNCS:
            found.append(Sync(files.setdefault(path, len(files)), sizes.pop(path, 0), call.name))
        else:
            sizes[path] += call.size
    return tuple(found)


@contextmanager
def replay(folder: Path, syncs: Sequence[Sync]) -> Iterator[Callable[[], None]]:
    """Give a function that writes as many bytes into files of its own and syncs them by the same calls."""
    folder.mkdir()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    handles = [os.open(folder / str(number), flags) for number in range(len({sync.file for sync in syncs}))]

    def run() -> None:
        for sync in syncs:
            os.write(handles[sync.file], b"x" * sync.size)
            (os.fsync if sync.call == "fsync" else os.fdatasync)(handles[sync.file])

    try:
        yield run
    finally:
        for handle in handles:
            os.close(handle)


def beside_syncs(kind: str, facts: int, units: int, seed: int, syncs: Sequence[Sync]) -> Measured:
    """Measure one kind in a folder that is made for it."""
    with tempfile.TemporaryDirectory() as name, replay(Path(name, "alone"), syncs) as run:
        words = Words(seed)
        write_old_facts(Path(name, "workspace"), words, units, now=SystemClock().now())
        return asyncio.run(measured(kind, Path(name), words, facts, run))


def slowed(kind: str, facts: int, units: int, seed: int, syncs: Sequence[Sync], sync_ms: float) -> Measured:
    """Measure the same on a disk each of whose syncs takes so many milliseconds."""
    again = json.dumps([astuple(sync) for sync in syncs])
    run = ended(slow_syncs(command(kind, facts, units, seed, "--again", again), sync_ms / 1000, env=ENVIRONMENT))
    return Measured(*json.loads(run.output))


def figures(kind: str, facts: int, units: int, seed: int, sync_ms: float) -> dict[str, float | None]:
    """All figures of one kind."""
    syncs = traced(kind, min(units, 1000), seed)
    sizes = (kind, facts, units, seed, syncs or ())
    found = slowed(*sizes, sync_ms) if sync_ms and syncs else beside_syncs(*sizes)
    alike: dict[str, float | None] = {
        "p50_ms": quantile(found.facts_s, 0.5),
        "p99_ms": quantile(found.facts_s, 0.99),
        "cpu_ms": round(1000 * found.cpu_s, 2),
    }
    if not syncs:
        return alike | dict.fromkeys(("syncs", "syncs_p50_ms", "ratio", "beside_ms"))
    alone = quantile(found.syncs_s, 0.5)
    beside = quantile(found.facts_s, 0.5) - alone
    return alike | {
        "syncs": len(syncs),
        "syncs_p50_ms": alone,
        "ratio": round(quantile(found.facts_s, 0.5) / alone, 2),
        "beside_ms": round(beside, 2),
    }


def main() -> None:
    """Measure, or be the program that is traced (`--into`), or slowed down (`--again`)."""
    parser = kept.command_line("What it costs to have a fact written down.", seed=1)
    parser.add_argument("--facts", type=int, default=200)
    parser.add_argument("--units", type=int, default=10_000, help="units in the memory")
    parser.add_argument("--kind", choices=KINDS, default="", help="only this part")
    parser.add_argument("--sync-ms", type=float, default=0.0, help="what each sync of the disk is to take")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--again")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    if given.into:
        words = Words(given.seed)
        write_old_facts(given.into / "workspace", words, given.units, now=SystemClock().now())
        with (given.into / MARK).open("wb", buffering=0) as marks:
            asyncio.run(measured(given.kind, given.into, words, given.facts, lambda: marks.write(b".")))
        return
    if given.again:
        syncs = [Sync(*sync) for sync in json.loads(given.again)]
        print(json.dumps(astuple(beside_syncs(given.kind, given.facts, given.units, given.seed, syncs))))
        return
    if given.sync_ms and (reason := ptrace.why_not()):
        raise SystemExit(f"The disk cannot be slowed down here: {reason}.")
    parts: dict[str, object] = {"facts": given.facts, "units": given.units, "sync_ms": given.sync_ms}
    for kind in [given.kind] if given.kind else KINDS:
        found = figures(kind, given.facts, given.units, given.seed, given.sync_ms)
        print(kind, *(f"  {name:14} {value}" for name, value in found.items()), sep="\n")
        parts[kind] = found
    kept.report("remember", parts, given)


if __name__ == "__main__":
    main()
