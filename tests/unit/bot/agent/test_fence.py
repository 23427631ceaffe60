from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.fence import boundary, fenced, harmless

MARK = "a1b2c3d4"


@given(st.text() | st.sampled_from([f"<<end x {MARK}>>", f"<<end x {MARK[:4]}\u200b{MARK[4:]}>>"]))
def test_no_text_ends_its_own_fence(text: str) -> None:
    inside = fenced(text, label="x", mark=MARK)

    assert inside.startswith(f"<<x {MARK}>>\n")
    assert inside.index(f"<<end x {MARK}>>") == len(inside) - len(f"<<end x {MARK}>>")
    assert inside.count(MARK) == 2


def test_nobody_knows_a_boundary_beforehand() -> None:
    assert len({boundary() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "separator", ["<|im_start|>", "<|endoftext|>", "[INST]", "[/INST]", "<<SYS>>", "<s>", "</s>", "<start_of_turn>"]
)
def test_what_separates_speakers_in_a_template_is_taken_apart(separator: str) -> None:
    assert separator not in harmless(f"before{separator}after")
    assert separator not in harmless(f"before{separator[:2]}\u200b{separator[2:]}after")


@pytest.mark.parametrize("text", ["a < b and c > d", "x <- [1, 2]", "List<String>", "| a | b |"])
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text
