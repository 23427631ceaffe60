"""Reviews: a fact that an answer cited has been used, unless the next message corrects it; thumbs say so at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace

import structlog

from adapters.port import Address, Inbound
from bot.access.permissions import origin_and_scope
from bot.agent.auto_capture import CAPTURE
from bot.agent.offline.words import Choice, choice_in, without_courtesies, word_list
from bot.sessions.transcript import Transcript
from bot.storage.keys import Principal, SessionKey
from bot.storage.tables.people import Ratings
from bot.texts.formatting import split_command
from bot.turn import RECORDED, Agent, Reply, Responder, Turn
from memory import Error, Kind
from memory.journal.records import Operation
from memory.life.reviews import cited_facts, may_cite, review, review_cited
from memory.strength import Rating

MAX_DENIAL_CHARS = 100
"""Characters of a message that are read for whether it says that the answer was wrong."""

_RATINGS: Mapping[str, tuple[Rating, str]] = {"up": (Rating.EASY, "approved"), "down": (Rating.AGAIN, "corrected")}
_TAKING_BACK = frozenset({"forget", "replace", "undo"})
"""Commands that tell nothing of what the answer before them was worth."""
_PARTS = re.compile(r"[.!,;:。！，；…\n]+")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class FactReviews:
    """Sees to it that facts are reviewed which answers cite.

    Attributes:
        shares: whether people of a chat see all that an agent knows.
        on_recall: whether it is enough for an agent's facts to be shown.
    """

    transcript: Transcript
    agents: Mapping[str, Agent]
    ratings: Ratings
    _: KW_ONLY
    shares: Callable[[Address, str], bool]
    on_recall: Callable[[str], bool]

    def reviewing(self, respond: Responder) -> Responder:
        """Return a responder that answers as another does, and reviews what the answer before cited."""

        async def answer(turn: Turn) -> Reply:
            is_spoken = any(attachment.kind in RECORDED for attachment in turn.attachments)
            if is_spoken and split_command(turn.text) is None and choice_in(turn.text) is None:
                turn = replace(turn, on_heard=self._settle)  # the words that count are not heard yet
            else:
                await self._settle(turn)
            return await self._with_citations(turn, await respond(turn))

        return answer

    async def _with_citations(self, turn: Turn, reply: Reply) -> Reply:
        """Return a reply with the ids of the facts that it cites: what a model names, or what is quoted without one.

        What a command shows is not cited.
        """
        if reply.evidence and self.on_recall(turn.agent.name):
            hits = reply.evidence.hits
        elif reply.worked:
            if not may_cite(reply.text):
                return replace(reply, cited=())
            try:
                cited = await turn.agent.memory.run(cited_facts, reply.text, scope=turn.scope)
            except Error as error:
                log.warning("review.not_read", turn=turn.id, reason=str(error))
                return reply
            return replace(reply, cited=cited)
        else:
            hits = reply.evidence.answers if reply.evidence and not reply.by_command else ()
        return replace(reply, cited=tuple(dict.fromkeys(hit.id for hit in hits if hit.kind is not Kind.NOTE)))

    async def _settle(self, turn: Turn) -> None:
        """Count what the last answer of a turn's session cited, unless the turn corrects it, or asks again."""
        command = split_command(turn.text)
        if turn.asked or (command and (command[0] in _TAKING_BACK or (turn.is_job and command[0] == CAPTURE))):
            return
        citing = await self.transcript.last_citing(turn.session)
        if citing is None or not citing.facts or choice_in(turn.text) is Choice.NO:
            return
        said = "" if turn.is_job or turn.is_tap or command else turn.text
        parts = map(without_courtesies, _PARTS.split(said[:MAX_DENIAL_CHARS]))
        try:
            await turn.agent.memory.run(
                review_cited,
                citing.facts,
                said,
                Operation(citing.turn, turn.principal.id, turn.origin, turn.scope),
                is_denied=not word_list("denials").isdisjoint(parts),
                reason="shown" if self.on_recall(turn.agent.name) else "cited",
            )
        except Error as error:
            log.warning("review.not_written", turn=citing.turn, reason=str(error))

    async def rate(self, inbound: Inbound, principal: Principal) -> None:
        """Keep a rating, and review what the answer cited; one that was taken away says nothing more."""
        rated = await self.ratings.keep(inbound, principal.id)
        if inbound.text not in _RATINGS:
            return
        rating, reason = _RATINGS[inbound.text]
        for part in rated:
            address = replace(inbound.address, thread=part.thread or None)
            citing = await self.transcript.citing_part(SessionKey(part.agent, address), part.id)
            if citing is None or not citing.facts or part.agent not in self.agents:
                continue
            is_shared = self.shares(address, part.agent)
            origin, scope = origin_and_scope(principal, address, is_shared=is_shared)
            operation = Operation(f"{citing.turn}:{inbound.text}:{principal.id}", principal.id, origin, scope)
            ratings = dict.fromkeys(citing.facts, rating)
            try:
                await self.agents[part.agent].memory.run(review, ratings, operation, reason=reason)
            except Error as error:
                log.warning("review.not_written", turn=citing.turn, reason=str(error))
