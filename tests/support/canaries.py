"""A home in which a guest has said a word of their own in every place where a word can lie."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from adapters.port import Address, Attachment, ChatKind, Inbound, Sender
from bot.agent.context.context_log import Context, Piece
from bot.paths import Home, put, safe_name
from bot.sessions.files import ChangedSessions, Projection
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import (
    Effects,
    EntryKind,
    Envelope,
    Grant,
    GroupMessage,
    Job,
    TokenTotals,
    ToolEffect,
    TranscriptEntry,
    UsageEntry,
    part_id,
)
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import Count, Pairing, Person, Role, Span
from memory import OWNER, Clock, Memory, Origin, chat_scope
from tests.support.factories import NOON, outbound

MIA = Principal("telegram:4711", "Mia", is_owner=False)
BEN = Principal("telegram:815", "Ben", is_owner=False)
ADA = Principal("telegram:1", "Ada", is_owner=True)
ALONE = Address("telegram", "bot", "4711", ChatKind.PRIVATE)
ELSEWHERE = Address("discord", "bot", "777", ChatKind.PRIVATE)
GROUP = Address("telegram", "bot", "-100", ChatKind.GROUP)
OWN = Address("telegram", "bot", "1", ChatKind.PRIVATE)

PLACES = tuple(
    "private answer discord fact groupfact undone group groupanswer before quote waiting dead owed file "
    "attachment reminder context effect unreadable".split()
)
KEPT = ("Ben brings the salad.", "Ada likes the lake.", "Mia likes jazz.", "Ben has a boat.")

_CAME = TypeAdapter(tuple[Envelope, ...])
_CONTEXTS = TypeAdapter(Context)


def canary(place: str) -> str:
    """Return a word that nobody else says."""
    return f"qzx{place}7"


def words_in(folder: Path) -> dict[str, list[str]]:
    """Return in which files, searched byte by byte, each of the words stands."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    contents = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    found = {place: [name for name, data in contents.items() if canary(place).encode() in data] for place in PLACES}
    return {place: names for place, names in found.items() if names}


