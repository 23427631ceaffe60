"""Leaves nothing of what a person said in a home: finds it, and removes it in an order that can be repeated.

What is derived goes first, then what it is derived from; who the person is goes last. So whoever is interrupted calls
it again, and it finishes.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from secrets import token_hex

from bot.paths import Home, safe_name
from bot.sessions.redaction import DerivedSessions, remove_backups
from bot.storage.coordinator import Coordinator
from bot.storage.objects import SharedFiles
from bot.storage.tables.erasure import PersonTraces
from memory import OWNER, Line, Memory, Scope
from memory.knowledge.authors import AuthoredFact, blank_by, facts_by, scopes, unpurged
from memory.privacy.copies import fact_in

OPERATION = "purge-person:"
"""With this the ids of operations begin that forget what a person told."""


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What there is of a person.

    Attributes:
        counts: how much there is, by kind.
        changed: conversations of others, by agent and key, in which their words are masked.
        files: folders and files with what they sent.
        facts: what they told and can be found, by agent.
        about: lines by agent that others told about them, and that stay, each with who may see it.
    """

    person: PersonTraces
    counts: Mapping[str, int]
    changed: frozenset[tuple[str, str]]
    files: tuple[Path, ...]
    facts: Mapping[str, tuple[AuthoredFact, ...]]
    about: Mapping[str, Mapping[Line, Scope]]

    @property
    def is_empty(self) -> bool:
        return not any(self.counts.values())


@dataclass
class PersonPurge:
    """Finds and removes what a person said. Nothing else may work on the home meanwhile.

    Attributes:
        derived: what is derived from transcripts.
        shared: what they sent, where other machines have it, too.
    """

    coordinator: Coordinator
    home: Home
    derived: Sequence[DerivedSessions]
    memories: Mapping[str, Memory]
    shared: SharedFiles | None

    async def plan(self, who: str) -> PurgePlan:
        """Find what there is of a person, by any of their identities (`platform:id`); nothing changes.

        Raises:
            StateError, OSError, memory.Error: something cannot be read.
        """
        person = await self.coordinator.erasure.find(who)
        told, texts = dict[str, tuple[AuthoredFact, ...]](), set[str]()
        count = 0
        for name, memory in self.memories.items():
            facts = await memory.run(facts_by, _writes_as(person))
            told[name] = tuple(fact for fact in facts if fact.is_there)
            texts |= {fact_in(fact.text).text for fact in facts if fact.text}
            count += len(facts)
        person = replace(person, said=person.said | {text for text in texts if text})
        erased = await self.coordinator.erasure.preview(person)
        files = await asyncio.to_thread(self._find_files, person)
        counts = {**erased.counts, "facts": count, "files": len(files)}
        about = {name: await self._about(memory, person, told[name]) for name, memory in self.memories.items()}
        return PurgePlan(person, counts, erased.changed, files, told, about)

    async def carry_out(self, plan: PurgePlan) -> None:
        """Remove it all; repeated, it finishes what was interrupted.

        Raises:
            StateError, OSError, memory.Error: something cannot be written.
        """
        person, erasure = plan.person, self.coordinator.erasure
        touched = {*plan.changed, *person.private, *person.shared}
        for agent in {agent for agent, _ in touched}:
            gone = [one for one in await self.coordinator.sessions(agent) if (agent, one.key) in touched]
            for derived in self.derived:
                await derived.remove(agent, gone, left=())
        for path in plan.files:
            await asyncio.to_thread(shutil.rmtree if path.is_dir() else os.unlink, path)
        if self.shared:
            for agent, turn in sorted(person.turns):
                await self.shared.remove(agent, safe_name(turn))
        await erasure.erase(person)
        for agent, memory in self.memories.items():
            for scope in {fact.scope for fact in plan.facts[agent]}:
                ids = [fact.id for fact in plan.facts[agent] if fact.scope == scope]
                await memory.forget_facts(ids, op_id=f"{OPERATION}{token_hex(8)}", scope=scope, actor="owner")
            # Without an operation that is left, unused parts of the index are cleared all the same.
            for name in await memory.run(unpurged, OPERATION) or (OPERATION,):
                await memory.purge(at_once=True, op_id=name)
            await memory.run(blank_by, _writes_as(person))
        await erasure.erase_register(person)
        remove_backups(self.home.database)

    async def _about(self, memory: Memory, person: PersonTraces, own: Sequence[AuthoredFact]) -> Mapping[Line, Scope]:
        """Return lines about them that others told, wherever that was."""
        found, ids = dict[Line, Scope](), {fact.id for fact in own}
        for scope, name in product(sorted(await memory.run(scopes), key=OWNER.__ne__), sorted(person.names)):
            preview = await memory.preview_forget(name, everything=True, scope=scope, actor=OPERATION)
            found |= {line: scope for line in preview.lines if line.id.removeprefix("^") not in ids}
        return found

    def _find_files(self, person: PersonTraces) -> tuple[Path, ...]:
        """Return the folders of what they sent, and events of theirs that could not be read."""
        folders = [self.home.files / agent / safe_name(turn) for agent, turn in sorted(person.turns)]
        found = [folder for folder in folders if folder.exists()]
        for one in person.ids:
            platform, _, number = one.partition(":")
            mark = re.compile(rf"(?<!\w){re.escape(number)}(?!\w)")
            events = sorted(self.home.unreadable.glob(f"{platform}.*.json"))
            found += [path for path in events if mark.search(path.read_text(encoding="utf-8", errors="replace"))]
        return tuple(dict.fromkeys(found))


def _writes_as(person: PersonTraces) -> Callable[[str], bool]:
    """Return what tells whether the journal calls a person so, or an agent that writes on their behalf."""
    return lambda actor: actor in person.ids or actor.rpartition(" for ")[2] in person.ids
