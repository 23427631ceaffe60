"""`/forget`: show which lines would go, and where else they are repeated; take them away when that is confirmed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from adapters.port import Button
from bot.commands.base import Call, Command
from bot.formatting import plain_name
from bot.receipts import indented
from bot.sessions.forgetting import Spread
from bot.storage.port import EntryKind
from bot.turn import UNKNOWN, Reply
from memory import OWNER, Line, Preview

WHICH = (
    "What should I forget? Give an id, a `file:line`, the number of a passage in my last answer, or words: "
    "`/forget ^k3f9a2mq`"
)
NOTHING = "Nothing matches that, so nothing would be forgotten. `/recall WORDS` shows what there is, with ids."
UNCONFIRMED = "Which preview do you confirm? Its last line says what to type. Nothing was forgotten."
PURGE = "--purge"
ALL = "--all"
MOST_BUTTONS = 5

_SOURCE = re.compile(r"(.+\.md)#L(\d+)(?:-L\d+)?")


async def run(call: Call) -> Reply:
    """Preview, or with `yes TOKEN [NUMBERS]` carry a preview out."""
    options, typed = _split(call.argument)
    first, *rest = typed.replace(",", " ").split() or [""]
    match [first.lower(), *rest]:
        case _ if PURGE in options and not (call.turn.principal.is_owner and call.turn.scope == OWNER):
            return Reply("Only my owner may purge, in a private chat. Nothing was forgotten.")
        case [""]:
            return await _before(call) if PURGE in options else Reply(WHICH)
        case ["no"]:
            return Reply("Kept.")
        case ["yes"]:
            return await _purged(call) if PURGE in options else Reply(UNCONFIRMED)
        case ["yes", token, *numbers]:
            return await _confirm(call, token=token, numbers=numbers, purge=PURGE in options)
        case _:
            return await _proposed(call, await _wanted(call, typed), options=options)


async def _proposed(call: Call, wanted: str, *, options: frozenset[str]) -> Reply:
    """What would go, to be confirmed, or candidates to choose from; `wanted` is an id, a place, or words."""
    turn, forgetting = call.turn, call.desk.forgetting
    preview = await turn.agent.memory.preview_forget(
        wanted, everything=ALL in options, scope=turn.scope, actor=turn.principal.id, whose=turn.whose
    )
    others = await _by_others(call, preview) if preview.others else ""
    if not preview.lines:
        return Reply(others or NOTHING)
    spread = await forgetting.foresee(turn.agent, preview.trail, turn.session) if preview.trail else Spread()
    reply = _chosen_from(preview, options) if preview.choose else _shown(preview, spread, options)
    return reply.with_note(others) if others else reply


async def _by_others(call: Call, preview: Preview) -> str:
    """Who wrote what was meant, too, under the name that they had when they last spoke here."""
    said = (one.entry for one in await call.desk.transcript.newest(call.turn.session))
    messages = (json.loads(entry.body) for entry in said if entry.kind is EntryKind.MESSAGE)
    names = {message["sender"]: plain_name(message["name"]) for message in messages if "sender" in message}
    found = {names.get(actor.rpartition(" for ")[2], "") for actor in preview.others}
    whose = " and ".join(sorted(found)) if all(found) else "Somebody else"
    rest = "of that" if preview.lines else "that"
    return f"{whose} wrote {'some ' if preview.lines else ''}{rest}; only they or my owner can take it away."


def _split(argument: str) -> tuple[frozenset[str], str]:
    """The options at the beginning, and the rest."""
    options: set[str] = set()
    rest = argument.strip()
    while rest.split(maxsplit=1)[:1] in ([PURGE], [ALL]):
        option, _, rest = rest.partition(" ")
        options.add(option)
        rest = rest.strip()
    return frozenset(options), rest


async def _wanted(call: Call, typed: str) -> str:
    """What is meant, as memory takes it: a source as answers quote it is a place, a passage's number its id."""
    typed = typed.strip("`")
    source = _SOURCE.fullmatch(typed)
    if source:
        return f"{source[1]}:{source[2]}"
    evidence = await call.desk.transcript.last_recall(call.turn.session)
    hits = evidence.hits if evidence else ()
    ids = {str(number): f"^{hit.id}" for number, hit in enumerate(hits, 1)}
    return ids.get(typed, typed)


def _chosen_from(preview: Preview, options: frozenset[str]) -> Reply:
    """Candidates, each with a button; nothing is confirmed for all of them at once."""
    yes = f"/forget {PURGE} yes" if PURGE in options else "/forget yes"
    buttons = [
        Button(f"Forget {number}", f"{yes} {preview.token} {number}")
        for number in range(1, min(MOST_BUTTONS, len(preview.lines)) + 1)
    ]
    return Reply(
        f"Which of these do you mean?\n{_listed(preview.lines)}\n\nSay it within ten minutes with the number: "
        f"`{yes} {preview.token} 1`, or several numbers. `/forget {ALL} NAME` shows all about somebody together.",
        buttons=(*buttons, Button("Keep", "/forget no")),
        origins=UNKNOWN,
    )


