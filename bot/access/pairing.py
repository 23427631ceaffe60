"""Pairing codes for strangers, and links between the identities of one person."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime, timedelta
from hmac import compare_digest

import structlog

from adapters.port import AdapterState, Inbound, Outbound
from bot.access.access import identity
from bot.errors import Missing, Refused
from bot.storage.coordinator import Coordinator
from bot.storage.keys import Principal
from bot.storage.port import outbox_id
from bot.storage.tables.people import AccessStore, Pairing, Person, Role
from bot.texts.catalogue import mark, tr
from memory import Clock

ALPHABET = "34679ACDEFGHJKLMNPQRTVWXY"
LENGTH = 8
PAIRING_LIFETIME = timedelta(hours=1)
REMEMBERED = timedelta(days=1)
"""How long it is known who has asked: the owner may look at their notice long after the code has expired."""
MAX_STRANGERS = 3
"""Strangers who may wait for an answer on one bot account; a further one takes the place of the oldest."""
KEPT = timedelta(minutes=5)
"""How long a stranger's place is safe: so many strangers at once get no more codes than there are places."""
PREPARED_LIFETIME = timedelta(days=7)
"""How long after it was shown a code waits for the service to start; its hour begins then."""
INVITATION = "invitation"
"""Under this name the code that was prepared for a bot account is kept."""
TRIES = 5
"""Wrong codes of one stranger, in the hour of an invitation, after which theirs are no longer looked at."""
ALL_TRIES = 1000
"""Wrong codes of all strangers together after which an invitation holds no longer."""

LINK_LIFETIME = timedelta(minutes=10)
TRIED_AGAIN = timedelta(hours=1)
"""After how long somebody who had no try left has them again."""

WELCOME = mark(
    "Now I know you: you are my owner. Tell me something and I note it; ask and I look it up. `/help` lists more."
)
TAKEN = mark("Now confirm it where you asked for the code: `{id}` writes `/link yes`.")
LET_IN = mark("You are let in now. Write to me and I answer; `/help` lists what I can do.")

Owners = Callable[[str], Collection[str]]
"""The ids of the owner on a platform."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def answer_id(account: str, update: str) -> str:
    """Return the outbox id of what a stranger is told."""
    return outbox_id(f"{account}:{update}:reception")


def draw() -> str:
    """Return a code that nobody can foresee."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


