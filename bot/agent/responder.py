"""What answers a turn with a model: memory and files are put before it, the loop runs, the offline mode stands in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import structlog

from bot.access.links import hosts
from bot.access.permissions import Taint
from bot.agent.attachments import enclosed
from bot.agent.bootstrap import Snapshot, bootstrap
from bot.agent.context_log import ContextLog
from bot.agent.history import History, recent_history, snapshot_entry_body
from bot.agent.loop import AgentLoop, Answer, TurnState
from bot.agent.prompt import RequestContext, prefix, recalled_text, spoken
from bot.agent.untrusted import boundary
from bot.llm.errors import ModelError
from bot.llm.retry import ModelHealth
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Message, Role
from bot.receipts import own_words
from bot.storage.port import Coordinator
from bot.turn import UNKNOWN, Reply, Responder, Turn, Worked
from memory import OWNER, Origin, Recall
from memory.capture import COURTESIES, act_of

RECALLED = 6
NOTES_NOTHING = (
    "(Others' words are in this conversation now, so I write nothing down by myself. `/remember` does, and `/new` "
    "begins anew.)"
)
"""Said once, where it begins."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of the model: how much fits, how it counts, whether it answers and who has been told, its name."""

    window: Window
    counter: TokenCounter
    health: ModelHealth
    model: str = ""


class ModelResponder:
    """The responder with a model.

    Args:
        loop: asks the model and runs its tools.
        mind: the model as it is known.
        coordinator: where the conversation so far is.
        otherwise: answers while the model does not.
        contexts: keeps what the model saw.
    """

    def __init__(
        self,
        loop: AgentLoop,
        mind: ModelInfo,
        *,
        coordinator: Coordinator,
        otherwise: Responder,
        contexts: ContextLog,
    ) -> None:
        self._loop = loop
        self._mind = mind
        self._coordinator = coordinator
        self._otherwise = otherwise
        self._contexts = contexts

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn; the model's failures end in an answer from memory and one notice."""
        history = await recent_history(
            self._coordinator, turn.session, room=self._mind.window.request, count=self._mind.counter.message
        )
        snapshot, is_new = await self._snapshot(turn, history)
        found = await self._found(turn)
        recalled, shown = recalled_text(found, history.shown, mark=boundary())
        came = await enclosed(turn, room=self._mind.window.tool_result)
        asked = Message(Role.USER, spoken(turn, recalled, came.text))
        frame = RequestContext(
            system=prefix(turn, snapshot),
            exchanges=history.exchanges,
            unread=history.earlier.answers,
            window=self._mind.window,
            counter=self._mind.counter,
        )
        before = Taint.FOREIGN if snapshot.is_foreign or history.is_foreign else Taint.CLEAN
        taint = max(before, came.taint, Taint.of((hit.origin for hit in found.hits), turn.scope))
        course = self._loop.begin(turn, frame, asked, taint=taint)
        try:
            answer = await self._loop.run(course)
        except ModelError as error:
            return await self._without(course, error)
        finally:
            await self._contexts.keep(turn, course, files=snapshot.files, model=self._mind.model)
        if course.taint > before:
            course.told.append(NOTES_NOTHING)
        worked = Worked(
            spoken(turn, recalled, came.remains),
            shown,
            tuple(course.steps),
            snapshot_entry_body(snapshot) if is_new else "",
            answer.message.extra,
            course.taint is Taint.FOREIGN,
            _named(turn, history),
        )
        return self._reply(turn, course, answer, found, worked)

    async def _found(self, turn: Turn) -> Recall:
        """What memory has that may have to do with what was said; small talk is not looked up."""
        if act_of(turn.text) in COURTESIES:
            return Recall(turn.text, mode="none", reason="Small talk is not looked up.", ms=0.0, hits=())
        found = await turn.agent.memory.recall(
            turn.text, scope=turn.scope, limit=RECALLED, budget_chars=self._mind.window.recalled
        )
        return replace(found, hits=found.related)

    def _reply(self, turn: Turn, course: TurnState, answer: Answer, found: Recall, worked: Worked) -> Reply:
        told = [*course.told, *([answer.remark] if answer.remark else [])]
        if self._mind.health.news(str(turn.session)):
            told.append("(The model answers again.)")
        return Reply(
            own_words(answer.message.text.strip()),
            evidence=found if found.hits else None,
            told=tuple(told),
            worked=worked,
        )

    async def _snapshot(self, turn: Turn, history: History) -> tuple[Snapshot, bool]:
        """The bootstrap files of this session, and whether they have to be written down."""
        today: date = turn.at.astimezone(turn.agent.zone).date()
        now = await bootstrap(turn.agent.memory, scope=turn.scope, today=today, window=self._mind.window)
        if history.snapshot is None:
            return now, True
        renewed = history.snapshot.renewed(now)
        known = history.snapshot
        return renewed, (renewed.files, renewed.mark) != (known.files, known.mark)

    async def _without(self, course: TurnState, error: ModelError) -> Reply:
        """An answer from memory, or what the tools had done by then, and each time why."""
        turn, health = course.turn, self._mind.health
        log.warning("model.failed", turn=turn.id, error=str(error), blame=error.blame.name)
        origins = UNKNOWN if course.taint is Taint.FOREIGN else frozenset[Origin]()
        reply = Reply("", told=tuple(course.told), origins=origins) if course.steps else await self._otherwise(turn)
        health.news(str(turn.session))
        if health.outage is None or course.steps:  # the fault of this request only
            return reply.with_note(f"(The model could not answer this: {error})")
        return reply.with_note(f"(Answered from memory: {error})")


def _named(turn: Turn, history: History) -> frozenset[str]:
    """The hosts that the owner has named in this conversation; where others write as well, in this turn."""
    named = hosts(turn.text) if turn.principal.is_owner else frozenset()
    return named.union(*(exchange.hosts for exchange in history.exchanges)) if turn.scope == OWNER else named
