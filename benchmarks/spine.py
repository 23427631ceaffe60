"""Through how many modules a message and a fact go: `python -m benchmarks.spine [--json]`.

A message: the whole service with one bot on the Telegram test server, without a model. A person writes it a fact in
their own words. From that moment until the receipt of the reply is written down, every call of a function of the
project on the service's thread is looked at.

- The *spine* is the modules that hand the message on: whenever a function is handed the message in one of its `FORMS`
  (an argument, or the first of a list), the modules of all frames on the stack. Methods of the forms themselves do not
  count, so modules of values are left out; what works on the bare text (splitting, SQL) is not on the spine either.
- *Entered* are the modules of which any function ran, whatever for: values, logging, and what runs beside it.

A fact: one `Memory.remember`. What runs on the memory's own thread until it returns is looked at: modules entered,
calls (a generator that goes on is one, too), refreshes of the journal, transactions that write to the index, and files
opened (folders are not counted).

Bodies of modules and classes do not count: what is imported when is no part of the way. The first message and the first
fact are not looked at; of the three after it, modules that were met each time are counted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

import apsw
import structlog

from benchmarks import figures
from bot.config.model import Config
from bot.paths import Home
from bot.service.probes import Supervisor
from bot.service.run import run_service
from bot.storage.port import PartState
from memory import OWNER, FrozenClock, Memory, Origin, SystemClock
from tests.servers.telegram.client import TOKEN, Telegram, running
from tests.support.factories import NOON

PACKAGES = ("adapters", "bot", "memory")
ROOT = Path(__file__).parent.parent
PATIENCE_S = 60.0
PERSON = 7

FORMS = frozenset(
    {
        ("telegram", "Update"),
        ("telegram", "Message"),
        ("adapters", "Inbound"),
        ("bot", "Envelope"),
        ("bot", "QueuedMessage"),
        ("bot", "MessageBatch"),
        ("bot", "Turn"),
        ("bot", "Reply"),
        ("bot", "Effects"),
        ("bot", "OutboxPart"),
        ("adapters", "Outbound"),
        ("adapters", "Receipt"),
    }
)
"""What a message is between its arrival and the receipt of its answer: classes, each with its package."""

FACTS = ("pot", "bench", "barrel", "stone")
REFRESH, MOVE = "Journal.refresh", "Coordinator.move"


@dataclass(frozen=True, slots=True)
class Way:
    """The way of a message: the modules on the spine, and all that were entered."""

    spine: dict[str, list[str]]
    entered: list[str]


@dataclass(frozen=True, slots=True)
class Write:
    """What one `remember` does on the memory's thread."""

    entered: list[str]
    calls: int
    refreshes: int
    transactions: int
    opened: int


@dataclass
class Recorder:
    """A profile function (`sys.setprofile`) that notes which modules of the project are entered.

    Attributes:
        is_on: whether it notes anything.
        entered: the modules.
        spine: those that hand the message on, each with the names of the functions.
        forms: the forms of the message that were met.
        calls: how often a function of the project was called or resumed.
        refreshes: how often the journal was read again.
        transactions: how many wrote to the index.
        opened: how often a file was opened.
        has_receipt: a part was noted as delivered, with a message id of the platform that was not seen before.
    """

    is_on: bool = False
    entered: set[str] = field(default_factory=set)
    spine: dict[str, set[str]] = field(default_factory=dict)
    forms: set[tuple[str, str]] = field(default_factory=set)
    calls: int = 0
    refreshes: int = 0
    transactions: int = 0
    opened: int = 0
    has_receipt: threading.Event = field(default_factory=threading.Event)
    _modules: dict[str, str] = field(default_factory=dict)
    _receipts: set[str] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if not self.is_on:
            return
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED and (module := self._module(frame)):
            self.entered.add(module)
            self.calls += 1
            self.refreshes += frame.f_code.co_qualname == REFRESH
            self._look_at(frame)

    def start(self) -> None:
        """Forget what was noted, and note from now on."""
        self.entered, self.spine = set(), {}
        self.calls = self.refreshes = self.transactions = self.opened = 0
        self.has_receipt.clear()
        self.is_on = True

    def stop(self) -> None:
        """Note nothing more."""
        self.is_on = False

    def write(self) -> Write:
        """What was noted, of a fact."""
        return Write(sorted(self.entered), self.calls, self.refreshes, self.transactions, self.opened)

    def _module(self, frame: FrameType) -> str:
        """The module of a frame; empty if it is none of the project."""
        name = frame.f_code.co_filename
        if name not in self._modules:
            path = Path(name)
            inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES
            dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts) if inside else ""
            self._modules[name] = dotted.removesuffix(".__init__")
        return self._modules[name]

    def _look_at(self, frame: FrameType) -> None:
        code, values = frame.f_code, frame.f_locals
        if code.co_qualname == MOVE and values["state"] is PartState.DELIVERED:
            self._note_receipt(values["note"])
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = {name: form for name in names if (form := _form(values.get(name)))}
        if not given or "self" in given:
            return
        self.forms.update(given.values())
        above: FrameType | None = frame
        while above:
            if module := self._module(above):
                self.spine.setdefault(module, set()).add(above.f_code.co_qualname)
            above = above.f_back

    def _note_receipt(self, message: str) -> None:
        """Tell of a receipt once, although a coroutine that waits is called again."""
        if message not in self._receipts:
            self._receipts.add(message)
            self.has_receipt.set()


def _form(value: object) -> tuple[str, str] | None:
    """Which form of the message a value is, or the first of a list is."""
    if isinstance(value, list | tuple) and value:
        value = value[0]
    kind = type(value)
    form = (kind.__module__.partition(".")[0], kind.__name__)
    return form if form in FORMS else None


