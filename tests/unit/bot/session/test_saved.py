from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.session.saved import LONGEST, MESSAGES, SLUG, TITLE, page, slug, titled, worth_saving
from bot.session.split import summed_up
from tests.talks import KEY, Talk


def test_the_newest_contributions_are_kept_and_commands_are_none() -> None:
    talk = Talk()
    for number in range(20):
        talk.turn(f"message {number}", f"answer {number}")
    talk.turn("/status", "fine")

    said = worth_saving(talk.recorded, agent="personal")

    assert len(said) == MESSAGES
    assert said[-1].text == "answer 19"
    assert worth_saving(Talk().turn("/help", "lines").recorded, agent="personal") == ()


def test_the_title_is_the_one_that_was_wanted_or_the_first_words_of_a_person() -> None:
    said = worth_saving(Talk().turn("where is  the\nkey?", "there").recorded, agent="personal")

    assert titled(said, "") == "where is the key?"
    assert titled(said, " boiler  repair ") == "boiler repair"
    assert titled(said, "word " * 100).endswith("…")
    assert len(titled(said, "word " * 100)) <= TITLE


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Where is the spare key, and who has it?", "where-is-the-spare-key"),
        ("Käse & Brötchen", "käse-brötchen"),
        ("钥匙在哪里？", "钥匙在哪里"),
        ("../../etc/passwd", "etc-passwd"),
        ("!!!", "conversation"),
        ("", "conversation"),
        ("x" * 200, "x" * SLUG),
    ],
)
def test_a_name_is_made_of_the_first_words(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text())
def test_a_name_is_always_possible_as_one_of_a_file(title: str) -> None:
    name = slug(title)

    assert 0 < len(name) <= SLUG
    assert all(sign.isalnum() or sign == "-" for sign in name)


def test_the_page_names_its_session_and_holds_what_was_said() -> None:
    talk = Talk().turn("x" * (LONGEST + 1), "# not a heading")
    session = summed_up("personal", KEY, talk.recorded)

    text = page(session, worth_saving(talk.recorded, agent="personal"), title="# Keys", zone=UTC)

    assert text.startswith(f"---\nagent: personal\nsession: {session.id}\nbegan: 2026-11-21T12:00\n---\n\n# \\# Keys\n")
    assert "[… 1 more characters]" in text
    assert "\\# not a heading" in text
