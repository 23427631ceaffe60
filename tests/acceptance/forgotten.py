"""Facts with made-up words are forgotten in twelve ways, and looked for everywhere afterwards.

    python -m tests.acceptance.forgotten --json

Each way begins a home of its own: a conversation in which the fact is noted, found and repeated, with one that is kept.
Then the fact is forgotten. After that it is asked for, recalled and exported, and its words are looked for in every
byte of the home: in files, in names of files, in the pages of databases. They may stand in the journal, from which
`/undo` could still bring the fact back. Then the same is purged, and they may stand nowhere.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from adapters.port import ChatKind
from bot.access.access import AccessRules
from bot.app import Application, build
from bot.cli.main import main as scrubjay
from bot.config.model import Config
from bot.paths import Home
from memory import OWNER, Fact, FrozenClock, Memory, Origin, chat_scope
from tests.acceptance.canaries import Mint
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

AGENT = "personal"
OPTIONS: dict[str, object] = {"memory": {"embedder": {"kind": "none"}}, "agents": {AGENT: {}}}
JOURNAL = re.compile(r"workspaces/[^/]+/\.memory/journal/[^/]+\.jsonl")
"""Where words of a forgotten fact may stand for a day."""
KEPT = "Mrs Okafor waters the plants on Fridays."
NUMBER = 48_210_000


@dataclass(frozen=True, slots=True)
class Canary:
    """A fact whose words occur nowhere else: one of them, and a number."""

    word: str
    number: str

    @property
    def text(self) -> str:
        return f"The tenant {self.word} has left the deposit of box {self.number} with us."

    @property
    def traces(self) -> tuple[bytes, ...]:
        """What is looked for; a stem of the word stands for all of its forms."""
        return (self.word[:-2].casefold().encode(), self.number.encode())

    def is_in(self, text: str) -> bool:
        return any(trace in text.casefold().encode() for trace in self.traces)


@dataclass(slots=True)
class Outcome:
    """What was found of one canary.

    Attributes:
        way: how it was forgotten.
        before: files that had it before it was forgotten.
        shown: answers that showed it afterwards.
        sent: requests to the model that held it afterwards.
        exported: exports of sessions that held it.
        left: files that had it after it was forgotten, but the journal.
        purged: files that had it after the purge, of all.
        lost: whether the other fact, or its mention in the conversation, went with it.
    """

    way: str
    before: int = 0
    shown: list[str] = field(default_factory=list)
    sent: int = 0
    exported: int = 0
    left: list[str] = field(default_factory=list)
    purged: list[str] = field(default_factory=list)
    lost: bool = False

    @property
    def is_clean(self) -> bool:
        found = [*self.shown, *self.left, *self.purged]
        return self.before > 0 and not found and not self.sent and not self.exported and not self.lost


@dataclass(slots=True)
class Scene:
    """A home with a conversation in it.

    Attributes:
        home: where everything lives.
        canary: what is to be forgotten.
        clock: stands still.
        server: of the model; None without one.
        chat: in which it happens; a number with a minus is a group.
        people: who talk, while the service runs.
        built: the service, while it runs.
        noticed: files that had the canary before it was forgotten.
    """

    home: Home
    canary: Canary
    clock: FrozenClock
    server: OpenAIServer | None = None
    chat: str = "home"
    people: PeopleAdapter | None = None
    built: Application | None = None
    noticed: int = 0
    _said: int = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The service, from a start to its end."""
        people = self.people = PeopleAdapter(self.clock)
        people._count = self._said
        access = AccessRules(frozenset({"volatile:owner"}), groups=frozenset({"volatile:-100"}))
        config, here = self._config(), nullcontext([people])
        async with build(
            self.home, config, clock=self.clock, opening=lambda _: here, default_agent=AGENT, access=access
        ) as built:
            self.built = built
            async with asyncio.TaskGroup() as group:
                serving = group.create_task(built.service.run([AGENT], owner="test"))
                yield
                built.service.stop()
                await serving
        self._said = people._count

    async def ask(self, text: str) -> str:
        """Say something; the whole answer."""
        assert self.people
        kind = ChatKind.GROUP if self.is_group else ChatKind.PRIVATE
        return await self.people.ask(text, chat=self.chat, kind=kind)

    @property
    def is_group(self) -> bool:
        return self.chat.startswith("-")

    async def forget(self, wanted: str) -> str:
        """Ask for it, and confirm what is shown, the first of several."""
        preview = await self.ask(f"/forget {wanted}")
        yes = re.search(r"`(/forget (?:--purge )?yes [^`]+)`", preview)
        assert yes, preview
        return await self.ask(yes[1])

    async def note(self) -> str:
        """The fact noted by a command; its id, with `^`."""
        return _id(await self.ask(f"/remember {self.canary.text}"))

    def _config(self) -> Config:
        model = {"name": MODEL, "base_url": self.server.base_url, "api_key": KEY} if self.server else None
        return Config.model_validate(OPTIONS | ({"model": model} if model else {}))


