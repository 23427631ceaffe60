"""Takes a person out of the state file: what they said, what was answered to them, and what is known of them.

What others said stays. In conversations of several people the entries keep their places, without the person's words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from bot.storage.keys import SessionKey, is_private
from bot.storage.port import MAX_PARTS, EntryKind, Envelope, GroupMessage, Rewrite, part_id
from bot.storage.statements import ENVELOPES, INPUTS, OUTBOUNDS, Database, StatementWriter
from bot.storage.tables.jobs import decode_jobs
from bot.storage.tables.redaction import redact_body, redact_fields, redact_outbound, to_json
from memory import Fact
from memory.privacy.traces import MARK, Traces, candidates, phrase

MIN_WORDS = 3
"""What has fewer words is also said by others, and tells nobody by itself."""

ANSWERING = frozenset({EntryKind.MESSAGE, EntryKind.STEP, EntryKind.TOOL, EntryKind.REPLY, EntryKind.RECALL})
"""The entries of a person's turn of which no text is left."""

OF_PERSON = (
    "DELETE FROM person WHERE identity IN (SELECT value FROM json_each(?))",
    "DELETE FROM pairing WHERE identity IN (SELECT value FROM json_each(?))",
    "DELETE FROM link WHERE identity IN (SELECT value FROM json_each(?))",
    "DELETE FROM rating WHERE who IN (SELECT value FROM json_each(?))",
    "UPDATE usage SET person = '', session = '' WHERE person IN (SELECT value FROM json_each(?))",
)
"""What is known of people; what models took for them stays, for nobody, so that sums stay right."""

OF_CHAT = (
    "DELETE FROM choice WHERE account = ? AND chat = ?",
    "DELETE FROM chat_setting WHERE account = ? AND chat = ?",
    "DELETE FROM move WHERE account = ?1 AND (chat = ?2 OR known_as = ?2)",
)
"""What is known of a chat, by bot account and chat."""

Place = tuple[str, str]
"""An agent, and the key of a conversation or the id of a turn."""


@dataclass(frozen=True, slots=True)
class PersonTraces:
    """What a person is recognised by in a state file.

    Attributes:
        ids: their identities, as `platform:id`.
        private: the conversations with them alone.
        shared: other conversations in which they spoke.
        turns: that their messages began.
    """

    ids: frozenset[str]
    names: frozenset[str]
    private: frozenset[Place]
    shared: frozenset[Place]
    turns: frozenset[Place]
    said: frozenset[str]

    @property
    def chats(self) -> frozenset[tuple[str, str]]:
        """Bot account and chat of the conversations with them alone."""
        return frozenset((parts[2], parts[4]) for _, key in self.private for parts in [key.split(":")])


@dataclass(frozen=True, slots=True)
class Erased:
    """How much there was of a person, by kind, and the shared conversations that it changed."""

    counts: Mapping[str, int]
    changed: frozenset[Place]


class Erasure:
    """Takes people out of a state file, and tells when texts are `erased`.

    Every method raises `StateError` if it cannot be written.
    """

    def __init__(self, writer: StatementWriter, *, erased: Callable[[], None]) -> None:
        self._writer = writer
        self._erased = erased

    async def find(self, who: str) -> PersonTraces:
        """Return what a person is recognised by, whichever of their identities is given."""
        return await self._writer.write(partial(find_person, who=who))

    async def preview(self, person: PersonTraces) -> Erased:
        """Return what `erase` and `erase_register` would remove; nothing changes."""

        def look(db: Database) -> Erased:
            db.execute("SAVEPOINT preview")
            try:
                erased = erase_texts(db, person)
                counts = {**erased.counts, "access": erase_register(db, person)}
            finally:
                db.execute("ROLLBACK TO preview")
                db.execute("RELEASE preview")
            return replace(erased, counts=counts)

        return await self._writer.write(look)

    async def erase(self, person: PersonTraces) -> None:
        """Remove what they said, all of it or nothing; who they are stays known, so that the rest can be repeated."""
        await self._writer.write(partial(erase_texts, person=person), then=self._erased)

    async def erase_register(self, person: PersonTraces) -> None:
        """Remove what is known of them, and clear all that was removed from unused parts of the file."""
        await self._writer.write(partial(erase_register, person=person))
        await self._writer.scrub(compact=True)


