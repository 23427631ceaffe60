"""People edit the pages while reflection writes them: what they wrote is never lost, nor what the bot has.

`python -m tests.chaos.hand_edits --traces 2000 --seed 1 --json` prints, as its last line, `{"traces", "edits",
"during", "moved", "human_lost", "entries_lost", "unflagged"}`. In each trace facts are told, pages are edited (lines
added, changed or removed, outside and inside generated parts, in the page of opinions, too; saved in place, by a
renamed copy, or by cutting the file first) before reflection and while it writes, and then it runs. `human_lost`
counts lines of people that are in no page any more, `entries_lost` facts that a page ought to have and has not after
the last run, `unflagged` lines that were moved out of a generated part without a word. It fails if any of the three is
not 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from memory import OWNER, FrozenClock, Memory, Origin
from memory.journal.records import Operation
from memory.journal.writer import JournaledWriter
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.pages import linked_ids
from memory.knowledge.reflection.reflect import Reflection, reflect

NAMES = ("Ana", "Ben", "Chloé", "小明")
TOLD = (
    "@{name} lives in house {n}.",
    "W @{name}: Has seen film {n}.",
    "B @{name}: Went for walk {n}.",
    "O(c=0.7) @{name}: Likes soup number {n}.",
    "@{name} hates soup number {n}.",
)
IN_ONE_HOME = 25
"""Traces that follow one another in the same workspace."""


class EditedWriter(JournaledWriter):
    """Lets somebody edit a page in the moment before it is written."""

    edit: Callable[[str], None]

    def replace(self, path: str, text: str, operation: Operation, *, expected: str) -> None:
        self.edit(path)
        super().replace(path, text, operation, expected=expected)


class Person:
    """Edits pages; knows every line that they wrote and did not take away."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.folder = folder
        self._random = random
        self._count = 0
        self.lines: set[str] = set()
        self.inside: set[str] = set()
        self.edits = 0

    def pages(self) -> list[Path]:
        return sorted((self.folder / "bank").rglob("*.md"))

    def edit(self, path: Path) -> None:
        """Change a page in one of several ways, and save it as one of several editors does."""
        if not path.exists():
            return
        lines = path.read_text(encoding="utf-8").split("\n")
        begin = next((n for n, line in enumerate(lines) if "scrubjay:begin" in line), None)
        end = next((n for n, line in enumerate(lines) if "scrubjay:end" in line), None)
        self._count += 1
        mine = f"- My own line {self._count}."
        choice = self._random.choice(["above", "below", "inside", "change", "remove"])
        if (
            begin is None or end is None
        ):  # the page of opinions: at its end, so that no comment is parted from its bullet
            lines[len(lines) - 1 : len(lines) - 1] = ["", mine.removeprefix("- ")]
        elif choice == "above":
            lines[begin:begin] = [mine, ""]
        elif choice == "below" or end - begin < 3:
            lines[end + 1 : end + 1] = ["", mine]
        else:
            at = self._random.randrange(begin + 1, end)
            if choice == "inside":
                lines.insert(at, mine)
            elif choice == "change" and lines[at] not in self.lines:
                lines[at] = mine
            elif lines[at] not in self.lines:
                del lines[at]
                mine = ""
            else:
                return
        if mine:
            self.lines.add(mine.removeprefix("- ") if begin is None or end is None else mine)
        self.edits += 1
        self._save(path, "\n".join(lines))

    def _save(self, path: Path, text: str) -> None:
        way = self._random.choice(["in place", "rename", "truncate"])
        if way == "rename":
            copy = path.with_name(f"{path.name}~")
            copy.write_text(text, encoding="utf-8")
            copy.replace(path)
        elif way == "truncate":
            path.write_text(text, encoding="utf-8")
        else:
            with path.open("r+", encoding="utf-8") as file:
                file.write(text)
                file.truncate()


async def run(traces: int, seed: int) -> dict[str, int]:
    """Live through so many traces, and count."""
    found = Counter[str](traces=traces)
    random = Random(seed)
    for first in range(0, traces, IN_ONE_HOME):
        with tempfile.TemporaryDirectory(prefix="scrubjay-edits-") as name:
            found += await _live(Path(name), random, min(IN_ONE_HOME, traces - first))
    names = ("traces", "edits", "during", "moved", "human_lost", "entries_lost", "unflagged")
    return {name: found[name] for name in names}


async def _live(folder: Path, random: Random, traces: int) -> Counter[str]:
    found = Counter[str]()
    clock = FrozenClock(datetime(2026, 1, 1, 9, tzinfo=UTC))
    person = Person(folder / "notes", random)
    async with await Memory.open(folder / "notes", index=folder / "index.sqlite", clock=clock) as memory:
        for trace in range(traces):
            for n in range(random.randint(1, 3)):
                text = random.choice(TOLD).format(name=random.choice(NAMES), n=f"{trace}{n}")
                await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"t{trace}:{n}", actor="owner")
            for _ in range(random.randint(0, 3)):
                if pages := person.pages():
                    person.edit(random.choice(pages))
            reflected = await _reflect(memory, person, random, f"r{trace}", found)
            found["moved"] += sum(len(page.kept) for page in reflected.pages)
            found["unflagged"] += len(_unflagged(person, reflected))
            clock.advance(hours=random.choice([1, 24]))
        await memory.run(reflect, op_id="last", actor="owner")
        for path, hit in [(hit.source.path, hit) for hit in await memory.recent(500, scope=OWNER)]:
            texts = [page.read_text(encoding="utf-8") for page in person.pages()]
            evidence = (folder / "notes/bank/opinions.md").read_text(encoding="utf-8") if texts else ""
            is_there = any(hit.id in linked_ids(text) for text in texts) or f"^{hit.id}" in evidence
            found["entries_lost"] += not is_there and not path.startswith("bank/")
    kept = {line for page in person.pages() for line in page.read_text(encoding="utf-8").split("\n")}
    found["human_lost"] += len(person.lines - kept)
    found["edits"] += person.edits
    return found


async def _reflect(memory: Memory, person: Person, random: Random, name: str, found: Counter[str]) -> Reflection:
    """Reflect, with an edit of a page in the moment before it is written, now and then."""

    def edited(path: str) -> None:
        if random.random() < 0.3:
            before = person.edits
            person.edit(person.folder / path)
            found["during"] += person.edits - before

    def work(context: KnowledgeContext) -> Reflection:
        writer = EditedWriter.__new__(EditedWriter)
        writer.__dict__.update(context.writer.__dict__)
        writer.edit = edited
        return reflect(replace(context, writer=writer), op_id=name, actor="owner")

    return await memory.run(work)


def _unflagged(person: Person, reflected: Reflection) -> set[str]:
    """Return the lines that are outside now, were inside before, and were not reported."""
    reported = {line for page in reflected.pages for line in page.kept}
    outside: set[str] = set()
    inside: set[str] = set()
    for page in person.pages():
        place = outside
        for line in page.read_text(encoding="utf-8").split("\n"):
            place = inside if "scrubjay:begin" in line else outside if "scrubjay:end" in line else place
            place.add(line)
    moved = person.inside & outside
    person.inside = person.lines & inside
    return moved - reported


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(run(asked.traces, asked.seed))
    print(json.dumps(found) if asked.json else found)
    sys.exit(any(found[name] for name in ("human_lost", "entries_lost", "unflagged")))


if __name__ == "__main__":
    main()
