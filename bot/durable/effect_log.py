"""The effect log of one turn (`bot.turn.EffectLog`) in the durable core."""

from __future__ import annotations

from bot.durable.port import Coordinator, Grant, ToolEffect
from bot.turn import Begun


class TurnEffects:
    """Written down before and after each call, so that a turn that is repeated after a crash repeats no effect.

    A model asked again may ask for other calls, or in another order. So an earlier effect is recognised by what was
    called and not by its place: the same call gets the same `op_id`, and its result if there is one.
    """

    def __init__(self, coordinator: Coordinator, grant: Grant, turn: str) -> None:
        self._coordinator = coordinator
        self._grant = grant
        self._turn = turn
        self._earlier: list[ToolEffect] | None = None
        self._next = 0

    async def begin(self, call: str) -> Begun:
        """Write down that this call is about to be carried out."""
        if self._earlier is None:
            self._earlier = list(await self._coordinator.effects(self._grant, self._turn))
            self._next = max((effect.number for effect in self._earlier), default=-1) + 1
        known = next((effect for effect in self._earlier if effect.call == call), None)
        if known:
            self._earlier.remove(known)
            return Begun(self._op_id(known.number), known.result)
        effect = ToolEffect(self._turn, self._next, call)
        self._next += 1
        await self._coordinator.effect(self._grant, effect)
        return Begun(self._op_id(effect.number), None)

    async def done(self, begun: Begun, call: str, result: str) -> None:
        """Write down what it came to."""
        number = int(begun.op_id.rpartition(":t")[2])
        await self._coordinator.effect(self._grant, ToolEffect(self._turn, number, call, result))

    def _op_id(self, number: int) -> str:
        return f"{self._turn}:t{number}"
