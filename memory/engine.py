"""What `Memory` does, synchronously and on one thread: files, journal and index put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar
from zoneinfo import ZoneInfo

from memory.errors import Busy, Error, SecretFound, WriteFailed
from memory.files.markdown import clean, given_id
from memory.files.origins import Part
from memory.files.paths import daily_log
from memory.files.sensory import SensoryStore
from memory.files.sources import MAX_FILES, Sources
from memory.files.workspace import Workspace
from memory.index import sync
from memory.index.owners import is_piece
from memory.index.types import Progress
from memory.index.units import read_facts
from memory.index_manager import IndexManager, refusal
from memory.journal.checkpoint import Checkpoint
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.records import SUPERSEDED, Action, Operation
from memory.journal.writer import JournaledWriter, Undone
from memory.knowledge.context import SALIENT, KnowledgeContext
from memory.life.forgetter import Forgetter
from memory.pages import Pages
from memory.ports import Clock, Embedding, SystemClock
from memory.recall.filters import FACTS
from memory.recall.passages import RecallBudget, to_hit
from memory.recall.recall import Finder, find, with_strength
from memory.recall.scoring import RankingWeights, weights_of
from memory.strength import Fading
from memory.types import (
    OWNER,
    Actors,
    ChunkSize,
    Citation,
    Fact,
    Filter,
    Hit,
    Mode,
    Origin,
    Problem,
    RankingProfile,
    Recall,
    Scope,
    Superseded,
    Written,
)
from memory.vectors.questions import Question
from memory.vectors.service import VectorService

if TYPE_CHECKING:
    from memory.postgresql.store import SharedIndex

T = TypeVar("T")

SETTLED_EVERY = timedelta(hours=1)
"""How often, at most, a write is followed by a look for what is due to be blanked in the journal."""


class Options(TypedDict, total=False):
    """What may be left out when a memory is opened.

    Attributes:
        clock: source of time; the machine's.
        zone: the owner's time zone, which names the daily logs; UTC.
        mode: whether to wait for the index, and whether to write at all; `Mode.COMPLETE`.
        progress: told how far a long indexing has come.
        embedding: for search by meaning; without it words are searched alone.
        extra: folders that are indexed, too, as `extra/<name>/...`, and never written to.
        extra_trusted: names of those of these folders that are the owner's own; what stands in the others is foreign.
        extra_quota: files of one such folder that are taken in at most, the newest first; 5,000.
        chunks: how notes are cut; None for each paragraph by itself, in pieces of 160 tokens.
        secrets: texts that no file of the workspace may ever hold, such as the keys of the configuration.
        blanks: blank the journal's texts of what was forgotten a day ago by itself, when it is opened and with writes;
            True. Whoever keeps other records of what was said first clears those, then calls `Memory.purge`.
        ranking: how words and meaning are put together, by name or with weights of its own; `RankingProfile.SCRUBJAY`.
        fading: when facts fade; `Fading()`.
        salient_above: the salience above which a novel observation becomes a fact at once; .7.
    """

    clock: Clock
    zone: ZoneInfo
    mode: Mode
    progress: Progress | None
    embedding: Embedding | None
    extra: Mapping[str, Path]
    extra_trusted: Collection[str]
    extra_quota: int
    chunks: ChunkSize | None
    secrets: Collection[str]
    blanks: bool
    ranking: RankingProfile | RankingWeights
    fading: Fading
    salient_above: float


class MemoryEngine:
    """What `Memory` does, synchronously; its docstrings say what each method raises."""

    def __init__(self, workspace: Path, index: Path | SharedIndex, options: Options, *, resources: ExitStack) -> None:
        """Open files and index; `resources` closes what has been opened, whether or not all could be."""
        self._clock = clock = options.get("clock") or SystemClock()
        zone = options.get("zone") or ZoneInfo("UTC")
        self._weights = weights_of(options.get("ranking", RankingProfile.SCRUBJAY))
        self._is_read_only = read_only = options.get("mode") is Mode.READ_ONLY
        self._workspace = resources.enter_context(Workspace(workspace, create=not read_only))
        self._sources = sources = Sources(
            self._workspace,
            options.get("extra"),
            trusted=options.get("extra_trusted", ()),
            most_files=options.get("extra_quota", MAX_FILES),
            chunks=options.get("chunks"),
        )
        resources.callback(sources.close)
        self.journal = Journal(self._workspace)
        self._writer = JournaledWriter(self._workspace, self.journal, clock=clock, zone=zone, read_facts=read_facts)
        self.pages = Pages(self._workspace, sources, self.journal)
        self._secrets = tuple(options.get("secrets", ()))
        self._blanks = options.get("blanks", True)
        vectors = None
        if embedding := options.get("embedding"):
            vectors = VectorService(
                embedding,
                index if isinstance(index, Path) else index.beside,
                plain=not self._weights.metric,
                clock=clock,
                read_only=read_only,
                store=None if isinstance(index, Path) else partial(index.vectors, in_memory=not embedding.low_memory),
            )
            resources.callback(vectors.close)
        self.index_manager = IndexManager(
            index, sources, self.journal, clock=clock, read_only=read_only, vectors=vectors
        )
        resources.callback(self.index_manager.close)
        self._context = KnowledgeContext(
            self._workspace, self.journal, self._writer, self.pages, self.index_manager,
            SensoryStore(self._workspace, clock=clock), clock, zone, self._check_secrets,
            options.get("fading", Fading()), options.get("salient_above", SALIENT),
        )  # fmt: skip
        self.forgetter = Forgetter(self._context, sources, vectors, self._begin_write, self.recall)
        if not read_only and not Checkpoint(self._workspace, self.journal).is_at_rest():
            self._settle()
        self._settled_at: datetime = clock.now()

    def run(self, function: Callable[[KnowledgeContext], T]) -> T:
        if not self._is_read_only:
            self._begin_write()
        return self.index_manager.ask(lambda _: function(self._context))

    def remember(
        self, text: str | Fact, operation: Operation, *, keep_secrets: bool, day: date | None = None,
        sources: Sequence[str] = (),
    ) -> Written:  # fmt: skip
        from memory.capture.draft import read_fact

        self._begin_write()
        fact = text if isinstance(text, Fact) else read_fact(text)
        self._check_secrets(fact.text, keep=keep_secrets)
        written, content = self._writer.remember(fact, operation, day=day, sources=sources)
        self.index_manager.defer(written, content)
        return written

    def supersede(
        self, id: str, text: str | Fact, operation: Operation, *, keep_secrets: bool, whose: Actors, reach: Scope | None
    ) -> Superseded:
        taking_away = replace(operation, op_id=f"{operation.op_id}{SUPERSEDED}", origin=Origin.OWNER)
        done = self.forgetter.forgotten_lines(taking_away)
        if not done:
            self.forgetter.check(given_id(id), operation.scope, whose)
        written = self.remember(text, operation, keep_secrets=keep_secrets)
        self.index_manager.refresh_deferred()
        gone = done or self.forgetter.forget_facts([id], taking_away, reach=reach)
        return Superseded(written, gone[0])

    def recall(self, query: str, scope: Scope, budget: RecallBudget, where: Filter, question: Question) -> Recall:
        meant = self.index_manager.scan(question, scope)
        narrowed = replace(where, under=tuple(map(clean, where.under)))
        recalled = self.index_manager.ask(
            lambda index: Finder(index, meant, weights=self._weights, fading=self._context.fading).recall(
                query, scope=scope, today=self._context.today, where=narrowed, budget=budget
            )
        )
        unread = "" if recalled.answers else self.index_manager.unread
        return replace(recalled, notice=f"{self.index_manager.take_notice()} {unread}".strip())

    def append(self, path: str, text: str, parts: Sequence[Part], operation: Operation) -> Citation:
        self._sources.check_own(path)
        self._begin_write()
        pieces = [part for part in (Part(text, operation.origin), *parts) if part.text]
        self._check_secrets("".join(part.text for part in pieces))
        worst = Origin.worst([operation.origin, *(part.origin for part in pieces)])
        written = self._writer.append(path, pieces, replace(operation, origin=worst))
        self.index_manager.refresh([path])
        return written

    def rewrite(self, path: str, text: str, operation: Operation, *, expected: str) -> None:
        self._sources.check_own(path)
        self._begin_write()
        known = ""
        with suppress(Error):
            known = self.pages.read_whole(path).text
        self._check_secrets(text, known=known)
        self._writer.replace(path, text, operation, expected=expected)
        self.index_manager.refresh([path])

    def is_done(self, op_id: str) -> bool:
        self.journal.refresh()
        return self.journal.first_record(op_id) is not None

    def find(self, name: str, *, scope: Scope) -> Hit:
        hit = self.index_manager.ask(lambda index: find(index, clean(name), scope=scope))
        return self._with_strength([hit], scope)[0]

    def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        units = self._context.units_of(daily_log(clean(day), scope), scope)
        return tuple(to_hit(stored) for stored in units if not is_piece(stored.unit.name))

    def recent(self, limit: int, *, scope: Scope) -> tuple[Hit, ...]:
        wanted = limit
        while True:  # a long fact is listed once for each of its pieces, and another may stand for it
            units = self._context.list_units(Filter(kinds=FACTS), scope=scope, limit=wanted)
            facts = self._with_strength((to_hit(stored) for stored in units if not is_piece(stored.unit.name)), scope)
            standing = [hit for hit in facts if not (hit.strength and hit.strength.merged_into)]
            # They are listed by the days that they are about: what is due later stands before all that is newer.
            later = [hit for hit in standing if hit.noted[0] < (hit.time or "")[:10]]
            if len(standing) - len(later) >= limit or len(units) < wanted:
                return tuple(sorted(standing, key=lambda hit: hit.noted, reverse=True)[:limit])
            wanted *= 4

    def recall_and_speakers(self, recall: Callable[[], Recall], scope: Scope) -> tuple[Recall, tuple[str, ...]]:
        return recall(), self.speakers(scope)

    def speakers(self, scope: Scope) -> tuple[str, ...]:
        return tuple(self.index_manager.ask(lambda index: index.voices(scope=scope)))

    def undo(
        self, operation: Operation, count: int, *, whose: Actors, only: Collection[str] | None
    ) -> tuple[Undone, ...]:
        from memory.capture.draft import read_fact
        from memory.knowledge.reflection.reflect import forget_sources

        self._begin_write()
        op_id, actor, scope = operation.op_id, operation.actor, operation.scope
        undone = self._writer.undo(operation, count, whose=whose, only=only)
        paths = {change.path for change in undone if change.path}
        for number, change in enumerate(undone):
            if change.action == Action.RESTATE and change.restored:  # what was only counted is written down now
                again = Operation(f"{op_id}/restated:{number}", actor, change.origin, scope)
                written, _ = self._writer.remember(read_fact(change.restored), again)
                paths.add(written.at.path)
        self.index_manager.refresh(sorted(paths))
        gone = frozenset(change.id for change in undone if change.action == Action.REMEMBER)
        if scope == OWNER and gone:
            self.index_manager.ask(lambda _: forget_sources(self._context, gone, op_id=op_id, actor=actor))
        return undone

    def problems(self) -> tuple[Problem, ...]:
        in_files = self.index_manager.ask(lambda index: sync.inspect(index, self._sources, self.journal))
        return (*in_files, *verify(self._workspace))

    def _begin_write(self) -> None:
        if self._is_read_only:
            raise refusal()
        if self._clock.now() - self._settled_at >= SETTLED_EVERY:
            self._settle()
            self._settled_at = self._clock.now()

    def _check_secrets(self, text: str, *, keep: bool = False, known: str = "") -> None:
        """Refuse a text with what looks like a secret; what stands in the file already is known."""
        from memory.privacy.secrets import find_secrets  # 20 ms to compile its patterns, which reading need not pay

        registered = [value for value in self._secrets if value in text]
        if registered:
            raise SecretFound.of((), registered)
        found = [secret for secret in find_secrets(text) if text[secret.start : secret.end] not in known]
        if found and not keep:
            kinds = dict.fromkeys(secret.kind.group for secret in found)
            raise SecretFound.of(kinds, [text[secret.start : secret.end] for secret in found])

    def _settle(self) -> None:
        self._writer.settle()
        if self._blanks:
            with suppress(Busy, WriteFailed):
                self.forgetter.blank()

    def _with_strength(self, hits: Iterable[Hit], scope: Scope) -> tuple[Hit, ...]:
        fading, today = self._context.fading, self._context.today
        return self.index_manager.ask(lambda index: with_strength(index, hits, fading, scope=scope, today=today))
