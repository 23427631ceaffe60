from __future__ import annotations

import doctest
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from wcwidth import iter_graphemes

from adapters import markdown
from adapters.markdown import MIN_LIMIT, as_code, closed, split
from tests.support.measure import count_calls


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


UNITS: dict[str, Callable[[str], int]] = {"characters": len, "utf16": utf16}

words = st.sampled_from(
    [
        "jay",
        "acorn.",
        "Wo?",
        "雪が降る。",
        "雪" * 40,
        "x" * 90,
        "👨‍👩‍👧" * 5,
        "🇩🇪🇫🇷" * 4,
        "e\u0301" * 20,
        "#",
        "-",
        "1.",
        "*b*",
        "`c`",
        "===",
    ]
)
lines = st.lists(words, min_size=1, max_size=12).map(" ".join)
paragraphs = st.lists(lines, min_size=1, max_size=4).map("\n".join)
lists = st.lists(lines, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items))
quotes = st.lists(lines, min_size=1, max_size=6).map(lambda items: "\n".join(f"> {item}" for item in items))
code = st.lists(st.one_of(st.just(""), lines, lines.map("    {}".format)), min_size=1, max_size=12)


@st.composite
def fenced(draw: st.DrawFn) -> str:
    """A fenced block, perhaps unfinished, in a list, or quoted."""
    mark = draw(st.sampled_from(["```", "~~~", "````"]))
    block = [mark + draw(st.sampled_from(["", "§§", "§ §"])), *draw(code)]
    if draw(st.booleans()):
        block.append(mark)
    first, others = draw(
        st.sampled_from([("", ""), ("> ", "> "), ("- ", "  "), ("1. ", "   "), (">", ">"), ("  ", "  ")])
    )
    return "\n".join([first + block[0], *(others + line for line in block[1:])])


documents = st.lists(st.one_of(paragraphs, lists, quotes, fenced()), min_size=1, max_size=6).map("\n\n".join)
limits = st.integers(MIN_LIMIT, 400)
units = st.sampled_from(sorted(UNITS))


def squeezed(text: str) -> str:
    """Without what a cut may add or take: spaces, quote marks, fences and their info strings."""
    return re.sub(r"[\s>`~§]", "", text)


def is_balanced(part: str) -> bool:
    """Whether a paragraph after the part is a paragraph to a Markdown parser, and not swallowed by a fence."""
    tokens = MarkdownIt("commonmark").parse(f"{part}\n\nafterwards")
    return tokens[-2].type == "inline" and tokens[-2].content == "afterwards"


@given(documents, limits, units)
def test_every_part_is_within_the_limit_and_none_is_empty(text: str, limit: int, unit: str) -> None:
    for part in split(text, limit, unit=unit):
        assert 0 < UNITS[unit](part) <= limit
        assert part.strip()


@given(documents, limits, units)
def test_no_word_is_lost_doubled_or_moved(text: str, limit: int, unit: str) -> None:
    assert squeezed("".join(split(text, limit, unit=unit))) == squeezed(text)


@given(documents, limits, units)
def test_every_fence_is_closed_in_the_part_in_which_it_was_opened(text: str, limit: int, unit: str) -> None:
    for part in split(text, limit, unit=unit):
        assert is_balanced(part)


@given(st.text(max_size=600), limits, units)
def test_any_text_at_all_keeps_its_characters_and_the_limit(text: str, limit: int, unit: str) -> None:
    parts = split(text, limit, unit=unit)

    assert all(UNITS[unit](part) <= limit for part in parts)
    assert squeezed("".join(parts)) == squeezed(text)


@given(st.text(st.characters(exclude_characters="\r"), max_size=MIN_LIMIT))
@example("```")
def test_a_text_that_fits_is_one_part(text: str) -> None:
    assert len(split(text, MIN_LIMIT + 8)) == bool(text.strip())


