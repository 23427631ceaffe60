from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from adapters.port import Attachment, Button
from bot.storage.tables.redaction import redact_body, redact_fields, redact_inbound, redact_outbound
from tests.support.factories import inbound, outbound


def shout(text: str) -> str:
    return text.replace("pin", "X")


def rewritten(body: object) -> object:
    return json.loads(redact_body(json.dumps(body), shout))


def test_what_was_written_is_rewritten_however_deep_and_what_the_program_reads_is_not() -> None:
    body = {
        "role": "pin", "call_id": "pin", "sender": "pin", "name": "pin", "message": "pin", "seq": 3,
        "text": "the pin", "told": ["pin", "no"], "files": [{"kind": "pin", "name": "pin.txt", "size": 3}],
        "calls": [{"id": "pin", "name": "pin", "arguments": {"pin": {"a": ["pin", 1, None]}}}],
        "hits": [{"id": "pin", "kind": "pin", "content": "pin", "parts": {"word:pin": 1.0, "fact": 0.5}}],
    }  # fmt: skip

    assert rewritten(body) == body | {
        "text": "the X",
        "told": ["X", "no"],
        "files": [{"kind": "pin", "name": "X.txt", "size": 3}],
        "calls": [{"id": "pin", "name": "pin", "arguments": {"pin": {"a": ["X", 1, None]}}}],
        "hits": [{"id": "pin", "kind": "pin", "content": "X", "parts": {"word:X": 1.0, "fact": 0.5}}],
    }


def test_a_text_that_is_json_stays_json() -> None:
    text = json.dumps({"results": [{"snippet": 'the "pin"\nis here'}]})

    assert rewritten({"text": text}) == {"text": json.dumps({"results": [{"snippet": 'the "X"\nis here'}]})}
    assert rewritten({"text": "[pin]"}) == {"text": "[X]"}
    assert rewritten({"text": "{pin"}) == {"text": "{X"}


def test_parts_of_a_score_that_come_to_the_same_are_added_up() -> None:
    assert redact_fields({"parts": {"pin": 1.0, "X": 0.5}}, shout) == {"parts": {"X": 1.5}}


def test_what_a_provider_wants_back_unchanged_goes_as_a_whole_when_it_repeats_it() -> None:
    assert rewritten({"extra": {"thoughts": "pin", "signature": "abc"}}) == {"extra": {}}
    assert rewritten({"extra": {"thoughts": "x", "signature": "abc"}}) == {
        "extra": {"thoughts": "x", "signature": "abc"}
    }


def test_brackets_without_end_are_a_text_like_any_other() -> None:
    for text in ("[" * 5_000 + "pin" + "]" * 5_000, "[" * 450 + '"pin"' + "]" * 450):
        assert "pin" not in str(rewritten({"text": text}))


@given(st.text())
def test_a_body_that_repeats_nothing_comes_back_as_it_is(text: str) -> None:
    assert redact_body(text, lambda same: same) == text
    body = json.dumps({"text": text, "told": [text]}, indent=1)
    assert redact_body(body, lambda same: same) == body


def test_events_and_messages_keep_everything_but_their_words() -> None:
    event = replace(
        inbound("pin", update="pin"), quote="a pin", attachments=(Attachment("pin", "pin.txt", "pin", 1, "pin"),)
    )
    out = replace(outbound("pin", "pin"), buttons=(Button("pin", "/forget pin"),))

    assert redact_inbound(event, shout) == replace(
        event, text="X", quote="a X", attachments=(Attachment("pin", "X.txt", "pin", 1, "pin"),)
    )
    assert redact_outbound(out, shout) == replace(out, text="X", buttons=(Button("X", "/forget X"),))
