"""Whether the journal holds together: every line a record, every number there, every hash the one that was taken."""

from __future__ import annotations

from collections.abc import Iterator

from memory.files.months import FOLDER, Months
from memory.files.record import Record, read_record
from memory.files.workspace import Workspace
from memory.model import Problem

_HINT = "Compare it with a backup or with git; the Markdown files are not affected."


def verify(workspace: Workspace) -> list[Problem]:
    """Read the whole journal from the disk and name every line that is not what was written there.

    Blanked texts are in order; the chain does not run over them.
    """
    return list(_Verification(Months(workspace)).problems())


class _Verification:
    def __init__(self, months: Months) -> None:
        self._months = months
        self._seq = 0
        self._prev = ""
        self._passed = 0  # lines since the last record that are none

    def problems(self) -> Iterator[Problem]:
        for file in self._months.listing():
            path = "/".join((*FOLDER, file.name))
            lines = self._months.read(file.name).split(b"\n")
            for number, line in enumerate(lines[:-1], 1):
                for message in self._check(line):
                    yield Problem(path, number, message, _HINT)
            if lines[-1]:
                yield Problem(path, len(lines), "the last line was never finished.", "The next write sets it aside.")

    def _check(self, line: bytes) -> Iterator[str]:
        try:
            record = read_record(line)
        except ValueError:
            yield "this line is not a record."
            self._passed += 1
            return
        yield from self._objections(record)
        self._seq, self._prev, self._passed = record.seq, record.chain_hash(), 0

    def _objections(self, record: Record) -> Iterator[str]:
        if not self._seq < record.seq <= self._seq + 1 + self._passed:
            yield f"record {record.seq} follows on record {self._seq}: some are missing or out of order."
        elif record.prev != self._prev and not self._passed:
            yield f"record {record.seq} does not match the record before it: one of the two was altered."
        if not record.is_intact:
            yield f"the text in record {record.seq} is not the one that was written."
