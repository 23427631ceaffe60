from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.port import Sender
from bot.quoting import Quote, quoted
from memory import Origin
from tests.samples import inbound

SAID = inbound("", update="1")
BOB = Sender("bob", "Bob")


def quoting(text: str, by: Sender | None) -> Quote:
    return quoted([replace(SAID, quote=text, quote_by=by)], origin=Origin.OWNER)


@pytest.mark.parametrize(
    ("author", "by", "origin"),
    [
        (SAID.sender, "", Origin.OWNER),
        (Sender(SAID.address.bot, "Scrubjay", is_bot=True), "Scrubjay", Origin.AGENT),
        (BOB, "Bob", Origin.UNTRUSTED),
        (replace(BOB, name=SAID.sender.name), SAID.sender.name, Origin.UNTRUSTED),
        (None, "", Origin.UNTRUSTED),
    ],
)
def test_whose_words_a_quote_is_goes_by_the_id_and_never_by_the_name(
    author: Sender | None, by: str, origin: Origin
) -> None:
    assert quoting("words", author) == Quote("words", by, origin)


def test_nothing_quoted_is_nothing() -> None:
    assert quoted([], origin=Origin.OWNER).text == ""


def test_several_forwards_become_one_quote_and_count_as_the_worst_of_them() -> None:
    messages = [replace(SAID, quote=text, quote_by=who) for text, who in [("one", BOB), ("two", SAID.sender)]]

    assert quoted(messages, origin=Origin.OWNER) == Quote("Bob: one\ntwo", "Bob", Origin.UNTRUSTED)
