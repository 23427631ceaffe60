"""`scrubjay init`: set up a home; called again, check it and put back what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import NoInputOption, Run, YesOption, single
from bot.cli.terminal import Terminal
from bot.config.loader import Locator, check
from bot.config.model import Config, OwnerOptions, standard_agents
from bot.config.yaml_tree import Tree
from bot.errors import BotError, UsageError
from bot.paths import Home, create
from memory import OWNER, Memory, Origin

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation


UNSET = '  #token: ""'
"""The line of a platform's section that stands for no token."""


def content(file: Path | None) -> str | None:
    """The token in a file.

    Raises:
        UsageError: the file cannot be read.
    """
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The token cannot be read from {file}: {error}.", hint="Name a file with one line."
        ) from error


def keep(home: Home, text: str, tokens: Mapping[str, str]) -> str:
    """Write each platform's token into a file beside the configuration; its text with references to them."""
    for name, token in tokens.items():
        file = home.config.with_name(f"{name}.token")
        file.unlink(missing_ok=True)
        create(file, f"{token}\n")
        head, section, rest = text.partition(f"\n{name}:\n")
        text = head + section + rest.replace(UNSET, f'  token: "${{file:{file.name}}}"', 1)
    return text


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
    home = run.home
    run.terminal.out("Scrubjay will live here:")
    for what, place in (("configuration", home.config), ("memories", home.workspaces), ("state", home.state)):
        run.terminal.out(f"  {what:<15}{place}")
    run.terminal.out(PROMISES)
    if not wanted.model and (wanted.base_url or wanted.key_from):
        raise UsageError("The model has no name.", hint="Add --model NAME, as its provider calls it.")
    run.terminal.asks = not (no_input or yes)
    config = await _configured(run, given.answers(), wanted, yes=yes)
    _write_templates(run, config)
    found_at = await self_test(
        lambda workspace, index: run.scratch(workspace, index=index, zone=config.owner.zone), beside=home.cache
    )
    run.terminal.out(f"Memory works: a test fact was noted, found again ({found_at}), and forgotten.")
    run.terminal.out(NEXT_WITH_BOT if config.telegram.tokens or config.discord.tokens else NEXT)


async def _configured(run: Invocation, given: dict[str, str], wanted: Wanted, *, yes: bool) -> Config:
    """The configuration that is there, or a new one out of the answers; with a model, if there is to be one."""
    from bot.config.schema import example
    from bot.paths import create

    path = run.home.config
    if path.exists():
        config = run.config
        ignored = f" What was given with {', '.join(f'--{name}' for name in given)} is not used." if given else ""
        run.terminal.out(f"\n{path} is there and stays as it is.{ignored}")
        config = await _with_model(run, config, wanted)
    else:
        answers = Answers(**given)
        if not yes:
            if not run.terminal.is_interactive:
                raise UsageError(
                    "There are questions, and nobody is there to answer them.",
                    hint="Run it in a terminal, or accept what is proposed: scrubjay init --yes",
                )
            run.terminal.err(f"\nSix questions. Enter takes what is in brackets, {BACK} goes back.")
            answers = interview(run.terminal, answers)
        answers.config()  # a token that is none is refused before anything is written
        bare = replace(answers, telegram="", discord="").config()
        text, config, told = await _modelled(run, bare, example(bare), wanted)
        run.home.prepare()
        create(path, keep(run.home, text, answers.tokens))
        config = run.config
        run.terminal.out(f"\nWritten: {path}\n{told or NO_MODEL}")
    run.home.prepare()
    return config


async def _with_model(run: Invocation, config: Config, wanted: Wanted) -> Config:
    """A configuration that exists: its model is asked whether it works, or one is added to it."""
    from bot.paths import put

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
    from bot.cli.model_setup import ask
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
    from bot.cli import model_setup

    if wanted.model:
        chosen = model_setup.from_options(wanted.model, wanted.base_url, wanted.key_from)
        proven: model_setup.ProvedModel | None = await model_setup.prove(run, chosen, text)
    elif not run.terminal.is_interactive:
        proven = None
    else:
        proven = await model_setup.choose(run, text)
    return (proven.text, proven.config, proven.told) if proven else (text, config, "")


def _write_templates(run: Invocation, config: Config) -> None:
    from bot.starter import write_templates

    for name, options in config.agents.items():
        folder = run.home.workspace(name, options.workspace)
        made = write_templates(folder, name, about=options.about, owner=config.owner)
        state = f"made {', '.join(made)}" if made else "complete"
        run.terminal.out(f"Agent {name}: {folder} ({state})")


app = single("init", init)


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
        checked = check(Config, Locator("", Tree({"agents": agents, "owner": owner} | tokens), {}))
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


FACT = "The jay hid seven acorns under the third oak."
QUESTION = "where are the acorns?"

OpenScratch = Callable[[Path, Path], AbstractAsyncContextManager[Memory]]
"""Opens a memory from a workspace's folder and the place of its index."""


async def self_test(open_scratch: OpenScratch, *, beside: Path) -> str:
    """Remember, recall and forget a fact in a temporary folder.

    Args:
        open_scratch: opens the memory.
        beside: a folder on the disk that will be used.

    Returns:
        Where the fact was found.

    Raises:
        BotError: something that was written was not found, or something forgotten was.
    """
    with TemporaryDirectory(dir=beside, prefix="selftest-") as folder:
        scratch = Path(folder)
        async with open_scratch(scratch / "workspace", scratch / "index.sqlite") as memory:
            written = await memory.remember(FACT, origin=Origin.OWNER, scope=OWNER, op_id="selftest:1", actor="owner")
            found = await memory.recall(QUESTION, scope=OWNER)
            places = [str(hit.source) for hit in found.hits if FACT in hit.content]
            if not places:
                raise _failed("what was written was not found", found.remark)
            preview = await memory.preview_forget(f"^{written.fact.id}", scope=OWNER, actor="owner")
            await memory.forget(preview.token, op_id="selftest:2", scope=OWNER, actor="owner")
            after = await memory.recall(QUESTION, scope=OWNER)
            if any(FACT in hit.content for hit in after.hits):
                raise _failed("what was forgotten was still found", after.remark)
            return places[0]


def _failed(what: str, why: str) -> BotError:
    return BotError(f"The memory self-test failed: {what}. {why}".rstrip(), hint="Run: scrubjay doctor")
