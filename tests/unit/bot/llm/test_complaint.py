from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.complaint import LONGEST, Complaint

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def of(body: object, status: int = 400, **headers: str) -> Complaint:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Complaint.of_response(status, body, headers=named, now=NOON)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"message": "Bad.", "type": "invalid_request_error", "code": "bad"}, "bad", "Bad."),
        ({"error": {"message": "Bad.", "code": "bad"}}, "bad", "Bad."),
        ([{"error": {"message": "Bad.", "code": 400, "status": "INVALID_ARGUMENT"}}], "400", "Bad."),
        ({"object": "error", "message": "Bad.", "type": "BadRequestError", "code": 400}, "BadRequestError", "Bad."),
        ({"error": "Bad."}, "", "Bad."),
        ({"detail": [{"loc": ["body", "x"], "msg": "Extra"}]}, "", "[{'loc': ['body', 'x'], 'msg': 'Extra'}]"),
        ({"detail": "Not Found"}, "", "Not Found"),
        ("404 page not found", "", "404 page not found"),
        ({}, "", ""),
        ([], "", "[]"),
        (None, "", ""),
        (17, "", "17"),
    ],
)
def test_every_shape_of_error_body_is_read(body: object, code: str, words: str) -> None:
    complaint = of(body)

    assert (complaint.code, complaint.words) == (code, words)


def test_a_web_page_is_noticed_and_not_repeated() -> None:
    complaint = of("\n<!doctype html><p>Bad gateway")

    assert complaint.is_page
    assert not complaint.words


def test_words_are_told_on_one_line_and_cut() -> None:
    complaint = of({"message": "a\n\x1b[31m b\x00" + "x" * 1000})

    assert complaint.words.startswith("a [31m b xxx")
    assert len(complaint.words) == LONGEST + 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 -0000", 30.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert of({}, 429, retry_after=value).seconds == seconds


def test_milliseconds_are_more_exact_than_seconds() -> None:
    assert of({}, 429, retry_after_ms="250", retry_after="1").seconds == 0.25
    assert of({}, 429).seconds is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"code": 502, "message": "x"}, 502),
        ({"code": "429", "message": "x"}, 429),
        ({"type": "overloaded_error"}, 500),
        ({"code": "rate_limit_exceeded"}, 429),
        ({"type": "invalid_request_error", "code": None}, 400),
        ({"code": 7}, 500),
        ({}, 500),
    ],
)
def test_an_error_inside_a_stream_gets_the_status_that_it_would_have_had(body: dict[str, Any], status: int) -> None:
    assert Complaint.of_event(body).status == status


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "x"]), inner),
)


@given(json_values, st.text())
def test_no_body_and_no_header_is_too_odd(body: object, retry_after: str) -> None:
    complaint = of(body, retry_after=retry_after)

    assert "\n" not in complaint.words
    assert complaint.seconds is None or complaint.seconds >= 0
    assert 400 <= Complaint.of_event(body).status < 600
