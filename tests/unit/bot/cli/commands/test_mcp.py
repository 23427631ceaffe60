from __future__ import annotations

import pytest

from bot.mcp.tokens import TokenFile
from bot.paths import Home
from memory import OWNER, chat_scope
from tests.unit.bot.cli.conftest import Scrubjay


def test_a_token_is_printed_once_alone_on_standard_output_and_names_what_it_opens(
    scrubjay: Scrubjay, home: Home
) -> None:
    made = scrubjay("mcp", "token", "add", "cursor", "--agent", "work", "--read-only")
    assert made.code == 0
    assert "reads work" in made.err

    record = TokenFile(home.mcp_tokens).find(made.out.strip())
    assert record
    assert (record.name, record.access.agent, record.access.scope, record.access.writes) == (
        "cursor", "work", OWNER, False
    )  # fmt: skip
    assert "http://127.0.0.1:8808/mcp" in made.err
    assert "Authorization: Bearer" in made.err
    listed = scrubjay("mcp", "token", "list")
    assert " Sat 2026-11-21 10:30" in listed.out
    assert "cursor" in listed.out
    assert made.out.strip() not in listed.out + scrubjay("mcp", "token", "list", "--json").out


def test_a_token_may_open_one_chat_alone(scrubjay: Scrubjay, home: Home) -> None:
    token = scrubjay("mcp", "token", "add", "club", "--scope", "chat:telegram.1:-100", "--json").json["token"]

    record = TokenFile(home.mcp_tokens).find(token)
    assert record
    assert record.access.scope == chat_scope("telegram.1:-100")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_tokens_are_listed_while_the_configuration_cannot_be_used(
    scrubjay: Scrubjay, home: Home, more: tuple[str, ...]
) -> None:
    assert scrubjay("mcp", "token", "add", "cursor").code == 0
    home.config.write_text("owner: [", encoding="utf-8")

    listed = scrubjay("mcp", "token", "list", *more)

    assert (listed.code, "cursor" in listed.out) == (0, True)


def test_a_removed_token_is_no_longer_listed(scrubjay: Scrubjay, home: Home) -> None:
    token = scrubjay("mcp", "token", "add", "cursor").out.strip()

    assert scrubjay("mcp", "token", "remove", "cursor").code == 0
    assert TokenFile(home.mcp_tokens).find(token) is None
    assert scrubjay("mcp", "token", "list").out == ""
    assert scrubjay("mcp", "token", "remove", "cursor").code == 4


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("mcp", "--http", "--agent", "work"), 2, "each token says"),
        (("mcp", "--http", "--read-only"), 2, "each token says"),
        (("mcp", "--port", "80"), 2, "--http only"),
        (("mcp", "--http", "--port", "70000"), 2, "no port"),
        (("mcp", "--read-only", "--trusted"), 2, "writes nothing"),
        (("mcp", "--agent", "nobody"), 4, "nobody"),
        (("mcp", "--scope", "everything"), 2, "not a scope"),
        (("mcp", "token", "add", "Cursor 1"), 2, "no name for a token"),
        (("mcp", "token", "add", "cursor", "--agent", "nobody"), 4, "nobody"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(
    scrubjay: Scrubjay, words: tuple[str, ...], code: int, told: str
) -> None:
    done = scrubjay(*words)

    assert (done.code, done.out) == (code, "")
    assert told in done.err


def test_a_port_that_is_taken_is_told(scrubjay: Scrubjay) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()

        done = scrubjay("mcp", "--http", "--port", str(taken.getsockname()[1]))
    assert done.code == 1
    assert "address already in use" in done.err
