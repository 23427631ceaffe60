"""Bot accounts of a running service: how each stands with its platform, and when one that is refused is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial

import structlog

from adapters.port import (
    AccountNotFound,
    Adapter,
    ComesAndGoes,
    ConnectionState,
    Connects,
    LoginRefused,
    WebhookRefused,
)
from adapters.support import backoff_s
from adapters.terminal import HERE
from bot.supervision import ENDED, RUNNING
from bot.texts.catalogue import mark, tr
from memory import Clock, SystemClock

MAX_WAIT_S = 20.0
"""The longest time between two tries in the first hour of an outage."""

PATIENT_TRIES = 180
"""After so many tries it takes a person to mend it; platforms count logins by the day."""

PATIENT_WAIT_S = 300.0
"""The time between two tries from then on."""

BELIEVED = 3
"""How often in a row an account is refused before that is worth a word: a proxy on the way may just restart."""

STEADY = timedelta(minutes=1)
"""How long an account is connected before a further refusal is a new outage."""

Report = Callable[[str, str], Awaitable[None]]
"""Tells the owner why an account is refused, or, without a reason, that it is so no longer."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Account:
    """How one account stands.

    Attributes:
        problem: why it is not connected; empty if it is.
        since: when it was connected, or no longer was.
        refusals: how often its platform has refused it since it was last connected for some time.
        in_a_row: how often since it was last connected at all.
        is_believed: that it is refused has been logged and told.
        is_refused: whether that is why it is not connected.
        is_hopeless: it was refused from the start, in a way that time does not mend.
    """

    connection: ConnectionState
    problem: str
    since: datetime
    refusals: int = 0
    in_a_row: int = 0
    is_believed: bool = False
    is_refused: bool = False
    is_hopeless: bool = False
    was_connected: bool = False
    has_ended: bool = False


class Accounts:
    """The bot accounts of a service.

    Attributes:
        adapters: one for each, by the account's name.
        local: adapters of this machine that are no accounts, but deliver too.

    Args:
        zone: in which people are told an instant.
        is_service: chats of this machine are no bot accounts: nobody is told of them, and the service lasts longer.
    """

    def __init__(
        self,
        adapters: Sequence[Adapter],
        *,
        clock: Clock | None = None,
        zone: tzinfo = UTC,
        report: Report | None = None,
        is_service: bool = False,
    ) -> None:
        self.local = [adapter for adapter in adapters if is_service and isinstance(adapter, ComesAndGoes)]
        self.adapters = {
            f"{adapter.platform}.{adapter.bot}": adapter for adapter in adapters if adapter not in self.local
        }
        self._clock = clock or SystemClock()
        self._zone = zone
        self._report = report
        self._news: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._accounts: dict[str, _Account] = {}
        for name, adapter in self.adapters.items():
            connection = adapter.connection if isinstance(adapter, Connects) else ConnectionState("")
            self._accounts[name] = _Account(connection, connection.problem, self._clock.now())
            connection.changed = partial(self._set, name)

    @property
    def statuses(self) -> Mapping[str, str]:
        """How each account stands: `running`, `ended`, or since when it is not connected, and why."""
        statuses = dict.fromkeys(self._accounts, RUNNING)
        for name, account in self._accounts.items():
            if account.has_ended:
                statuses[name] = ENDED
            elif account.problem:
                since = mark("refused since {when}") if account.is_refused else mark("not connected since {when}")
                when = f"{account.since.astimezone(self._zone):%Y-%m-%d %H:%M}"
                statuses[name] = f"{tr(since, when=when)}: {account.problem}"
        return statuses

    @property
    def reachable(self) -> Collection[str]:
        """The accounts through which something can be delivered."""
        local = {HERE.account for adapter in self.local if adapter.is_present(HERE)}
        return local.union(name for name, account in self._accounts.items() if not account.problem)

    @property
    def are_hopeless(self) -> bool:
        """Whether each account has been refused from the start, so that there is nothing to wait for."""
        return all(account.is_hopeless for account in self._accounts.values())

    def fail(self, name: str, status: str) -> None:
        """Note that an adapter has failed and is begun anew, or that it has been (`RUNNING`)."""
        self._set(name, self._accounts[name].connection.problem if status == RUNNING else status)

    def end(self, name: str) -> None:
        """Note that an adapter has ended by itself."""
        self._accounts[name].has_ended = True

    def refuse(self, name: str, error: LoginRefused) -> float:
        """Note that a platform has refused an account; returns after how many seconds it is to be tried again."""
        account = self._accounts[name]
        self._set(name, str(error))
        account.is_refused = True
        account.refusals += 1
        account.in_a_row += 1
        is_final = not account.was_connected and not isinstance(error, AccountNotFound | WebhookRefused)
        account.is_hopeless = is_final and account.refusals >= BELIEVED
        # of one that comes and goes, the owner is not told each time
        is_clear = account.in_a_row == account.refusals or self._clock.now() - account.since >= STEADY
        if account.in_a_row >= BELIEVED and is_clear and not account.is_believed:
            account.is_believed = True
            log.error("adapter.refused", adapter=name, reason=str(error))
            self._news.put_nowait((name, str(error)))
        return backoff_s(account.refusals, max_s=MAX_WAIT_S) if account.refusals < PATIENT_TRIES else PATIENT_WAIT_S

    async def report(self) -> None:
        """Tell the owner of refusals, and of their ends, until cancelled."""
        while self._report:
            name, reason = await self._news.get()
            if bool(reason) == self._accounts[name].is_refused:  # else it is over, or refused again, by now
                await self._report(name, reason)

    def _set(self, name: str, problem: str) -> None:
        account, now = self._accounts[name], self._clock.now()
        if bool(problem) != bool(account.problem):
            if problem and now - account.since >= STEADY:
                account.refusals = 0
            account.since = now
            log.debug("account.changed", account=name, connected=not problem)
        account.problem = problem
        if not problem:
            if account.is_believed:
                log.info("adapter.accepted", adapter=name)
            account.was_connected, account.is_refused, account.is_believed, account.in_a_row = True, False, False, 0
            self._news.put_nowait((name, ""))
