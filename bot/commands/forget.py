"""`/forget`: show which lines would go, and where else they are repeated; take them away when that is confirmed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

from adapters.port import Button, Suggestion
from bot.agent.offline.notes import ALREADY, VALID
from bot.agent.offline.words import word_list
from bot.commands.base import Call, Command, Parameter, Typed
from bot.errors import Missing, Refused
from bot.sessions.forgetting import Repetitions
from bot.sessions.told import source_of
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import truncate
from bot.texts.receipts import indented
from bot.turn import UNKNOWN, PendingAction, Reply, ShownFact
from memory import Line, Preview
from memory.errors import NotFound
from memory.files.markdown import ID

WHICH = mark(
    "What should I forget? Give an id, a `file:line`, the number of a passage in my last answer, or words: "
    "`/forget ^k3f9a2mq`"
)
NOTHING = mark("Nothing matches that, so nothing would be forgotten. `/recall WORDS` shows what there is, with ids.")
TOLD_ONLY = mark(
    "That stands in a conversation, not in a note. `/remember` it, then `/forget` it: what conversations "
    "repeat goes with it."
)
UNCONFIRMED = mark("Which preview do you confirm? Its last line says what to type. Nothing was forgotten.")
PURGE = "--purge"
ALL = "--all"
MAX_BUTTONS = 5
MAX_SEARCHED = 100
MAX_SUGGESTED_CHARS = 90

_NAMED = re.compile(rf"\^{ID}")
_SOURCE = re.compile(r"(.+\.md)#L(\d+)(?:-L\d+)?")


async def run(call: Call) -> Reply:
    """Preview, or with `yes TOKEN [NUMBERS]` carry a preview out, with `no TOKEN` drop it."""
    typed = call.argument.strip()
    for shown in await call.context.transcript.last_choices(call.turn.session) if typed.isdecimal() else ():
        if shown.data.startswith("/forget ") and shown.data.endswith(f" {typed}"):  # one of several that may be meant
            typed = shown.data.removeprefix("/forget ")
    words = {word: word.replace("—", "--") for word in typed.split()}  # as telephones write two hyphens
    options = {PURGE, ALL}.intersection(words.values())
    if options:
        typed = " ".join(word for word in typed.split() if words[word] not in options)
    quoted = {*_NAMED.findall(call.turn.quote)} if word_list("pointing").issuperset(typed.casefold().split()) else ()
    typed = "" if len(quoted) > 1 else "".join(quoted) or typed  # what the answer tells of that this replies to
    is_purge = PURGE in options
    if is_purge and not call.turn.is_owners:
        return Reply(tr("Only my owner may purge, in a private chat. Nothing was forgotten."))
    first, *rest = typed.replace(",", " ").split() or [""]
    match [first.lower(), *rest]:
        case [""]:
            return await _list_purgeable(call) if is_purge else Reply(tr(WHICH))
        case ["no"]:
            return Reply(tr("Kept."))
        case ["yes"]:
            text = tr(UNCONFIRMED)
            if is_purge:
                count = await call.context.forgetting.purge(call.turn.agent, scope=call.turn.scope)
                text = trn(
                    "Purged: {count:,} line. Nothing of it can be brought back.",
                    "Purged: {count:,} lines. Nothing of it can be brought back.",
                    count,
                )
            return Reply(text)
        case ["yes" | "no" as choice, token, *numbers] if (
            choice == "yes" or (await call.context.transcript.find_pending(call.turn.session, token.lower()))[0]
        ):
            return await _answer(call, choice, token=token, numbers=numbers, purge=is_purge)
    return await _preview(call, typed.strip("`"), everything=ALL in options, purge=is_purge)


async def _preview(call: Call, typed: str, *, everything: bool, purge: bool) -> Reply:
    """Show what would go, to be confirmed, or candidates to choose from.

    `typed` is an id, words, a place as answers quote it, or the number of a passage in the last answer; "that last
    note" and "it" mean the newest fact.
    """
    turn, forgetting = call.turn, call.context.forgetting
    if not everything and word_list("pointing").issuperset(typed.casefold().split()):
        newest = await turn.agent.memory.recent(1, scope=turn.scope)
        typed = f"^{newest[0].id}" if newest else typed
    source, evidence = _SOURCE.fullmatch(typed), await call.context.transcript.last_recall(turn.session)
    hits = evidence.hits if evidence else ()
    by_number = {str(number): f"^{hit.id}" for number, hit in enumerate(hits, 1)}
    wanted = f"{source[1]}:{source[2]}" if source else by_number.get(typed, typed)
    from_sessions = {hit.id for hit in hits if source_of(hit.source.path) == "sessions"}
    is_told_only = source_of(source[1]) == "sessions" if source else wanted.removeprefix("^") in from_sessions
    if is_told_only:
        return Reply(tr(TOLD_ONLY))
    preview = await turn.agent.memory.preview_forget(
        wanted, everything=everything, scope=turn.scope, actor=turn.principal.id, whose=turn.whose, reach=turn.reach
    )
    others = await _describe_others(call, preview) if preview.others else ""
    if not preview.lines:
        nothing = Reply(others or tr(NOTHING))
        left = await _list_purgeable(call) if purge else nothing
        return replace(left, text=f"{nothing.text}\n\n{left.text}") if left.buttons else nothing
    facts = [ShownFact(line.id, await _words_of(call, line.id)) for line in preview.lines]
    until = turn.agent.clock.now() + VALID
    pending = PendingAction(preview.token, turn.principal.id, until, tuple(facts), preview.choose)
    yes = f"/forget {PURGE} yes" if purge else "/forget yes"
    if preview.choose:
        reply = _ask_which(preview, yes)
    else:
        counts = await forgetting.foresee(turn.agent, preview.trail, turn.session) if preview.trail else Repetitions()
        reply = _ask_to_confirm(preview, counts, f"{yes} {preview.token}", purge=purge)
    return replace(reply.with_note(others) if others else reply, pending=pending)


async def _words_of(call: Call, fact: str) -> str:
    """Return what a fact says now; empty if it is gone."""
    with suppress(NotFound):
        return (await call.turn.agent.memory.find(fact, scope=call.turn.scope)).content
    return ""


async def _describe_others(call: Call, preview: Preview) -> str:
    """Say who wrote part of what was meant."""
    whose = await _names(call, {actor.rpartition(" for ")[2] for actor in preview.others})
    if preview.lines:
        return tr("{whose} wrote some of that; only they or my owner can take it away.", whose=whose)
    return tr("{whose} wrote that; only they or my owner can take it away.", whose=whose)


async def _names(call: Call, people: Collection[str]) -> str:
    """Return people's names, by their ids, as they were when they last spoke here."""
    names = await call.speakers()
    found = {names.get(one, "") for one in people}
    return tr(" and ").join(sorted(found)) if all(found) else tr("Somebody else")


