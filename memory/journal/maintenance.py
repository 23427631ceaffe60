"""Maintenance of the journal: verifying its chain, blanking forgotten texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from memory.files.atomic import remove_leftovers, replace
from memory.files.notation import forgotten_id
from memory.files.workspace import Workspace, digest
from memory.journal.journal import FOLDER, TORN, Journal, Months
from memory.journal.records import Action, Numbering, Record, read_record
from memory.types import Problem

Repeats = Callable[[str], bool]
"""Whether a text repeats what was forgotten."""
Whose = Callable[[str], bool]
"""Whether an actor, as the journal calls them, is the one who is meant."""
Called = Callable[[str], str]
"""What a file is called from now on; mostly as it was."""

_HINT = "Compare it with a backup or with git; the Markdown files are not affected."


def verify(workspace: Workspace) -> list[Problem]:
    """Read the whole journal from the disk and name every line that is not what was written there.

    Blanked texts are in order; the chain does not run over them. Nor is it damage that two records follow on one, or
    that one stands there twice, as in a workspace of which two clones were merged.
    """
    months, chain = Months(workspace), _Chain()
    problems: list[Problem] = []
    for file in months.listing():
        path = "/".join((*FOLDER, file.name))
        lines = months.read(file.name).split(b"\n")
        for number, line in enumerate(lines[:-1], 1):
            problems += [Problem(path, number, message, _HINT) for message in chain.faults(line)]
        if lines[-1]:
            hint = "The next write sets it aside."
            problems.append(Problem(path, len(lines), "the last line was never finished.", hint))
    return problems


class _Chain:
    """The chain over a journal's records, as far as its lines have been read."""

    def __init__(self) -> None:
        self._numbering, self._seq, self._prev = Numbering(), 0, ""
        self._chained = {"": 0}  # all that a record can follow on, with the number that stands there
        self._passed = 0  # lines since the last record that are none

    def faults(self, line: bytes) -> Iterator[str]:
        """Yield what is wrong with the next line."""
        try:
            record = read_record(line)
        except ValueError:
            self._passed += 1
            yield "this line is not a record."
            return
        newest, own = self._numbering.last, record.chain_hash()
        is_chained = own in self._chained or self._chained.get(record.prev, record.seq) < record.seq
        if not is_chained and not newest < record.seq <= newest + 1 + self._passed:
            yield f"record {record.seq} follows on record {self._seq}: some are missing or out of order."
        elif not is_chained and record.prev != self._prev and not self._passed:
            yield f"record {record.seq} does not match the record before it: one of the two was altered."
        if not record.is_intact:
            yield f"the text in record {record.seq} is not the one that was written."
        self._seq, self._prev, self._passed = record.seq, own, 0
        self._chained[own] = record.seq
        self._numbering.take(record.seq, *record.identifying)


def purge(workspace: Workspace, journal: Journal, blanking: Blanking) -> None:
    """Blank the texts of facts that were forgotten. The lock must be held.

    All records are blanked that are about one of them, have one of its lines in a text, or wrote other lines that
    repeat it. Where a file is called otherwise from now on, the records after it are chained anew. What was set aside
    of a line that was never finished goes, if it holds one of them.

    Raises:
        WriteFailed: the disk refused; what was not blanked will be next time.
    """
    for file in journal.months.listing():
        names = (*FOLDER, file.name)
        remove_leftovers(workspace, names)
        data = journal.months.read(file.name)
        blanked = b"\n".join(map(blanking.line, data.split(b"\n")))
        if blanked != data:
            replace(workspace, names, blanked, expected=digest(data))
    for file in journal.months.listing(TORN):
        if blanking.is_about(journal.months.read(file.name).decode(errors="replace")):
            journal.months.remove(file.name)


class Blanking:
    """What forgotten facts are recognised by: their ids, their lines, and their words where no fact's id stands.

    Lines of the journal are given to it in their order, because each is chained to the one before.
    """

    def __init__(
        self,
        forgotten: Sequence[Record],
        repeats: Repeats,
        called: Called,
        undone: Collection[int] = (),
        *,
        by: Whose = lambda _: False,
    ) -> None:
        """Read what was forgotten; `undone` numbers the records that were taken back, `by` tells whose go wholly."""
        self._by, self._undone = by, undone
        self._ids = frozenset(record.target for record in forgotten)
        self._marks = tuple(f" ^{target}" for target in self._ids)
        self._facts = [lines for record in forgotten if (lines := _lines([record.before]))]
        self._lines = frozenset().union(*self._facts)
        self._repeats = repeats
        self._called = called
        self._numbering = Numbering()
        self._chained: dict[str, str] = {}  # anew, where that differs from what was written

    def line(self, line: bytes) -> bytes:
        """Return a line of the journal, without its texts if they hold one of the facts.

        Of a line that cannot be read nothing is left then but its place.
        """
        try:
            record = read_record(line)
        except ValueError:
            return b"{}" if line and self.is_about(line.decode(errors="replace")) else line
        new = self._without(record, self._numbering.take(record.seq, *record.identifying))
        path, prev = self._called(new.path) if new.path else "", self._chained.get(new.prev, new.prev)
        if (path, prev) != (new.path, new.prev):
            op_id, hashed = new.op_id.replace(new.path, path), new.chain_hash()
            new = dataclasses.replace(new, op_id=op_id, path=path, prev=prev)
            self._chained[hashed] = new.chain_hash()
        return line if new == record else new.line().removesuffix(b"\n")

    def is_about(self, text: str) -> bool:
        """Return whether a text that is no record holds one of the facts."""
        return self._repeats(text) or any(target in text for target in self._ids)

    def _without(self, record: Record, seq: int) -> Record:
        """Return a record without the texts that hold one of the facts; the other one tells what was generated."""
        if record.target in self._ids or self._by(record.actor):
            return record.blanked()
        is_over = bool(record.undoes) or seq in self._undone
        is_fact = bool(record.target) and not is_over and record.action not in {Action.PROPOSE, Action.ACCEPT}
        texts = (record.before, record.after)
        before, after = (None if text and self._is_in(text, is_fact=is_fact) else text for text in texts)
        return dataclasses.replace(record, before=before, after=after)

    def _is_in(self, text: str, *, is_fact: bool) -> bool:
        own = _lines([text])
        # Facts may have a line in common, such as `- milk`: another one's record holds a fact only with all its lines.
        is_held = any(lines <= own for lines in self._facts) if is_fact else not self._lines.isdisjoint(own)
        return is_held or any(line.endswith(self._marks) for line in own) or (not is_fact and self._repeats(text))


def _lines(texts: Iterable[str | None]) -> set[str]:
    """Return all lines of these texts but blank ones and the marks of forgotten lines."""
    stripped = {line.strip() for text in texts for line in (text or "").split("\n")}
    return {line for line in stripped if line and forgotten_id(line) is None}
