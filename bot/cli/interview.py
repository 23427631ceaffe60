"""The questions of `scrubjay init`: each has a default, and `<` goes back to the one before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.cli.terminal import Terminal
from bot.config import Config, OwnerOptions, standard_agents
from bot.configuring.check import Locator, check
from bot.configuring.tree import Tree
from bot.errors import UsageError

BACK = "<"


@dataclass(frozen=True, slots=True)
class Answers:
    """What a new home has to know. The defaults are what most people want."""

    name: str = ""
    timezone: str = ""
    agents: str = ", ".join(standard_agents())
    telegram: str = field(default="", repr=False)
    discord: str = field(default="", repr=False)

    def config(self) -> Config:
        """The configuration that they make.

        Raises:
            UsageError: an answer is not possible.
        """
        known = standard_agents()
        names = [name.strip() for name in self.agents.split(",") if name.strip()]
        agents: dict[str, object] = {name: {"about": known[name].about} if name in known else {} for name in names}
        owner = {"name": self.name, "timezone": self.timezone or OwnerOptions().zone.key}
        tokens = {name: {"token": token} for name, token in self.tokens.items()}
        checked = check(Config, Locator("", Tree({"agents": agents, "owner": owner} | tokens), {}), retired={})
        for problem in checked.problems:
            raise UsageError(f"{problem.key}: {problem.message}.", hint=problem.hint)
        return checked.model or Config()

    @property
    def tokens(self) -> dict[str, str]:
        """The bots' tokens, by platform."""
        return {name: token for name, token in (("telegram", self.telegram), ("discord", self.discord)) if token}


@dataclass(frozen=True, slots=True)
class Question:
    """A line to ask, what is proposed, and what becomes of the answer."""

    text: str
    proposed: Callable[[Answers], str]
    put: Callable[[Answers, str], Answers]
    is_secret: bool = False


QUESTIONS = (
    Question(
        "What should the agents call you? (Enter to skip)",
        lambda answers: answers.name,
        lambda answers, said: replace(answers, name=said),
    ),
    Question(
        "Your time zone?",
        lambda answers: answers.timezone or OwnerOptions().zone.key,
        lambda answers, said: replace(answers, timezone=said),
    ),
    Question(
        "Your agents, each with a memory of its own?",
        lambda answers: answers.agents,
        lambda answers, said: replace(answers, agents=said),
    ),
    Question(
        "The token of your bot on Telegram? (from @BotFather; Enter for none)",
        lambda answers: answers.telegram,
        lambda answers, said: replace(answers, telegram=said or answers.telegram),
        is_secret=True,
    ),
    Question(
        "The token of your bot on Discord? (from the developer portal; Enter for none)",
        lambda answers: answers.discord,
        lambda answers, said: replace(answers, discord=said or answers.discord),
        is_secret=True,
    ),
)


def interview(terminal: Terminal, answers: Answers) -> Answers:
    """Ask every question; one whose answer is not possible is asked again."""
    at = 0
    while at < len(QUESTIONS):
        question = QUESTIONS[at]
        proposed = "" if question.is_secret else question.proposed(answers)
        said = terminal.ask(question.text, default=proposed, secret=question.is_secret).strip()
        if said == BACK:
            at = max(at - 1, 0)
            continue
        try:
            tried = question.put(answers, said)
            tried.config()
        except UsageError as error:
            terminal.err(str(error))
        else:
            answers, at = tried, at + 1
    return answers