def message(who: Principal, text: str, update: str, at: Address) -> Envelope:
    """A message as it was published."""
    sender = Sender(who.id.partition(":")[2], who.name)
    return Envelope("personal", who, Inbound(update, at, sender, text, f"m{update}", NOON))


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills a home."""

    home: Home
    core: SqliteCoordinator
    grant: Grant

    async def turn(
        self, envelope: Envelope, answer: str, *, shown_as: str = "", extra: tuple[TranscriptEntry, ...] = ()
    ) -> None:
        """One that has ended."""
        await self.core.publish(envelope)
        *_, queued = await self.core.pending(self.grant, after=0)
        who, turn = envelope.principal, envelope.turn
        fields: dict[str, object] = {
            "sender": who.id,
            "name": who.name,
            "message": envelope.inbound.message,
            "text": envelope.inbound.text,
        }
        fields |= {"input": _CAME.dump_json((envelope,), exclude_defaults=True).decode(), "is_foreign": False}
        fields |= {"shown_as": shown_as} if shown_as else {}
        bodies = [(EntryKind.MESSAGE, fields), (EntryKind.REPLY, {"text": answer})]
        entries = [TranscriptEntry(kind, turn, NOON, json.dumps(body)) for kind, body in bodies]
        part = outbound(part_id(turn, 0), answer, to=envelope.inbound.address)
        effects = Effects(envelope.session, (queued.seq,), (part,), (*entries, *extra), turn)
        await self.core.commit(self.grant, effects)

    async def talk(self) -> None:
        """Fill the conversations."""
        await self.turn(message(MIA, f"My cat is {canary('private')}.", "1", ALONE), f"So {canary('answer')}.")
        await self.turn(message(MIA, f"Here {canary('discord')}.", "2", ELSEWHERE), "Well.")
        summary = TranscriptEntry(
            EntryKind.COMPACTION, "x", NOON, json.dumps({"summary": f"Of {canary('group')}.\nEnd."})
        )
        await self.turn(
            message(MIA, f"We all eat {canary('group')} there.", "3", GROUP), canary("groupanswer"), extra=(summary,)
        )
        before = (GroupMessage("Mia", f"I say {canary('before')}", NOON, False), GroupMessage("Bea", "Hi", NOON, False))
        asked = replace(message(BEN, KEPT[0], "4", GROUP), before=before)
        quoting = replace(asked.inbound, quote=f"So {canary('quote')}", quote_by=Sender("4711", "Mia"))
        shown = f"[12:00] Mia: I say {canary('before')}\n[12:01] Bea: Hi\n{KEPT[0]}"
        await self.turn(replace(asked, inbound=quoting), "Fine.", shown_as=shown)
        said = f"In the group: We all eat {canary('group')} there."
        await self.turn(message(ADA, KEPT[1], "5", OWN), f"{said}\nAnd you like the lake.")
        await self.core.tell("personal", outbound("n1", "Mia (telegram:4711) asks.", to=OWN), update="n1")

    async def wait(self) -> None:
        """Fill what is not done: messages, their effects, reminders, counts."""
        file = Attachment("document", f"{canary('file')}.txt", "text/plain", 3, "r")
        waiting = message(MIA, canary("waiting"), "6", GROUP)
        await self.core.publish(replace(waiting, inbound=replace(waiting.inbound, attachments=(file,))))
        await self.core.publish(message(MIA, canary("dead"), "7", GROUP))
        *_, dead = await self.core.pending(self.grant, after=0)
        await self.core.commit(
            self.grant, Effects(dead.envelope.session, (dead.seq,), turn=dead.envelope.turn, set_aside="it fails")
        )
        effect = ToolEffect(dead.envelope.turn, 0, canary("effect"), canary("effect"))
        await self.core.effect(self.grant, effect)
        await self.core.tell("personal", outbound("n2", canary("owed"), to=ALONE), update="n2")
        await self.core.schedule(self.grant, Job("r1", NOON, message(MIA, f"/remind {canary('reminder')}", "8", ALONE)))
        await self.core.schedule(self.grant, Job("r2", NOON, message(BEN, "/remind the boat", "9", GROUP)))
        await self.core.usage.add(
            UsageEntry(date(2026, 11, 21), "personal", "m", MIA.id, str(SessionKey("personal", ALONE)), "t",
                       TokenTotals(1, 10, 0, 5)), NOON
        )  # fmt: skip
        await self.core.counts.save([Count(f"sender {MIA.id}", Span.DAY, "2026-11-21", 3)])
        await self.core.register.grant(Person(MIA.id, Role.GUEST, "Mia", NOON))
        await self.core.register.ask(Pairing("telegram.bot", MIA.id, "Mia", "AAAA", "0", NOON))
        await self.core.register.link("discord:99", MIA.id, at=NOON)
        await self.core.register.choose(ALONE, "work")

    async def files(self) -> None:
        """Fill the files beside the state file."""
        folder = self.home.files / "personal" / safe_name("telegram.bot:3")
        folder.mkdir(parents=True)
        (folder / "photo.txt").write_text(canary("attachment"))
        put(
            self.home.state / "unreadable" / "telegram.bot-77.json", f'{{"id": 4711, "text": "{canary("unreadable")}"}}'
        )
        put(self.home.state / "unreadable" / "telegram.bot-78.json", '{"id": 815, "text": "Ben"}')
        for at in (ALONE, GROUP):
            session = str(SessionKey("personal", at))
            piece = Piece("user", 1, canary("context"))
            seen = Context(session, "t", NOON.isoformat(), "m", 10, 1, 1.0, 0, (), (piece,))
            name = f"{sha256(session.encode()).hexdigest()[:16]}.context.json"
            put(self.home.sessions("personal") / name, _CONTEXTS.dump_json(seen).decode())
        changed = ChangedSessions()
        for at in (ALONE, ELSEWHERE, GROUP, OWN):
            changed.add(SessionKey("personal", at))
        await Projection(self.core, changed, folder=self.home.sessions).finish(self.grant)


async def remember(memory: Memory) -> None:
    """Fill a memory: facts of the guest, of others in the same group, and of the owner."""
    alone, group = chat_scope("telegram.bot:4711"), chat_scope("telegram.bot:-100")
    told = [
        (f"My cat is called {canary('fact')}.", Origin.GUEST, alone, f"agent:personal for {MIA.id}"),
        (f"Mia has {canary('groupfact')}.", Origin.GUEST, group, MIA.id),
        (KEPT[3], Origin.GUEST, group, BEN.id),
        (KEPT[2], Origin.OWNER, OWNER, ADA.id),
        (f"Gone is {canary('undone')}.", Origin.GUEST, group, MIA.id),
    ]
    for number, (text, origin, scope, actor) in enumerate(told):
        await memory.remember(text, origin=origin, scope=scope, op_id=f"told:{number}", actor=actor)
    await memory.undo(op_id="undo", scope=group, actor=MIA.id, whose=frozenset({MIA.id}))


async def fill(home: Home, clock: Clock) -> None:
    """Fill a home."""
    home.prepare()
    workspace, index = home.workspace("personal"), home.index("personal")
    async with await Memory.open(workspace, index=index, clock=clock, blanks=False) as memory:
        await remember(memory)
    async with SqliteCoordinator.open(home.database, clock=clock) as core:
        (grant,) = await core.claim("test", ["personal"])
        filling = Filling(home, core, grant)
        await filling.talk()
        await filling.wait()
        await filling.files()
        await core.release(grant)
