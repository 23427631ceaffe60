"""Answers turns with a model; while it does not answer, the offline mode takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial

import structlog

from adapters.support import LimitedDict
from bot.access.links import hosts
from bot.access.permissions import OWN, Taint
from bot.agent.context.attachments import PromptAttachments, describe_attachments, describe_context
from bot.agent.context.bootstrap import Snapshot, bootstrap
from bot.agent.context.context_log import ContextLog, pieces
from bot.agent.context.history import History, snapshot_entry_body
from bot.agent.context.prompt import NO_REPLY, RequestContext, recalled_text, spoken, system_message, user_text
from bot.agent.context.session_news import SessionNews, one_by_chance
from bot.agent.context.untrusted import boundary
from bot.agent.loop import AgentLoop, Answer, TurnState
from bot.agent.offline.about import recall_about
from bot.agent.offline.offline import SPOKEN
from bot.agent.window import FittedHistory, WindowManager
from bot.agent.writer import ModelWriter, hypothesize
from bot.config.options.memory import MemoryOptions
from bot.llm.errors import CapReached, ModelError
from bot.llm.pool import ModelInfo
from bot.llm.retry import Outage
from bot.llm.types import Message, Model, Role, ToolCall
from bot.media.reader import MediaReader
from bot.sessions.notes import Summary
from bot.sessions.told import RecallBeside, search_with_sessions
from bot.storage.keys import SessionKey
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import own_words
from bot.turn import SILENT, STOPPED, Reply, Responder, Turn, Worked, said_before
from memory import Recall
from memory.capture import COURTESIES, Act, act_of, statement
from memory.capture.wishes.reminders import read_reminder

MAX_RECALLED = 6
MAX_ANSWERED = 20
"""Conversations whose last request can be sent once more."""

NOTES_NOTHING = mark(
    "(Others' words are in this conversation now. Until `/new` I note nothing that rests on them, only what "
    "you tell me yourself.)"
)
NOTES_NOTHING_HERE = mark(
    "(Others' words are in this conversation now, so I write nothing down by myself. `/remember` does, and "
    "`/new` begins anew.)"
)
"""Said once, where it begins."""

ONLY_OWNER_SEES_WHY = mark("the language model gave no answer; my log says why.")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """All of a turn's first request but what is recalled for it, which is looked up meanwhile.

    The bootstrap files are the `snapshot`, to be written down if it `is_new`. The `data` go with the message; `remains`
    is what is kept of them.
    """

    history: History
    snapshot: Snapshot
    is_new: bool
    system: Message
    asked: Message
    data: tuple[str, ...]
    remains: tuple[str, ...]
    came: PromptAttachments


@dataclass(slots=True)
class PreparedTurn:
    """A turn that is ready to be answered.

    Attributes:
        fitted: the conversation in it, and what was done to make it fit.
        ordered: what the person is told if a tool that they have ordered something of has not been called.
        record: what the transcript gains, as far as it is known.
        earlier: the taint of what came before the turn.
    """

    state: TurnState
    fitted: FittedHistory
    ordered: str
    snapshot: Snapshot
    found: Recall
    record: Worked
    earlier: Taint

    def reply_with(self, answer: Answer) -> Reply:
        """Return an answer as a reply, with all that was done for it."""
        state, turn = self.state, self.state.turn
        steps, is_foreign = tuple(state.steps), state.taint is Taint.FOREIGN
        worked = replace(self.record, steps=steps, extra=answer.message.extra, is_foreign=is_foreign)
        notice = tr(NOTES_NOTHING) if turn.is_owners else tr(NOTES_NOTHING_HERE)
        text = own_words(spoken(answer.message.text))
        is_silent = not text and (turn.may_be_silent or turn.is_job)
        done = {self.ordered: bool(state.told)} | state.done
        not_done = [] if is_silent else [line for line, is_done in done.items() if line and not is_done]
        notices = [notice] if state.taint > self.earlier else []
        told = (*state.told, *not_done, *notices, *filter(None, [answer.remark]))
        if turn.is_verbose and not is_silent:
            used = dict.fromkeys(call.name for step in state.steps for call in step.calls)
            told = (*told, *([f"🔧 {', '.join(used)}"] if used else []), *self.fitted.events)
        text = text or (NO_REPLY if is_silent else said_before(steps) or state.without_words)
        evidence = self.found if self.found.hits else None
        files = tuple(state.files)
        return Reply(text, evidence=evidence, told=told, worked=worked, is_silent=is_silent, files=files)


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a request that was sent once more: the answer, and the tools that were called for it."""

    text: str
    calls: tuple[ToolCall, ...]


