"""The screens of `scrubjay init`: what is asked on each, and what an answer changes in the configuration."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from shutil import which

from bot.account_check import AccountCheck, TokenStatus, check_account
from bot.cli.invocation import Invocation
from bot.cli.wizard import model_setup
from bot.cli.wizard.answers import Answers
from bot.cli.wizard.questions import BACK, NOTHING, Prompter, Step
from bot.config.draft import Draft
from bot.config.model import AgentOptions, Config, standard_agents
from bot.config.retired import rewritten
from bot.config.schema import example, typed, written
from bot.config.yaml_tree import Key
from bot.errors import BotError, Unreachable, UsageError
from bot.imports.discovery import FoundMemory, find_memories
from bot.llm.errors import ModelError
from bot.paths import expanded, read_value
from bot.texts.catalogue import mark, tr, trn

NEW_BOT = {
    "telegram": mark("A bot on Telegram: send /newbot to @BotFather, and paste the token that it gives you."),
    "discord": mark("A bot on Discord: discord.com/developers, New Application, Bot, Reset Token; paste that token."),
}
"""How one comes by a bot on a platform."""

MAX_LISTED = 8
"""Places with another program's memory that are shown."""


class Screens:
    """Asks, and collects what is to be written and done.

    Attributes:
        checks: what platforms said of the tokens that they were shown.
        imports: places with another program's memory to move in.
        service: whether the system is to start the bot.
        told: how the model did, in a sentence; empty without one.
    """

    def __init__(self, run: Invocation, given: Answers, prompter: Prompter) -> None:
        self.run = run
        self.given = given
        self.prompter = prompter
        self.draft = Draft(run.home)
        self.is_new = not self.draft.before
        self.checks: dict[str, AccountCheck] = {}
        self.imports: tuple[Path, ...] = given.import_from
        self.service = bool(given.service)
        self.told = ""
        self._here: list[FoundMemory] = []
        self.draft.text, self._renamed = rewritten(self.draft.text)

    async def prepare(self) -> None:
        """Look at what is here; raises `ConfigError` if the configuration cannot be used."""
        config = self.draft.checked()
        if self.is_new and config.owner.timezone == "auto":
            self._set(("owner", "timezone"), config.owner.zone.key)
        for change in self._renamed:
            self.prompter.say(tr("An option has a new name: {change}", change=change))
        if self.prompter.asks and not self.imports:
            self._here = await asyncio.to_thread(find_memories, Path.home())

    def steps(self) -> tuple[Step, ...]:
        """The questions, screen by screen."""
        given = self.given
        has_manager = sys.platform == "darwin" or which("systemctl") is not None
        is_wanted = given.service is not None
        return (
            Step(tr("You and your agents"), self._agents, is_given=given.agents is not None),
            self._option(("owner", "name"), tr("What should the agents call you? (Enter to skip)"), given.name),
            Step(tr("Memory"), self._folder, is_given=given.memory_folder is not None),
            Step("", self._import, is_due=lambda: bool(self._here)),
            Step(tr("Language model"), self._model, is_given=given.model is not None),
            Step(tr("Telegram and Discord"), partial(self._token, "telegram", given.telegram_token_file)),
            Step("", partial(self._token, "discord", given.discord_token_file)),
            Step("", self._owner, is_due=lambda: bool(given.owner)),
            self._option(("owner", "timezone"), tr("Your time zone?"), given.timezone, screen=tr("Times")),
            self._option(("owner", "language"), tr("Language of the program? (auto, en, de, zh)"), given.language),
            self._option(
                ("reminders", "quiet"),
                tr("Hours in which reminders that repeat wait? (22:00-07:00, or off)"),
                given.quiet_hours,
            ),
            Step(
                tr("Service"),
                self._service,
                is_due=lambda: is_wanted or (has_manager and self.has_bots),
                is_given=is_wanted,
            ),
            Step(tr("Summary"), self._summary),
        )

    def _option(self, key: Key, question: str, given: str | None, *, screen: str = "") -> Step:
        """A question about one option that is text."""

        async def ask() -> None:
            now = str(getattr(getattr(self.draft.checked(), str(key[0])), str(key[1])))
            more = tr(" ({nothing} for none)", nothing=NOTHING) if now and key == ("owner", "name") else ""
            self.prompter.answer(question + more, partial(self._set, key), given=given, default=now)

        return Step(screen, ask, is_given=given is not None)

    def _set(self, key: Key, said: str) -> None:
        """Set an option to what was said, unless it says so already; raises `UsageError` if it cannot be that."""
        value = "" if said == NOTHING else said
        section = self.draft.checked().model_dump(mode="json")[str(key[0])]
        if section[key[1]] != value:
            with self.draft.trial():
                self.draft.set({key: written(value)})

    async def _agents(self) -> None:
        if self.prompter.asks and self.is_new:
            self.prompter.say(
                tr("Each agent has a memory of its own, which no other sees. {back} goes back.", back=BACK)
            )
        now = [*self.draft.checked().agents]
        self.prompter.answer(tr("Your agents?"), self._take_agents, given=self.given.agents, default=", ".join(now))
        for name, agent in self.draft.checked().agents.items():
            if self.prompter.asks and name not in now and not agent.about:
                key: Key = ("agents", name, "about")
                about = self.prompter.ask(tr("What is {agent} for? (a sentence; Enter to skip)", agent=name))
                if about:
                    self.draft.set({key: written(about)})

    def _take_agents(self, said: str) -> None:
        names = [*dict.fromkeys(name.strip() for name in said.split(",") if name.strip())]
        config, known = self.draft.checked(), standard_agents()
        if names == [*config.agents]:
            return
        with self.draft.trial():
            with self.draft.trial(keep=False):  # refused here if there cannot be agents of these names
                self.draft.text = f"agents: {typed({name: {} for name in names})}\n"
            if self.is_new and self.draft.text == self._fresh(config):
                agents = {name: known.get(name, AgentOptions()) for name in names}
                self.draft.text = self._fresh(config.model_copy(update={"agents": agents}))
                return
            new = [name for name in names if name not in config.agents]
            self.draft.set({("agents", name, "about"): typed(known.get(name, AgentOptions()).about) for name in new})
            for name in config.agents:
                if name not in names:
                    self.draft.unset(("agents", name))
            if names[0] != self.draft.checked().default_agent:
                self.draft.set({("chat", "agent"): names[0]})

    @staticmethod
    def _fresh(config: Config) -> str:
        """The example with the agents and the zone of a configuration."""
        return example(Config(agents=config.agents, owner=config.owner))

    async def _folder(self) -> None:
        home, config = self.run.home, self.draft.checked()
        places = config.workspaces(home)
        parents = {place.parent for name, place in places.items() if place.name == name}
        now = str(parents.pop()) if len(parents) == 1 and all(n == p.name for n, p in places.items()) else ""
        folder = self.given.memory_folder

        def take(said: str) -> None:
            wanted = (Path.cwd() / expanded(Path(said))).resolve()
            if said in {"", now} or str(wanted) == now:
                return
            with self.draft.trial():
                for name in config.agents:
                    if wanted == home.workspaces:
                        self.draft.unset(("agents", name, "workspace"))
                    else:
                        self.draft.set({("agents", name, "workspace"): written(str(wanted / name))})
            if any(place.is_dir() for place in places.values()):
                self.prompter.say(tr("What was remembered stays where it is: move the folders there before you go on."))

        self.prompter.answer(
            tr("In which folder does each agent get one for its memory?"),
            take,
            given=None if folder is None else str(folder),
            default=now,
        )

    async def _import(self) -> None:
        self.prompter.say(tr("Memory of other programs is on this machine. It can be moved in, and taken out again:"))
        for number, memory in enumerate(self._here[:MAX_LISTED], 1):
            files = trn("{count} file", "{count} files", memory.count)
            self.prompter.say(f"{number}  {memory.about}: {memory.path} ({files})", indent="  ")

        def take(said: str) -> None:
            words = said.replace(",", " ").split()
            if any(not word.isdecimal() or not 1 <= int(word) <= len(self._here) for word in words):
                raise UsageError(tr("Numbers from 1 to {most}, please.", most=len(self._here)))
            self.imports = tuple(self._here[int(word) - 1].path for word in words)

        self.prompter.answer(tr("Which of them? (numbers; Enter for none)"), take, given=None)

    async def _model(self) -> None:
        wanted, now = self.given, self.draft.checked().model
        if wanted.model:
            choice = model_setup.from_options(wanted.model, wanted.base_url, wanted.key_from)
            self.told = await model_setup.prove(self.run, choice, self.draft)
            return
        if now.is_configured and not self.told:
            try:
                self.told = await model_setup.ask(self.run, now)
                self.prompter.say(self.told)
            except ModelError as error:
                self.prompter.say(tr("warning: {message}", message=error.message))
                self.prompter.say(error.hint)
                self.prompter.say(tr("Until it works, answers are quotes from memory."))
        if self.prompter.asks and (
            not now.is_configured or self.prompter.confirm(tr("Another model?"), default=not self.told)
        ):
            self.told = await model_setup.choose(self.run, self.draft) or self.told
            if self.told:
                self.prompter.say(self.told)

    async def _token(self, platform: str, file: Path | None) -> None:
        given, asks = read_value(file) if file else None, self.prompter.asks
        now = getattr(self.draft.checked(), platform).tokens
        if given is None and now and platform not in self.checks and not self.given.no_test:
            self.checks[platform] = await check_account(platform, now[0], self.draft.checked())
            self._tell(self.checks[platform])
        elif asks and given is None:
            self.prompter.say(tr(NEW_BOT[platform]))
        question = tr("Its token? (it stays invisible; Enter for no bot there)")
        if now:
            question = tr("Another token? (Enter keeps this one, {nothing} takes it out)", nothing=NOTHING)
        while given is not None or asks:
            said = given or self.prompter.ask(question, secret=True)
            try:
                await self._take_token(platform, said)
            except (UsageError, Unreachable) as error:
                if given is not None:
                    raise
                self.prompter.terminal.err(str(error))
            else:
                return

    async def _take_token(self, platform: str, said: str) -> None:
        key: Key = (platform, "token")
        if not said:
            return
        if said == NOTHING:
            self.draft.unset(key)
            self.draft.secrets.pop(key, None)
            self.checks.pop(platform, None)
            return
        with self.draft.trial():
            self.draft.set_secret(key, said)
            self.draft.checked()
            if self.given.no_test:
                return
            check = self.checks[platform] = await check_account(platform, said, self.draft.checked())
            if check.status is TokenStatus.REFUSED:
                del self.checks[platform]
                raise Unreachable(check.told, hint=tr("Nothing was written."))
            self._tell(check)

    def _tell(self, check: AccountCheck) -> None:
        """Say what a platform said of a token."""
        self.prompter.say(check.told)
        for note in check.notes:
            self.prompter.say(f"- {note}")

    async def _owner(self) -> None:
        """Those that were named with the command; others show who they are with a code, later."""
        known = self.draft.checked().access.owners
        wanted = [*known, *(identity for identity in self.given.owner if identity not in known)]
        with self.draft.trial():
            self.draft.set({("access", "owners"): typed(wanted)})

    @property
    def has_bots(self) -> bool:
        """Whether there is something for a service to serve."""
        config = self.draft.checked()
        return bool(config.telegram.tokens or config.discord.tokens)

    async def _service(self) -> None:
        if self.given.service and not self.has_bots:
            message = tr("There is no bot account that a service could serve.")
            raise UsageError(message, hint=tr("Give it a token, or --no-service."))
        if self.given.service is None and self.prompter.asks:
            question = tr("Should the system start your bot now, and keep it running?")
            self.service = self.prompter.confirm(question, default=True)

    async def _summary(self) -> None:
        """Show what will be, and what changes in the file."""
        say, config, home = self.prompter.terminal.err, self.draft.checked(), self.run.home
        if not self.prompter.asks:
            return
        quiet, language = config.reminders.quiet, config.owner.language
        bots = [check.name or platform.title() for platform, check in self.checks.items()]
        rows = [
            (tr("agents"), ", ".join(config.agents)),
            (tr("model"), config.model.name or tr("none: answers are quotes from memory")),
            (tr("bots"), ", ".join(bots) or tr("none")),
            (tr("times"), f"{config.owner.timezone}, {tr('quiet hours')}: {quiet}, {tr('language')}: {language}"),
            (tr("import"), ", ".join(map(str, self.imports)) or tr("none")),
            (tr("service"), tr("yes") if self.service else tr("no")),
        ]
        for name, value in rows:
            say(f"{name}: {value}")
        if self.is_new:
            say(tr("This goes into a new file: {file}", file=home.config))
        elif self.draft.text != self.draft.before:
            say(tr("This changes in {file}:", file=home.config))
            for line in self.draft.diff.splitlines():
                say(f"  {line}")
        else:
            say(tr("{file} stays as it is.", file=home.config))
        if not self.prompter.confirm(tr("Go ahead?"), default=True):
            raise BotError(tr("Nothing was written."))
