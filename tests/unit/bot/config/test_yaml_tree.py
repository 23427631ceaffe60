from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scanner import Scanner

from bot.config.yaml_tree import CommentScanner, Position, Tree, Unparsed, read

TEXT = """\
owner:
  name: Robin
  list: [one, 2]
empty:
"""


def test_values_and_names_have_their_places() -> None:
    tree = read(TEXT)

    assert tree.root == {"owner": {"name": "Robin", "list": ["one", 2]}, "empty": None}
    assert tree.place(("owner", "name")) == Position(2, 9)
    assert tree.place(("owner", "name"), of_name=True) == Position(2, 3)
    assert tree.place(("owner", "list", 1)) == Position(3, 15)
    assert tree.place(("owner",)) == Position(1, 1)


PIECES = [
    "# c",
    "#",
    "\n",
    "\r\n",
    "\x85",
    "\u2028",
    "\ufeff",
    "\t",
    " ",
    "  ",
    "a: 1",
    "b:",
    "- ",
    "'",
    "[",
    "]",
    ",",
    "|\n",
]


def scanned(text: str, scanner: type[Scanner]) -> list[str]:
    """The tokens of a text with their places, up to the first mistake."""
    yaml, found = YAML(typ="safe", pure=True), list[str]()
    yaml.Scanner = scanner
    try:
        for token in yaml.scan(text):
            mark = token.start_mark
            found.append(f"{token} {mark.line}:{mark.column} {mark.index}-{token.end_mark.index}")
    except YAMLError as error:
        found.append(str(error))
    return found


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_lines_of_comments_that_are_passed_over_change_neither_a_token_nor_its_place(text: str) -> None:
    assert scanned(text, CommentScanner) == scanned(text, Scanner)


def test_what_is_missing_is_placed_at_the_section_that_lacks_it() -> None:
    assert read(TEXT).place(("owner", "timezone")) == Position(1, 1)
    assert read(TEXT).place(("log", "level")) is None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("8", 8),
        ("-8", -8),
        ("012", 12),
        ("0x1f", 31),
        ("0o17", 15),
        ("1_000", 1000),
        ("8.5", 8.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        ("true", True),
        ("yes", "yes"),
        ("NO", "NO"),
        ("~", None),
        ("null", None),
        ("23:30", "23:30"),
        ("2026-11-21", "2026-11-21"),
        ('"8"', "8"),
        ("'it''s'", "it's"),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_scalars_are_read_as_yaml_1_2_says(written: str, value: object) -> None:
    found = read(f"a: {written}").root["a"]

    assert found == value
    assert type(found) is type(value)


def test_aliases_are_followed_within_reason() -> None:
    assert read("a: &x {b: 1}\nc: *x\n").root == {"a": {"b": 1}, "c": {"b": 1}}


def test_an_option_can_be_put_where_there_was_no_section() -> None:
    tree = Tree({"a": "text"})

    tree.put(("a", "b"), "1")
    tree.put(("c",), "2")

    assert tree.root == {"a": {"b": "1"}, "c": "2"}


def test_an_option_can_be_taken_away() -> None:
    tree = Tree({"a": {"b": 1, "c": 2}, "d": [1]})

    tree.drop(("a", "b"))
    tree.drop(("a", "x", "y"))
    tree.drop(("d", 0))

    assert tree.root == {"a": {"c": 2}, "d": [1]}


def test_every_text_can_be_replaced_and_nothing_else() -> None:
    tree = Tree({"a": "x", "b": {"c": ["y", 1, None]}})

    tree.replace_texts(lambda key, text: f"{'.'.join(map(str, key))}={text}")

    assert tree.root == {"a": "a=x", "b": {"c": ["b.c.0=y", 1, None]}}


YAML_SIGNS = st.text(alphabet="ab:- \n\t'\"[]{}#&*!|>%@`?,0.${}~", max_size=60)


def complaint(text: str) -> Unparsed | None:
    try:
        read(text)
    except Unparsed as error:
        return error
    return None


@given(st.text(max_size=200) | YAML_SIGNS)
def test_a_text_is_read_or_refused_with_a_place_and_a_reason_and_never_fails_otherwise(text: str) -> None:
    found = complaint(text)

    if found is not None:
        assert found.message
        assert found.place.line >= 1
        assert found.place.column >= 1


@pytest.mark.parametrize("text", ["owner: &a {name: *a}", "owner: &a [*a]", f"owner: {'[' * 200}{']' * 200}"])
def test_what_has_no_end_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(Unparsed, match="levels") as raised:
        read(text)

    assert raised.value.place.line == 1


def test_an_anchor_may_be_used_again() -> None:
    assert read("a: &x 1\nb: &x 2\nc: *x").root == {"a": 1, "b": 2, "c": 2}


@pytest.mark.parametrize("opening", ["[", "{a: [", "- [\n"])
def test_brackets_that_nothing_closes_are_refused_before_they_are_parsed(opening: str) -> None:
    with pytest.raises(Unparsed, match="brackets"):
        read(opening * 200_000)
