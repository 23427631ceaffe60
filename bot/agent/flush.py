"""Memory flush: what matters in a conversation is noted before the model does not see it any more.

One function for every way in which that can happen: a window that fills, `/compact`, `/new`, a reset. The model is
asked in a turn of its own of which nobody sees anything, with `remember` as the only tool that writes. If it fails,
what the owner has stated is noted by rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import structlog
from pydantic import Field

from bot.access.permissions import Taint
from bot.agent.context.history import Exchange, History
from bot.agent.context.prompt import RequestContext
from bot.agent.loop import TOO_LONG, AgentLoop, Budget
from bot.agent.tools import ToolRunner
from bot.config.options.sessions import FlushOptions
from bot.errors import BotError
from bot.llm.errors import ModelError
from bot.llm.pool import ModelInfo
from bot.llm.types import Message, Model, Role
from bot.sessions.tracing import Noted, noted_in
from bot.texts.catalogue import mark, tr, trn
from bot.tools.base import Result, Tool, Work, tool
from bot.turn import SILENT, Turn
from memory import OWNER, Error, Origin
from memory.capture import Act, WishKind, act_of, same, statement, wish
from memory.errors import SecretFound
from memory.files.notation import MAX_FACT_CHARS
from memory.knowledge.retain import Statement, content_words, weigh
from memory.language.words import ALL_STOP_WORDS
from memory.life.reviews import saying
from memory.privacy.secrets import MARK
from memory.privacy.traces import MARK as FORGOTTEN

SITUATION = """\
This is not a message of the person, and nobody sees your answer. The conversation above will soon not be before you any
more."""

TASK = """\
Call remember once for each thing in it that will still matter in a month and is not noted yet: facts about people,
decisions, plans, preferences, open to-dos, with names and dates written out. Then, or if there is nothing, answer
NO_REPLY."""

BUDGET = Budget(requests=4, calls=30, seconds=90.0)

MAX_RULED = 30
"""How many statements rules note at most."""

WRITTEN = "Written to "
"""With this the result of a call begins that has noted something."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Flush:
    """What a flush came to: up to which `seq` it has read, and how many facts it has written."""

    upto: int
    written: int

    @property
    def body(self) -> str:
        """It as the body of a transcript entry."""
        return json.dumps({"upto": self.upto, "written": self.written})

    @property
    def told(self) -> tuple[str, ...]:
        """What the person is told: nothing, or how much was noted and how to take it back."""
        text = trn(
            "Noted {count:,} thing from this conversation. `/today` shows what, `/forget` takes one away.",
            "Noted {count:,} things from this conversation. `/today` shows what, `/forget` takes one away.",
            self.written,
        )
        return (text,) if self.written else ()


