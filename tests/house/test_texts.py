"""The catalogue of texts: complete, as the code wants it, and nothing for people passes it by."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Message

from bot.texts.catalogue import LANGUAGES
from docs import texts
from tests.house.measures import Function, nodes
from tests.house.tree import ROOT, check, packages

SPOKEN = {"Reply", "Button", "NotSet"}
"""What shows its first argument to a person as it is; so do errors, and what is given as their `hint`."""

ERRORS = re.compile(
    r"(?:Bot|Usage|Config|State)Error|Missing|Locked|Unreachable|Refused|Unstorable|Unavailable|Rejected"
)

NOT_TRANSLATED = {
    "bot/config": "the names and values of options are English, and so is what is said of them",
    "bot/mcp": "programs read it",
    "bot/tools": "models read it",
}
"""Folders and modules in which texts are English, and why."""

_LABEL = re.compile(r"[A-Z\d][^.:?!*`]{0,29}")
_CODE = re.compile(r"`([^`]+)`")
_WORDS = re.compile(r"[A-Za-z]{2,}")


def parts(message: Message) -> list[tuple[str, str]]:
    """Pair each form of a translation with its original."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    return [(message.id[1], form) for form in message.string or ()]


def fields(text: str) -> set[tuple[str, str, str]]:
    """Return what a text has filled in: names, formats, conversions."""
    found = Formatter().parse(text) if "{" in text else ()
    return {(name, spec or "", conversion or "") for _, name, spec, conversion in found if name is not None}


def commands(text: str) -> Counter[str]:
    """Return what is quoted to be typed, or looked for: commands by their names, everything else of code as it is."""
    quoted = _CODE.findall(text)
    named = [code.split()[0] for code in quoted if code.startswith("/")]
    exact = [code for code in quoted if code.startswith("scrubjay ") or re.fullmatch(r"[a-z_]+[._][a-z_.]+", code)]
    return Counter([*named, *exact])


@pytest.fixture(scope="module")
def collected() -> set[object]:
    return {message.id for message in texts.collected() if message.id}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_text_is_translated(language: str, collected: set[object]) -> None:
    found = {message.id: message for message in texts.translations(language) if message.id}

    assert set(found) == collected
    check(
        [str(one.id) for one in found.values() if one.fuzzy or not all(form for _, form in parts(one))], 0, "lack one"
    )


@pytest.mark.parametrize("language", [one for one in texts.languages() if one not in LANGUAGES])
def test_what_else_is_translated_is_still_said(language: str, collected: set[object]) -> None:
    assert {message.id for message in texts.translations(language) if message.id} <= collected


@pytest.mark.parametrize("language", texts.languages())
def test_every_button_is_labelled_in_every_language(language: str) -> None:
    """A row of buttons of which some are English is read as a mistake; a label is a short text that is no sentence."""
    with_buttons = (path for path in (ROOT / "bot").rglob("*.py") if "Button(" in path.read_text("utf-8"))
    found = (text for path in with_buttons for text in texts.texts_of(path))
    labels = {text for text in found if isinstance(text, str) and _LABEL.fullmatch(text)}
    translated = texts.translations(language)

    assert len(labels) > 40
    assert sorted(label for label in labels if not translated.get(label)) == []


@pytest.mark.parametrize("language", texts.languages())
def test_translations_have_what_is_filled_in_and_the_commands_of_the_original(language: str) -> None:
    pairs = [pair for message in texts.translations(language) if message.id for pair in parts(message)]

    check([f"{form!r}" for text, form in pairs if fields(text) != fields(form)], 0, "fill other things in")
    check([f"{form!r}" for text, form in pairs if commands(text) != commands(form)], 0, "name other commands")


def test_the_files_are_as_the_program_writes_them() -> None:
    stale = [str(path) for path, content in texts.files() if not path.exists() or path.read_bytes() != content]

    check(stale, 0, "files of the catalogue are stale; run: python -m docs.texts")


def test_nothing_for_people_passes_the_catalogue_by() -> None:
    trees = {path: tree for path, tree in packages().trees.items() if path.parts[0] == "bot"}
    passing = [found for path, tree in trees.items() for found in untranslated(path, tree)]

    check(passing, 0, "texts for people are not in the catalogue (bot.texts.tr)")


def untranslated(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield where a module shows people words that are no text of the catalogue; its path is that from the root."""
    name = path.as_posix()
    is_english = any(name == english or name.startswith(f"{english}/") for english in NOT_TRANSLATED)
    for call in nodes(tree):
        if isinstance(call, ast.Call) and any(map(has_words, told_in(call))):
            yield f"{name}:{call.lineno}"
        if isinstance(call, ast.Call) and not is_english and any(map(has_words, shown_in(call))):
            yield f"{name}:{call.lineno}"
    for function in nodes(tree):
        if isinstance(function, Function) and not is_english:
            yield from (f"{name}:{shown.lineno}" for shown in named_words(function))


def named_words(function: Function) -> Iterator[ast.Name]:
    """Yield where a function shows words by the name that it has given them: `message = "..."`, then the error."""
    inside = list(ast.walk(function))
    given = [node.targets for node in inside if isinstance(node, ast.Assign) and has_words(node.value)]
    names = {target.id for targets in given for target in targets if isinstance(target, ast.Name)}
    for shown in (node for call in inside if isinstance(call, ast.Call) for node in shown_in(call)):
        if isinstance(shown, ast.Name) and shown.id in names:
            yield shown


def shown_in(call: ast.Call) -> list[ast.expr]:
    """Return what a call shows to a person as it is."""
    called = call.func.id if isinstance(call.func, ast.Name) else ""
    is_error = ERRORS.fullmatch(called) is not None
    hints = [one.value for one in call.keywords if one.arg == "hint" and is_error]
    return [*(call.args[:1] if is_error or called in SPOKEN else []), *hints]


def told_in(call: ast.Call) -> list[ast.expr]:
    """Return the lines that a call gives for a person, whoever reads the rest of its result."""
    told = [one.value for one in call.keywords if one.arg == "told"]
    return [line for lines in told if isinstance(lines, ast.Tuple) for line in lines.elts]


def has_words(node: ast.expr) -> bool:
    """Tell whether an expression has words that are written out, beside its calls and outside of code."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(_WORDS.search(_CODE.sub("", node.value)))
    if isinstance(node, ast.JoinedStr):
        written = "".join(str(one.value) if isinstance(one, ast.Constant) else "" for one in node.values)
        return bool(_WORDS.search(re.sub(r"`[^`]*`", "", written)))
    if isinstance(node, ast.IfExp | ast.BoolOp | ast.BinOp):
        return any(has_words(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return False