def find_person(db: Database, who: str) -> PersonTraces:
    """Return what a person is recognised by."""
    ids = {who, *(principal for (principal,) in db.execute("SELECT principal FROM link WHERE identity = ?", (who,)))}
    ids |= {identity for identity, principal in db.execute("SELECT identity, principal FROM link") if principal in ids}
    known = db.execute("SELECT identity, name FROM person UNION SELECT identity, name FROM pairing").fetchall()
    names, said = {name for identity, name in known if identity in ids}, set[str]()
    turns, sessions = set[Place](), set[Place]()
    for agent, session, turn, body in _holding(db, "session, turn, body FROM transcript WHERE kind = 'message'", ids):
        fields = _fields(body)
        if fields.get("sender") in ids:
            turns.add((agent, turn))
            sessions.add((agent, session))
            names.add(str(fields.get("name", "")))
            said |= {str(fields.get("text", "")), *(str(file.get("name", "")) for file in fields.get("files", ()))}
    for agent, session, body in _holding(db, "session, body FROM inbox WHERE TRUE", ids):
        envelope = _read(ENVELOPES, body)
        if envelope and envelope.principal.id in ids:
            turns.add((agent, envelope.turn))
            sessions.add((agent, session))
            names.add(envelope.principal.name)
            said |= {envelope.inbound.text, *(file.name for file in envelope.inbound.attachments)}
    names.discard("")
    for envelope in _envelopes(db):
        said |= {message.text for message in envelope.before if message.name in names}
        said |= {envelope.inbound.quote} if _is_quoting(envelope, ids) else set()
    of_tables = "SELECT agent, session FROM {} WHERE session <> ''"
    every = {row for name in ("transcript", "outbox", "inbox", "usage") for row in db.execute(of_tables.format(name))}
    own = {place for place in every if _is_chat_of(place[1], ids)}
    sql = "SELECT agent, session FROM usage WHERE person IN (SELECT value FROM json_each(?))"
    used = db.execute(sql, (json.dumps(sorted(ids)),))
    private = own | {place for place in {*sessions, *used} if is_private(place[1])}
    return PersonTraces(
        frozenset(ids),
        frozenset(names),
        frozenset(private),
        frozenset(sessions - private),
        frozenset(turns),
        frozenset(text for text in said if text.strip()) - {MARK},
    )


def erase_texts(db: Database, person: PersonTraces) -> Erased:
    """Remove what a person said and what was answered to them, in one transaction of the writer."""
    masking = _Masking(person, _others_words(db, person))
    counts = Counter[str]()
    for place in person.private:
        gone = db.execute("DELETE FROM transcript WHERE agent = ? AND session = ?", place).rowcount
        db.execute("DELETE FROM mark WHERE account = 'secrets.' || ? AND name = ?", place)  # as `Forgetting.owe` keeps
        counts["conversations"] += gone > 0
        counts["entries"] += gone
    changed = _erase_transcripts(db, person, masking, counts)
    _erase_inbox(db, person, masking, counts)
    _erase_outbox(db, person, masking, counts)
    db.executemany("DELETE FROM effect WHERE agent = ? AND turn = ?", list(person.turns))
    for agent, name, body in db.execute("SELECT agent, name, body FROM job").fetchall():
        jobs, _ = decode_jobs([(name, body)])
        is_theirs = [job.envelope.principal.id in person.ids for job in jobs]
        in_private = [(agent, str(job.envelope.session)) in person.private for job in jobs]
        if any((*is_theirs, *in_private)) or (not jobs and any(identity in body for identity in person.ids)):
            counts["reminders"] += db.execute("DELETE FROM job WHERE agent = ? AND name = ?", (agent, name)).rowcount
    return Erased(counts, frozenset(changed))


def erase_register(db: Database, person: PersonTraces) -> int:
    """Remove what is known of a person; return how many rows that was."""
    ids = json.dumps(sorted(person.ids))
    subjects = [f"sender {identity}" for identity in person.ids]
    count = sum(db.execute(sql, (ids,)).rowcount for sql in OF_PERSON)
    for account, chat in person.chats:
        subjects.append(f"chat {account}:{chat}")
        count += sum(db.execute(sql, (account, chat)).rowcount for sql in OF_CHAT)
    sql = "DELETE FROM asked WHERE subject IN (SELECT value FROM json_each(?))"
    return count + db.execute(sql, (json.dumps(sorted(subjects)),)).rowcount


