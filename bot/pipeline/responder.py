"""The responder: answers a turn by a command, or by the agent's own answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field, replace

import memory
from adapters.port import Happening
from bot.access.permissions import origin_and_scope
from bot.agent.offline.notes import VALID, take_back_edited, take_back_replaced
from bot.agent.offline.words import Choice, choice_in, without_courtesies, word_list
from bot.commands.base import Call, CommandContext, no_command
from bot.errors import BotError
from bot.media.speech import Heard, SpeechService
from bot.pipeline.attachments import LIMIT, TURN_LIMIT, AttachmentStore
from bot.reminders import Triggers
from bot.sessions.language import Languages
from bot.storage.keys import Principal
from bot.storage.port import Envelope
from bot.texts.catalogue import mark, set_language, tr
from bot.texts.formatting import sized, split_command
from bot.texts.memory import of_memory
from bot.texts.receipts import quoted, taken_back
from bot.turn import PASSING, SENT, STOPPED, FetchFailure, File, Reply, Responder, Turn, transcribed, words_of
from memory import Hit, Undone

UNKNOWN_BUTTON = mark("That button is no longer valid. Nothing was changed; type what you want instead.")
"""Its data are no command of ours: another program, or another version, has sent it. They are nobody's words."""

OFFLINE = mark(
    "(I am in offline mode: no language model is configured, so I note what you say and answer with quotes from "
    "memory. `scrubjay init` shows how to add a model.)"
)
"""Stands under the first answer of a conversation, if that is the owner's: a guest can add no model."""

SMALL_TALK_CHARS = 16
"""Most thanks and greetings are no longer."""

_SIGNS = re.compile(r"[*_`#>|~]+")
"""Markdown's, which nobody speaks."""


@dataclass(frozen=True, slots=True)
class _RunningTurn:
    """A turn that can be cancelled: who began it, and what cancels it."""

    by: Principal
    scope: asyncio.Timeout