@given(
    st.lists(st.sampled_from(["👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "e\u0301", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "각", "a"]), min_size=1).map("".join), units
)
def test_no_visible_character_is_cut(text: str, unit: str) -> None:
    parts = split(text, MIN_LIMIT, unit=unit)

    assert [cluster for part in parts for cluster in iter_graphemes(part)] == list(iter_graphemes(text))


def test_a_cut_prefers_a_blank_line_to_a_line_to_a_sentence_to_a_space() -> None:
    assert split("One two three four.\nFive six.\n\nSeven eight.\nNine ten.", 40)[0] == "One two three four.\nFive six."
    assert split("One two three four five.\nSix seven. Eight nine ten.", 40)[0] == "One two three four five."
    assert split("One two three four five. Six seven eight nine ten.", 40)[0] == "One two three four five."
    assert split("One two three four five six seven eight nine ten", 40)[0] == "One two three four five six seven eight"
    assert split("雪が降る。" * 10, 32)[0] == "雪が降る。" * 6


def test_a_cut_uses_the_limit_to_the_last_character() -> None:
    assert split("a" * 32 + "\n\n" + "b" * 32, 32) == ("a" * 32, "b" * 32)
    assert split("a" * 32 + " " + "b" * 32, 32) == ("a" * 32, "b" * 32)
    assert split("a" * 64, 32) == ("a" * 32, "a" * 32)
    assert split("😀" * 32, 32, unit="utf16") == ("😀" * 16, "😀" * 16)


def test_a_cut_fence_is_closed_and_reopened_with_its_info_string() -> None:
    text = "Look:\n\n```python title=a\none = 1\n\n  two = 2\nthree = 3\n```\nDone."

    assert split(text, 44) == (
        "Look:\n\n```python title=a\none = 1\n\n```",
        "```python title=a\n  two = 2\nthree = 3\n```",
        "Done.",
    )


def test_a_cut_before_a_fence_is_better_than_one_inside() -> None:
    text = "A paragraph of some length.\n\n```\none\ntwo\nthree\n```"

    assert split(text, 40) == ("A paragraph of some length.", "```\none\ntwo\nthree\n```")


def test_a_fence_in_a_quote_or_a_list_is_reopened_so_that_it_still_is_one() -> None:
    assert split("> ```py\n> one = 1\n> two = 2\n> three = 3\n> ```", 33) == (
        "> ```py\n> one = 1\n> two = 2\n> ```",
        "> ```py\n> three = 3\n> ```",
    )
    assert split("- ```py\n  one = 1\n  two = 2\n  three = 3\n  ```", 34) == (
        "- ```py\n  one = 1\n  two = 2\n  ```",
        "```py\nthree = 3\n```",
    )


def test_a_quoted_line_that_is_cut_stays_quoted() -> None:
    parts = split("> " + "word " * 20, 40)

    assert len(parts) > 1
    assert all(part.startswith("> word") for part in parts)


def test_list_items_keep_their_marks_and_indentation() -> None:
    text = "1. first item of them\n   - nested below it\n2. second item of them"

    assert split(text, 40) == (
        "1. first item of them\n   - nested below it"[:21],
        "   - nested below it",
        "2. second item of them",
    )


def test_no_cut_makes_a_heading_or_a_list_of_a_sentence() -> None:
    for text in (
        "the number that we want is # 42 and not any other",
        "take this and then 3 - 1. then stop there, please",
    ):
        for limit in range(MIN_LIMIT, len(text)):
            for part in split(text, limit)[1:]:
                assert not re.match(r"[#-] |\d+\. ", part)


def test_a_fence_left_open_is_closed() -> None:
    assert split("```\nunfinished", 40) == ("```\nunfinished\n```",)


def test_a_text_is_closed_however_its_lines_end() -> None:
    assert closed("10%\r100%\r\n```\nx") == "10%\n100%\n```\nx\n```"
    assert closed("It took `10%`.\r```\nx\n```\r\n") == "It took `10%`.\n```\nx\n```\n"


def test_a_blank_text_has_no_parts() -> None:
    assert split(" \n\n\t", 100) == ()


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="smallest is 32"):
        split("text", 31)


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5000,
        "> " * 3000,
        "`" * 3000,
        "~~~~" + "x" * 3000,
        "```" + "i" * 3000 + "\ncode\n```",
        "- " * 3000,
        "```\n" * 999,
    ],
)
def test_marks_without_end_come_to_an_end(text: str) -> None:
    parts = split(text, 40)

    assert max(map(len, parts)) <= 40
    assert len(parts) < len(text)


