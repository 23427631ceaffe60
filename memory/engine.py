"""What `Memory` does, synchronously and on one thread: files, journal and index put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar
from zoneinfo import ZoneInfo

from memory.errors import Busy, Conflict, Error, Expired, NotFound, SecretFound, Unparsable, WriteFailed
from memory.files.markdown import blocks, clean, given_id, split_lines
from memory.files.notation import parse_fact
from memory.files.paths import admit, daily_log
from memory.files.sensory import SensoryStore
from memory.files.sources import MOST_FILES, Sources
from memory.files.workspace import Workspace
from memory.index import sync
from memory.index.owners import is_piece, whole_name
from memory.index.types import Stored
from memory.index.units import MOST_UNITS, read_facts
from memory.index_manager import IndexManager, refusal
from memory.journal.checkpoint import Checkpoint
from memory.journal.drafts import bare_id
from memory.journal.journal import Journal
from memory.journal.maintenance import verify
from memory.journal.records import SUPERSEDED, Action, Operation, Record
from memory.journal.writer import JournaledWriter, Undone
from memory.knowledge.context import SALIENT, KnowledgeContext, check_author
from memory.pages import PLACE, Pages
from memory.ports import Clock, Embedding, SystemClock
from memory.privacy import forgetting
from memory.privacy.forgetting import ForgettingTrail, SavedCopies, is_repeat, title_in, without_title
from memory.privacy.previews import Preview, Previews
from memory.recall.filters import FACTS
from memory.recall.passages import RecallBudget, shown
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
    Kind,
    Line,
    Mode,
    Origin,
    Part,
    Problem,
    Progress,
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
    from memory.privacy.traces import Traces

T = TypeVar("T")

SHOWN_TO_FORGET = 5
"""Facts that a query proposes for forgetting."""
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
        self._fading = options.get("fading", Fading())
        self._is_read_only = read_only = options.get("mode") is Mode.READ_ONLY
        self._workspace = resources.enter_context(Workspace(workspace, create=not read_only))
        self._sources = Sources(
            self._workspace,
            options.get("extra"),
            trusted=options.get("extra_trusted", ()),
            most_files=options.get("extra_quota", MOST_FILES),
            chunks=options.get("chunks"),
        )
        resources.callback(self._sources.close)
        self.journal = Journal(self._workspace)
        self._sensory = SensoryStore(self._workspace, clock=clock)
        self._writer = JournaledWriter(self._workspace, self.journal, clock=clock, zone=zone, read_facts=read_facts)
        self.pages = Pages(self._workspace, self._sources, self.journal)
        self._previews = Previews()
        self.has_forgotten = True  # as far as `trails` knows
        self._secrets = tuple(options.get("secrets", ()))
        self._saved_copies = SavedCopies(self._sources)
        self._blanks = options.get("blanks", True)
        if not read_only and not Checkpoint(self._workspace, self.journal).is_at_rest():
            self._settle()
        self._settled_at: datetime = clock.now()
        self._vectors: VectorService | None = None
        if embedding := options.get("embedding"):
            self._vectors = VectorService(
                embedding,
                index if isinstance(index, Path) else index.beside,
                plain=not self._weights.metric,
                clock=clock,
                read_only=read_only,
                store=None if isinstance(index, Path) else partial(index.vectors, in_memory=not embedding.low_memory),
            )
            resources.callback(self._vectors.close)
        self.index_manager = IndexManager(
            index, self._sources, self.journal, clock=clock, read_only=read_only, vectors=self._vectors
        )
        resources.callback(self.index_manager.close)
        self._context = KnowledgeContext(
            self._workspace, self.journal, self._writer, self.pages, self.index_manager, self._sensory, clock, zone,
            self._check_secrets, self._fading, options.get("salient_above", SALIENT),
        )  # fmt: skip

    def run(self, function: Callable[[KnowledgeContext], T]) -> T:
        if not self._is_read_only:
            self._begin_write()
        return self.index_manager.ask(lambda _: function(self._context))

    def remember(
        self, text: str | Fact, operation: Operation, *, keep_secrets: bool, day: date | None = None
    ) -> Written:
        from memory.capture.draft import read_fact

        self._begin_write()
        fact = text if isinstance(text, Fact) else read_fact(text)
        self._check_secrets(fact.text, keep=keep_secrets)
        written, content = self._writer.remember(fact, operation, day=day)
        self.index_manager.defer(written, content)
        return written

    def supersede(
        self, id: str, text: str | Fact, operation: Operation, *, keep_secrets: bool, whose: Actors, reach: Scope | None
    ) -> Superseded:
        taking_away = replace(operation, op_id=f"{operation.op_id}{SUPERSEDED}", origin=Origin.OWNER)
        done = self._forgotten_lines(taking_away)
        if not done:
            self._sources.check_own(self._one(given_id(id), operation.scope).path)
            check_author(self._context, given_id(id), whose)
        written = self.remember(text, operation, keep_secrets=keep_secrets)
        self.index_manager.refresh_deferred()
        gone = done or self.forget_facts([id], taking_away, reach=reach)
        return Superseded(written, gone[0])

    def recall(self, query: str, *, scope: Scope, budget: RecallBudget, where: Filter, question: Question) -> Recall:
        meant = self.index_manager.scan(question, scope)
        narrowed = replace(where, under=tuple(map(clean, where.under)))
        recalled = self.index_manager.ask(
            lambda index: Finder(index, meant, weights=self._weights, fading=self._fading).recall(
                query, scope=scope, today=self._context.today, where=narrowed, room=budget
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
        units = self._in_order(daily_log(clean(day), scope), scope)
        return tuple(shown(stored) for stored in units if not is_piece(stored.unit.name))

    def recent(self, limit: int, *, scope: Scope) -> tuple[Hit, ...]:
        wanted = limit
        while True:  # a long fact is listed once for each of its pieces, and another may stand for it
            units = self._list_units(Filter(kinds=FACTS), scope=scope, limit=wanted)
            facts = self._with_strength((shown(stored) for stored in units if not is_piece(stored.unit.name)), scope)
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

    def preview_forget(
        self, wanted: str, *, everything: bool, scope: Scope, actor: str, question: Question, whose: Actors,
        reach: Scope | None,
    ) -> Preview:  # fmt: skip
        self._begin_write()
        meant, choose = self._find_candidates(clean(wanted).strip(), scope, everything=everything, question=question)
        paths = list(dict.fromkeys(path for path, _ in meant))
        self.index_manager.refresh(paths)
        units = {
            (unit.path, unit.unit.name): unit
            for path in paths
            for unit in self._in_order(path, scope)
            if not is_piece(unit.unit.name)
        }
        # Several units may be pieces of one long line.
        facts = [units[place] for place in meant if place in units]
        if not facts and (reason := self.index_manager.reason(with_damage=False) or self.index_manager.unread):
            raise NotFound(reason)  # it may stand in a file all the same
        facts += self._going_along([name for _, name in meant], scope)
        found = {(line.path, line.number): line for line in map(self._line, facts)}
        lines = tuple(line for line in found.values() if whose is None or self.journal.author(bare_id(line)) in whose)
        others = dict.fromkeys(self.journal.author(bare_id(line)) for line in found.values() if line not in lines)
        choose = choose and len(lines) > 1
        preview = Preview("", lines, choose=choose, others=tuple(others))
        if lines:
            traces = self._traces([line.text for line in lines], scope, lines)
            reach, ids = reach or scope, frozenset(map(bare_id, lines))
            trail = ForgettingTrail(reach, traces, ids, self._turns_of(ids))
            notes = () if choose else self._saved_copies.lines(traces, lines, saved=reach == OWNER)
            preview = replace(preview, notes=notes, trail=trail)
        return self._previews.add(preview, scope=scope, actor=actor, now=self._clock.now())

    def forget(self, token: str, only: Sequence[int], operation: Operation) -> tuple[Line, ...]:
        self._begin_write()
        now, scope, actor = self._clock.now(), operation.scope, operation.actor
        try:
            lines, reach = self._previews.confirm(token, only, scope=scope, actor=actor, now=now)
        except Expired:
            if done := self._forgotten_lines(operation):
                return self._forget(done, operation)
            raise
        gone = self._forget(lines, operation, reach=reach)
        self._previews.remove(token)
        return gone

    def forget_facts(self, ids: Sequence[str], operation: Operation, *, reach: Scope | None) -> tuple[Line, ...]:
        self._begin_write()
        done, scope = self._forgotten_lines(operation), operation.scope
        gone = {line.id for line in done}
        names = [*dict.fromkeys(map(given_id, ids))]
        due = [self._one(name, scope) for name in names if name not in gone]
        due += [stored for stored in self._going_along(names, scope) if stored.unit.name not in {*names, *gone}]
        lines = [*done, *forgetting.disjoint([*map(self._line, due)])]
        return self._forget(lines, operation, reach=reach)

    def trails(self, after: int, by: str, ids: Collection[str]) -> tuple[ForgettingTrail, ...]:
        self._begin_write()
        trails = []
        for (scope, reach), records in self._gone(after, by, ids).items():
            self.index_manager.refresh_deferred()
            traces = self._traces([record.before or "" for record in records], scope)
            begun = ((record.op_id, record.actor) for record in records if record.action == Action.FORGET)
            for op_id, actor in dict.fromkeys(begun):
                operation = Operation(op_id, actor, Origin.OWNER, scope)
                self._forget(self._forgotten_lines(operation), operation, reach=reach)
            gone = frozenset(record.target for record in records)
            forgot = frozenset(record.op_id.rpartition(":")[0] for record in records)
            trails.append(ForgettingTrail(reach, traces, gone, self._turns_of(gone), forgot, records[-1].seq))
        return tuple(trails)

    def purgeable(self, *, scope: Scope | None, at_once: bool, op_id: str) -> tuple[Line, ...]:
        due = self._writer.due(at_once=at_once, scope=scope, op_id=op_id)
        return tuple(Line(record.target, record.path, 0, record.before or "") for record in due)

    def purge(self, *, at_once: bool, scope: Scope | None, op_id: str) -> int:
        self._begin_write()
        count = self._blank(at_once=at_once, scope=scope, op_id=op_id)
        if at_once:
            self.index_manager.scrub(compact=True)
            if self._vectors:
                self._vectors.drop((), compact=True)
        return count

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
                self._blank()

    def _blank(self, *, at_once: bool = False, scope: Scope | None = None, op_id: str = "") -> int:
        due = self._writer.due(at_once=at_once, scope=scope, op_id=op_id)
        if not due:
            return 0
        traces = self._traces([record.before or "" for record in due], OWNER)

        def new_name(path: str) -> str:  # of a note or page that is gone under a name which repeats a fact
            is_told = traces.matches(title_in(path)) and self._workspace.content_at(admit(path)) is None
            return without_title(path) if is_told else path

        return self._writer.purge(traces.matches, new_name, at_once=at_once, scope=scope, op_id=op_id)

    def _with_strength(self, hits: Iterable[Hit], scope: Scope) -> tuple[Hit, ...]:
        return self.index_manager.ask(
            lambda index: with_strength(index, hits, self._fading, scope=scope, today=self._context.today)
        )

    def _one(self, name: str, scope: Scope) -> Stored:
        stored = self._context.find(name, scope)
        if stored is None:
            raise NotFound(f"There is no ^{name} in memory; nothing was forgotten.", hint="Ids stand behind each hit.")
        return stored

    def _find_all(self, names: Sequence[str], scope: Scope) -> list[Stored]:
        """Return the units of these names that there are, each once."""
        found = self.index_manager.ask(lambda index: [index.find(name, scope=scope) for name in dict.fromkeys(names)])
        return [stored for stored in found if stored is not None]

    def _going_along(self, names: Sequence[str], scope: Scope) -> list[Stored]:
        """Return what goes with facts: what was merged with them, and what an opinion's page has it from."""
        begun = [piece.id for one in self._find_all(names, scope) for piece in one.unit.evidence if not piece.step]
        return self._find_all([*begun, *self.journal.state.merged_with(names)], scope)

    def _in_order(self, path: str, scope: Scope) -> list[Stored]:
        """Return the units of one file, from top to bottom."""
        units = self._list_units(Filter(under=(path,)), scope=scope, limit=MOST_UNITS)
        return sorted((unit for unit in units if unit.path == path), key=lambda unit: unit.order)

    def _list_units(self, where: Filter, *, scope: Scope, limit: int) -> list[Stored]:
        ids = self.index_manager.ask(lambda index: index.listed(scope=scope, where=where, limit=limit))
        return self.index_manager.ask(lambda index: index.stored(ids, scope=scope))

    def _find_candidates(
        self, wanted: str, scope: Scope, *, everything: bool, question: Question
    ) -> tuple[list[tuple[str, str]], bool]:
        """Return path and id of what may be meant, by id, place or words, and whether it has to be chosen from."""
        name = wanted.rpartition("#^")[2].rstrip("]").removeprefix("^")  # of a link: `[[2026-11-29#^k3f9a2mq]]`
        if by_id := self._context.find(name, scope):
            return [(by_id.path, whole_name(by_id.unit.name))], False
        if place := PLACE.fullmatch(wanted):
            line, end = int(place["line"]), int(place["end"] or place["line"])
            units = self._in_order(place["path"], scope)
            here = [stored for stored in units if stored.unit.start <= line <= stored.unit.end]
            here.sort(key=lambda stored: (stored.unit.start, stored.unit.end) != (line, end))
            # The chunk of just these lines is meant, else the first with this line; pieces of one line begin together.
            meant = [stored for stored in here if stored.unit.start == here[0].unit.start]
            return [(stored.path, whole_name(stored.unit.name)) for stored in meant], False
        is_gone = name in self.journal.state.provenance
        if is_gone or wanted.startswith(("^", "[[")) or (wanted.endswith(".md") and " " not in wanted):  # no words
            return [], False
        if everything:
            facts = self._list_units(Filter(kinds=FACTS), scope=scope, limit=MOST_UNITS)
            entries = self.index_manager.ask(lambda index: index.entries([fact.id for fact in facts], scope=scope))
            terms = {entry.id: entry.terms for entry in entries}
            about = forgetting.find_about(facts, terms, wanted)
            return [(fact.path, fact.unit.name) for fact in about if not self._sources.is_extra(fact.path)], False
        budget = RecallBudget(SHOWN_TO_FORGET, 1_000_000)
        where = Filter(kinds=FACTS, faded=True)
        found = self.recall(wanted, scope=scope, budget=budget, where=where, question=question)
        like = (hit for hit in found.hits if hit.grounds.get("held") or hit.relevance >= found.floor / 2)
        own = (hit for hit in like if not self._sources.is_extra(hit.unit.path))
        hits = [unit for hit in own for unit in self._in_order(hit.unit.path, scope) if unit.unit.name == hit.id]
        best = forgetting.clearly_meant(hits, wanted)
        return [(fact.path, fact.unit.name) for fact in ([best] if best else hits)], best is None

    def _forget(self, lines: Sequence[Line], operation: Operation, *, reach: Scope | None = None) -> tuple[Line, ...]:
        """Take lines away, and those of saved notes that repeat them, from files and index; some may be gone already.

        Saved are the owner's conversations alone, so only what reaches the owner's is looked for there. Vectors go
        first: they are computed again if this is broken off.
        """
        op_id, scope, actor = operation.op_id, operation.scope, operation.actor
        known = {record.target: record for record, _ in self._writer.forgotten_records(operation)}
        facts = [line for line in lines if not is_repeat(bare_id(line), {*known, *map(bare_id, lines)})]
        traces = self._traces([line.text for line in facts], scope, facts)
        is_everywhere = (reach or scope) == OWNER
        notes = self._saved_copies.lines(traces, facts, saved=is_everywhere, known=known)
        names = self._saved_copies.new_names(traces, facts) if is_everywhere else {}
        for path, name in names.items():
            self._writer.rename(path, name)
        due = [replace(line, path=names.get(line.path, line.path)) for line in (*lines, *notes)]
        self.index_manager.refresh([*names, *names.values()])
        paths = sorted({line.path for line in due})
        if self._vectors:
            self._vectors.drop(self._embedded_texts(due, scope))
        gone = self._writer.forget(due, operation, reach=reach)
        observed = map(self._sensory.find, self.journal.state.merged_with([*map(bare_id, facts)]))
        texts = {fact.text for fact in observed if fact}
        is_repeated = traces.matches if (reach or scope) == scope else texts.__contains__
        self._sensory.forget(lambda text: text in texts or is_repeated(text), scope=scope)
        self.index_manager.refresh(paths)
        if scope == OWNER:
            from memory.knowledge.reflection.reflect import forget_sources

            said = [forgetting.fact_in(line.text).text for line in facts] if is_everywhere else []
            ids = frozenset(map(bare_id, facts))
            self.index_manager.ask(lambda _: forget_sources(self._context, ids, said, op_id=op_id, actor=actor))
        self.index_manager.scrub()
        return gone

    def _traces(self, texts: Sequence[str], scope: Scope, gone: Sequence[Line] = ()) -> Traces:
        """Return what facts are recognised by; what is left of memory is asked as far as their scope may see it."""
        if scope == OWNER:
            return self._saved_copies.traces(texts, self._saved_copies.remaining_texts(gone))
        units = self._list_units(Filter(), scope=scope, limit=MOST_UNITS)
        away = {*((line.path, line.number) for line in gone), *(copy[:2] for copy in self._saved_copies.copies(gone))}
        return self._saved_copies.traces(
            texts, (stored.unit.text for stored in units if (stored.path, stored.unit.start) not in away)
        )

    def _embedded_texts(self, lines: Sequence[Line], scope: Scope) -> Iterator[str]:
        """Yield what was embedded of the units that have one of these lines."""
        for path in {line.path for line in lines}:
            spans = [(line.number, line.number + line.text.count("\n")) for line in lines if line.path == path]
            for stored in self._in_order(path, scope):
                if any(stored.unit.start <= end and start <= stored.unit.end for start, end in spans):
                    yield stored.unit.meant

    def _turns_of(self, ids: Collection[str]) -> frozenset[str]:
        known = self.journal.state.provenance
        return frozenset(turn for name in ids if name in known for turn in known[name].turns)

    def _gone(self, after: int, by: str, ids: Collection[str]) -> dict[tuple[Scope, Scope], list[Record]]:
        """Return the records of facts that were forgotten and not put back, by scope and reach, in their order."""
        self.journal.refresh()
        state = self.journal.state
        alive = {forgetting.seq for forgetting in state.forgotten.values() if not forgetting.blanked}
        self.has_forgotten = bool(alive)
        wanted = {seq for seq in alive if seq > after}
        if by and alive:
            wanted |= {seq for name, seqs in state.operations.items() if name.startswith(by) for seq in seqs}
        forgettings: dict[tuple[Scope, Scope], list[Record]] = {}
        named = self._writer.due(at_once=True) if ids else map(self.journal.record, sorted(wanted & alive))
        for record in (one for one in named if not ids or one.target in ids):
            targets = {other.target for other in self.journal.operation(record.op_id)}
            if not is_repeat(record.target, targets):
                forgettings.setdefault((record.scope, record.details.get("reach", record.scope)), []).append(record)
        return forgettings

    def _line(self, stored: Stored) -> Line:
        """Return the whole lines of a unit, as they stand in the file now."""
        unit, path = stored.unit, stored.path
        self._sources.check_own(path)
        text, _ = self._workspace.read_lenient(path)
        lines = "\n".join(split_lines(text)[unit.start - 1 : unit.end])
        if unit.kind is not Kind.NOTE:
            lines = next((block.text for block in blocks(text) if block.start == unit.start), lines)
        words = ""
        with suppress(Unparsable):  # it is no bullet any more
            words = parse_fact(lines).text
        if unit.text not in lines and unit.body not in words:
            raise Conflict(f"{path}:{unit.start} is being changed at this moment.", hint="Ask again.")
        return Line(unit.name, path, unit.start, lines)

    def _forgotten_lines(self, operation: Operation) -> tuple[Line, ...]:
        """Return what an operation that is known already forgot: a turn may be repeated after a crash."""
        done = self._writer.forgotten_records(operation)
        return tuple(Line(record.target, record.path, at.start, record.before or "") for record, at in done)
