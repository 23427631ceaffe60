from __future__ import annotations

import itertools

import pytest

from adapters.port import Address, ChatKind
from bot.trust.origin import standing
from bot.turn import Principal
from memory import OWNER as OWNERS_SCOPE
from memory import Origin

ADA = Principal("volatile:1", "Ada", is_owner=True)
GUEST = Principal("volatile:2", "Gus", is_owner=False)


@pytest.mark.parametrize(("principal", "kind"), list(itertools.product((ADA, GUEST), ChatKind)))
def test_only_the_owner_in_private_reaches_the_owners_memory(principal: Principal, kind: ChatKind) -> None:
    origin, scope = standing(principal, Address("volatile", "bot", "c", kind))

    if principal.is_owner and kind is ChatKind.PRIVATE:
        assert (origin, scope) == (Origin.OWNER, OWNERS_SCOPE)
    else:
        assert (origin, scope) == (Origin.GUEST, "chat:volatile.bot:c")


def test_chats_of_the_same_name_on_two_accounts_have_two_scopes() -> None:
    scopes = {standing(GUEST, Address("volatile", bot, "c", ChatKind.GROUP))[1] for bot in ("one", "two")}

    assert len(scopes) == 2


def test_threads_of_a_chat_share_its_scope() -> None:
    scopes = {standing(ADA, Address("volatile", "bot", "c", ChatKind.GROUP, thread))[1] for thread in (None, "7")}

    assert len(scopes) == 1
