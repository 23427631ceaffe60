from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.tokens import CHARS_PER_TOKEN, MAX_RATIO, MIN_RATIO, OfflineTokenizer, TokenCounter, Window, by_bytes
from bot.llm.types import Message, Request, Role, ToolCall, Usage
from tests.support.factories import ADD_TOOL, make_request

EXACT = OfflineTokenizer()
CALLING = Message(Role.ASSISTANT, "", (ToolCall("c1", "add", {"a": 1}),))


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("Straßenbahn", 3), ("東京都", 1), ("<|endoftext|>", 7), ("a\ud83d", 2)],
)
def test_texts_are_counted_as_the_tokenizer_cuts_them(text: str, tokens: int) -> None:
    assert EXACT(text) == tokens


@pytest.mark.parametrize("sign", ["a", "貓", " ", "!", "<|endoftext|>", "\u0301", "👩‍👧"])
def test_a_long_run_of_one_sign_is_counted_in_no_time(sign: str) -> None:
    assert EXACT(sign * 200_000) > 0  # a counter in quadratic time would take hours


@given(st.text(alphabet=st.characters(codec=None)))
def test_every_text_has_a_count_with_and_without_a_tokenizer(text: str) -> None:
    assert EXACT(text) >= 0
    assert by_bytes(text) >= (len(text) > 0)


def test_without_the_package_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quicktok", None)

    assert OfflineTokenizer()("x" * 400) == by_bytes("x" * 400) == 115


def test_the_tokenizer_is_loaded_once() -> None:
    assert EXACT.load() is EXACT.load()


def test_a_request_is_its_messages_its_tools_and_what_surrounds_them() -> None:
    counter = TokenCounter(words)
    said = Message(Role.USER, "one two three")

    assert counter.text("one two") == 2
    assert counter.message(said) == 4 + 3
    assert counter.message(CALLING) == 4 + (4 + 2)
    assert counter.message(replace(CALLING, extra={"reasoning_content": "a b"})) == 4 + (4 + 2) + 2
    assert counter.tool(ADD_TOOL) > 8
    assert counter.request(Request(history=(said,), tools=(ADD_TOOL,)), model="m") == 3 + 7 + counter.tool(ADD_TOOL)


def test_a_text_is_counted_once_however_often_it_is_sent() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 1

    counter = TokenCounter(count)
    for _ in range(3):
        counter.request(make_request("hello"), model="m")

    assert counted == ["hello"]


def test_what_a_model_reports_corrects_its_next_count_and_no_other_models() -> None:
    counter = TokenCounter(words)
    request = make_request("word " * 93)
    assert counter.request(request, model="m") == 100
    counter.learn(request, Usage(150, 9), model="m")

    assert counter.request(request, model="m") == 150
    assert counter.request(request, model="other") == 100


def test_newer_reports_weigh_more_and_larger_requests_too() -> None:
    counter = TokenCounter(words)
    small, large = make_request("word " * 3), make_request("word " * 993)
    counter.learn(small, Usage(30, 1), model="m")
    counter.learn(large, Usage(1000, 1), model="m")

    assert counter.ratio("m") == pytest.approx((0.8 * 30 + 1000) / (0.8 * 10 + 1000))


@pytest.mark.parametrize(("reported", "ratio"), [(1_000_000, MAX_RATIO), (1, MIN_RATIO), (0, 1.0), (-5, 1.0)])
def test_reports_that_cannot_be_true_are_kept_within_bounds(reported: int, ratio: float) -> None:
    counter = TokenCounter(words)
    counter.learn(make_request("word " * 93), Usage(reported, 0), model="m")

    assert counter.ratio("m") == ratio


@given(st.integers(2_000, 10_000_000))
def test_every_share_fits_into_the_window(tokens: int) -> None:
    window = Window(tokens)

    assert window.request + window.reserve == tokens
    assert window.bootstrap + window.recalled // CHARS_PER_TOKEN < window.request
    assert 0 < window.bootstrap_file <= window.bootstrap
    assert window.tool_result // CHARS_PER_TOKEN < window.reserve


def test_large_windows_have_fixed_shares() -> None:
    assert (Window(200_000).reserve, Window(2_000_000).reserve) == (20_000, 20_000)
    assert Window(4_096).reserve == 1_024
