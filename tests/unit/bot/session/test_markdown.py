from __future__ import annotations

from datetime import UTC

import pytest

from bot.durable.port import EntryKind
from bot.session.markdown import document, minutes, quiet
from bot.session.split import summed_up
from bot.session.talk import Said, exchanges
from tests.samples import NOON
from tests.talks import KEY, Talk


def written(talk: Talk) -> str:
    session = summed_up("personal", KEY, talk.recorded)
    return document(session, exchanges(talk.recorded, agent="personal"), zone=UTC)


def test_a_document_opens_with_what_it_is_of() -> None:
    text = written(Talk().turn("hello", "hi"))

    assert text.startswith("# personal, 2026-11-21 12:00\n\nSession `")
    assert f"of `{KEY}`, open.\n" in text
    assert text.endswith("[12:00] **Ada**: hello\n\n[12:00] **personal**: hi\n")
    assert "over.\n" in written(Talk().turn("hello", "hi").reset())


def test_tools_stand_before_an_answer_and_what_was_printed_after_it() -> None:
    talk = Talk()
    call = {"id": "c", "name": "now", "arguments": {}}
    talk.work = [(EntryKind.STEP, {"role": "assistant", "calls": [call]})]

    text = written(talk.turn("what day?", "Saturday", told=("Noted in `memory/2026-11-21.md`.",)))

    assert "*personal called* `now({})`\n\n[12:00] **personal**: Saturday\n\nNoted in `memory" in text


def test_a_long_contribution_is_cut_in_the_minutes_and_says_so() -> None:
    text = minutes([Said(NOON, "Ada", "x" * 5000)], zone=UTC, longest=4000)

    assert text == f"[12:00] **Ada**: {'x' * 4000} [… 1,000 more characters]"


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("# Title", "\\# Title"),
        ("<!-- scrubjay:begin x -->", "\\<!-- scrubjay:begin x -->"),
        ("a fact ^k3f9a2mq", "a fact (^k3f9a2mq)"),
        ("```\n# code\n```", "```\n# code\n```"),
        ("```\nleft open", "```\nleft open\n```"),
        ("~~~~\n```\n", "~~~~\n```\n~~~~"),
        ("plain #tag", "plain #tag"),
    ],
)
def test_what_somebody_said_does_not_reach_beyond_itself(text: str, stays: str) -> None:
    assert quiet(text) == stays


def test_a_list_begins_on_a_line_of_its_own_and_a_name_cannot_break_out() -> None:
    said = [Said(NOON, "A**da\n# B", "- one\n- two")]

    assert minutes(said, zone=UTC, longest=100) == "[12:00] **Ada # B**:\n\n- one\n- two"
