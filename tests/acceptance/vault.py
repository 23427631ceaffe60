"""A vault made of one conversation: dated notes, facts retained of each day, one reflection, and twenty questions.

`python -m tests.acceptance.vault --corpus DIR --conversation NAME --out HOME --json` copies the files of a conversation
(`2023-01-20-session-1.md`) into the daily logs of an empty home, which stays behind to be opened in Obsidian. Its last
line is `{"days", "facts", "pages", "dangling", "questions", "answered"}`: links of the pages that lead nowhere, and of
twenty questions (five kinds, about those who are named most) those that are answered with a place.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bot.config.model import Config
from bot.paths import Home
from memory import OWNER, FrozenClock, Memory
from memory.knowledge.reflection.reflect import reflect
from memory.knowledge.retain import choose_facts, find_new, find_pending, most_telling, write
from tests.acceptance.hundred import offline_bot

KINDS = (
    "What did {name} decide?",
    "Tell me about {name}.",
    "What was true about {name} in {month}?",
    "What does {name} like, and how sure are you?",
    "What do you remember about {name}?",
)
NAMES = 4
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLACE = re.compile(r"[\w/-]+\.md[:#]L?\d+")
_LINK = re.compile(r"\[\[([^\]|#]*)(?:#\^([\w-]+))?[^\]]*\]\]")


def logs(folder: Path) -> dict[date, str]:
    """Return the texts of a conversation by their days, each a daily log."""
    found = defaultdict[date, list[str]](list)
    for file in sorted(folder.glob("*.md")):
        if day := _DAY.search(file.name):
            found[date.fromisoformat(day[0])].append(file.read_text(encoding="utf-8").strip())
    return {day: "\n\n".join(texts) + "\n" for day, texts in sorted(found.items())}


async def grow(memory: Memory, days: Sequence[date]) -> int:
    """Retain the facts of these days by rules, and reflect once; returns how many facts that were."""
    count = 0
    for day in days:
        due = most_telling(await memory.run(find_pending, day, ()), day, lambda _: False)
        statements = await memory.run(find_new, due)
        count += len(await memory.run(write, day, choose_facts(statements, day), actor="vault"))
    await memory.run(reflect, op_id="vault", actor="vault")
    return count


def dangling(workspace: Path) -> Iterator[str]:
    """Yield the links of the pages in the bank that lead to no page, or to no line of it."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in workspace.rglob("*.md")}
    for page in sorted((workspace / "bank").rglob("*.md")):
        for name, line in _LINK.findall(page.read_text(encoding="utf-8")):
            if name not in texts or (line and f"^{line}" not in texts[name]):
                yield f"{page.name}: [[{name}{'#^' if line else ''}{line}]]"


async def run(folder: Path, home: Home) -> dict[str, int]:
    """Make the vault and ask it; returns the figures."""
    written = logs(folder)
    home.prepare()
    notes = home.workspace("personal") / "memory"
    notes.mkdir(parents=True, exist_ok=True)
    for day, text in written.items():
        (notes / f"{day}.md").write_text(text, encoding="utf-8")
    last = max(written)
    clock = FrozenClock(datetime(last.year, last.month, last.day, 9, tzinfo=UTC) + timedelta(days=1))
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}})
    answered = asked = 0
    async with offline_bot(home, config, clock) as people:
        await people.memory.sync()
        facts = await grow(people.memory, [*written])
        entities = (await people.memory.stats(scope=OWNER)).entities
        for name, _ in entities[:NAMES]:
            for kind in KINDS:
                clock.advance(minutes=1)
                question = kind.format(name=name, month=f"{last:%B}")
                answer = await people.ask(question)
                asked += 1
                answered += bool(_PLACE.search(answer))
                print(f"\n> {question}\n{answer}")
    workspace = home.workspace("personal")
    lost = [*dangling(workspace)]
    print("\n".join(lost))
    return {
        "days": len(written),
        "facts": facts,
        "pages": sum(1 for _ in (workspace / "bank").rglob("*.md")),
        "dangling": len(lost),
        "questions": asked,
        "answered": answered,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--conversation", required=True)
    parser.add_argument("--out", type=Path, required=True, help="an empty folder: the home")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = asyncio.run(run(options.corpus / options.conversation, Home.at(options.out)))
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
