"""Tests of `scrubjay store`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.servers.postgresql import PostgresServer
from tests.support.cli_process import run


def test_agents_move_there_and_back_and_nothing_stands_between_the_data(
    tmp_path: Path, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert run(tmp_path / "home", "memory", "remember", "The spare key is under the blue pot.").code == 0

    there = run(tmp_path / "home", "store", "migrate", "home", url, "--json")
    back = run(tmp_path / "other", "store", "migrate", url, "home", "--json")

    for moved in (there, back):
        assert moved.code == 0, moved.err
        assert [agent["agent"] for agent in json.loads(moved.out)["agents"]] == ["personal", "work"]
        assert moved.err == ""
    found = run(tmp_path / "other", "memory", "recall", "spare key")
    assert "blue pot" in found.out


def test_what_was_noted_at_home_meanwhile_is_put_aside_on_the_way_back(
    tmp_path: Path, postgresql: PostgresServer
) -> None:
    home, url = tmp_path / "home", postgresql.database()
    assert run(home, "memory", "remember", "The spare key is under the blue pot.").code == 0
    assert run(home, "store", "migrate", "home", url).code == 0
    assert run(home, "memory", "remember", "The ladder is in the shed.").code == 0

    assert run(home, "store", "migrate", url, "home").code == 0

    aside = (home / "workspaces" / "personal.before" / "memory").glob("*.md")
    assert ["The ladder is in the shed." in path.read_text(encoding="utf-8") for path in aside] == [True]


def test_an_empty_database_takes_nothing_from_a_home(tmp_path: Path, postgresql: PostgresServer) -> None:
    home, url = tmp_path / "home", postgresql.database()
    assert run(home, "memory", "remember", "The spare key is under the blue pot.").code == 0
    assert run(home, "chat", stdin="Where is the spare key?\n").code == 0
    told = run(home, "sessions", "list", "--json").out

    moved = run(home, "store", "migrate", url, "home")

    assert moved.code == 7, moved.err
    assert "has nothing of personal" in moved.err
    assert run(home, "sessions", "list", "--json").out == told
    assert "blue pot" in run(home, "memory", "recall", "spare key").out


def test_facts_that_no_process_has_indexed_in_the_database_yet_are_not_said_to_be_none(
    tmp_path: Path, postgresql: PostgresServer
) -> None:
    home, url = tmp_path / "home", postgresql.database()
    assert run(home, "memory", "remember", "The spare key is under the blue pot.").code == 0
    assert run(home, "store", "migrate", "home", url).code == 0
    with (home / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(f"store:\n  url: {url}\n")

    for words in (("memory", "list"), ("memory", "list", "--json"), ("memory", "recall", "spare key")):
        told = run(home, *words).err
        assert "There is no memory index" in told
        assert "The process that works for the agent makes it." in told
        assert "no facts" not in told
        assert "memory index`" not in told
