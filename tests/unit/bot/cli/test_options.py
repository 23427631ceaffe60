from __future__ import annotations

import pytest

from bot.cli.options import joined, scope_of
from bot.errors import UsageError


def test_words_need_no_quotes() -> None:
    assert joined(["where", "is", "the key?"]) == "where is the key?"
    assert joined([" ", ""]) == ""


def test_bytes_that_are_no_text_are_a_misuse() -> None:
    with pytest.raises(UsageError):
        joined(["caf\udce9"])


def test_a_scope_is_the_owners_or_one_chats() -> None:
    assert scope_of("owner") == "owner"
    assert scope_of("chat:telegram.1:-100") == "chat:telegram.1:-100"


@pytest.mark.parametrize("written", ["", "Owner", "chat", "chat:", "guest:1", "owner "])
def test_anything_else_is_no_scope(written: str) -> None:
    with pytest.raises(UsageError, match="is not a scope"):
        scope_of(written)
