"""Tests for what the memory library says, in other languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memory
from bot.paths import put
from bot.texts.catalogue import in_language
from bot.texts.memory import LIMITS, SAID, of_memory
from docs.texts import translations
from memory import CATEGORIES, Decision, FactSource, Filter, Kind, Origin
from memory.errors import SecretFound
from memory.index.types import FactState, LinkKind
from memory.knowledge.check import check
from memory.life.overview import STORES
from memory.recall.filters import FACTS, format_filter

CARD = (
    "Nichts wurde notiert: Das sieht aus, als enthielte es eine Kartennummer. Lass es weg, oder sag, dass es bleiben "
    "soll."
)

NARROW = Filter(
    kinds=(Kind.OPINION, Kind.NOTE),
    entities=("Anna", "Ben A."),
    categories=("decision",),
    tags=("garden", "house"),
    since="2026-01-01",
    until="2026-01-31",
    valid=("2026-01-02", "2026-01-02"),
    known="2026-02-01",
    under=("handbook", "bank/a.md"),
)
NARROWED = (
    "Aufgelistet, das Neueste zuerst. Eingegrenzt auf die Art Meinung oder Notiz, alles über Anna oder Ben A., "
    "die Kategorie Entscheidung, #garden oder #house, die Zeit von 2026-01-01 bis 2026-01-31, "
    "alles, was am 2026-01-02 galt, alles, was bis 2026-02-01 aufgeschrieben war, alles in handbook oder bank/a.md."
)
FACTS_SINCE = Filter(kinds=FACTS, since="2026-01-01")

_JOINED = re.compile(r'"\s*\n\s*f?"')
_FILLED_IN = re.compile(r"\{[^}]*\}")


def test_english_stays_as_it_is() -> None:
    assert of_memory("Nothing found. Whatever.") == "Nothing found. Whatever."


@pytest.mark.parametrize(
    ("said", "german"),
    [
        ("There is nothing to undo.", "Es gibt nichts zurückzunehmen."),
        ('No note has "unicorn" or "horn".', "Keine Notiz enthält „unicorn“ oder „horn“."),
        ("Listed, newest first. Narrowed to `x`.", "Aufgelistet, das Neueste zuerst. Eingegrenzt auf `x`."),
        (
            f"Listed, newest first. Narrowed to {format_filter(NARROW)}.",
            NARROWED,
        ),
        (
            f"Nothing that it was narrowed to ({format_filter(FACTS_SINCE)}) is there.",
            "Von dem, worauf eingegrenzt wurde (Tatsachen, die Zeit ab 2026-01-01), gibt es nichts.",
        ),
        (
            "Preparing the built-in embedder (once, a few seconds) ...",
            "Der eingebaute Embedder wird vorbereitet (einmal, wenige Sekunden) ...",
        ),
        ("Something else. There is nothing in memory yet.", "Something else. Im Gedächtnis steht noch nichts."),
        (
            SecretFound.of(["card"], ["x"]),
            CARD,
        ),
    ],
)  # fmt: skip
def test_sentences_are_translated_one_by_one(said: object, german: str) -> None:
    with in_language("de"):
        assert of_memory(said) == german.replace("„", '"').replace("“", '"')


@pytest.mark.parametrize("text", [*SAID, *LIMITS])
def test_the_library_still_says_so(text: str) -> None:
    sources = (path.read_text(encoding="utf-8") for path in Path(memory.__file__).parent.rglob("*.py"))
    said = [_JOINED.sub("", source).casefold() for source in sources]  # some errors make the first letter large
    parts = re.split(r" on `|[:;] |[`.()]|a secret", _FILLED_IN.sub("`", text))
    words = [part.strip().casefold() for part in parts if len(part) > 12]

    assert all(any(part in source for source in said) for part in words), words


@pytest.mark.parametrize("language", ["de", "zh"])
def test_every_value_that_pages_show_has_a_word(language: str) -> None:
    shown = {*Kind, *Origin, *FactSource, *FactState, *LinkKind, *Decision, *STORES, *CATEGORIES}
    found = {message.id for message in translations(language)}

    assert shown <= found


@pytest.mark.parametrize("language", ["de", "zh"])
async def test_what_does_not_hold_together_is_told_without_an_english_sentence(tmp_path: Path, language: str) -> None:
    pages = {
        "bank/world.md": "<!-- scrubjay:begin facts -->\n\n[[2026-01-08]] [[2026-01-03#^gone1234]]\n\n- A. ^abcd1234\n",
        "bank/entities/Nobody.md": "# Nobody\n\n- B. ^abcd1234\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        "memory/2026-11-01.md": "## Retain\n- O(c=7): A.\n- T(due=2026-99-01): B.\n- W(since=2026-02-30): C.\n",
    }
    for path, text in pages.items():
        put(tmp_path / "w" / path, text)
    async with await memory.Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as opened:
        await opened.sync()
        found = [text for one in await opened.run(check) for text in (one.message, one.hint)]
        found += [text for one in await opened.problems() for text in (one.message, one.hint)]

    with in_language(language):
        english = [text for text in found if of_memory(text) == text]
    assert (len(found), english) == (18, [])