@dataclass
class Pairings:
    """The codes of a running service.

    Attributes:
        marks: keeps the codes that are prepared before the service starts.
        coordinator: tells people that they are let in; without it nobody is told.
    """

    register: AccessStore
    _: KW_ONLY
    clock: Clock
    marks: AdapterState
    coordinator: Coordinator | None = None
    draw: Callable[[], str] = draw
    _invitations: dict[str, Pairing] = field(default_factory=dict, init=False)
    _tries: dict[str, Counter[str]] = field(default_factory=dict, init=False)
    _asked: dict[str, datetime] = field(default_factory=dict, init=False)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def open(self) -> tuple[Pairing, ...]:
        """Who waits for an answer."""
        return tuple(pairing for pairing in self.register.pairings if self._holds(pairing))

    async def ask(self, inbound: Inbound) -> str | None:
        """Return the code for a stranger who has written; None if they had one within the hour, or too many ask.

        The same event again brings the same code: an earlier attempt to tell it may have come to nothing.
        """
        async with self._asking:  # whoever asks meanwhile finds the place taken
            who, account, now = identity(inbound), inbound.address.account, self.clock.now()
            for pairing in self.open:
                if pairing.identity == who:
                    return pairing.code if (pairing.account, pairing.update) == (account, inbound.update) else None
            self._asked = {one: at for one, at in self._asked.items() if now - at < PAIRING_LIFETIME}
            here = sorted((one for one in self.open if one.account == account), key=lambda one: one.at)
            is_full = len(here) >= MAX_STRANGERS
            if who in self._asked or (is_full and now - here[0].at < KEPT):
                return None
            expired = [pairing for pairing in self.register.pairings if now - pairing.at >= REMEMBERED]
            await self.register.settle([*expired, *(here[:1] if is_full else ())])
            asked = Pairing(account, who, inbound.sender.name, self.draw(), inbound.update, now)
            await self.register.ask(asked)
            self._asked[who] = now
            return asked.code

    async def approve(self, wanted: str, role: Role) -> Person:
        """Let a stranger in who has asked, by their code or identity (`platform:id`), and tell them.

        With the identity, the code may be as old as a day. Raises `Missing` if nobody waits: it was mistyped, used, or
        has expired.
        """
        pairing = next(iter(self._find(wanted)), None)
        if pairing is None:
            raise Missing(
                tr("Nobody waits with this code."),
                hint=tr("It holds for an hour, once. `scrubjay pair list` shows who waits; ask them to write again."),
            )
        person = Person(pairing.identity, role, pairing.name, self.clock.now())
        await self.register.grant(person)
        code_id = answer_id(pairing.account, pairing.update)
        if self.coordinator and (told := await self.coordinator.find_notice(code_id)):
            agent, code = told  # where the code went, the word goes
            update = f"{pairing.update}:approved"
            text = tr(WELCOME) if role is Role.OWNER else tr(LET_IN)
            out = Outbound(id=outbox_id(f"{pairing.account}:{update}"), to=code.to, text=text, private=True)
            await self.coordinator.tell(agent, out, update=update)
        await self._settle(person.identity)
        log.info("pairing.approved", who=person.identity, role=role.value)
        return person

    async def ignore(self, wanted: str) -> None:
        """Let the code of a stranger hold no longer; without effect if nobody waits with it."""
        for pairing in self._find(wanted):
            await self._settle(pairing.identity)

    def invite(self, account: str, code: str = "") -> str:
        """Return a code with which somebody who writes to this bot account becomes the owner; for the terminal only.

        It is the one that is given, or a new one. An earlier one holds no longer.
        """
        self._tries[account] = Counter()
        self._invitations[account] = Pairing(account, "", "", code or self.draw(), "", self.clock.now())
        return self._invitations[account].code

    async def prepare(self, account: str) -> str:
        """Return a code as `invite` does, for a service that starts within a week; one that runs accepts it at once.

        An earlier one holds no longer.
        """
        code = self.invite(account)
        await self.marks.save(account, INVITATION, f"{code} {self.clock.now().isoformat()}", lasting=True)
        return code

    async def resume(self, account: str) -> str:
        """Return the code that was prepared for this bot account, valid from now on; a new one if there is none."""
        code, _, at = (await self.marks.load(account)).get(INVITATION, "").partition(" ")
        is_valid = bool(code) and self.clock.now() - datetime.fromisoformat(at) < PREPARED_LIFETIME
        return self.invite(account, code if is_valid else "")

    async def accept(self, inbound: Inbound) -> bool:
        """Make the person who has sent the invitation's code the owner; False if they have not."""
        account, who = inbound.address.account, identity(inbound)
        invitation = self._invitations.get(account)
        if not invitation or not self._holds(invitation) or self._tries[account][who] >= TRIES:
            return False
        if not is_same(invitation.code, inbound.text):
            tried = _normalized(inbound.text)
            if len(tried) == LENGTH and set(tried) <= set(ALPHABET):
                self._tries[account][who] += 1
            if self._tries[account].total() >= ALL_TRIES:
                await self._end_invitation(account)
            return False
        await self._end_invitation(account)
        await self.register.grant(Person(who, Role.OWNER, inbound.sender.name, self.clock.now()))
        await self._settle(who)  # the first hello of theirs was a stranger's
        return True

    async def _end_invitation(self, account: str) -> None:
        del self._invitations[account]
        if (await self.marks.load(account)).get(INVITATION):
            await self.marks.save(account, INVITATION, "", lasting=True)

    def _find(self, wanted: str) -> list[Pairing]:
        by_code = [pairing for pairing in self.open if is_same(pairing.code, wanted)]
        by_name = [pairing for pairing in self.register.pairings if pairing.identity == wanted]
        return by_code or [one for one in by_name if self.clock.now() - one.at < REMEMBERED]

    async def _settle(self, who: str) -> None:
        await self.register.settle([pairing for pairing in self.register.pairings if pairing.identity == who])

    def _holds(self, pairing: Pairing) -> bool:
        return self.clock.now() - pairing.at < PAIRING_LIFETIME


