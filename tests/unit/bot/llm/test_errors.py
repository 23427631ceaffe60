from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.llm import errors
from bot.llm.endpoint import Endpoint
from bot.llm.errors import MAX_WORDS_CHARS, ErrorResponse, broken_stream, no_answer, no_connection, not_a_model, refusal

KEY = "sk-0123456789abcdef"
CLOUD = Endpoint(model="gpt-5-mini", base_url="https://api.openai.com/v1", api_key=SecretStr(KEY))
HOME = Endpoint(model="qwen3:8b", base_url="http://localhost:11434")


def rejection(status: int, words: str = "", code: str = "", at: Endpoint = CLOUD) -> errors.ModelError:
    return refusal(ErrorResponse(status, code, words), at)


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens.", errors.ContextTooLong),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", errors.ContextTooLong),
        (400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", errors.ContextTooLong),
        (400, "the request exceeds the available context size, try increasing it", errors.ContextTooLong),
        (400, "Please reduce the length of the messages or completion.", errors.ContextTooLong),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", errors.ContextTooLong),
        (400, "max_tokens is too large: 99999. This model supports at most 16384.", errors.Rejected),
        (400, "registry.ollama.ai/library/gemma:2b does not support tools", errors.NoToolSupport),
        (404, "No endpoints found that support tool use.", errors.NoToolSupport),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', errors.NoToolSupport),
        (400, "This model does not support image inputs.", errors.NoPictureSupport),
        (400, "Invalid content type. image_url is only supported by certain models.", errors.NoPictureSupport),
        (404, "No endpoints found that support image input", errors.NoPictureSupport),
        (422, "messages[0]: unknown variant `image_url`, expected `text` at line 1", errors.NoPictureSupport),
        (400, "At most 0 image(s) may be provided in one prompt.", errors.NoPictureSupport),
        (500, "image input is not supported - hint: you may need to provide the mmproj", errors.NoPictureSupport),
        (400, "Your input image may contain content that is not allowed by our safety system", errors.Rejected),
        (400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", errors.Rejected),
        (400, "You uploaded an unsupported image. Please make sure your image is valid.", errors.Rejected),
        (400, "This model does not support images larger than 20 MB.", errors.Rejected),
        (400, "The image format is not supported. Images are not supported as BMP.", errors.Rejected),
        (500, "The server had an error while reading an image.", errors.Unavailable),
        (404, 'model "qwen3:8b" not found, try pulling it first', errors.NoSuchModel),
        (404, "The model `gpt-5-mini` does not exist or you do not have access to it.", errors.NoSuchModel),
        (400, "Invalid model: gpt-5-mini", errors.NoSuchModel),
        (400, "API key not valid. Please pass a valid API key.", errors.Unauthorised),
        (400, "Your credit balance is too low to access the API.", errors.OutOfCredit),
        (429, "You exceeded your current quota, please check your plan.", errors.RateLimited),
        (404, "404 page not found", errors.WrongAddress),
        (404, "Not Found", errors.WrongAddress),
        (429, "Request too large: reduce the length of the messages", errors.RateLimited),
        (403, "Country, region, or territory not supported", errors.Unauthorised),
        (451, "", errors.Rejected),
        (503, "", errors.Unavailable),
        (599, "", errors.Unavailable),
    ],
)
def test_a_refusal_becomes_the_error_that_it_is(status: int, words: str, kind: type[errors.ModelError]) -> None:
    assert type(rejection(status, words)) is kind


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192),
        ("prompt is too long: 210,000 tokens > 200,000 maximum", 200_000),
        ("the request exceeds the available context size (4096 tokens)", 4096),
        ("exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("This model's maximum prompt length is 131072 but the request contains 136973 tokens.", 131_072),
        ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease", 200_000),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
        ("Please reduce the length of the messages.", None),
    ],
)
def test_the_size_of_the_window_is_read_from_the_complaint(words: str, limit: int | None) -> None:
    error = rejection(400, words)

    assert isinstance(error, errors.ContextTooLong)
    assert re.findall(r"It takes (\d+) tokens", error.hint) == ([] if limit is None else [str(limit)])


def test_a_message_says_what_happened_where_and_what_to_do() -> None:
    error = rejection(429, "Slow down.")

    assert error.message == "gpt-5-mini at api.openai.com gets too many requests (HTTP 429: Slow down.)."
    assert error.hint == "Wait a while, or ask the provider for a higher limit."
    assert error.exit_code == 6


def test_a_refused_key_is_never_repeated() -> None:
    assert "sk-" not in str(rejection(401, f"Incorrect API key provided: {KEY[:10]}****"))
    assert KEY not in str(rejection(400, f"bad header {KEY}"))


def test_a_missing_key_is_told_apart_from_a_wrong_one() -> None:
    assert "No key was sent" in rejection(401, at=HOME).hint
    assert "Check the model's api_key" in rejection(401).hint


def test_a_model_at_home_has_to_be_loaded() -> None:
    assert "ollama pull qwen3:8b" in rejection(404, "model not found", at=HOME).hint


def test_an_address_without_v1_gets_it_proposed() -> None:
    assert "http://localhost:11434/v1" in not_a_model(HOME, "a web page").hint
    assert "/v1" not in not_a_model(CLOUD, "a web page").hint
    assert "http://localhost:11434/v1" in rejection(404, at=HOME).hint


def test_a_server_at_home_that_is_off_and_a_network_that_is_down_are_told_apart() -> None:
    assert "Is the server running?" in no_connection(HOME, "Connection refused").hint
    assert "Check the network" in no_connection(CLOUD, "Name or service not known").hint
    assert "did not answer within 90 s." in str(no_answer(CLOUD, 89.9999))


def test_the_reason_of_a_lost_connection_does_not_hold_the_key() -> None:
    reason = f"Illegal header value b'Bearer {KEY}'"

    assert KEY not in str(no_connection(CLOUD, reason))
    assert KEY not in str(broken_stream(CLOUD, reason))


@pytest.mark.parametrize("kind", [errors.Unauthorised, errors.OutOfCredit, errors.NoSuchModel, errors.WrongAddress])
def test_what_somebody_has_to_change_is_asked_once(kind: type[errors.ModelError]) -> None:
    assert (kind.blame, kind.tries) == (errors.Blame.ACCOUNT, 1)


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def of(body: object, status: int = 400, **headers: str) -> ErrorResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ErrorResponse.of_response(status, body, headers=named, now=NOON)


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
    assert len(complaint.words) == MAX_WORDS_CHARS + 1


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
    assert ErrorResponse.of_event(body).status == status


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "x"]), inner),
)


@given(json_values, st.text())
def test_no_body_and_no_header_is_too_odd(body: object, retry_after: str) -> None:
    complaint = of(body, retry_after=retry_after)

    assert "\n" not in complaint.words
    assert complaint.seconds is None or complaint.seconds >= 0
    assert 400 <= ErrorResponse.of_event(body).status < 600
