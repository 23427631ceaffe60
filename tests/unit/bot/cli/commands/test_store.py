"""Tests of `scrubjay store`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.paths import Home
from tests.servers.postgresql import PostgresServer
from tests.support.cli_process import run
from tests.unit.bot.cli.conftest import Scrubjay


def test_agents_move_there_and_back_and_nothing_stands_between_the_data(
    scrubjay: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0

    there = scrubjay("store", "migrate", "home", url, "--json")
    monkeypatch.setenv("SCRUBJAY_HOME", str(tmp_path / "other"))
    back = scrubjay("store", "migrate", url, "home", "--json")

    for moved in (there, back):
        assert moved.code == 0, moved.err
        assert [agent["agent"] for agent in moved.json["agents"]] == ["personal", "work"]
        assert moved.err == ""
    assert "blue pot" in scrubjay("memory", "recall", "spare key").out


@pytest.mark.parametrize(
    ("source", "target"), [("home", "home"), ("home", "mysql://db/scrubjay"), ("home:here", "postgresql://db/scrubjay")]
)
def test_two_sides_of_which_none_or_both_are_a_database_are_refused(
    scrubjay: Scrubjay, source: str, target: str
) -> None:
    refused = scrubjay("store", "migrate", source, target)

    assert refused.code == 2
    assert "One of the two has to be this home, the other the address of a database." in refused.err


def test_what_was_noted_at_home_meanwhile_is_put_aside_on_the_way_back(
    scrubjay: Scrubjay, home: Home, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert scrubjay("store", "migrate", "home", url).code == 0
    assert scrubjay("memory", "remember", "The ladder is in the shed.").code == 0

    assert scrubjay("store", "migrate", url, "home").code == 0

    aside = (home.workspaces / "personal.before" / "memory").glob("*.md")
    assert ["The ladder is in the shed." in path.read_text(encoding="utf-8") for path in aside] == [True]


def test_an_empty_database_takes_nothing_from_a_home(
    scrubjay: Scrubjay, home: Home, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert run(home.config.parent, "chat", stdin="Where is the spare key?\n").code == 0
    told = scrubjay("sessions", "list", "--json").out

    moved = scrubjay("store", "migrate", url, "home")

    assert moved.code == 7, moved.err
    assert "has nothing of personal" in moved.err
    assert scrubjay("sessions", "list", "--json").out == told
    assert "blue pot" in scrubjay("memory", "recall", "spare key").out


def test_facts_that_no_process_has_indexed_in_the_database_yet_are_not_said_to_be_none(
    scrubjay: Scrubjay, home: Home, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert scrubjay("store", "migrate", "home", url).code == 0
    with home.config.open("a", encoding="utf-8") as file:
        file.write(f"store:\n  url: {url}\n")

    for words in (("memory", "list"), ("memory", "list", "--json"), ("memory", "recall", "spare key")):
        told = scrubjay(*words).err
        assert "There is no memory index" in told
        assert "The process that works for the agent makes it." in told
        assert "no facts" not in told
        assert "memory index`" not in told
