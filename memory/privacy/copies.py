"""Copies of forgotten facts in files: the same lines elsewhere, and notes saved from conversations that repeat them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count, groupby, pairwise
from types import MappingProxyType

from memory.errors import Error, Unparsable
from memory.files.managed import WHOLE
from memory.files.markdown import block_id, frontmatter_end, page_properties, split_lines
from memory.files.notation import parse_fact
from memory.files.paths import original
from memory.files.sources import Sources
from memory.files.workspace import SINGLE_BYTES
from memory.journal.drafts import bare_id
from memory.journal.records import Record
from memory.privacy.traces import PhraseIndex, Traces, candidates, phrase
from memory.types import Fact, Line

_SAVED = re.compile(r"memory/\d{4}-\d\d-\d\d-[^/]+\.md")
_TITLED = re.compile(r"\A(memory/\d{4}-\d\d-\d\d-|bank/entities/)(?P<title>[^/]+)\.md\Z")
_SPOKEN = re.compile(r"^\[\d\d:\d\d\] \*\*(?P<who>[^*]*)\*\*:", re.MULTILINE)
_REPEAT = re.compile(r"(.+)-n[0-9]+")


def is_repeat(target: str, targets: Collection[str]) -> bool:
    """Return whether a target of an operation that forgot is lines of a note that repeated a fact, and not a fact."""
    match = _REPEAT.fullmatch(target)
    return match is not None and match[1] in targets


def disjoint(lines: Sequence[Line]) -> list[Line]:
    """Return lines without what another that begins before has as well: chunks overlap, pieces are of one line."""
    rest: dict[Line, Line] = {}
    ends: dict[str, int] = {}
    for line in sorted(lines, key=lambda line: line.number):
        texts = line.text.split("\n")
        again = max(0, ends.get(line.path, 0) + 1 - line.number)
        if left := texts[again:]:
            rest[line] = replace(line, number=line.number + again, text="\n".join(left))
            ends[line.path] = line.number + len(texts) - 1
    return [rest[line] for line in lines if line in rest]


def fact_in(text: str) -> Fact:
    """Return what the lines of a fact say; of other lines, all of it."""
    text = text.translate(SINGLE_BYTES)
    try:
        return parse_fact(text)
    except Unparsable:
        return Fact(text)


class SavedCopies:
    """Finds what repeats facts in one workspace: copies of their lines, and notes saved from conversations."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def traces(self, texts: Iterable[str], left: Iterable[str]) -> Traces:
        """Return what facts are recognised by, given their lines as they stood, and all that is left without them."""
        facts = [fact_in(text) for text in texts]
        wanted = candidates(facts)
        index = PhraseIndex(wanted)
        elsewhere: set[str] = set()
        alike: list[Fact] = []
        rough = Traces.of(facts, wanted)
        for text in left:
            elsewhere.update(index.found_in(phrase(text)))
            lines = text.split("\n")
            alike += [fact_in(lines[number]) for number in rough.lines(text)]
        return Traces.of(facts, elsewhere).sparing(alike)

    def remaining_texts(self, gone: Sequence[Line] = ()) -> Iterator[str]:
        """Yield what files hold without some lines and their copies, saved notes, and what is generated from facts."""
        gone = [*gone, *(Line("", *copy) for copy in self.copies(gone))]
        for path, text in self._texts():
            if not _is_saved(path, text):
                own = WHOLE.sub(lambda part: "\n" * part[0].count("\n"), text)
                lines = [line for line in gone if line.path == path]
                away = {line.number + n for line in lines for n in range(line.text.count("\n") + 1)}
                kept = (line for number, line in enumerate(split_lines(own), 1) if number not in away)
                yield "\n".join(kept) if lines else own

    def new_names(self, traces: Traces, lines: Sequence[Line]) -> dict[str, str]:
        """Return the names that saved notes get whose names repeat the facts; `traces` as for `lines`."""
        paths = [path for path, _ in self._notes()]
        new: dict[str, str] = {}
        narrowed = self._narrowed(traces, lines)
        for path in paths:
            if narrowed.matches(title_in(path)):
                plain = without_title(path)
                names = (plain.replace(".md", f"-{number}.md") if number > 1 else plain for number in count(1))
                new[path] = next(name for name in names if name not in {*paths, *new.values()})
        return new

    def lines(
        self, traces: Traces, gone: Sequence[Line], *, saved: bool, known: Mapping[str, Record] = MappingProxyType({})
    ) -> tuple[Line, ...]:
        """Return the lines of saved notes that repeat the facts in the lines that go, as further lines to go.

        Copies of the facts' lines go, too; later only as many in each file as were there at first, for a person may
        have put one there again.

        Args:
            saved: whether saved notes are looked through; copies go everywhere.
            known: what the operation has forgotten already; the ids of these lines go on behind the first fact's.
        """
        notes = [*self._notes()] if saved else []
        due = {record.before: Counter(record.details.get("copies", ())) for record in known.values()}
        for record in known.values():
            due[record.before][record.path] -= 1
        repeats = [copy for copy in self.copies(gone) if copy[2] not in due or due[copy[2]][copy[0]] > 0]
        if not (notes or repeats) or not gone:
            return ()
        narrowed = self._narrowed(traces, gone)
        repeats += [(path, start, text) for path, page in notes for start, text in _runs(page, narrowed.lines(page))]
        taken = {(line.path, line.number + n) for line in gone for n in range(line.text.count("\n") + 1)}
        fresh = [repeat for repeat in repeats if repeat[:2] not in taken]
        name = gone[0].id.removeprefix("^")
        return tuple(Line(f"{name}-n{n}", *repeat) for n, repeat in enumerate(fresh, len(known) + 1))

    def copies(self, gone: Sequence[Line]) -> Iterator[tuple[str, int, str]]:
        """Yield the same lines with the same id elsewhere: synchronisations and merges double files and lines.

        Without an id they are the same in other versions of their file.
        """
        places = {(line.path, line.number) for line in gone}
        named = [(bare_id(line), line.text) for line in gone if block_id(line.text.split("\n")[0]) == bare_id(line)]
        own = {line.path: original(line.path) for line in gone}
        for path, text in self._texts(lambda path: named or (path not in own and original(path) in own.values())):
            wanted = dict.fromkeys(lines for name, lines in named if name in text)
            wanted |= {line.text: None for line in gone if path != line.path and original(path) == own[line.path]}
            page = "\n".join(["", *split_lines(text), ""]) if wanted and not self._sources.is_extra(path) else ""
            for line in wanted:
                starts = (
                    page.count("\n", 0, at.start()) + 1 for at in re.finditer(rf"\n{re.escape(line)}(?=\n)", page)
                )
                yield from ((path, start, line) for start in starts if (path, start) not in places)

    def _narrowed(self, traces: Traces, gone: Sequence[Line]) -> Traces:
        """Without the rare words of what was said in saved notes where the facts were not spoken of."""
        places = [re.compile(rf"{re.escape(f'{line.path}#L{line.number}')}(?!\d)") for line in gone]
        turns = [turn for _, text in self._notes() for turn in _turns(text)]
        return traces.narrowed(
            turn for turn in turns if not (traces.is_spoken_of(turn) or any(place.search(turn) for place in places))
        )

    def _notes(self) -> Iterator[tuple[str, str]]:
        """Yield the notes that were saved from conversations; only what is called like one is read."""
        return (found for found in self._texts(_SAVED.fullmatch) if _is_saved(*found))

    def _texts(self, called: Callable[[str], object] = bool) -> Iterator[tuple[str, str]]:
        for entry in self._sources.scan(lambda _: None):
            if called(entry.path):
                with suppress(Error):  # it went away this moment, or cannot be read, which `problems` tells
                    yield entry.path, self._sources.read_lenient(entry.path)[0]


