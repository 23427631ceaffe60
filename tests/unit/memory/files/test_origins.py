"""Pages with several writers: what is kept of whose words each line is, and what the page says of itself."""

from __future__ import annotations

import pytest

from memory.errors import Conflict
from memory.files.journal import Action, Operation, read_record
from memory.files.origins import declared, line_digest, own_lines, with_property
from memory.files.workspace import digest
from memory.types import OWNER, Origin, Part
from tests.unit.memory.files.conftest import Desk

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
    ],
)
def test_a_page_can_declare_that_it_is_foreign_and_nothing_else(text: str, origin: Origin | None) -> None:
    assert declared(text.split("\n")) == origin


@pytest.mark.parametrize(
    "page", ["", "text\n", "---\nagent: jay\n---\ntext\n", "---\norigin: owner\n---\n", "---\nopen"]
)
def test_any_page_can_be_made_to_declare_it(page: str) -> None:
    assert declared(with_property(page).split("\n")) == Origin.UNTRUSTED


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