class _Masking:
    """What becomes of the texts of others, and of the agents, that repeat a person's words or name them by their id."""

    def __init__(self, person: PersonTraces, elsewhere: Sequence[str]) -> None:
        self._person = person
        self._ids = re.compile(rf"(?<![\w:])(?:{'|'.join(map(re.escape, person.ids))})(?!\w)")
        names = "|".join(map(re.escape, person.names))
        self._spoken = re.compile(rf"^(?:\[[^\]\n]*\] )?(?:{names}): .*$", re.MULTILINE) if names else None
        near = Traces.of(map(Fact, person.said), elsewhere)
        statements = tuple(words for words in near.statements if len(words.split()) >= MIN_WORDS)
        # Most words of a sentence, and rare ones where the person did not speak, could be anybody's.
        self._near = replace(near, statements=statements, sentences=())
        self._far = replace(self._near, rare=frozenset())

    def rewrite(self, place: Place) -> Rewrite:
        """Return what masks their words in the texts of a conversation."""
        traces = self._near if place in self._person.shared else self._far

        def mask(text: str) -> str:
            lines = [MARK if self._ids.search(line) else line for line in text.split("\n")]
            new = "\n".join(lines) if MARK in lines else text
            return traces.masked(self._spoken.sub(MARK, new) if self._spoken else new)

        return mask

    def entry(self, place: Place, turn: str, kind: str, body: str) -> str:
        """Return the body of an entry of a shared conversation without their words."""
        rewrite = self.rewrite(place)
        if (place[0], turn) in self._person.turns and kind in ANSWERING:
            fields = redact_fields(_fields(body), lambda text: MARK if text.strip() else text)
            for name in ("input", "pending"):
                fields.pop(name, None)
            return to_json(fields | ({"sender": "", "name": MARK} if kind == EntryKind.MESSAGE else {}))
        fields = _fields(body)
        if kind != EntryKind.MESSAGE or not fields:
            return redact_body(body, rewrite)
        new = fields | {"text": self._ids.sub(MARK, str(fields.get("text", "")))}
        if came := _read(INPUTS, fields.get("input", "")):
            masked = tuple(map(self.envelope, came))
            new["input"] = INPUTS.dump_json(masked, exclude_defaults=True).decode() if masked != came else new["input"]
        if "shown_as" in fields:
            new["shown_as"] = rewrite(str(fields["shown_as"]))
        return body if new == fields else to_json(new)

    def envelope(self, envelope: Envelope) -> Envelope:
        """Return somebody else's message without their words said before it, and without a quote of theirs."""
        before = tuple(
            GroupMessage(MARK, MARK, said.at, said.is_foreign) if said.name in self._person.names else said
            for said in envelope.before
        )
        inbound = envelope.inbound
        if _is_quoting(envelope, self._person.ids):
            inbound = replace(inbound, quote=MARK, quote_by=None)
        return replace(envelope, inbound=inbound, before=before)


def _erase_transcripts(db: Database, person: PersonTraces, masking: _Masking, counts: Counter[str]) -> set[Place]:
    """Mask what is left of them in shared conversations; return which of those changed."""
    changed = set[Place]()
    for agent in [name for (name,) in db.execute("SELECT DISTINCT agent FROM transcript").fetchall()]:
        query = "SELECT session, seq, turn, kind, body FROM transcript WHERE agent = ?"
        updates = list[tuple[str, str, str, int]]()
        for session, seq, turn, kind, body in db.execute(query, (agent,)):
            new = masking.entry((agent, session), turn, kind, body)
            if new != body:
                updates.append((new, agent, session, seq))
                changed.add((agent, session))
                is_own = kind == EntryKind.MESSAGE and (agent, turn) in person.turns
                counts["messages" if is_own else "repetitions"] += 1
        db.executemany("UPDATE transcript SET body = ? WHERE agent = ? AND session = ? AND seq = ?", updates)
    return changed


