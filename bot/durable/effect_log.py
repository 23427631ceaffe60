"""The effect log of one turn (`bot.turn.EffectLog`) in the durable core."""

from __future__ import annotations

import json
from dataclasses import replace

from bot.durable.port import Coordinator, Grant, ToolEffect
from bot.turn import Begun, Unfinished


class TurnEffects:
    """Written down before and after each call, so that a turn that is repeated after a crash repeats no effect.

    A model asked again may ask for other calls, or in another order. So an effect is recognised by what was called and
    not by its place: the same call gets the same `op_id`, and its result if there is one. Within one attempt, too: a
    model that says the same thing twice means it once.

    Args:
        coordinator: where they are written down.
        grant: for the agent.
        turn: the turn's id.
        is_repeated: there may have been an earlier attempt at the turn.
    """

    def __init__(self, coordinator: Coordinator, grant: Grant, turn: str, *, is_repeated: bool = True) -> None:
        self._coordinator = coordinator
        self._grant = grant
        self._turn = turn
        self._known: dict[str, ToolEffect] | None = None if is_repeated else {}

    async def begin(self, call: str) -> Begun:
        """Write down that this call is about to be carried out."""
        known = await self._all()
        effect = known.get(call)
        if effect is None:
            effect = known[call] = ToolEffect(self._turn, len(known), call)
            await self._coordinator.effect(self._grant, effect)
        return Begun(self._op_id(effect), effect.result)

    async def done(self, call: str, result: str) -> None:
        """Write down what it came to; it was begun before."""
        known = await self._all()
        effect = known[call] = replace(known[call], result=result)
        await self._coordinator.effect(self._grant, effect)

    async def told(self) -> tuple[str, ...]:
        """What the person is to be told of the calls that were carried out, in this attempt or an earlier one."""
        results = [json.loads(effect.result) for effect in (await self._all()).values() if effect.result is not None]
        return tuple(line for result in results for line in result["told"])

    async def unfinished(self) -> tuple[Unfinished, ...]:
        """The calls that were begun and of which nobody knows what they came to."""
        return tuple(
            Unfinished(effect.call.partition(" ")[0], self._op_id(effect))
            for effect in (await self._all()).values()
            if effect.result is None
        )

    async def _all(self) -> dict[str, ToolEffect]:
        if self._known is None:
            earlier = await self._coordinator.effects(self._grant, self._turn)
            self._known = {effect.call: effect for effect in earlier}
        return self._known

    def _op_id(self, effect: ToolEffect) -> str:
        return f"{self._turn}:t{effect.number}"
