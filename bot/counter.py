"""What commands of this machine may ask of the state file's holder: who waits to be let in, what was given up.

Requests and answers are JSON objects. A running service answers through `bot.intercom`; without one, the command opens
the state file itself, and asks the same object.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bot.durable.dead import DeadLetters
from bot.durable.register import Register, Role
from bot.errors import Missing, UsageError
from bot.trust.pairing import LIFE, Pairings

Answer = dict[str, Any]


class Clear(Protocol):
    """Carries the forgetting of facts into the records of conversations."""

    def __call__(self, agent: str, *, wholly: bool, scope: str, op_id: str) -> Awaitable[int]:
        """Mask what was forgotten; `wholly`, leave nothing of it, of what was in a scope or by an operation."""
        ...


@dataclass(frozen=True, slots=True)
class Counter:
    """Answers requests.

    Attributes:
        register: who was let in.
        pairings: who asks to be.
        dead_letters: what was given up.
        accounts: how the bot accounts stand, each with its name.
        clear: masks what was forgotten; None where no service has the memories open.
    """

    register: Register
    pairings: Pairings
    dead_letters: DeadLetters
    accounts: Callable[[], Mapping[str, str]]
    clear: Clear | None = None

    async def ask(self, what: str, **about: Any) -> Answer:
        """Answer one request.

        Raises:
            UsageError: there is no such request.
            Missing: nobody, or nothing, is meant by it.
        """
        requests: dict[str, Callable[..., Awaitable[Answer]]] = {
            "accounts": self._accounts,
            "people": self._people,
            "approve": self._approve,
            "revoke": self._revoke,
            "invite": self._invite,
            "dead": self._dead,
            "retry": self._retry,
            "forgotten": self._forgotten,
        }
        if what not in requests:
            raise UsageError(f"The service knows no request {what!r}.", hint="Is it of another version? Restart it.")
        return await requests[what](**about)

    async def _accounts(self) -> Answer:
        return {"accounts": dict(self.accounts())}

    async def _people(self) -> Answer:
        waiting = [
            {
                "code": one.code,
                "who": one.identity,
                "name": one.name,
                "account": one.account,
                "until": (one.at + LIFE).isoformat(),
            }
            for one in self.pairings.open
        ]
        people = [
            {"who": one.identity, "role": one.role.value, "name": one.name, "since": one.at.isoformat()}
            for one in self.register.people
        ]
        return {"waiting": waiting, "people": people}

    async def _approve(self, code: str, role: str) -> Answer:
        person = await self.pairings.approve(code, Role(role))
        return {"who": person.identity, "role": person.role.value, "name": person.name}

    async def _revoke(self, who: str) -> Answer:
        if not await self.register.put_out(who):
            raise Missing(f"Nobody was let in as {who} by a code.", hint="See: scrubjay pair list")
        return {"who": who}

    async def _invite(self) -> Answer:
        accounts = list(self.accounts())
        if not accounts:
            raise Missing("No bot account runs, so there is nobody to send a code to.", hint="Start: scrubjay run")
        codes = [{"account": account, "code": self.pairings.invite(account)} for account in accounts]
        return {"invitations": codes}

    async def _dead(self) -> Answer:
        letters = [
            {
                "id": one.id,
                "kind": one.kind,
                "agent": one.agent,
                "at": one.at.isoformat(),
                "where": one.where,
                "reason": one.reason,
            }
            for one in await self.dead_letters.list()
        ]
        return {"dead": letters}

    async def _forgotten(self, agent: str, *, wholly: bool, scope: str = "", op_id: str = "") -> Answer:
        if self.clear is None:
            raise UsageError("No service has this memory open.")
        return {"count": await self.clear(agent, wholly=wholly, scope=scope, op_id=op_id)}

    async def _retry(self, wanted: str) -> Answer:
        letters = await self.dead_letters.list()
        meant = [one for one in letters if wanted in {"all", one.id}]
        if not meant and wanted != "all":
            raise Missing(f"Nothing given up has the id {wanted}.", hint="See: scrubjay sessions dead list")
        for letter in meant:
            await self.dead_letters.retry(letter)
        return {"retried": [letter.id for letter in meant]}
