"""Offline mode: answers without a language model. It notes what the owner states and quotes memory for questions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.port import Button
from bot.agent.offline import quoting
from bot.agent.offline.about import about_reply, recall_about
from bot.agent.offline.keywords import names_a_kind, recall_keywords
from bot.agent.offline.notes import Proposal, Proposals, note, pending, quoted_fact
from bot.agent.offline.plans import find_named, put_off
from bot.agent.offline.timeline import instants_of
from bot.agent.offline.words import asks_for_plans, choice_in, trimmed, without_courtesies, without_fillers, word_list
from bot.reminders import CANCEL, SNOOZE, NotSet, brought_up, coming_reminders, next_due, set_reminder
from bot.sessions.tracing import noted_in
from bot.sessions.transcript import ANSWERED_WITHIN, Transcript
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_words, split_command
from bot.texts.memory import of_memory
from bot.texts.receipts import quoted
from bot.turn import PendingAction, Reply, Turn
from memory import Filter, Hit, Kind, Origin, Recall
from memory.capture import COURTESIES, Act, Wish, WishKind, act_of, correct, statement, wish
from memory.capture.corrections import respell, stands_alone
from memory.capture.intent import is_asked, parts_of, read_prefix
from memory.capture.languages import languages_for
from memory.capture.sentences import fold, sentences
from memory.capture.wishes.plans import read_calling_off, read_putting_off
from memory.capture.wishes.reminders import (
    LANGUAGES,
    Reminder,
    calls_off,
    completed,
    declined,
    is_time_alone,
    move,
    read_move,
    read_reminder,
    read_when,
)
from memory.capture.wishes.wishes import MAX_WISH_CHARS
from memory.errors import NotFound, SecretFound
from memory.knowledge.context import check_author
from memory.language.answer_forms import AnswerForm
from memory.language.detect import HAN
from memory.language.time import dates
from memory.language.time.instants import WAKING_HOUR, When, at_local, find_when
from memory.life.intentions import find_intention, intentions

KEEP = "/captured keep "
"""What keeps what was offered to be; the token of the offer follows."""
MAX_POINTING_WORDS = 24
"""Words of a message that may leave it to the quote what to remember: "please remember what I just told you"."""

SPOKEN = frozenset({Origin.OWNER, Origin.GUEST})
"""Of messages that a person has written here, not passed on."""

_SNOOZING = re.compile(r"^snooze (?:it )?(?:for )?", re.IGNORECASE)
_IN_PLACE = re.compile("|".join(word_list("in_place")), re.IGNORECASE)
PASTIME = re.compile(r"\[(?:sticker|poll: .*|[a-z_]+ that cannot be read|[🎲🎯🏀⚽🎳🎰]\ufe0f? \d+)[^\]]*\]", re.DOTALL)
"""What came without words and holds no fact, as a platform describes it: a sticker, a poll, a roll of dice."""

REASON = re.compile(rf"[,;，；]|了?(?<=[{HAN}]) ")
"""What stands before the reason why a reminder is no longer wanted: "don't remind me of the party, I am ill"."""

ONLY_OWNERS = mark("I note only what my owner tells me. `/remember TEXT` keeps something for this chat.")
HELLO = mark("Hello. Tell me something and I note it; ask and I look it up.")
PRESENCE = mark("I am {agent}. Tell me something and I note it; ask and I look it up.")
FOR_OTHERS = mark("I am {agent}. `/remember TEXT` keeps something for this chat; ask and I look it up.")
"""What is said where nothing is noted without an order."""
UNREAD = mark("{file} is kept in `{place}`; I cannot look into files without a model.")
NOT_NOTED = mark("Nothing was noted. `/remember TEXT` notes something exactly as you type it.")
OF_WHAT = mark(
    'When shall I remind you, and of what? `/remind WHEN WHAT` takes a time such as "tomorrow at 9". Nothing was noted.'
)


class OfflineResponder:
    """The responder for times without a model.

    A statement by the owner is noted; a question is answered with the best passages; courtesy is returned. A wish to
    forget becomes the preview of `/forget`, a correction an offer to replace the fact that it corrects.

    Args:
        commands: slash commands, without the slash: one that is typed without it is no statement.
        offers: what has been proposed and waits for a yes or no.
        transcript: the facts with which a conversation's last message was answered, which a correction means first;
            and that message, which may have left open what "tomorrow at 9" says.
    """

    def __init__(self, commands: Collection[str], offers: Proposals, transcript: Transcript) -> None:
        self._commands = commands
        self._offers = offers
        self._transcript = transcript

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn; raises the memory library's errors when a write fails."""
        if asks_to_keep_quote(turn):
            reply = await note(turn, quoted_fact(turn), self._offers)
        elif turn.text.strip():
            reply = Reply(tr(NOT_NOTED)) if PASTIME.fullmatch(turn.text) else await self._answer_text(turn)
        elif turn.quote:
            reply = self._offer_quote(turn)
        else:
            reply = Reply("" if turn.files else tr(NOT_NOTED))
        for intention in turn.intentions:
            reply = replace(reply.with_note(brought_up(intention)), origins=reply.origins | {intention.origin})
        is_courtesy = bool(turn.text.strip()) and act_of(turn.text) in COURTESIES
        for file in turn.files:
            if file.path and not file.said and not (file.is_forwarded and is_courtesy):  # "thanks" for what it shows
                reply = reply.with_note(tr(UNREAD, file=file, place=file.place))
        return reply

    async def _answer_text(self, turn: Turn) -> Reply:
        is_spoken = turn.origin in SPOKEN
        if reply := await self._read_order(turn):
            return reply
        reminder = read_reminder(turn.text, turn.local) if is_spoken else None
        if is_spoken and not (reminder and reminder.is_said) and (answer := await self._completed(turn)):
            reminder = answer if reminder is None or answer.is_said else reminder
        if reminder:
            return await self._remind(turn, reminder)
        is_choice = choice_in(turn.text) is not None  # asked after the times: "the 3rd" may be one
        if is_choice and act_of(turn.text) is not Act.THANKS:
            return Reply(tr(NOT_NOTED))
        if is_spoken and (reply := await self._answer_wish(turn)):
            return reply
        if facts := await recall_about(turn, turn.text):
            return about_reply(facts, tr("From memory:"))
        act = act_of(turn.text)
        if act in {Act.NOTE, *COURTESIES} and quoting.asks_of_further_days(turn, turn.text):
            act = Act.QUESTION
        found = await recall_keywords(turn, quoting.MAX_PASSAGES) if act in {Act.NOTE, Act.SMALL_TALK} else None
        is_query = act is Act.NOTE and found is None and names_a_kind(turn.text)
        act = Act.QUESTION if is_query else act
        quoted = await self._offer_again(turn, await quoting.quote(turn, found, turn.text)) if found else None
        reply = quoted or await self._answer_act(turn, act)
        if is_query and reply.is_open:
            reply = reply.with_note(tr(NOT_NOTED))
        is_others = turn.quote_origin not in {turn.origin, Origin.AGENT}
        if reply.is_open and turn.quote and is_others:  # it may be about the quote
            reply = replace(await self._answer_act(turn, Act.REQUEST), evidence=reply.evidence)
        asks_how = reply.is_open and without_courtesies(turn.text).startswith(tuple(word_list("how")))
        return reply.with_note(tr("`/help` lists what there is.")) if asks_how else reply

    async def _read_order(self, turn: Turn) -> Reply | None:
        """Read a message of nothing but words for a command and courtesies; None for any other."""
        message = fold(turn.text)
        order = read_prefix(message, languages_for(message)).order
        word = without_courtesies(turn.text[order:] or turn.text)
        named = ("help", "memory", "reminders", "decisions", "opinions", "journal")
        instead = next((f"/{name}" for name in named if word in word_list(name)), "") or await self._ask_why(turn, word)
        if calls_off(turn.text):
            instead = "/reminders"
        kept = await self._offered(turn, KEEP) if orders_to_keep(turn.text) else []
        instead = await self._put_off(turn) or next((f"{KEEP}{token}" for token in kept), instead)
        if turn.origin in SPOKEN and word in word_list("retractions"):
            instead = "/forget it"
        elif turn.origin in SPOKEN and word in word_list("forget_that"):
            instead = "/forget it" if turn.quote else await self._forget_last(turn)
        elif asks_for_plans(without_fillers(word)):
            instead = "/agenda"
        if instead:
            return Reply("", instead=instead)
        if word in word_list("denials") | word_list("clock"):
            is_clock = word in word_list("clock")
            return Reply(tr("It is {when}.", when=in_words(turn.local)) if is_clock else tr(NOT_NOTED))
        if word in word_list("just_told") and (newest := await turn.agent.memory.recent(1, scope=turn.scope)):
            hits = (replace(newest[0], relevance=1.0),)
            found = Recall(turn.text, "words", "Listed, newest first.", 0.0, hits)
            return await quoting.quote(turn, found, turn.text)
        if reply := await self._answer_further(turn, word):
            return reply
        word = "undo" if word in word_list("undo") else trimmed(turn.text)
        if word in self._commands:
            return Reply(tr("Do you mean `/{word}`? Commands begin with a slash. Nothing was noted.", word=word))
        return None

    async def _answer_further(self, turn: Turn, word: str) -> Reply | None:
        """Quote again what a person was just told, if they ask nothing but "where?" or "and when?", and it may tell."""
        opening, _, rest = word.partition(" ")
        question = rest if opening in word_list("further_days") else word
        if question not in word_list("bare_questions") or not await self._just_asked(turn):
            return None
        wanted, hits = AnswerForm(question, turn.local.date()), list[Hit]()
        where = _IN_PLACE if question in word_list("where_alone") else None
        for shown in await self._transcript.just_quoted(turn.session):
            with suppress(NotFound):  # forgotten since
                hit = await turn.agent.memory.find(shown.id, scope=turn.scope)
                timeless = dates.without_times(read_when(hit.content, turn.local)[0].rest, turn.local.date())
                if where.search(timeless) if where else instants_of(hit) or not wanted.is_missing(hit.content):
                    hits.append(replace(hit, relevance=1.0))
        found = Recall(turn.text, "words", mark("Quoted before."), 0.0, tuple(hits))
        return await quoting.quote(turn, found, turn.text) if hits else None

    async def _ask_why(self, turn: Turn, word: str) -> str:
        """Return the command that tells where the last answer comes from; empty unless words ask for that."""
        if word not in word_list("why") | word_list("why_alone"):
            return ""
        if word in word_list("why_alone") and not await self._transcript.just_quoted(turn.session):
            return ""
        if (found := await self._transcript.last_recall(turn.session)) and found.answers:
            with suppress(NotFound):  # replaced or forgotten since: then how the answer came about
                return f"/why ^{(await turn.agent.memory.find(found.hits[0].id, scope=turn.scope)).id}"
        return "/why"

    async def _forget_last(self, turn: Turn) -> str:
        """Return the command that forgets what the last answer has noted or quoted; empty if it has done neither."""
        if quoted := await self._transcript.just_quoted(turn.session):
            return f"/forget ^{quoted[0].id}" if len(quoted) == 1 else "/forget"
        if (last := await self._transcript.last_citing(turn.session)) is None:
            return ""
        made = (await self._transcript.find_pending(turn.session, last.closes))[0] if last.closes else None
        turns = {last.turn, *(write.rpartition(":")[0] for write in (made.operations if made else ()))}
        found = await turn.agent.memory.run(noted_in, turns, scope=turn.scope)
        ids = [name for noted in found.values() for name in noted.known]
        return f"/forget ^{ids[0]}" if len(ids) == 1 else "/forget" if ids else ""

    async def _offered(self, turn: Turn, command: str) -> list[str]:
        """Return what stands behind a command on the buttons under the last answer."""
        choices = [button.data for button in await self._transcript.last_choices(turn.session)]
        return [data.removeprefix(command) for data in choices if data.startswith(command)]

    async def _put_off(self, turn: Turn) -> str:
        """Return the command that puts off the reminder which has just come: "again in an hour"; else nothing."""
        if turn.origin not in SPOKEN or len(turn.text) > MAX_WISH_CHARS:
            return ""
        what, after = read_putting_off(turn.text) or ("", "")
        said = after if what.casefold() in word_list("pointing") else without_courtesies(turn.text)
        when = read_when(_SNOOZING.sub("in ", said), turn.local)[0]
        if when.due is None or when.every or without_courtesies(when.rest) not in {"", *word_list("once_more")}:
            return ""
        rung = next((data.split()[0] for data in await self._offered(turn, SNOOZE)), "")
        minutes = -((turn.at - when.due) // timedelta(minutes=1))
        return f"{SNOOZE} {rung} {minutes}m" if rung else "/reminders" if _SNOOZING.match(turn.text) else ""

    async def resumes(self, turn: Turn) -> bool:
        """Return whether a message takes back or moves what a command has just done: no model knows of that."""
        command = split_command(await self._just_commanded(turn)) if turn.origin in SPOKEN else None
        if command is None or command[0] not in {"remember", "remind", "reminders"}:
            return False
        is_taken_back = without_courtesies(turn.text) in word_list("retractions") | word_list("forget_that")
        return is_taken_back or await self._completed(turn) is not None

    async def _completed(self, turn: Turn) -> Reminder | None:
        """Read a time that completes the order before, or moves the reminder that was set by it, or by a command."""
        set_just_now = await self._offered(turn, CANCEL)
        is_set, memory = bool(set_just_now), turn.agent.memory
        if command := split_command(await self._just_commanded(turn) if is_set else ""):
            earlier = f"remind me {command[1]}" if command[0] == "remind" else ""
        elif not (earlier := await self._just_asked(turn)):
            return None
        known = await memory.run(find_intention, set_just_now[0], turn.scope) if is_set else None
        due = next_due(known, turn.agent.zone, after=turn.at) if known else None
        day = due.astimezone(turn.agent.zone).date() if due else None
        if found := completed(earlier, turn.text, turn.local, is_set=is_set, day=day):
            return found
        order = read_reminder(earlier, turn.local)
        if order and order.when.lack and quoting.asks_of_further_days(turn, turn.text):
            return order  # "this week" tells no time: it is asked for again
        return None

    async def _just_commanded(self, turn: Turn) -> str:
        since = turn.at - ANSWERED_WITHIN
        return await self._transcript.last_command(turn.session, by=turn.principal.id, since=since)

    async def _just_asked(self, turn: Turn) -> str:
        """Return what the person said before this message; empty if it was long ago, or somebody else's turn."""
        if (before := await self._transcript.last_question(turn.session)) is None:
            return ""
        is_recent = turn.at - before.messages[-1].inbound.sent_at <= ANSWERED_WITHIN
        return before.text if is_recent and before.messages[-1].principal.id == turn.principal.id else ""

    async def _answer_wish(self, turn: Turn) -> Reply | None:
        if reply := await self._change_plan(turn):
            return reply
        if wished := declined(turn.text, turn.local) or wish(turn.text):
            return await self._grant(turn, wished)
        return Reply("", instead="/reminders") if calls_off(turn.text, turn.local) else None

    async def _grant(self, turn: Turn, wished: Wish) -> Reply:
        """Have a fact forgotten or corrected, once that is confirmed; a reminder only if it holds all that is said."""
        if wished.kind is WishKind.CORRECT:
            return await self._offer_correction(turn, wished.what)
        if wished.kind is WishKind.REMIND:
            return Reply(tr(OF_WHAT))
        if wished.kind is WishKind.MOVE:
            return await self._move(turn, wished.what)
        what, order = wished.what, turn.text.replace(wished.what, " ").casefold()
        timeless = read_when(what, turn.local)[0].rest
        is_open = wished.everything or word_list("pointing").issuperset(timeless.casefold().split())
        is_day = any((time.start, time.end) == (0, len(what)) for time in dates.find(what, turn.local.date()))
        is_timed = what != timeless and not wished.everything
        if (is_timed or not is_open) and any(word in order for word in word_list("called_reminders")):
            timeless = read_when(turn.text, turn.local)[1].bare(timeless)  # "appeler", of "d'appeler"
            subject = REASON.split(timeless, maxsplit=1)[0]
            named = await self._named_intentions(turn, timeless) or await self._named_intentions(turn, subject)
            if not named:
                return Reply("", instead="/reminders").with_note(tr("No reminder says “{what}”.", what=what))
            if len(named) > (1 if is_timed else len({*named.values()})):  # the list has numbers to tell them apart
                return Reply("", instead="/reminders")
            what = f"^{next(iter(named))}" if len(named) == 1 else what
        return Reply("", instead=f"/forget {'--all ' if wished.everything and not is_day else ''}{what}")

    async def _named_intentions(self, turn: Turn, words: str) -> Mapping[str, str]:
        """Return the intentions that have some words, by their ids; of reminders those that come when the turn says."""
        memory, where, zone = turn.agent.memory, Filter(kinds=(Kind.INTENTION,), faded=True), turn.agent.zone
        found = (await memory.recall(words, scope=turn.scope, where=where)).hits if words else ()
        meant = {hit.id: hit.content for hit in found if hit.grounds.get("held") == 1}
        known = [one for one in await memory.run(intentions, turn.scope) if not words or one.text in meant.values()]
        dues = [(one, due) for one in known if (due := next_due(one, zone, after=turn.at)) and due > turn.at]
        then = {one.id: one.text for one, due in dues if _says(turn, due.astimezone(zone))}
        coming = {one.id: one.text for one, _ in dues}
        others = {name: text for name, text in meant.items() if text not in coming.values()}
        return then or (others | coming if words else {})

    async def _change_plan(self, turn: Turn) -> Reply | None:
        """Offer to forget the plan that is called off, or put off the one that is to come later; None if none is."""
        if what := read_calling_off(turn.text):
            named = await find_named(turn, what)
            meant = f"^{named[0].id}" if len(named) == 1 else what
            return Reply("", instead=f"/forget {meant}") if named else None
        what, after = read_putting_off(turn.text) or ("", "")
        if what.casefold() in word_list("pointing"):
            told = await self._transcript.just_quoted(turn.session)
            named = told or await turn.agent.memory.recent(1, scope=turn.scope)
        else:
            named = await find_named(turn, what) if what else ()
        if len(named) != 1:
            return Reply("", instead=f"/recall {what}") if named else None
        (plan,) = named
        if known := await turn.agent.memory.run(find_intention, plan.id, turn.scope):
            due = next_due(known, turn.agent.zone, after=turn.at)
            begins = due.astimezone(turn.agent.zone) if due and not known.every else None
            then = find_when(after, begins, codes=LANGUAGES).due if begins else None
            return await self._remind(turn, Reminder(known.text, When(after, due=then)), plan.id) if then else None
        if text := put_off(plan, after, turn):
            return await self._offer(turn, plan, text)
        shown = f"{tr('From memory:')}\n{quoted(plan, 1)}\n\n{tr('`/replace ^{id} TEXT` changes this.', id=plan.id)}"
        return Reply(shown, origins=frozenset({plan.origin}), is_open=True)

    async def _move(self, turn: Turn, said: str) -> Reply:
        """Offer to correct the plan that is to be moved, or move the reminder of it."""
        what, text, is_reminder = read_move(said, turn.local)
        named, order = (quoting.content_terms(one) for one in (what, turn.text.replace(said, " ")))

        def is_meant(plan: str) -> bool:  # not where the order's word is one of its own: "shift starts at 8"
            terms = quoting.content_terms(plan)
            return bool(terms & named) and (is_reminder or not terms & order)

        correction = None if is_reminder else await self._find_correction(turn, said)
        if correction and not instants_of(correction[0]) and is_meant(correction[0].content):
            return await self._offer(turn, *correction)
        where = Filter(kinds=(Kind.INTENTION,), faded=True)
        found = await turn.agent.memory.recall(what, scope=turn.scope, where=where)
        held = [hit.id for hit in found.hits if hit.grounds.get("held") == 1 and is_meant(hit.content)]
        known = [one for one in await turn.agent.memory.run(intentions, turn.scope) if one.id in held]
        coming = [one.id for _, one in await coming_reminders(turn, known)]
        if len(coming) == 1:
            return await self._remind(turn, Reminder(text, When(text), is_instead=True), coming[0])
        return Reply("", instead="/reminders") if is_reminder else await self._answer_act(turn, act_of(turn.text))

    async def _remind(self, turn: Turn, reminder: Reminder, replaces: str = "") -> Reply:
        """Set a reminder, or another one, or that under the last answer, at another time; or ask when, and of what."""
        memory = turn.agent.memory
        if reminder.is_instead:
            replaces, *others = [replaces] if replaces else await self._offered(turn, CANCEL) or [""]
            known = await memory.run(find_intention, replaces, turn.scope) if replaces and not others else None
            zone, day_after = turn.agent.zone, turn.at + timedelta(days=1)  # today, an hour may be over
            if known and (due := next_due(known, zone, after=day_after)):
                due = due.astimezone(zone)
                near = due.hour - 3 if due.hour < 9 else max(WAKING_HOUR, due.hour - 6)  # of two hours, the nearer one
                when = read_when(reminder.what, turn.local, due.date(), near)[0]
                kept = at_local(when.due.date(), due.time(), zone) if when.due and when.is_day else turn.at
                when = move(known.every, due.date(), when) if known.every else when
                reminder = Reminder(known.text, replace(when, due=kept) if kept > turn.at and when.due else when)
            elif not await memory.is_done(turn.op_id(0)):  # else the turn is repeated after a crash
                return Reply(tr(OF_WHAT))
        try:
            op_id, by = turn.op_id(0), turn.principal.id
            return await set_reminder(turn, reminder, op_id=op_id, actor=by, origin=turn.origin, replaces=replaces)
        except NotSet as error:
            return Reply(str(error) if reminder.is_said else tr(OF_WHAT))
        except SecretFound as error:
            return Reply(of_memory(error), masked=error.values)

    async def _answer_act(self, turn: Turn, act: Act) -> Reply:
        match act:
            case Act.NOTE if not is_time_alone(turn.text, turn.local):
                if turn.origin is Origin.OWNER:
                    return await self._note(turn)
                if not turn.principal.is_owner:
                    return Reply(tr(ONLY_OWNERS))
            case Act.QUESTION:
                told, asked, is_letter = parts_of(turn.text)
                if not is_letter or turn.origin is not Origin.OWNER:
                    answer = await self._offer_again(turn, await quoting.look_up(turn, turn.text, asked))
                    return answer.with_note(tr(NOT_NOTED)) if told and turn.origin is Origin.OWNER else answer
                is_line = len([*sentences(fold(told))]) == 1  # which the question may point at: "what is her number?"
                # Before that line is noted, which would be quoted.
                pointed = await quoting.look_up(turn, turn.text, asked) if is_line else None
                noted = await self._note(replace(turn, text=told))
                answer = await quoting.look_up(turn, asked, asked)
                answer = answer if pointed is None or (answer.evidence and answer.evidence.answers) else pointed
                return replace(noted.with_note(answer.text), evidence=answer.evidence, is_open=answer.is_open)
            case Act.SMALL_TALK if is_asked(turn.text) or turn.text.rstrip().endswith(("?", "？", "؟")):
                return Reply(tr(PRESENCE if turn.is_owners else FOR_OTHERS, agent=turn.agent.name))
        courtesies = {
            Act.GREETING: tr(HELLO if turn.is_owners else FOR_OTHERS, agent=turn.agent.name),
            Act.FAREWELL: tr("Goodbye. What you told me is kept."),
            Act.THANKS: tr("You're welcome."),
            Act.REQUEST: tr(
                "I cannot do that without a language model, and nothing was noted. I can note what you tell me and "
                "look up what you have told me."
            ),
        }
        return Reply(courtesies.get(act, tr(NOT_NOTED)), is_open=act is Act.REQUEST)

    async def _offer_again(self, turn: Turn, answer: Reply) -> Reply:
        """Offer once more to replace what an answer quotes first, if an offer to correct that is still open."""
        if not (answer.evidence and answer.evidence.answers):
            return answer
        first = answer.evidence.hits[0]
        offered = await self._transcript.open_replacements(turn.session, to=turn.principal.id)
        if first.id not in offered:
            return answer
        offer = await self._replacement(turn, first, offered[first.id])
        note = f"{tr('Shall I replace 1 by this?')}\n{offer.text}"
        return replace(answer.with_note(note), buttons=offer.buttons, pending=offer.pending)

    async def _offer_correction(self, turn: Turn, said: str) -> Reply:
        """Offer to replace what a statement corrects; note it if it tells something by itself."""
        if correction := await self._find_correction(turn, said):
            return await self._offer(turn, *correction)
        if stands_alone(said):
            return await self._note(replace(turn, text=said))
        return Reply(tr("I know nothing that this corrects, so nothing was noted. `/remember TEXT` notes it as it is."))

    async def _find_correction(self, turn: Turn, said: str) -> tuple[Hit, str] | None:
        """Find what a statement corrects, and its new text: the fact most like it, of equals the last spoken of."""
        newest, like = await quoting.facts_like(turn, said)
        shown = await self._transcript.just_quoted(turn.session)
        alike = {hit.id: hit for hit in (*shown, *newest, *like)}.values()
        short = [hit for hit in alike if len(hit.content) <= quoting.MAX_COMPARED_CHARS]
        corrections = [(hit, new) for hit in short if (new := correct(hit.content, said))]
        told = {hit.id for hit in shown}
        # 是 is in most facts.
        terms = {term for term in quoting.content_terms(said) if len(term) > 1 or term.isdecimal()}
        spelled = {hit.id for hit, new in corrections if new == respell(hit.content, said)}
        shared = {hit.id: len(terms & quoting.content_terms(hit.content)) for hit, _ in corrections}
        if told:  # a correction of what was just quoted says nothing of a fact that it shares no word with
            corrections = [(hit, new) for hit, new in corrections if hit.id in told | spelled or shared[hit.id]]
        is_clause, part = stands_alone(said), said.casefold()
        is_part = {new: is_clause and said != new and part in new.casefold() for _, new in corrections}
        return max(
            corrections,
            key=lambda one: (shared[one[0].id], is_part[one[1]], one[0].id in told, one[0].id in spelled),
            default=None,
        )

    async def _offer(self, turn: Turn, hit: Hit, new: str) -> Reply:
        """Offer to replace a fact, which is quoted, by a new text."""
        offer = await self._replacement(turn, hit, new)
        return replace(offer, text=f"{tr('Shall I replace this?')}\n{quoted(hit, 1)}\n\n{tr('By this:')}\n{offer.text}")

    async def _replacement(self, turn: Turn, hit: Hit, new: str) -> Reply:
        """Show what a fact would be replaced by, with the buttons that do it."""
        await turn.agent.memory.run(check_author, hit.id, turn.whose)  # or else a yes would be refused
        origin = Origin.worst([turn.origin, hit.origin])
        offer = self._propose(turn, Proposal(new, origin, replaces=hit.id))
        return Reply(
            "\n".join(f"   > {line}" for line in new.split("\n")),
            buttons=(Button(tr("Yes"), f"/replace yes {offer.token}"), Button(tr("No"), f"/replace no {offer.token}")),
            origins=frozenset({origin}),
            pending=offer,
        )

    def _offer_quote(self, turn: Turn) -> Reply:
        """Offer the owner to note what a message without words of its own forwards."""
        reply = Reply(tr("Nothing was noted: what others wrote I keep only if you answer it with `/remember`."))
        if turn.origin is not Origin.OWNER:
            return reply
        offer = self._propose(turn, quoted_fact(turn))
        drop = Button(tr("No"), f"/captured drop {offer.token}")
        return replace(reply, buttons=(Button(tr("Remember this"), f"{KEEP}{offer.token}"), drop), pending=offer)

    def _propose(self, turn: Turn, proposed: Proposal) -> PendingAction:
        from memory.privacy.secrets import holds_secrets  # its patterns take 20 ms to compile

        offer = pending(turn, proposed)
        if holds_secrets(proposed.text):  # the record of the conversation masks it
            offer = replace(offer, text="", token=self._offers.make(turn, proposed))
        return offer

    async def _note(self, turn: Turn) -> Reply:
        """Note a statement, unless it is known; one that contradicts a fact is noted, and the fact is shown."""
        text, year = statement(turn.text), str(turn.local.year)
        newest, like = await quoting.facts_like(turn, text)
        reply = await note(turn, Proposal(text, turn.origin), self._offers)
        contradicted = next((hit for hit in (*newest, *like) if quoting.is_contradicted(hit.content, text, year)), None)
        if contradicted is None or not await turn.agent.memory.is_done(turn.op_id(0)):
            return reply
        head = tr("This contradicts what you told me before:")
        shown = f"{head}\n{quoted(contradicted, 1)}\n\n`/forget ^{contradicted.id}`"
        return replace(reply.with_note(shown), origins=reply.origins | {contradicted.origin})


def _says(turn: Turn, due: datetime) -> bool:
    """Return whether a text may say an instant, in the morning or in the afternoon, or only its day."""
    read = [read_when(turn.text, turn.local, due.date(), earliest)[0] for earliest in (0, 12)]
    return any(one.due and (one.due.date() == due.date() if one.is_day else one.due == due) for one in read)


def asks_to_keep_quote(turn: Turn) -> bool:
    """Return whether the owner asks to remember what the message quotes, as in "remember this"."""
    return bool(turn.quote) and turn.origin is Origin.OWNER and orders_to_keep(turn.text)


def orders_to_keep(text: str) -> bool:
    """Return whether a text asks to remember something, and leaves it to what it points at what that is."""
    said = without_courtesies(text)
    words = said.split()
    if len(words) > MAX_POINTING_WORDS:
        return False
    while words and statement(f"{' '.join(words)}: x") != "x":
        if words.pop() not in word_list("pointing"):
            return said in word_list("keep_it")
    return bool(words)
