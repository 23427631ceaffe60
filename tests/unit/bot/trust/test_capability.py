from __future__ import annotations

from pathlib import Path

import pytest

from adapters.port import ChatKind
from bot.app import tools
from bot.trust.capability import CHANGE, FILES, LOOK, NOTE, Taint, allowed_tools
from bot.turn import Principal
from memory import OWNER as OWNERS_SCOPE
from memory import Origin, chat_scope
from tests.samples import HOME, OWNER, chat
from tests.turns import desk

GROUP = chat("-100", kind=ChatKind.GROUP)
GUEST = Principal("volatile:7", "Grace", is_owner=False)
GROUP_SCOPE = chat_scope("volatile.bot:-100")


async def test_the_table(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        own = await at.turn()
        others = [await at.turn(at=GROUP, who=who) for who in (OWNER, GUEST)] + [await at.turn(at=HOME, who=GUEST)]

    assert allowed_tools(own, Taint.CLEAN) == LOOK | FILES | NOTE | CHANGE
    assert allowed_tools(own, Taint.FOREIGN) == LOOK | FILES
    for turn in others:
        assert allowed_tools(turn, Taint.CLEAN) == LOOK | NOTE
        assert allowed_tools(turn, Taint.FOREIGN) == LOOK


def test_every_tool_has_its_place_in_it_and_those_that_write_are_where_writing_is_allowed() -> None:
    assert tools().keys() == LOOK | FILES | NOTE | CHANGE
    assert {name for name, tool in tools().items() if tool.changes} == NOTE | CHANGE


@pytest.mark.parametrize(
    ("origins", "own", "in_group"),
    [
        (set(), Taint.CLEAN, Taint.CLEAN),
        ({Origin.OWNER, Origin.AGENT, Origin.SYSTEM}, Taint.CLEAN, Taint.CLEAN),
        ({Origin.OWNER, Origin.GUEST}, Taint.FOREIGN, Taint.CLEAN),
        ({Origin.UNTRUSTED}, Taint.FOREIGN, Taint.FOREIGN),
        ({Origin.OWNER, Origin.IMPORT}, Taint.FOREIGN, Taint.FOREIGN),
    ],
)
def test_the_worst_of_what_was_read_counts(origins: set[Origin], own: Taint, in_group: Taint) -> None:
    assert Taint.of(origins, OWNERS_SCOPE) is own
    assert Taint.of(origins, GROUP_SCOPE) is in_group
