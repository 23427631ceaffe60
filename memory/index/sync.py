"""Files to index: what has changed since is read, cut into units, and written, a little at a time."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Lock
from time import perf_counter
from types import MappingProxyType
from typing import TypeVar

from memory.errors import Error, NotFound
from memory.files.sources import Entry, Report, Sources
from memory.files.workspace import decode_text, digest
from memory.index.owners import Owners
from memory.index.sql import Index
from memory.index.types import Changed, FileChange, FileState
from memory.index.units import Chunked, chunk
from memory.journal.journal import Journal
from memory.journal.state import Attribution
from memory.strength import fold_life
from memory.types import Problem

T = TypeVar("T")

BUDGET_S = 0.05
"""Seconds between two chances for others to use the thread; one very large file can take longer."""
INSTRUCTIONS = frozenset({"agents.md", "soul.md"})
"""Files of the workspace that tell an agent what to do and who to be. They are no memories, and no answer to a question
quotes them; whatever the case of their names."""

_RECENT = timedelta(seconds=2)
"""A file that was changed so shortly before may change again within the same tick of its clock."""
_READ_AT_ONCE = 256 * 1024
"""Bytes of files that are read before they are cut."""
_LARGE = 1024 * 1024
"""Bytes of files that one memory of a process at a time takes in (`_ALONE`): of a folder that they share, all would."""
_ALONE = Lock()
_MAX_READINGS = 3
"""Of a file that others write into all the time; what they write then is left to the next `sync`."""
_UNSETTLED = 0
"""The time of a file that is read again by the next `sync`, because it may have changed within the same tick."""

# What the index notes: the files that the last scan saw, the size of its chunks (empty where paragraphs stand by
# themselves), and how much of the journal it has taken in.
_SEEN = "seen"
_CHUNKED = "chunked"
_MIXED = "?"
_ATTRIBUTED = "attributed"
_LIVED = "lived"
_JOURNAL = "journal"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a synchronisation has come: files done, files to do in all, and what that changed so far."""

    done: int = 0
    total: int = 0
    changed: Changed = field(default_factory=Changed)


def sync(
    index: Index, sources: Sources, *, journal: Journal, now: datetime, budget_s: float = BUDGET_S
) -> Generator[Progress, None, None]:
    """Bring an index up to date with the files, newest first.

    What has been yielded, after every `budget_s` seconds of work, is committed: whoever stops here can go on later with
    a new call, which finds it done. The last value says that everything is. The journal is read on here. Raises
    `IndexBroken`, `WriteFailed`, `Busy` if the index cannot be written, `Error` if the workspace cannot be listed.
    """
    entries = list(_memories(sources, lambda _: None))
    # Equal for the same files with the same sizes and times, so that nothing has to be compared if nothing changed.
    seen = digest("\n".join([f"{entry.path}\0{entry.size}\0{entry.mtime_ns}" for entry in entries]))
    progress = Progress()
    mark = journal.mark()
    is_known = index.note(_JOURNAL) == mark  # then the journal need not be read
    chunked = _size(sources)
    is_cut_so = index.note(_CHUNKED) == chunked
    if is_known and is_cut_so and seen == index.note(_SEEN):
        yield progress
        return
    journal.refresh()
    attributed, misattributed = _watermark(journal.state.attributions), _misattributed(index, journal)
    stale = misattributed if is_cut_so and misattributed is not None else {*index.files()}
    if not is_cut_so:  # broken off, it is in two sizes: which is none
        _write(index, [], notes={_CHUNKED: _MIXED})
    notes = {_CHUNKED: chunked}
    if not stale:
        # From here on files are cut with what is known by now, even if this is broken off and gone on with later.
        _write(index, [], notes={_ATTRIBUTED: attributed})
    if seen != index.note(_SEEN) or stale:
        known = index.files()
        reader = _Reader(sources, journal, {path: known[path] for path in known.keys() - stale}, now)
        todo = [entry for entry in entries if entry.path in stale or not _is_known(entry, known.get(entry.path))]
        todo.sort(key=lambda entry: (-entry.mtime_ns, entry.path))
        changed = _write(index, [], sorted(known.keys() - {entry.path for entry in entries}))
        done = 0
        for count, written in reader.portions(todo, budget_s, partial(_write, index)):
            changed += written
            done += count
            yield Progress(done, len(todo), changed)
        progress = Progress(len(todo), len(todo), changed)
        yield progress
        is_settled = all(state.mtime_ns != _UNSETTLED for state in index.files().values())
        notes[_SEEN] = seen if is_settled else ""
    _write(index, [], notes={**notes, _ATTRIBUTED: _still(attributed, journal)})
    reattribute(index, sources, journal)
    if not journal.unreadable:  # else every start counts anew what cannot be read
        _write(index, [], notes={_JOURNAL: mark})
    yield progress