def _id(text: str) -> str:
    found = re.search(r"\^\w{8}", text)
    assert found, text
    return found[0]


async def talk(scene: Scene) -> None:
    """What goes before: two facts noted, found, repeated, explained."""
    await scene.ask(f"/remember {KEPT}")
    await scene.ask("Who waters the plants?")
    await scene.ask("What about the tenant and the deposit?")
    await scene.ask(f"/recall {scene.canary.word}")
    await scene.ask("/why")
    await scene.ask("/today")
    scene.noticed = len(found(scene.home, scene.canary))


async def by_id(scene: Scene) -> None:
    name = await scene.note()
    await talk(scene)
    await scene.forget(name)


async def by_words(scene: Scene) -> None:
    await scene.note()
    await talk(scene)
    await scene.forget(f"{scene.canary.word} deposit")


async def by_line(scene: Scene) -> None:
    found = re.search(r"Noted in (\S+:\d+)", await scene.ask(f"/remember {scene.canary.text}"))
    assert found
    await talk(scene)
    await scene.forget(found[1])


async def by_number_of_a_passage(scene: Scene) -> None:
    await scene.note()
    await talk(scene)
    await scene.ask("What about the tenant and the deposit?")
    await scene.forget("1")


async def after_new(scene: Scene) -> None:
    name = _id(await scene.ask(scene.canary.text))  # said first, so that the note is called by it
    await talk(scene)
    await scene.ask("Who is it that left something in the box?")
    await scene.ask("/new")
    await scene.ask("What about the tenant?")
    await scene.forget(name)


async def after_a_rebuild(scene: Scene) -> None:
    name = await scene.note()
    await talk(scene)
    await _memory(scene).rebuild()
    await scene.forget(name)
    await _memory(scene).rebuild()


async def of_several_lines(scene: Scene) -> None:
    written = await _memory(scene).remember(
        Fact(f"{scene.canary.text}\n\n- box {scene.canary.number}\n- name {scene.canary.word}\n- key on the hook"),
        origin=Origin.OWNER,
        scope=OWNER,
        op_id="test:1",
        actor="owner",
    )
    await talk(scene)
    await scene.forget(f"^{written.fact.id}")


async def in_a_group(scene: Scene) -> None:
    scene.chat = "-100"
    name = await scene.note()
    await talk(scene)
    await scene.forget(name)


def obliging(received: Received) -> Step:
    """Notes what it is told to note, forgets what it has found when told so, and repeats all that it has heard."""
    if "please note:" in received.user_text and not received.tool_results:
        return Step(calls=(Call("remember", {"text": received.user_text.split("please note:")[1].strip()}),))
    if "please forget" in received.user_text and not received.tool_results:
        return Step(calls=(Call("memory_search", {"query": "tenant deposit box"}),))
    if "please forget" in received.user_text and "results" in (found := json.loads(received.tool_results[0])):
        ids = [hit["id"] for hit in found["results"] if "tenant" in hit["snippet"]]
        return Step(calls=(Call("forget", {"ids": ids}),))
    return Step(text=f"You said: {received.user_text.splitlines()[-1]} And I know: {' '.join(received.tool_results)}")


async def after_a_model_repeated_it(scene: Scene) -> None:
    await scene.ask(f"please note: {scene.canary.text}")
    await talk(scene)
    await scene.ask(f"So {scene.canary.word} has a box?")
    await scene.forget(scene.canary.word)


async def by_the_tool(scene: Scene) -> None:
    await scene.ask(f"please note: {scene.canary.text}")
    await talk(scene)
    await scene.ask(f"please forget the deposit of {scene.canary.word}")


async def before_a_restart(scene: Scene) -> None:
    await scene.note()
    await talk(scene)


async def after_a_restart(scene: Scene) -> None:
    await scene.forget(scene.canary.word)


async def on_the_command_line(scene: Scene) -> None:
    await command(scene, "memory", "forget", scene.canary.word, "--yes")


Act = Callable[[Scene], Awaitable[None]]

WAYS: dict[str, tuple[Act, ...]] = {
    "by id": (by_id,),
    "by words": (by_words,),
    "by line": (by_line,),
    "by number of a passage": (by_number_of_a_passage,),
    "after /new": (after_new,),
    "after a model repeated it": (after_a_model_repeated_it,),
    "by the tool": (by_the_tool,),
    "on the command line": (before_a_restart, on_the_command_line),
    "after a rebuild": (after_a_rebuild,),
    "of several lines": (of_several_lines,),
    "in a group": (in_a_group,),
    "after a restart": (before_a_restart, after_a_restart),
}
"""Each with what is done, one service after the other; a command line runs beside none."""

