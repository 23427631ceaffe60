"""`scrubjay init`: set up a home; called again, check it and put back what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import single
from bot.cli.options import NoInputOption, Run, YesOption
from bot.errors import UsageError

if TYPE_CHECKING:
    from bot.cli.interview import Answers
    from bot.cli.invocation import Invocation
    from bot.config import Config

PROMISES = """
Nothing leaves this machine: no telemetry, no account, no key.
There is no language model yet, so answers are quotes from your own notes, with file and line."""

NEXT = """
Three things to do next:
  scrubjay chat                     tell it something, ask for it again, leave with Ctrl-D
  scrubjay memory recall QUESTION   look something up from the shell
  scrubjay doctor                   see whether all is well"""

NEXT_WITH_BOT = """
Three things to do next:
  scrubjay run      start your bot; it shows a code: send that to the bot, and it knows you
  scrubjay chat     talk to the same agents in this terminal
  scrubjay doctor   see whether all is well"""


@Parameter(name="*")
@dataclass(frozen=True)
class Given:
    """What was said on the command line."""

    name: Annotated[str | None, Parameter(metavar="NAME", help="What the agents call you.")] = None
    timezone: Annotated[str | None, Parameter(metavar="ZONE", help="Your time zone, such as Europe/Berlin.")] = None
    agents: Annotated[
        str | None, Parameter(metavar="NAMES", help="Your agents, separated by commas; personal,work if left out.")
    ] = None
    telegram_token_file: Annotated[
        Path | None, Parameter(metavar="FILE", help="Where the token of your bot on Telegram stands.")
    ] = None
    discord_token_file: Annotated[
        Path | None, Parameter(metavar="FILE", help="Where the token of your bot on Discord stands.")
    ] = None

    @property
    def answers(self) -> dict[str, str]:
        """The questions that are answered by it."""
        said = {"name": self.name, "timezone": self.timezone, "agents": self.agents}
        said |= {"telegram": _content(self.telegram_token_file), "discord": _content(self.discord_token_file)}
        return {question: answer for question, answer in said.items() if answer is not None}


async def init(
    *, given: Given | None = None, yes: YesOption = False, no_input: NoInputOption = False, run: Run
) -> None:
    """Set up a home: where things live, and two agents.

    Called again, it checks what is there and puts back what is missing; what
    exists is never overwritten.

    Examples:
      scrubjay init
      scrubjay init --yes
      scrubjay init --yes --name Robin --timezone Europe/Berlin
      scrubjay init --yes --agents home,garden
      SCRUBJAY_HOME=~/scrubjay scrubjay init
    """
    run.terminal.asks = not no_input
    _welcome(run)
    config = _configured(run, (given or Given()).answers, yes=yes)
    _furnish(run, config)
    await _prove(run, config)
    run.terminal.out(NEXT_WITH_BOT if config.telegram.tokens or config.discord.tokens else NEXT)


def _welcome(run: Invocation) -> None:
    home = run.home
    run.terminal.out("Scrubjay will live here:")
    for what, place in (("configuration", home.config), ("memories", home.workspaces), ("state", home.state)):
        run.terminal.out(f"  {what:<15}{place}")
    run.terminal.out(PROMISES)


def _configured(run: Invocation, given: dict[str, str], *, yes: bool) -> Config:
    """The configuration that is there, or a new one out of the answers."""
    from bot.cli.interview import Answers

    if run.home.config.exists():
        config = run.config
        ignored = f" What was given with {', '.join(f'--{name}' for name in given)} is not used." if given else ""
        run.terminal.out(f"\n{run.home.config} is there and stays as it is.{ignored}")
    else:
        answers = _asked(run, Answers(**given), yes=yes)
        config = answers.config()
        run.home.prepare()
        _write(run, config, answers.tokens)
    run.home.prepare()
    return config


def _asked(run: Invocation, answers: Answers, *, yes: bool) -> Answers:
    from bot.cli.interview import BACK, interview

    if yes:
        return answers
    if not run.terminal.is_interactive:
        raise UsageError(
            "There are questions, and nobody is there to answer them.",
            hint="Run it in a terminal, or accept what is proposed: scrubjay init --yes",
        )
    run.terminal.err(f"\nFive questions. Enter takes what is in brackets, {BACK} goes back.")
    return interview(run.terminal, answers)


def _write(run: Invocation, config: Config, tokens: dict[str, str]) -> None:
    """Write the configuration; tokens stand in files of their own, so that it can be shown to others."""
    from bot.configuring.example import NO_VALUE, example
    from bot.files import create

    text = example(config.model_copy(update={name: type(getattr(config, name))() for name in tokens}))
    for name, token in tokens.items():
        file = run.home.config.with_name(f"{name}.token")
        file.unlink(missing_ok=True)
        create(file, f"{token}\n", mode=0o600)
        head, section, rest = text.partition(f"\n{name}:\n")
        text = head + section + rest.replace(NO_VALUE, f'  token: "${{file:{file.name}}}"', 1)
        run.terminal.out(f"\nWritten: {file}")
    create(run.home.config, text, mode=0o600)
    run.terminal.out(f"\nWritten: {run.home.config}")


def _content(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The token cannot be read from {file}: {error}.", hint="Name a file with one line."
        ) from error


def _furnish(run: Invocation, config: Config) -> None:
    from bot.starter import furnish

    for name, options in config.agents.items():
        folder = run.home.workspace(name, options.workspace)
        made = furnish(folder, name, about=options.about, owner=config.owner)
        told = f"made {', '.join(made)}" if made else "complete"
        run.terminal.out(f"Agent {name}: {folder} ({told})")


async def _prove(run: Invocation, config: Config) -> None:
    from bot.selftest import prove

    place = await prove(
        lambda workspace, index: run.scratch(workspace, index=index, zone=config.owner.zone), beside=run.home.cache
    )
    run.terminal.out(f"Memory works: a test fact was noted, found again ({place}), and forgotten.")


app = single("init", init)
