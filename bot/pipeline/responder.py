"""The responder: a turn becomes a command, or the answer of an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import memory
from adapters.port import Button, ChatKind
from bot.agent.notes import Choice, Phrases, choice_in, phrases_for
from bot.commands.base import Call, CommandContext, no_command, split_command
from bot.errors import BotError
from bot.formatting import sized
from bot.pipeline.attachments import LIMIT, TURN_LIMIT, AttachmentStore
from bot.storage.keys import Principal
from bot.turn import FetchFailure, File, Reply, Responder, Turn
from memory import Memory

STOPPED = "(Stopped.)"


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A turn that can be stopped: who began it, and what cancels it."""

    by: Principal
    scope: asyncio.Timeout


class Stopping:
    """The turns under way that can be stopped, one for each session.

    Only what a model does is stopped. What code writes in answer to a message is told by that answer, so it is not cut
    short; and what a tool was just writing is finished.
    """

    def __init__(self) -> None:
        self._turns: dict[str, _UnderWay] = {}

    def stoppable(self, respond: Responder) -> Responder:
        """A responder whose turns can be stopped."""

        async def answer(turn: Turn) -> Reply:
            scope = asyncio.timeout(None)
            self._turns[str(turn.session)] = _UnderWay(turn.principal, scope)
            try:
                async with scope:
                    return await respond(turn)
            except TimeoutError:
                if not scope.expired():
                    raise
                return Reply(STOPPED)
            finally:
                self._turns.pop(str(turn.session), None)

        return answer

    def to_its_end(self, respond: Responder) -> Responder:
        """A responder whose turns cannot be stopped once it has been asked, though it is asked within others."""

        async def answer(turn: Turn) -> Reply:
            self._turns.pop(str(turn.session), None)
            await asyncio.sleep(0)  # a stop that came before takes effect here, where nothing has been written
            return await respond(turn)

        return answer

    def stop(self, session: str, *, by: Principal) -> bool:
        """Stop the turn of a session for whoever began it, or for the owner; whether there was one to be stopped."""
        found = self._turns.get(session)
        if found is None or not (by.is_owner or by.id == found.by.id):
            return False
        found.scope.reschedule(asyncio.get_running_loop().time())
        return True


class Quiet:
    """A responder that keeps all memories quiet while another one answers; they share one embedder."""

    def __init__(self, respond: Responder, memories: Iterable[Memory]) -> None:
        self._respond = respond
        self._memories = tuple(memories)

    async def __call__(self, turn: Turn) -> Reply:
        with ExitStack() as stack:
            for memory in self._memories:
                stack.enter_context(memory.quiet())
            return await self._respond(turn)


class Dispatch:
    """The responder of a service.

    Args:
        desk: what commands may ask of the service.
        otherwise: answers a turn that is no command.
        notice: whether the first answer of a session says that no model is configured.
    """

    def __init__(self, desk: CommandContext, *, otherwise: Responder, notice: bool) -> None:
        self._desk = desk
        self._otherwise = otherwise
        self._notice = notice

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn."""
        is_first = self._notice and not await self._desk.has_answered(turn.session)
        try:
            reply = await self._answer(turn)
        except (BotError, memory.Error) as error:
            reply = Reply(str(error))  # a failure with a remedy is an answer, and may be the first one
        return reply.with_note(phrases_for(turn.text).no_model) if is_first else reply

    async def _answer(self, turn: Turn) -> Reply:
        typed = split_command(turn.text)
        choices = () if typed else await self._choices(turn)
        picked = choice_in(turn.text) if choices else None
        if picked is Choice.YES and len(choices) > 2:
            return Reply("Which one? Type its number.", buttons=tuple(choices))
        if picked is not None:
            typed = _command_of(picked, choices)
        if typed:
            return await self._command(turn, *typed)
        reply = await self._otherwise(turn)
        instead = split_command(reply.instead)
        return await self._command(turn, *instead) if instead else reply

    async def _choices(self, turn: Turn) -> Sequence[Button]:
        """The choices under the last answer, where a plain "yes", "no" or number means one of them."""
        is_private = turn.session.address.kind is ChatKind.PRIVATE
        return await self._desk.last_choices(turn.session) if is_private else ()

    async def _command(self, turn: Turn, name: str, argument: str) -> Reply:
        command = self._desk.commands.get(name)
        if command is None:
            return Reply(no_command(name, self._desk.commands))
        if command.owner_only and not turn.principal.is_owner:
            return Reply(f"Only my owner may use `/{name}`.")
        return await command.run(Call(turn, argument, self._desk))


def _command_of(picked: Choice | int, choices: Sequence[Button]) -> tuple[str, str] | None:
    """The command of a choice; None if there are not so many."""
    place = picked.value if isinstance(picked, Choice) else picked - 1
    return split_command(choices[place].data) if place < len(choices) else None


class Receiving:
    """A responder in front of the one that answers. Commands do not come this far, so theirs are not fetched."""

    def __init__(self, respond: Responder, cabinet: AttachmentStore) -> None:
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


def _lacking(file: File, lack: FetchFailure, phrases: Phrases) -> str:
    """One sentence that says why a file is not there. Its name is whoever's sent it, and so stands apart as a name."""
    said = {
        FetchFailure.TOO_LARGE: phrases.too_large,
        FetchFailure.REFUSED: phrases.refused,
        FetchFailure.FAILED: phrases.failed,
    }
    named = str(replace(file, name=f"`{file.name}`"))
    return said[lack].format(file=named, each=sized(LIMIT), all=sized(TURN_LIMIT))
