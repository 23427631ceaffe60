from __future__ import annotations

import os
import re

import pytest

from bot import __version__
from bot.paths import Home
from bot.system import instance
from memory import FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay


def test_a_new_home_says_what_to_do(scrubjay: Scrubjay) -> None:
    shown = scrubjay("status")

    assert shown.code == 0
    assert "no workspace yet; run: scrubjay init" in shown.out
    assert "(not there; the defaults hold)" in shown.out


def test_one_screen_tells_who_runs_and_what_each_agent_has(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    scrubjay("init", "--yes")
    scrubjay("memory", "remember", "The key is here.")

    with instance.hold(home, command="chat", clock=clock):
        shown = scrubjay("status").out

    assert "scrubjay chat, process " in shown
    assert "personal (default)  none   1      3      words (1 to be embedded)  ready\n" in shown
    assert re.search(r"^work .* not made yet$", shown, flags=re.MULTILINE)


def test_the_status_as_json(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")

    told = scrubjay("status", "--json").json

    assert (told["version"], told["running"], told["config_exists"]) == (__version__, None, True)
    assert [agent["name"] for agent in told["agents"]] == ["personal", "work"]
    assert told["agents"][0]["index"]["state"] == "missing"
    scrubjay("memory", "recall", "key")
    assert scrubjay("status", "--json").json["agents"][0]["index"]["state"] == "ready"


def test_an_index_that_cannot_be_used_does_not_hide_the_others(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")
    scrubjay("memory", "recall", "key", "--agent", "work")
    home.index("personal").write_bytes(b"this is no database")

    agents = [agent["index"] for agent in scrubjay("status", "--json").json["agents"]]

    assert agents[0]["state"] == "broken"
    assert "file is not a database" in agents[0]["reason"]
    assert (agents[1]["state"], agents[1]["reason"]) == ("ready", "")
    assert "broken. " in scrubjay("status").out


def test_each_agent_has_its_model(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text(
        "model:\n  name: big\n  base_url: http://localhost:1/v1\nagents:\n  a: {}\n  b:\n    model:\n      name: ''\n"
    )

    shown, told = scrubjay("status").out, scrubjay("status", "--json").json

    assert re.search(r"^model +big at localhost:1$", shown, flags=re.MULTILINE)
    assert [agent["model"] for agent in told["agents"]] == [{"name": "big", "base_url": "http://localhost:1/v1"}, None]
    assert scrubjay("agents", "show", "a", "--json").json["model"] == "big at localhost:1"
    assert "none: answers are quotes from memory" in scrubjay("agents", "show", "b").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
@pytest.mark.parametrize("words", [("status",), ("doctor",), ("chat", "-p", "hello")])
def test_a_home_that_is_closed_to_this_account_is_named(scrubjay: Scrubjay, home: Home, words: tuple[str, ...]) -> None:
    home.prepare()
    home.config.parent.chmod(0)

    refused = scrubjay(*words)
    home.config.parent.chmod(0o700)

    assert refused.code == 1
    assert f"error: {home.config.parent} cannot be read: permission denied.\nCheck who owns it" in refused.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
def test_a_state_file_of_another_account_is_not_taken_for_a_damaged_one(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")
    home.database.touch()
    home.database.chmod(0)

    refused = scrubjay("status").err

    assert "Check who owns it and its permissions." in refused
    assert "move it aside" not in refused


def test_every_place_is_shown_and_whether_it_exists(scrubjay: Scrubjay, home: Home) -> None:
    assert "not there yet" in scrubjay("paths").out

    home.prepare()

    shown = scrubjay("paths")
    assert str(home.config) in shown.out
    assert f"state       {home.state}\n" in shown.out
    assert shown.err == "Chosen by SCRUBJAY_HOME.\n"


def test_the_places_as_json(scrubjay: Scrubjay, home: Home) -> None:
    told = scrubjay("paths", "--json").json

    assert told["config"] == str(home.config)
    assert set(told) == {"chosen_by", "config", "workspaces", "state", "database", "cache", "logs"}


def test_nothing_is_made_by_looking(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("paths")

    assert not home.config.parent.exists()


def test_an_empty_variable_is_code_3(scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", "")

    result = scrubjay("paths")

    assert result.code == 3
    assert "SCRUBJAY_HOME is set, but empty." in result.err