async def way_of_a_message(folder: Path) -> Way:
    """Serve one bot and write to it; what was met each time is the way."""
    recorder, home = Recorder(), Home.at(folder)
    home.prepare()
    with running(patience_s=0.1) as telegram:
        config = Config.model_validate(
            {
                "telegram": {"token": TOKEN, "api": telegram.url},
                "access": {"owners": [f"telegram:{PERSON}"]},
                "memory": {"embedder": {"kind": "none"}},
                "owner": {"timezone": "UTC"},
            }
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(run_service(home, config, clock=SystemClock(), supervisor=Supervisor("")))
            with profiled(recorder):
                rounds = await asyncio.to_thread(talk, telegram, recorder)
            os.kill(os.getpid(), signal.SIGTERM)
    if missing := FORMS - recorder.forms:
        raise SystemExit(f"No function was handed these, so FORMS is out of date: {sorted(missing)}")
    spines = [spine for spine, _ in rounds]
    spine = {module: sorted(set.union(*(found[module] for found in spines))) for module in in_all(spines)}
    return Way(spine, in_all([entered for _, entered in rounds]))


def talk(telegram: Telegram, recorder: Recorder) -> list[tuple[dict[str, set[str]], set[str]]]:
    """Write to the bot, and wait for each answer's receipt; the first answer is not noted."""
    person, rounds = telegram.user(PERSON, "Robin"), []
    for word in FACTS:
        recorder.start()
        person.says(f"The spare key is under the {word}.")
        if not recorder.has_receipt.wait(PATIENCE_S):
            raise SystemExit(f"No answer within {PATIENCE_S:.0f} s.")
        recorder.stop()
        rounds.append((recorder.spine, recorder.entered))
    return rounds[1:]


async def write_of_a_fact(folder: Path) -> Write:
    """Remember facts in a new memory, and wait until its index has them; the first one is not looked at."""
    recorder, rounds, taken_in = Recorder(), [], asyncio.Event()
    index = folder / "index.sqlite"
    threading.setprofile(recorder)
    try:
        with commits_counted(recorder, index), opened_counted(recorder):
            async with await Memory.open(folder / "workspace", index=index, clock=FrozenClock(NOON)) as memory:
                memory.changed = taken_in.set
                for word in FACTS:
                    taken_in.clear()
                    recorder.start()
                    await memory.remember(
                        f"The spare key is under the {word}.",
                        origin=Origin.OWNER,
                        scope=OWNER,
                        op_id=word,
                        actor="owner",
                    )
                    await taken_in.wait()
                    recorder.stop()
                    rounds.append(recorder.write())
    finally:
        threading.setprofile(None)
    entered = in_all([found.entered for found in rounds[1:]])
    return replace(rounds[-1], entered=entered)


@contextmanager
def commits_counted(recorder: Recorder, index: Path) -> Iterator[None]:
    """Tell a recorder of every transaction that writes to an index; for connections opened inside the block."""

    def commit() -> bool:
        recorder.transactions += recorder.is_on
        return False

    def follow(connection: apsw.Connection) -> None:
        if connection.filename.startswith(str(index)):
            connection.set_commit_hook(commit, id=recorder)

    apsw.connection_hooks.append(follow)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(follow)


@contextmanager
def opened_counted(recorder: Recorder) -> Iterator[None]:
    """Tell a recorder of every file that is opened on a thread that it watches; the interpreter keeps the hook."""
    is_over = False

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if is_over or event != "open" or not recorder.is_on:
            return  # first of all: at the end of the interpreter there is no `sys` to ask
        watching: object = sys.getprofile()
        if watching is recorder:
            flags = arguments[2]
            recorder.opened += not (isinstance(flags, int) and flags & os.O_DIRECTORY)

    sys.addaudithook(hear)
    try:
        yield
    finally:
        is_over = True


@contextmanager
def profiled(recorder: Recorder) -> Iterator[None]:
    """Show a recorder what this thread does."""
    sys.setprofile(recorder)
    try:
        yield
    finally:
        sys.setprofile(None)


def in_all(rounds: Sequence[Collection[str]]) -> list[str]:
    """The names that every round has."""
    return sorted(set.intersection(*map(set, rounds)))


def report(way: Way, write: Write) -> str:
    """Both as a table, with the modules."""
    rows = [
        ("modules on the spine of a message", len(way.spine)),
        ("modules that it enters", len(way.entered)),
        ("modules that one fact enters", len(write.entered)),
        ("  calls", write.calls),
        ("  refreshes of the journal", write.refreshes),
        ("  transactions of the index", write.transactions),
        ("  files opened", write.opened),
    ]
    spine = [f"  {module:32} {', '.join(names)}" for module, names in way.spine.items()]
    table = [f"{name:36}{number:6,d}" for name, number in rows]
    return "\n".join([*table, "", "the spine:", *spine, "", "of a fact:", *(f"  {name}" for name in write.entered)])


def main(arguments: list[str]) -> None:
    parser = figures.command_line(__doc__.split("\n", maxsplit=1)[0])
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="scrubjay-spine-") as name:
        folder = Path(name)
        write = asyncio.run(write_of_a_fact(folder))
        way = asyncio.run(way_of_a_message(folder / "home"))
    counted: dict[str, object] = {
        "spine": len(way.spine),
        "entered": len(way.entered),
        "fact_entered": len(write.entered),
        "fact_calls": write.calls,
        "fact_journal_refreshes": write.refreshes,
        "fact_index_transactions": write.transactions,
        "fact_files_opened": write.opened,
    }
    figures.write("spine", counted, seed=0)
    print(report(way, write))
    if options.json:
        print(json.dumps({"spine": counted}))


if __name__ == "__main__":
    main(sys.argv[1:])
