"""What tests do to the platform itself, as verbs: faults, limits, the token, and the gateway's bad days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from tests.servers.discord.gateway import Gateway
from tests.servers.discord.limits import Rule
from tests.servers.discord.rest import Rest
from tests.servers.faults import Fault, Faults
from tests.servers.ledger import Ledger


class Levers:
    """Verbs of the control interface; arguments and results are JSON."""

    def __init__(self, rest: Rest, gateway: Gateway, *, faults: Faults, ledger: Ledger) -> None:
        self._rest = rest
        self._gateway = gateway
        self._faults = faults
        self._ledger = ledger
        self._token = rest.token

    def fault(self, **fault: Any) -> None:
        """Add a fault; see `Fault` for its fields. Requests are named `POST /channels/123/messages`."""
        self._faults.add(Fault.parse(fault))

    def clear_faults(self) -> None:
        self._faults.clear()

    def unused_faults(self) -> list[str]:
        return self._faults.unused

    def limit(self, on: str, count: int, window_s: float) -> None:
        """Allow so many requests in so many seconds on routes that fit."""
        self._rest.limits.add(Rule(on, count, window_s))

    def limit_overall(self, count: int, window_s: float) -> None:
        """Allow so many requests of the bot in so many seconds, on all routes together."""
        self._rest.limits.allow_overall(count, window_s)

    def invalid_requests(self) -> int:
        """How many requests of the last ten minutes were refused in a way that leads to a ban."""
        return self._rest.limits.invalid

    def forget_nonces(self) -> None:
        """As some minutes later: a repeated nonce makes a new message."""
        self._rest.forget_nonces()

    def interactions_grow_old(self) -> None:
        """As three seconds later: what was not answered until now can no longer be."""
        self._rest.let_interactions_lapse()

    def closes_direct_messages(self, user: int) -> None:
        """The bot can no longer write to this person."""
        self._rest.closed_to.add(user)

    def token(self) -> str:
        """What the bot logs in with."""
        return self._token

    def revoke_token(self) -> None:
        self._rest.token = self._gateway.token = "revoked"

    def restore_token(self) -> None:
        self._rest.token = self._gateway.token = self._token

    def approve(self, *, message_content: bool) -> None:
        """Whether the portal grants the bot the privileged intent; asking without it ends with 4014."""
        self._gateway.approved = discord.Intents.all()
        self._gateway.approved.message_content = self._rest.grants_content = message_content

    def drop(self, *, reconnect: bool = False, forget: bool = False) -> int:
        """End all gateway connections; see `Gateway.drop`. Gives how many there were."""
        return self._gateway.drop(reconnect=reconnect, forget=forget)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9 to everybody."""
        self._gateway.invalidate(resumable=resumable)

    def refuse_next(self, *, resumable: bool = False) -> None:
        """The next identify or resume is answered by op 9."""
        self._gateway.refusals.append(resumable)

    def spoil_sessions(self, count: int) -> None:
        """The next sessions begin with an event that no client can read."""
        self._gateway.spoiled = count

    def leave_sessions(self, count: int) -> None:
        """As late on a day on which the bot has begun many: so many are left."""
        self._rest.backend.sessions_left = count

    async def close(self, code: int) -> None:
        """Close all gateway connections with a code."""
        await self._gateway.close(code)

    def emit(self, event: str, payload: dict[str, Any]) -> None:
        """Tell everybody something that nothing stands behind."""
        self._gateway.publish(event, payload)

    def emit_all(self, frames: Sequence[tuple[Any, Any]]) -> None:
        """Send frames (name, body) that may be anything but well formed."""
        for event, data in frames:
            self._gateway.send_all(event, data)

    def stop_acknowledging(self) -> None:
        """Heartbeats are no longer answered, as on a connection that is dead without knowing it."""
        self._gateway.acknowledges = False

    def violations(self) -> list[str]:
        """What the bot used that this server does not model."""
        return [f"{entry['name']}: {entry['problem']}" for entry in self._ledger.entries("violation")]
