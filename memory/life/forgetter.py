"""Forgetting carried out in one memory: what is meant is found, shown, taken away, and later blanked in the journal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from memory.errors import Conflict, Expired, NotFound, Unparsable
from memory.files.markdown import blocks, clean, given_id, split_lines
from memory.files.notation import parse_fact
from memory.files.paths import admit
from memory.files.sources import Sources
from memory.index.owners import is_piece, whole_name
from memory.index.terms import token_terms, tokens
from memory.index.types import Stored
from memory.index.units import MAX_UNITS
from memory.journal.drafts import bare_id
from memory.journal.records import Action, Operation, Record
from memory.knowledge.context import KnowledgeContext, check_author
from memory.language.detect import main_script, stop_words
from memory.language.words import ALL_WEAK
from memory.pages import PLACE
from memory.privacy.copies import SavedCopies, disjoint, fact_in, is_repeat, title_in, without_title
from memory.privacy.previews import Preview, Previews
from memory.privacy.traces import ForgettingTrail, Traces, phrase
from memory.recall.filters import FACTS
from memory.recall.passages import RecallBudget
from memory.types import OWNER, Actors, Filter, Kind, Line, Origin, Recall, Scope
from memory.vectors.questions import Question
from memory.vectors.service import VectorService

SHOWN_TO_FORGET = 5
"""Facts that a query proposes for forgetting."""

_PAIRED = frozenset(("han", "kana", "hangul"))


class Forgetter:
    """What `Memory` does to forget, synchronously; its docstrings say what each method raises."""

    def __init__(
        self, context: KnowledgeContext, sources: Sources, vectors: VectorService | None,
        begin_write: Callable[[], None], recall: Callable[[str, Scope, RecallBudget, Filter, Question], Recall],
    ) -> None:  # fmt: skip
        """`begin_write` is called before anything is written; by `recall` is found what words may mean."""
        self._context = context
        self._journal = context.journal
        self._writer = context.writer
        self._index_manager = context.index_manager
        self._sources = sources
        self._saved_copies = SavedCopies(sources)
        self._vectors = vectors
        self._begin_write = begin_write
        self._recall = recall
        self._previews = Previews()

    def preview(
        self, wanted: str, *, everything: bool, scope: Scope, actor: str, question: Question, whose: Actors,
        reach: Scope | None,
    ) -> Preview:  # fmt: skip
        self._begin_write()
        meant, choose = self._find_candidates(clean(wanted).strip(), scope, everything=everything, question=question)
        paths = list(dict.fromkeys(path for path, _ in meant))
        self._index_manager.refresh(paths)
        listed = (stored for path in paths for stored in self._context.units_of(path, scope))
        units = {(stored.path, stored.unit.name): stored for stored in listed if not is_piece(stored.unit.name)}
        # Several units may be pieces of one long line.
        facts = [units[place] for place in meant if place in units]
        if not facts and (reason := self._index_manager.reason(with_damage=False) or self._index_manager.unread):
            raise NotFound(reason)  # it may stand in a file all the same
        facts += self._going_along([name for _, name in meant], scope)
        found = {(line.path, line.number): line for line in map(self._line, facts)}
        lines = tuple(line for line in found.values() if whose is None or self._journal.author(bare_id(line)) in whose)
        others = dict.fromkeys(self._journal.author(bare_id(line)) for line in found.values() if line not in lines)
        choose = choose and len(lines) > 1
        preview = Preview("", lines, choose=choose, others=tuple(others))
        if lines:
            traces = self._traces([line.text for line in lines], scope, lines)
            reach, ids = reach or scope, frozenset(map(bare_id, lines))
            trail = ForgettingTrail(reach, traces, ids, self._turns_of(ids))
            notes = () if choose else self._saved_copies.lines(traces, lines, saved=reach == OWNER)
            preview = replace(preview, notes=notes, trail=trail)
        return self._previews.add(preview, scope=scope, actor=actor, now=self._context.clock.now())

    def forget(self, token: str, only: Sequence[int], operation: Operation) -> tuple[Line, ...]:
        self._begin_write()
        now, scope, actor = self._context.clock.now(), operation.scope, operation.actor
        try:
            lines, reach = self._previews.confirm(token, only, scope=scope, actor=actor, now=now)
        except Expired:
            if done := self.forgotten_lines(operation):
                return self._forget(done, operation)
            raise
        gone = self._forget(lines, operation, reach=reach)
        self._previews.remove(token)
        return gone

    def forget_facts(self, ids: Sequence[str], operation: Operation, *, reach: Scope | None) -> tuple[Line, ...]:
        self._begin_write()
        done, scope = self.forgotten_lines(operation), operation.scope
        gone = {line.id for line in done}
        names = [*dict.fromkeys(map(given_id, ids))]
        due = [self._one(name, scope) for name in names if name not in gone]
        due += [stored for stored in self._going_along(names, scope) if stored.unit.name not in {*names, *gone}]
        lines = [*done, *disjoint([*map(self._line, due)])]
        return self._forget(lines, operation, reach=reach)

    def forgettings(self) -> frozenset[str]:
        self._journal.refresh()
        return frozenset(gone.name for gone in self._journal.state.unblanked())

    def trails(
        self, names: Collection[str] | None, ids: Collection[str], said: Collection[str] | None
    ) -> list[ForgettingTrail]:
        self._begin_write()
        trails = []
        for (scope, reach), records in self._gone(names, ids).items():
            texts = [record.before or "" for record in records]
            # What the rest of memory holds, which is read as a whole, only takes away from what tells.
            if said is not None and not any(map(Traces.of(map(fact_in, texts), ()).is_spoken_of, said)):
                continue
            self._index_manager.refresh_deferred()
            traces = self._traces(texts, scope)
            begun = ((record.op_id, record.actor) for record in records if record.action == Action.FORGET)
            for op_id, actor in dict.fromkeys(begun):
                operation = Operation(op_id, actor, Origin.OWNER, scope)
                self._forget(self.forgotten_lines(operation), operation, reach=reach)
            gone = frozenset(record.target for record in records)
            forgot = frozenset(record.op_id.rpartition(":")[0] for record in records)
            called = frozenset(f"{record.op_id} {record.target}" for record in records)
            trails.append(ForgettingTrail(reach, traces, gone, self._turns_of(gone), forgot, called))
        return trails

    def purgeable(self, *, scope: Scope | None, at_once: bool, op_id: str) -> tuple[Line, ...]:
        due = self._writer.due(at_once=at_once, scope=scope, op_id=op_id)
        return tuple(Line(record.target, record.path, 0, record.before or "") for record in due)

    def purge(self, *, at_once: bool, scope: Scope | None, op_id: str) -> int:
        self._begin_write()
        count = self.blank(at_once=at_once, scope=scope, op_id=op_id)
        if at_once:
            self._index_manager.scrub(compact=True)
            if self._vectors:
                self._vectors.drop((), compact=True)
        return count

    def blank(self, *, at_once: bool = False, scope: Scope | None = None, op_id: str = "") -> int:
        """Blank what is due in the journal's texts, as `purge` does, and return how many facts and lines that was."""
        due = self._writer.due(at_once=at_once, scope=scope, op_id=op_id)
        if not due:
            return 0
        traces = self._traces([record.before or "" for record in due], OWNER)

        def new_name(path: str) -> str:  # of a note or page that is gone under a name which repeats a fact
            is_told = traces.matches(title_in(path)) and self._context.workspace.content_at(admit(path)) is None
            return without_title(path) if is_told else path

        return self._writer.purge(traces.matches, new_name, at_once=at_once, scope=scope, op_id=op_id)

    def forgotten_lines(self, operation: Operation) -> tuple[Line, ...]:
        """Return what an operation that is known already forgot: a turn may be repeated after a crash."""
        done = self._writer.forgotten_records(operation)
        return tuple(Line(record.target, record.path, at.start, record.before or "") for record, at in done)

    def check(self, id: str, scope: Scope, whose: Actors) -> None:
        """Raise unless a fact is there, in no extra folder, and one of these actors (`whose`) wrote it."""
        self._sources.check_own(self._one(id, scope).path)
        check_author(self._context, id, whose)

    def _one(self, name: str, scope: Scope) -> Stored:
        stored = self._context.find(name, scope)
        if stored is None:
            raise NotFound(f"There is no ^{name} in memory; nothing was forgotten.", hint="Ids stand behind each hit.")
        return stored

    def _find_all(self, names: Sequence[str], scope: Scope) -> list[Stored]:
        """Return the units of these names that there are, each once."""
        return [stored for name in dict.fromkeys(names) if (stored := self._context.find(name, scope))]

    def _going_along(self, names: Sequence[str], scope: Scope) -> list[Stored]:
        """Return what goes with facts: what was merged with them, and what an opinion's page has it from."""
        begun = [piece.id for one in self._find_all(names, scope) for piece in one.unit.evidence if not piece.step]
        return self._find_all([*begun, *self._journal.state.merged_with(names)], scope)

    def _find_candidates(
        self, wanted: str, scope: Scope, *, everything: bool, question: Question
    ) -> tuple[list[tuple[str, str]], bool]:
        """Return path and id of what may be meant, by id, place or words, and whether it has to be chosen from."""
        name = wanted.rpartition("#^")[2].rstrip("]").removeprefix("^")  # of a link: `[[2026-11-29#^k3f9a2mq]]`
        if by_id := self._context.find(name, scope):
            return [(by_id.path, whole_name(by_id.unit.name))], False
        if place := PLACE.fullmatch(wanted):
            line, end = int(place["line"]), int(place["end"] or place["line"])
            units = self._context.units_of(place["path"], scope)
            here = [stored for stored in units if stored.unit.start <= line <= stored.unit.end]
            here.sort(key=lambda stored: (stored.unit.start, stored.unit.end) != (line, end))
            # The chunk of just these lines is meant, else the first with this line; pieces of one line begin together.
            meant = [stored for stored in here if stored.unit.start == here[0].unit.start]
            return [(stored.path, whole_name(stored.unit.name)) for stored in meant], False
        is_gone = name in self._journal.state.provenance
        if is_gone or wanted.startswith(("^", "[[")) or (wanted.endswith(".md") and " " not in wanted):  # no words
            return [], False
        if everything:
            facts = self._context.list_units(Filter(kinds=FACTS), scope=scope, limit=MAX_UNITS)
            entries = self._index_manager.ask(lambda index: index.entries([fact.id for fact in facts], scope=scope))
            terms = {entry.id: entry.terms for entry in entries}
            about = find_about(facts, terms, wanted)
            return [(fact.path, fact.unit.name) for fact in about if not self._sources.is_extra(fact.path)], False
        budget = RecallBudget(SHOWN_TO_FORGET, 1_000_000)
        found = self._recall(wanted, scope, budget, Filter(kinds=FACTS, faded=True), question)
        like = (hit for hit in found.hits if hit.grounds.get("held") or hit.relevance >= found.floor / 2)
        own = (hit for hit in like if not self._sources.is_extra(hit.unit.path))
        hits = [
            unit for hit in own for unit in self._context.units_of(hit.unit.path, scope) if unit.unit.name == hit.id
        ]
        best = clearly_meant(hits, wanted)
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
        self._index_manager.refresh([*names, *names.values()])
        paths = sorted({line.path for line in due})
        if self._vectors:
            self._vectors.drop(self._embedded_texts(due, scope))
        gone = self._writer.forget(due, operation, reach=reach)
        observed = map(self._context.sensory.find, self._journal.state.merged_with([*map(bare_id, facts)]))
        texts = {fact.text for fact in observed if fact}
        is_repeated = traces.matches if (reach or scope) == scope else texts.__contains__
        self._context.sensory.forget(lambda text: text in texts or is_repeated(text), scope=scope)
        self._index_manager.refresh(paths)
        if scope == OWNER:
            from memory.knowledge.reflection.reflect import forget_sources

            said = [fact_in(line.text).text for line in facts] if is_everywhere else []
            ids = frozenset(map(bare_id, facts))
            self._index_manager.ask(lambda _: forget_sources(self._context, ids, said, op_id=op_id, actor=actor))
        self._index_manager.scrub()
        return gone

    def _traces(self, texts: Sequence[str], scope: Scope, gone: Sequence[Line] = ()) -> Traces:
        """Return what facts are recognised by; what is left of memory is asked as far as their scope may see it."""
        if scope == OWNER:
            return self._saved_copies.traces(texts, self._saved_copies.remaining_texts(gone))
        units = self._context.list_units(Filter(), scope=scope, limit=MAX_UNITS)
        away = {*((line.path, line.number) for line in gone), *(copy[:2] for copy in self._saved_copies.copies(gone))}
        left = (stored.unit.text for stored in units if (stored.path, stored.unit.start) not in away)
        return self._saved_copies.traces(texts, left)

    def _embedded_texts(self, lines: Sequence[Line], scope: Scope) -> Iterator[str]:
        """Yield what was embedded of the units that have one of these lines."""
        for path in {line.path for line in lines}:
            spans = [(line.number, line.number + line.text.count("\n")) for line in lines if line.path == path]
            for stored in self._context.units_of(path, scope):
                if any(stored.unit.start <= end and start <= stored.unit.end for start, end in spans):
                    yield stored.unit.meant

    def _turns_of(self, ids: Collection[str]) -> frozenset[str]:
        known = self._journal.state.provenance
        return frozenset(turn for name in ids if name in known for turn in known[name].turns)

    def _gone(self, names: Collection[str] | None, ids: Collection[str]) -> dict[tuple[Scope, Scope], list[Record]]:
        """Return the records of facts that were forgotten and not put back, by scope and reach, in their order."""
        self._journal.refresh()
        alive = sorted(self._journal.state.unblanked())
        wanted = (self._journal.record(one.seq) for one in alive if names is None or one.name in names)
        forgettings: dict[tuple[Scope, Scope], list[Record]] = {}
        for record in (one for one in self._writer.due(at_once=True) if one.target in ids) if ids else wanted:
            targets = {other.target for other in self._journal.operation(record.op_id)}
            if not is_repeat(record.target, targets):
                forgettings.setdefault((record.scope, record.details.get("reach", record.scope)), []).append(record)
        return forgettings

    def _line(self, stored: Stored) -> Line:
        """Return the whole lines of a unit, as they stand in the file now."""
        unit, path = stored.unit, stored.path
        self._sources.check_own(path)
        text, _ = self._context.workspace.read_lenient(path)
        lines = "\n".join(split_lines(text)[unit.start - 1 : unit.end])
        if unit.kind is not Kind.NOTE:
            lines = next((block.text for block in blocks(text) if block.start == unit.start), lines)
        words = ""
        with suppress(Unparsable):  # it is no bullet any more
            words = parse_fact(lines).text
        if unit.text not in lines and unit.body not in words:
            raise Conflict(f"{path}:{unit.start} is being changed at this moment.", hint="Ask again.")
        return Line(unit.name, path, unit.start, lines)


