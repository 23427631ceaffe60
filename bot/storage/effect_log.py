"""The record of a turn's tool calls, by which a repeated turn recognises what is done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.storage.coordinator import Coordinator
from bot.storage.port import Grant, Job, ToolEffect


@dataclass(frozen=True, slots=True)
class Begun:
    """A recorded tool call; `result` is the one of the same call in an earlier attempt at the turn, if any.

    `is_outdated`: this attempt has carried out the same call before, and since then others that may have undone it.
    """

    op_id: str
    result: str | None
    is_outdated: bool = False


class EffectLog:
    """The tool calls of one turn that change something, recorded so that a repeated turn repeats none of them.

    Asked again after a crash, a model may make other calls, or in another order. So an effect is recognised by its call
    and not by its place: the same call gets the same `op_id`, and its result if there is one. This holds within one
    attempt, too: the same call made twice is carried out once.

    Args:
        is_repeated: there may have been an earlier attempt at the turn.
    """

    def __init__(self, coordinator: Coordinator, grant: Grant, turn: str, *, is_repeated: bool = True) -> None:
        self._coordinator = coordinator
        self._grant = grant
        self._turn = turn
        self._known: dict[str, ToolEffect] | None = None if is_repeated else {}
        self._done: set[str] = set()
        self._outdated: set[str] = set()

    async def begin(self, call: str, *, only_adds: bool = False) -> Begun:
        """Record that this call is about to be carried out; one that only adds undoes no other one."""
        known = await self._all()
        effect = known.get(call)
        if effect is None:
            effect = known[call] = ToolEffect(self._turn, len(known), call)
            await self._coordinator.effect(self._grant, effect)
        is_outdated = call in self._outdated
        if effect.result is not None and call not in self._done:
            self._carried_out(call, only_adds=only_adds)
        return Begun(self._op_id(effect), effect.result, is_outdated)

    async def done(self, call: str, result: str, *, only_adds: bool = False) -> None:
        """Record the result of a call that was begun: a JSON object with a `text` for the model and lines `told`."""
        known = await self._all()
        effect = known[call] = replace(known[call], result=result)
        self._carried_out(call, only_adds=only_adds)
        await self._coordinator.effect(self._grant, effect)

    async def receipts(self) -> tuple[str, ...]:
        """Return the lines for the person about the calls that were carried out, in this or an earlier attempt."""
        results = [json.loads(effect.result) for effect in (await self._all()).values() if effect.result is not None]
        return tuple(line for result in results for line in result["told"])

    async def unfinished(self) -> dict[str, str]:
        """Return the tools of calls that have no result, by `op_id`; memory tells whether it has written with that."""
        calls = [effect for effect in (await self._all()).values() if effect.result is None]
        return {self._op_id(effect): effect.call.partition(" ")[0] for effect in calls}

    async def reschedule(self, *jobs: Job, without: Sequence[str] = ()) -> None:
        """Put jobs on the agent's schedule at once, and drop others by name; a repeated turn does the same again."""
        for name in without:
            await self._coordinator.cancel(self._grant, name)
        for job in jobs:
            await self._coordinator.schedule(self._grant, job)

    async def due(self, prefix: str) -> dict[str, datetime]:
        """Return when the agent's jobs whose names begin like this are due next, by name."""
        jobs = await self._coordinator.jobs(self._grant.agent)
        return {job.name: job.due for job in jobs if job.name.startswith(prefix)}

    def _carried_out(self, call: str, *, only_adds: bool) -> None:
        if not only_adds:
            self._outdated |= self._done
        self._done.add(call)

    async def _all(self) -> dict[str, ToolEffect]:
        if self._known is None:
            earlier = await self._coordinator.effects(self._grant, self._turn)
            self._known = {effect.call: effect for effect in earlier}
        return self._known

    def _op_id(self, effect: ToolEffect) -> str:
        return f"{self._turn}:t{effect.number}"