@dataclass
class ModelResponder:
    """The responder with a model.

    Attributes:
        otherwise: answers while the model does not.
        resumes: tells of a turn whether it goes on with what a command has done, which `otherwise` answers, too.
        recall: whether and how facts are recalled for each message.
        model: asked what an answer might say, where that is wanted.
    """

    loop: AgentLoop
    info: ModelInfo
    _: KW_ONLY
    window: WindowManager
    otherwise: Responder
    resumes: Callable[[Turn], Awaitable[bool]]
    contexts: ContextLog
    reader: MediaReader
    recall: MemoryOptions
    news: SessionNews
    model: Model
    _answered: LimitedDict[str, TurnState] = field(default_factory=partial(LimitedDict, MAX_ANSWERED), init=False)

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn; the model's failures end in an answer from memory and one notice."""
        if await self.resumes(turn):
            return await self.otherwise(turn)
        prepared, info = await self._prepare(turn), self.info
        state = prepared.state
        try:
            reply = prepared.reply_with(await self.loop.run(state))
        except ModelError as error:
            reply = await self._answer_without_model(prepared, error)
        except asyncio.CancelledError:
            if state.so_far.strip():
                stopped = Answer(Message(Role.ASSISTANT, state.so_far), tr(STOPPED))
                turn.keep(prepared.fitted.tell(prepared.reply_with(stopped)))
            raise
        else:
            reply = self._with_news(reply, state)
        finally:
            state.shorten = state.steer = None  # they hold the state, and all of the turn with it
            self._answered[str(turn.session)] = state
            self.contexts.keep(turn, state, files=prepared.snapshot.files, model=state.answered_by or info.model)
        return prepared.fitted.tell(reply)

    def _with_news(self, reply: Reply, state: TurnState) -> Reply:
        """Say once that another model has answered, and once that the first does so again."""
        news = self.info.health.news(str(state.turn.session))
        if isinstance(news, Outage):
            why = _reason(state.turn, news.error.again())
            return reply.with_note(tr("(Answered by {answered_by}: {error})", answered_by=state.answered_by, error=why))
        return reply.with_note(tr("(The model answers again.)")) if news else reply

    async def _prepare(self, turn: Turn) -> PreparedTurn:
        """Read the conversation of a turn, shorten it if it has to be, and make the first request."""
        act = act_of(turn.text)
        searched, begun = await asyncio.gather(self._search(turn, act), self._begin(turn))
        history, system, snapshot = begun.history, begun.system, begun.snapshot
        found = searched.joined([exchange.said for exchange in history.exchanges], own_only=True)
        found = replace(found, hits=found.related)
        tools = self.loop.toolbox.tools_for(turn, Taint.CLEAN)
        fitted = await self.window.fit(turn, history, system=system, asked=begun.asked, tools=tools)
        history = shown_history(turn, fitted.history, act)
        if tells_something(turn, act):
            found = replace(found, hits=tuple(hit for hit in found.hits if hit.origin in OWN))
        first = await one_by_chance(turn, found, history, self.recall)
        recalled, shown = recalled_text(
            found, history.shown, by_chance=first, mark=boundary(), intentions=turn.intentions
        )
        asked = replace(begun.asked, text=user_text(turn, recalled, *begun.data))
        earlier = Taint.FOREIGN if snapshot.is_foreign or history.is_foreign else Taint.CLEAN
        taint = initial_taint(turn, earlier, begun.came, found)
        state = self.loop.begin(turn, self.window.context(history, system), asked, taint=taint)
        record = Worked(
            user_text(turn, recalled, *begun.remains),
            shown,
            snapshot=snapshot_entry_body(snapshot) if begun.is_new else "",
            hosts=hosts_named(turn, history),
        )
        ordered = self.loop.toolbox.not_done(ordered_tool(turn))
        prepared = PreparedTurn(state, fitted, ordered, snapshot, found, record, earlier)

        async def shorten() -> RequestContext | None:
            before, prepared.fitted = prepared.fitted, await self.window.shorten(turn, prepared.fitted, system=system)
            if prepared.fitted.history.first == before.history.first:
                return None
            return self.window.context(shown_history(turn, prepared.fitted.history, act), system)

        async def steer() -> bool:
            added = await state.turn.steer()
            if added:
                state.steps.append(Message(Role.USER, user_text(added, "")))
                state.turn = replace(state.turn, text=f"{state.turn.text}\n{added.text}")
                prepared.record = replace(prepared.record, hosts=hosts_named(state.turn, history))
            return added is not None

        state.shorten, state.steer = shorten, steer
        return prepared

    async def _begin(self, turn: Turn) -> BegunTurn:
        """Read the conversation of a turn, and get all ready that goes with the message."""
        info = self.info
        history, snapshot, is_new = await self._read(turn)
        system = system_message(turn, snapshot)
        before, remains = describe_context(turn, room=info.window.tool_result)
        news = "" if history.snapshot else await self.news.tell(turn)
        came = await describe_attachments(turn, self.reader, window=info.window, sees=info.sees)
        data = (news, before, came.text)
        asked = Message(Role.USER, user_text(turn, "", *data), pictures=came.pictures)
        return BegunTurn(history, snapshot, is_new, system, asked, data, (news, remains, came.remains), came)

    async def try_again(self, session: SessionKey) -> Trial | None:
        """Send the last request of a conversation once more, and leave no trace but in the usage; raises `ModelError`.

        None if it is not known any more: the service was started since, or something in it was forgotten.
        """
        state = self._answered.get(str(session))
        seen = await self.contexts.last(session.agent, str(session))
        if state is None or state.last is None or seen is None:
            return None
        if seen.turn != state.turn.id or seen.pieces != pieces(state.last.request, state.context.counter):
            del self._answered[str(session)]
            return None
        again = self.loop.begin(replace(state.turn, live=SILENT), state.context, state.asked, taint=state.taint)
        again.is_trial = True
        answer = await self.loop.run(again)
        return Trial(spoken(answer.message.text), tuple(call for step in again.steps for call in step.calls))

    async def conclude(self, turn: Turn) -> tuple[FittedHistory, Summary | None]:
        """Note what matters in the conversation of a turn, before it ends, and say what it came to.

        The summary is None if the model does not give a good one in time.
        """
        history, snapshot, _ = await self._read(turn)
        system = system_message(turn, snapshot)
        return await asyncio.gather(
            self.window.flush(turn, FittedHistory(history), system=system), self.window.summarize(turn, history)
        )

    async def compact(self, turn: Turn, focus: str) -> FittedHistory:
        """Summarise the conversation of a turn but for its newest part."""
        history, snapshot, _ = await self._read(turn)
        system = system_message(turn, snapshot)
        return await self.window.shorten(turn, FittedHistory(history), system=system, focus=focus)

    async def _read(self, turn: Turn) -> tuple[History, Snapshot, bool]:
        """Return a conversation so far, its bootstrap files, and whether they have to be written down."""
        today = turn.local.date()
        history = await self.window.read(turn)  # mostly at once: a task beside it would take longer
        now = await bootstrap(turn.agent.memory, scope=turn.scope, today=today, window=self.info.window)
        known = history.snapshot
        if known is None:
            return history, now, True
        renewed = await known.renewed(now, turn.agent.memory)
        return history, renewed, replace(renewed, problems=()) != replace(known, problems=())

    async def _search(self, turn: Turn, act: Act | None) -> RecallBeside:
        """Recall what may have to do with the message; small talk is not looked up."""
        options = self.recall.auto_recall
        if act in COURTESIES or not options.enabled:
            reason = "Small talk is not looked up." if act in COURTESIES else "memory.auto_recall is off."
            return RecallBeside(Recall(turn.text, mode="none", reason=reason, ms=0.0, hits=()))
        budget = options.max_chars or self.info.window.recalled
        if about := await recall_about(turn, turn.text, budget_chars=budget):
            return RecallBeside(about)
        hypothetical = ""
        if self.recall.hyde == "on":
            writer = ModelWriter(self.model, payer=turn.payer, label="question")
            hypothetical = await hypothesize(writer, turn.text)
        memory, told, scope = turn.agent.memory, turn.session_memory, turn.scope
        return await search_with_sessions(
            memory, told, turn.text, scope=scope, limit=MAX_RECALLED, budget_chars=budget, hypothetical=hypothetical
        )

    async def _answer_without_model(self, prepared: PreparedTurn, error: ModelError) -> Reply:
        """Answer from memory, or with what the model had said and the tools had done by then, and say why."""
        state, health = prepared.state, self.info.health
        turn, has_acted = state.turn, bool(state.told or state.files)
        log.warning("model.failed", turn=turn.id, error=str(error), blame=error.blame.name)
        if has_acted or (state.steps and state.so_far.strip()):
            reply, has_acted = prepared.reply_with(Answer(Message(Role.ASSISTANT, state.so_far))), True
        else:
            reply = await self.otherwise(turn)
        health.news(str(turn.session))
        is_refused, why = isinstance(error, CapReached), _reason(turn, error)
        if has_acted or (health.outage is None and not is_refused):  # the fault of this request only
            return reply.with_note(tr("(The model could not answer this: {error})", error=why))
        return reply.with_note(tr("(Answered from memory: {error})", error=why))