def _shown(preview: Preview, spread: Spread, options: frozenset[str]) -> Reply:
    count = len(preview.lines)
    them = "this" if count == 1 else f"these {count}"
    yes = f"/forget {PURGE} yes {preview.token}" if PURGE in options else f"/forget yes {preview.token}"
    choose = "" if count == 1 else f", or only some of it with `{yes} 1 {count}`"
    parts = [f"This would take away:\n{_listed(preview.lines)}"]
    if preview.notes:
        parts.append(f"and from notes of conversations:\n{_places_and_lines(preview.notes)}")
    if told := _told(spread):
        parts.append(told)
    if PURGE in options:
        parts.append("It could not be brought back: nothing of it would be left in any file that I write.")
    parts.append(f"Confirm within ten minutes with `{yes}`{choose}.")
    buttons = (Button(f"Forget {them}", yes), Button("Keep", "/forget no"))
    return Reply("\n\n".join(parts), buttons=buttons, origins=UNKNOWN)


def _told(spread: Spread) -> str:
    """Where conversations repeat it, as in "3 messages of this conversation and 1 earlier one"."""
    here = f"{_messages(spread.here)} of this conversation" if spread.here else ""
    there = f"{spread.elsewhere} earlier" + (" one" if spread.elsewhere == 1 else " ones") if spread.elsewhere else ""
    if there and not here:
        there = f"{_messages(spread.elsewhere)} of other conversations"
    places = " and ".join(filter(None, (here, there)))
    return f"It is also in {places}; there it would be masked." if places else ""


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _listed(lines: Sequence[Line]) -> str:
    return "\n".join(f"{n}. `{line.path}:{line.number}`\n{indented(line.text)}" for n, line in enumerate(lines, 1))


def _places_and_lines(lines: Sequence[Line]) -> str:
    return "\n".join(f"- `{line.path}:{line.number}`\n{indented(line.text)}" for line in lines)


async def _confirm(call: Call, *, token: str, numbers: Sequence[str], purge: bool) -> Reply:
    if not all(number.isdecimal() and len(number) <= 3 for number in numbers):
        return Reply(f"Which of the lines? Give their numbers: `/forget yes {token} 1 3`. Nothing was forgotten.")
    turn = call.turn
    only = tuple(dict.fromkeys(map(int, numbers)))
    op_id = turn.op_id(0)
    gone = await turn.agent.memory.forget(token, only=only, op_id=op_id, scope=turn.scope, actor=turn.principal.id)
    masked = await call.desk.forgetting.catch_up(turn.agent, turn=turn.id)
    parts = [f"Forgotten: {', '.join(f'`{line.path}:{line.number}`' for line in gone)}."]
    if masked:
        parts.append(f"{_messages(masked)} that repeated it {'is' if masked == 1 else 'are'} masked.")
    if purge:
        await call.desk.forgetting.purge(turn.agent, scope=turn.scope, op_id=op_id)
        return Reply(" ".join([*parts, "Nothing of it is left, and it cannot be brought back."]))
    back = "`/undo` brings it back until this time tomorrow"
    return Reply(" ".join([*parts, f"{back}; what is masked stays masked." if masked else f"{back}."]))


async def _before(call: Call) -> Reply:
    """What was forgotten and can still be put back, to be purged."""
    turn = call.turn
    lines = await turn.agent.memory.purgeable(scope=turn.scope)
    if not lines:
        return Reply("Nothing that was forgotten can still be brought back, so there is nothing to purge.")
    listed = "\n".join(f"- `{line.path}`\n{indented(line.text)}" for line in lines)
    return Reply(
        f"This was forgotten, and `/undo` could still bring it back:\n{listed}\n\n"
        f"`/forget {PURGE} yes` leaves nothing of it.",
        buttons=(Button("Purge it", f"/forget {PURGE} yes"), Button("Keep", "/forget no")),
        origins=UNKNOWN,
    )


async def _purged(call: Call) -> Reply:
    count = await call.desk.forgetting.purge(call.turn.agent, scope=call.turn.scope)
    return Reply(f"Purged: {'1 line' if count == 1 else f'{count} lines'}. Nothing of it can be brought back.")


COMMAND = Command(
    name="forget",
    summary="take facts away, after showing which",
    usage="/forget ID | FILE:LINE | NUMBER | WORDS",
    example="/forget ^k3f9a2mq",
    run=run,
    detail=(
        "NUMBER is a passage of my last answer. First I show what would go, and where else it is repeated; "
        "`/forget yes TOKEN` takes it away, `/forget yes TOKEN 1 3` only those, and for a day `/undo` brings it back. "
        "WORDS that find several facts show them to choose from; with `--all` they are a name, and everything about it "
        "is meant. With `--purge`, for my owner in private, it cannot be brought back, and nothing of it is left in my "
        "files; alone, `/forget --purge` does that for what was forgotten before. In a group you take away what "
        "you wrote yourself; my owner, anything."
    ),
    private=True,
)