WITH_A_MODEL = frozenset({"after a model repeated it", "by the tool"})
BESIDE_NO_SERVICE = frozenset({on_the_command_line})


async def forgotten(way: str, folder: Path, *, seed: int = 7) -> Outcome:
    """Let one canary be forgotten in one way, and look for it."""
    mint = Mint(seed + len(way))
    canary = Canary(mint.secret("owner").canary, str(NUMBER + seed + sum(way.encode())))
    home = Home.find({"SCRUBJAY_HOME": str(folder)})
    home.prepare()
    home.config.write_text(json.dumps(OPTIONS), encoding="utf-8")
    outcome = Outcome(way)
    with OpenAIServer(obliging) if way in WITH_A_MODEL else nullcontext() as server:
        scene = Scene(home, canary, FrozenClock(NOON), server)
        for act in WAYS[way]:
            async with nullcontext() if act in BESIDE_NO_SERVICE else scene.running():
                await act(scene)
                if act is WAYS[way][-1] and act not in BESIDE_NO_SERVICE:
                    await look(scene, outcome)
        if WAYS[way][-1] in BESIDE_NO_SERVICE:
            async with scene.running():
                await look(scene, outcome)
        outcome.before = scene.noticed
        await look_at_rest(scene, outcome)
    return outcome


async def look(scene: Scene, outcome: Outcome) -> None:
    """Ask and search for it while the service runs."""
    if scene.server:
        scene.server.received.clear()
    for question in (
        "What about the tenant and the deposit?",
        "/why",
        "/today",
        "/recall deposit box",
        "/context full",
    ):
        answer = await scene.ask(question)
        if scene.canary.is_in(answer):
            outcome.shown.append(f"{question} -> {answer}")
    scope = chat_scope("volatile.bot:-100") if scene.is_group else OWNER
    hits = (await _memory(scene).recall(scene.canary.text, scope=scope)).hits
    outcome.shown += [hit.content for hit in hits if scene.canary.is_in(hit.content)]
    outcome.lost = "Okafor" not in await scene.ask("/recall who waters the plants?")
    if scene.server:
        outcome.sent = sum(scene.canary.is_in(json.dumps(one.body)) for one in scene.server.received)
    await scene.ask("/new")
    outcome.left += [f"running: {name}" for name in undocumented(scene)]


async def look_at_rest(scene: Scene, outcome: Outcome) -> None:
    """Look for it in the exports and on the disk after the end of the service, and again after a purge."""
    sessions = json.loads(await command(scene, "sessions", "list", "--json"))["sessions"]
    for one in sessions:
        text = await command(scene, "sessions", "export", one["id"])
        outcome.exported += scene.canary.is_in(text)
        if outcome.way != "in a group" and one is sessions[-1]:
            outcome.lost |= "Okafor" not in text
    outcome.left += undocumented(scene)
    scope = ["--scope", "chat:volatile.bot:-100"] if scene.is_group else []
    await command(scene, "memory", "forget", "--purge", "--yes", *scope)
    outcome.purged += found(scene.home, scene.canary)


def found(home: Home, canary: Canary) -> list[str]:
    """The files that have one of the canary's words in their bytes, or in their names."""
    root = home.config.parent
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if canary.is_in(path.name) or (path.is_file() and _has(path.read_bytes().lower(), canary))
    ]


def undocumented(scene: Scene) -> list[str]:
    return [name for name in found(scene.home, scene.canary) if not JOURNAL.fullmatch(name)]


def _has(data: bytes, canary: Canary) -> bool:
    return any(trace in data for trace in canary.traces)


def _memory(scene: Scene) -> Memory:
    assert scene.built
    return scene.built.service.worker.agents[AGENT].memory


async def command(scene: Scene, *words: str) -> str:
    """A command of the command line, in a thread of its own; what it printed."""

    def run() -> str:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("SCRUBJAY_HOME", str(scene.home.config.parent))
            code = scrubjay(words, clock=scene.clock)
        assert code == 0, (words, out.getvalue(), err.getvalue())
        return out.getvalue()

    return await asyncio.to_thread(run)


def main() -> int:
    """Print the table; the exit code says whether all are clean."""
    parser = argparse.ArgumentParser(description="Canary facts, forgotten in twelve ways and looked for everywhere.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--way", choices=sorted(WAYS))
    asked = parser.parse_args()
    outcomes = []
    for way in [asked.way] if asked.way else WAYS:
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(asyncio.run(forgotten(way, Path(folder), seed=asked.seed)))
    if asked.json:
        print(json.dumps([asdict(one) | {"clean": one.is_clean} for one in outcomes], indent=1, ensure_ascii=False))
    else:
        for one in outcomes:
            left, purged = len(one.left), len(one.purged)
            print(f"{one.way:28} before {one.before:2}  shown {len(one.shown)}  left {left}  after purge {purged}")
    return 0 if all(one.is_clean for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
