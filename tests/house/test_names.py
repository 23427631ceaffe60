"""Every public name has a user, and is a word of the field."""

from __future__ import annotations

import re
from functools import cache

from jinja2.nodes import Getattr

from bot.web.rendering import FOLDER, STATIC, environment
from tests.house import measures
from tests.house.measures import Source, at
from tests.house.tree import LIMITS, ROOT, check, packages

GLOSSARY = ROOT / "docs" / "glossary.md"
WORDS, NAMES = "## Words", "## Not used as names"

FOR_TESTS = "ships for the tests of whoever builds on it"

USED_BY_OTHERS = {
    "render_usage": "cyclopts draws a help page with it",
    "render_description": "cyclopts draws a help page with it",
    "before_identify_hook": "discord.py calls it",
    "handle_starttag": "html.parser calls it",
    "handle_endtag": "html.parser calls it",
    "handle_data": "html.parser calls it",
    "do_request": "python-telegram-bot calls it",
    "initialize": "python-telegram-bot calls it",
    "InstantPause": FOR_TESTS,
    "ScriptedModel": FOR_TESTS,
    "InMemoryCoordinator": FOR_TESTS,
    "InMemoryState": FOR_TESTS,
    "lose": FOR_TESTS,
}
"""Names that nothing in the packages uses, and who does."""


def forbidden() -> tuple[set[str], set[str]]:
    """The names that the glossary rules out: of classes, and of modules' files."""
    rows = re.findall(r"^\| (`.*?) \|", section(NAMES), flags=re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    return {name for name in names if "." not in name}, {name for name in names if name.endswith(".py")}


def section(title: str) -> str:
    """The text under a heading of the glossary."""
    return GLOSSARY.read_text(encoding="utf-8").partition(f"\n{title}\n")[2].partition("\n## ")[0]


def metaphors(source: Source) -> list[str]:
    """Classes and modules with a name that the glossary rules out."""
    classes, files = forbidden()
    named = [at(path, node) for path, node in source.definitions() if node.name.lstrip("_") in classes]
    return [*(f"{path}:1 {path.name}" for path in source.lines if path.name in files), *named]


@cache
def without_user() -> list[tuple[str, str]]:
    """Public names that nothing in the packages uses, and no template of the dashboard, each with its place."""
    found = [*measures.unused(packages()), *measures.unused_fields(packages())]
    named = [(place.partition(" ")[2], place) for place in found]
    return [(name, place) for name, place in named if name.rpartition(".")[2] not in read_by_templates()]


@cache
def read_by_templates() -> set[str]:
    """The attributes that templates of the dashboard read, and its scripts."""
    parsed = [environment().parse(path.read_text(encoding="utf-8")) for path in (FOLDER / "templates").glob("*.html")]
    scripts = [path.read_text(encoding="utf-8") for path in STATIC.glob("*.js") if ".min." not in path.name]
    read = {one.attr for template in parsed for one in template.find_all(Getattr)}
    return read.union(*(re.findall(r"\.(\w+)", script) for script in scripts))


def test_every_public_name_has_a_user_outside_the_tests() -> None:
    places = [place for name, place in without_user() if name not in USED_BY_OTHERS]

    check(places, LIMITS["unused_names"], "public names or fields are used by nothing (or by tests alone)")


def test_every_exception_is_still_one() -> None:
    gone = set(USED_BY_OTHERS) - {name for name, _ in without_user()}

    assert gone == set(), "used now, or gone: take it off the list"


def test_names_are_words_of_the_field() -> None:
    check(metaphors(packages()), LIMITS["metaphors"], "names that docs/glossary.md rules out")


def test_the_glossary_fixes_one_word_for_each_thing() -> None:
    words = re.findall(r"^\| ([^|-][^|]*?) \|", section(WORDS), flags=re.MULTILINE)[1:]

    assert len(words) > 40
    assert words == sorted(set(words))


def test_names_that_are_ruled_out_are_found() -> None:
    classes, files = forbidden()

    assert {"Rooms", "Pen", "Lane"} <= classes
    assert {"rooms.py", "carry_out.py"} <= files
    assert len(classes) + len(files) > 100