def _ask_which(preview: Preview, yes: str) -> Reply:
    """Show candidates, each with a button; nothing is confirmed for all of them at once."""
    buttons = [
        Button(tr("Forget {number}", number=number), f"{yes} {preview.token} {number}")
        for number in range(1, min(MAX_BUTTONS, len(preview.lines)) + 1)
    ]
    ask = tr("Which of these do you mean?")
    say = tr(
        "Say it within ten minutes with the number: `{yes} 1`, or several numbers. `/forget --all NAME` shows all "
        "about somebody together.",
        yes=f"{yes} {preview.token}",
    )
    return Reply(
        f"{ask}\n{_list_lines(preview.lines)}\n\n{say}",
        buttons=(*buttons, Button(tr("Keep"), f"/forget no {preview.token}")),
        origins=UNKNOWN,
    )


def _ask_to_confirm(preview: Preview, counts: Repetitions, yes: str, *, purge: bool) -> Reply:
    count = len(preview.lines)
    parts = [f"{tr('This would take away:')}\n{_list_lines(preview.lines)}"]
    if preview.notes:
        notes = "\n".join(f"- `{line.path}:{line.number}`\n{indented(line.text)}" for line in preview.notes)
        parts.append(f"{tr('and from notes of conversations:')}\n{notes}")
    if repeated := masked_places(counts):
        parts.append(repeated)
    if purge:
        parts.append(tr("It could not be brought back: nothing of it would be left in any file that I write."))
    if count == 1:
        label, how = tr("Forget this"), tr("Confirm within ten minutes with `{yes}`.", yes=yes)
    else:
        label = tr("Forget these {count}", count=count)
        how = tr(
            "Confirm within ten minutes with `{yes}`, or only some of it with `{yes} 1 {count}`.", yes=yes, count=count
        )
    buttons = (Button(label, yes), Button(tr("Keep"), f"/forget no {preview.token}"))
    return Reply("\n\n".join([*parts, how]), buttons=buttons, origins=UNKNOWN)


def masked_places(counts: Repetitions) -> str:
    """Return where else a preview's facts are repeated and would be masked, in a sentence; empty for nowhere."""
    places = []
    if counts.here:
        places.append(
            trn("{count:,} message of this conversation", "{count:,} messages of this conversation", counts.here)
        )
    if counts.elsewhere and counts.here:
        places.append(trn("{count} earlier one", "{count} earlier ones", counts.elsewhere))
    elif count := counts.elsewhere:
        places.append(
            trn("{count:,} message of other conversations", "{count:,} messages of other conversations", count)
        )
    return tr("It is also in {places}; there it would be masked.", places=tr(" and ").join(places)) if places else ""


def told_forgotten(gone: Sequence[Line], masked: int) -> str:
    """Return what was forgotten, and how many messages were masked, in one or two sentences."""
    told = tr("Forgotten: {gone}.", gone=", ".join(f"`{line.path}:{line.number}`" for line in gone))
    if not masked:
        return told
    also = trn(
        "{count:,} message that repeated it is masked.", "{count:,} messages that repeated it are masked.", masked
    )
    return f"{told} {also}"


def _list_lines(lines: Sequence[Line]) -> str:
    return "\n".join(f"{n}. `{line.path}:{line.number}`\n{indented(line.text)}" for n, line in enumerate(lines, 1))


