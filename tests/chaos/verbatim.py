"""Texts of every shape, noted in every way, and read back from the files' bytes: kept whole, or told as not noted.

`python -m tests.chaos.verbatim --texts 2000 --seed 1 --json` prints, as its last line, `{"texts", "kept", "told",
"wrong"}`; `told` counts those that were not noted and answered so, `wrong` any other, which are printed. It fails if
there are any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random

import pytest

from bot.app import tools
from bot.cli.main import main as scrubjay
from bot.config.model import Config
from bot.paths import Home
from bot.storage.keys import SessionKey
from bot.tools.base import ToolError, Work
from bot.turn import Agent, Turn
from memory import OWNER, FrozenClock, Memory, Origin, SystemClock
from memory.capture import statement
from memory.index.units import read_facts
from tests.acceptance.hundred import offline_bot
from tests.support.conversation import ZONE, NoEffects
from tests.support.factories import HOME, NOON
from tests.support.factories import OWNER as PERSON

RECEIPT = re.compile(r"Noted in (\S+?\.md):\d+ — \^([0-9a-z]{8})")
WAYS = ("chat", "command", "tool", "cli")


def texts(count: int, random: Random) -> Iterator[str]:
    """So many texts, of all shapes in turn, no two alike."""
    for number in range(count):
        shape = SHAPES[number // len(WAYS) % len(SHAPES)]
        yield shape(random, _words(random, 3) + f" {number}")


def _words(random: Random, count: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(count))


_WORDS = (
    "garden boiler Okafor letter Müller straße mañana déjà 花园 锅炉 кот дом σπίτι منزل घर บ้าน 家 집 Peter's O'Brien "
    "don't über-cool naïve €12.50 3½ x² → ✓ 🐦 👩‍👩‍👧 ﬁle Ⅻ"
).split()


def _lines(random: Random, mark: Callable[[int], str]) -> str:
    return "\n".join(f"{mark(n)}{_words(random, random.randint(1, 6))}" for n in range(1, random.randint(3, 9)))


def _nested(random: Random, topic: str) -> str:
    lines = (f"{'  ' * random.randint(0, 3)}{random.choice('-*+')} {_words(random, 3)}" for _ in range(6))
    return f"List for {topic}:\n" + "\n".join(lines)


def _code(random: Random, topic: str) -> str:
    fence = random.choice(["```", "~~~~", "```python"])
    body = "def f(x):\n\tif x:\n\n\t\treturn '# no heading ^abc'  # " + _words(random, 2) + "\n\n    <!-- kept -->"
    return random.choice([f"The script for {topic}:\n", ""]) + f"{fence}\n{body}\n{fence.rstrip('python')}"


def _marks(random: Random, topic: str) -> str:
    marks = [
        "# " + topic,
        "## Retain",
        "<!-- scrubjay:forgotten ^k3f9a2mq -->",
        "<!-- open",
        "-->",
        "```",
        "~~~",
        "---",
    ]
    marks += [
        "- W @Eve: forged ^k3f9a2mq",
        "| a | b |",
        "> quoted",
        "\\# kept",
        "\\",
        "\\\\",
        "   ",
        "",
        "ends ^k3f9a2mq",
    ]
    marks += ["#goal", "ends #goal", "\\#goal", "1. first", "<!-- scrubjay:begin x -->", "<!-- scrubjay:end x -->"]
    return "\n".join([topic, *random.choices(marks, k=random.randint(1, 8)), _words(random, 2)])


def _spaces(random: Random, topic: str) -> str:
    inner = "\n".join(random.choices(["", "  ", "\t", "\u3000", f"\t{_words(random, 2)}  "], k=5))
    return f"{random.choice(['  ', chr(9), ''])}{topic}  \n{inner}\n end{random.choice(['', ' ', chr(10)])}"


SHAPES: Sequence[Callable[[Random, str], str]] = (
    lambda random, topic: f"My note on {topic} is about {_words(random, 12)}.",
    lambda random, topic: f"Shopping for {topic}:\n{_lines(random, lambda _: '- ')}",
    lambda random, topic: f"{_lines(random, lambda n: f'{n}. ')}\n{topic}",
    _nested,
    _code,
    lambda random, topic: (
        f"{topic} GmbH\nz. Hd. {_words(random, 2)}\nAm Markt {random.randint(1, 99)}\n0{topic[-1]}107 Ort"
    ),
    lambda random, topic: f"Minutes, {topic}\n\n{_lines(random, lambda _: '* ')}\n\nDecided: {_words(random, 8)}.",
    lambda random, topic: "\n".join(f"{_words(random, 5)}," for _ in range(4)) + f"\n    {topic}.",
    lambda random, topic: f"{topic}: {random.choice(_WORDS)}",
    lambda random, topic: f"The first line of {topic}\r\nthe second line\r\n\r\n- and {_words(random, 2)}\r\n",
    lambda random, topic: f"{topic}\twas\t{_words(random, 3)}\n\tindented\tby tabs",
    lambda random, topic: f"🎉🎂 {topic} 👨‍👩‍👧‍👦 is {_words(random, 4)} 🥳\n🇩🇪",
    lambda random, topic: f"שלום {topic} هذا نص من اليمين إلى اليسار\u200f {_words(random, 3)}\nמספר 12",
    _marks,
    _spaces,
    lambda random, topic: f"T: 030 1234567 is the number of {topic}",
    lambda random, topic: f"O(n) holds for {topic} @home [[Peter|him]] #goal",
    lambda random, topic: f"{topic}: " + " ".join(_words(random, 10) for _ in range(200)) + ".",
)

LARGE = 100_000
"""Characters of the largest text."""


def large(random: Random) -> str:
    """A text of 100 KB: paragraphs, lists and code."""
    parts: list[str] = ["A page that somebody has pasted."]
    while sum(map(len, parts)) < LARGE:
        parts.append(random.choice(SHAPES)(random, _words(random, 4)))
    return "\n\n".join(parts)


@dataclass(frozen=True, slots=True)
class Sent:
    """A text, how it was sent, and what was answered."""

    way: str
    text: str
    answer: str


async def send(home: Home, sent: Sequence[tuple[str, str]]) -> list[Sent]:
    """Send texts by chat, by command and by the tool, through one running service."""
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}, "owner": {"language": "en"}})
    answers = []
    async with offline_bot(home, config, FrozenClock(NOON)) as people:
        for way, text in sent:
            answers.append(Sent(way, text, await people.ask(f"/remember {text}" if way == "command" else text)))
    return answers


async def call_tool(workspace: Path, given: Sequence[str]) -> list[Sent]:
    """Have each text noted by the tool, as a model would."""
    remember, clock = tools()["remember"], FrozenClock(NOON)
    answers = []
    async with await Memory.open(workspace, index=workspace.parent / "tool.sqlite", clock=clock, zone=ZONE) as memory:
        agent = Agent("personal", "", memory, ZONE, clock)
        for number, text in enumerate(given):
            turn = Turn(
                f"tool{number}", agent, SessionKey("personal", HOME), PERSON, Origin.OWNER, OWNER, "", NOON, NoEffects()
            )
            try:
                answer = "\n".join((await remember.call(Work(turn, f"tool{number}:0"), {"text": text})).told)
            except ToolError as error:
                answer = str(error)
            answers.append(Sent("tool", text, answer))
    return answers


def run_cli(home: Path, given: Sequence[str]) -> list[Sent]:
    """Have each text noted by the command line, in this process."""
    answers = []
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SCRUBJAY_HOME", str(home))
        for text in given:
            out = StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                scrubjay(["memory", "remember", "--no-input", "--", text], clock=SystemClock())
            answers.append(Sent("cli", text, out.getvalue()))
    return answers


def verdict(workspace: Path, sent: Sent) -> str:
    """`kept` if the file has the text to the letter, `told` if it was answered as not noted, else what is wrong."""
    receipt = RECEIPT.search(sent.answer)
    if receipt is None:
        return "told" if "noted" not in sent.answer.replace("othing was noted", "").lower() else "an unclear answer"
    path = receipt[1]
    page = (workspace / path).read_bytes().decode()
    facts = {fact.id: fact.text for fact in read_facts(path, page)}
    given = (statement(sent.text) if sent.way == "chat" else sent.text).replace("\r\n", "\n").replace("\r", "\n")
    return "kept" if facts.get(receipt[2]) == given else f"read back as {facts.get(receipt[2])!r}"


def measure(folder: Path, count: int, seed: int, *, large_by: Sequence[str] = WAYS) -> list[tuple[Sent, str]]:
    """Send so many texts, spread over the ways, and judge each; the last by each of `large_by` is a large one."""
    random = Random(seed)
    given = [*texts(count - len(large_by), random)]
    by_way = {way: given[place :: len(WAYS)] for place, way in enumerate(WAYS)}
    for way in large_by:
        by_way[way].append(large(random))
    homes = {name: Home.at(folder / name) for name in ("chat", "cli")}
    for home in homes.values():
        home.prepare()
    (folder / "cli" / "config.yaml").write_text("memory: {embedder: {kind: none}}\n")
    said = [(way, text) for way in ("chat", "command") for text in by_way[way]]
    chat, tool = homes["chat"].workspace("personal"), folder / "tool" / "workspace"
    judged = [(sent, verdict(chat, sent)) for sent in asyncio.run(send(homes["chat"], said))]
    judged += [(sent, verdict(tool, sent)) for sent in asyncio.run(call_tool(tool, by_way["tool"]))]
    cli = run_cli(folder / "cli", by_way["cli"])
    return [*judged, *((sent, verdict(homes["cli"].workspace("personal"), sent)) for sent in cli)]


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judged = measure(Path(folder), options.texts, options.seed)
    counts = Counter(verdict if verdict in {"kept", "told"} else "wrong" for _, verdict in judged)
    for sent, found in judged:
        if found not in {"kept", "told"}:
            print(f"{sent.way}: {sent.text[:200]!r}\n  {found[:200]}\n  {sent.answer[:200]!r}")
    for way in WAYS:
        print(
            way,
            dict(Counter(found if found in {"kept", "told"} else "wrong" for sent, found in judged if sent.way == way)),
        )
    figures = {"texts": len(judged), "kept": counts["kept"], "told": counts["told"], "wrong": counts["wrong"]}
    print(json.dumps(figures) if options.json else figures)
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
