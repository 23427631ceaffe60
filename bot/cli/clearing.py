"""How a command carries the forgetting of facts into the records of conversations: through whoever has them open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import Locked

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from memory import Memory, Scope


@dataclass(frozen=True, slots=True)
class Wholly:
    """Nothing is to be left of what was forgotten in a scope, or by one operation."""

    scope: Scope
    op_id: str


def refuse_beside_chat(run: Invocation) -> None:
    """Raise `Locked` while a chat in a terminal has the records open: only it can clear them."""
    from bot import instance

    holder = instance.holder(run.home)
    if holder and not run.home.counter.exists():
        raise Locked(
            f"The records of conversations are open elsewhere ({holder}), so nothing was forgotten.",
            hint="Type it there: /forget --purge WORDS. Or end it first.",
        )


async def carry_out(run: Invocation, memory: Memory, agent: str | None, *, wholly: Wholly | None) -> int:
    """Mask in the records what memory has forgotten; how many messages and answers that changed, 0 if it is not known.

    A chat in a terminal does it by itself with its next turn; that is said.

    Raises:
        Unreachable: a service runs and does not answer.
        BotError: the records cannot be written.
    """
    from bot import instance, intercom

    name = run.config.agent(agent)
    if run.home.counter.exists() and instance.holder(run.home):
        about = {"scope": wholly.scope, "op_id": wholly.op_id} if wholly else {}
        told = await intercom.ask(run.home.counter, "forgotten", agent=name, wholly=wholly is not None, **about)
        return int(told["count"]) if not wholly else 0
    if not run.home.database.exists():
        if wholly:
            await memory.purge(at_once=True, scope=wholly.scope, op_id=wholly.op_id)
        return 0
    try:
        return await _by_itself(run, memory, name, wholly=wholly)
    except Locked:
        run.terminal.err("A chat is open: it masks what it repeats of this with its next turn.")
        return 0


async def _by_itself(run: Invocation, memory: Memory, name: str, *, wholly: Wholly | None) -> int:
    from bot import instance
    from bot.agent.context import ContextLog
    from bot.durable.sqlite import SqliteCoordinator
    from bot.forgetting import Forgetting
    from bot.redaction import Keeper, Records, Typed
    from bot.session.projection import Endings, Projection
    from bot.turn import Agent

    home = run.home
    with instance.hold(home, command="memory forget", clock=run.clock):
        async with SqliteCoordinator.open(home.database, clock=run.clock) as core:
            keepers: list[Keeper] = [
                Projection(core, Endings(), folder=home.sessions),
                ContextLog(home.state / "sessions"),
                Typed(home.history),
            ]
            forgetting = Forgetting(Records(core, keepers, backups=home.database), core.marks)
            agent = Agent(name, run.config.agents[name].about, memory, run.config.owner.zone, run.clock)
            masked = await forgetting.catch_up(agent)
            if wholly:
                await forgetting.purge(agent, scope=wholly.scope, op_id=wholly.op_id)
            return masked
