"""`scrubjay init`: set up a home; called again, check it and put back what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import single
from bot.cli.options import NoInputOption, Run, YesOption
from bot.cli.tokens import content, keep
from bot.errors import UsageError

if TYPE_CHECKING:
    from bot.cli.interview import Answers
    from bot.cli.invocation import Invocation
    from bot.config import Config


@dataclass(frozen=True, slots=True)
class Given:
    """Answers that were given with the command."""

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

    def answers(self) -> dict[str, str]:
        """Those that were given."""
        said = {"name": self.name, "timezone": self.timezone, "agents": self.agents}
        said |= {"telegram": content(self.telegram_token_file), "discord": content(self.discord_token_file)}
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The model that was named with the command."""

    model: Annotated[str | None, Parameter(metavar="NAME", help="A language model, as its provider calls it.")] = None
    base_url: Annotated[
        str | None, Parameter(metavar="URL", help="Where the model is reached; OpenAI if left out.")
    ] = None
    key_from: Annotated[
        str | None, Parameter(metavar="VARIABLE", help="The environment variable that holds the model's key.")
    ] = None


PROMISES = """
Nothing leaves this machine by itself: no telemetry, no account.
Only a language model in the cloud, if you choose one, gets to read what you say."""

NO_MODEL = "No language model: answers are quotes from your own notes, with file and line."

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


async def init(
    *,
    given: Annotated[Given, Parameter(name="*")] = Given(),
    wanted: Annotated[Wanted, Parameter(name="*")] = Wanted(),
    yes: YesOption = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Set up a home: its folders, agents, language model.

    A model is asked for a word before it is saved. With --yes there is none
    unless --model names one. Called again, it checks what is there and puts back
    what is missing; a model can be added, and nothing is overwritten.

    Examples:
      scrubjay init
      scrubjay init --yes
      scrubjay init --yes --name Robin --timezone Europe/Berlin
      scrubjay init --yes --agents home,garden
      scrubjay init --yes --model gpt-5-mini --key-from OPENAI_API_KEY
      scrubjay init --yes --model qwen3:8b --base-url http://localhost:11434/v1
      SCRUBJAY_HOME=~/scrubjay scrubjay init
    """
    _welcome(run)
    _refuse_half(wanted)
    run.terminal.asks = not (no_input or yes)
    config = await _configured(run, given.answers(), wanted, yes=yes)
    _furnish(run, config)
    await _prove(run, config)
    run.terminal.out(NEXT_WITH_BOT if config.telegram.tokens or config.discord.tokens else NEXT)


def _refuse_half(wanted: Wanted) -> None:
    """An address, or a key, is of no use without the name of a model."""
    if not wanted.model and (wanted.base_url or wanted.key_from):
        raise UsageError("The model has no name.", hint="Add --model NAME, as its provider calls it.")


def _welcome(run: Invocation) -> None:
    home = run.home
    run.terminal.out("Scrubjay will live here:")
    for what, place in (("configuration", home.config), ("memories", home.workspaces), ("state", home.state)):
        run.terminal.out(f"  {what:<15}{place}")
    run.terminal.out(PROMISES)


async def _configured(run: Invocation, given: dict[str, str], wanted: Wanted, *, yes: bool) -> Config:
    """The configuration that is there, or a new one out of the answers; with a model, if there is to be one."""
    from bot.cli.interview import Answers
    from bot.configuring.example import example
    from bot.files import create

    path = run.home.config
    if path.exists():
        config = run.config
        ignored = f" What was given with {', '.join(f'--{name}' for name in given)} is not used." if given else ""
        run.terminal.out(f"\n{path} is there and stays as it is.{ignored}")
        config = await _with_model(run, config, wanted)
    else:
        answers = _asked(run, Answers(**given), yes=yes)
        answers.config()  # a token that is none is refused before anything is written
        bare = replace(answers, telegram="", discord="").config()
        text, config, told = await _modelled(run, bare, example(bare), wanted)
        run.home.prepare()
        create(path, keep(run.home, text, answers.tokens))
        config = run.config
        run.terminal.out(f"\nWritten: {path}\n{told or NO_MODEL}")
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
    run.terminal.err(f"\nSix questions. Enter takes what is in brackets, {BACK} goes back.")
    return interview(run.terminal, answers)


async def _with_model(run: Invocation, config: Config, wanted: Wanted) -> Config:
    """A configuration that exists: its model is asked whether it works, or one is added to it."""
    from bot.files import put

    if config.model.is_configured:
        await _check_model(run, config, wanted)
        return config
    before = run.home.config.read_text(encoding="utf-8-sig")
    text, config, told = await _modelled(run, config, before, wanted)
    if text != before:
        put(run.home.config, text)
        told = f"{told}\nAdded to {run.home.config}, under `model:`."
    run.terminal.out(told or NO_MODEL)
    return config


async def _check_model(run: Invocation, config: Config, wanted: Wanted) -> None:
    """One that fails is told and no reason to stop: until it works, answers are quotes from memory."""
    from bot.cli.choosing import ask
    from bot.llm.errors import ModelError

    if wanted.model:
        place = run.loaded.origins.get("model.name", "config.yaml")
        run.terminal.err(f"--model is not used: the model is named in {place}.")
    try:
        run.terminal.out(await ask(run, config.model))
    except ModelError as error:
        run.terminal.err(f"warning: {error.message}\n{error.hint}\nUntil it works, answers are quotes from memory.")


async def _modelled(run: Invocation, config: Config, text: str, wanted: Wanted) -> tuple[str, Config, str]:
    """The configuration's text with a model in it that has answered, what it says, and a sentence about the model.

    Without a model the first two are as they were, and there is nothing to say.
    """
    from bot.cli import choosing

    if wanted.model:
        chosen = choosing.from_options(wanted.model, wanted.base_url, wanted.key_from)
        proven: choosing.Proven | None = await choosing.prove(run, chosen, text)
    elif not run.terminal.is_interactive:
        proven = None
    else:
        proven = await choosing.choose(run, text)
    return (proven.text, proven.config, proven.told) if proven else (text, config, "")


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