@pytest.mark.parametrize("unit", ["いつもの方が好き。", "。\u0301", "。-", "1 ", "```\ncode\n```\n", "> a\n", "a"])
def test_the_work_grows_with_the_text(unit: str) -> None:
    few, many = unit * (20_000 // len(unit)), unit * (80_000 // len(unit))  # nine cuts and thirty-nine
    split("a", 2000)  # what is imported is imported

    of_many = count_calls(lambda: split(many, 2000))

    assert of_many < 4.8 * count_calls(lambda: split(few, 2000))
    assert of_many < 60 * len(many)


def test_what_a_reader_would_see_as_one_endless_character_is_cut() -> None:
    parts = split("a" + "\u0301" * 1000, 100)
    assert "".join(parts) == "a" + "\u0301" * 1000


def test_the_example_is_true() -> None:
    assert doctest.testmod(markdown).failed == 0


def test_a_table_becomes_a_block_and_the_text_around_it_stays() -> None:
    text = "Before:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter, with a | b."

    assert as_code(text) == "Before:\n\n```\na  b\n-  -\n1  2\n```\n\nafter, with a | b."


def test_wide_characters_are_counted_as_they_are_seen() -> None:
    drawn = as_code("| 种子 | n |\n|---|---|\n| ab | 1 |").split("\n")

    assert drawn[1:-1] == ["种子  n", "----  -", "ab    1"]


def test_marks_links_and_code_in_cells_are_shown_as_what_they_say() -> None:
    drawn = as_code("| **bold** | [seed](https://example.org) |\n|---|---|\n| `a b` | x |")

    assert "bold  seed" in drawn
    assert "a b   x" in drawn


def test_a_fence_is_longer_than_what_looks_like_one_in_a_cell() -> None:
    drawn = as_code("| a |\n|---|\n| \\`\\`\\`\\` |").split("\n")

    assert drawn[0] == drawn[-1] == "`````"


@pytest.mark.parametrize("text", ["no table", "a | b", "```\n| a |\n|---|\n```", "- ```\n  | a |\n  |---|\n  ```"])
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert as_code(text) == text


@given(st.lists(st.lists(st.text("ab `*|\\é种", max_size=6), min_size=1, max_size=4), min_size=1, max_size=4))
def test_no_table_is_left_and_no_letter_is_lost(rows: list[list[str]]) -> None:
    width = len(rows[0])
    cells = [[cell.replace("|", "").replace("\\", "") or "x" for cell in (row + [""] * width)[:width]] for row in rows]
    table = ["|".join(["", *row, ""]) for row in cells]
    text = "\n".join([table[0], "|" + "---|" * width, *table[1:]])

    drawn = as_code(text)

    assert as_code(drawn) == drawn
    for letter in "abé种":
        assert drawn.count(letter) == text.count(letter)


@pytest.mark.parametrize("end", ["\r", "\r\n", "\r\r\n"])
def test_a_table_is_found_whatever_ends_the_lines_before_it(end: str) -> None:
    text = f"One.{end}Two.{end}{end}| a | b |\n|---|---|\n| 1 | 2 |\n\nThree."

    assert as_code(text).split() == "One. Two. ``` a b - - 1 2 ``` Three.".split()


def test_in_a_long_text_tables_stay_as_they_are() -> None:
    text = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 2500
    assert as_code(text) == text
    assert as_code(text[:200]) != text[:200]
