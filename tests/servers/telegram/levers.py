"""What tests do to the platform itself, as verbs: faults, limits, the token, odd updates, and looking at its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.servers.faults import Fault, Faults
from tests.servers.telegram.account import Account
from tests.servers.telegram.flood import Flood, Limit
from tests.servers.telegram.updates import Update
from tests.servers.telegram.world import Message, World


class Levers:
    """Verbs of the control interface; arguments and results are JSON."""

    def __init__(self, world: World, *, faults: Faults, flood: Flood, account: Account) -> None:
        self.token_is_valid = True
        self.pushed: set[int] = set()
        self._world = world
        self._faults = faults
        self._flood = flood
        self._account = account

    def fault(self, **fault: Any) -> None:
        """Add a fault; see `Fault` for its fields."""
        self._faults.add(Fault.parse(fault))

    def clear_faults(self) -> None:
        self._faults.clear()

    def unused_faults(self) -> list[str]:
        return self._faults.unused

    def limit(self, *, overall: Limit | None = None, chat: Limit | None = None, group: Limit | None = None) -> None:
        """Flood limits, each as so many messages in so many seconds."""
        self._flood.limit(overall=overall, chat=chat, group=group)

    def privacy(self, *, on: bool) -> None:
        """Whether the bot sees only what addresses it in groups."""
        self._world.privacy = on

    def revoke_token(self) -> None:
        self.token_is_valid = False

    def restore_token(self) -> None:
        self.token_is_valid = True

    def push(self, update: Mapping[str, Any]) -> int:
        """Queue an update as it is, for kinds that people here do not produce and for broken ones. Gives its id."""
        number = self._world.queue.push_raw(update)
        self.pushed.add(number)
        return number

    def redeliver(self, count: int) -> list[int]:
        """The newest confirmed updates come again."""
        return self._world.queue.redeliver(count)

    def drop_updates(self) -> None:
        """What waits is forgotten, as after 24 hours."""
        self._world.queue.drop()

    def pending(self) -> list[Update]:
        return self._world.queue.waiting

    def history(self, chat: int) -> list[Message]:
        """The chat's messages as they are now, oldest first."""
        return list(self._world.chats[chat].messages.values())

    def callback(self, id: str) -> dict[str, Any]:
        """Who tapped what, and how the bot answered."""
        return self._world.callbacks[id]

    def bot_settings(self) -> dict[str, Any]:
        """Commands by scope, and descriptions."""
        return {"commands": self._account.commands, "description": self._account.description}

    def file(self, id: str) -> dict[str, Any]:
        """A file's name, type, size and content as text (latin-1)."""
        file = self._world.files[id]
        return {"name": file.name, "mime": file.mime, "size": file.size, "data": file.data.decode("latin-1")}

    def violations(self) -> list[str]:
        """What the bot sent that the Bot API does not know, and what this server itself got wrong."""
        return [f"{entry['method']}: {entry['problem']}" for entry in self._world.ledger.entries("violation")]
