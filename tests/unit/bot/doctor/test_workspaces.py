from __future__ import annotations

import os

import pytest

from bot.doctor.base import Severity
from bot.doctor.workspaces import CHECK
from bot.paths import Home
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_a_home_before_its_first_day_has_no_faults(look: Look) -> None:
    found = await look(CHECK)

    assert [finding.id for finding in found] == ["workspaces.absent", "workspaces.absent"]
    assert wrong(found) == []


async def test_a_folder_that_is_gone_while_its_index_is_there_was_lost(look: Look, home: Home) -> None:
    home.index("work").parent.mkdir(parents=True)
    home.index("work").touch()

    (lost,) = wrong(await look(CHECK))

    assert (lost.id, lost.severity, lost.place) == ("workspaces.lost", Severity.ERROR, str(home.workspace("work")))
    assert "scrubjay init" not in lost.hint


async def test_a_line_that_is_not_understood_is_told_with_its_number(look: Look, home: Home) -> None:
    folder = home.workspace("personal")
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "2026-11-20.md").write_text("## Retain\n- O(c=: half an opinion\n")

    (finding,) = wrong(await look(CHECK))

    assert finding.place == f"{folder}/memory/2026-11-20.md:2"
    assert finding.severity is Severity.WARNING
    assert finding.message == "A bullet cannot be read: the parenthesis is not closed."
    assert finding.hint == "Add `)` after the attributes."


async def test_what_a_merge_has_left_is_told(look: Look, home: Home) -> None:
    log = home.workspace("personal") / "memory" / "2026-11-20.md"
    log.parent.mkdir(parents=True)
    fact = "- W: The key is in the {place}. ^abcd1234\n"
    kept = ["## Retain\n", fact.format(place="shed"), "<<<<<<< HEAD\n", "- W: Tea. ^abcd1235\n", "=======\n"]
    log.write_text("".join([*kept, "- W: Rum. ^abcd1236\n", ">>>>>>> laptop\n", fact.format(place="attic")]))
    log.with_name("git.md").write_text("```\n<<<<<<< HEAD\n```\n")

    found = wrong(await look(CHECK))

    assert [(one.id, one.place) for one in found] == [("workspaces.merge", f"{log}:{line}") for line in (3, 8)]
    assert "Git could not merge" in found[0].message
    assert "`^abcd1234` is the id of memory/2026-11-20.md:2 as well." in found[1].message


async def test_a_workspace_that_cannot_be_opened_does_not_hide_the_others(look: Look, home: Home) -> None:
    for agent in ("personal", "work"):
        home.workspace(agent).mkdir(parents=True)

    found = await look(CHECK, locked="personal")

    assert [finding.id for finding in found] == ["workspaces.unusable", "workspaces.understood"]
    assert found[0].message == "Another process holds the workspace."


async def test_a_workspace_without_faults_is_noted(look: Look, home: Home) -> None:
    home.workspace("work").mkdir(parents=True)

    assert "work: every file is understood" in [finding.message for finding in await look(CHECK)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
@pytest.mark.parametrize("place", ["", "memory", ".memory/journal"])
async def test_a_folder_without_permission_is_an_error(look: Look, home: Home, place: str) -> None:
    folder = home.workspace("work") / place
    folder.mkdir(parents=True)
    folder.chmod(0o500)

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.place) == ("workspaces.refused", str(folder))


async def test_a_file_in_the_place_of_a_workspace_is_an_error_and_no_folder_that_is_to_come(
    look: Look, home: Home
) -> None:
    home.workspaces.mkdir(parents=True)
    home.workspace("personal").touch()

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity) == ("workspaces.unusable", Severity.ERROR)
    assert finding.message == f"{home.workspace('personal')} is not a folder."
