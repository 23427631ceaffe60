"""What a slash command is, and what it may ask of the service."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from adapters.port import Button
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks
from bot.agent.context_log import Context
from bot.agent.notes import Proposals
from bot.formatting import nearest
from bot.llm.retry import ModelState
from bot.sessions.forgetting import Forgetting
from bot.storage.keys import SessionKey
from bot.storage.people import AccessStore
from bot.storage.port import Recorded, Session
from bot.turn import Agent, Reply, Turn
from memory import Recall


class CommandContext(Protocol):
    """The service, as far as commands see it."""

    @property
    def agents(self) -> Mapping[str, Agent]:
        """All agents by name."""
        ...

    @property
    def commands(self) -> Mapping[str, Command]:
        """All commands by name, in the order in which help lists them."""
        ...

    @property
    def offers(self) -> Proposals:
        """What has been proposed and waits for a yes or no."""
        ...

    @property
    def linking(self) -> IdentityLinks:
        """Identities that are one person."""
        ...

    @property
    def forgetting(self) -> Forgetting:
        """Carries the forgetting of facts into the records of conversations."""
        ...

    @property
    def register(self) -> AccessStore:
        """Who was let in, and whether they are heard."""
        ...

    @property
    def limiter(self) -> Limiter:
        """What people have asked, and were not answered."""
        ...

    async def last_evidence(self, session: SessionKey) -> Recall | None:
        """Return the recall that the last answer of this session rested on; None if none did."""
        ...

    async def last_choices(self, session: SessionKey) -> tuple[Button, ...]:
        """Return the choices under the last answer of this session."""
        ...

    async def has_answered(self, session: SessionKey) -> bool:
        """Return whether this session has had an answer before."""
        ...

    async def current(self, session: SessionKey) -> Session | None:
        """Return the summary of this conversation since its last reset; None if it has not begun."""
        ...

    async def conversation(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        """Return the newest whole turns of it, or the newest before a `seq`; nothing where it began."""
        ...

    async def seen(self, session: SessionKey) -> Context | None:
        """Return what the model saw last in it; None if it has seen nothing yet."""
        ...

    def model(self, agent: str) -> ModelState | None:
        """Return the state of an agent's language model; None if it has none."""
        ...

    async def switch(self, session: SessionKey, agent: str) -> None:
        """From now on, this chat talks to that agent."""
        ...


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
