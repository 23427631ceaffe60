"""TDLib as the judge of texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.servers.telegram.refusals import Refused
from tests.servers.telegram.texts import Texts, utf16_length

TEXTS = Texts()  # quick to make and without state
BOLD = {"type": "bold", "offset": 0, "length": 1}


@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("<b>hi", "HTML", "can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        ("a_b", "MarkdownV2", "can't parse entities: Can't find end of Italic entity at byte offset 1"),
        ("hi", "Wiki", "unsupported parse_mode"),
        ("", "", "message text is empty"),
        (" \n ", "", "text must be non-empty"),
        ("x" * 4097, "", "message is too long"),
        ("😀" * 2049, "", "message is too long"),
        ("ä" * 20_000, "", "text is too long"),
    ],
)
def test_a_text_is_refused_in_the_official_words(text: str, mode: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        TEXTS.message(text, mode)

    assert refused.value.description == f"Bad Request: {reason}"
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        ({**BOLD, "offset": 2}, "entity begins in a middle of a UTF-16 symbol at byte offset 5"),
        ({**BOLD, "offset": 3, "length": 9}, "entity beginning at UTF-16 offset 3 ends after the end of the text"),
        ({**BOLD, "offset": 9}, "entity begins after the end of the text at UTF-16 offset 9"),
        ({**BOLD, "offset": -1}, "receive an entity with incorrect offset -1"),
        ({**BOLD, "type": "text_link"}, "entity URL '' is invalid: URL host is empty"),
    ],
)
def test_an_entity_that_does_not_fit_the_text_is_refused(entity: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused) as refused:
        TEXTS.message("a😀b", "", [entity])

    assert refused.value.description.startswith(f"Bad Request: {reason}")


def test_the_longest_text_and_caption_are_taken() -> None:
    assert utf16_length(TEXTS.message("😀" * 2048).text) == 4096
    assert TEXTS.caption("x" * 1024).text
    with pytest.raises(Refused, match="message caption is too long"):
        TEXTS.caption("x" * 1025)


def test_markup_becomes_text_and_entities() -> None:
    html = '<b>x</b> <a href="https://a.example/">y</a> <pre><code class="language-py">z</code></pre>'

    formatted = TEXTS.message(html, "html")

    assert formatted.text == "x y z"
    assert formatted.entities == (
        {"type": "bold", "offset": 0, "length": 1},
        {"type": "text_link", "offset": 2, "length": 1, "url": "https://a.example/"},
        {"type": "pre", "offset": 4, "length": 1, "language": "py"},
    )


def test_given_entities_are_kept_and_links_commands_and_mentions_are_found() -> None:
    given_entities = [
        {"type": "expandable_blockquote", "offset": 0, "length": 3},
        {"type": "pre", "offset": 4, "length": 3, "language": "py"},
        {"type": "url", "offset": 0, "length": 2},
    ]

    formatted = TEXTS.message("say abc /help @somebody https://a.example a@b.example", "", given_entities)

    kinds = [entity["type"] for entity in formatted.entities]
    assert kinds == ["expandable_blockquote", "pre", "bot_command", "mention", "url", "email"]
    assert formatted.entities[1]["language"] == "py"


def test_white_space_goes_from_the_ends_and_entities_move_with_the_text() -> None:
    formatted = TEXTS.message("\n  ab  \n", "", [{"type": "bold", "offset": 3, "length": 5}])

    assert formatted.text == "ab"
    assert formatted.entities == ({"type": "bold", "offset": 0, "length": 2},)


def test_an_entity_in_front_keeps_the_white_space_that_it_covers() -> None:
    formatted = TEXTS.message("  ab", "", [{"type": "code", "offset": 0, "length": 4}])

    assert formatted.text == "  ab"


def test_html_and_content_fields_have_the_names_of_the_bot_api() -> None:
    formatted = TEXTS.caption("<i>x</i>", "HTML")

    assert formatted.as_content("caption")["caption_entities"] == [{"type": "italic", "offset": 0, "length": 1}]
    assert TEXTS.message("x").as_content() == {"text": "x"}


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_taken_or_refused_and_its_entities_stay_inside(text: str) -> None:
    try:
        formatted = TEXTS.message(text)
    except Refused:
        return
    length = utf16_length(formatted.text)
    assert all(0 <= entity["offset"] < entity["offset"] + entity["length"] <= length for entity in formatted.entities)
