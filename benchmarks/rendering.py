"""Whether the structure of an answer is kept as it is shown: items stay items, lines stay lines, code stays code.

    python -m benchmarks.rendering --documents 6000 --seed 1 --json

writes random documents (headings, lists in lists, quotes, blocks of code, tables, formatted words) and knows of each
what its lines are. Each goes the way of an answer, to Telegram and to Discord. In what arrives, every word must be
there once and in its order; words of one line must stand in one line, and those of two lines in two; an item must begin
with a mark; and a block of code must be shown as code, with its indentation. The last line with --json is one JSON
object: `{"documents", "seed", "telegram": {"faults", "first"}, "discord": {...}}`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from textwrap import dedent

from adapters.discord import rendering as discord
from adapters.markdown import as_code, split
from adapters.telegram.rendering import MAX_TEXT_UNITS, render
from benchmarks.figures import command_line

WORD = re.compile(r"w\d+x")
MARK = re.compile(r"[\s>│]*(?:[•☑☐*+-]|\d+[.)])(?=[\s>│])")
BARE_MARK = re.compile(r"[\s>│]*(?:(?:[•☑☐*+-]|\d+[.)])[\s>│]+)+")
QUOTED = re.compile(r"^(?:[ \t]*[>│] ?)+")
FENCE = re.compile(r"^((?:[\s>│]|[-*] |\d+\. )*)```.*")
MAX_DEPTH = 3


@dataclass(slots=True)
class Document:
    """A text, and what must be seen of it.

    Attributes:
        lines: the words of each line that is shown, in order; a row of a table is a line.
        items: the first words of items.
        code: the lines of each block of code.
    """

    lines: list[list[str]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    code: list[list[str]] = field(default_factory=list)
    text: str = ""


class Writer:
    """Writes random documents.

    Args:
        random: what they are made from.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._document = Document()
        self._words = 0

    def write(self) -> Document:
        """Write a document of one to five blocks."""
        self._document, self._words = Document(), 0
        self._document.text = "\n".join(self._blocks(0, self._random.randint(1, 5)))
        return self._document

    def _line(self) -> list[str]:
        words = []
        for _ in range(self._random.randint(1, 4)):
            self._words += 1
            words.append(f"w{self._words}x")
        self._document.lines.append(words)
        return words

    def _formatted(self, words: list[str]) -> str:
        form = self._random.choice(
            ("{}", "{}", "{}", "**{}**", "*{}*", "`{}`", "~~{}~~", "[{}](https://a.example)", "雪 {} 👍")
        )
        return " ".join((form.format(words[0]), *words[1:]))

    def _blocks(self, depth: int, count: int) -> list[str]:
        """Write blocks; a blank line is between two of them unless the second one needs none."""
        kinds: list[Callable[[int], list[str]]] = [self._paragraph, self._paragraph, self._code, self._heading]
        if depth < MAX_DEPTH:
            kinds += [self._list, self._list, self._quote]
        if not depth:
            kinds += [self._table, self._rule]
        lines: list[str] = []
        before = None
        for _ in range(count):
            kind = self._random.choice([kind for kind in kinds if kind != before or kind == self._paragraph])
            stands_apart = kind in {self._code, self._heading} and before != self._table
            if before and not (stands_apart and self._random.random() < 0.5):
                lines.append("")
            lines += kind(depth)
            before = kind
        return lines

    def _paragraph(self, _depth: int) -> list[str]:
        lines = [self._formatted(self._line()) for _ in range(self._random.randint(1, 3))]
        return [line + self._random.choice(("", "", "  ")) for line in lines[:-1]] + lines[-1:]

    def _heading(self, _depth: int) -> list[str]:
        return ["#" * self._random.randint(1, 6) + " " + self._formatted(self._line())]

    def _rule(self, _depth: int) -> list[str]:
        return ["---"]

    def _code(self, _depth: int) -> list[str]:
        code = ["    " * self._random.randint(0, 2) + " ".join(self._line()) for _ in range(self._random.randint(1, 3))]
        self._document.code.append(code)
        return ["```" + self._random.choice(("", "python", "sh")), *code, "```"]

    def _quote(self, depth: int) -> list[str]:
        return [f"> {line}".rstrip() for line in self._blocks(depth + 1, self._random.randint(1, 2))]

    def _table(self, _depth: int) -> list[str]:
        rows = []
        width = self._random.randint(1, 3)
        for _ in range(self._random.randint(2, 4)):
            row = [f"w{self._words + number + 1}x" for number in range(width)]
            self._words += width
            self._document.lines.append(row)
            rows.append("| " + " | ".join(row) + " |")
        return [rows[0], "|" + "---|" * width, *rows[1:]]

    def _list(self, depth: int) -> list[str]:
        mark = self._random.choice(("- ", "* ", "1. ", "- [ ] ", "- [x] "))
        is_loose = self._random.random() < 0.3
        lines: list[str] = []
        for number in range(self._random.randint(1, 4)):
            if lines and is_loose:
                lines.append("")
            lead = f"{number + 1}. " if mark == "1. " and self._random.random() < 0.7 else mark
            self._document.items.append(f"w{self._words + 1}x")
            is_task = "[" in lead
            first = self._quote if not is_task and depth + 1 < MAX_DEPTH and self._random.random() < 0.2 else None
            content = first(depth + 1) if first else self._paragraph(depth)
            for _ in range(self._random.randint(0, 2) if depth + 1 < MAX_DEPTH else 0):
                content += ["", *self._blocks(depth + 1, 1)] if self._random.random() < 0.5 else self._joined(depth)
            indent = " " * (2 if is_task else len(lead))
            lines += [lead + content[0], *(f"{indent}{line}".rstrip() if line else "" for line in content[1:])]
        return lines

    def _joined(self, depth: int) -> list[str]:
        """Write what may follow a line of an item without a blank line."""
        return [*self._random.choice((self._code, self._heading))(depth)]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line as it is shown."""

    text: str
    is_code: bool


def on_telegram(markdown: str) -> Iterator[ShownLine]:
    """Yield the lines of an answer as Telegram shows them."""
    for part in split(markdown, MAX_TEXT_UNITS, unit="utf16"):
        shown = render(part)
        blocks = [(e.offset, e.offset + e.length) for e in shown.entities if e.type == "pre"]
        at = 0
        for line in shown.text.split("\n"):
            units = len(line.encode("utf-16-le")) // 2
            yield ShownLine(line, any(start <= at and at + units <= end for start, end in blocks))
            at += units + 1


def on_discord(markdown: str) -> Iterator[ShownLine]:
    """Yield the lines of an answer as Discord shows them: a line of three marks begins or ends code."""
    for part in split(as_code(markdown), discord.MAX_CHARS):
        is_code = False
        for line in discord.render(part).split("\n"):
            if FENCE.match(line):
                is_code = not is_code
            yield ShownLine(FENCE.sub(r"\1", line), is_code)


PLATFORMS: Mapping[str, Callable[[str], Iterator[ShownLine]]] = {"telegram": on_telegram, "discord": on_discord}


def faults(document: Document, shown: list[ShownLine]) -> Iterator[str]:
    """Yield what was lost of the structure."""
    wanted = [word for line in document.lines for word in line]
    found = [(word, number) for number, line in enumerate(shown) for word in WORD.findall(line.text)]
    if [word for word, _ in found] != wanted:
        yield "words are missing, doubled or in another order"
        return
    place = dict(found)
    for before, after in pairwise(document.lines):
        if place[before[-1]] == place[after[0]]:
            yield f"no line break before {after[0]}"
    yield from (f"a line is broken at {line[0]}" for line in document.lines if len({place[word] for word in line}) > 1)
    yield from (f"no mark at {word}" for word in document.items if not _is_marked(shown, place[word], word))
    for block in document.code:
        lines = [shown[place[words[0]]] for words in map(WORD.findall, block)]
        if not all(line.is_code for line in lines):
            yield f"not shown as code: {block[0].strip()}"
        text = "\n".join(QUOTED.sub("", line.text) for line in lines)
        if dedent(text).rstrip() != dedent("\n".join(block)):
            yield f"code is changed: {block[0].strip()}"


def _is_marked(shown: list[ShownLine], number: int, word: str) -> bool:
    """Whether a mark is before the word, or alone in the line before: a block of code has lines of its own."""
    if MARK.match(shown[number].text.partition(word)[0]):
        return True
    return number > 0 and shown[number].is_code and bool(BARE_MARK.fullmatch(shown[number - 1].text + " "))


def measure(platform: str, *, documents: int, seed: int) -> tuple[int, str]:
    """Return how many documents lost something on a platform, and the first of them."""
    writer, count, first = Writer(Random(seed)), 0, ""
    for _ in range(documents):
        document = writer.write()
        wrong = list(faults(document, list(PLATFORMS[platform](document.text))))
        count += bool(wrong)
        first = first or ("" if not wrong else f"{wrong[0]}\n{document.text}")
    return count, first


def main(arguments: list[str] | None = None) -> int:
    """Measure; the exit code is 1 if anything was lost."""
    parser = command_line(__doc__, seed=1)
    parser.add_argument("--documents", type=int, default=6000, help="how many are written (default 6000)")
    options = parser.parse_args(arguments)
    figures: dict[str, object] = {"documents": options.documents, "seed": options.seed}
    total = 0
    for platform in PLATFORMS:
        count, first = measure(platform, documents=options.documents, seed=options.seed)
        total += count
        figures[platform] = {"faults": count, "first": first}
        sys.stdout.write(f"{platform}: {count} of {options.documents} documents lost some structure\n{first}\n")
    if options.json:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
