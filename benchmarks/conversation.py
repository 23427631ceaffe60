"""One recorded conversation, copied in as dated notes, and questions about it asked in the real offline chat.

    python -m benchmarks.conversation FOLDER --questions questions.json --take 20 --json

FOLDER holds one Markdown file per session, their names beginning with the day. The questions are a JSON list of
objects with `conv` (the folder's name), `q`, and `gold`: a list of {file, start, end} (lines from 1); the file beside
the folder if none is given. Nothing is changed in either.

Prints for each question whether a passage with a gold line was among those that the answer quoted, or at least one
from a gold file, and as the last line with `--json` one object: {"asked", "lines", "files", "nothing",
"noted", "ms"}. `nothing` counts the questions that it knew nothing about, `noted` questions that it took for
statements; `ms` is the median from a question to its answer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Self

from benchmarks import figures
from bot.texts.catalogue import FOLDER, in_language, tr

SCRUBJAY = (sys.executable, "-m", "bot")
MARK = "/end-of-the-answer"
"""A line whose answer everybody knows: a pipe does not show where one answer ends and the next begins."""
SOURCE = re.compile(r"^ +`memory/(\S+\.md)#L(\d+)(?:-L(\d+))?`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file, both ends included."""

    file: str
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.file == other.file and self.start <= other.end and other.start <= self.end


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and where the answer stands."""

    text: str
    gold: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the chat said, and how long it took."""

    text: str
    ms: float

    @property
    def sources(self) -> list[Span]:
        """The lines that it quotes."""
        return [Span(file, int(start), int(end or start)) for file, start, end in SOURCE.findall(self.text)]

    def quotes_line(self, question: Question) -> bool:
        return any(source.overlaps(gold) for source in self.sources for gold in question.gold)

    def quotes_file(self, question: Question) -> bool:
        return any(source.file == gold.file for source in self.sources for gold in question.gold)

    def begins_like(self, text: str) -> bool:
        """Whether it begins with a text of the catalogue, in any language."""
        return self.text.startswith(tuple(in_every_language(text)))


def in_every_language(text: str) -> list[str]:
    """Return a text of the catalogue in every language, each up to what is filled in."""
    found = []
    for language in ("en", *(folder.name for folder in FOLDER.iterdir())):
        with in_language(language):
            found.append(tr(text).partition("{")[0])
    return found


class Chat:
    """`scrubjay chat` between pipes, over a home with these notes; use it as a context manager."""

    def __init__(self, home: Path) -> None:
        environment = {"SCRUBJAY_HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(figures.ROOT), "TZ": "UTC"}
        subprocess.run([*SCRUBJAY, "memory", "index"], env=environment, check=True, stdout=subprocess.DEVNULL)
        self._process = subprocess.Popen(
            [*SCRUBJAY, "chat", "--agent", "personal"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.ask("/help")  # the first answer carries a notice

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        with self._process:
            self._process.terminate()

    def ask(self, text: str) -> Answer:
        """Say a line; the lines that come back."""
        assert self._process.stdin
        assert self._process.stdout
        began = perf_counter()
        self._process.stdin.write(f"{text}\n{MARK}\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if MARK in line:
                return Answer("".join(lines), (perf_counter() - began) * 1000)
            lines.append(line)
        raise SystemExit(f"The chat ended at: {text}")


def questions(path: Path, conversation: str, *, take: int, seed: int) -> list[Question]:
    """So many questions about a conversation, drawn by lot, in their order."""
    told: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    about = [one for one in told if one["conv"] == conversation and one["gold"]]
    chosen = sorted(random.Random(seed).sample(range(len(about)), min(take, len(about))))
    return [Question(" ".join(about[n]["q"].split()), tuple(Span(**gold) for gold in about[n]["gold"])) for n in chosen]


def asked(folder: Path, wanted: Sequence[Question]) -> list[Answer]:
    """The answers of a chat whose home has only this conversation."""
    with tempfile.TemporaryDirectory(prefix="scrubjay-conversation-") as name:
        notes = Path(name) / "workspaces" / "personal" / "memory"
        notes.mkdir(parents=True)
        for file in folder.glob("*.md"):
            shutil.copyfile(file, notes / file.name)
        with Chat(Path(name)) as chat:
            return [chat.ask(question.text) for question in wanted]


def summary(wanted: Sequence[Question], answers: Sequence[Answer]) -> dict[str, object]:
    """The counts."""
    pairs = list(zip(wanted, answers, strict=True))
    return {
        "asked": len(pairs),
        "lines": sum(answer.quotes_line(question) for question, answer in pairs),
        "files": sum(answer.quotes_file(question) for question, answer in pairs),
        "nothing": sum(answer.begins_like("I know nothing about that.") for answer in answers),
        "noted": sum(answer.begins_like("Noted in {place} — ^{id}") for answer in answers),
        "ms": round(statistics.median(answer.ms for answer in answers), 1) if answers else None,
    }


def verdict(question: Question, answer: Answer) -> str:
    """In one word: what the answer quoted."""
    if answer.quotes_line(question):
        return "line"
    return "file" if answer.quotes_file(question) else "-"


def main(argv: Sequence[str] | None = None) -> int:
    """Ask, and print what came of it."""
    given = _options(argv)
    path = given.questions or given.folder.parent / "questions.json"
    wanted = questions(path, given.folder.name, take=given.take, seed=given.seed)
    answers = asked(given.folder, wanted)
    for question, answer in zip(wanted, answers, strict=True):
        print(f"{verdict(question, answer):<6}{question.text}")
    found = summary(wanted, answers)
    print(f"{found['lines']} of {found['asked']} answers quote a gold line, {found['files']} a gold file.")
    figures.report("conversation", found, given)
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--take", type=int, default=20)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