class MemoryFlush:
    """Notes what matters in conversations of one model.

    Of all tools the flush uses those that look, and `remember` in a form that tells nobody.
    """

    def __init__(self, model: Model, info: ModelInfo, tools: Sequence[Tool], options: FlushOptions) -> None:
        self._model = model
        self._looking = {tool.name: tool for tool in tools if tool.name in {"memory_search", "memory_get"}}
        self._info = info
        self._options = options

    async def run(self, turn: Turn, history: History, system: Message) -> Flush | None:
        """Note what matters since the last flush; None if there is nothing to look at.

        Others' words are not shown to the model, so that nothing of them can be noted as the owner's, and no turn of
        which all that was noted is gone and not masked. The day of the turn is that of the notes, its id their writes'.
        """
        fresh = [exchange for exchange in history.exchanges if exchange.first > history.flushed]
        if not self._options.enabled or not turn.is_owners or not fresh:
            return None
        try:
            noted = await turn.agent.memory.run(noted_in, [exchange.turn for exchange in fresh], scope=OWNER)
        except Error as error:  # nothing could be noted
            log.warning("flush.not_noted", turn=turn.id, reason=str(error))
            return None
        own = [one.own for one in fresh if noted[one.turn].known or not noted[one.turn].gone or FORGOTTEN in one.said]
        prompt = f"{self._options.system_prompt or SITUATION}\n\n{self._options.prompt or TASK}"
        notes = replace(turn.agent, session_memory=None)  # what stands in conversations alone is not noted yet
        quiet = replace(turn, agent=notes, text=prompt, quote="", attachments=(), files=(), before=(), live=SILENT)
        window, counter = self._info.window, self._info.counter
        context = RequestContext(system=system, exchanges=tuple(own), window=window, counter=counter)
        loop = AgentLoop(self._model, ToolRunner(self._looking | {"remember": noting(own)}), budget=BUDGET)
        state = loop.begin(quiet, context, Message(Role.USER, prompt), taint=Taint.CLEAN)
        try:
            failure = (await loop.run(state)).remark  # an answer that broke off has lost its calls
        except ModelError as error:
            failure = str(error)
        results = {step.text for step in state.steps if step.role is Role.TOOL}
        written = sum(text.startswith(WRITTEN) for text in results)
        if failure and not (written and failure == tr(TOO_LONG)):  # an answer too long had its notes at the beginning
            log.warning("flush.by_rules", turn=turn.id, reason=failure)
            written += await note_by_rules(turn, own, noted)
        return Flush(fresh[-1].first, written)


def noting(exchanges: Sequence[Exchange]) -> Tool:
    """Return the tool that notes what these exchanges tell."""

    async def remember(work: Work, text: Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS)]) -> Result:
        """Write one fact into the log, so that it is there in every later conversation.

        Args:
            text: one self-contained statement: who, what, when with the date written out.
        """
        turn, day, words = work.turn, work.turn.local.date(), content_words(text) - ALL_STOP_WORDS
        shared = ((len(words & content_words(one.said)), number) for number, one in enumerate(exchanges))
        most, told = max(shared, default=(0, 0))
        sources = [exchanges[told].turn] if most > 1 else []  # one word is no sign that it was told there
        note = partial(turn.agent.memory.remember, origin=Origin.AGENT, scope=turn.scope, day=day, sources=sources)
        if await turn.agent.memory.run(saying, text, turn.scope):
            return Result("That is noted already.")
        written = await note(text, op_id=work.op_id, actor=work.actor)
        return Result(f"{WRITTEN}{written.at} as ^{written.fact.id}.")

    return tool(remember, doing=mark("noting something"), changes=True, only_adds=True)


async def note_by_rules(turn: Turn, exchanges: Sequence[Exchange], noted: Mapping[str, Noted]) -> int:
    """Note what the owner has stated and memory does not know, on its day; return how much that was."""
    zone, written = turn.agent.zone, 0
    note = partial(turn.agent.memory.remember, origin=Origin.OWNER, scope=OWNER, actor=turn.delegate)
    gone = [text for one in noted.values() for text in one.gone]
    lines = [(one, line) for one in exchanges for line in one.said.replace(FORGOTTEN, "").splitlines()]
    stated = [(one, line) for one, line in lines if act_of(line) is Act.NOTE and MARK not in line]
    for number, (one, line) in enumerate(stated):
        text, wished, day = statement(line), wish(line), one.at.astimezone(zone).date()
        if wished and wished.kind is WishKind.REMIND:
            is_order = bool(noted[one.turn].known)  # it is set
        else:  # "actually it is the 12th", "forget what I said of Ana"
            is_order = wished is not None and weigh(Statement(text, turn.id), day) <= 1
        if is_order or any(same(text, other) for other in gone):
            continue
        try:
            if written < MAX_RULED and not await turn.agent.memory.run(saying, text, turn.scope):
                receipt = await note(text, op_id=f"{turn.id}:flush{number}", day=day, sources=[one.turn])
                written += not receipt.repeated
        except SecretFound:
            continue  # a person would be asked; a rule leaves it in the transcript
        except (BotError, Error) as error:
            log.warning("flush.not_noted", turn=turn.id, reason=str(error))
    return written
