"""Memory: the library's front door. One object per workspace; every verb a person or an agent uses is a method here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, Unpack

from memory.embedding_queue import EmbeddingQueue
from memory.engine import MemoryEngine, Options
from memory.errors import Error, IndexBroken
from memory.files.origins import Part
from memory.index.types import Progress, Status, Synced
from memory.index_manager import NOTHING_YET
from memory.index_refresher import IndexRefresher, completion
from memory.journal.records import Operation
from memory.journal.writer import Undone
from memory.knowledge.context import KnowledgeContext
from memory.life.observations import Observed
from memory.pages import Page, Passage
from memory.ports import Embedding, Purpose, Writer
from memory.privacy.previews import Preview
from memory.privacy.traces import ForgettingTrail
from memory.recall.passages import RecallBudget
from memory.recall.profile import BUDGET, ProfileSuggestions, offer
from memory.recall.query import meaning_of
from memory.types import (
    EVERYWHERE,
    OWNER,
    Actors,
    Citation,
    Fact,
    Filter,
    Hit,
    Line,
    Mode,
    Origin,
    Problem,
    Recall,
    Scope,
    Stats,
    Superseded,
    Written,
)
from memory.vectors.questions import Question, Questions
from memory.worker import WorkThread

if TYPE_CHECKING:  # a look into memory need not wait for what judges, links and consolidates
    from memory.life.calibrate import LanguageBands
    from memory.life.consolidation.consolidate import Limits
    from memory.life.consolidation.plan import Consolidation
    from memory.life.intentions import Intention
    from memory.postgresql.store import SharedIndex

P = ParamSpec("P")
T = TypeVar("T")


class Memory:
    """What one agent remembers.

    >>> async def example(workspace: Path) -> None:
    ...     async with await Memory.open(workspace, index=workspace / "index.sqlite") as memory:
    ...         note = "The spare key is under the blue pot."
    ...         await memory.remember(note, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
    ...         found = await memory.recall("where is the spare key?", scope=OWNER)
    """

    def __init__(self, engine: MemoryEngine, thread: WorkThread, *, embedding: Embedding | None = None) -> None:
        self.changed: Callable[[], None] = lambda: None
        """Called in the event loop soon after something was written down, or was found changed in the files."""
        self._engine = engine
        self._forgetter = engine.forgetter
        self._seen = engine.journal.seen
        self._without_forgettings: tuple[object, ...] = ()  # how the journal stood when nothing in it was forgotten
        self._thread = thread
        self._refresher = IndexRefresher(engine.index_manager, thread)
        self._speakers: dict[Scope, tuple[str, ...]] = {}  # as of the last question
        self._embedding = embedding
        self._questions = Questions(embedding.embedder) if embedding else None
        self._queue = None
        if embedding:
            self._queue = EmbeddingQueue(embedding.embedder, engine.index_manager, thread, then=self._link)

    @classmethod
    async def open(cls, workspace: Path, *, index: Path | SharedIndex, **options: Unpack[Options]) -> Self:
        """Open a workspace and bring its index up to date.

        Args:
            workspace: the folder of Markdown; made if it does not exist.
            index: the derived SQLite file, or where it is in a database; made, repaired or rebuilt as needed.
            options: what may be left out; see `Options`.

        Files that cannot be read, and an index that cannot follow, are no errors here: `problems` and `status` tell.

        Raises:
            PathRefused: the workspace is not a folder, or the name of an extra one is none.
            NotFound: it does not exist and was not to be written.
            WriteFailed: it, or the folder of the index, cannot be created or written.
            Busy: another process keeps the index locked.
        """
        thread = WorkThread("memory")
        async with AsyncExitStack() as undo:
            undo.push_async_callback(thread.close)
            engine = await thread.run(MemoryEngine, workspace, index, options, resources=thread.resources)
            memory = cls(engine, thread, embedding=options.get("embedding"))
            if options.get("mode") is Mode.AT_ONCE:  # it is going to write, and nobody is to wait for the journal then
                await thread.run(engine.journal.refresh)
                memory._refresher.start(options.get("progress"))
            else:
                await asyncio.wait([completion(memory._refresher.start(options.get("progress")))])
            undo.pop_all()
        return memory

    async def remember(
        self,
        text: str | Fact,
        *,
        origin: Origin,
        scope: Scope,
        op_id: str,
        actor: str,
        keep_secrets: bool = False,
        day: date | None = None,
        sources: Sequence[str] = (),
    ) -> Written:
        """Write one fact into today's log, to the letter. When this returns, it is on disk, and this memory finds it.

        The index takes it in soon after the return, and before anything else that is asked of this memory; another
        process that reads the same index may find it a twentieth of a second later.

        A line of typed notation says what it is; of other text, kind, entities and category are found by rule. A
        known `op_id` writes nothing and returns the first receipt. A call that is cancelled still writes.

        Args:
            text: what is to be kept.
            origin: where it comes from.
            scope: who may see it.
            op_id: the same for every attempt at this write.
            actor: who asks for it.
            keep_secrets: the person has been asked about what looks like a secret in it, and wants it kept.
            day: into whose log it goes, if not into today's.
            sources: the turns in which it was told; by default that which the `op_id` begins with.

        Raises:
            Unparsable: nothing is said, notation is malformed, or it could not be read back to the letter.
            SecretFound: it looks like it holds a secret.
            TooLarge: longer than a fact may be.
            WriteFailed, NotFound: the disk refused, or the workspace is gone; nothing was written.
            Busy: another process keeps writing.
            Conflict: the `op_id` was another operation's.
        """
        remember = partial(self._engine.remember, keep_secrets=keep_secrets, day=day, sources=sources)
        self._thread.defer(self._engine.index_manager.refresh_deferred, then=lambda _: self._after_write())
        return await self._thread.run_ahead(remember, text, Operation(op_id, actor, origin, scope))

    async def observe(self, text: str, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Observed:
        """Let the gate decide what becomes of an observation: it is counted, linked, written down, or kept for a day.

        What is known is merged: nothing is written, and `undo` makes it a fact of its own. What is like something known
        becomes a fact, and so does what is new and salient. The rest is kept for 24 hours and not found by recall. A
        known `op_id` returns the first result; ids of automatic observations begin with `observe:`. It raises as
        `remember` does, `TooLarge` also if too much was observed within a day.
        """
        from memory.life import gate

        question = await self._question(await self.run(gate.compared_text, text), Purpose.PASSAGE)
        operation = Operation(op_id, actor, origin, scope)
        return await self.run(gate.observe, text, operation, question=question, bands=self._bands)

    async def consolidate(
        self, *, actor: str, limits: Limits | None = None, writer: Writer | None = None, dry_run: bool = False
    ) -> Consolidation:
        """Make one dated fact of what was observed several times, merge facts that say the same, promote what is used.

        `memory.life.consolidation.plan.take_back` takes a run back; one that is killed is finished by the next. It
        raises as `memory.life.consolidation.consolidate.consolidate` does.
        """
        from memory.life.consolidation.consolidate import ANY_TIME, consolidate, embed_texts  # pydantic takes 50 ms

        embed = partial(embed_texts, self.run, self._questions) if self._questions else None
        begin = partial(consolidate, self.run, actor=actor, limits=limits or ANY_TIME, writer=writer, dry_run=dry_run)
        return await begin(embed=embed, bands=self._bands)

    async def supersede(
        self,
        id: str,
        text: str | Fact,
        *,
        origin: Origin,
        scope: Scope,
        op_id: str,
        actor: str,
        keep_secrets: bool = False,
        whose: Actors = None,
        reach: Scope | None = None,
    ) -> Superseded:
        """Write a fact that replaces an earlier one of these actors (`whose`); `undo` takes both back together.

        How far the earlier one is forgotten, `reach` says as in `forget_facts`. It raises as `remember` and
        `forget_facts` do, `NotYours` if somebody else wrote that one, `PathRefused` if it is in an extra folder, which
        is only read; nothing was written then.
        """
        supersede = partial(self._engine.supersede, keep_secrets=keep_secrets, whose=whose, reach=reach)
        operation = Operation(op_id, actor, origin, scope)
        return await self._written(self._refresher.run_fresh(supersede, id, text, operation))

    async def recall(
        self,
        query: str,
        *,
        scope: Scope,
        limit: int = 6,
        budget_chars: int = 8000,
        where: Filter = EVERYWHERE,
        hypothetical: str = "",
        by_words: bool = False,
    ) -> Recall:
        """Find what answers a question.

        No text makes it raise, and nothing found comes with its reason. `hypothetical` is what an answer might say: its
        meaning is looked for, too, its words are not. `by_words` spares the embedding, which takes longest.
        """
        budget = RecallBudget(max(1, limit), max(1, budget_chars))
        recall = partial(self._engine.recall, scope=scope, budget=budget, where=where)
        if self._questions is None or by_words:
            return await self._refresher.run_fresh(recall, query, question=Question())
        if scope not in self._speakers:
            self._speakers[scope] = await self._refresher.run(self._engine.speakers, scope)
        while True:
            meant = meaning_of(query, self._speakers[scope])
            looking = self._refresher.look()  # while the question is embedded
            question = await self._question(meant)
            if hypothetical.strip() and question.vector is not None:
                question = replace(question, answer=(await self._question(hypothetical, Purpose.PASSAGE)).vector)
            await self._refresher.wait(looking)
            found, self._speakers[scope] = await self._refresher.run(
                self._engine.recall_and_speakers, partial(recall, query, question=question), scope
            )
            if meaning_of(query, self._speakers[scope]) == meant:  # else somebody it names has come to speak meanwhile
                return found

    def expect(self, query: str, *, scope: Scope) -> None:
        """Begin to embed a question that is about to be asked, unless others wait, or none was asked in this scope."""
        if self._questions and scope in self._speakers and self._engine.index_manager.has_loaded_vectors:
            self._questions.expect(meaning_of(query, self._speakers[scope]))

    async def run(self, work: Callable[Concatenate[KnowledgeContext, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry a function of `memory.knowledge` out, with the index up to date; raises what it raises."""
        called = self._refresher.run_fresh(self._engine.run, lambda context: work(context, *args, **kwargs))
        return await self._written(called)

    async def find_same(self, text: str, *, origin: Origin, scope: Scope) -> Hit | None:
        """Return a fact that says the same as a text, of no worse an origin, or None; raises what `remember` raises."""
        from memory.life.reviews import find_same

        find = partial(find_same, text=text, origin=origin, scope=scope)
        await self._refresher.wait(self._refresher.look())
        with suppress(IndexBroken):  # what the index has not taken in yet is compared by itself
            return await self._thread.run_ahead(self._engine.run, find)
        return await self._refresher.run(self._engine.run, find)

    async def waiting(self, scope: Scope) -> tuple[Intention, ...]:
        """Return the intentions of a scope that wait for something to come up; raises `IndexBroken`, `Busy`."""
        from memory.life.intentions import waiting

        find = partial(self._engine.run, partial(waiting, scope=scope))
        return await self._refresher.run_once(find, about=scope)

    async def get(self, path: str, *, scope: Scope, start: int = 1, lines: int = 120) -> Passage:
        """Read lines of a file (at most 12,000 characters), with the next line to read from.

        Whoever is not the owner gets the lines of their scope, with empty ones for the others.

        Raises:
            PathRefused: not a name that the workspace admits.
            NotFound: no such file, or nothing in it for this scope.
            TooLarge, Unreadable: it is too large, or the system will not open it.
        """
        return await self._thread.run_ahead(self._engine.pages.read, path, scope=scope, start=start, lines=lines)

    async def page(self, path: str) -> Page:
        """Return a whole file, for its owner's eyes and for what is put before a model on the owner's behalf.

        Raises as `get` does, `PathRefused` also if it is no ordinary file.
        """
        return await self._thread.run_ahead(self._engine.pages.read_whole, path)

    async def copy_file(self, path: str, into: Path, *, limit: int) -> None:
        """Copy a file of any kind, of at most so many bytes, into a folder that may be missing; raises as `page`."""
        into.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        await self._thread.run_ahead(self._engine.pages.copy, path, into, limit=limit)

    async def pages(self, paths: Sequence[str]) -> tuple[Page | Error, ...]:
        """Return several whole files at once; instead of one that cannot be read, what `page` would raise."""
        return await self._thread.run_ahead(self._engine.pages.read_all, paths)

    async def edited_by_hand(self, since: Mapping[str, str]) -> frozenset[str]:
        """Return which files were changed by anybody but this memory since they were in a state (`Page.state`).

        The state of one that did not exist is empty.
        """
        return await self._thread.run_ahead(self._engine.pages.edited_by_hand, since)

    async def append(
        self, path: str, text: str = "", *, parts: Sequence[Part] = (), origin: Origin, op_id: str, actor: str
    ) -> Citation:
        """Add whole lines at the end of a file, which is made if it is missing.

        What looks like a secret is refused: a person is asked about facts only. A file that is made with words of
        others says so in its properties (`origin: untrusted`). The text, all of it of `origin`, comes first, then the
        parts, each piece of its own origin; joined as they are. It raises as `remember` does, `Conflict` also if words
        of others would come into a file that is the owner's.
        """
        operation = Operation(op_id, actor, origin, OWNER)
        return await self._written(self._thread.run(self._engine.append, path, text, parts, operation))

    async def rewrite(self, path: str, text: str, *, expected: str, origin: Origin, op_id: str, actor: str) -> None:
        """Give a file new content; `expected` is the state of the page that the new content was made from.

        It raises as `remember` does, `Conflict` also if the file has another content by now; nothing was written then.
        """
        operation = Operation(op_id, actor, origin, OWNER)
        await self._written(self._thread.run(self._engine.rewrite, path, text, operation, expected=expected))

    async def is_done(self, op_id: str) -> bool:
        """Return whether an operation has been carried out, or begun, before: a turn may be repeated after a crash."""
        return await self._thread.run_ahead(self._engine.is_done, op_id)

    async def find(self, id: str, *, scope: Scope) -> Hit:
        """Return one unit by its id (with or without `^`); raises `NotFound`."""
        return await self._refresher.run_fresh(self._engine.find, id, scope=scope)

    async def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        """Return everything written on one ISO day, in the order of the file."""
        return await self._refresher.run_fresh(self._engine.day, day, scope=scope)

    async def recent(self, limit: int = 10, *, scope: Scope) -> tuple[Hit, ...]:
        """Return the newest facts, newest first."""
        return await self._refresher.run_fresh(self._engine.recent, limit, scope=scope)

    async def preview_forget(
        self, wanted: str, *, everything: bool = False, scope: Scope, actor: str, whose: Actors = None,
        reach: Scope | None = None,
    ) -> Preview:  # fmt: skip
        """Return which lines `forget` would take away.

        By id, by `path:line`, or the facts that words or their meaning find. Lines of others than `whose` are left out,
        and it is said who wrote them; `reach` is that of `forget_facts`.

        Of several facts that are found, only one that has all of the words and is the only one is proposed by itself;
        otherwise all are candidates, to be chosen from. With `everything` the words are a name or subject, and all
        facts about it are proposed together.

        Raises:
            WriteFailed: this memory only reads.
            NotFound: nothing was found, and not all files were looked into.
            Conflict: a line is being changed at this moment.
            PathRefused: it is in an extra folder, which is only read.
        """
        preview = partial(self._forgetter.preview, everything=everything, scope=scope, actor=actor, whose=whose)
        question = await self._question(wanted)
        return await self._refresher.run_fresh(preview, wanted, question=question, reach=reach)

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        """Carry out a preview, or only its lines with these numbers (1-based): each becomes a comment.

        Lines of notes saved from conversations that repeat one of them go with them, and come last in the answer. A
        known `op_id` forgets nothing more and returns what it forgot.

        Raises:
            Expired: not this actor's preview, older than ten minutes, or of another process.
            Undecided: its lines are candidates, and no number was given.
            Conflict: a line is not what it was; the others were left alone, too.
            WriteFailed, NotFound: the disk refused, or the workspace is gone.
        """
        operation = Operation(op_id, actor, Origin.OWNER, scope)
        return await self._written(self._thread.run(self._forgetter.forget, token, only, operation))

    async def forget_facts(
        self, ids: Sequence[str], *, op_id: str, scope: Scope, actor: str, reach: Scope | None = None
    ) -> tuple[Line, ...]:
        """Forget units by their ids, without a preview; all of them or none.

        A known `op_id` forgets what it had not come to, and returns all of it. What repeats them goes with them from
        saved notes and conversations that are in `reach` (`ForgettingTrail`); None: wherever their scope reaches. It
        raises as `forget` does, `NotFound` also if an id is unknown in this scope.
        """
        operation = Operation(op_id, actor, Origin.OWNER, scope)
        return await self._written(self._refresher.run_fresh(self._forgetter.forget_facts, ids, operation, reach=reach))

    async def forgettings(self) -> frozenset[str]:
        """Return what is forgotten and not blanked, as every clone of the workspace calls it: operation, then fact."""
        glance = self._engine.journal.glance()  # asked with every turn: mostly nothing has been forgotten for days
        if glance == self._without_forgettings:
            return frozenset()
        found = await self._thread.run_ahead(self._forgetter.forgettings)
        self._without_forgettings = () if found else glance
        return found

    async def trails(
        self, names: Collection[str] | None = None, ids: Collection[str] = (), said: Collection[str] | None = None
    ) -> list[ForgettingTrail]:
        """Return the trails of forgettings, one for each reach; None: of all that are not blanked; raises as `forget`.

        With `ids` of these facts alone, also if taken back. What a killed process left undone in notes is done first.
        With texts that were `said` those alone that one of them may speak of: mostly no file need be read for that.
        """
        is_of_none = names is not None and not names and not ids
        return [] if is_of_none else await self._thread.run_ahead(self._forgetter.trails, names, ids, said)

    async def purgeable(self, *, scope: Scope | None, at_once: bool = True, op_id: str = "") -> tuple[Line, ...]:
        """Return the lines that `purge` would blank, by default all that can still be put back; their numbers are 0."""
        return await self._thread.run_ahead(self._forgetter.purgeable, scope=scope, at_once=at_once, op_id=op_id)

    async def purge(self, *, at_once: bool = False, scope: Scope | None = None, op_id: str = "") -> int:
        """Blank what the journal holds of what was forgotten a day ago; says how many facts and lines that was.

        With `at_once` it does not wait for the day to pass, and leaves nothing in unused parts of the index and of the
        cache of vectors; `scope` and `op_id` narrow it to what was forgotten there, or by that operation. Where
        `WriteFailed` or `Busy` is raised, the rest is left for the next time.
        """
        return await self._thread.run(self._forgetter.purge, at_once=at_once, scope=scope, op_id=op_id)

    async def undo(
        self,
        count: int = 1,
        *,
        op_id: str,
        scope: Scope,
        actor: str,
        whose: Actors = None,
        only: Collection[str] | None = None,
    ) -> tuple[Undone, ...]:
        """Take back the last writes of these actors in a scope, newest first; of some operations, if these are given.

        Raises `NotUndoable` if nothing is left, or if the text was edited since.
        """
        operation = Operation(op_id, actor, Origin.SYSTEM, scope)
        return await self._written(self._thread.run(self._engine.undo, operation, count, whose=whose, only=only))

    async def problems(self) -> tuple[Problem, ...]:
        """Return what a person should look at: unreadable files, links, bullets that do not parse, a broken journal."""
        return await self._refresher.run_fresh(self._engine.problems)

    async def head(self) -> str:
        """Return the end of the journal in short, to be kept and looked for in it later (`holds`); empty if it is."""
        return await self._thread.run_ahead(self._engine.journal.head)

    async def holds(self, head: str) -> bool:
        """Return whether what was the end of the journal once is still in it, as it was."""
        return await self._thread.run_ahead(self._engine.journal.holds, head)

    async def profile(self, *, scope: Scope, budget_chars: int = BUDGET) -> ProfileSuggestions:
        """Standing instructions and preferences in the notes that `USER.md` and its like do not have yet."""
        offered = partial(offer, scope=scope, budget=max(0, budget_chars))
        return await self._refresher.run_fresh(self._engine.index_manager.ask, offered)

    async def stats(self, *, scope: Scope) -> Stats:
        """Return counts by kind, category and entity."""
        return await self._refresher.run_fresh(self._engine.index_manager.ask, lambda index: index.stats(scope=scope))

    async def status(self) -> Status:
        """Return how the index stands."""
        status = await self._refresher.run(self._engine.index_manager.status)
        return self._queue.add_trouble(status) if self._queue else status

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        """Bring the index up to date with the files; what this and all looks since the last `sync` have changed.

        Raises `WriteFailed` if the index cannot be written, `NotFound` if the workspace is gone.
        """
        synced = await self._refresher.complete(progress, rebuild=False)
        self._after_write(is_changed=bool(synced.changed or synced.removed))
        return synced

    async def take_over(self) -> Synced:
        """Become the one who writes an index that several processes could write, and bring it up to date.

        It raises as `sync` does, and `Busy` if the index cannot be had just now: the next look at the files tries
        again.
        """
        await self._thread.run(self._engine.index_manager.take_over)
        return await self.sync()

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        """Build the index from zero and replace the old one, which serves meanwhile; raises as `sync` does."""
        synced = await self._refresher.complete(progress, rebuild=True)
        self._after_write()
        return synced

    async def embed(self, *, progress: Progress | None = None) -> None:
        """Give vectors to what waits for them, newest first. What is in the way is in `status`; words are searched."""
        if self._queue:
            await self._queue.embed(progress)

    async def keep_embedding(self) -> None:
        """The same in the background, and again whenever something was written; ends only when it is cancelled."""
        if self._queue:
            await self._queue.run()

    def quiet(self) -> AbstractContextManager[None]:
        """Within it no further text is embedded in the background: a turn is running."""
        return self._queue.quiet() if self._queue else nullcontext()

    async def close(self) -> None:
        """Finish what is under way and let go of files and threads; a long indexing is broken off, to go on later."""
        await self._thread.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _question(self, query: str, purpose: Purpose = Purpose.QUERY) -> Question:
        """Return the vector of a question, or of another text, if there is anything to compare it with."""
        if self._questions is None or self._queue is None:
            return Question()
        await self._queue.wait_for_vectors()
        index = self._engine.index_manager
        if not index.has_vectors and not (await self._refresher.run_fresh(index.count_vectors)).embedded:
            return Question(reason=NOTHING_YET)
        if index.has_loaded_vectors:
            return await self._questions.vector(query, purpose)
        # Before the first question the model and the vectors are loaded side by side.
        loading = self._thread.start_job(index.load_vectors())
        question = await self._questions.vector(query, purpose)
        await asyncio.wait([completion(loading)])
        return question

    @property
    def _bands(self) -> LanguageBands | None:
        """What the cosines of the embedder mean; None without one, or if that was never measured."""
        from memory.life.calibrate import bands_of

        kept = self._embedding
        return bands_of(kept.embedder.identity, kept.cache) if kept else None

    async def _link(self) -> bool:
        """Link a few facts that have their vectors now; return whether there are more."""
        if (bands := self._bands) is None or self._engine.index_manager.is_read_only:
            return False
        from memory.life.links import link_facts

        return await self._refresher.run(self._engine.run, partial(link_facts, bands=bands))

    async def _written(self, writing: Awaitable[T]) -> T:
        """Wait for a call that may write; what it has written is told of, embedded and tidied up after."""
        result = await writing
        self._after_write()
        return result

    def _after_write(self, *, is_changed: bool = False) -> None:
        """Tell that something was written, if it was; have it embedded, and the index tidied: nobody waits for it."""
        last = self._engine.journal.seen
        if is_changed or last != self._seen:
            self._seen = last
            self.changed()
            if self._queue:
                self._queue.notify()
        index = self._engine.index_manager
        if index.is_merge_due:
            with suppress(RuntimeError):  # the memory is being closed, and the write is done
                self._thread.start_job(index.merge_segments())
