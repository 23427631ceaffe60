"""Tests of `scrubjay store`."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest

from bot.paths import Home, put
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


def test_a_machine_that_has_no_copy_of_the_files_yet_looks_through_those_of_the_database(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    (note,) = (home.workspaces / "personal" / "memory").glob("*.md")
    note.write_text(f"{note.read_text(encoding='utf-8')}<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> b\n", encoding="utf-8")
    assert scrubjay("store", "migrate", "home", url).code == 0
    other = Home.at(tmp_path / "other")
    put(other.config, f"memory:\n  embedder:\n    kind: none\nstore:\n  url: {url}\n")
    monkeypatch.setenv("SCRUBJAY_HOME", str(tmp_path / "other"))

    status = scrubjay("status").out
    found = scrubjay("doctor", "--offline", "--json").json["findings"]

    assert "no workspace yet" not in status
    assert "workspaces.merge" in [finding["id"] for finding in found]


def test_looking_for_what_is_wrong_leaves_what_was_edited_in_a_copy(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch, postgresql: PostgresServer
) -> None:
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert scrubjay("store", "migrate", "home", url).code == 0
    monkeypatch.setenv("SCRUBJAY__STORE__URL", url)
    (note,) = (home.workspaces / "personal" / "memory").glob("*.md")
    note.write_text("# Edited\n", encoding="utf-8")

    scrubjay("doctor", "--offline")

    assert note.read_text(encoding="utf-8") == "# Edited\n"


def test_an_agent_of_which_the_database_has_nothing_yet_is_empty_and_no_accident(
    scrubjay: Scrubjay, home: Home, postgresql: PostgresServer
) -> None:
    put(
        home.config,
        f"agents:\n  garden: {{}}\nmemory:\n  embedder:\n    kind: none\nstore:\n  url: {postgresql.database()}\n",
    )

    recalled = scrubjay("memory", "recall", "spare key")

    assert (recalled.code, recalled.out) == (0, "")
    assert scrubjay("status").code == 0
    assert scrubjay("doctor", "--offline").code == 0


def test_a_database_that_does_not_answer_is_a_finding(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, "store:\n  url: postgresql://scrubjay@127.0.0.1:1/scrubjay\n")

    found = scrubjay("doctor", "--json")

    assert found.code == 1
    assert "state.unusable" in [finding["id"] for finding in found.json["findings"]]


def test_a_copy_that_has_edits_says_for_whom_it_waits_and_how_to_go_on_where_both_sides_have_changed(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, postgresql: PostgresServer
) -> None:
    url, copy = postgresql.database(), tmp_path / "copy"
    monkeypatch.setattr("bot.cli.commands.workspace.WAIT_S", 0)
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert scrubjay("store", "migrate", "home", url).code == 0
    monkeypatch.setenv("SCRUBJAY__STORE__URL", url)
    assert scrubjay("workspace", "checkout", "personal", str(copy)).code == 0
    (copy / "USER.md").write_text("# Mine\n", encoding="utf-8")

    waiting = scrubjay("workspace", "sync", "personal", str(copy))
    monkeypatch.delenv("SCRUBJAY__STORE__URL")
    (home.workspaces / "personal" / "USER.md").write_text("# Theirs\n", encoding="utf-8")
    assert scrubjay("store", "migrate", "home", url).code == 0
    monkeypatch.setenv("SCRUBJAY__STORE__URL", url)
    refused = scrubjay("workspace", "sync", "personal", str(copy))

    assert waiting.code == 0
    assert "Waiting for the process that works for personal …" in waiting.err
    assert refused.code == 1
    assert "USER.md has changed on both sides" in refused.err
    assert "scrubjay workspace checkout personal FOLDER" in refused.err
    assert (copy / "USER.md").read_text(encoding="utf-8") == "# Mine\n"


@pytest.fixture
def note(scrubjay: Scrubjay, home: Home, postgresql: PostgresServer) -> Path:
    """A note of a home whose files are in a database."""
    url = postgresql.database()
    assert scrubjay("memory", "remember", "The spare key is under the blue pot.").code == 0
    assert scrubjay("store", "migrate", "home", url).code == 0
    with home.config.open("a", encoding="utf-8") as file:
        file.write(f"store:\n  url: {url}\n")
    (note,) = (home.workspaces / "personal" / "memory").glob("*.md")
    return note


@pytest.mark.parametrize("words", [("memory", "recall", "spare key"), ("status",), ("memory", "list", "--json")])
def test_what_a_person_has_edited_in_a_home_is_put_aside_by_what_reads_and_that_is_said(
    scrubjay: Scrubjay, home: Home, note: Path, words: tuple[str, ...]
) -> None:
    note.write_text("# Edited\n", encoding="utf-8")
    (note.parent / "new.md").write_text("# New\n", encoding="utf-8")

    told = scrubjay(*words).err
    again = scrubjay(*words).err

    kept = home.workspaces / "personal.before" / "memory" / note.name
    assert kept.read_text(encoding="utf-8") == "# Edited\n"
    assert str(kept) in told
    assert "scrubjay workspace checkout personal FOLDER" in told
    assert "personal.before" not in again
    assert "blue pot" in note.read_text(encoding="utf-8")
    assert (note.parent / "new.md").read_text(encoding="utf-8") == "# New\n"


def test_a_database_that_was_named_by_mistake_takes_no_file_away(
    scrubjay: Scrubjay, home: Home, note: Path, postgresql: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = note.read_bytes()
    assert scrubjay("memory", "list").code == 0
    monkeypatch.setenv("SCRUBJAY__STORE__URL", postgresql.database())

    scrubjay("memory", "list")

    assert note.read_bytes() == before


def test_looking_for_what_is_wrong_makes_no_table_in_a_database(
    scrubjay: Scrubjay, home: Home, postgresql: PostgresServer
) -> None:
    put(home.config, f"store:\n  url: {(url := postgresql.database())}\n")

    scrubjay("doctor", "--offline")

    with psycopg.connect(url) as db:
        assert db.execute("SELECT relname FROM pg_class WHERE relname LIKE 'ws_%'").fetchall() == []


def test_where_the_library_for_the_database_is_missing_that_is_a_finding(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    put(home.config, "store:\n  url: postgresql://scrubjay@127.0.0.1:1/scrubjay\n")

    found = scrubjay("doctor", "--json")

    assert "state.unusable" in [finding["id"] for finding in found.json["findings"]]
