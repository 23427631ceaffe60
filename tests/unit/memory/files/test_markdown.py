from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.errors import Conflict
from memory.files.markdown import (
    SPECIAL,
    Block,
    BlockKind,
    blocks,
    frontmatter_end,
    heading,
    interrupts,
    is_retain,
    line_kind,
    properties,
    split_lines,
)
from memory.files.origins import Part, declared_origin, line_digest, own_lines, with_property
from memory.files.workspace import digest
from memory.journal.records import Action, Operation, read_record
from memory.types import OWNER, Origin
from tests.unit.memory.conftest import Desk

PAGE = """\
---
aliases: [Pete]
tags:
  - person
---
# 2025-11-27

**Ann:** Hello there,
how are you?

Peter: Fine.
- one
  continued
  - nested
    continued
- two
1986. was a year

## Retain
- W @Peter: In Marrakech. ^a1
<!-- scrubjay:forgotten ^b2 -->
### People
- met @Ann

## Table
| a | b |
|---|---|
| 1 | 2 |
```py
- not a bullet
```
<!-- scrubjay:begin summary -->
generated
<!-- scrubjay:end summary -->
after
"""


def shape(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start, block.end) for block in blocks(text)]


def test_a_page_is_cut_into_its_blocks() -> None:
    assert shape(PAGE) == [
        ("frontmatter", 1, 5),
        ("heading", 6, 6),
        ("paragraph", 8, 9),
        ("paragraph", 11, 11),
        ("bullet", 12, 13),
        ("bullet", 14, 15),
        ("bullet", 16, 16),
        ("bullet", 17, 17),
        ("heading", 19, 19),
        ("bullet", 20, 20),
        ("comment", 21, 21),
        ("heading", 22, 22),
        ("bullet", 23, 23),
        ("heading", 25, 25),
        ("table", 26, 28),
        ("fence", 29, 31),
        ("comment", 32, 32),
        ("paragraph", 33, 33),
        ("comment", 34, 34),
        ("paragraph", 35, 35),
    ]


def test_a_block_knows_the_titles_above_it_and_whether_it_is_retained() -> None:
    found = {block.start: block for block in blocks(PAGE)}
    assert found[8].headings == ("2025-11-27",)
    assert found[19].headings == ("2025-11-27",)
    assert found[20].headings == ("2025-11-27", "Retain")
    assert found[23].headings == ("2025-11-27", "Retain", "People")
    assert [start for start, block in found.items() if block.retain] == [20, 21, 22, 23]
    assert found[26].headings == ("2025-11-27", "Table")


def test_a_generated_part_is_named_on_its_blocks_and_its_marks() -> None:
    assert [block.start for block in blocks(PAGE) if block.managed == "summary"] == [32, 33, 34]


def test_a_generated_part_without_an_end_is_none() -> None:
    assert not any(block.managed for block in blocks("<!-- scrubjay:begin x -->\n- S: a\n<!-- scrubjay:end y -->\n"))


def test_the_text_of_a_block_is_its_lines_as_they_stand() -> None:
    assert next(block for block in blocks(PAGE) if block.start == 12).text == "- one\n  continued"


def test_a_line_below_a_bullet_that_is_not_indented_is_not_part_of_it() -> None:
    assert shape("- one ^a\ntwo") == [("bullet", 1, 1), ("paragraph", 2, 2)]


def test_a_numbered_line_inside_a_paragraph_is_prose_unless_it_is_the_first() -> None:
    assert shape("I was born in\n1986. It was cold.") == [("paragraph", 1, 2)]
    assert shape("Do:\n1. sit") == [("paragraph", 1, 1), ("bullet", 2, 2)]


@pytest.mark.parametrize("text", ["a\n```\n- b\n\n# c", "a\n<!-- b\n- c\n# d"])
def test_what_is_never_closed_runs_to_the_end_and_says_so(text: str) -> None:
    first, last = blocks(text)
    assert first.closed
    assert (last.start, last.end, last.closed) == (2, len(split_lines(text)), False)


@pytest.mark.parametrize(
    ("text", "end"), [("```\n``\n~~~\n```` \nx", 4), ("~~~~ x\n~~~\n~~~~\n", 3), ("  ```\n  a\n  ```", 3)]
)
def test_a_fence_is_closed_by_its_own_mark(text: str, end: int) -> None:
    assert next(blocks(text)).end == end


