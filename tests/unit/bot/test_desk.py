from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from adapters.marks import VolatileMarks
from adapters.port import Sender
from bot.agent.context import ContextLog
from bot.app import commands
from bot.brains import Brain
from bot.desk import People, ServiceDesk, Spoken
from bot.durable.port import EntryKind
from bot.durable.register import Register
from bot.durable.volatile import VolatileCoordinator
from bot.errors import Missing
from bot.forgetting import Forgetting
from bot.limits import Limiter, Limits
from bot.llm.meter import Meter
from bot.offers import Offers
from bot.redaction import Records
from bot.session.transcript import Transcript
from bot.trust.linking import Linking
from bot.trust.routing import Routing
from bot.turn import Reply, Turn
from memory import FrozenClock, Recall
from tests.samples import HOME, NOON, agent, chat, session
from tests.stands import Stand, echo


def desk(
    coordinator: VolatileCoordinator, routing: Routing | None = None, *, contexts: Path = Path("nowhere")
) -> ServiceDesk:
    agents = {name: agent(name) for name in ("personal", "work")}
    return ServiceDesk(
        agents,
        commands(),
        brains={"personal": Brain(echo, None, Meter("personal", clock=FrozenClock(NOON), zone=UTC))},
        spoken=Spoken(Transcript(coordinator), ContextLog(contexts), Forgetting(Records(coordinator), VolatileMarks())),
        people=People(
            routing or Routing("personal", agents),
            Linking(Register(), clock=FrozenClock(NOON)),
            Register(),
            Limiter(Limits(), clock=FrozenClock(NOON), zone=UTC),
        ),
        offers=Offers(),
    )


async def test_it_knows_what_a_session_was_answered_and_what_that_rested_on() -> None:
    coordinator = VolatileCoordinator()
    evidence = Recall("key?", "words", "", 1.0, ())

    async def answer(turn: Turn) -> Reply:
        return Reply("quoted", evidence=evidence)

    asked, silent = session(at=chat("chat")), session(at=chat("elsewhere"))
    assert not await desk(coordinator).has_answered(asked)
    await Stand(answer, coordinator).run("key?")

    assert await desk(coordinator).has_answered(asked)
    assert await desk(coordinator).last_evidence(asked) == evidence
    assert await coordinator.last(asked, EntryKind.RECALL)
    assert not await desk(coordinator).has_answered(silent)
    assert await desk(coordinator).last_evidence(silent) is None


async def test_a_switch_is_for_one_chat() -> None:
    routing = Routing("personal", ["personal", "work"])

    await desk(VolatileCoordinator(), routing).switch(session(), "work")

    assert routing.decide(HOME, Sender("owner", "Ada")).agent == "work"
    assert routing.decide(chat("elsewhere"), Sender("owner", "Ada")).agent == "personal"


async def test_nobody_is_switched_to_an_agent_that_does_not_exist() -> None:
    with pytest.raises(Missing, match="nobody"):
        await desk(VolatileCoordinator()).switch(session(), "nobody")


def test_agents_and_commands_are_what_it_was_given() -> None:
    seen = desk(VolatileCoordinator())

    assert list(seen.agents) == ["personal", "work"]
    assert list(seen.commands) == sorted(seen.commands)
