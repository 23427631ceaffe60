from __future__ import annotations

from bot.doctor import workspaces
from bot.doctor.base import Severity
from bot.doctor.index import CHECK
from bot.paths import Home
from memory import Memory
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_no_workspace_means_nothing_to_say(look: Look) -> None:
    assert await look(CHECK) == []


async def test_an_index_is_told_with_what_it_holds(look: Look, home: Home) -> None:
    (home.workspace("personal") / "bank").mkdir(parents=True)
    (home.workspace("personal") / "bank" / "world.md").write_text("A note.\n\n- W: A fact.\n")
    (missing,) = await look(CHECK)
    async with await Memory.open(home.workspace("personal"), index=home.index("personal")):
        pass

    (finding,) = await look(CHECK)

    assert finding.message == "personal: ready, 1 fact, 2 passages"
    assert missing.message == "personal: none yet, it is made when it is first needed"
    assert {missing.severity, finding.severity} == {Severity.NOTE}


async def test_files_that_changed_since_are_told(look: Look, home: Home) -> None:
    home.workspace("personal").mkdir(parents=True)
    async with await Memory.open(home.workspace("personal"), index=home.index("personal")):
        pass
    (home.workspace("personal") / "new.md").write_text("A note.\n")

    (finding,) = await look(CHECK)

    assert "1 file has changed since the index was brought up to date." in finding.message


async def test_a_broken_index_is_an_error_that_loses_nothing(look: Look, home: Home) -> None:
    home.workspace("work").mkdir(parents=True)
    home.index("work").parent.mkdir(parents=True)
    home.index("work").write_bytes(b"broken")

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity, finding.place) == ("index.broken", Severity.ERROR, str(home.index("work")))
    assert "Nothing is lost" in finding.hint
    assert "--rebuild --agent work" in finding.hint


async def test_a_memory_that_cannot_be_opened_does_not_hide_the_others(look: Look, home: Home) -> None:
    for agent in ("personal", "work"):
        home.workspace(agent).mkdir(parents=True)

    found = await look(CHECK, locked="personal")

    assert [(finding.id, finding.place) for finding in found] == [("index.missing", str(home.index("work")))]
    told = wrong(await look(workspaces.CHECK, locked="personal"))
    assert [(finding.id, finding.message) for finding in told] == [
        ("workspaces.unusable", "Another process holds the workspace.")
    ]