def title_in(path: str) -> str:
    """Return the words in the name of a note that was saved, or an entity's page; empty for any other file."""
    match = _TITLED.match(path)
    return match["title"].replace("-", " ") if match else ""


def without_title(path: str) -> str:
    """Return the name of such a file without these words."""
    return _TITLED.sub(r"\1forgotten.md", path)


def _is_saved(path: str, text: str) -> bool:
    """Return whether a note was saved from a conversation: its name is dated, and its properties name the session."""
    return _SAVED.fullmatch(path) is not None and "session" in page_properties(text)


def _turns(text: str) -> Iterator[str]:
    """Yield what a person said in a saved note, each with what was answered."""
    agent = page_properties(text).get("agent")
    spoken = list(_SPOKEN.finditer(text))
    starts = [opening.start() for n, opening in enumerate(spoken) if n == 0 or opening["who"] != agent]
    yield from (text[start:end] for start, end in pairwise([*starts, len(text)]))


def _runs(page: str, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Neighbouring lines of these numbers (from 0) as (number from 1, text); of the properties items of lists only."""
    lines = split_lines(page)
    head = frontmatter_end(lines)
    wanted = [number for number in numbers if number >= head or lines[number].lstrip().startswith("- ")]
    for _, group in groupby(enumerate(wanted), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield run[0] + 1, "\n".join(lines[run[0] : run[-1] + 1])