@dataclass
class TurnResponder:
    """Answers the turns of all agents.

    A command is carried out to its end. Anything else can be cancelled with `/stop`, but only while a model works: what
    code writes in answer to a message is told by that answer, so it is not cut short (`uncancellable`); and what a tool
    was just writing is finished.

    Attributes:
        agents: what answers each agent's turns that are no commands, by the agent's name.
        offline: agents without a model: the first answer of their sessions says so to the owner.
        looks_up: agents whose model, if they have one, is asked with what memory has on each message.
        speech: understands voice messages; None leaves them as files.
        jobs: what carries out jobs that are no command which people type, by their names.
        triggers: chooses the intentions that come up; None for none.
        languages: are told what is said in voice messages; None leaves the language as it is.
    """

    context: CommandContext
    agents: Mapping[str, Responder]
    _: KW_ONLY
    attachments: AttachmentStore | None = None
    offline: Collection[str] = ()
    looks_up: Collection[str] = ()
    speech: SpeechService | None = None
    jobs: Mapping[str, Responder] = field(default_factory=dict)
    triggers: Triggers | None = None
    languages: Languages | None = None
    _running: dict[str, _RunningTurn] = field(default_factory=dict, init=False)
    _waiting: dict[str, Principal] = field(default_factory=dict, init=False)  # to begin again, by who began
    _stopped: set[str] = field(default_factory=set, init=False)

    def expect(self, envelope: Envelope) -> None:
        """Have memory begin with a message that will be looked up, unless it is as short as small talk."""
        inbound, name = envelope.inbound, envelope.agent
        is_said = inbound.happening is Happening.MESSAGE and len(inbound.text) > SMALL_TALK_CHARS
        if is_said and name in self.looks_up and name not in self.offline and not split_command(inbound.text):
            is_shared = self.context.routing.shares(inbound.address, name)
            _, scope = origin_and_scope(envelope.principal, inbound.address, is_shared=is_shared)
            self.context.agents[name].memory.expect(inbound.text, scope=scope)

    async def respond(self, turn: Turn) -> Reply:
        with ExitStack() as stack:
            agents = self.context.agents.values()
            told = [agent.session_memory.memory for agent in agents if agent.session_memory]
            for one in [*(agent.memory for agent in agents), *told]:  # all share one embedder
                stack.enter_context(one.quiet())
            is_first = turn.agent.name in self.offline and not await self.context.transcript.has_replies(turn.session)
            taken, left = tuple[Undone, ...](), tuple[Hit, ...]()
            command = split_command(turn.text)
            try:
                is_undo = command is not None and command[0] == "undo"  # it takes back the last write, and no more
                taken = await take_back_edited(turn, self.context.transcript) if turn.edited and not is_undo else ()
                if turn.is_job and command and command[0] in self.jobs:
                    return await self.jobs[command[0]](turn)
                if turn.is_tap and (command is None or command[0] not in self.context.commands):
                    return Reply(tr(UNKNOWN_BUTTON), private=True)
                if taken and without_courtesies(turn.text) in word_list("undo") | word_list("retractions"):
                    reply = Reply("")
                else:
                    reply = await (self._run_command(turn, *command) if command else self._answer(turn))
                if turn.edited and not is_undo:
                    replaced, left = await take_back_replaced(turn)
                    taken += replaced
            except (BotError, memory.Error) as error:
                if isinstance(error, PASSING) and not turn.is_last:
                    self._waiting |= {} if command else {str(turn.session): turn.principal}
                    raise
                reply = Reply(of_memory(error), private=turn.is_tap)  # a failure with a remedy is an answer
        for undone in taken:
            reply = replace(reply.with_note(taken_back(undone)), origins=reply.origins | {undone.origin})
        if left:
            head = tr("Noted from the message as it was before, and still there:")
            facts = [f"{quoted(hit, number)}\n`/forget ^{hit.id}`" for number, hit in enumerate(left, 1)]
            note = "\n".join([head, *facts])
            reply = replace(reply.with_note(note), origins=reply.origins.union(hit.origin for hit in left))
        return reply.with_note(tr(OFFLINE)) if is_first and turn.principal.is_owner else reply

    def cancel(self, session: str, by: Principal) -> bool:
        """Cancel the turn of a session for whoever began it, or for the owner; False if there is none for them."""
        running = self._running.get(session)
        began = running.by if running else self._waiting.get(session)
        if began is None or not (by.is_owner or by.id == began.id):
            return False
        if running and not running.scope.expired():  # a tool that writes is let end, meanwhile somebody may ask again
            running.scope.reschedule(asyncio.get_running_loop().time())
        self._stopped.add(session)
        return True

    def uncancellable(self, respond: Responder) -> Responder:
        """Return a responder whose turns cannot be cancelled once it has been asked, though `respond` asked it."""

        async def answer(turn: Turn) -> Reply:
            self._running.pop(str(turn.session), None)
            await asyncio.sleep(0)  # a cancellation that came before takes effect here, where nothing has been written
            return await respond(turn)

        return answer

    async def _answer(self, turn: Turn) -> Reply:
        """Take the person's choice among the buttons of the last answer, or let the agent answer."""
        if self._waiting.pop(str(turn.session), None) and str(turn.session) in self._stopped:  # before it began again
            return Reply(tr(STOPPED))
        self._stopped.discard(str(turn.session))  # what was stopped for this message has no `/stop` of its own
        reply = await self._choose(turn) or await self._ask_agent(turn)
        if instead := split_command(reply.instead):
            done = await self._run_command(turn, *instead)
            origins = done.origins | reply.origins
            return replace(done, told=(*done.told, *reply.told), spoken=reply.spoken, origins=origins)
        return reply

    async def _choose(self, turn: Turn) -> Reply | None:
        """Return what the person chooses among the buttons of the last answer to them; None if it is nothing.

        What is written on one chooses it. Other words choose only where the last of them refuses, or they would call
        off a reminder that was just set; words for a number, only where there are more than two, for a yes or a no
        answers two. Digits choose among any.
        """
        picked = choice_in(turn.text)
        may_choose = not (turn.asked or turn.may_be_silent)  # asked before, or said to others: no answer to this
        if not may_choose or (picked is None and len(turn.text) > SMALL_TALK_CHARS):
            return None
        said, transcript = without_courtesies(turn.text), self.context.transcript
        choices = await transcript.last_choices(turn.session, said, by=turn.principal.id)
        is_new = choices == await transcript.just_offered(turn.session, to=turn.principal.id, since=turn.at - VALID)
        picked = choice_in(turn.text, choices[0].data if choices else "", is_new=is_new)
        named = [choice.data for choice in choices if choice.label.casefold() == said]
        if len(named) == 1 and split_command(named[0]):
            return Reply("", instead=named[0])
        fewest = 1 if isinstance(picked, Choice) else 3
        if fewest == 1 and not (choices and choices[-1].is_refusal):  # of others: the command says whom it asked
            choices = await transcript.last_choices(turn.session, said)
        is_answer = len(choices) >= fewest and choices[-1].is_refusal
        if picked is None or not (is_answer or said.isdecimal()):
            return None
        if picked is Choice.YES and len(choices) > 2:
            return Reply(tr("Which one? Type its number."), buttons=choices)
        place = picked.value if isinstance(picked, Choice) else picked - 1
        command = choices[place].data if place < len(choices) else ""
        return Reply("", instead=command) if split_command(command) else None

    async def _ask_agent(self, turn: Turn) -> Reply:
        """Fetch the files that came with the turn and let the agent answer, unless `cancel` ends it."""
        scope, kept, heard = asyncio.timeout(None), list[Reply](), Heard(())
        self._running[str(turn.session)] = _RunningTurn(turn.principal, scope)
        try:
            async with scope:
                files = await self.attachments.receive(turn) if self.attachments and turn.attachments else ()
                heard = await self.speech.hear(files) if self.speech else Heard(files)
                turn = await self._with_files(turn, heard)
                if turn.on_heard:
                    await turn.on_heard(turn)
                chosen = await self._choose(turn) if words_of(heard.files) else None
                come_up = await self.triggers.join(turn) if self.triggers and not chosen else ()
                turn = replace(turn, intentions=come_up, keep=kept.append)
                reply = chosen or await self.agents[turn.agent.name](turn)
                if self.speech and self.speech.speaks_to(heard) and not reply.is_silent:
                    kept.append(reply)
                    reply = await speak(self.speech, turn, reply)
        except TimeoutError:
            if not scope.expired():
                raise
            reply = kept[-1] if kept else Reply(tr(STOPPED))
        finally:
            self._running.pop(str(turn.session), None)
        if reply.is_silent:
            return replace(reply, spoken=heard.files)
        if self.attachments:
            await self.attachments.share(reply.files)
        notes = [_describe_lack(file, file.lack) for file in heard.files if file.lack]
        notes += [tr("I could not understand the voice message: {reason}", reason=reason) for reason in heard.failures]
        return replace(reply, told=(*reply.told, *notes), spoken=heard.files)

    async def _with_files(self, turn: Turn, heard: Heard) -> Turn:
        """Return a turn with its files and a place for those that go out.

        What is said in voice messages is shown at once, and then is the person's words; it is never a command.
        """
        files, above, words, sent = heard.files, transcribed(heard.files), words_of(heard.files), self.attachments
        text = "\n".join(filter(None, (turn.text, words)))
        if words and self.languages:
            set_language(self.languages.of_speech(turn.session.address, turn.principal.id, words))
        if above:
            await turn.live.text(lambda: above)
        folder, limit = (sent.folder(turn), sent.limit(turn)) if sent else (turn.folder, turn.file_limit)
        return replace(turn, text=text, files=files, above=above, folder=folder, file_limit=limit)

    async def _run_command(self, turn: Turn, name: str, argument: str) -> Reply:
        command = self.context.commands.get(name)
        if command is None:
            return Reply(no_command(name, self.context.commands))
        if name == "stop" and (turn.is_tap or str(turn.session) in self._stopped):
            self._stopped.discard(str(turn.session))
            return Reply(tr("Stopped."), is_silent=True, by_command=True)  # the answer itself says so
        if command.owner_only and not turn.principal.is_owner:
            return Reply(tr("Only my owner may use `/{name}`.", name=name), private=turn.is_tap)
        if command.is_shared and turn.is_confined:
            agent = turn.agent.name
            return Reply(tr("`/{name}` is about all agents; you were let in for {agent}.", name=name, agent=agent))
        if argument and not command.argument and name not in {"start", "stop"}:  # links start the bot; to stop is safe
            return Reply(tr("I did not understand that. Type `{usage}`.", usage=command.usage), by_command=True)
        return replace(await command.run(Call(turn, argument, self.context)), by_command=True)


async def speak(speech: SpeechService, turn: Turn, reply: Reply) -> Reply:
    """Return a reply with its words as speech beside them, where files can be sent; why not, if that fails."""
    words = _SIGNS.sub("", reply.text).strip()
    if turn.folder is None or not turn.file_limit or not words:
        return reply
    spoken = turn.folder / SENT / "answer.ogg"
    try:
        await speech.speak(words, spoken)
    except (BotError, OSError) as error:
        return reply.with_note(tr("(The answer could not be spoken: {error})", error=error))
    return replace(reply, files=(*reply.files, spoken))


def _describe_lack(file: File, lack: FetchFailure) -> str:
    """Say in one sentence why a file is not there; its name, which anybody may have chosen, is marked as a name."""
    sentence = {
        FetchFailure.TOO_LARGE: tr("{file} was not fetched: I take {each} a file, and {all} at once."),
        FetchFailure.REFUSED: tr(
            "{file} was not fetched: it is gone, or the platform does not hand over files so large."
        ),
        FetchFailure.FAILED: tr("{file} could not be fetched; please send it once more."),
    }[lack]
    named = str(replace(file, name=f"`{file.name}`"))
    return sentence.format(file=named, each=sized(LIMIT), all=sized(TURN_LIMIT))
