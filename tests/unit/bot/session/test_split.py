from __future__ import annotations

from datetime import timedelta

from bot.session.split import continued, split, summed_up
from tests.samples import NOON
from tests.talks import KEY, Talk


def test_a_reset_is_the_last_entry_of_the_session_that_it_ends() -> None:
    talk = Talk().turn("one", "1").turn("/new", "begun").reset().turn("two", "2")

    first, second = split(talk.recorded)

    assert [one.entry.kind for one in first][-1] == "reset"
    assert [one.entry.kind for one in second] == ["message", "reply"]
    assert first + second == talk.recorded


def test_no_entries_are_no_session() -> None:
    assert list(split([])) == []


def test_a_session_is_summed_up_without_its_words() -> None:
    talk = Talk(first=5).turn("one", "1").turn("two", "2")

    session = summed_up("personal", KEY, talk.recorded)

    assert (session.first, session.last, session.entries, session.messages) == (5, 10, 4, 2)
    assert (session.began, session.used) == (NOON, NOON + timedelta(minutes=1))
    assert not session.is_over
    assert summed_up("personal", KEY, talk.reset().recorded).is_over


def test_a_session_that_goes_on_is_the_same_as_one_that_is_summed_up_at_its_end() -> None:
    talk = Talk().turn("one", "1").turn("two", "2").reset()
    whole = summed_up("personal", KEY, talk.recorded)

    for cut in range(1, len(talk.recorded)):
        begun = summed_up("personal", KEY, talk.recorded[:cut])
        assert continued(begun, talk.recorded[cut:]) == whole
        assert begun.id == whole.id
