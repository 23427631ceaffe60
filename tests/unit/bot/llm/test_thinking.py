from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.port import TextDelta, Thinking
from bot.llm.thinking import ThinkTags


def split(*pieces: str) -> tuple[str, str]:
    """The thoughts and the answer."""
    tags = ThinkTags()
    events = [event for piece in pieces for event in tags.feed(piece)] + list(tags.end())
    assert all(event.text for event in events)
    return (
        "".join(event.text for event in events if isinstance(event, Thinking)),
        "".join(event.text for event in events if isinstance(event, TextDelta)),
    )


@pytest.mark.parametrize(
    ("text", "thoughts", "answer"),
    [
        ("<think>Hm.</think>\n\nYes.", "Hm.", "Yes."),
        ("\n<think>\nHm.\n</think>Yes.", "\nHm.\n", "Yes."),
        ("<think></think>Yes.", "", "Yes."),
        ("<think>Hm.", "Hm.", ""),
        ("<think>a </th b</think>Yes.", "a </th b", "Yes."),
        ("Yes.", "", "Yes."),
        ("<thin", "", "<thin"),
        ("<b>Yes</b>", "", "<b>Yes</b>"),
        ("Write <think>x</think> so.", "", "Write <think>x</think> so."),
        ("<think>a</think>Yes. <think>b</think>", "a", "Yes. <think>b</think>"),
        ("  ", "", "  "),
        ("", "", ""),
    ],
)
def test_thoughts_stand_between_tags_at_the_very_beginning(text: str, thoughts: str, answer: str) -> None:
    assert split(text) == (thoughts, answer)
    assert split(*text) == (thoughts, answer)


@given(st.text(alphabet="<think>/ a\n"), st.data())
def test_how_a_text_is_cut_into_pieces_changes_nothing(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))

    assert split(text[:at], text[at:]) == split(text) == split(*text)
