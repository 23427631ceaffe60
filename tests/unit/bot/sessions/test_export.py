from __future__ import annotations

from datetime import UTC

import pytest

from bot.sessions.export import as_paragraph, contribution, document
from bot.sessions.turns import Said
from bot.storage.port import EntryKind
from tests.support.conversation import SESSION_ID, TranscriptBuilder, summarize_session
from tests.support.factories import NOON


def written(talk: TranscriptBuilder) -> str:
    session = summarize_session("personal", SESSION_ID, talk.recorded)
    return document(session, talk.recorded, zone=UTC)


def test_a_document_opens_with_what_it_is_of() -> None:
    text = written(TranscriptBuilder().turn("hello", "hi"))

    assert text.startswith("# personal, 2026-11-21 12:00\n\nSession `")
    assert f"of `{SESSION_ID}`, open.\n" in text
    assert text.endswith("[12:00] **Ada**: hello\n\n[12:00] **personal**: hi\n")
    assert "over.\n" in written(TranscriptBuilder().turn("hello", "hi").reset())


def test_tools_stand_before_an_answer_and_what_was_printed_after_it() -> None:
    talk = TranscriptBuilder()
    call = {"id": "c", "name": "now", "arguments": {}}
    talk.work = [(EntryKind.STEP, {"role": "assistant", "calls": [call]})]

    text = written(talk.turn("what day?", "Saturday", told=("Noted in `memory/2026-11-21.md`.",)))

    assert "*personal called* `now({})`\n\n[12:00] **personal**: Saturday\n\nNoted in `memory" in text


def test_a_long_contribution_is_cut_and_says_so() -> None:
    text = contribution(Said(NOON, "Ada", "x" * 5000), zone=UTC, max_chars=4000)

    assert text == f"[12:00] **Ada**: {'x' * 4000} [… 1,000 more characters]"


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("# Title", "> # Title"),
        ("- one", "> - one"),
        ("---", "> ---"),
        ("a fact ^k3f9a2mq", "a fact \\^k3f9a2mq"),
        ("```\nx = 1\n\n# code ^k3f9a2mq\n```", "> ```\n> x = 1\n>\n> # code \\^k3f9a2mq\n> ```"),
        ("one\u2028two\rthree", "> one\n> two\n> three"),
        ("bell\x07 and escape\x1b[31m", "bell  and escape [31m"),
        ("plain #tag, 2^n and ^up there", "plain #tag, 2^n and ^up there"),
        ("", ""),
    ],
)
def test_what_somebody_said_does_not_reach_beyond_itself(text: str, stays: str) -> None:
    assert as_paragraph(text) == (stays or ">")


def test_a_line_stands_behind_its_speaker_several_are_quoted_and_a_name_cannot_break_out() -> None:
    name = "A**da\n# B ^k3f9a2mq"

    assert contribution(Said(NOON, name, "# one"), zone=UTC, max_chars=9) == "[12:00] **Ada # B \\^k3f9a2mq**: # one"
    listed = contribution(Said(NOON, "Ada", "- one\n- two"), zone=UTC, max_chars=99)
    assert listed == "[12:00] **Ada**:\n\n> - one\n> - two"


def test_what_was_printed_or_called_is_quiet_as_well() -> None:
    text = written(TranscriptBuilder().turn("hello", "hi", told=("Noted — ^k3f9a2mq", "## Retain\n- W: x")))

    assert text.endswith("hi\n\nNoted — \\^k3f9a2mq\n\n> ## Retain\n> - W: x\n")