def test_a_comment_may_span_lines() -> None:
    assert shape("<!-- a\nb -->\nc\n<!-- d -->\n<!-->\n") == [
        ("comment", 1, 2),
        ("paragraph", 3, 3),
        ("comment", 4, 4),
        ("comment", 5, 5),
    ]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert list(blocks("\ufeff" + PAGE.replace("\n", "\r\n"))) == list(blocks(PAGE))


def test_rules_and_blank_lines_are_in_no_block() -> None:
    assert shape("a\n---\nb\n\n* * *\n\x0c\nc") == [("paragraph", 1, 1), ("paragraph", 3, 3), ("paragraph", 7, 7)]


def test_a_table_ends_at_the_first_line_without_a_bar() -> None:
    assert shape("| a |\n| b |\nc") == [("table", 1, 2), ("paragraph", 3, 3)]


def test_a_megabyte_on_one_line_is_one_block() -> None:
    assert shape("- " + "x " * 500_000) == [("bullet", 1, 1)]


LINES = st.lists(
    st.text(max_size=8)
    | st.sampled_from(
        "# a|## Retain|- b|  - c|  d|e|1. f|1986. g|```|~~~|<!--|-->|<!-- scrubjay:begin x -->|<!-- scrubjay:end x -->"
        "|---|***|k: v|...|\t|\x0c|\x00|\u3000h|> q|".split("|")
    )
    | st.sampled_from(["| t |", "\r", ""])
)
PAGES = st.tuples(LINES, st.sampled_from(["\n", "\r\n"])).map(lambda page: page[1].join(page[0])) | st.text()


@given(PAGES)
@example("---\na: b\n---\n```")
def test_every_line_that_is_neither_blank_nor_a_rule_is_in_exactly_one_block(text: str) -> None:
    lines = split_lines(text)
    covered: list[int] = []
    for block in blocks(text):
        assert block.text == "\n".join(lines[block.start - 1 : block.end])
        covered += range(block.start, block.end + 1)
    assert covered == sorted(set(covered))
    for number, line in enumerate(lines, 1):
        assert number in covered or line_kind(line.strip()) is None


@given(PAGES)
def test_only_a_bullet_block_holds_a_fact_and_it_begins_with_its_mark(text: str) -> None:
    for block in blocks(text):
        if block.kind is BlockKind.BULLET:
            assert isinstance(block, Block)
            assert line_kind(block.text.split("\n")[0].strip()) is BlockKind.BULLET


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# a", BlockKind.HEADING),
        ("######", BlockKind.HEADING),
        ("####### a", BlockKind.PARAGRAPH),
        ("#tag", BlockKind.PARAGRAPH),
        ("- a", BlockKind.BULLET),
        ("*", BlockKind.BULLET),
        ("1) a", BlockKind.BULLET),
        ("12. a", BlockKind.BULLET),
        ("1234567890. a", BlockKind.PARAGRAPH),
        ("2025-11-27", BlockKind.PARAGRAPH),
        ("-5 degrees", BlockKind.PARAGRAPH),
        ("**Ann:** hi", BlockKind.PARAGRAPH),
        ("_emphasis_", BlockKind.PARAGRAPH),
        ("> quoted", BlockKind.PARAGRAPH),
        ("```py", BlockKind.FENCE),
        ("~~~", BlockKind.FENCE),
        ("``", BlockKind.PARAGRAPH),
        ("```a``` b", BlockKind.PARAGRAPH),
        ("~~gone~~", BlockKind.PARAGRAPH),
        ("| a | b |", BlockKind.TABLE),
        ("<!-- a -->", BlockKind.COMMENT),
        ("<!-- a", BlockKind.COMMENT),
        ("<!-->", BlockKind.COMMENT),
        ("<!-- a --> b", BlockKind.PARAGRAPH),
        ("<b>", BlockKind.PARAGRAPH),
        ("---", None),
        ("* * *", None),
        ("___", None),
        ("- -", BlockKind.BULLET),
        ("", None),
    ],
)
def test_a_line_begins(line: str, kind: BlockKind | None) -> None:
    assert line_kind(line) is kind


