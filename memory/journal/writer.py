"""The journalled writer: changes of files, each noted in the journal before it is made, and taken back by it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

from memory.errors import Busy, Conflict, NotUndoable, TooLarge, WriteFailed
from memory.files.atomic import remove_leftovers, rename_new
from memory.files.markdown import clean
from memory.files.notation import MAX_FACT_CHARS, forgotten_line, format_fact, normal, parse_fact
from memory.files.origins import Part, join_parts, with_property
from memory.files.paths import admit, daily_log
from memory.files.workspace import SINGLE_BYTES, Workspace, digest, local_day
from memory.journal import drafts
from memory.journal.drafts import FactDrafts, ReadFacts, bare_id
from memory.journal.edits import decode, encode, fact_lines, find_lines, inverse_edit
from memory.journal.journal import FOLDER, Journal
from memory.journal.maintenance import Blanking, Called, Repeats, purge
from memory.journal.placement import Placement
from memory.journal.records import SUPERSEDED, Action, Operation, Record, is_past
from memory.journal.write_ahead import WriteAhead
from memory.ports import Clock
from memory.types import OWNER, Actors, Citation, Fact, Line, Origin, Scope, Written

RETAINED = "job:retain:"
DERIVED = "reflect:"
CONSOLIDATED = "job:consolidate:"
"""Begin the ids of operations that nobody has asked for: plain undo passes them over."""
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they look like others or make words


@dataclass(frozen=True, slots=True)
class Undone:
    """One change taken back.

    Attributes:
        action: what it had been.
        path: the file.
        removed: the text that is gone again; for a fact, its lines.
        restored: the text that is there again; empty when a line went away.
        at: ISO instant of the change that was taken back.
        id: the fact that it was about, or empty.
        origin: where the text came from.
    """

    action: str
    path: str
    removed: str
    restored: str
    at: str
    id: str = ""
    origin: Origin = Origin.OWNER


@dataclass(frozen=True, slots=True)
class Planned:
    """What was settled for a fact before: where its id comes from, and a page, if any."""

    new_id: Callable[[], str]
    page: Placement | None = None


def random_id() -> str:
    """Return eight random base32 characters; the first is no `h`, which begins the ids of lines without one."""
    return secrets.choice(_LETTERS.replace("h", "")) + "".join(secrets.choice(_LETTERS) for _ in range(7))


class JournaledWriter:
    """Writes to one workspace on behalf of somebody. Each method is one operation, done when it returns.

    A known `op_id` writes nothing and returns what the first call did. All methods raise `Busy`, `PathRefused`,
    `TooLarge` and `WriteFailed` as the files and the lock give cause; nothing is left half done.

    Attributes:
        ahead: what they all write with; for changes that none of them makes, such as of many files at once.
    """

    def __init__(
        self, workspace: Workspace, journal: Journal, *, clock: Clock, zone: tzinfo, read_facts: ReadFacts
    ) -> None:
        self._workspace = workspace
        self._journal = journal
        self.ahead = WriteAhead(workspace, journal)
        self._clock = clock
        self._zone = zone
        self._drafts = FactDrafts(read_facts)
        self._new_id = random_id

    def settle(self) -> None:
        """Finish what a killed process left unfinished; beside a writer, or where nothing can be written, it waits."""
        with suppress(Busy, WriteFailed), self.ahead.hold(timeout_s=0):
            if self._journal.last:
                for folder in ((), FOLDER[:1], FOLDER):  # of a purge, with all that was to go, and of what git is told
                    remove_leftovers(self._workspace, (*folder, ""))
                self._journal.months.tell_git()

    def remember(
        self,
        fact: Fact,
        operation: Operation,
        *,
        day: date | None = None,
        sources: Sequence[str] = (),
        planned: Planned | None = None,
    ) -> tuple[Written, bytes | None]:
        """Append a fact, under a new id, to the log of a day: this one in the owner's zone, if none is given.

        The journal keeps with it what it was derived from (`Record.sources`).

        It is written only if recall, reading the page with it, would read the very same words.

        Returns:
            The receipt, and the content of the log with the fact; None if it has to be read.

        Raises:
            TooLarge: it is longer than `MAX_FACT_CHARS`.
            Unparsable: nothing is said, or it could not be read back to the letter.
        """
        attributes, origin, scope = fact.attributes, operation.origin, operation.scope
        if origin.is_foreign:
            attributes = tuple(pair for pair in attributes if pair[0] != "from")
            if scope == OWNER or origin is not Origin.GUEST:  # else the folder says so
                attributes = (*attributes, ("from", origin.value))
        make_id = planned.new_id if planned else self._new_id
        fact = normal(replace(fact, id=make_id(), attributes=attributes))
        lines = format_fact(fact)
        if len(lines) > MAX_FACT_CHARS:
            raise TooLarge(
                f"A fact has at most {MAX_FACT_CHARS:,} characters; this one would have {len(lines):,}. "
                "Nothing was noted.",
                hint="Say it shorter, or put it into a file of the workspace.",
            )
        with self.ahead.hold():
            if known := self._records_of(operation, Action.REMEMBER):
                return self._repeated(known[0]), None
            while self._journal.state.provenance.get(fact.id or ""):
                fact = replace(fact, id=make_id())
                lines = format_fact(fact)
            log = daily_log(day.isoformat() if day else local_day(self._clock.now(), self._zone), scope)
            place = planned.page if planned and planned.page else Placement(log)
            begun = operation.record(Action.REMEMBER, self._clock.now())
            begun = replace(begun, target=fact.id or "", sources=tuple(sources))
            record, content = self.ahead.write(place.path, partial(self._drafts.draft, begun, fact, lines, place))
            self._drafts.keep_ending(place.path, content)
            return Written(fact, self._cited(record, encode(lines), content), lines), content

    def _repeated(self, record: Record) -> Written:
        """Return the receipt for a fact that was written before, with its lines as the file is now."""
        lines = fact_lines(encode(record.after or forgotten_line(record.target)), record.target)
        fact = Fact("", id=record.target) if record.is_blanked else parse_fact(decode(lines))
        return Written(fact, self._cited(record, lines), decode(lines), repeated=True)

    def forget(self, lines: Sequence[Line], operation: Operation, *, reach: Scope | None = None) -> tuple[Line, ...]:
        """Replace each line by a comment, all of them or, if one is not as it was shown, none.

        What repeats them is forgotten elsewhere, as far as `reach` (`ForgettingTrail`); None is their scope's.

        Raises:
            Conflict: a line is not what it was; the others were left alone, too.
        """
        with self.ahead.hold():
            done = {record.target for record in self._records_of(operation, Action.FORGET)}
            due = [line for line in lines if bare_id(line) not in done]
            for line in due:
                drafts.find_shown(line, self._workspace.content_at(admit(line.path)))
            copies: dict[str, list[str]] = {}
            for line in lines:
                copies.setdefault(line.text, []).append(line.path)
            for line in due:
                known = self._journal.state.provenance.get(bare_id(line))
                of_fact = replace(operation, origin=known.origin) if known else operation
                begun = of_fact.record(Action.FORGET, self._clock.now())
                details: dict[str, Any] = {"reach": reach} if reach not in {None, operation.scope} else {}
                if len(copies[line.text]) > 1:
                    details["copies"] = copies[line.text]
                self.ahead.write(line.path, partial(drafts.forget_record, replace(begun, details=details), line))
        return tuple(lines)

    def forgotten_records(self, operation: Operation) -> list[tuple[Record, Citation]]:
        """Return what an operation has forgotten already, each with where its comment stands now."""
        self._journal.refresh()
        records = self._records_of(operation, Action.FORGET)
        return [(known, self._cited(known, encode(known.after or forgotten_line(known.target)))) for known in records]

    def undo(
        self, operation: Operation, count: int = 1, *, whose: Actors = None, only: Collection[str] | None = None
    ) -> tuple[Undone, ...]:
        """Take back the last operations of actors (`whose`) in a scope, newest first; with `only`, those of these ids.

        A line that was forgotten within a day is put back.

        Raises:
            NotUndoable: there is nothing left, or the newest was edited since.
        """
        with self.ahead.hold():
            now = self._clock.now()
            begun = self._records_of(operation, Action.UNDO)  # if it was broken off, the rest is taken back now
            before = [self._journal.record(known.undoes) for known in begun]
            taken, rounds = [*map(_undone, before)], [only] * (count - len({*map(_name, before)}))
            newest = begun[0].seq if begun else self._journal.state.last + 1
            if before:  # of the operation that was the last, some may be left
                rounds.insert(0, {_name(before[-1]) + ending for ending in ("", SUPERSEDED)})
            for meant in rounds:
                # Anew each time: what was forgotten is put back first, and then what was done to it before is next.
                group = next(self._operations(operation.scope, newest, now=now, whose=whose, only=meant), [])
                if not group and meant is only:
                    break
                try:
                    self._take_back(group, operation, now, taken)
                except NotUndoable:
                    if taken:
                        break
                    raise
            if not taken:
                message = "There is nothing to undo." if whose is None else "There is nothing of yours to undo."
                raise NotUndoable(message, hint="Only what was written here is taken back, not edits by hand.")
            return tuple(taken)

    def _operations(
        self, scope: Scope, before: int, *, now: datetime, whose: Actors, only: Collection[str] | None
    ) -> Iterator[list[Record]]:
        """Yield the records of each operation before a number that these actors may take back, newest first."""
        every = (self._journal.record(seq) for seq in self._journal.state.undoable(scope) if seq < before)
        own = (record for record in every if whose is None or record.actor in whose)
        if only is None:
            meant = (record for record in own if not record.op_id.startswith((RETAINED, DERIVED, CONSOLIDATED)))
        else:
            meant = (record for record in own if record.op_id in only)
        for _, group in groupby(meant, key=_name):
            records = [*group]
            is_over = (one.is_blanked or (one.action == Action.FORGET and is_past(one.at, now)) for one in records)
            if not any(is_over):
                yield records

    def _take_back(self, group: Sequence[Record], operation: Operation, now: datetime, taken: list[Undone]) -> None:
        """Take back the records of one operation, which are `taken` one by one; of a correction all or nothing."""
        for other in group if group and group[0].op_id.endswith(SUPERSEDED) else ():
            _draft_undo(other, operation, now, self._workspace.content_at(admit(other.path)))  # raises before it writes
        for record in group:
            if record.path:
                self.ahead.write(record.path, partial(_draft_undo, record, operation, now))
            else:
                self.ahead.note(operation.undo(record, now))
            taken.append(_undone(record))

    def append(self, path: str, parts: Sequence[Part], operation: Operation) -> Citation:
        """Append whole lines to a file, which is made if it is missing; says where they stand.

        The operation has the worst of the origins of the parts.

        Raises:
            Conflict: words of others would come into a file that is the owner's.
        """
        with self.ahead.hold():
            if known := self._records_of(operation, Action.APPEND):
                record, content = known[0], None
            else:
                begun = operation.record(Action.APPEND, self._clock.now())
                record, content = self.ahead.write(path, partial(drafts.append_parts_record, begun, path, parts))
            body = join_parts(parts)
            marked = with_property(body)
            written = marked if (record.after or body).endswith(marked) else body
            return self._cited(record, encode(written).removesuffix(b"\n"), content)

    def replace(self, path: str, text: str, operation: Operation, *, expected: str) -> None:
        """Give a file new content; `expected` is the `state` of the one that the new content was made from.

        Raises:
            Conflict: the file has another content by now.
        """
        with self.ahead.hold():
            if self._records_of(operation, Action.REPLACE):
                return
            begun = operation.record(Action.REPLACE, self._clock.now())
            self.ahead.write(path, partial(drafts.replace_record, begun, path, clean(text), expected))

    def note(
        self,
        texts: Mapping[str, str],
        operation: Operation,
        action: Action,
        details: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        """Write down what changes no file; what a known operation wrote stays.

        `texts` and the records' `details` go by the ids of what they are about; an empty text stands for none. No
        other action has records with the operation's id.
        """
        with self.ahead.hold():
            known = {record.target for record in self._records_of(operation, action)}
            begun = operation.record(action, self._clock.now())
            for target, text in texts.items():
                if target not in known:
                    told = dict(details.get(target, {}))
                    self.ahead.note(replace(begun, target=target, after=text or None, details=told))

    def rename(self, path: str, to: str) -> None:
        """Give a file another name in its folder. It is not journalled: what is undone later looks for the new name.

        Raises:
            Conflict: there is a file of that name.
        """
        with self.ahead.hold(), self._workspace.writing(admit(path)) as parent:
            try:
                rename_new(parent, admit(path)[-1], admit(to)[-1])
            except FileExistsError as error:
                raise Conflict(f"{to} exists already.", hint="Try again.") from error
            self._workspace.fsync(parent)

    def due(self, *, at_once: bool = False, scope: Scope | None = None, op_id: str = "") -> list[Record]:
        """Return what was forgotten a day ago, and is not `purged` yet; its text is `before` in each record.

        With `at_once` all that was forgotten at any time, or noted and taken back. A scope or an operation narrows it
        to what is gone there, or was forgotten by that one, with all that it had replaced.
        """
        self._journal.refresh()
        now, state, meant = self._clock.now(), self._journal.state, {op_id}
        seqs = [one.seq for one in state.unblanked(taken_back=at_once) if at_once or is_past(one.at, now)]
        due = list[Record]()
        for record in map(self._journal.record, sorted(seqs, reverse=True)):
            if scope in {None, record.scope} and (not op_id or record.op_id in meant):
                fact = decode(fact_lines(encode(record.before or ""), record.target))  # without the head of a log
                due.append(replace(record, before=fact) if record.action == Action.UNDO else record)
                if known := state.provenance.get(record.target):
                    meant.add(f"{known.op_id}{SUPERSEDED}")
        return due[::-1]

    def purge(
        self,
        repeats: Repeats = lambda _: False,
        called: Called = str,
        *,
        at_once: bool = False,
        scope: Scope | None = None,
        op_id: str = "",
    ) -> int:
        """Blank the journal's texts of what is `due`; says how many facts and lines that was.

        `repeats` tells whether a text that is no fact's line repeats one of them, `called` what a file is called from
        now on. What is blanked cannot be put back.
        """
        with self.ahead.hold():
            records = self.due(at_once=at_once, scope=scope, op_id=op_id)
            if records:
                purge(self._workspace, self._journal, Blanking(records, repeats, called, self._journal.state.undone))
                self.ahead.save_rewritten()
            return len(records)

    def _records_of(self, operation: Operation, action: Action) -> tuple[Record, ...]:
        """Return what this operation has done already; an id that was another's is a mistake of the caller."""
        records = self._journal.operation(operation.op_id)
        for record in records:
            if (record.action, record.scope) != (action, operation.scope):
                message = f"The operation {operation.op_id} was another one ({record.action})."
                raise Conflict(message, hint="Use a fresh op_id.")
        return records

    def _cited(self, record: Record, lines: bytes, content: bytes | None = None) -> Citation:
        """Return where lines that were appended are in this content of the file, or else in the file now.

        If they are gone, where they stood.
        """
        start = record.offset + max(0, encode(record.after or "").rfind(lines))
        end = start + len(lines)
        if content is None:
            content = self._workspace.content_at(admit(record.path)) or b""
            start, end = find_lines(content, lines, start) or (start, start)
        first, last = (content.count(b"\n", 0, at) + 1 for at in (start, end))
        return Citation(record.path, first, last)


def _draft_undo(record: Record, operation: Operation, now: datetime, content: bytes | None) -> Record:
    edit = inverse_edit(record, content or b"")
    if content is None or edit is None:
        message = f"{record.path} has been edited since: the text of {record.at} is not there as it was left."
        raise NotUndoable(message, hint="Change the file by hand.")
    return replace(
        operation.undo(record, now),
        offset=edit.offset,
        before=decode(edit.before),
        after=decode(edit.after),
        base=digest(content),
    )


def _name(record: Record) -> str:
    """Return what all records of an operation share: a correction is two for the journal, and one for a person."""
    return record.op_id.removesuffix(SUPERSEDED)


def _undone(record: Record) -> Undone:
    before, after = ((text or "").translate(SINGLE_BYTES) for text in (record.before, record.after))
    if record.action == Action.RESTATE:
        before, after = after, ""  # what was merged is there again
    if record.action == Action.REMEMBER:
        after = decode(fact_lines(encode(after), record.target))
    removed = "" if record.action == Action.FORGET else after
    return Undone(record.action, record.path, removed, before, record.at, record.target, record.origin)
