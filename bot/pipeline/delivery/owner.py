"""The owner's private chats with the bot accounts: where they are told what nobody asked for, a full disk included."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

import structlog
from pydantic import ValidationError

from adapters.port import Address, Button, ChatKind, Inbound, Outbound, Receipt, Sender
from adapters.terminal import HERE
from bot.access.access import identity
from bot.access.routing import Routing
from bot.pipeline.accounts import MAX_WAIT_S, PATIENT_WAIT_S
from bot.pipeline.delivery.outbox import Adapters, attempt
from bot.storage.coordinator import Coordinator
from bot.storage.database import Durability
from bot.storage.keys import Principal
from bot.storage.port import Notice, outbox_id
from bot.storage.statements import ADDRESSES
from bot.texts.catalogue import current_language, in_language, mark, tr
from bot.texts.formatting import in_code, plain_name
from bot.waiting import pause
from memory import Clock

_MARKS = "owner"
_PEOPLE = "owner.people"
"""Who wrote there, as `platform:id`: somebody who is the owner no longer is told nothing more."""
_REFUSED = "refused"
"""Accounts of which the owner was told that they are refused, with the instant."""
_COUNTS = "notices"
"""How often the owner was told of something on a day."""

MAX_A_DAY = 5
"""So many strangers, and so many things given up, are told of in a day."""

Kind = Literal["strangers", "dead"]
LISTED_BY: Mapping[Kind, str] = {"strangers": "`/guests`", "dead": "`/dead`"}
"""What shows all of a kind."""

MAX_IDS_CHARS = 48
"""A button holds 64 bytes on Telegram."""

CHAT_KINDS = {ChatKind.PRIVATE: mark("private"), ChatKind.GROUP: mark("group"), ChatKind.CHANNEL: mark("channel")}

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class OwnerChats:
    """Where the owner wrote in private, also before a restart, and is told things: through the outbox of an agent.

    What is put into `urgent`, `run` says although the disk takes nothing; it is said soon, or not at all.
    """

    coordinator: Coordinator
    language: Callable[[], str] = field(default=current_language)
    owns: Callable[[str], bool] = field(default=lambda _: True)
    _: KW_ONLY
    routing: Routing
    clock: Clock
    _refused: dict[str, str] = field(default_factory=dict, init=False)
    _counts: dict[str, str] = field(default_factory=dict, init=False)
    _known: dict[tuple[str, str], Address] = field(default_factory=dict, init=False)
    urgent: asyncio.Queue[str] = field(default_factory=asyncio.Queue, init=False)

    async def load(self) -> None:
        people = await self.coordinator.marks.load(_PEOPLE)
        for account, text in (await self.coordinator.marks.load(_MARKS)).items():
            try:
                self._known[account, people.get(account, "")] = ADDRESSES.validate_json(text)
            except ValidationError:
                log.warning("owner.chat_unreadable", account=account)
        self._refused = dict(await self.coordinator.marks.load(_REFUSED))
        self._counts = dict(await self.coordinator.marks.load(_COUNTS))

    @property
    def _chats(self) -> list[Address]:
        """The owner's chats, the one in which they wrote last first; of an earlier version's it is not known whose."""
        return [to for (_, who), to in reversed(self._known.items()) if not who or self.owns(who)]

    @property
    def latest(self) -> Address | None:
        """Where the owner wrote last."""
        return next(iter(self._chats), None)

    def is_former(self, to: Address) -> bool:
        """Return whether somebody wrote there who was the owner, and is so no longer."""
        return to in self._known.values() and to not in self._chats

    async def remember(self, principal: Principal, inbound: Inbound) -> None:
        """Note where the owner wrote in private; the last one counts first. A terminal does not stay open."""
        to, key = inbound.address, (inbound.address.account, identity(inbound))
        if not principal.is_owner or to.kind is not ChatKind.PRIVATE or to.account == HERE.account:
            return
        last = next((one for one in reversed(self._known) if one[0] == to.account), None)
        is_known = self._known.pop(key, None) == to and last == key
        self._known.pop((to.account, ""), None)
        self._known[key] = to
        if not is_known:
            await self.coordinator.marks.save(_MARKS, to.account, ADDRESSES.dump_json(to).decode())
            await self.coordinator.marks.save(_PEOPLE, to.account, key[1])

    async def tell(self, text: str, *, about: str, is_useless: Callable[[Address], bool] = lambda _: False) -> bool:
        """Owe the owner a message in Markdown, once for what it is `about`, also over restarts.

        Returns whether there is a chat for it; `is_useless` says of one that the message must not go there.
        """
        return await self._queue(self._make_notice(text, about=about, is_useless=is_useless))

    def _make_notice(
        self, text: str, *, about: str, is_useless: Callable[[Address], bool], buttons: tuple[Button, ...] = ()
    ) -> Notice | None:
        to = next((chat for chat in self._chats if not is_useless(chat)), None)
        if to is None:
            log.warning("owner.not_told", about=about)  # its text may quote notes, of which the log holds none
            return None
        update = f"notice:{about}"
        out = Outbound(id=outbox_id(update), to=to, text=text, buttons=buttons, private=True)
        return Notice(self.routing.decide(to, Sender(to.chat, "")).agent, out, update)

    async def _queue(self, notice: Notice | None) -> bool:
        if notice:
            await self.coordinator.tell(notice.agent, notice.out, update=notice.update)
        return notice is not None

    async def report_account(self, account: str, reason: str) -> None:
        """Tell of a bot account that is refused, on another one, and when it is so no longer; also over restarts."""
        since = self._refused.get(account, "")
        if bool(since) == bool(reason) or all(to.account == account for to in self._chats):
            return
        platform = account.partition(".")[0].title()
        with in_language(self.language()):
            text = tr("{platform} lets me in again. I go on with what was written to me there.", platform=platform)
            if reason:
                since = self.clock.now().isoformat()
                text = tr("{platform} does not let me in: {reason}", platform=platform, reason=reason)
                text += "\n\n" + tr(
                    "I try again every {seconds:.0f} seconds for an hour, every {minutes:.0f} minutes then. What is "
                    "written to me there is answered later.",
                    seconds=MAX_WAIT_S,
                    minutes=PATIENT_WAIT_S / 60,
                )
        about = f"{account} {'refused' if reason else 'accepted'} {since}"
        if await self.tell(text, about=about, is_useless=lambda to: to.account == account):
            self._refused[account] = since if reason else ""
            await self.coordinator.marks.save(_REFUSED, account, self._refused[account])

    async def report_stranger(self, who: str, name: str, code: str) -> None:
        """Tell who has got a code, with buttons that let them in or do not."""
        platform, _, number = who.partition(":")
        with in_language(self.language()):
            text = tr(
                "The {platform} account `{number}`, called `{name}`, wrote to me and got the code `{code}`. Shall I "
                "let them in as a guest? Guests talk to my agents, and see nothing of yours.",
                platform=platform.title(),
                number=number,
                name=plain_name(name),
                code=code,
            )
            buttons = (Button(tr("Approve"), f"/guests approve {who}"), Button(tr("Ignore"), f"/guests ignore {who}"))
            notice = await self._prepare_some("strangers", text, about=f"stranger-{who}-{code}", buttons=buttons)
        await self._queue(notice)

    async def report_dead(self, ids: Sequence[str], to: Address, reason: str) -> None:
        """Tell what could not be delivered to a chat; see `prepare_dead`."""
        await self._queue(await self.prepare_dead(ids, to, reason))

    async def prepare_dead(self, ids: Sequence[str], to: Address, reason: str) -> Notice | None:
        """Return a notice of what could not be answered, or delivered to a chat, with a button that tries it again.

        Nothing is told of strangers' chats, nor in a chat of what could not be delivered there.
        """
        if not await self.coordinator.knows(to):
            return None
        wanted = " ".join(ids)
        is_short = len(wanted) <= MAX_IDS_CHARS
        retry = Button(tr("Retry"), f"/dead retry {wanted}") if is_short else Button(tr("List"), "/dead")
        text = tr(
            "I gave something up that was for the {kind} chat `{chat}` on {platform}: {reason}. It is kept, "
            "and can be tried again.",
            kind=tr(CHAT_KINDS[to.kind]),
            chat=to.chat,
            platform=to.platform.title(),
            reason=in_code(reason.removesuffix(".")),
        )
        buttons = (retry, Button(tr("Ignore"), "/dead ignore"))
        return await self._prepare_some("dead", text, about=f"dead-{wanted}", buttons=buttons, not_in=to)

    async def _prepare_some(
        self, kind: Kind, text: str, *, about: str, buttons: tuple[Button, ...], not_in: Address | None = None
    ) -> Notice | None:
        """Return a notice of a kind of which there may be many; None once there have been some today."""
        today = self.clock.now().date().isoformat()
        day, _, count = self._counts.get(kind, "").partition(" ")
        number = int(count) + 1 if day == today else 1
        if number > MAX_A_DAY or not self._chats:
            return None
        if number == MAX_A_DAY:
            text += "\n\n" + tr(
                "That is all I tell you of these today; {command} shows what else there is.", command=LISTED_BY[kind]
            )
        notice = self._make_notice(text, about=about, buttons=buttons, is_useless=lambda to: to == not_in)
        if notice:
            self._counts[kind] = f"{today} {number}"
            await self.coordinator.marks.save(_COUNTS, kind, self._counts[kind])
        return notice

    async def run(self, adapters: Adapters) -> None:
        """Say what is urgent, past the outbox, until cancelled."""
        while True:
            text = await self.urgent.get()
            for to in self._chats:
                adapter, out = adapters.get(to.account), Outbound(id=outbox_id(text), to=to, text=text)
                sent = await attempt(adapter.send(out), out) if adapter else None
                if isinstance(sent, Receipt):
                    break
                log.warning("owner.not_reached", account=to.account, reason=sent.reason if sent else "it does not run")
            else:
                log.warning("owner.not_told", text=text)


class Disk:
    """Tells the owner when the disk takes nothing, and when it does again.

    Attributes:
        owner: who is told; None until the state file, which knows their chats, is open.
        endurance: what the state file's writer waits for the disk with.
    """

    def __init__(self) -> None:
        self.owner: OwnerChats | None = None
        self.endurance = Durability(pause, self.note)

    async def tells(self, owner: OwnerChats) -> OwnerChats:
        """From now on there is somebody to tell, who is returned."""
        await owner.load()
        self.owner = owner
        return owner

    def note(self, reason: str) -> None:
        """The disk takes nothing, for this reason; or, without one, things again."""
        if reason:
            log.error(
                "disk.refuses", reason=reason, hint="Make room, or see to the disk or the database. It is tried again."
            )
        else:
            log.info("disk.takes_again")
        if self.owner is None:
            return
        with in_language(self.owner.language()):
            text = tr("I can write again. I go on with what has waited.")
            if reason:
                text = tr(
                    "I cannot write anything down ({reason}), so I take no messages for now: they wait on the "
                    "platform, and nothing is lost. Make room on the disk, start the database again, or close what "
                    "holds the file; I go on by myself.",
                    reason=reason,
                )
        self.owner.urgent.put_nowait(text)
