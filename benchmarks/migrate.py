"""Agents moved from a home into a PostgreSQL database and back into an empty home: how long, and what differs.

    python -m benchmarks.migrate --agents 100 --facts 1000 --json

prints one JSON object as its last line: {"agents", "facts", "files", "rows", "bytes", "there_s", "back_s", "again_s",
"files_differ", "rows_differ", "questions", "answers_differ"}. Each agent has so many facts: the most in daily logs, 50
of them written one by one, so that its journal has them; and a conversation of 200 messages. `scrubjay store migrate`
moves them; `again_s` is a second move of what is there already. Files are compared by their bytes, the journal among
them; rows as they are in the two state files; answers are all hits of ten questions to each of ten agents, from indexes
that were made from the files on each side: which of several equally good hits comes first goes by the order in which
they came into an index.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import command_line
from benchmarks.homes import DATA, NOW, fillers, write_logs
from bot.postgresql.migrate import of_agent, of_all
from bot.storage.port import Effects, EntryKind, Envelope, TranscriptEntry
from bot.storage.sqlite import SqliteCoordinator
from memory import OWNER, FrozenClock, Memory, Origin
from tests.servers.postgresql import postgres_server
from tests.support.cli_process import ROOT
from tests.support.factories import OWNER as PERSON
from tests.support.factories import inbound, outbound

ONE_BY_ONE, MESSAGES = 50, 200
ASKED_AGENTS, QUESTIONS = 10, 10


@dataclass(frozen=True, slots=True)
class Home:
    """A home with agents, as the command line finds it."""

    folder: Path

    def prepare(self, agents: Sequence[str]) -> None:
        """Make it, with its configuration."""
        self.folder.mkdir()
        config = {"agents": {name: {} for name in agents}, "memory": {"embedder": {"kind": "none"}}}
        self.folder.joinpath("config.yaml").write_text(json.dumps(config))

    def workspace(self, agent: str) -> Path:
        """Return an agent's folder."""
        return self.folder / "workspaces" / agent

    async def fill(self, agents: Sequence[str], facts: int) -> None:
        """Give each agent facts and a conversation."""
        path = self.folder / "state" / "scrubjay.sqlite"
        path.parent.mkdir()
        async with SqliteCoordinator.open(path, clock=FrozenClock(NOW)) as coordinator:
            for number, agent in enumerate(agents):
                told = fillers(DATA / "fillers.json", facts, seed=number)
                write_logs(self.workspace(agent) / "memory", told[ONE_BY_ONE:])
                async with await self._memory(agent) as memory:
                    for n, fact in enumerate(told[:ONE_BY_ONE]):
                        op_id = f"{agent}-{n}"
                        await memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor="benchmark")
                await converse(coordinator, agent)

    async def answers(self, agents: Sequence[str], questions: Sequence[str]) -> list[list[str]]:
        """Return the hits of every question to every one of these agents."""
        found = []
        for agent in agents:
            async with await self._memory(agent) as memory:
                await memory.rebuild()
                recalls = [await memory.recall(question, scope=OWNER, limit=10) for question in questions]
                found += [[f"{hit.source}: {hit.content}" for hit in recall.hits] for recall in recalls]
        return found

    def files(self, agents: Sequence[str]) -> dict[str, bytes]:
        """Return the content of all files of these agents; the lock of a workspace is none."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for agent in agents
            for path in sorted(self.workspace(agent).rglob("*"))
            if path.is_file() and path.name != "lock"
        }

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return what the state file holds."""
        with closing(sqlite3.connect(self.folder / "state" / "scrubjay.sqlite")) as db:
            return {
                table: db.execute(f"SELECT {', '.join(columns.all)} FROM {table}").fetchall()
                for table, columns in {**of_agent(), **of_all()}.items()
            }

    def migrate(self, source: str, target: str) -> float:
        """Move everything; return the seconds."""
        environment = {"SCRUBJAY_HOME": str(self.folder), "HOME": str(self.folder.parent), "PATH": os.defpath}
        environment |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "TZ": "UTC"}
        command = [sys.executable, "-m", "bot", "store", "migrate", source, target, "--json"]
        began = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
        return time.monotonic() - began

    async def _memory(self, agent: str) -> Memory:
        index = self.folder / "state" / f"index-{agent}.sqlite"
        return await Memory.open(self.workspace(agent), index=index, clock=FrozenClock(NOW))


async def converse(coordinator: SqliteCoordinator, agent: str) -> None:
    """Have a conversation with an agent, all of its questions in one turn, and half of the answers delivered."""
    (grant,) = await coordinator.claim("benchmark", [agent])
    for n in range(MESSAGES // 2):
        await coordinator.publish(Envelope(agent, PERSON, inbound(f"question {n}", update=f"{agent} {n}")))
    messages = await coordinator.pending(grant, after=0)
    entries = [
        TranscriptEntry(EntryKind.REPLY, str(n), NOW, json.dumps({"text": f"réponse {n} 雪"})) for n in range(100)
    ]
    parts = tuple(outbound(f"{agent} {n}", f"answer {n}") for n in range(2))
    session = messages[0].envelope.session
    await coordinator.commit(grant, Effects(session, tuple(one.seq for one in messages), parts, tuple(entries)))
    await coordinator.publish(Envelope(agent, PERSON, inbound("still waiting", update=f"{agent} last")))


def differing(one: dict[str, Any], other: dict[str, Any]) -> int:
    """Count the names under which two differ."""
    return sum(one.get(name) != other.get(name) for name in one.keys() | other.keys())


def figures(agents: int, facts: int, folder: Path) -> dict[str, object]:
    """One move there and back."""
    names = [f"agent-{n}" for n in range(agents)]
    home, fresh = Home(folder / "home"), Home(folder / "fresh")
    for one in (home, fresh):
        one.prepare(names)
    asyncio.run(home.fill(names, facts))
    asked = random.Random(1).sample(names, min(ASKED_AGENTS, agents))
    questions = fillers(DATA / "fillers.json", QUESTIONS, seed=0)
    files, rows, answers = home.files(names), home.rows(), asyncio.run(home.answers(asked, questions))
    with postgres_server(fsync="on", full_page_writes="on", synchronous_commit="on") as server:
        url = server.database()
        there_s, again_s = home.migrate("home", url), home.migrate("home", url)
        back_s = fresh.migrate(url, "home")
    arrived = fresh.rows()
    return {
        "agents": agents,
        "facts": facts,
        "files": len(files),
        "rows": sum(map(len, rows.values())),
        "bytes": sum(map(len, files.values())),
        "there_s": round(there_s, 1),
        "back_s": round(back_s, 1),
        "again_s": round(again_s, 1),
        "files_differ": differing(files, fresh.files(names)) + differing(files, home.files(names)),
        "rows_differ": sum(len({*rows[table]} ^ {*arrived[table]}) for table in rows),
        "questions": len(answers),
        "answers_differ": sum(
            a != b for a, b in zip(answers, asyncio.run(fresh.answers(asked, questions)), strict=True)
        ),
    }


def main() -> None:
    """One run."""
    parser = command_line(__doc__)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--facts", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scrubjay-migrate-") as folder:
        print(json.dumps(figures(given.agents, given.facts, Path(folder))))


if __name__ == "__main__":
    main()