def refresh(
    index: Index,
    sources: Sources,
    *,
    journal: Journal,
    paths: Sequence[str],
    contents: Mapping[str, bytes] = MappingProxyType({}),
) -> Changed:
    """Take in files that are known to have changed, without a look at the others, in one transaction.

    `contents` are those of files that were just written under the lock, with the journal read before: they need not be
    read at once. Another process may have written into them since, and taken that into the same index before: so a file
    that has another size by now is read again, a few times.
    """
    wanted = [path for path in paths if is_memory(path)]
    changed = Changed()
    for _ in range(_MAX_READINGS):
        changed += _take_in(index, sources, journal, wanted, notes={_SEEN: ""}, contents=contents)
        states, contents = index.files(wanted), {}
        wanted = [path for path, state in states.items() if state.size != sources.size(path)]
        if not wanted:
            break
    return changed


def reattribute(index: Index, sources: Sources, journal: Journal) -> Changed:
    """Cut the files again whose units have other owners since the journal says more than it did.

    Where it says something else than it did, all files could be meant; that is left to the next `sync`.
    """
    return _take_in(index, sources, journal, [], notes={})


def outdated(index: Index, sources: Sources) -> int:
    """Count the files that are not as they were when they were indexed: changed, new, or gone."""
    known = index.files()
    entries = {entry.path: entry for entry in _memories(sources, lambda _: None)}
    changed = sum(1 for path, entry in entries.items() if not _is_same(sources, entry, known.get(path)))
    return changed + len(known.keys() - entries.keys())


def inspect(index: Index, sources: Sources, journal: Journal) -> tuple[Problem, ...]:
    """Return what a person should look at, in the files and among them, as they are now.

    What the index has not taken in yet is read and cut here.
    """
    found: list[Problem] = []
    known = index.files()
    entries = {entry.path: entry for entry in _memories(sources, found.append)}
    changed = [entry for path, entry in entries.items() if not _is_same(sources, entry, known.get(path))]
    reader = _Reader(sources, journal, {}, None)
    for change in (change for entry in changed for change in reader.changes([entry])):
        found += change.chunked.problems if change.chunked else ()
    unchanged = entries.keys() - {entry.path for entry in changed}
    problems = [*found, *(problem for problem in index.problems() if problem.path in unchanged)]
    return tuple(sorted(problems, key=lambda problem: (problem.path, problem.line or 0)))


def owners_of(journal: Journal, sources: Sources) -> Owners:
    """Who wrote what, as far as the journal has been read."""
    return Owners(journal.state, is_foreign=sources.is_foreign)


def is_memory(path: str) -> bool:
    """Return whether a file of the workspace is something to remember."""
    return path.casefold() not in INSTRUCTIONS


