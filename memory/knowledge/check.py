"""Looks through a workspace for what does not hold together: links, ids, pages, evidence, generated parts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memory.errors import Error, Unparsable
from memory.files.managed import read_part
from memory.files.markdown import BlockKind, block_id, blocks, code_lines, conflicts, split_lines
from memory.files.paths import original, page_name
from memory.files.sources import scan
from memory.index.sql import Index
from memory.index.sync import is_memory
from memory.index.terms import entity_key
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection import opinions, pages
from memory.knowledge.reflection.reflect import forget_sources
from memory.types import OWNER, Filter

MAX_FINDINGS = 500

_LINK = re.compile(r"(?<![!\\])\[\[([^\]\n|#]*)(?:#\^([A-Za-z0-9-]+))?(?:\|[^\]\n]*)?\]\]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d[^/]*")
_CODE = re.compile(r"`+[^`]*`+")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not hold together.

    Its id is the sort: `link`, `orphan`, `conflict`, `copy`, `duplicate`, `evidence` or `part`. The line is 1-based; 0
    for the whole file. `is_fixable`: `fix` can do it without guessing.
    """

    id: str
    path: str
    line: int
    message: str
    hint: str
    is_fixable: bool = False


def check(context: KnowledgeContext) -> tuple[Finding, ...]:
    """Return what does not hold together, by file and line; 500 at most, what a merge has left first."""
    texts = _texts(context)
    places = _places(texts)
    findings = [*_merges(texts, places), *_links(texts, places), *_parts(texts)]
    for opinion in opinions.read(texts.get(opinions.PATH, "")):
        for piece in opinion.evidence:
            is_marked = not piece.id.startswith("h")
            if (is_marked and piece.id not in places) or piece.path not in texts:
                message = f"Evidence points to {piece.path} `^{piece.id}`, which is not there."
                hint = "It counts until it is removed."
                findings.append(Finding("evidence", opinions.PATH, opinion.line + 1, message, hint, is_marked))
    findings += _orphans(context.index, texts)
    return _in_order(findings)


def left_by_merges(context: KnowledgeContext) -> tuple[Finding, ...]:
    """Return what a merge has left: conflicts, copies, ids of two lines; in the order and the number of `check`."""
    texts = _texts(context)
    return _in_order([*_merges(texts, _places(texts))])


def fix(context: KnowledgeContext, *, op_id: str, actor: str) -> tuple[Finding, ...]:
    """Take out what points at nothing: evidence and generated lines. Return what is left."""
    texts = _texts(context)
    known = {name for text in texts.values() for block in blocks(text) if (name := block_id(block.text))}
    linked = {name for text in texts.values() for name in pages.linked_ids(_generated(text))}
    evidence = {piece.id for opinion in opinions.read(texts.get(opinions.PATH, "")) for piece in opinion.evidence}
    gone = {name for name in linked | evidence if name not in known and not name.startswith("h")}
    if gone:
        forget_sources(context, frozenset(gone), op_id=op_id, actor=actor, keeps_opinions=True)
    return check(context)


def _texts(context: KnowledgeContext) -> Mapping[str, str]:
    """Return the texts of all files of the workspace that can be read; `problems` names the others."""
    texts = {}
    for path in sorted(entry.path for entry in scan(context.workspace, lambda _: None) if is_memory(entry.path)):
        with suppress(Error):
            texts[path] = context.workspace.read_lenient(path)[0]
    return texts


def _in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings[:MAX_FINDINGS], key=lambda finding: (finding.path, finding.line, finding.id)))


def _places(texts: Mapping[str, str]) -> Mapping[str, list[tuple[str, int]]]:
    """Return the ids of lines, each with the files and lines that have it."""
    places = defaultdict[str, list[tuple[str, int]]](list)
    for path, text in texts.items():
        for block in blocks(text):
            name = block_id(block.text) if block.kind is not BlockKind.FENCE and not block.managed else None
            if name:
                places[name].append((path, block.start))
    return places


def _merges(texts: Mapping[str, str], places: Mapping[str, list[tuple[str, int]]]) -> Iterator[Finding]:
    for path, text in texts.items():
        for marks in conflicts(text):
            hint = "Keep what is right of the lines down to `>>>>>>>`, and remove the marks."
            yield Finding("conflict", path, marks[0], "Git could not merge two versions of what follows.", hint)
    copies = {path: of for path in texts if (of := original(path)) != path and of in texts}
    for path, of in copies.items():
        message = f"This is another version of {of}, put there by a program that synchronises."
        yield Finding("copy", path, 0, message, f"Move into {of} what it lacks, then delete this file.")
    for name, found in places.items():
        first, *others = sorted(found, key=lambda place: (len(place[0]), place))  # as `Index.find`
        for path, line in others:
            if path not in copies:
                message = f"`^{name}` is the id of {first[0]}:{first[1]} as well."
                hint = "Take the id off one of the two lines, or remove the line if it was copied."
                yield Finding("duplicate", path, line, message, hint)


def _generated(text: str) -> str:
    try:
        return read_part(text) or ""
    except Unparsable:
        return ""


def _links(texts: Mapping[str, str], places: Mapping[str, list[tuple[str, int]]]) -> Iterator[Finding]:
    names = {page_name(path) for path in texts}
    for path, text in texts.items():
        if "[[" not in text:
            continue
        code = code_lines(text)
        for number, line in enumerate(split_lines(text), 1):
            if "[[" not in line or number in code:
                continue
            for link in _LINK.finditer(_CODE.sub("", line)):
                page, name = page_name(link[1]).strip(), link[2]
                is_lost = name is not None and name not in places
                if is_lost or (_DAY.fullmatch(page) and page not in names):
                    message = f"{link[0]} points to the page `{page}`, which is not there."
                    message = f"{link[0]} points to the line `^{name}`, which is not there." if is_lost else message
                    is_generated = name is not None and name in pages.linked_ids(_generated(text))
                    yield Finding("link", path, number, message, "Mend or remove the link.", is_fixable=is_generated)


def _parts(texts: Mapping[str, str]) -> Iterator[Finding]:
    for path, text in texts.items():
        if "scrubjay:begin" in text or "scrubjay:end" in text:
            try:
                read_part(text)
            except Unparsable as error:
                number = next(number for number, line in enumerate(split_lines(text), 1) if "scrubjay:" in line)
                yield Finding("part", path, number, error.message, error.hint)


def _orphans(index: Index, texts: Mapping[str, str]) -> Iterator[Finding]:
    for path in texts:
        if not path.startswith(pages.FOLDER):
            continue
        key = entity_key(page_name(path))
        about = index.stored(index.about([key], scope=OWNER, where=Filter(), limit=50), scope=OWNER)
        if all(stored.path == path for stored in about):
            hint = "Remove it, or leave it if you wrote it for yourself."
            yield Finding("orphan", path, 0, "No fact is about whom this page is named after.", hint)
