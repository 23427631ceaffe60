"""Questions about what was said before in a session."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from adapters.port import Button, ChatKind
from bot.sessions.turns import PENDING, decode_turns, read_envelopes, recalls
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey
from bot.storage.port import MAX_PARTS, EntryKind, Envelope, Recorded, Session, TranscriptEntry, part_id
from bot.storage.tables.transcripts import PAGE, split_first_turn
from bot.texts.formatting import split_command
from bot.turn import PendingAction
from memory import Hit, Recall

MAX_SINCE = 10
"""Among how many of the last answers the one is that a person answers, behind what jobs have said."""

ANSWERED_WITHIN = timedelta(hours=1)
"""What is said later than that answers no question of before."""

_NUMBER = re.compile(r"\d+")
_QUESTION = re.compile(r"(?<![^.!?。！？؟;\n])[^.!?。！？؟;\n]*[?？؟]")


class Transcript:
    """Answers questions about the sessions of a coordinator."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    async def last_recall(self, session: SessionKey) -> Recall | None:
        """Return the recall that the last answer from memory rested on; None if there was none in this session."""
        entry = await self._coordinator.last(session, EntryKind.RECALL)
        return recalls().validate_json(entry.body) if entry else None

    async def last_listed(self, session: SessionKey) -> tuple[Hit, ...]:
        """Return the facts of the last recall, in order; none if a model was shown them, and the person was not."""
        recalled = await self._coordinator.last(session, EntryKind.RECALL)
        said = await self._coordinator.newest(session, after=0, limit=PAGE, kinds=(EntryKind.MESSAGE,))
        by_model = {one.entry.turn for one in said if "shown_as" in json.loads(one.entry.body)}
        return recalls().validate_json(recalled.body).hits if recalled and recalled.turn not in by_model else ()

    async def just_quoted(self, session: SessionKey) -> tuple[Hit, ...]:
        """Return the facts with which the very last message of this session was answered."""
        reply = await self._coordinator.last(session, EntryKind.REPLY)
        recalled = await self._coordinator.last(session, EntryKind.RECALL)
        if reply is None or recalled is None or recalled.turn != reply.turn:
            return ()
        return recalls().validate_json(recalled.body).answers

    async def current(self, session: SessionKey) -> Session | None:
        """Return the summary of this session so far; None if nothing has been said."""
        return await self._coordinator.current(session)

    async def last_end(self, session: SessionKey) -> datetime:
        """Return when the session before this one ended; an instant before all others if there was none."""
        reset = await self._coordinator.last(session, EntryKind.RESET)
        return reset.at if reset else datetime.min.replace(tzinfo=UTC)

    async def newest(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        """Return the newest whole turns of this session below a `seq`, at most some hundred entries; () at its end."""
        reset = await self._coordinator.last_reset(session)
        page = await self._coordinator.newest(session, after=reset, before=before, limit=PAGE)
        if len(page) < PAGE:
            return page
        first, whole = split_first_turn(page)
        return whole or first

    async def is_compacted(self, session: SessionKey) -> bool:
        """Return whether a summary stands for a part of this session."""
        reset = await self._coordinator.last_reset(session)
        entry = await self._coordinator.last(session, EntryKind.COMPACTION, after=reset)
        return entry is not None and bool(json.loads(entry.body).get("summary"))

    async def holds(self, session: SessionKey, turn: str) -> bool:
        return await self._coordinator.holds(session, turn, after=await self._coordinator.last_reset(session))

    async def last_choices(self, session: SessionKey, said: str = "", *, by: str = "") -> tuple[Button, ...]:
        """Return the choices under the last answer of this session, or under the last to somebody in it, `by` their id.

        Others may have been answered since, for an hour. What a job offers, everybody is offered. What a job has said
        since, as a reminder does that rings, leaves them to the person who says what the answer asked for ("1 or 2?"),
        or nothing that the job offers; if the answer has none, there are none then.
        """
        entry = await self._coordinator.last(session, EntryKind.REPLY)
        replies = [json.loads(entry.body)] if entry else []
        are_others_there = bool(by) and session.address.kind is not ChatKind.PRIVATE
        if entry and (are_others_there or (said and "is_job" in replies[0])):
            recorded = await self._coordinator.newest(session, after=0, limit=MAX_SINCE, kinds=(EntryKind.REPLY,))
            recent = [one for one in reversed(recorded) if entry.at - one.entry.at <= ANSWERED_WITHIN]
            answers = [(one.seq, json.loads(one.entry.body)) for one in recent]
            if are_others_there and any(fields.get("choices") for _, fields in answers):
                answers = [one for one in answers if "is_job" in one[1] or await self._asked_by(session, one[0]) == by]
            replies = [fields for _, fields in answers]
        meant = last = replies[0] if replies else {}
        answer = next((fields for fields in replies if "is_job" not in fields), last)
        if said and answer is not last:
            text, offered = str(answer.get("text", "")), {label.casefold() for label, _ in last.get("choices", ())}
            questions = _QUESTION.findall(text)
            if said.isdecimal():
                is_asked = bool(questions) and said in _NUMBER.findall(text)
            else:
                is_asked = said not in offered or any(said in one.casefold() for one in questions)
            meant = answer if is_asked else last
        return tuple(Button(label, data) for label, data in meant.get("choices", ()))

    async def just_offered(self, session: SessionKey, *, to: str, since: datetime) -> tuple[Button, ...]:
        """Return the choices under the very last reply of this session, if that has answered somebody since then."""
        for one in await self._coordinator.newest(session, after=0, limit=1, kinds=(EntryKind.REPLY,)):
            fields = json.loads(one.entry.body)
            if one.entry.at >= since and "is_job" not in fields and await self._asked_by(session, one.seq) == to:
                return tuple(Button(label, data) for label, data in fields.get("choices", ()))
        return ()

    async def _asked_by(self, session: SessionKey, reply: int) -> str:
        """Return the id of whom the reply at a `seq` answers; empty if that is not known."""
        came = await self._coordinator.newest(session, after=0, before=reply, limit=1, kinds=(EntryKind.MESSAGE,))
        return str(json.loads(came[0].entry.body).get("sender")) if came else ""

    async def find_pending(self, session: SessionKey, token: str) -> tuple[PendingAction | None, str]:
        """Return what a session's last answers offer under a token, and what was said when that was taken up."""
        replies = [json.loads(entry.body) for entry in await self._newest_replies(session)]
        made = [reply["pending"] for reply in replies if reply.get("pending", {}).get("token") == token]
        closed = [str(reply["text"]) for reply in replies if reply.get("closes") == token]
        return (PENDING.validate_python(made[-1]) if made else None), closed[-1] if closed else ""

    async def open_replacements(self, session: SessionKey, *, to: str) -> dict[str, str]:
        """Return new texts of facts, by their ids, that a session's last answers offered somebody who has not decided.

        A text with a secret is not known here.
        """
        replies = [json.loads(entry.body) for entry in await self._newest_replies(session)]
        closed = {reply.get("closes") for reply in replies}
        made = [PENDING.validate_python(reply["pending"]) for reply in replies if reply.get("pending")]
        newest = {one.replaces: one.text for one in made if one.to == to}
        decided = {(one.replaces, one.text) for one in made if one.token in closed}
        return {name: text for name, text in newest.items() if text and (name, text) not in decided}

    async def carried_out(self, session: SessionKey, turns: Collection[str]) -> list[str]:
        """Return the ids of the writes that were offered before, and carried out in turns of a session's last ones."""
        replies = [json.loads(one.body) for one in await self._newest_replies(session) if one.turn in turns]
        made = [(await self.find_pending(session, reply["closes"]))[0] for reply in replies if "closes" in reply]
        return [write for one in made if one for write in one.operations]

    async def last_question(self, session: SessionKey) -> Question | None:
        """Return the last question of this session, commands left out; None if it cannot be asked again."""
        before: int | None = None
        while recorded := await self.newest(session, before=before):
            for turn in reversed(list(decode_turns(recorded))):
                if turn.messages and not turn.is_command:
                    with suppress(ValueError):  # an earlier version, a newer one or a command has answered it
                        came = read_envelopes(turn.messages[0].fields)
                        text = " ".join(str(one.fields.get("text", "")) for one in turn.messages)
                        return Question(turn.id, turn.asked, turn.first, came, text)
                    return None
            before = recorded[0].seq
        return None

    async def last_command(self, session: SessionKey, *, by: str, since: datetime) -> str:
        """Return the command that somebody has given since then, if nothing else was answered after it; or nothing."""
        for came in await self._coordinator.newest(session, after=0, limit=1, kinds=(EntryKind.MESSAGE,)):
            said = json.loads(came.entry.body) if came.entry.at >= since else {}
            if said.get("sender") == by and split_command(said.get("text", "")):
                answer = await self._coordinator.last(session, EntryKind.REPLY)
                return str(said["text"]) if answer and answer.turn == came.entry.turn else ""
        return ""

    async def last_citing(self, session: SessionKey) -> CitingReply | None:
        """Return the very last reply of this session, as far as it cites facts; None if there is none."""
        entry = await self._coordinator.last(session, EntryKind.REPLY)
        return _citing(entry) if entry else None

    async def citing_part(self, session: SessionKey, part: str) -> CitingReply | None:
        """Return the reply, among the newest of a session, that has a part of this outbox id; None for none."""
        for entry in reversed(await self._newest_replies(session)):
            if part in {part_id(entry.turn, number) for number in range(MAX_PARTS)}:
                return _citing(entry)
        return None

    async def _newest_replies(self, session: SessionKey) -> list[TranscriptEntry]:
        newest = await self._coordinator.newest(session, after=0, limit=PAGE, kinds=(EntryKind.REPLY,))
        return [one.entry for one in newest]

    async def has_replies(self, session: SessionKey) -> bool:
        return await self._coordinator.last(session, EntryKind.REPLY) is not None


@dataclass(frozen=True, slots=True)
class CitingReply:
    """A reply: its turn, the ids of the facts that it cites, and the token of the pending action that it closes."""

    turn: str
    facts: tuple[str, ...]
    closes: str = ""


def _citing(entry: TranscriptEntry) -> CitingReply:
    body = json.loads(entry.body)
    return CitingReply(entry.turn, tuple(map(str, body.get("cited", ()))), body.get("closes", ""))


@dataclass(frozen=True, slots=True)
class Question:
    """Messages that were answered, as they came.

    Attributes:
        turn: the turn that answered them.
        asked: the turn that answered them first; the same unless they have been asked again.
        seq: the place of the first entry of `turn`.
        messages: in order, with what came with them.
        text: what was said, also in voice messages; secrets in it are masked.
    """

    turn: str
    asked: str
    seq: int
    messages: tuple[Envelope, ...]
    text: str = ""
