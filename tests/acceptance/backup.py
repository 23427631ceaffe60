"""A full home is backed up, restored under another name, and asked the same questions.

    python -m tests.acceptance.backup --questions 100 --json

prints one JSON object as its last line: {"questions", "same", "files", "bytes", "findings"}. `same` counts the
questions that are answered with the same facts from the same lines, `findings` what doctor finds wrong in the restored
home. Recall is by words, in both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from memory import OWNER, Memory, SystemClock
from tests.support.cli_process import run

PEOPLE = "Ana Peter Mira Jonas Lena Omar Yuki Carla Felix Greta".split()
THINGS = "ladder lantern kettle bicycle curtain suitcase armchair blanket umbrella mirror".split()
PLACES = "attic cellar garage harbour library bakery station greenhouse courtyard chapel".split()
LANGUAGES = (
    "{who} keeps the {thing} in the {place}, box {number}.",
    "{who} bewahrt das Ding {thing} am Ort {place} auf, Kiste {number}.",
    "{who} 把 {thing} 放在 {place}，{number} 号箱。",
)
CONFIG = """\
agents:
  personal:
    about: me
  work:
    about: us
    workspace: ../elsewhere
memory:
  embedder:
    kind: none
telegram:
  token: ""
jobs:
  backup:
    monthly: 3
"""


def facts(count: int, *, seed: int) -> list[tuple[str, str]]:
    """Return so many different facts in three languages, each with a question."""
    chance, found = random.Random(seed), dict[str, str]()
    while len(found) < count:
        who, thing, place = chance.choice(PEOPLE), chance.choice(THINGS), chance.choice(PLACES)
        text = chance.choice(LANGUAGES).format(who=who, thing=thing, place=place, number=len(found))
        found[text] = f"{who} {thing} {place}"
    return list(found.items())


async def answers(workspace: Path, index: Path, questions: list[str]) -> list[list[tuple[str, str, str]]]:
    """Ask a memory; return the ids, sources and texts of what it finds, a list for each question."""
    async with await Memory.open(workspace, index=index, clock=SystemClock()) as memory:
        found = [await memory.recall(question, scope=OWNER) for question in questions]
    return [[(hit.id, str(hit.source), hit.content) for hit in one.hits] for one in found]


def move(base: Path, *, questions: int, seed: int) -> dict[str, Any]:
    """Fill a home, back it up, restore it elsewhere, and compare."""
    old, new = base / "attic" / "home", base / "cellar" / "scrubjay"
    old.mkdir(parents=True)
    (old / "config.yaml").write_text(CONFIG)
    told = facts(questions, seed=seed)
    half = len(told) // 2
    for agent, some in (("personal", told[:half]), ("work", told[half:])):
        run(old, "chat", "--agent", agent, stdin="".join(f"/remember {text}\n" for text, _ in some))
    run(old, "memory", "forget", told[0][1], "--yes")
    made = json.loads(run(old, "backup", "create", "--json").out)
    before = {
        "personal": asyncio.run(answers(old / "workspaces" / "personal", base / "a", [one for _, one in told[:half]])),
        "work": asyncio.run(answers(old.parent / "elsewhere", base / "b", [one for _, one in told[half:]])),
    }
    restored = run(new, "backup", "restore", made["path"], "--json")
    assert restored.code == 0, restored.err
    after = {
        "personal": asyncio.run(answers(new / "workspaces" / "personal", base / "c", [one for _, one in told[:half]])),
        "work": asyncio.run(answers(new / "workspaces" / "work", base / "d", [one for _, one in told[half:]])),
    }
    found = json.loads(run(new, "doctor", "--json").out)["findings"]
    same = sum(x == y for agent in before for x, y in zip(before[agent], after[agent], strict=True))
    return {
        "questions": questions,
        "answered": sum(map(bool, before["personal"] + before["work"])),
        "same": same,
        "files": made["files"],
        "bytes": made["size"],
        "findings": [one["id"] for one in found if one["severity"] != "note"],
    }


def main() -> None:
    """Move house once, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(move(Path(name), questions=given.questions, seed=given.seed)))


if __name__ == "__main__":
    main()
