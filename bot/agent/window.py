"""Keeps a conversation within its model's window: what matters is noted, then the oldest part is summarised."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot.agent.compaction import Compaction, Compactor
from bot.agent.context.history import History, HistoryReader
from bot.agent.context.prompt import RequestContext
from bot.agent.context.pruning import prune
from bot.agent.flush import MemoryFlush
from bot.config.options.sessions import SessionOptions
from bot.llm.errors import ModelError
from bot.llm.pool import ModelInfo
from bot.llm.types import Message, Model, Tool
from bot.sessions.notes import Summary
from bot.sessions.turns import Said
from bot.storage.coordinator import Coordinator
from bot.storage.port import EntryKind
from bot.texts.catalogue import mark, tr
from bot.tools import base
from bot.turn import Reply, Turn
from memory import Clock

SHORTENED = mark(
    "🧹 The oldest {tokens:,} tokens of this conversation are a summary now; `/restore` lets them count again."
)

SUMMARY_S = 15.0
"""How long the summary for a note may take, in seconds; a person waits for it."""

PATIENCE = 8
"""After a summary that came to nothing, so many exchanges pass before another one is tried."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FittedHistory:
    """A conversation that fits into the window, the transcript entries that made it fit, and what the person is told.

    `events` are lines for chats that are told how an answer comes about; the `failure` is why there is no summary.
    """

    history: History
    records: tuple[tuple[EntryKind, str], ...] = ()
    told: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    failure: ModelError | None = None

    def tell(self, reply: Reply) -> Reply:
        """Return a reply with these records and lines."""
        return replace(reply, records=self.records, told=(*reply.told, *self.told))


class WindowManager:
    """Reads conversations and shortens them where the model's window is too small."""

    def __init__(
        self,
        coordinator: Coordinator,
        model: Model,
        info: ModelInfo,
        *,
        tools: Sequence[base.Tool],
        options: SessionOptions,
        clock: Clock,
    ) -> None:
        window = info.window
        self._histories = HistoryReader(
            coordinator, room=window.request, longest=window.tool_result, count=info.counter.message
        )
        self._info = info
        self._options = options
        self._clock = clock
        self._compactor = Compactor(model, info)
        self._flush = MemoryFlush(model, info, tools, options.flush)

    async def read(self, turn: Turn) -> History:
        """Return the conversation of a turn, as far as it may fit."""
        asked = turn.asked or (turn.edited[-1] if turn.edited else "")
        return await self._histories.read(turn.session, asked=asked, zone=turn.agent.zone)

    async def fit(
        self, turn: Turn, history: History, *, system: Message, asked: Message, tools: Sequence[Tool]
    ) -> FittedHistory:
        """Shorten a conversation, if a turn's first request would not fit with it."""
        window, counter = self._info.window, self._info.counter
        fixed = counter.message(system) + counter.message(asked) + sum(map(counter.tool, tools))
        fixed += counter.text(history.summary) if history.summary else 0
        said = sum(exchange.tokens(counter.message) for exchange in history.exchanges)
        free = window.request - fixed - said
        is_full = free < 0 or history.earlier.answers > 0
        fitted = FittedHistory(history)
        if (is_full or free < (self._options.flush.soft_tokens or window.soft)) and not history.is_flushed:
            fitted = await self.flush(turn, fitted, system=system)
        since = sum(exchange.first > history.failed for exchange in history.exchanges)
        if not is_full or (history.failed and since < PATIENCE):
            return fitted
        room = max(window.keep // 4, min(window.keep, window.request - fixed - window.soft))
        fitted = await self._compact(turn, fitted, keep=room)
        if fitted.history.first > history.first:
            return fitted
        history = fitted.history  # it stays as it is, with a mark that keeps the next turns from trying the same again
        mark = Compaction(history.summary, history.first, is_foreign=history.is_summary_foreign, is_failed=True)
        return replace(fitted, records=(*fitted.records, (EntryKind.COMPACTION, mark.body)))

    async def shorten(self, turn: Turn, fitted: FittedHistory, *, system: Message, focus: str = "") -> FittedHistory:
        """Note what matters and summarise as much as may be; without a good summary the conversation stays as it is.

        `focus` is what the person wants to be kept above all.
        """
        fitted = await self.flush(turn, fitted, system=system)
        return await self._compact(turn, fitted, keep=self._info.window.keep // 4, focus=focus)

    async def flush(self, turn: Turn, fitted: FittedHistory, *, system: Message) -> FittedHistory:
        """Note what matters in a conversation and has not been looked at yet."""
        done = await self._flush.run(turn, fitted.history, system)
        if done is None:
            return fitted
        history = replace(fitted.history, flushed=done.upto, is_flushed=True)
        records, told = (*fitted.records, (EntryKind.FLUSH, done.body)), (*fitted.told, *done.told)
        return replace(fitted, history=history, records=records, told=told)

    async def summarize(self, turn: Turn, history: History) -> Summary | None:
        """Return what the owner and the agent have said, as a summary by the model; None if it does not come in time.

        Others' words are not shown to the model: they would have no origin any more.
        """
        if self._options.note == "rules":
            return None
        try:
            async with asyncio.timeout(SUMMARY_S):
                sections = await self._compactor.summarize(history.own, payer=turn.payer)
        except TimeoutError:
            log.warning("summary.late", turn=turn.id, seconds=SUMMARY_S)
            return None
        if sections is None:
            return None
        decided, told = (
            tuple(Said(turn.at, turn.agent.name, text, by_agent=True, is_foreign=False) for text in sections[name])
            for name in ("decided", "told")
        )
        return Summary(decided, told, sections["left open"], " ".join(sections["title"]))

    def context(self, history: History, system: Message) -> RequestContext:
        """Return what the requests of a turn have in common."""
        exchanges, pruning = history.exchanges, self._options.pruning
        if pruning.mode != "off":
            ttl, count = timedelta(minutes=pruning.ttl_minutes), self._info.counter.message
            exchanges = prune(exchanges, now=self._clock.now(), ttl=ttl, window=self._info.window, count=count)
        return RequestContext(
            system=system,
            exchanges=exchanges,
            summary=history.summary,
            unread=history.earlier.answers,
            window=self._info.window,
            counter=self._info.counter,
        )

    async def _compact(self, turn: Turn, fitted: FittedHistory, *, keep: int, focus: str = "") -> FittedHistory:
        """Summarise all but the newest `keep` tokens; nothing changes where that is all, or the model fails."""
        try:
            compaction = await self._compactor.compact(fitted.history, keep=keep, payer=turn.payer, focus=focus)
        except ModelError as error:
            log.warning("compaction.failed", turn=turn.id, reason=str(error))
            return replace(fitted, failure=error)
        if compaction is None:
            return fitted
        entry = (EntryKind.COMPACTION, compaction.body)
        history, events = compaction.apply(fitted.history), (*fitted.events, tr(SHORTENED, tokens=compaction.tokens))
        return replace(fitted, history=history, records=(*fitted.records, entry), events=events)
