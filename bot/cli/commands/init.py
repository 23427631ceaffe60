"""`scrubjay init`: set up a home; called again, change anything of it, check it and put back what is missing."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from bot.cli.help import NoInputOption, Run, YesOption, single
from bot.cli.invocation import Invocation
from bot.cli.wizard.answers import NO_ANSWERS, Answers
from bot.errors import BotError, UsageError
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from bot.cli.wizard.screens import Screens
    from bot.config.model import Config


async def init(
    *, given: Answers = NO_ANSWERS, yes: YesOption = False, no_input: NoInputOption = False, run: Run
) -> None:
    """Set up a home: agents, memory, language model, bots.

    Each question has an option that answers it; with --yes nothing is asked,
    and what is not answered stays as it is, or as it is proposed. A model is
    asked for a word, and a token shown to its platform, before it is saved.
    Called again, it changes what you answer otherwise, and puts back what is
    missing; comments in config.yaml stay, and the file before is kept.

    Examples:
      scrubjay init
      scrubjay init --yes
      scrubjay init --yes --name Robin --timezone Europe/Berlin
      scrubjay init --yes --agents home,garden --memory-folder ~/notes
      scrubjay init --yes --model gpt-5-mini --key-from OPENAI_API_KEY
      scrubjay init --yes --model qwen3:8b --base-url http://localhost:11434/v1
      scrubjay init --yes --telegram-token-file token.txt --owner telegram:12345
      SCRUBJAY_HOME=~/scrubjay scrubjay init
    """
    from bot.cli.commands.imports import import_
    from bot.cli.wizard.finish import introduce_owner, self_test
    from bot.cli.wizard.questions import Prompter, walk
    from bot.cli.wizard.screens import Screens

    run.use_owner_language()
    if not given.model and (given.base_url or given.key_from):
        raise UsageError(tr("The model has no name."), hint=tr("Add --model NAME, as its provider calls it."))
    terminal, home = run.terminal, run.home
    terminal.asks = not (no_input or yes)
    if not yes and not terminal.is_interactive:
        message = tr("There are questions, and nobody is there to answer them.")
        raise UsageError(message, hint=tr("Run it in a terminal, or accept what is proposed: scrubjay init --yes"))
    screens = Screens(run, given, Prompter(terminal))
    terminal.out(tr("Scrubjay will live here:"))
    notes = given.memory_folder or home.workspaces
    for what, place in ((tr("configuration"), home.config), (tr("memories"), notes), (tr("state"), home.state)):
        terminal.out(f"  {what:<15}{place}")
    terminal.out()
    terminal.out(tr("Nothing leaves this machine by itself: no telemetry, no account."))
    terminal.out(tr("Only a language model in the cloud, if you choose one, gets to read what you say."))
    await screens.prepare()
    await walk(screens.prompter, screens.steps())
    config = _save(run, screens)
    found_at = await self_test(run.scratch, beside=home.cache)
    terminal.out(tr("Memory works: a test fact was noted, found again ({place}), and forgotten.", place=found_at))
    failures = []
    for path in screens.imports:
        terminal.out()
        failed = await _attempt(run, import_(path, agent=given.import_agent, yes=True, run=run))
        failures += [failed] if failed else []
    await introduce_owner(run, config, screens.checks)
    if screens.service:
        from bot.cli.commands import service

        failed = await _attempt(run, service.install(yes=True, run=run))
        failures += [failed] if failed else []
        screens.service = failed is None
    _say_next(run, screens)
    run.exit_code = failures[0].exit_code if failures else 0


def _save(run: Invocation, screens: Screens) -> Config:
    """Write the configuration and the files that are missing; what the configuration says."""
    from bot.paths import make_private
    from bot.starter import write_templates
    from bot.system import instance

    home, terminal, draft = run.home, run.terminal, screens.draft
    terminal.out()
    if screens.told and not screens.prompter.asks:
        terminal.out(screens.told)
    home.prepare()
    for folder in draft.checked().workspaces(home).values():
        make_private(folder.parent)  # first: a place that cannot be made is not to be saved
    if not draft.save():
        terminal.out(tr("{file} is there and stays as it is.", file=home.config))
    elif screens.is_new:
        terminal.out(tr("Written: {file}", file=home.config))
    else:
        terminal.out(
            tr("Changed: {file}. The one before is kept: {previous}", file=home.config, previous=home.config_previous)
        )
        if instance.holder(home):
            terminal.err(tr("What runs now goes on as before: start it again."))
    config = run.config
    if not config.model.is_configured:
        terminal.out(tr("No language model: answers are quotes from your own notes, with file and line."))
    for name, folder in config.workspaces(home).items():
        if config.has_lost(name, home):
            gone = tr("The workspace {folder} was removed or moved.", folder=folder)
            terminal.err(tr("warning: {message}", message=gone))
            terminal.err(tr("An empty one is begun. Is the old one on a drive? Remove this one and mount the drive."))
        made = write_templates(folder, name, about=config.agents[name].about, owner=config.owner)
        state = tr("made {files}", files=", ".join(made)) if made else tr("complete")
        terminal.out(tr("Agent {agent}: {folder} ({state})", agent=name, folder=folder, state=state))
    return config


async def _attempt(run: Invocation, work: Awaitable[object]) -> BotError | None:
    """Do what is not needed for the rest; what went wrong with it is told, and returned."""
    try:
        await work
    except BotError as error:
        run.terminal.err(tr("error: {message}", message=error.message))
        run.terminal.err(error.hint)
        return error
    return None


def _say_next(run: Invocation, screens: Screens) -> None:
    steps = {
        "scrubjay chat": tr("tell it something, ask for it again, leave with Ctrl-D"),
        "scrubjay memory recall QUESTION": tr("look something up from the shell"),
        "scrubjay doctor": tr("see whether all is well"),
    }
    if screens.has_bots:
        first = "scrubjay service logs" if screens.service else "scrubjay run"
        steps = {
            first: tr("see what your bot does") if screens.service else tr("start your bot"),
            "scrubjay chat": tr("talk to the same agents in this terminal"),
            "scrubjay doctor": tr("see whether all is well"),
        }
    run.terminal.out()
    run.terminal.out(tr("Three things to do next:"))
    width = max(map(len, steps)) + 2
    for command, about in steps.items():
        run.terminal.out(f"  {command:<{width}}{about}")


app = single("init", init)