def _erase_inbox(db: Database, person: PersonTraces, masking: _Masking, counts: Counter[str]) -> None:
    for agent, seq, session, state, body in db.execute("SELECT agent, seq, session, state, body FROM inbox").fetchall():
        envelope = _read(ENVELOPES, body)
        is_theirs = envelope.principal.id in person.ids if envelope else any(one in body for one in person.ids)
        if is_theirs or (agent, session) in person.private:
            db.execute("DELETE FROM inbox WHERE agent = ? AND seq = ?", (agent, seq))
            counts["waiting" if state == "waiting" else "dead"] += 1
        elif envelope and (new := masking.envelope(envelope)) != envelope:
            rewritten = ENVELOPES.dump_json(new).decode()
            db.execute("UPDATE inbox SET body = ? WHERE agent = ? AND seq = ?", (rewritten, agent, seq))
            counts["repetitions"] += 1


def _erase_outbox(db: Database, person: PersonTraces, masking: _Masking, counts: Counter[str]) -> None:
    answers = {(agent, part_id(turn, number)) for agent, turn in person.turns for number in range(MAX_PARTS)}
    for agent, seq, session, part, body in db.execute("SELECT agent, seq, session, id, body FROM outbox").fetchall():
        out = _read(OUTBOUNDS, body)
        place = (agent, session or (str(SessionKey(agent, out.to)) if out else ""))
        if place in person.private or (agent, part) in answers or _is_chat_of(place[1], person.ids):
            db.execute("DELETE FROM outbox WHERE agent = ? AND seq = ?", (agent, seq))
            db.execute("DELETE FROM placed WHERE agent = ? AND id = ?", (agent, part))
            counts["answers"] += 1
            continue
        rewrite = masking.rewrite(place)
        masked = redact_outbound(out, rewrite) if out else None
        new = OUTBOUNDS.dump_json(masked).decode() if masked else redact_body(body, rewrite)
        if masked != out or (out is None and new != body):
            db.execute("UPDATE outbox SET body = ? WHERE agent = ? AND seq = ?", (new, agent, seq))
            counts["repetitions"] += 1


def _others_words(db: Database, person: PersonTraces) -> list[str]:
    """Return which of the words that could tell their messages others use, too."""
    wanted = candidates(map(Fact, person.said))
    single = {words for words in wanted if len(words.split()) == 1}
    joined, used = wanted - single, set[str]()
    for agent, turn, body in db.execute("SELECT agent, turn, body FROM transcript WHERE kind = 'message'"):
        if (agent, turn) not in person.turns:
            said = phrase(str(_fields(body).get("text", "")))
            used |= single & {f" {word} " for word in said.split()}
            used |= {words for words in joined if words in said}
    return [*used]


def _envelopes(db: Database) -> Iterator[Envelope]:
    """Yield all messages of which is known what came with them."""
    for (body,) in db.execute("SELECT body FROM inbox"):
        if envelope := _read(ENVELOPES, body):
            yield envelope
    for (body,) in db.execute("SELECT body FROM transcript WHERE kind = 'message' AND instr(body, '\"input\"') > 0"):
        yield from _read(INPUTS, _fields(body).get("input", "")) or ()


def _holding(db: Database, what: str, ids: set[str]) -> Iterator[Any]:
    """Yield rows, the agent first, whose body names one of these identities."""
    for identity in sorted(ids):
        yield from db.execute(f"SELECT agent, {what} AND instr(body, ?) > 0", (json.dumps(identity),)).fetchall()


def _is_quoting(envelope: Envelope, ids: frozenset[str] | set[str]) -> bool:
    by, platform = envelope.inbound.quote_by, envelope.inbound.address.platform
    return bool(envelope.inbound.quote) and by is not None and f"{platform}:{by.id}" in ids


def _is_chat_of(key: str, ids: frozenset[str] | set[str]) -> bool:
    """Return whether a conversation is the private one whose chat has the person's own number, as on Telegram."""
    parts = key.split(":")
    return is_private(key) and f"{parts[2].partition('.')[0]}:{':'.join(parts[4:5])}" in ids


def _read(adapter: TypeAdapter[Any], body: object) -> Any:
    """Read a stored value; None if a newer version wrote it, or if it is damaged."""
    try:
        return adapter.validate_json(str(body))
    except ValueError:
        return None


def _fields(body: str) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