def _reason(turn: Turn, error: ModelError) -> str:
    """Return why a model did not answer, as far as those may know who read along; what a cap says is for who asks."""
    return str(error) if turn.is_owners or isinstance(error, CapReached) else tr(ONLY_OWNER_SEES_WHY)


def shown_history(turn: Turn, history: History, act: Act | None) -> History:
    """Return what a turn may see of its conversation, so that it can write where it has to."""
    return history.own if history.is_foreign and tells_something(turn, act) else history


def ordered_tool(turn: Turn) -> str:
    """Return the name of the tool that a person's message orders to be used, whatever a model makes of it; or ""."""
    if turn.is_job or turn.origin not in SPOKEN:
        return ""
    reminder = read_reminder(turn.text, turn.local)
    if reminder and reminder.is_said and not reminder.when.lack:
        return "remind"
    return "remember" if statement(turn.text) != turn.text else ""


def tells_something(turn: Turn, act: Act | None) -> bool:
    """Return whether the owner tells the agent something in private, and nothing comes with it.

    Such a turn is shown nothing of others, neither out of the conversation nor out of memory, so that it can be noted.
    """
    return turn.is_owners and turn.taint_brought() is Taint.CLEAN and act is Act.NOTE


def initial_taint(turn: Turn, earlier: Taint, came: PromptAttachments, found: Recall) -> Taint:
    """Return the taint with which a turn begins: the worst of all that the model reads in its first request.

    That is the conversation so far with the workspace files before it (`earlier`), what came with the message, and the
    facts that are recalled for it, judged by their origins. From here on the result of a tool may raise it, and nothing
    lowers it. `allowed_tools` decides by it at each call, so that words of others never lead to a write that the owner
    has not asked for.
    """
    return max(earlier, came.taint, Taint.of((hit.origin for hit in found.hits), is_owners=turn.is_owners))


def hosts_named(turn: Turn, history: History) -> frozenset[str]:
    """Return the hosts that the owner has named in this conversation; where others write as well, in this turn."""
    named = hosts(turn.text) if turn.principal.is_owner else frozenset()
    return named.union(*(exchange.hosts for exchange in history.exchanges)) if turn.is_owners else named