def _take_in(
    index: Index,
    sources: Sources,
    journal: Journal,
    paths: Sequence[str],
    *,
    notes: Mapping[str, str],
    contents: Mapping[str, bytes] = MappingProxyType({}),
) -> Changed:
    """Write some files, and those with other owners by now, together with notes."""
    attributed, misattributed = _watermark(journal.state.attributions), _misattributed(index, journal)
    # A file may be as it was and have other owners: then it is cut anew as well.
    same = index.files([path for path in paths if path not in (misattributed or ())])
    changes = list(_Reader(sources, journal, same, None).read(paths, contents))
    stale = sorted((misattributed or set()).difference(paths))
    changes += _Reader(sources, journal, {}, None).read(stale)
    read = {change.path for change in changes}
    gone = [path for path in index.files([*paths, *stale]) if path not in read]
    known = notes if misattributed is None else {**notes, _ATTRIBUTED: _still(attributed, journal)}
    if changes and index.note(_CHUNKED) != _size(sources):
        known = {**known, _CHUNKED: _MIXED}
    changed = _write(index, changes, gone, notes=known)
    _fold_lives(index, journal)
    return changed


def _size(sources: Sources) -> str:
    """Return what is noted of the size that files are cut in."""
    return f"{sources.chunks.tokens}/{sources.chunks.overlap}" if sources.chunks else ""


def _fold_lives(index: Index, journal: Journal) -> None:
    """Take in how facts live on, as far as the journal has been read: those with new records, or all of them.

    All are folded again where the journal says something else than it did.
    """
    state, noted = journal.state, index.note(_LIVED)
    lived = _watermark(state.living)
    if noted == lived:
        return
    known = int(noted.partition(" ")[0]) if noted else 0
    anew = noted != _watermark(state.living, known)
    names = dict.fromkeys(state.lives if anew else (record.target for record in state.living[known:]))
    written = {name: state.provenance[name].at for name in names if name in state.provenance}
    lives = (fold_life(name, state.lives.get(name, ()), written.get(name, "")) for name in names)
    index.lives.write(lives, anew=anew, notes={_LIVED: lived})


def _watermark(records: Sequence[Attribution], count: int | None = None) -> str:
    """Return how many records say something, or were the first that did, and the hash over them."""
    count = len(records) if count is None else count
    return f"{count} {records[count - 1].mark if 0 < count <= len(records) else ''}"


def _still(watermark: str, journal: Journal) -> str:
    """Return a watermark if the journal still begins like this, else an empty text, which is none.

    A journal may be lost while files are read, and those are cut without it; what is written into it then may well be
    the same again.
    """
    return watermark if watermark == _watermark(journal.state.attributions, int(watermark.partition(" ")[0])) else ""


def _misattributed(index: Index, journal: Journal) -> set[str] | None:
    """Return the indexed files about which the journal says something that the index does not know.

    Only its newest records can, as long as the others are still what they were; None if they are not: any file may be.
    """
    noted = index.note(_ATTRIBUTED)
    known = int(noted.partition(" ")[0]) if noted else 0
    records = journal.state.attributions
    if noted != _watermark(records, known):
        return None
    new = records[known:]
    if not new:
        return set()
    return {*index.files({record.path for record in new}), *index.paths_of({record.target for record in new})}


def _memories(sources: Sources, report: Report) -> Iterator[Entry]:
    return (entry for entry in sources.scan(report) if is_memory(entry.path))


def _is_known(entry: Entry, state: FileState | None) -> bool:
    return state is not None and state.mtime_ns == entry.mtime_ns and state.size == entry.size


def _is_same(sources: Sources, entry: Entry, state: FileState | None) -> bool:
    """Check the same as `_is_known`, but a file that was unsettled when it was indexed is read and compared."""
    if state is None or state.mtime_ns != _UNSETTLED:
        return _is_known(entry, state)
    try:
        text, _ = sources.read_lenient(entry.path)
    except Error:
        return not state.digest
    return digest(text) == state.digest


