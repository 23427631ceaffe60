"""The endpoint's own wish for a pause comes first; what will not pass is not asked again."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx2
import openai
import pytest

from memory.embed.patience import FOR_PASSAGES, Patience, backoff, retry_after
from memory.errors import EmbeddingFailed

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def now() -> datetime:
    return NOW


def answered(status: int, *, code: str | None = None, **headers: str) -> openai.APIStatusError:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/embeddings")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx2.Response(status, request=request, headers=named)
    return openai.APIStatusError("no", response=response, body={"code": code})


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e300", 86_400.0),
        ("Sat, 21 Nov 9999 12:00:30 GMT", 86_400.0),
        ("Sat, 31 Feb 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(status)) is True


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_lasting_failure_is_not(status: int) -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(status)) is False


def test_a_used_up_quota_does_not_come_back_by_waiting() -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(429, code="insufficient_quota")) is False


def test_the_wait_is_the_one_that_was_asked_for() -> None:
    assert backoff(FOR_PASSAGES, now=now)(answered(429, retry_after="7")) == 7.0


def test_a_wait_beyond_our_patience_is_not_begun() -> None:
    short = Patience(attempts=3, request_s=1, deadline_s=5, longest_wait_s=2)

    assert backoff(short, now=now)(answered(429, retry_after="7")) is False


def test_a_broken_answer_is_tried_again() -> None:
    assert backoff(FOR_PASSAGES, now=now)(EmbeddingFailed("half a body")) is True


def test_a_mistake_of_ours_is_not() -> None:
    assert backoff(FOR_PASSAGES, now=now)(TypeError("ours")) is False
