"""The effect log of one turn (`bot.turn.EffectLog`) in the durable core."""

from __future__ import annotations

from dataclasses import replace

from bot.durable.port import Coordinator, Grant, ToolEffect
from bot.turn import Begun


class TurnEffects:
    """Written down before and after each call, so that a turn that is repeated after a crash repeats no effect.

    A model asked again may ask for other calls, or in another order. So an effect is recognised by what was called and
    not by its place: the same call gets the same `op_id`, and its result if there is one. Within one attempt, too: a
    model that says the same thing twice means it once.
    """

    def __init__(self, coordinator: Coordinator, grant: Grant, turn: str) -> None:
        self._coordinator = coordinator
        self._grant = grant
        self._turn = turn
        self._known: dict[str, ToolEffect] | None = None

    async def begin(self, call: str) -> Begun:
        """Write down that this call is about to be carried out."""
        if self._known is None:
            earlier = await self._coordinator.effects(self._grant, self._turn)
            self._known = {effect.call: effect for effect in earlier}
        effect = self._known.get(call)
        if effect is None:
            effect = self._known[call] = ToolEffect(self._turn, len(self._known), call)
            await self._coordinator.effect(self._grant, effect)
        return Begun(f"{self._turn}:t{effect.number}", effect.result)

    async def done(self, call: str, result: str) -> None:
        """Write down what it came to; it was begun before."""
        assert self._known is not None
        effect = self._known[call] = replace(self._known[call], result=result)
        await self._coordinator.effect(self._grant, effect)
