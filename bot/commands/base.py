"""What a slash command is, and what it may ask of the service."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.port import ChatKind, Inbound, Suggestion
from bot.access.access import Access
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks, Pairings
from bot.access.permissions import origin_and_scope
from bot.access.routing import Routing
from bot.agent.context.context_log import Context, ContextLog
from bot.agent.offline.notes import Proposals
from bot.errors import Refused
from bot.jobs.base import JobRunner
from bot.llm.retry import ModelState
from bot.llm.usage import UsageLedger
from bot.sessions.forgetting import Forgetting
from bot.sessions.transcript import Transcript
from bot.storage.keys import SCHEDULE, Principal, SessionKey
from bot.storage.port import EntryKind
from bot.storage.tables.dead_letters import DeadLetters
from bot.storage.tables.people import AccessStore
from bot.texts.catalogue import tr
from bot.texts.formatting import nearest, plain_name, split_command
from bot.turn import Agent, Reply, Turn
from memory import Scope

if TYPE_CHECKING:
    from bot.agent.responder import ModelResponder

_NAME = re.compile(r"[/／]\s?[\w-]+(?:@\w+)?\s")


@dataclass(kw_only=True)
class CommandContext:
    """The service, as far as commands see it.

    Attributes:
        commands: all commands by name, in the order in which help lists them.
        offers: what has been proposed and waits for a yes or no.
        linking: identities that are one person.
        forgetting: carries the forgetting of facts into the records of conversations.
        register: who was let in, whether they are heard, and what was set for chats.
        access: what holds in a chat.
        limiter: what people have asked, and were not answered.
        contexts: what models saw of it.
        models: how the language models are, in the order in which a conversation asks them.
        responder: what asks them in a conversation; None if there are none.
        jobs: what comes again and again.
    """

    agents: Mapping[str, Agent]
    commands: Mapping[str, Command]
    offers: Proposals
    linking: IdentityLinks
    forgetting: Forgetting
    register: AccessStore
    access: Access
    limiter: Limiter
    usage: UsageLedger
    routing: Routing
    transcript: Transcript
    contexts: ContextLog
    models: Callable[[SessionKey], Awaitable[Sequence[ModelState]]]
    responder: Callable[[SessionKey], Awaitable[ModelResponder | None]]
    accounts: Callable[[], Mapping[str, str]]
    pairings: Pairings
    dead_letters: DeadLetters
    jobs: JobRunner

    async def seen(self, session: SessionKey) -> Context | None:
        """Return what the model saw last in a session; None if it has seen nothing since the last reset."""
        context = await self.contexts.last(session.agent, str(session))
        return context if context and await self.transcript.holds(session, context.turn) else None

    async def suggest(self, inbound: Inbound, principal: Principal, agent: str) -> Sequence[Suggestion]:
        """Suggest arguments for the command that a person is typing to an agent, from what they may see."""
        typed = split_command(inbound.text)
        command = self.commands.get(typed[0]) if typed else None
        parameter = command.parameter if command and (principal.is_owner or not command.owner_only) else None
        if typed is None or parameter is None or parameter.suggest is None:
            return ()
        is_shared = self.routing.shares(inbound.address, agent)
        _, scope = origin_and_scope(principal, inbound.address, is_shared=is_shared)
        session = SessionKey(agent, inbound.address)
        return await parameter.suggest(Typed(typed[1], self.agents[agent], session, scope, self))


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command: the turn it came in, what was typed after its name, and the service."""

    turn: Turn
    argument: str
    context: CommandContext

    @property
    def verbatim(self) -> str:
        """What was typed after the command, to the letter; empty if nothing was."""
        return _NAME.sub("", self.turn.text.lstrip(), count=1) if self.argument else ""

    async def speakers(self) -> dict[str, str]:
        """Return who has spoken in this conversation lately, by id: the name that they had then."""
        recorded = (one.entry for one in await self.context.transcript.newest(self.turn.session))
        messages = (json.loads(entry.body) for entry in recorded if entry.kind is EntryKind.MESSAGE)
        return {message["sender"]: plain_name(message["name"]) for message in messages if "sender" in message}

    async def check_own(self) -> None:
        """Raise `Refused` if others, with whom the person is in a group, have spoken in this conversation."""
        who, known_as = self.turn.principal, self.context.register.principal
        is_ones_own = who.is_owner or self.turn.session.address.kind is ChatKind.PRIVATE
        if not is_ones_own and {known_as(one) for one in await self.speakers()} - {who.id, SCHEDULE}:
            raise Refused(tr("Others have spoken in this conversation, so only my owner ends it."))


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person has typed of a command's argument so far, and whom they would ask."""

    text: str
    agent: Agent
    session: SessionKey
    scope: Scope
    context: CommandContext


@dataclass(frozen=True, slots=True)
class Parameter:
    """A command's argument as the menus of platforms offer it.

    Attributes:
        name: one word.
        hint: what to give, in a few words.
        suggest: suggests values while it is typed; None if there is nothing to suggest.
        is_long: it may have several lines.
    """

    name: str
    hint: str
    suggest: Callable[[Typed], Awaitable[Sequence[Suggestion]]] | None = None
    is_long: bool = False

    @classmethod
    def one_of(cls, name: str, hint: str, *values: str) -> Parameter:
        """Return an argument with a few fixed values."""

        async def suggest(typed: Typed) -> Sequence[Suggestion]:
            return beginning(typed.text, values)

        return cls(name, hint, suggest)


def beginning(text: str, values: Iterable[str]) -> list[Suggestion]:
    """Suggest the values that begin with a text, in large or small letters."""
    return [Suggestion(value, value) for value in values if value.casefold().startswith(text.casefold())]


async def suggest_names(typed: Typed) -> list[Suggestion]:
    """Suggest the names that occur in facts."""
    return beginning(typed.text, [name for name, _ in (await typed.agent.memory.stats(scope=typed.scope)).entities])


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    Attributes:
        summary: one line for help and menus.
        usage: the name behind a slash, then what may follow it.
        example: something that one can type; the name alone if left out.
        is_shared: it reaches more than the agent that is spoken to; who may see one agent only may not use it.
        detail: what `/help NAME` says besides.
        private: where a platform can do that, the answer is only for the person who asked.
        on_message: what it is called in the menu of a message, on platforms that have one; empty if it is not there.
        parameter: how menus offer its argument; None if they call it what its usage does.
    """

    summary: str
    usage: str
    run: Callable[[Call], Awaitable[Reply]]
    example: str = ""
    owner_only: bool = False
    is_shared: bool = False
    detail: str = ""
    private: bool = True
    on_message: str = ""
    parameter: Parameter | None = None

    @property
    def name(self) -> str:
        """Without the slash."""
        return self.usage.partition(" ")[0].removeprefix("/")

    @property
    def argument(self) -> str:
        """What follows the name in its usage."""
        return self.usage.partition(" ")[2]


def no_command(name: str, commands: Mapping[str, Command]) -> str:
    """Return what is said about a command that does not exist: the nearest one, or where they are listed."""
    near = nearest(name, commands)
    hint = tr("Did you mean {name}?", name=f"`/{near}`") if near else tr("`/help` lists what there is.")
    return f"{tr('There is no command `/{name}`.', name=name)} {hint}"