def is_same(code: str, typed: str) -> bool:
    """Whether this code was typed, in a time that does not depend on where they differ."""
    return compare_digest(code.encode(), _normalized(typed).encode())


def _normalized(typed: str) -> str:
    """Return what was typed as codes are written: people type small letters, a link to a bot sends `/start CODE`."""
    return typed.strip().removeprefix("/start").strip().upper().replace("-", "")


@dataclass(frozen=True, slots=True)
class LinkCode:
    """Somebody's wish to be known as themselves elsewhere, and who has answered it there."""

    code: str
    by: Principal
    at: datetime
    taken: Principal | None = None


class IdentityLinks:
    """The offers of a running service."""

    def __init__(self, register: AccessStore, *, clock: Clock, owners: Owners = lambda _: ()) -> None:
        self._register = register
        self._clock = clock
        self._owners = owners
        self._offers: dict[str, LinkCode] = {}
        self._wrong: dict[str, tuple[int, datetime]] = {}  # how many wrong codes of whom, and when the first came

    def offer(self, by: Principal) -> str:
        """Return a code that this person may send from another platform; an earlier one of theirs ends."""
        self._offers[by.id] = LinkCode(draw(), by, self._clock.now())
        return self._offers[by.id].code

    def take(self, code: str, who: Principal, *, is_stranger: bool = False) -> Principal | None:
        """Answer an offer with its code; return who has to confirm it, None if nobody else has made such an offer.

        To strangers, who are not let in yet, only the owner's offers are open.

        Raises:
            Refused: they have sent too many wrong codes; or they are the owner, and would become somebody else.
        """
        now = self._clock.now()
        self._wrong = {one: tried for one, tried in self._wrong.items() if now - tried[1] < TRIED_AGAIN}
        wrong, since = self._wrong.get(who.id, (0, now))
        if wrong >= TRIES:
            raise Refused(tr("Those were too many wrong codes."), hint=tr("Try again in an hour."))
        for offer in self._open():
            is_meant = is_same(offer.code, code) and (offer.by.is_owner or not is_stranger)
            if is_meant and offer.by.id != who.id and (offer.taken or who).id == who.id:
                if who.is_owner and not offer.by.is_owner:
                    message = tr("With this code you would become the one who asked for it, and my owner no longer.")
                    raise Refused(message, hint=tr("Write `/link` here, and send the code from your other account."))
                self._offers[offer.by.id] = replace(offer, taken=who)
                return offer.by
        self._wrong[who.id] = (wrong + 1, since)
        return None

    def expose(self, said: str) -> None:
        """End the offer whose code is in what was said: others have read it."""
        self._offers = {by: offer for by, offer in self._offers.items() if offer.code not in _normalized(said)}

    def pending(self, by: Principal) -> Principal | None:
        """Who has answered this person's offer, and waits to be confirmed."""
        return next((offer.taken for offer in self._open() if offer.by.id == by.id), None)

    def accounts(self, of: Principal, like: Principal) -> tuple[str, ...]:
        """The accounts that a person has already on the platform of another one."""
        platform = like.id.partition(":")[0]
        owners = self._owners(platform) if of.is_owner else ()
        own = {of.id, *self._register.linked(of.id), *(f"{platform}:{number}" for number in owners)}
        return tuple(sorted(one for one in own if one.startswith(f"{platform}:") and one != like.id))

    async def confirm(self, by: Principal, identity: str) -> Principal | None:
        """Link the account with this identity to the person who made the offer; None if it has not answered it."""
        taken = self.pending(by)
        if taken is None or taken.id != identity:
            return None
        del self._offers[by.id]
        if by.is_owner and not self._register.linked(taken.id):  # listed as the owner's; others' role would follow
            await self._register.grant(Person(taken.id, Role.OWNER, taken.name, self._clock.now()))
        await self._register.link(taken.id, by.id, at=self._clock.now())
        log.info("pairing.linked", who=taken.id, to=by.id)
        await self._register.settle([one for one in self._register.pairings if one.identity == taken.id])
        return taken

    def decline(self, by: Principal) -> None:
        """End a person's offer, whoever has answered it."""
        self._offers.pop(by.id, None)

    def _open(self) -> list[LinkCode]:
        return [offer for offer in self._offers.values() if self._clock.now() - offer.at < LINK_LIFETIME]
