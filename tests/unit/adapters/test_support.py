from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from adapters.support import LimitedDict, backoff_s, first_error, not_imported, printable


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


def test_a_module_that_is_left_out_counts_as_not_installed_and_can_be_imported_afterwards() -> None:
    with not_imported("this", "sys"):
        with pytest.raises(ImportError):
            import_module("this")
        assert import_module("sys") is sys

    assert "this" not in sys.modules


def test_the_library_for_telegram_brings_neither_ciphers_nor_a_command_line() -> None:
    script = "import sys, adapters.telegram.adapter; print(*{'cryptography', 'pygments', 'click'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ""