class _Reader:
    """Reads files and cuts them into units."""

    def __init__(
        self, sources: Sources, journal: Journal, known: Mapping[str, FileState], now: datetime | None
    ) -> None:
        """Read nothing yet; a file that has the content by which it is `known` is not cut again.

        Without the present instant no file is taken for settled.
        """
        self._sources = sources
        self._journal = journal
        self._known = known
        self._settled = int((now - _RECENT).timestamp() * 1e9) if now else 0

    def portions(
        self, entries: Iterable[Entry], budget_s: float, write: Callable[[Sequence[FileChange]], Changed]
    ) -> Iterator[tuple[int, Changed]]:
        """Read, cut and write files, about so many seconds long each time; yield how many, and what that changed."""
        ready, group, size, began = list[FileChange](), list[Entry](), 0, perf_counter()
        for entry in entries:
            group.append(entry)
            size += entry.size
            if size < _READ_AT_ONCE:
                continue
            with _ALONE if size > _LARGE else nullcontext():
                ready += self.changes(group)
                is_due = size > _LARGE or perf_counter() - began >= budget_s
                portion = (len(ready), write(ready)) if is_due else None
            group, size = [], 0
            if portion:
                ready = []
                yield portion
                began = perf_counter()
        ready += self.changes(group)
        if ready:
            yield len(ready), write(ready)

    def read(self, paths: Iterable[str], contents: Mapping[str, bytes] = MappingProxyType({})) -> Iterator[FileChange]:
        """Yield these files, as far as they are there; those whose content is known are not read."""
        for path in paths:
            if path in contents:
                entry = Entry(path, len(contents[path]), _UNSETTLED)
                yield self._cut(entry, *decode_text(contents[path], path))
            else:
                yield from self.changes([Entry(path, self._sources.size(path), _UNSETTLED)])

    def changes(self, entries: Sequence[Entry]) -> list[FileChange]:
        """Read and cut some files, as far as they are there."""
        # A fact's record is written before its line: with the lines read first, none can be without its record, and
        # so be taken for the owner's.
        read: list[tuple[Entry, str | None, Problem | None]] = []
        for entry in entries:
            try:
                read.append((entry, *self._sources.read_lenient(entry.path)))
            except NotFound:
                continue
            except Error as error:
                read.append((entry, None, Problem(entry.path, None, error.message, error.hint)))
        self._journal.refresh()
        return [self._cut(*file) for file in read]

    def _cut(self, entry: Entry, text: str | None, problem: Problem | None) -> FileChange:
        problems = (problem,) if problem else ()
        if text is None:
            return FileChange(entry.path, FileState(entry.size, _UNSETTLED, ""), Chunked((), problems, ()))
        mtime_ns = entry.mtime_ns if entry.mtime_ns <= self._settled else _UNSETTLED
        state = FileState(entry.size, mtime_ns, digest(text))
        before = self._known.get(entry.path)
        if before and before.digest == state.digest:
            return FileChange(entry.path, state)
        owners, chunks = owners_of(self._journal, self._sources), self._sources.chunks
        take = partial(chunk, entry.path, text, owners=owners, chunks=chunks)
        chunked = _contained(entry.path, take, lambda left_out: left_out)
        return FileChange(entry.path, state, replace(chunked, problems=(*problems, *chunked.problems)))


def _write(
    index: Index, changes: Sequence[FileChange], gone: Sequence[str] = (), *, notes: Mapping[str, str] | None = None
) -> Changed:
    """Write what differs, in one transaction; if a file cannot be taken in, the others are, each by itself."""
    new = {key: value for key, value in (notes or {}).items() if index.note(key) != value}
    if not changes:
        return index.write([], gone, notes=new) if gone or new else Changed()

    def write_singly(left_out: Chunked) -> Changed:
        if len(changes) == 1:
            return index.write([FileChange(changes[0].path, changes[0].state, left_out)], gone, notes=new)
        return sum((_write(index, [change]) for change in changes), _write(index, [], gone, notes=new))

    return _contained(changes[0].path, lambda: index.write(changes, gone, notes=new), write_singly)


def _contained(path: str, take: Callable[[], T], instead: Callable[[Chunked], T]) -> T:
    """Take a file in; if that fails for a reason that nobody foresaw, leave it out: it must not keep the others out.

    The problem names the error's kind and place, without its message, which may hold words of the file.
    """
    try:
        return take()
    except Error:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        message = f"The file cannot be taken in ({type(error).__name__} in {where}); it is left out."
        hint = "This is a fault of the program: please report it. The file is tried again when it changes."
        return instead(Chunked((), (Problem(path, None, message, hint),), ()))
