from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.imports.pages import Masking, conversation_page, conversation_path, fact_id, harmless, note_page, note_path
from bot.imports.sources.base import Item, ItemSort, Message, day_of_note, parse_instant
from memory.files.paths import admit

BERLIN = ZoneInfo("Europe/Berlin")
LATE = datetime(2024, 3, 7, 23, 30, tzinfo=UTC)


def note(text: str, place: str = "a.md", at: date | None = None) -> Item:
    return Item(ItemSort.NOTE, place, text, place=place, at=at)


def test_a_conversation_has_a_heading_for_each_day_on_the_owners_clock() -> None:
    said = (Message("Me", LATE, "Where?"), Message("Claude", LATE.replace(day=9), "- There"))
    page = conversation_page(
        Item(ItemSort.CONVERSATION, "k", title="# A ^x", at=LATE, messages=said), "claude", BERLIN, Masking(())
    )

    assert page == (
        "---\norigin: import\nsource: claude\n---\n\n# A \\^x\n\n## 2024-03-08\n\n[00:30] **Me**: Where?\n\n"
        "## 2024-03-10\n\n[00:30] **Claude**:\n\n- There\n"
    )


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("# a", "\\# a"),
        ("#tag", "#tag"),
        ("a <!-- b", "a \\<!-- b"),
        ("a ^k3f9a2mq", "a \\^k3f9a2mq"),
        ("**Me**: pay", "\\**Me**: pay"),
        ("- Me: pay", "\\- Me: pay"),
        ("[10:00] **Me**: pay", "\\[10:00] **Me**: pay"),
        ("```open", "\\```open"),
        ("```\n# code\n```", "```\n# code\n```"),
        ("```\n**Me**: pay\n```", "```\n\\**Me**: pay\n```"),
        ("You: fine", "You: fine"),
    ],
)
def test_marks_in_a_message_are_words(line: str, written: str) -> None:
    assert harmless(line, frozenset({"Me"})) == written


def test_a_note_keeps_its_properties_and_its_links() -> None:
    text = "---\naliases: [Mimi]\nsource: web\n---\nSee [[B#^abc123]]. ^abc123\n"

    page = note_page(note(text, at=date(2024, 1, 2)), "obsidian", "memory/imports/obsidian/a.md", BERLIN, Masking(()))

    assert page == text.replace("---\naliases", "---\norigin: import\ndate: 2024-01-02\naliases", 1)


def test_secrets_are_masked_and_counted() -> None:
    masking = Masking(["tr-registered-key"])

    page = note_page(note("Key tr-registered-key; password: plum-Kettle-88"), "markdown", "a.md", BERLIN, masking)

    assert "Key ••••; password: ••••" in page
    assert masking.count == 2


@pytest.mark.parametrize(
    "place",
    [
        "People/Miriam: clocks?.md", "../../etc/passwd", "a/b/c/d/e/f/g/h.md", ".hidden/.x.md", "CON.md",
        "x" * 400 + ".md",
        "\u202e\x00.md", " /  .md", "家" * 200 + ".md", "a/./b.txt", "~root/x~1.md", "emoji 🐦.md",
    ],
)  # fmt: skip
def test_every_name_becomes_one_that_a_workspace_admits(place: str) -> None:
    path = note_path(note("x", place), "obsidian")

    assert path.startswith("memory/imports/obsidian/")
    assert path.endswith(".md")
    assert len(admit(path)) <= 8


def test_a_conversation_is_called_by_its_day_and_title() -> None:
    item = Item(ItemSort.CONVERSATION, "k", title="Wo ist der Schlüssel?!", at=LATE)

    assert conversation_path(item, "chatgpt", BERLIN) == "memory/imports/chatgpt/2024-03-08-wo-ist-der-schlüssel.md"


def test_the_id_of_a_fact_follows_from_its_words_and_its_day() -> None:
    one = Item(ItemSort.FACT, "1", "Likes  tea", at=date(2024, 1, 2))
    same = Item(ItemSort.FACT, "2", "Likes tea", at=date(2024, 1, 2))
    other = Item(ItemSort.FACT, "1", "Likes tea", at=date(2024, 1, 3))

    assert fact_id(one) == fact_id(same) != fact_id(other)
    assert all(fact_id(Item(ItemSort.FACT, "", str(number)))[0] != "h" for number in range(500))


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        (1_709_805_600.25, "2024-03-07T10:00:00.250000+00:00"),
        (1_709_805_600_000, "2024-03-07T10:00:00+00:00"),
        ("1709805600.5", "2024-03-07T10:00:00.500000+00:00"),
        ("2024-03-07T02:00:00-08:00", "2024-03-07T10:00:00+00:00"),
        ("2024-03-07 10:00:00", "2024-03-07T10:00:00+00:00"),
        ("yesterday", None),
        (None, None),
        (-5, None),
        (1e300, None),
        ({}, None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59.9999999Z", None),
    ],
)
def test_instants_are_read_in_every_form_that_exports_have(value: object, instant: str | None) -> None:
    found = parse_instant(value)

    assert (found.isoformat() if found else None) == instant


def test_the_day_of_a_note_is_in_its_name_or_its_properties() -> None:
    assert day_of_note("journals/2024_03_07.md", "") == date(2024, 3, 7)
    assert day_of_note("a.md", "---\ntitle: x\ncreated: 2024-03-07T10:00\n---\n") == date(2024, 3, 7)
    assert day_of_note("a.md", "date: 2024-03-07\n") is None
    assert day_of_note("2024-13-40.md", "") is None
