"""What a slash command is, and what it may ask of the service."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks
from bot.access.routing import Routing
from bot.agent.context_log import Context, ContextLog
from bot.agent.notes import Proposals
from bot.formatting import nearest
from bot.llm.retry import ModelState
from bot.sessions.forgetting import Forgetting
from bot.sessions.transcript import Transcript
from bot.storage.keys import SessionKey
from bot.storage.people import AccessStore
from bot.turn import Agent, Reply, Turn


@dataclass(kw_only=True)
class CommandContext:
    """The service, as far as commands see it.

    Attributes:
        agents: all agents by name.
        commands: all commands by name, in the order in which help lists them.
        offers: what has been proposed and waits for a yes or no.
        linking: identities that are one person.
        forgetting: carries the forgetting of facts into the records of conversations.
        register: who was let in, and whether they are heard.
        limiter: what people have asked, and were not answered.
        routing: which agent a chat talks to.
        transcript: what was said.
        contexts: what models saw of it.
        model: how an agent's language model is; None if it has none.
        accounts: how the bot accounts stand.
    """

    agents: Mapping[str, Agent]
    commands: Mapping[str, Command]
    offers: Proposals
    linking: IdentityLinks
    forgetting: Forgetting
    register: AccessStore
    limiter: Limiter
    routing: Routing
    transcript: Transcript
    contexts: ContextLog
    model: Callable[[str], ModelState | None]
    accounts: Callable[[], Mapping[str, str]]

    async def seen(self, session: SessionKey) -> Context | None:
        """Return what the model saw last in a session; None if it has seen nothing since the last reset."""
        context = await self.contexts.last(session.agent, str(session))
        return context if context and await self.transcript.holds(session, context.turn) else None


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command: the turn it came in, what was typed after its name, and the service."""

    turn: Turn
    argument: str
    desk: CommandContext

    @property
    def verbatim(self) -> str:
        """What was typed after the command, to the letter; empty if nothing was."""
        return _NAME.sub("", self.turn.text.lstrip(), count=1) if self.argument else ""


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    Attributes:
        name: without the slash.
        summary: one line for help and menus.
        usage: what to type.
        example: a line that works.
        run: carries it out.
        owner_only: refused to anybody else.
        detail: what `/help NAME` says besides.
        private: where a platform can do that, the answer is only for the person who asked.
        on_message: what it is called in the menu of a message, on platforms that have one; empty if it is not there.
    """

    name: str
    summary: str
    usage: str
    example: str
    run: Callable[[Call], Awaitable[Reply]]
    owner_only: bool = False
    detail: str = ""
    private: bool = False
    on_message: str = ""

    @property
    def argument(self) -> str:
        """What follows the name in its usage."""
        return self.usage.partition(" ")[2]


_NAME = re.compile(r"[/／]\s?[\w-]+(?:@\w+)?\s")
_TYPED = re.compile(r"[/／]\s?([^\W\d_][\w-]{0,31})(?:@\w+)?(?:\s+(.*))?", re.DOTALL)


def split_command(text: str) -> tuple[str, str] | None:
    """`/name argument` as (name, argument); None if the text is no command.

    A name may carry the bot's (`/recall@scrubjay_bot`), as Telegram writes it in groups. The slash may be the wide one
    of Chinese keyboards, and a space may have slipped in behind it. A path such as `/etc/hosts` is no command.
    """
    typed = _TYPED.fullmatch(text.strip())
    return (typed[1].lower(), (typed[2] or "").strip()) if typed else None


def no_command(name: str, commands: Mapping[str, Command]) -> str:
    """Return what is said about a command that does not exist: the nearest one, or where they are listed."""
    near = nearest(name, commands)
    return f"There is no command `/{name}`. " + (f"Did you mean `/{near}`?" if near else "`/help` lists what there is.")
