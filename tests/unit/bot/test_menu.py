from __future__ import annotations

from bot.app import commands
from bot.menu import menu

ENTRIES = {entry.name: entry for entry in menu(commands().values())}


def test_every_command_is_offered_with_its_summary() -> None:
    assert list(ENTRIES) == list(commands())
    assert all(entry.summary for entry in ENTRIES.values())


def test_what_stands_in_brackets_may_be_left_out() -> None:
    recall, new, today = ENTRIES["recall"], ENTRIES["new"], ENTRIES["today"]

    assert (recall.argument, recall.required) == ("words or a question", True)
    assert (new.argument, new.required) == ("title", False)
    assert (today.argument, today.required) == ("", False)


def test_what_memory_says_is_for_the_person_who_asked() -> None:
    assert {"forget", "memory", "recall", "remember", "today", "undo", "why"} <= {
        entry.name for entry in ENTRIES.values() if entry.private
    }
    assert not ENTRIES["help"].private


def test_any_message_can_be_pointed_at_to_be_remembered() -> None:
    assert [(entry.name, entry.on_message) for entry in ENTRIES.values() if entry.on_message] == [
        ("remember", "Remember this")
    ]
