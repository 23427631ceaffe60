"""Which agent a chat talks to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from adapters.port import Address, Sender
from bot.errors import Missing
from bot.storage.tables.people import AccessStore, Place, place
from bot.texts.catalogue import mark, tr


@dataclass(frozen=True, slots=True)
class Rule:
    """Sends what fits to an agent. What is None fits everything; `name` says where the rule stands.

    With `shares`, whoever may speak there sees all that the agent knows.
    """

    agent: str
    name: str = ""
    platform: str | None = None
    account: str | None = None
    guild: str | None = None
    chat: str | None = None
    thread: str | None = None
    role: str | None = None
    user: str | None = None
    shares: str | None = None

    def fits(self, to: Address, sender: Sender) -> bool:
        """Whether it is about this chat and person."""
        return (
            self.platform in {None, to.platform}
            and self.account in {None, to.bot}
            and self.guild in {None, to.guild}
            and self.chat in {None, to.chat, to.known_as}
            and self.thread in {None, to.thread}
            and self.role in {None, *sender.roles}
            and self.user in {None, sender.id}
        )

    @property
    def closeness(self) -> tuple[bool, ...]:
        """How specific it is: by its closest condition first, a person before a role, a role before a place."""
        conditions = (self.user, self.role, self.thread, self.chat, self.guild, self.account, self.platform)
        return tuple(condition is not None for condition in conditions)


@dataclass(frozen=True, slots=True)
class Decision:
    """Who answers, and what decided that."""

    agent: str
    because: str


class Routing:
    """The agent chosen for a chat with `/agent`, else the one of the most specific rule, else the default.

    Of two rules that are equally specific, the earlier one counts.

    Raises:
        Missing: the default, or a rule's agent, is not one of the agents.
    """

    def __init__(
        self, default: str, agents: Collection[str], *, rules: Sequence[Rule] = (), register: AccessStore
    ) -> None:
        self._agents = tuple(agents)
        self._default = self._known(default)
        self._rules = sorted(rules, key=lambda rule: rule.closeness, reverse=True)
        self._register = register
        self._pinned: dict[Place, str] = {}
        for rule in rules:
            self._known(rule.agent)

    def decide(self, to: Address, sender: Sender) -> Decision:
        """The agent that answers somebody in a chat, and why."""
        chosen = self._pinned.get(place(to)) or self._register.chosen(to)
        if chosen in self._agents:
            return Decision(chosen, mark("chosen for this chat with /agent"))
        for rule in self._rules:
            if rule.fits(to, sender):
                return Decision(rule.agent, rule.name)
        return Decision(self._default, mark("the default agent"))

    def shares(self, to: Address, agent: str) -> bool:
        """Whether people of a chat see all that an agent knows.

        Only rules about the place decide, since all people there have one conversation, and see the same answers.
        """
        nobody = Sender("", "")
        fitting = [one for one in self._rules if one.user is None and one.role is None and one.fits(to, nobody)]
        return bool(fitting) and fitting[0].agent == agent and fitting[0].shares is not None

    async def choose(self, address: Address, agent: str) -> None:
        """Let another agent answer there from now on; raises `Missing`."""
        if self._pinned.get(place(address), agent) != agent:
            raise Missing(tr("There is no agent {agent} here.", agent=agent))
        await self._register.choose(address, self._known(agent))

    def pin(self, address: Address, agent: str) -> None:
        """Let one agent answer there, and never another, as long as this process runs; raises `Missing`."""
        self._pinned[place(address)] = self._known(agent)

    def knows(self, agent: str) -> bool:
        return agent in self._agents

    def _known(self, agent: str) -> str:
        if not self.knows(agent):
            message = tr("There is no agent called {agent!r}.", agent=agent)
            raise Missing(message, hint=tr("There are: {names}.", names=", ".join(self._agents)))
        return agent
