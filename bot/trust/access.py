"""Who is let in. Identity is the platform's own numeric id; names and texts grant nothing."""

from __future__ import annotations

from collections.abc import Collection

from adapters.port import Inbound
from bot.turn import Principal


class Access:
    """Admits the owner under any of the given ids (`terminal:owner`, `telegram:12345`), and nobody else.

    An empty collection admits nobody.
    """

    def __init__(self, owners: Collection[str]) -> None:
        self._owners = frozenset(owners)

    def admit(self, inbound: Inbound) -> Principal | None:
        """Who acts; None if the event is to be ignored."""
        identity = f"{inbound.address.platform}:{inbound.sender.id}"
        if identity not in self._owners:
            return None
        return Principal(identity, inbound.sender.name, is_owner=True)