def clearly_meant(facts: Sequence[Stored], wanted: str) -> Stored | None:
    """Return the only one that has all content words of a wish, or the only one that was found; None if unclear."""
    if len(facts) == 1:
        return facts[0]
    words = _content_words(wanted)
    full = [fact for fact in facts if _has_all(*fact.unit.searched()[:2], words)]
    return full[0] if len(full) == 1 else None


def find_about(facts: Iterable[Stored], terms: Mapping[int, str], name: str) -> Iterator[Stored]:
    """Yield the facts that have a name, or all content words of a subject; `terms` are theirs, by number (`Entry`)."""
    called, words = phrase(name), _content_words(name)
    for one in facts:
        said = phrase(f"{' , '.join(one.unit.entities)} , {one.unit.statement}")
        if (called and called in said) or _has_all(one.unit.language, terms.get(one.id, ""), words):
            yield one


def _content_words(text: str) -> list[str]:
    stops = stop_words(text)
    return [token for token in tokens(text) if token.casefold() not in stops]


def _has_all(spoken: str, found: str, words: Sequence[str]) -> bool:
    """Return whether the terms of a unit, in its language, are of each of these words, as search compares words.

    A word is found by any of its forms; as a run of characters by all pairs that are not of grammar.
    """
    terms = f" {found} "
    for word in words:
        forms = token_terms(word, spoken)
        if main_script(forms[0] if forms else "") in _PAIRED:
            pairs = [form for form in forms if len(form) > 1 and ALL_WEAK.isdisjoint(form)]
            is_found = all(f" {pair} " in terms for pair in pairs or forms)
        else:
            is_found = any(f" {form} " in terms for form in forms)
        if not is_found:
            return False
    return bool(words)
