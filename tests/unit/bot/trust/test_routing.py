from __future__ import annotations

import pytest

from bot.errors import Missing
from bot.trust.routing import Routing
from tests.samples import chat


def test_a_chat_talks_to_the_default_until_another_agent_is_chosen_for_it() -> None:
    routing = Routing("personal", ["personal", "work"])
    here, there = chat("here"), chat("there")

    routing.choose(here, "work")

    assert routing.route(here) == "work"
    assert routing.route(there) == "personal"


def test_a_choice_can_be_changed_back() -> None:
    routing = Routing("personal", ["personal", "work"])
    routing.choose(chat("here"), "work")
    routing.choose(chat("here"), "personal")

    assert routing.route(chat("here")) == "personal"


def test_an_unknown_agent_is_refused_with_the_names_that_exist() -> None:
    routing = Routing("personal", ["personal", "work"])

    with pytest.raises(Missing, match=r"no agent called 'wrok'.*There are: personal, work"):
        routing.choose(chat("here"), "wrok")
    with pytest.raises(Missing):
        Routing("nobody", ["personal"])
