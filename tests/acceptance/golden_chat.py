"""How well the rules read a golden chat: `python -m tests.acceptance.golden_chat [FILE ...]` prints the table.

A file has one message a line: `lang`, `text`, `act`, and, if they are labelled, `kind`, `entities`, `category`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.capture import Act, act_of, draft
from memory.files.names import entity_name
from memory.types import Fact

CHAT = Path(__file__).parents[1] / "data" / "golden" / "chat.jsonl"
TWELVE = CHAT.with_name("twelve.jsonl")
LANGUAGES = ("en", "de", "zh")
"""The languages of the golden chat."""

ANSWERS = {Act.NOTE: "note", Act.QUESTION: "answer"}
"""What the chat calls an act; any other is `neither`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the golden chat: what it should be, and what the rules make of it.

    Attributes:
        lang: ISO 639-1 code.
        wanted, got: `note`, `answer` or `neither`.
        kind, category: as labelled; None where there is no label.
        entities: names as labelled, ready to compare; None where there is no label.
        drafted: what the rules would write down.
    """

    lang: str
    wanted: str
    got: str
    kind: str | None
    category: str | None
    entities: frozenset[str] | None
    drafted: Fact


@dataclass(frozen=True, slots=True)
class Score:
    """How often a label was right when it was given (precision), and given when it was right (recall)."""

    precision: float
    recall: float

    def __str__(self) -> str:
        return f"{self.precision:5.3f} {self.recall:5.3f}"


def read(path: Path = CHAT) -> list[Line]:
    """The golden chat, read by the rules."""
    with path.open(encoding="utf-8") as lines:
        return [_line(json.loads(line)) for line in lines if line.strip()]


def of_language(lines: Sequence[Line], lang: str) -> list[Line]:
    """The messages in one language; all of them for `all`."""
    return [line for line in lines if lang in {"all", line.lang}]


def act_score(lines: Sequence[Line], act: str) -> Score:
    """Precision and recall of `note`, `answer` or `neither`."""
    right = sum(line.wanted == line.got == act for line in lines)
    return _score(right, sum(line.got == act for line in lines), sum(line.wanted == act for line in lines))


def entity_score(lines: Sequence[Line]) -> Score:
    """Precision and recall of entities, over the messages that are labelled with them."""
    pairs = [(line.entities, _comparable(line.drafted.entities)) for line in lines if line.entities is not None]
    right = sum(len(wanted & got) for wanted, got in pairs)
    return _score(right, sum(len(got) for _, got in pairs), sum(len(wanted) for wanted, _ in pairs))


def accuracy(lines: Sequence[Line], label: Callable[[Line], str | None], got: Callable[[Line], str | None]) -> float:
    """The share of labelled messages whose label was found."""
    labelled = [line for line in lines if label(line) is not None]
    return sum(label(line) == got(line) for line in labelled) / max(1, len(labelled))


def table(lines: Sequence[Line]) -> str:
    """All figures, for a person."""
    return "\n".join(_rows(lines))


def _rows(lines: Sequence[Line]) -> Iterator[str]:
    yield "             noted        answering    neither      entities"
    yield "lang    n    prec  rec    prec  rec    prec  rec    prec  rec    kind   category"
    languages = (*dict.fromkeys(line.lang for line in lines), "all")
    for lang in languages:
        some = of_language(lines, lang)
        acts = "  ".join(str(act_score(some, act)) for act in ("note", "answer", "neither"))
        kind = accuracy(some, lambda line: line.kind, lambda line: line.drafted.kind)
        category = accuracy(some, lambda line: line.category, lambda line: line.drafted.category)
        labelled = any(line.entities is not None for line in some)
        rest = f"{entity_score(some)}  {kind:5.3f}  {category:5.3f}" if labelled else "not labelled"
        yield f"{lang:4} {len(some):4}    {acts}  {rest}"
    yield ""
    for lang in languages:
        mistaken = Counter(
            f"{line.wanted} as {line.got}" for line in of_language(lines, lang) if line.wanted != line.got
        )
        yield f"{lang:4} " + (", ".join(f"{count} {what}" for what, count in mistaken.most_common()) or "no mistakes")


def _line(raw: dict[str, str | list[str] | None]) -> Line:
    text, entities = str(raw["text"]), raw.get("entities")
    return Line(
        lang=str(raw["lang"]),
        wanted=str(raw["act"]),
        got=ANSWERS.get(act_of(text), "neither"),
        kind=_label(raw.get("kind")),
        category=_label(raw.get("category")),
        entities=_comparable(entities) if isinstance(entities, list) else None,
        drafted=draft(text),
    )


def _label(value: str | list[str] | None) -> str | None:
    return value if isinstance(value, str) else None


def _comparable(names: Sequence[str]) -> frozenset[str]:
    return frozenset(entity_name(name).casefold() for name in names)


def _score(right: int, given: int, wanted: int) -> Score:
    return Score(right / max(1, given), right / max(1, wanted))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[CHAT, TWELVE], metavar="FILE")
    print("\n\n".join(table(read(path)) for path in parser.parse_args().files))
