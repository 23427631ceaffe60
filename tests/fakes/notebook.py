"""A Memory small enough to be read at a glance: real Markdown files, words compared as they are, one undo list."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from memory import (
    Citation,
    Clock,
    Fact,
    Hit,
    Kind,
    Line,
    Memory,
    Origin,
    Preview,
    Problem,
    Recall,
    Scope,
    Stats,
    Status,
    Synced,
    Undone,
    Where,
    Written,
)
from memory.errors import Busy, NotFound, NotUndoable, TooLarge
from memory.memory import Progress

EVERYWHERE = Where()
NOTED = re.compile(r"^- (?P<text>.*) \^(?P<id>[a-z0-9]{8})$")


class Notebook(Memory):
    """Keeps the front door's promises towards the command line, on files, without an index."""

    def __init__(self, workspace: Path, index: Path, clock: Clock, zone: ZoneInfo, *, read_only: bool) -> None:
        self._workspace = workspace
        self._index = index
        self._clock = clock
        self._zone = zone
        self._read_only = read_only
        self._previews: dict[str, tuple[Line, ...]] = {}

    @classmethod
    async def open(
        cls,
        workspace: Path,
        *,
        index: Path,
        clock: Clock | None = None,
        zone: ZoneInfo | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        assert clock is not None
        if (workspace / "busy").exists():
            raise Busy("Another process holds the workspace.", hint="Wait for it.")
        (workspace / "memory").mkdir(parents=True, exist_ok=True)
        if progress is not None:
            progress(1, 1)
        return cls(workspace, index, clock, zone or ZoneInfo("UTC"), read_only=read_only)

    async def remember(self, text: str | Fact, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Written:
        assert not self._read_only
        said = text if isinstance(text, str) else text.text
        if len(said) > 4000:
            raise TooLarge("A fact may have 4,000 characters.", hint="Split it.")
        path = f"memory/{self._clock.now().astimezone(self._zone):%Y-%m-%d}.md"
        file = self._workspace / path
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else ["# Log", "", "## Retain"]
        number = f"{sum(1 for _ in self._noted()) + 1:08d}"
        line = f"- {said} ^{number}"
        self._write(path, [*lines, line], action="remember", removed=line, restored="")
        names = tuple(re.findall(r"@(\w+)", said))
        category = next(iter(re.findall(r"#(\w+)$", said)), None)
        fact = Fact(said, Kind.WORLD, names, category, number)
        return Written(fact, Citation(path, len(lines) + 1, len(lines) + 1), line)

    async def recall(
        self, query: str, *, scope: Scope, limit: int = 6, budget_chars: int = 8000, where: Where = EVERYWHERE
    ) -> Recall:
        words = set(re.findall(r"\w+", query.lower()))
        hits = [hit for hit in self._hits(scope, words) if hit.score > 0]
        hits.sort(key=lambda hit: -hit.score)
        reason = "" if hits else "No word of the question stands in any note."
        return Recall(query, "words", reason, 1.5, tuple(hits[:limit]), tuple(hits[limit:]))

    async def find(self, id: str, *, scope: Scope) -> Hit:
        for hit in self._hits(scope, set()):
            if hit.id == id.removeprefix("^"):
                return hit
        raise NotFound(f"Nothing has the id {id}.", hint="Look for it by its words.")

    async def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        words = set(re.findall(r"\w+", wanted.lower()))
        lines = tuple(
            Line(block, path, number, text)
            for path, number, text, block in self._noted()
            if block == wanted.removeprefix("^") or words & set(re.findall(r"\w+", text.lower()))
        )
        self._previews["token"] = lines
        return Preview("token", lines, self._clock.now().isoformat())

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        gone = self._previews[token]
        for line in gone:
            content = (self._workspace / line.path).read_text(encoding="utf-8").splitlines()
            before = content[line.number - 1]
            content[line.number - 1] = f"<!-- scrubjay:forgotten ^{line.id} -->"
            self._write(line.path, content, action="forget", removed="", restored=before)
        return gone

    async def undo(self, count: int = 1, *, op_id: str, scope: Scope, actor: str) -> tuple[Undone, ...]:
        journal = self._journal()
        if len(journal) < count:
            raise NotUndoable("There is nothing to undo.")
        taken = journal[: -count - 1 : -1]
        for record in taken:
            (self._workspace / record["path"]).write_text(record["before"], encoding="utf-8")
        self._journal_file.write_text(json.dumps(journal[:-count]), encoding="utf-8")
        names = [field.name for field in dataclasses.fields(Undone)]
        return tuple(Undone(**{name: record[name] for name in names}) for record in taken)

    async def problems(self) -> tuple[Problem, ...]:
        return tuple(
            Problem(str(path.relative_to(self._workspace)), number, "this bullet does not parse", "Close the bracket.")
            for path in sorted((self._workspace / "memory").glob("*.md"))
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if line.startswith("- O(")
        )

    async def stats(self, *, scope: Scope) -> Stats:
        hits = list(self._hits(scope, set()))
        names = sorted({name for hit in hits for name in hit.entities})
        return Stats(1, len(hits), len(hits), {"world": len(hits)}, {}, tuple((name, 1) for name in names), None, None)

    async def status(self) -> Status:
        broken = self._index.exists() and self._index.read_bytes() == b"broken"
        facts = sum(1 for _ in self._noted())
        state, reason = ("broken", "The file is damaged.") if broken else ("ready", "")
        return Status(state, 1, facts, facts, 0, reason, str(self._index), 0)

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        if progress is not None:
            progress(1, 1)
        return Synced(1, sum(1 for _ in self._noted()), 0, 0, 2.0)

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        return dataclasses.replace(await self.sync(progress=progress), changed=1)

    async def close(self) -> None:
        """Nothing is held open."""

    def _noted(self) -> Iterator[tuple[str, int, str, str]]:
        for path in sorted((self._workspace / "memory").glob("*.md")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = NOTED.match(line)
                if found:
                    yield str(path.relative_to(self._workspace)), number, found["text"], found["id"]

    def _hits(self, scope: Scope, words: set[str]) -> Iterator[Hit]:
        for path, number, text, block in self._noted() if scope == "owner" else ():
            place = Citation(path, number, number)
            shared = float(len(words & set(re.findall(r"\w+", text.lower()))))
            names = tuple(re.findall(r"@(\w+)", text))
            yield Hit(block, Kind.WORLD, path[7:17], names, text, place, place, scope, shared, {"words": shared})

    @property
    def _journal_file(self) -> Path:
        return self._workspace / "memory" / "journal.json"

    def _journal(self) -> list[dict[str, str]]:
        if not self._journal_file.exists():
            return []
        records: list[dict[str, str]] = json.loads(self._journal_file.read_text(encoding="utf-8"))
        return records

    def _write(self, path: str, lines: list[str], *, action: str, removed: str, restored: str) -> None:
        file = self._workspace / path
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        told = {"action": action, "path": path, "removed": removed, "restored": restored, "before": before}
        record = told | {"at": self._clock.now().isoformat()}
        self._journal_file.write_text(json.dumps([*self._journal(), record]), encoding="utf-8")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
