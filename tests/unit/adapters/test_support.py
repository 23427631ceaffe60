from __future__ import annotations

import pytest

from adapters.support import LimitedDict, backoff_s, first_error, printable


def test_beyond_its_limit_a_dictionary_forgets_what_was_set_longest_ago() -> None:
    limited = LimitedDict[str, int](2)
    limited["a"] = 1
    limited["b"] = 2
    limited["a"] = 3
    limited["c"] = 4

    assert dict(limited) == {"a": 3, "c": 4}


def test_waits_double_up_to_a_limit_however_long_an_outage_lasts() -> None:
    assert [backoff_s(failures, max_s=30) for failures in (1, 2, 5, 6, 100_000)] == [1, 2, 16, 30, 30]


def test_the_first_error_is_found_in_groups_of_groups() -> None:
    error = ValueError("first")

    assert first_error(ExceptionGroup("", [ExceptionGroup("", [error, KeyError()]), OSError()])) is error


@pytest.mark.parametrize(
    ("text", "shown"), [("\x1b[2Jgone", "\ufffd[2Jgone"), ("a\u202eb", "a\ufffdb"), ("lines\n\tstay", "lines\n\tstay")]
)
def test_what_a_terminal_would_obey_is_replaced(text: str, shown: str) -> None:
    assert printable(text) == shown