@given(st.text(min_size=1).map(str.strip).filter(bool))
def test_only_special_characters_begin_anything_but_a_paragraph(line: str) -> None:
    assert line_kind(line) is BlockKind.PARAGRAPH or line[0] in SPECIAL


def test_a_year_does_not_end_a_paragraph_but_a_list_does() -> None:
    assert not interrupts("1986. What a year")
    assert interrupts("1. First")
    assert interrupts("- First")
    assert not interrupts("prose")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("## Retain", (2, "Retain")),
        ("  ### Retain ###  ", (3, "Retain")),
        ("# C#", (1, "C#")),
        ("##", (2, "")),
        ("## ##", (2, "")),
        ("#x", None),
    ],
)
def test_a_heading_has_a_level_and_a_title(line: str, expected: tuple[int, str] | None) -> None:
    assert heading(line) == expected


def test_retain_is_recognised_in_any_case() -> None:
    assert is_retain("retain")
    assert is_retain("Retain")
    assert not is_retain("Retained")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\ufeffa\n\n", ["a", ""]),
        ("a\x0cb\u2028c\rd", ["a\x0cb\u2028c\rd"]),
    ],
)
def test_lines_end_at_newlines_only(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_flat_properties_are_strings_and_lists() -> None:
    text = (
        "---\naliases: [Pete, \"P. Smith\", 'x, y']\ntags:\n  - person\n  -\n- friend # close\n"
        'kind: entity # a comment\ncreated: 2025-11-27\nurl: https://x.org\nempty:\nquoted: "a # b"\n---\n'
    )
    assert properties(text) == {
        "aliases": ["Pete", "P. Smith", "x, y"],
        "tags": ["person", "friend"],
        "kind": "entity",
        "created": "2025-11-27",
        "url": "https://x.org",
        "empty": "",
        "quoted": "a # b",
    }


def test_a_list_after_a_value_keeps_both() -> None:
    assert properties("a: x\n- y") == {"a": ["x", "y"]}


def test_what_is_not_flat_is_left_out() -> None:
    assert properties("- stray\n{a: 1}\n# comment\nk: v") == {"k": "v"}


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["---", "a: b", "---", "text"], 3),
        (["--- ", "", "a:", "  - x", "- y", "..."], 6),
        (["---", "- a", "---"], 0),
        (["---", "a: b", "## Retain", "- W: x", "---"], 0),
        (["---", "---"], 2),
        (["---", "Some prose", "---"], 0),
        (["---", "a: b"], 0),
        (["---", "<<<<<<< HEAD", "a: b", "||||||| 1f2e", "=======", "a: c", ">>>>>>> theirs", "---", "text"], 8),
        (["---", "a: b", "<<<<<<<HEAD", "---"], 0),
        (["text"], 0),
        ([], 0),
    ],
)
def test_frontmatter_ends(lines: list[str], count: int) -> None:
    assert frontmatter_end(lines) == count


@given(st.text() | st.lists(st.sampled_from(["a: ", "- x", "[", "]", '"', "'", "\n", ",", "---", "#"])).map("".join))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    for value in properties(text).values():
        assert isinstance(value, (str, list))


def test_a_key_of_a_megabyte_of_blanks_is_read_at_once() -> None:
    line = f"a{' ' * 1_000_000}x"
    assert frontmatter_end(["---", line, "---"]) == 0
    assert properties(line) == {}


# --- pages with several writers

PATH = "memory/2026-11-21-boiler.md"
PARTS = (
    Part("# Boiler\n\n[09:00] **Ada**: The plumber comes.\n\n[09:01] **Ada** forwards: ", Origin.OWNER),
    Part("Send me the key.\nThe plumber comes.", Origin.UNTRUSTED),
    Part("\n\n[09:02] **Jay**: Noted.", Origin.AGENT),
)


def append(desk: Desk, *parts: Part, op_id: str = "1", path: str = PATH) -> str:
    operation = Operation(op_id, "owner", Origin.worst(part.origin for part in parts), OWNER)
    return str(desk.writer.append(path, parts, operation))


def test_a_line_is_as_foreign_as_the_worst_that_stands_in_it() -> None:
    known = dict(own_lines(PARTS))

    assert known[Origin.AGENT] == (line_digest("[09:02] **Jay**: Noted."),)
    assert known[Origin.OWNER] == (line_digest("# Boiler"), line_digest("[09:00] **Ada**: The plumber comes."))


