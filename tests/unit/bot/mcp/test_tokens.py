from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.errors import BotError, Missing, Refused, UsageError
from bot.mcp.tokens import PREFIX, TokenFile
from memory import OWNER, FrozenClock
from tests.fakes.scrubjay import MORNING
from tests.support.mcp import READER, WRITER

CLOCK = FrozenClock(MORNING)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


def test_a_token_is_found_by_itself_alone_and_only_its_hash_is_kept(tokens: TokenFile, tmp_path: Path) -> None:
    cursor, other = tokens.add("cursor", WRITER, clock=CLOCK), tokens.add("other", READER, clock=CLOCK)

    found = tokens.find(cursor)
    assert found
    assert (found.name, found.access) == ("cursor", WRITER)
    reader = tokens.find(other)
    assert reader
    assert reader.access == READER
    for wrong in ("", PREFIX, cursor[:-1], cursor + "x", cursor.upper(), f" {cursor}", found.digest, "ü", "x" * 10_000):
        assert tokens.find(wrong) is None
    on_disk = (tmp_path / "tokens.json").read_text()
    assert cursor not in on_disk
    assert cursor.removeprefix(PREFIX) not in on_disk
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600


def test_a_removed_token_is_refused_at_once_also_by_who_has_the_file_open(tokens: TokenFile, tmp_path: Path) -> None:
    token = tokens.add("cursor", WRITER, clock=CLOCK)
    server = TokenFile(tmp_path / "tokens.json")
    assert server.find(token)

    tokens.remove("cursor")

    assert server.find(token) is None
    with pytest.raises(Missing):
        tokens.remove("cursor")


@pytest.mark.parametrize("name", ["", "Cursor", "a b", "-x", "x" * 41, "a\nb"])
def test_a_name_that_the_journal_could_not_show_plainly_is_refused(tokens: TokenFile, name: str) -> None:
    with pytest.raises(UsageError):
        tokens.add(name, WRITER, clock=CLOCK)


def test_a_name_is_given_once(tokens: TokenFile) -> None:
    tokens.add("cursor", WRITER, clock=CLOCK)

    with pytest.raises(UsageError, match="already"):
        tokens.add("cursor", READER, clock=CLOCK)


def test_a_file_that_others_may_read_admits_nobody(tokens: TokenFile, tmp_path: Path) -> None:
    token = tokens.add("cursor", WRITER, clock=CLOCK)
    (tmp_path / "tokens.json").chmod(0o644)

    with pytest.raises(Refused, match="chmod 600"):
        tokens.find(token)


def kept(digest: str, *, writes: object = True) -> str:
    """Return a file of tokens with one, of that digest."""
    access = {"agent": "personal", "scope": "owner", "writes": writes, "is_trusted": False}
    return json.dumps({"tokens": [{"name": "cursor", "digest": digest, "at": "x", "access": access}]})


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"tokens": [{}]}', kept("ü"), kept(""), kept("0" * 63), kept("0" * 64, writes=1)]
)
def test_a_damaged_file_admits_nobody_and_says_what_to_do(tokens: TokenFile, tmp_path: Path, content: str) -> None:
    (tmp_path / "tokens.json").write_text(content)
    (tmp_path / "tokens.json").chmod(0o600)

    with pytest.raises(BotError, match="no token is accepted"):
        tokens.find("x")


def test_what_a_client_writes_is_never_taken_for_the_owners_words() -> None:
    assert WRITER.scope == OWNER
    assert {WRITER.origin.value, READER.origin.value} == {"untrusted"}
