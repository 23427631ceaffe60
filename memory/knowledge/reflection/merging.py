"""Entities merged and renamed: by other names in the properties of a page, so that no fact is rewritten."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memory.errors import Conflict, NotFound, PathRefused
from memory.files.managed import PART, read_part, write_part
from memory.files.markdown import frontmatter_end, properties, split_lines
from memory.files.names import entity_name
from memory.files.paths import admit, page_name
from memory.files.workspace import state
from memory.index.terms import entity_key
from memory.index.units import REDIRECT
from memory.journal.edits import decode, encode
from memory.journal.records import SUPERSEDED, Operation
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.pages import FOLDER
from memory.knowledge.reflection.reflect import entity_pages, last_written
from memory.types import OWNER, Filter, Origin

_OURS = ("kind:", "created:", "updated:", "aliases:", "  - ")


@dataclass(frozen=True, slots=True)
class Merge:
    """What would be written: the kept page, and the other one, which becomes a pointer to it.

    Attributes:
        path: of the kept page.
        before, after: its texts; the first is None if there is no such page yet.
        other: of the page that becomes a pointer; empty if there is none.
        other_before, other_after: its texts.
        facts: how many name the one who is called otherwise from now on.
    """

    path: str
    before: str | None
    after: str
    other: str
    other_before: str
    other_after: str
    facts: int


def plan_merge(context: KnowledgeContext, old: str, into: str) -> Merge:
    """Find out what a merge of one entity into another writes; of a new name it is a renaming.

    The kept page gets the other's names as aliases, and below its text what people wrote into the other page.

    Raises:
        NotFound: nobody is called `old` in facts, nor is there a page.
        Conflict: both are one already.
        PathRefused: `into` is no name.
    """
    aliases, known = entity_pages(context)
    old_key, kept_key = (aliases.get(entity_key(name), entity_key(name)) for name in (old, into))
    if not entity_name(into):
        raise PathRefused(f"{into!r} is no name.", hint="Use letters and digits, with hyphens between words.")
    if old_key == kept_key:
        raise Conflict(f"{old} and {into} are one already.", hint="`/about` shows all names that lead there.")
    count = len(context.index.about([old_key], scope=OWNER, where=Filter(), limit=10_000))
    other = known.get(old_key, "")
    if not count and not other:
        raise NotFound(f"Nobody is called {old}.", hint="Names stand behind `@` in facts: `/memory` lists them.")
    path = known.get(kept_key, f"{FOLDER}{entity_name(into)}.md")
    content = context.workspace.content_at(admit(path))
    page = decode(content or b"") or f"---\nkind: entity\n---\n\n# {entity_name(into).replace('-', ' ')}\n"
    text = decode(context.workspace.content_at(admit(other)) or b"") if other else ""
    names = [old.strip().removeprefix("@"), *(name for name, key in aliases.items() if key == old_key)]
    generated = last_written(context, other) if other else None
    body = _own_text(text, old, generated)
    after = _with_aliases(page, names).rstrip("\n") + "\n"
    after += f"\n## {old}\n\n{body}\n" if body else ""
    target = page_name(path)
    pointer = f"---\n{REDIRECT}: {target}\n---\n\n[[{target}]]\n"
    before = None if content is None else decode(content)
    return Merge(path, before, after, other, text, pointer, count)


def carry_out(context: KnowledgeContext, plan: Merge, *, op_id: str, actor: str) -> None:
    """Write a merge as it was shown; one `undo` takes it back. Raises `Conflict` if a page has been changed since."""
    if plan.other:
        second = Operation(f"{op_id}{SUPERSEDED}", actor, Origin.OWNER, OWNER)
        context.writer.replace(plan.other, plan.other_after, second, expected=state(encode(plan.other_before)))
    operation = Operation(op_id, actor, Origin.OWNER, OWNER)
    expected = state(None if plan.before is None else encode(plan.before))
    context.writer.replace(plan.path, plan.after, operation, expected=expected)
    context.index_manager.refresh([path for path in (plan.path, plan.other) if path])


def _own_text(page: str, name: str, was: str | None) -> str:
    """Return what a person wrote into a page: no generated part and no title, but what stands in the properties."""
    if read_part(page) is not None:
        page = write_part(page, "", was=was)[0]
    lines = split_lines(page)
    end = frontmatter_end(lines)
    stated = [line for line in lines[1 : end - 1] if not line.startswith(_OURS)] if end else []
    kept = [line for line in lines[end:] if f"scrubjay:begin {PART}" not in line and f"scrubjay:end {PART}" not in line]
    first = next((n for n, line in enumerate(kept) if line.strip()), 0)
    title = kept[first : first + 1]
    if title and title[0].startswith("# ") and entity_key(title[0]) == entity_key(name):
        del kept[first]
    return "\n".join([*stated, *kept]).strip("\n")


def _with_aliases(page: str, names: list[str]) -> str:
    """Return a page whose properties have these names among its aliases; the rest to the letter."""
    lines = page.split("\n")
    end = frontmatter_end(split_lines(page))
    if not end:
        return f"---\naliases: {_flow(names)}\n---\n\n{page}"
    known = properties("\n".join(lines[:end])).get("aliases", [])
    wanted = dict.fromkeys([*([known] if isinstance(known, str) else known), *names])
    at = next((n for n, line in enumerate(lines[:end]) if line.startswith("aliases:")), 0)
    last = at + 1
    while at and last < end - 1 and lines[last].startswith((" ", "\t", "- ")):  # a list with an item a line
        last += 1
    line = f"aliases: {_flow([*wanted])}"
    return "\n".join([*lines[:at], line, *lines[last:]] if at else [lines[0], line, *lines[1:]])


def _flow(names: list[str]) -> str:
    plain = (
        name if name.replace("-", "").replace(" ", "").isalnum() else json.dumps(name, ensure_ascii=False)
        for name in names
    )
    return f"[{', '.join(plain)}]"
