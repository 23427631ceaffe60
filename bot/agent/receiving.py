"""A turn's files are there before it is answered, and the answer names those that could not be had."""

from __future__ import annotations

from dataclasses import replace

from bot.agent.phrases import Phrases, phrases_for
from bot.cabinet import LIMIT, TURN_LIMIT, Cabinet
from bot.text import sized
from bot.turn import File, Lack, Reply, Responder, Turn


class Receiving:
    """A responder in front of the one that answers. Commands do not come this far, so theirs are not fetched."""

    def __init__(self, respond: Responder, cabinet: Cabinet) -> None:
        self._respond = respond
        self._cabinet = cabinet

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn."""
        if not turn.attachments:
            return await self._respond(turn)
        files = await self._cabinet.receive(turn)
        reply = await self._respond(replace(turn, files=files))
        phrases = phrases_for(turn.text or turn.quote)
        for file in files:
            reply = reply.with_note(_lacking(file, file.lack, phrases)) if file.lack else reply
        return reply


def _lacking(file: File, lack: Lack, phrases: Phrases) -> str:
    """One sentence that says why a file is not there. Its name is whoever's sent it, and so stands apart as a name."""
    said = {Lack.TOO_LARGE: phrases.too_large, Lack.REFUSED: phrases.refused, Lack.FAILED: phrases.failed}
    named = str(replace(file, name=f"`{file.name}`"))
    return said[lack].format(file=named, each=sized(LIMIT), all=sized(TURN_LIMIT))
