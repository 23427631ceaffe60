from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.interactions import MESSAGE_COMMAND, SLASH_COMMAND, CommandMenu
from adapters.port import MenuEntry

RECALL = MenuEntry("recall", "Ask the memory", argument="words", hint="what to look for", required=True, private=True)
REMEMBER = MenuEntry("remember", "Keep a statement", argument="a statement", on_message="Remember this")
MENU = CommandMenu([RECALL, REMEMBER, MenuEntry("help", "List the commands")])


def test_an_argument_is_an_option_and_a_command_for_messages_has_an_entry_of_its_own() -> None:
    recall, remember, plain, on_message = MENU.payload()

    option = {"type": 3, "name": "words", "description": "what to look for", "required": True, "autocomplete": False}
    assert recall["options"] == [option]
    assert remember["options"][0]["name"] == "a-statement"
    assert not remember["options"][0]["required"]
    assert "options" not in plain
    assert (on_message["name"], on_message["type"]) == ("Remember this", MESSAGE_COMMAND)
    assert "description" not in on_message


def test_what_was_chosen_reads_as_if_it_had_been_typed() -> None:
    assert MENU.find({"type": SLASH_COMMAND, "name": "help"}) == (MenuEntry("help", "List the commands"), "/help")
    typed = {"type": SLASH_COMMAND, "name": "recall", "options": [{"name": "words", "value": "spare key"}]}
    assert MENU.find(typed) == (RECALL, "/recall spare key")
    assert MENU.find({"type": MESSAGE_COMMAND, "name": "Remember this"}) == (REMEMBER, "/remember")


def test_what_an_earlier_version_offered_is_not_chosen() -> None:
    assert MENU.find({"type": SLASH_COMMAND, "name": "gone"}) is None
    assert MENU.find({"type": MESSAGE_COMMAND, "name": "recall"}) is None


@given(st.text(max_size=60), st.text(min_size=1, max_size=200))
def test_options_and_descriptions_have_names_that_discord_takes(argument: str, summary: str) -> None:
    (command,) = CommandMenu([MenuEntry("x", summary, argument=argument)]).payload()

    assert len(command["description"]) <= 100
    for option in command.get("options", ()):
        assert re.fullmatch(r"[-_\w]{1,32}", option["name"])
        assert option["name"] == option["name"].lower()
        assert 1 <= len(option["description"]) <= 100
