from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.configuring.variables import LARGEST_FILE, Unfilled, Variables


@pytest.fixture
def variables(tmp_path: Path) -> Variables:
    (tmp_path / "token").write_text("from a file\n\n")
    return Variables({"NAME": "Robin", "EMPTY": "", "_x1": "odd"}, tmp_path)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("plain", "plain"),
        ("${NAME}", "Robin"),
        ("a ${NAME} b ${_x1}", "a Robin b odd"),
        ("${EMPTY}", ""),
        ("${NAME:-other}", "Robin"),
        ("${OTHER:-the other}", "the other"),
        ("${OTHER:-}", ""),
        ("${EMPTY:-filled}", "filled"),
        ("${file:token}", "from a file"),
        ("$$", "$"),
        ("$${NAME}", "${NAME}"),
        ("$$$${NAME}", "$${NAME}"),
        ("$5 and $ and $NAME", "$5 and $ and $NAME"),
        ("{NAME}", "{NAME}"),
    ],
)
def test_references_are_filled_and_everything_else_stays(variables: Variables, text: str, filled: str) -> None:
    assert variables.fill(text) == filled


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("${NAM}", "the environment variable NAM is not set", 'Did you mean "NAME"?'),
        ("${NAME", "without a closing brace", "$${"),
        ("${}", "allowed ${NAME}", "letters, digits"),
        ("${A B}", "allowed ${NAME}", "letters, digits"),
        ("${1A:-x}", "allowed ${NAME}", "letters, digits"),
        ("${file:none}", "cannot be read (No such file or directory)", "the folder of config.yaml"),
        ("${file:.}", "cannot be read (Is a directory)", "relative"),
        ("${file:}", "cannot be read (Is a directory)", "relative"),
    ],
)
def test_a_reference_that_leads_nowhere_says_why_and_what_to_do(
    variables: Variables, text: str, message: str, hint: str
) -> None:
    with pytest.raises(Unfilled) as unfilled:
        variables.fill(text)

    assert message in unfilled.value.message
    assert hint in unfilled.value.hint


def test_what_is_filled_in_is_not_filled_again(tmp_path: Path) -> None:
    assert Variables({"A": "${B} $$", "B": "x"}, tmp_path).fill("${A}") == "${B} $$"


def test_a_file_that_holds_more_than_one_value_can_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"x" * (LARGEST_FILE + 1))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(Unfilled, match="larger than 64 KB"):
        Variables({}, tmp_path).fill("${file:huge}")
    with pytest.raises(Unfilled, match="not UTF-8"):
        Variables({}, tmp_path).fill("${file:binary}")


@given(st.text())
def test_a_text_whose_dollar_signs_are_doubled_comes_back_as_it_was(text: str) -> None:
    assert Variables({}, Path()).fill(text.replace("$", "$$")) == text
