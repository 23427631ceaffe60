"""One call of the command line: the collaborators of every command, each made when it is first needed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from datetime import date
from errno import EACCES
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.terminal import Terminal
from bot.errors import BotError, Missing, Refused
from bot.paths import Home
from bot.texts.catalogue import set_language, tr

if TYPE_CHECKING:
    from bot.config.loader import Loaded
    from bot.config.model import Config
    from bot.doctor.base import Machine
    from bot.storage.statements import State
    from bot.storage.tables.transcripts import TranscriptReader
    from bot.turn import SessionMemory
    from memory import Clock, Memory


class Invocation:
    """What a command is handed beside its arguments: what is left out is the machine's, or as its environment says."""

    def __init__(self, *, clock: Clock | None = None, machine: Machine | None = None, home: Home | None = None) -> None:
        self._clock = clock
        self._machine = machine
        self._home = home
        self.terminal = Terminal()
        self.language = ""
        self.exit_code = 0

    @cached_property
    def clock(self) -> Clock:
        """The only source of time."""
        from memory import SystemClock

        return self._clock or SystemClock()

    @cached_property
    def machine(self) -> Machine:
        """What the system says of this machine."""
        from bot.doctor.base import Machine

        return self._machine or Machine()

    @cached_property
    def home(self) -> Home:
        """Where everything lives; what was restored and is not in its place yet is moved there."""
        home = self._home or Home.find()
        if (folder := home.config.parent).is_dir() and not os.access(folder, os.X_OK):
            message = tr("{path} cannot be read: {reason}.", path=folder, reason=os.strerror(EACCES).lower())
            raise BotError(message, hint=tr("Check who owns it and its permissions."))
        if home.restored.exists():
            from bot.backup.restore import finish

            finish(home)
        return home

    @cached_property
    def loaded(self) -> Loaded:
        """The configuration; options that nothing knows are told once, on standard error."""
        from bot.config.loader import load

        loaded = load(self.home)
        self._use_language(loaded.config)
        for warning in loaded.warnings:
            self.terminal.err(tr("warning: {message}", message=warning))
        return loaded

    @property
    def config(self) -> Config:
        """The configuration's options."""
        return self.loaded.config

    def use_owner_language(self) -> Config:
        """The configuration for a command that goes on where it cannot be used: the defaults then, and no warnings."""
        from bot.config.loader import examine
        from bot.config.model import Config

        config = examine(self.home).config or Config()
        self._use_language(config)
        return config

    def _use_language(self, config: Config) -> None:
        if config.owner.language != "auto":
            self.language = config.owner.language
            set_language(self.language)

    @property
    def today(self) -> date:
        """The day on the owner's clock."""
        return self.clock.now().astimezone(self.config.owner.zone).date()

    @property
    def state(self) -> State:
        """Where messages under way and conversations are kept."""
        from bot.postgresql.state import state_of

        self.terminal.log_apart()
        return state_of(self.home, self.config)

    def shared_store(self, otherwise: str) -> str:
        """Return the address of the database that several machines share; raises `Refused` where there is none."""
        if url := self.config.store.url.get_secret_value():
            return url
        hint = tr("This is for a database that several machines share: store.url in config.yaml.")
        raise Refused(otherwise, hint=hint)

    @asynccontextmanager
    async def transcripts(self) -> AsyncIterator[TranscriptReader | None]:
        """Open what was said; None if nothing was said yet. Raises `StateError`: it cannot be read."""
        from bot.storage.database import is_there, open_reader
        from bot.storage.tables.transcripts import TranscriptReader

        async with open_reader(self.state) if is_there(self.state) else nullcontext() as reader:
            yield TranscriptReader(reader) if reader else None

    async def fetch_files(self, config: Config, agent: str) -> None:
        """Where a database has an agent's files, bring them here, unless a process works with them here.

        Those that a person has edited here are put aside, which is said. Raises `StateError`.
        """
        from bot.system import instance

        url = config.store.url.get_secret_value()
        if url and instance.holder(self.home) is None:
            from bot.postgresql.workspaces import Checkout

            async with Checkout.open(url, agent, config.workspaces(self.home)[agent], looks=True) as edits:
                _, aside = await edits.fetch(unless=lambda: instance.holder(self.home))
            self.tell_aside(agent, aside)

    def tell_aside(self, agent: str, files: Sequence[Path]) -> None:
        """Say where files went that were edited in a copy and are not as the database of an agent has them."""
        if files:
            names = ", ".join([*map(str, files[:5]), *(["…"] if len(files) > 5 else [])])
            self.terminal.err(tr("What was edited here and is not in the database was put aside: {names}", names=names))
            hint = tr("To send it, bring it into a new copy: scrubjay workspace checkout {agent} FOLDER", agent=agent)
            self.terminal.err(hint)

    @asynccontextmanager
    async def memory(
        self, agent: str | None, *, writes: bool = False, look: bool = False, by_words: bool = False
    ) -> AsyncIterator[Memory]:
        """Open the memory of an agent, the default one if none is named.

        Args:
            writes: the command is going to write. Others stay out of the way of a running service.
            look: take the index as it is: the command asks about the index itself.
            by_words: nothing is to be searched by meaning.

        Raises:
            Missing: the index is to be taken as it is, and there is no folder yet.
            Refused: files of a database are to be changed, which is for whoever works for the agent.
        """
        from bot.memories import Memories
        from memory import Mode

        name = self.config.agent(agent)
        is_elsewhere = bool(self.config.store.url.get_secret_value())  # the files, the index, and who writes them
        if is_elsewhere and writes:
            message = tr("The files of {agent} are in a database that several machines share.", agent=name)
            hint = tr("Say it in a chat, or edit a copy: scrubjay workspace checkout {agent} FOLDER", agent=name)
            raise Refused(message, hint=hint)
        self.home.prepare()
        await self.fetch_files(self.config, name)
        folder = self.config.workspaces(self.home)[name]
        if look and not (folder.exists() or self.config.has_lost(name, self.home)):
            message = tr("{agent} has no folder yet: {folder} is not there.", agent=name, folder=folder)
            raise Missing(message, hint=tr("Run: scrubjay init"))
        read_only = look or is_elsewhere or (not writes and self._only_reads())
        mode = Mode.READ_ONLY if read_only else Mode.COMPLETE
        async with AsyncExitStack() as stack:
            if not (by_words or look):
                stack.enter_context(self.quiet(self.config, name))
            memories = Memories(self.home, self.config, clock=self.clock, say=self.terminal.err)
            await stack.enter_async_context(memories)
            with self.terminal.progress(tr("Reading {name}'s files", name=name), of=tr("files")) as progress:
                opening = memories.open(name, mode=mode, progress=progress, by_words=by_words)
                memory = await stack.enter_async_context(opening)
            yield memory

    @asynccontextmanager
    async def told(self, agent: str | None, *, by_words: bool = False) -> AsyncIterator[SessionMemory | None]:
        """Open what was told in the owner's sessions with an agent; None if that is not to be found."""
        from bot.memories import Memories
        from memory import Mode

        mode = Mode.READ_ONLY if self._only_reads() else Mode.COMPLETE
        async with (
            Memories(self.home, self.config, clock=self.clock, say=self.terminal.err) as memories,
            memories.open_told(self.config.agent(agent), mode=mode, by_words=by_words) as told,
        ):
            yield told

    def _only_reads(self) -> bool:
        """Whether what is derived is kept by a running service, or nobody can write it."""
        from bot.system import instance
        from memory.sqlite import is_writable

        return not is_writable(self.home.state) or instance.holder(self.home) is not None

    def quiet(self, config: Config, *agents: str) -> AbstractContextManager[None]:
        """Where an endpoint is asked, what its client logs goes into the log file, and not between the data."""
        asks = any(config.memory_of(name).embedder.kind == "endpoint" for name in agents)
        return self.logged(config) if asks else nullcontext()

    @contextmanager
    def logged(self, config: Config) -> Iterator[None]:
        """Until the block ends, what is logged goes into the home's log file."""
        from bot import log  # 0.1 s, which nobody else need pay
        from bot.config.model import secrets_of

        mask = log.Mask(secrets_of(config))
        with log.to_file(self.home.log_file, level=config.log.level, clock=self.clock, mask=mask):
            yield

    @asynccontextmanager
    async def scratch(self, workspace: Path, index: Path) -> AsyncIterator[Memory]:
        """Open a memory of nobody, for a test of the machine or of a backup."""
        from memory import Memory

        zone = self.config.owner.zone
        async with await Memory.open(workspace, index=index, clock=self.clock, zone=zone) as memory:
            yield memory
