"""What Telegram's own parser makes of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import MessageEntity

from adapters.markup import split
from adapters.telegram.rendering import TEXT_LIMIT, Rendered, rendered, utf16_length
from tests.servers.telegram.texts import FormattedText, Texts

JUDGE = Texts()


def judged(shown: Rendered) -> FormattedText:
    """As the platform shows it; raises if it would refuse."""
    return JUDGE.message(shown.text, entities=[entity.to_dict() for entity in shown.entities])


def marked(markdown: str) -> list[tuple[str, str]]:
    """The entities with the words under them, in the order of the text."""
    shown = rendered(markdown)
    units = shown.text.encode("utf-16-le")
    return [
        (str(e.type), units[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le"))
        for e in sorted(shown.entities, key=lambda e: (e.offset, -e.length))
    ]


WORDS = st.from_regex(r"[a-z]{1,8}[0-9]{1,4}", fullmatch=True)
MARKS = st.sampled_from(
    """
    * ** *** _ __ ~~ ~ ` `` ``` ~~~ > >> # ### - + 1. 7) - [ ] | || --- === [ ] ( ) ](http://a.example/ ![ <b> </b>
    <br <!-- --> <script> < & &amp; &lt; $ $$ \\( \\) \\ \\alpha \\frac{ } [^1]: [x]: : |---|---| | a | b | http://b.example
    <http://c.example> @name /command #tag é ü 雪 👍 👨‍👩‍👧 🇩🇪 ‎ “ ” … — ](/relative) ](mailto:a@b.example) "title")
    """.split()
)
SPACES = st.sampled_from([" ", " ", "\n", "\n\n", "\n    ", "\t", "", "\r\n", "\n> ", "\n- ", "\n| "])
PIECES = st.tuples(st.one_of(WORDS, MARKS, st.text(max_size=3)), SPACES).map("".join)
DOCUMENTS = st.lists(PIECES, max_size=60).map("".join).filter(lambda text: text.encode("utf-8", "ignore") != b"")


def well_formed(text: str) -> str:
    return text.encode("utf-16-le", "ignore").decode("utf-16-le", "ignore")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+[0-9]+", text)


@given(DOCUMENTS.map(well_formed), st.integers(40, 300), st.data())
def test_whatever_is_written_and_wherever_it_is_cut_telegram_takes_every_part_and_no_word_is_lost(
    markdown: str, limit: int, data: Any
) -> None:
    cut = markdown[: data.draw(st.integers(0, len(markdown)))]
    for part in split(cut, limit, unit="utf16"):
        shown = rendered(part, limit=limit)
        assert utf16_length(shown.text) <= limit
        seen = judged(shown)
        targets = [entity.get("url", "") + " " + entity.get("language", "") for entity in seen.entities]
        there = " ".join([seen.text, *targets])
        assert not [word for word in words(part) if word not in there]
