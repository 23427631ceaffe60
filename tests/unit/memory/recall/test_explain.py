from __future__ import annotations

import pytest

from memory.index.port import Index
from memory.model import OWNER, Where, chat_scope
from memory.recall.finder import Finder
from tests.unit.memory.recall.conftest import TODAY, Collect

FILES = {"memory/2026-11-20.md": "The spare key.\n\nThe blue pot.\n", "bank/world.md": "- W @Anna: has a key.\n"}


@pytest.fixture
def index(collect: Collect) -> Index:
    return collect(FILES)


def reason(index: Index, text: str) -> str:
    return Finder(index).recall(text, scope=OWNER, today=TODAY).reason


def test_the_mode_is_always_explained(index: Index) -> None:
    assert reason(index, "the spare key") == "Searched by words; searching by meaning is not set up."


def test_words_that_no_note_has_are_named(index: Index) -> None:
    assert '"unicorn"' in reason(index, "a key for the unicorn")
    assert reason(index, "unicorn") == 'No note has "unicorn".'
    assert reason(index, "purple unicorn") == 'No note has "purple" or "unicorn".'


def test_a_long_list_of_words_is_cut(index: Index) -> None:
    found = reason(index, " ".join(f"word{n}" for n in range(50)))
    assert found.endswith("or any other word of the question.")
    assert len(found) < 200


@pytest.mark.parametrize("text", ["", "???", "\x00"])
def test_a_question_without_words_is_told_so(index: Index, text: str) -> None:
    assert reason(index, text) == "The question has no words to look for."


def test_common_words_are_said_to_be_common(collect: Collect) -> None:
    assert "only common words" in reason(collect({"a.md": "to be or not to be\n"}), "to be or not to be?")


def test_days_without_notes_are_said_to_be_empty(index: Index) -> None:
    assert reason(index, "last week") == "There are no notes from around those days."


def test_a_search_by_days_alone_says_so(index: Index) -> None:
    assert reason(index, "what did I do yesterday?") == "Searched by the days that were asked for."


def test_an_empty_memory_says_so(collect: Collect) -> None:
    assert reason(collect({}), "key") == "There is nothing in memory yet."


def test_an_empty_scope_says_so_and_nothing_of_the_others(index: Index) -> None:
    found = Finder(index).recall("spare key", scope=chat_scope("1"), today=TODAY)
    assert found.hits == ()
    assert found.reason == "There is nothing in memory yet that may be shown here."


def test_narrowing_is_named_as_the_reason(index: Index) -> None:
    found = Finder(index).recall("key", scope=OWNER, today=TODAY, where=Where(until="2020-01-01"))
    assert found.hits == ()
    assert "narrowed" in found.reason
