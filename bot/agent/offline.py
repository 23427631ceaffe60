"""Offline mode: answers without a language model. It notes what the owner states and quotes memory for questions."""

from __future__ import annotations

from collections.abc import Collection

from bot.agent.phrases import Phrases, phrases_for
from bot.receipts import incomplete, noted, quoted
from bot.turn import Reply, Turn
from memory import Origin
from memory.capture import Act, act_of, statement

SHOWN = 3
"""Passages in an answer: two or three are read, more are skimmed."""

CERTAIN = 0.5
"""How much of the question the best passage must hold to be called an answer."""


class Offline:
    """The responder for times without a model.

    A statement by the owner is noted; a question is answered with the best passages; courtesy is returned.

    Args:
        commands: slash commands, without the slash: one that is typed without it is no statement.
    """

    def __init__(self, commands: Collection[str] = ()) -> None:
        self._commands = commands

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn; raises the memory library's errors when a write fails."""
        said = turn.text or turn.quote or " ".join(file.name.replace("_", " ") for file in turn.files)
        phrases = phrases_for(said)
        reply = await self._said(turn, phrases) if turn.text.strip() else _silent(turn, phrases)
        for file in turn.files:
            reply = reply.with_note(phrases.kept.format(file=file, place=file.place)) if file.path else reply
        return reply

    async def _said(self, turn: Turn, phrases: Phrases) -> Reply:
        word = turn.text.strip(" .!?").lower()
        if word in self._commands:
            return Reply(f"Do you mean `/{word}`? Commands begin with a slash. Nothing was noted.")
        is_asked = turn.text.rstrip().endswith(("?", "？"))
        courtesies = {
            Act.GREETING: phrases.greeting,
            Act.FAREWELL: phrases.farewell,
            Act.THANKS: phrases.welcome,
            Act.REQUEST: phrases.request,
            Act.SMALL_TALK: phrases.presence.format(agent=turn.agent.name) if is_asked else phrases.fine,
        }
        match act_of(turn.text):
            case Act.NOTE if turn.origin is Origin.OWNER:
                return await self._note(turn)
            case Act.NOTE:
                return Reply(phrases.not_owner)
            case Act.QUESTION:
                return await self._answer(turn, phrases)
            case act:
                return Reply(courtesies[act])

    async def _note(self, turn: Turn) -> Reply:
        written = await turn.agent.memory.remember(
            statement(turn.text),
            origin=turn.origin,
            scope=turn.scope,
            op_id=turn.op_id(0),
            actor=turn.principal.id,
        )
        return Reply(noted(written))

    async def _answer(self, turn: Turn, phrases: Phrases) -> Reply:
        found = await turn.agent.memory.recall(turn.text, scope=turn.scope, limit=SHOWN)
        if not found.hits:
            return Reply(f"{phrases.nothing} ({found.remark})", evidence=found)
        opening = phrases.found if found.coverage >= CERTAIN else phrases.unsure
        passages = "\n".join(quoted(hit, n) for n, hit in enumerate(found.hits, 1))
        return Reply(f"{opening}\n{passages}{incomplete(found)}", evidence=found)


def _silent(turn: Turn, phrases: Phrases) -> Reply:
    """The answer to a message without words of its own: a file, something forwarded, or nothing at all."""
    if turn.quote:
        return Reply(phrases.forwarded)
    return Reply("" if turn.files else phrases.fine)
