"""The adapters that run, found by address."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.port import Adapter, Address, Capabilities

UNKNOWN = Capabilities(text_limit=2000)
"""What any platform can take, for a chat whose adapter does not run at the moment."""


class Platforms:
    """One adapter for each bot account."""

    def __init__(self, adapters: Iterable[Adapter]) -> None:
        self._adapters = {f"{adapter.platform}.{adapter.bot}": adapter for adapter in adapters}

    @property
    def accounts(self) -> frozenset[str]:
        """The bot accounts (`Address.account`) that run."""
        return frozenset(self._adapters)

    def adapter(self, to: Address) -> Adapter:
        """The adapter that serves a chat; `KeyError` if its account does not run."""
        return self._adapters[to.account]

    def find(self, to: Address) -> Adapter | None:
        """The adapter that serves a chat; None if its account does not run."""
        return self._adapters.get(to.account)

    def capabilities(self, to: Address) -> Capabilities:
        """What can be sent there."""
        adapter = self.find(to)
        return adapter.capabilities if adapter else UNKNOWN
