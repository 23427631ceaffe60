"""The owner's private chats with the bot accounts: where they are told what nobody asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog
from pydantic import TypeAdapter, ValidationError

from adapters.port import AdapterError, AdapterState, Address, Button, ChatKind, Outbound, Sender
from bot.access.routing import Routing
from bot.accounts import MAX_WAIT_S, PATIENT_WAIT_S
from bot.pipeline.outbox import Adapters
from bot.storage.database import Durability
from bot.storage.keys import Principal
from bot.storage.port import Coordinator, outbox_id
from bot.waiting import pause
from memory import Clock

_MARKS = "owner"
_REFUSED = "refused"
"""Accounts of which the owner was told that they are refused, with the instant."""
_ADDRESSES = TypeAdapter(Address)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class OwnerChats:
    """Knows them by what the owner wrote, also after a restart.

    Args:
        coordinator: owes what is to be told.
        marks: where the chats are kept.
        routing: which agent's outbox it goes through.
        clock: source of time.
    """

    def __init__(self, coordinator: Coordinator, *, marks: AdapterState, routing: Routing, clock: Clock) -> None:
        self._coordinator = coordinator
        self._marks = marks
        self._routing = routing
        self._clock = clock
        self._refused: dict[str, str] = {}
        self._chats: dict[str, Address] = {}
        self._urgent = asyncio.Queue[str]()

    async def load(self) -> None:
        """Read what is known from earlier."""
        for account, text in (await self._marks.load(_MARKS)).items():
            try:
                self._chats[account] = _ADDRESSES.validate_json(text)
            except ValidationError:
                log.warning("owner.chat_unreadable", account=account)
        self._refused = dict(await self._marks.load(_REFUSED))

    async def remember(self, principal: Principal, to: Address) -> None:
        """Note where the owner wrote in private; the last one counts first."""
        if not principal.is_owner or to.kind is not ChatKind.PRIVATE:
            return
        is_known = self._chats.pop(to.account, None) == to
        self._chats[to.account] = to
        if not is_known:
            await self._marks.save(_MARKS, to.account, _ADDRESSES.dump_json(to).decode())

    async def tell(
        self, text: str, *, about: str, buttons: tuple[Button, ...] = (), past: Callable[[Address], bool] | None = None
    ) -> bool:
        """Owe the owner a message, once for what it is `about`, also over restarts.

        Args:
            text: Markdown.
            about: what else has been told of, or will be, has another one.
            buttons: choices under it.
            past: whether a chat is of no use for it.

        Returns:
            Whether there is a chat for it.
        """
        to = next((one for one in reversed(self._chats.values()) if not (past and past(one))), None)
        if to is None:
            log.warning("owner.not_told", text=text)
            return False
        out = Outbound(id=outbox_id(f"notice:{about}"), to=to, text=text, buttons=buttons, private=True)
        agent = self._routing.decide(to, Sender(to.chat, "")).agent
        await self._coordinator.tell(agent, out, update=f"notice:{about}")
        return True

    async def report_account(self, account: str, reason: str) -> None:
        """Tell of a bot account that is refused, on another one, and when it is so no longer; also over restarts."""
        since = self._refused.get(account, "")
        if bool(since) == bool(reason):
            return
        platform = account.partition(".")[0].title()
        if reason:
            since = self._clock.now().isoformat()
            text = (
                f"{platform} does not let me in: {reason}\n\nI try again every {MAX_WAIT_S:.0f} seconds for an hour, "
                f"every {PATIENT_WAIT_S / 60:.0f} minutes then. What is written to me there is answered later."
            )
        else:
            text = f"{platform} lets me in again. I go on with what was written to me there."
        about = f"{account} {'refused' if reason else 'accepted'} {since}"
        if await self.tell(text, about=about, past=lambda to: to.account == account):
            self._refused[account] = since if reason else ""
            await self._marks.save(_REFUSED, account, self._refused[account])

    def say(self, text: str) -> None:
        """Take something that the owner is to hear although the disk takes nothing; it is said soon, or not at all."""
        self._urgent.put_nowait(text)

    async def run(self, platforms: Adapters) -> None:
        """Say what is urgent, past the outbox, until cancelled."""
        while True:
            text = await self._urgent.get()
            for to in [*reversed(self._chats.values())]:
                adapter = platforms.find(to)
                try:
                    if adapter:
                        await adapter.send(Outbound(id=outbox_id(text), to=to, text=text))
                        break
                except AdapterError as error:
                    log.warning("owner.not_reached", account=to.account, reason=str(error))
            else:
                log.warning("owner.not_told", text=text)


class Disk:
    """Tells the owner when the disk takes nothing, and when it does again.

    Attributes:
        owner: is told; None until the disk, on which it is known where they are, has been opened.
        endurance: what the state file's writer waits for the disk with.
    """

    def __init__(self) -> None:
        self.owner: OwnerChats | None = None
        self.endurance = Durability(pause, self.note)

    async def tells(self, owner: OwnerChats) -> None:
        """From now on there is somebody to tell."""
        await owner.load()
        self.owner = owner

    def note(self, reason: str) -> None:
        """The disk takes nothing, for this reason; or, without one, things again."""
        if reason:
            log.error("disk.refuses", reason=reason, hint="Make room on the disk, or repair it. It is tried again.")
            self._say(
                f"I cannot write to my disk ({reason}), so I take no messages for now: they wait on the platform, and "
                "nothing is lost. Make room on the disk, or repair it; I go on by myself."
            )
        else:
            log.info("disk.takes_again")
            self._say("My disk takes things again. I go on with what has waited.")

    def _say(self, text: str) -> None:
        if self.owner:
            self.owner.say(text)
