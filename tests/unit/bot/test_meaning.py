from __future__ import annotations

from dataclasses import replace

from bot.meaning import mode, told
from memory import Status

STANDS = Status("ready", files=1, units=3, facts=1, pending=0, reason="", path="/x", bytes=1)


def test_words_and_meaning_are_told_with_how_far_the_embedding_has_come() -> None:
    stands = replace(STANDS, mode="hybrid", embedder="e5", embedded=1200, unembedded=34)

    assert told(stands) == "Searched by words and meaning. 1,200 of 1,234 passages are embedded."


def test_words_alone_are_told_with_the_reason() -> None:
    assert told(replace(STANDS, mode_reason="The endpoint does not answer.")) == "The endpoint does not answer."
    assert told(STANDS) == "Words are searched alone."


def test_a_way_of_searching_that_came_later_is_told_by_its_name() -> None:
    assert (mode("words"), mode("hybrid"), mode("images")) == ("words", "words and meaning", "images")
