"""The responder: answers a turn by a command, or by the agent's own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace

import memory
from adapters.port import ChatKind
from bot.agent.notes import Choice, Phrases, choice_in, phrases_for
from bot.commands.base import Call, CommandContext, no_command, split_command
from bot.errors import BotError
from bot.formatting import sized
from bot.pipeline.attachments import LIMIT, TURN_LIMIT, AttachmentStore
from bot.storage.keys import Principal
from bot.turn import STOPPED, FetchFailure, File, Reply, Responder, Turn

UNKNOWN_BUTTON = "That button is no longer valid. Nothing was changed; type what you want instead."
"""Its data are no command of ours: another program, or another version, has sent it. They are nobody's words."""


@dataclass(frozen=True, slots=True)
class _RunningTurn:
    """A turn that can be cancelled: who began it, and what cancels it."""

    by: Principal
    scope: asyncio.Timeout


class TurnResponder:
    """Answers the turns of all agents.

    A command is carried out to its end. Anything else can be cancelled with `/stop`, but only while a model works: what
    code writes in answer to a message is told by that answer, so it is not cut short (`uncancellable`); and what a tool
    was just writing is finished.

    Args:
        context: what commands may use.
        agents: what answers each agent's turns that are no commands, by the agent's name.
        attachments: fetches the files that came with a turn.
        offline: agents without a model: the first answer of their sessions says so.
    """

    def __init__(
        self,
        context: CommandContext,
        agents: Mapping[str, Responder],
        *,
        attachments: AttachmentStore | None = None,
        offline: Collection[str] = (),
    ) -> None:
        self._context = context
        self._agents = agents
        self._attachments = attachments
        self._offline = offline
        self._running: dict[str, _RunningTurn] = {}
        self._stopped: set[str] = set()

    async def respond(self, turn: Turn) -> Reply:
        """Answer one turn."""
        with ExitStack() as stack:
            for agent in self._context.agents.values():  # all memories share one embedder
                stack.enter_context(agent.memory.quiet())
            is_first = turn.agent.name in self._offline and not await self._context.transcript.has_replies(turn.session)
            try:
                command = split_command(turn.text)
                if turn.is_tap and (command is None or command[0] not in self._context.commands):
                    return Reply(UNKNOWN_BUTTON)
                reply = await (self._run_command(turn, *command) if command else self._answer(turn))
            except (BotError, memory.Error) as error:
                reply = Reply(str(error))  # a failure with a remedy is an answer, and may be the first one
        return reply.with_note(phrases_for(turn.text).no_model) if is_first else reply

    def cancel(self, session: str, by: Principal) -> bool:
        """Cancel the turn of a session for whoever began it, or for the owner; False if there is none for them."""
        running = self._running.get(session)
        if running is None or not (by.is_owner or by.id == running.by.id):
            return False
        running.scope.reschedule(asyncio.get_running_loop().time())
        self._stopped.add(session)
        return True

    def uncancellable(self, respond: Responder) -> Responder:
        """Return a responder whose turns cannot be cancelled once it has been asked, though `respond` asked it."""

        async def answer(turn: Turn) -> Reply:
            self._running.pop(str(turn.session), None)
            await asyncio.sleep(0)  # a cancellation that came before takes effect here, where nothing has been written
            return await respond(turn)

        return answer

    async def _answer(self, turn: Turn) -> Reply:
        """Take the person's choice among the buttons of the last answer, or let the agent answer."""
        is_private = turn.session.address.kind is ChatKind.PRIVATE
        choices = await self._context.transcript.last_choices(turn.session) if is_private else ()
        picked = choice_in(turn.text) if choices else None
        if picked is Choice.YES and len(choices) > 2:
            return Reply("Which one? Type its number.", buttons=choices)
        if picked is not None:
            place = picked.value if isinstance(picked, Choice) else picked - 1
            command = split_command(choices[place].data) if place < len(choices) else None
            if command:
                return await self._run_command(turn, *command)
        reply = await self._ask_agent(turn)
        instead = split_command(reply.instead)
        return await self._run_command(turn, *instead) if instead else reply

    async def _ask_agent(self, turn: Turn) -> Reply:
        """Fetch the files that came with the turn and let the agent answer, unless `cancel` ends it."""
        scope, kept = asyncio.timeout(None), list[Reply]()
        self._running[str(turn.session)] = _RunningTurn(turn.principal, scope)
        try:
            async with scope:
                files = await self._attachments.receive(turn) if self._attachments and turn.attachments else ()
                reply = await self._agents[turn.agent.name](replace(turn, files=files, keep=kept.append))
        except TimeoutError:
            if not scope.expired():
                raise
            return kept[-1] if kept else Reply(STOPPED)
        finally:
            self._running.pop(str(turn.session), None)
        for file in files:
            if file.lack:
                reply = reply.with_note(_describe_lack(file, file.lack, phrases_for(turn.text or turn.quote)))
        return reply

    async def _run_command(self, turn: Turn, name: str, argument: str) -> Reply:
        command = self._context.commands.get(name)
        if command is None:
            return Reply(no_command(name, self._context.commands))
        if name == "stop" and str(turn.session) in self._stopped:
            self._stopped.discard(str(turn.session))
            return Reply("Stopped.", is_silent=True)  # the answer that was stopped says so itself
        if command.owner_only and not turn.principal.is_owner:
            return Reply(f"Only my owner may use `/{name}`.")
        return await command.run(Call(turn, argument, self._context))


def _describe_lack(file: File, lack: FetchFailure, phrases: Phrases) -> str:
    """Say in one sentence why a file is not there; its name is whoever's sent it, and so stands apart as a name."""
    sentence = {
        FetchFailure.TOO_LARGE: phrases.too_large,
        FetchFailure.REFUSED: phrases.refused,
        FetchFailure.FAILED: phrases.failed,
    }[lack]
    named = str(replace(file, name=f"`{file.name}`"))
    return sentence.format(file=named, each=sized(LIMIT), all=sized(TURN_LIMIT))
