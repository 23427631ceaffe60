from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.evidence import format_evidence, parse_evidence
from memory.files.markdown import BlockKind, blocks
from memory.files.notation import parse_fact
from memory.types import Evidence

IDS = st.from_regex(r"\A[a-z0-9]{4,8}\Z")
EVIDENCE = st.builds(
    Evidence,
    day=st.dates().map(str),
    step=st.sampled_from([0.25, -0.25, 1.0, -1.0]),
    path=st.from_regex(r"\A[\w;%<> -]{1,20}\.md\Z").map(str.strip),
    id=IDS,
)


def test_it_is_written_as_one_comment() -> None:
    evidence = [
        Evidence("2026-01-20", 0.25, "memory/2026-01-20.md", "a1b2c3d4"),
        Evidence("2026-01-22", -0.25, "memory/2026-01-22.md", "e5f6g7h8"),
    ]
    line = format_evidence("k3f9a2mq", 0.7, evidence)
    assert line == (
        "  <!-- scrubjay:evidence ^k3f9a2mq from 0.70; 2026-01-20 +0.25 memory/2026-01-20.md#^a1b2c3d4; "
        "2026-01-22 -0.25 memory/2026-01-22.md#^e5f6g7h8 -->"
    )
    assert parse_evidence(line) == (0.7, tuple(evidence))


@given(IDS, st.integers(0, 1000), st.lists(EVIDENCE, max_size=4))
def test_what_is_written_is_read_back(id: str, confidence: int, evidence: list[Evidence]) -> None:
    line = format_evidence(id, confidence / 1000, evidence)
    assert parse_evidence(line) == (confidence / 1000, tuple(evidence))
    assert "\n" not in line
    assert line.count("-->") == 1


@pytest.mark.parametrize(
    "line",
    [
        "- O: no comment",
        "<!-- scrubjay:begin x -->",
        "<!-- scrubjay:evidence ^a from 7 -->",
        "<!-- scrubjay:evidence ^a from 0.5; 2026-02-30 +0.25 a.md#^b -->",
        "<!-- scrubjay:evidence ^a from 0.5; yesterday +0.25 a.md#^b -->",
        "<!-- scrubjay:evidence ^a from",
    ],
)
def test_what_is_none_is_not_read(line: str) -> None:
    assert parse_evidence(line) is None


def test_it_belongs_to_no_bullet_even_if_that_has_lines_below() -> None:
    text = (
        "- O(c=0.7) @Ada: Likes ^a1b2c3d4\n  - tea\n  <!-- scrubjay:evidence ^a1b2c3d4 from 0.70 -->\n"
        "- O: Shows ^e5f6g7h8\n  ```\n  <!-- scrubjay:evidence ^x from 0.70 -->\n  ```\n"
    )
    found = [*blocks(text)]
    assert [block.kind for block in found] == [BlockKind.BULLET, BlockKind.COMMENT, BlockKind.BULLET]
    assert parse_fact(found[0].text).text == "Likes\n- tea"
    assert "from 0.70" in parse_fact(found[2].text).text
