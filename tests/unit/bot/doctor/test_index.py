from __future__ import annotations

from bot.doctor.base import Severity
from bot.doctor.index import CHECK
from bot.paths import Home
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_no_workspace_means_nothing_to_say(look: Look) -> None:
    assert await look(CHECK) == []


async def test_an_index_is_told_with_what_it_holds(look: Look, home: Home) -> None:
    home.workspace("personal").mkdir(parents=True)

    (finding,) = await look(CHECK)

    assert finding.message == "personal: ready, 0 facts, 0 passages"
    assert finding.severity is Severity.NOTE


async def test_a_broken_index_is_an_error_that_loses_nothing(look: Look, home: Home) -> None:
    home.workspace("work").mkdir(parents=True)
    home.index("work").parent.mkdir(parents=True)
    home.index("work").write_bytes(b"broken")

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity, finding.place) == ("index.broken", Severity.ERROR, str(home.index("work")))
    assert "Nothing is lost" in finding.hint
    assert "--rebuild --agent work" in finding.hint


async def test_an_index_that_cannot_be_opened_does_not_hide_the_others(look: Look, home: Home) -> None:
    for agent in ("personal", "work"):
        home.workspace(agent).mkdir(parents=True)
    (home.workspace("personal") / "busy").touch()

    assert [finding.id for finding in await look(CHECK)] == ["index.unusable", "index.state"]
