"""The memories of all agents as the configuration wants them; what they share is made once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.config.model import Config, secrets_of
from bot.config.options.memory import EmbedderOptions
from bot.paths import Home
from bot.texts.memory import of_memory
from bot.waiting import Pause
from memory import ChunkSize, Clock, Embedding, Memory, Mode, Progress, RankingProfile
from memory.embed import lazy
from memory.embed.endpoint import Endpoint
from memory.errors import NotFound
from memory.recall.scoring import weights_of
from memory.strength import Fading, StrengthPolicy

if TYPE_CHECKING:
    from bot.turn import SessionMemory
    from memory.postgresql.connection import IndexDatabase
    from memory.postgresql.store import SharedIndex

MIN_SECRET_CHARS = 8
"""Characters of a secret that no note may hold; a shorter one could be an ordinary word."""

OWN, OTHERS, INDEX = "own", "others", "index.sqlite"
"""In the folder of what was told to an agent: the owner's words, others' words, and the index over both."""

VECTORS = "vectors.sqlite"
"""In the cache folder: what was embedded before, for all agents. Deleted, it is computed again."""

LOOK_EVERY_S = 20.0
"""Seconds between two looks at whether embedders are idle."""


def unwritable_secrets(config: Config) -> frozenset[str]:
    """The secrets of a configuration that no note may hold."""
    return frozenset(secret for secret in secrets_of(config) if len(secret) >= MIN_SECRET_CHARS)


class Memories(AsyncExitStack):
    """Opens memories. Embedders are loaded when they are first asked, shared, and closed at the end.

    `say` is told in one line what takes a while: the first conversion of the built-in model.
    """

    def __init__(
        self, home: Home, config: Config, *, clock: Clock, say: Callable[[str], None] = lambda _: None
    ) -> None:
        super().__init__()
        self._home = home
        self._config = config
        self._clock = clock
        self._say = lambda text: say(of_memory(text))
        self._embedders: dict[EmbedderOptions, lazy.LazyEmbedder] = {}
        self._database: IndexDatabase | None = None

    @asynccontextmanager
    async def open(
        self,
        agent: str,
        *,
        mode: Mode = Mode.COMPLETE,
        progress: Progress | None = None,
        by_words: bool = False,
        index: Path | None = None,
    ) -> AsyncIterator[Memory]:
        """One agent's memory, closed at the end; raises `NotFound` where its folder is gone and its index is there.

        Args:
            agent: whose; it exists.
            mode: whether to wait for the index, and whether to write.
            progress: told how far a long indexing has come.
            by_words: search words alone, whatever is configured; nothing that vectors need is loaded.
            index: another file than the agent's own, for this process alone.
        """
        options, folder = self._config.memory_of(agent), self._config.workspaces(self._home)[agent]
        if self._config.has_lost(agent, self._home):
            gone = f"The workspace {folder} was removed or moved."
            raise NotFound(gone, hint="Put it back there, then start Scrubjay again.")
        has_conversations = bool(self._config.store.url.get_secret_value()) or self._home.database.exists()
        opened = await Memory.open(
            folder,
            index=index or self._index(agent),
            clock=self._clock,
            zone=self._config.owner.zone,
            mode=mode,
            progress=progress,
            embedding=None if by_words else self.embedding(agent),
            blanks=not has_conversations,  # else `bot.sessions.forgetting` has it done, after the transcripts
            extra={name: self._home.folder(folder) for name, folder in options.extra_paths.items()},
            extra_trusted=options.extra_trusted,
            extra_quota=options.extra_quota,
            chunks=ChunkSize(*size) if (size := options.chunk_size) else None,
            secrets=unwritable_secrets(self._config),
            ranking=replace(weights_of(RankingProfile(options.ranking)), **dict[str, Any](options.weights.items())),
            fading=Fading(StrengthPolicy(options.strength.policy), options.strength.faded),
            salient_above=options.salient_above,
        )
        async with opened as memory:
            yield memory

    @asynccontextmanager
    async def open_told(
        self, agent: str, *, mode: Mode = Mode.COMPLETE, by_words: bool = False
    ) -> AsyncIterator[SessionMemory | None]:
        """What was told in the owner's sessions with an agent; None if that is not to be found, or nothing is there."""
        options, folder = self._config.memory_of(agent), self._home.told(agent)
        if not options.sessions.index or (mode is not Mode.AT_ONCE and not (folder / INDEX).exists()):
            yield None
            return
        from bot.turn import SessionMemory  # with all that a conversation has, which a look into memory need not pay

        opened = await Memory.open(
            folder / OWN,
            index=folder / INDEX,
            clock=self._clock,
            zone=self._config.owner.zone,
            mode=mode,
            embedding=None if by_words else self.embedding(agent),
            extra={OTHERS: folder / OTHERS},
            ranking=replace(weights_of(RankingProfile(options.ranking)), **dict[str, Any](options.weights.items())),
        )
        async with opened as memory:
            yield SessionMemory(memory, options.sessions.quota)

    def folders(self, agent: str) -> tuple[Path, ...]:
        """All folders that an agent's memory is made of."""
        extra = self._config.memory_of(agent).extra_paths.values()
        return (self._config.workspaces(self._home)[agent], *map(self._home.folder, extra))

    def embedding(self, agent: str) -> Embedding | None:
        """What an agent's memory is searched by meaning with; None if it is to be searched by words alone.

        That holds too where the built-in model was not installed: `scrubjay doctor` tells it.
        """
        memory_options = self._config.memory_of(agent)
        options = memory_options.embedder
        if options.kind == "none" or (options.kind == "built-in" and not lazy.has_builtin()):
            return None
        if options not in self._embedders:
            if options.kind == "built-in":
                idle = timedelta(minutes=options.idle_minutes) if options.idle_minutes else None
                self._embedders[options] = lazy.builtin(self._home.cache, say=self._say, idle=idle, clock=self._clock)
            else:
                endpoint = Endpoint(options.base_url, options.model, options.api_key.get_secret_value())
                self._embedders[options] = lazy.endpoint(endpoint, clock=self._clock)
            self.push_async_callback(self._embedders[options].close)
        return Embedding(self._embedders[options], self._home.cache / VECTORS, low_memory=memory_options.low_memory)

    async def watch_embedders(self, pause: Pause) -> None:
        """Have embedders that nobody asks give their memory back, until cancelled."""
        while True:
            await pause(LOOK_EVERY_S)
            for embedder in self._embedders.values():
                await embedder.leave_if_idle()

    def _index(self, agent: str) -> Path | SharedIndex:
        """Where an agent's index is: with the state, in this home or in the database that several machines share."""
        url = self._config.store.url.get_secret_value()
        if not url:
            return self._home.index(agent)
        from memory.postgresql.connection import IndexDatabase
        from memory.postgresql.store import SharedIndex

        if self._database is None:
            self._database = self.enter_context(closing(IndexDatabase(url)))
        return SharedIndex(self._database, agent, self._home.index(agent))
