from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Unparsable
from memory.files.managed import read_part, write_part

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")))


def page(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_a_part_is_appended_and_written_anew_between_its_marks() -> None:
    text, kept = write_part("# Peter\n\nMy own words.", "- One. [[a]]", was=None)
    assert text == page(
        "# Peter",
        "",
        "My own words.",
        "",
        "<!-- scrubjay:begin facts -->",
        "- One. [[a]]",
        "<!-- scrubjay:end facts -->",
    )
    again, kept = write_part(text + "Below.\n", "- Two. [[b]]", was="- One. [[a]]")
    assert again == text.replace("- One. [[a]]", "- Two. [[b]]") + "Below.\n"
    assert kept == ()
    assert read_part(again) == "- Two. [[b]]"


def test_lines_that_a_person_puts_inside_are_moved_below() -> None:
    text = page(
        "<!-- scrubjay:begin facts -->", "- One. [[a]]", "Mine!", "- Edited. [[a]]", "<!-- scrubjay:end facts -->", "x"
    )

    again, kept = write_part(text, "- Two. [[b]]", was="- One. [[a]]")

    assert kept == ("Mine!", "- Edited. [[a]]")
    assert again == page(
        "<!-- scrubjay:begin facts -->",
        "- Two. [[b]]",
        "<!-- scrubjay:end facts -->",
        "",
        "Mine!",
        "- Edited. [[a]]",
        "x",
    )


def test_where_nobody_knows_what_was_generated_lines_with_a_source_are_taken_for_it() -> None:
    generated = "## Facts", "- One. [[2026-01-02#^abc]]", "- Two. [[2026-01-02]]", "[[Ana]], [[Ben]]"
    text = page("<!-- scrubjay:begin facts -->", *generated, "Mine!", "See [[Ana]]", "<!-- scrubjay:end facts -->")
    assert write_part(text, "- Two. [[b]]", was=None)[1] == ("Mine!", "See [[Ana]]")


def test_nor_is_a_paragraph_that_sums_up_what_the_list_says_taken_for_a_persons() -> None:
    generated = (
        "Ana sings. Ana lives in Rome.",
        "- Ana sings [[2026-01-02#^abc]]",
        "- Ana lives in Rome. [[world#^abd]]",
    )
    text = page("<!-- scrubjay:begin facts -->", *generated, "Ana sings well.", "<!-- scrubjay:end facts -->")
    assert write_part(text, "- Two. [[b]]", was=None)[1] == ("Ana sings well.",)


@pytest.mark.parametrize("open_end", ["```\ncode\n", "<!-- a comment\n"])
def test_a_page_that_is_open_to_its_end_takes_no_part(open_end: str) -> None:
    with pytest.raises(Unparsable, match=r"open to the end|is not between"):
        write_part(open_end, "- One.", was=None)


def test_line_ends_stay_as_they_are() -> None:
    text, _ = write_part("# Peter\r\n", "- One.\n- Two.", was=None)
    assert text.count("\r\n") == text.count("\n") == 6
    again, kept = write_part(text, "- Three.", was="- One.\n- Two.")
    assert again.count("\r\n") == again.count("\n") == 5
    assert kept == ()


@pytest.mark.parametrize(
    "text",
    [
        page("<!-- scrubjay:begin facts -->", "- One."),
        page("<!-- scrubjay:end facts -->", "<!-- scrubjay:begin facts -->"),
        page(*["<!-- scrubjay:begin facts -->", "<!-- scrubjay:end facts -->"] * 2),
    ],
)
def test_marks_that_do_not_match_are_left_alone(text: str) -> None:
    with pytest.raises(Unparsable, match="facts"):
        write_part(text, "- Two.", was=None)


def test_marks_in_code_are_none() -> None:
    text = page("```", "<!-- scrubjay:begin facts -->", "<!-- scrubjay:end facts -->", "```")
    assert read_part(text) is None


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_what_stands_outside_stays_to_the_byte(above: list[str], below: list[str], newline: str) -> None:
    head = "".join(f"    {line}{newline}" for line in above)
    tail = "".join(f"    {line}{newline}" for line in below)
    text, _ = write_part(head, "- One.", was=None)
    whole = text + tail
    again, kept = write_part(whole, "- Two.", was="- One.")
    assert again.startswith(head)
    assert again.endswith(tail)
    assert kept == ()
    assert write_part(again, "- Two.", was="- Two.") == (again, ())