async def _answer(call: Call, choice: str, *, token: str, numbers: Sequence[str], purge: bool) -> Reply:
    """Carry a preview out, or drop it; the first answer to it counts."""
    if not all(number.isdecimal() and len(number) <= 3 for number in numbers):
        which = mark("Which of the lines? Give their numbers: `/forget yes {token} 1 3`. Nothing was forgotten.")
        return Reply(tr(which, token=token))
    turn, op_id, memory = call.turn, call.turn.op_id(0), call.turn.agent.memory
    pending, done = await call.context.transcript.find_pending(turn.session, token.lower())
    if done:
        return Reply(done).with_note(tr(ALREADY))
    if pending and pending.to != turn.principal.id:
        whose = await _names(call, [pending.to])
        raise Refused(tr("{whose} asked for that preview, so only they can answer it.", whose=whose))
    if choice == "no" and pending:
        return Reply(tr("Kept."), closes=pending.token)
    is_repeated = await memory.is_done(op_id)  # after a crash: what is gone cannot be compared
    if pending is None or not (is_repeated or pending.holds(turn)):
        message = tr("There is no preview `{token}` to confirm.", token=token)
        raise Missing(message, hint=tr("Ask again what would be forgotten."))
    facts = _choose(pending, [*dict.fromkeys(map(int, numbers))])
    if not is_repeated and any([await _words_of(call, fact.id) != fact.text for fact in facts]):
        raise Missing(tr("What was shown has changed since, so nothing was forgotten."), hint=tr("Ask again."))
    ids = [fact.id for fact in facts]
    gone = await memory.forget_facts(ids, op_id=op_id, scope=turn.scope, actor=turn.principal.id, reach=turn.reach)
    masked = await call.context.forgetting.catch_up(turn.agent, turn=turn.id)
    told = told_forgotten(gone, masked)
    if purge:
        await call.context.forgetting.purge(turn.agent, scope=turn.scope, op_id=op_id)
        return Reply(f"{told} {tr('Nothing of it is left, and it cannot be brought back.')}", closes=pending.token)
    back = tr("`/undo` brings it back until this time tomorrow.")
    if masked:
        back = tr("`/undo` brings it back until this time tomorrow; what is masked stays masked.")
    return Reply(f"{told} {back}", closes=pending.token)


def _choose(pending: PendingAction, numbers: Sequence[int]) -> Sequence[ShownFact]:
    """Return the facts with these numbers, or all that were shown; raises `Missing` if that makes no sense."""
    if unknown := [number for number in numbers if not 1 <= number <= len(pending.facts)]:
        message = tr("The preview has no line {unknown}.", unknown=unknown[0])
        raise Missing(message, hint=tr("It has the lines 1 to {count}.", count=len(pending.facts)))
    if pending.choose and not numbers:
        message = tr("{count} facts may be meant, so nothing was forgotten.", count=len(pending.facts))
        raise Missing(message, hint=tr("Say which, by their numbers."))
    return [pending.facts[number - 1] for number in numbers] if numbers else pending.facts


async def _list_purgeable(call: Call) -> Reply:
    """Show what was forgotten and can still be put back, or was taken back, to be purged."""
    lines = await call.turn.agent.memory.purgeable(scope=call.turn.scope)
    if not lines:
        return Reply(tr("Nothing that was forgotten or taken back is left, so there is nothing to purge."))
    listed = "\n".join(f"- `{line.path}`\n{indented(line.text)}" for line in lines)
    return Reply(
        f"{tr('This was forgotten or taken back, and my journal still has it:')}\n{listed}\n\n"
        f"{tr('`/forget --purge yes` leaves nothing of it.')}",
        buttons=(Button(tr("Purge it"), f"/forget {PURGE} yes"), Button(tr("Keep"), "/forget no")),
        origins=UNKNOWN,
    )


async def suggest(typed: Typed) -> Sequence[Suggestion]:
    """Suggest the newest facts that contain what is typed."""
    recent = await typed.agent.memory.recent(MAX_SEARCHED, scope=typed.scope)
    words = typed.text.casefold()
    return [
        Suggestion(truncate(hit.content, MAX_SUGGESTED_CHARS), f"^{hit.id}")
        for hit in recent
        if words in f"^{hit.id} {hit.content.casefold()}"
    ]


COMMAND = Command(
    summary=mark("take facts away, after showing which"),
    usage=mark("/forget ID | FILE:LINE | NUMBER | WORDS"),
    example="/forget ^k3f9a2mq",
    run=run,
    detail=mark(
        "NUMBER is a passage of my last answer. First I show what would go, and where else it is repeated; "
        "`/forget yes TOKEN` takes it away, `/forget yes TOKEN 1 3` only those, and for a day `/undo` brings "
        "it back. WORDS that find several facts show them to choose from; with `--all` they are a name, and "
        "everything about it is meant. With `--purge`, for my owner in private, it cannot be brought back, "
        "and nothing of it is left in my files; alone, `/forget --purge` does that for what was forgotten "
        "or taken back before. In a group you take away what you wrote yourself; my owner, anything."
    ),
    parameter=Parameter("what", mark("a fact; or its id, a file:line, a passage's number, words"), suggest),
)