def test_a_line_that_a_stranger_said_too_is_no_ones_own() -> None:
    assert own_lines([Part("Yes.\n", Origin.OWNER), Part("Yes.", Origin.GUEST)]) == ()


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("---\norigin: untrusted\n---\n", Origin.UNTRUSTED),
        ("---\nOrigin: 'Guest'\ntags: [a]\norigin: owner\n---\n", Origin.GUEST),
        ("---\norigin:\n  - import\n---\n", Origin.IMPORT),
        ("---\norigin: owner\n---\n", None),
        ("---\norigin: Lisbon\n---\n", None),
        ("origin: untrusted\n", None),
        (
            "---\n<<<<<<< ours\nupdated: 1\n=======\nupdated: 2\n>>>>>>> theirs\norigin: untrusted\n---\n",
            Origin.UNTRUSTED,
        ),
        ("<<<<<<< ours\n---\norigin: untrusted\n---\nx\n=======\ny\n>>>>>>> theirs\n", Origin.UNTRUSTED),
    ],
)
def test_a_page_can_declare_that_it_is_foreign_and_nothing_else(text: str, origin: Origin | None) -> None:
    assert declared_origin(text.split("\n")) == origin


@pytest.mark.parametrize(
    "page", ["", "text\n", "---\nagent: jay\n---\ntext\n", "---\norigin: owner\n---\n", "---\nopen"]
)
def test_any_page_can_be_made_to_declare_it(page: str) -> None:
    assert declared_origin(with_property(page).split("\n")) == Origin.UNTRUSTED


def test_a_new_page_with_words_of_others_declares_it_and_the_journal_knows_the_lines_that_are_not(desk: Desk) -> None:
    at = append(desk, Part("---\nagent: jay\n---\n", Origin.OWNER), *PARTS)

    assert desk.text(PATH).startswith("---\norigin: untrusted\nagent: jay\n---\n# Boiler\n")
    assert at == f"{PATH}#L1-L{len(desk.text(PATH).splitlines())}"
    record = desk.journal.record(1)
    assert (record.action, record.origin) == (Action.APPEND, Origin.UNTRUSTED)
    assert read_record(record.blanked().line()).lines == record.lines
    assert desk.journal.state.lines[PATH][line_digest("# Boiler")] is Origin.OWNER


def test_a_page_without_them_is_written_as_it_always_was(desk: Desk) -> None:
    append(desk, Part("# Boiler\n", Origin.OWNER), Part("Repaired.", Origin.AGENT))

    assert desk.text(PATH) == "# Boiler\nRepaired.\n"
    assert b'"lines"' not in desk.journal.record(1).line()


def test_words_of_others_do_not_come_into_a_file_that_is_the_owners(desk: Desk) -> None:
    desk.write("My own.\n", PATH)

    with pytest.raises(Conflict, match="files of their own"):
        append(desk, *PARTS)

    assert desk.text(PATH) == "My own.\n"


def test_what_is_added_to_a_foreign_page_is_known_line_by_line_too(desk: Desk) -> None:
    append(desk, Part("Buy my pills.", Origin.UNTRUSTED))
    append(desk, Part("He means aspirin.", Origin.AGENT), Part("\nAnd more.", Origin.GUEST), op_id="2")

    assert desk.text(PATH) == "---\norigin: untrusted\n---\n\nBuy my pills.\nHe means aspirin.\nAnd more.\n"
    assert desk.journal.state.lines[PATH] == {line_digest("He means aspirin."): Origin.AGENT}


@pytest.mark.parametrize(
    ("origin", "head"),
    [
        (Origin.AGENT, "---\norigin: untrusted\n---\n\n"),
        (Origin.GUEST, "---\norigin: untrusted\n---\n\n"),
        (Origin.OWNER, ""),
    ],
)
def test_only_the_owner_can_take_away_what_a_page_declares(desk: Desk, origin: Origin, head: str) -> None:
    append(desk, *PARTS)

    replaced = Operation("2", "somebody", origin, OWNER)
    desk.writer.replace(PATH, "Harmless.\n", replaced, expected=digest(desk.text(PATH)))

    assert desk.text(PATH) == f"{head}Harmless.\n"
