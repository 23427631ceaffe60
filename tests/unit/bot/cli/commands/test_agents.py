from __future__ import annotations

from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_the_two_agents_are_listed_with_what_they_are_for(scrubjay: Scrubjay, home: Home) -> None:
    lines = scrubjay("agents", "list").out.splitlines()

    assert lines[0].split() == ["agent", "about", "workspace"]
    assert lines[1].startswith("personal (default)  Everyday life")
    assert lines[2].startswith("work ")
    assert lines[2].endswith(str(home.workspace("work")))


def test_one_agent_is_shown_with_its_files(scrubjay: Scrubjay, home: Home) -> None:
    assert "none yet; run: scrubjay init" in scrubjay("agents", "show", "work").out

    scrubjay("init", "--yes")

    told = scrubjay("agents", "show", "work", "--json").json
    assert told["files"] == ["AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"]
    assert told["workspace"] == str(home.workspace("work"))
    assert told["default"] is False


def test_the_default_agent_is_shown_when_none_is_named(scrubjay: Scrubjay) -> None:
    assert scrubjay("agents", "show", "--json").json["name"] == "personal"


def test_an_agent_that_does_not_exist_is_code_4(scrubjay: Scrubjay) -> None:
    assert scrubjay("agents", "show", "nobody").code == 4


def test_the_list_as_json_has_every_agent(scrubjay: Scrubjay) -> None:
    agents = scrubjay("agents", "list", "--json").json["agents"]

    assert [(agent["name"], agent["default"]) for agent in agents] == [("personal", True), ("work", False)]


def test_a_route_is_shown_with_what_decided_it(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir(parents=True)
    home.config.write_text(
        "discord:\n  agent: work\nroutes:\n  - {agent: personal, platform: discord, user: 7}\n", encoding="utf-8"
    )

    assert scrubjay("agents", "route", "discord", "guild=5").out == "work (discord.agent)\n"
    assert scrubjay("agents", "route", "discord", "guild=5", "user=7").out == "personal (routes[0])\n"
    told = scrubjay("agents", "route", "telegram", "--json").json
    assert (told["agent"], told["because"]) == ("personal", "the default agent")
    assert scrubjay("agents", "route", "discord", "place=5").code == 2


def test_a_route_on_no_platform_is_a_misuse(scrubjay: Scrubjay) -> None:
    told = scrubjay("agents", "route", "telgram", "user=5")

    assert told.code == 2
    assert '"telegram", "discord"' in told.err


def test_a_route_to_a_chat_says_what_holds_there(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir(parents=True)
    home.config.write_text(
        "access:\n  groups: ['telegram:-5']\n"
        "chats:\n  context: 30\n  settings:\n    - {platform: telegram, chat: -5, listen: all, silence: true}\n",
        encoding="utf-8",
    )

    answer = scrubjay("agents", "route", "telegram", "account=1", "chat=-5").out

    assert answer.splitlines()[1] == (
        "listen all, speakers everybody, silence on, context 30, streaming on, reactions on, queue collect, verbose off"
    )
    assert scrubjay("agents", "route", "telegram", "chat=-6", "--json").json["settings"]["speakers"] == "known"
