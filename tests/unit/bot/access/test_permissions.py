from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from adapters.port import Address, ChatKind
from bot.access.permissions import CHANGE, FILES, LOOK, NOTE, SESSIONS, Taint, allowed_tools, origin_and_scope
from bot.agent.aliases import aliases
from bot.app import tools
from bot.storage.keys import Principal
from memory import OWNER as OWNERS_SCOPE
from memory import Origin, chat_scope
from tests.support.conversation import tool_harness
from tests.support.factories import HOME, OWNER, chat

GROUP = chat("-100", kind=ChatKind.GROUP)
GUEST = Principal("volatile:7", "Grace", is_owner=False)
GROUP_SCOPE = chat_scope("volatile.bot:-100")


async def test_the_table(tmp_path: Path) -> None:
    async with tool_harness(tmp_path) as at:
        own = await at.turn()
        others = [await at.turn(at=GROUP, who=who) for who in (OWNER, GUEST)] + [await at.turn(at=HOME, who=GUEST)]

    assert allowed_tools(Taint.CLEAN, is_owners=own.is_owners) == LOOK | SESSIONS | FILES | NOTE | CHANGE
    assert allowed_tools(Taint.FOREIGN, is_owners=own.is_owners) == LOOK | SESSIONS | FILES
    for turn in others:
        assert allowed_tools(Taint.CLEAN, is_owners=turn.is_owners) == LOOK | NOTE
        assert allowed_tools(Taint.FOREIGN, is_owners=turn.is_owners) == LOOK


def test_every_tool_has_its_place_in_it_and_those_that_write_are_where_writing_is_allowed() -> None:
    every = tools() | aliases()
    assert every.keys() == LOOK | SESSIONS | FILES | NOTE | CHANGE
    assert {name for name, tool in every.items() if tool.changes} == NOTE | CHANGE


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
    assert Taint.of(origins, is_owners=True) is own
    assert Taint.of(origins, is_owners=False) is in_group


ADA = Principal("volatile:1", "Ada", is_owner=True)
GUEST_ORIGIN = Principal("volatile:2", "Gus", is_owner=False)


@pytest.mark.parametrize(("principal", "kind"), list(itertools.product((ADA, GUEST_ORIGIN), ChatKind)))
def test_only_the_owner_in_private_reaches_the_owners_memory(principal: Principal, kind: ChatKind) -> None:
    origin, scope = origin_and_scope(principal, Address("volatile", "bot", "c", kind))

    if principal.is_owner and kind is ChatKind.PRIVATE:
        assert (origin, scope) == (Origin.OWNER, OWNERS_SCOPE)
    else:
        assert (origin, scope) == (Origin.GUEST, "chat:volatile.bot:c")


def test_chats_of_the_same_name_on_two_accounts_have_two_scopes() -> None:
    scopes = {
        origin_and_scope(GUEST_ORIGIN, Address("volatile", bot, "c", ChatKind.GROUP))[1] for bot in ("one", "two")
    }

    assert len(scopes) == 2


def test_threads_of_a_chat_share_its_scope() -> None:
    scopes = {
        origin_and_scope(ADA, Address("volatile", "bot", "c", ChatKind.GROUP, thread))[1] for thread in (None, "7")
    }

    assert len(scopes) == 1
