"""Tells commands from everything else: a slash command runs by itself, the rest goes to what answers turns."""

from __future__ import annotations

from collections.abc import Sequence

import memory
from adapters.port import Button, ChatKind
from bot.agent.choices import Choice, choice_in
from bot.agent.phrases import phrases_for
from bot.commands.base import Call, Desk, no_command, split_command
from bot.errors import BotError
from bot.turn import Reply, Responder, Turn


class Dispatch:
    """The responder of a service.

    Args:
        desk: what commands may ask of the service.
        otherwise: answers a turn that is no command.
        notice: whether the first answer of a session says that no model is configured.
    """

    def __init__(self, desk: Desk, *, otherwise: Responder, notice: bool) -> None:
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
