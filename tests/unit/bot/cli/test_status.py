from __future__ import annotations

from bot import __version__, instance
from bot.paths import Home
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
    assert "personal (default)  1      1      ready\n" in shown


def test_the_status_as_json(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")

    told = scrubjay("status", "--json").json

    assert (told["version"], told["running"], told["config_exists"]) == (__version__, None, True)
    assert [agent["name"] for agent in told["agents"]] == ["personal", "work"]
    assert told["agents"][0]["index"]["state"] == "ready"


def test_an_agent_whose_memory_cannot_be_opened_does_not_hide_the_others(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")
    (home.workspace("personal") / "busy").touch()

    agents = scrubjay("status", "--json").json["agents"]

    assert agents[0]["problem"] == "Another process holds the workspace. Wait for it."
    assert agents[1]["problem"] == ""
