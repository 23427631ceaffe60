"""`/forget`: show exactly which lines would go, and take them away when that is confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.port import Button
from bot.commands.base import Call, Command
from bot.receipts import indented
from bot.turn import Reply
from memory import Preview

_SOURCE = re.compile(r"(.+\.md)#L(\d+)(?:-L\d+)?")


async def run(call: Call) -> Reply:
    """Preview, or with `yes TOKEN [NUMBERS]` carry a preview out."""
    first, *rest = call.argument.replace(",", " ").split() or [""]
    match [first.lower(), *rest]:
        case [""]:
            return Reply(
                "What should I forget? Give an id, a `file:line`, the number of a passage in my last answer, or words: "
                "`/forget ^k3f9a2mq`"
            )
        case ["no"]:
            return Reply("Kept.")
        case ["yes"]:
            return Reply("Which preview do you confirm? Its last line says what to type. Nothing was forgotten.")
        case ["yes", token, *numbers]:
            return await _confirm(call, token=token, numbers=numbers)
    turn = call.turn
    wanted = await _wanted(call)
    return _shown(await turn.agent.memory.preview_forget(wanted, scope=turn.scope, actor=turn.principal.id))


async def _wanted(call: Call) -> str:
    """What is meant, as memory takes it: a source as answers quote it is a place, a passage's number its id."""
    typed = call.argument.strip("`")
    source = _SOURCE.fullmatch(typed)
    if source:
        return f"{source[1]}:{source[2]}"
    evidence = await call.desk.last_evidence(call.turn.session)
    hits = evidence.hits if evidence else ()
    ids = {str(number): f"^{hit.id}" for number, hit in enumerate(hits, 1)}
    return ids.get(typed, typed)


def _shown(preview: Preview) -> Reply:
    if not preview.lines:
        return Reply(
            "Nothing matches that, so nothing would be forgotten. `/recall WORDS` shows what there is, with ids."
        )
    lines = "\n".join(
        f"{n}. `{line.path}:{line.number}`\n{indented(line.text)}" for n, line in enumerate(preview.lines, 1)
    )
    count = len(preview.lines)
    them = "this" if count == 1 else f"these {count}"
    choose = "" if count == 1 else f", or only some of it with `/forget yes {preview.token} 1 {count}`"
    return Reply(
        f"This would take away:\n{lines}\n\nConfirm within ten minutes with `/forget yes {preview.token}`{choose}.",
        buttons=(Button(f"Forget {them}", f"/forget yes {preview.token}"), Button("Keep", "/forget no")),
    )


async def _confirm(call: Call, *, token: str, numbers: Sequence[str]) -> Reply:
    if not all(number.isdecimal() and len(number) <= 3 for number in numbers):
        return Reply(f"Which of the lines? Give their numbers: `/forget yes {token} 1 3`. Nothing was forgotten.")
    turn = call.turn
    only = tuple(dict.fromkeys(map(int, numbers)))
    gone = await turn.agent.memory.forget(
        token, only=only, op_id=turn.op_id(0), scope=turn.scope, actor=turn.principal.id
    )
    places = ", ".join(f"`{line.path}:{line.number}`" for line in gone)
    return Reply(f"Forgotten: {places}. `/undo` brings it back until this time tomorrow.")


COMMAND = Command(
    name="forget",
    summary="take facts away, after showing which",
    usage="/forget ID | FILE:LINE | NUMBER | WORDS",
    example="/forget ^k3f9a2mq",
    run=run,
    detail=(
        "NUMBER is a passage of my last answer. First I show what would go; `/forget yes TOKEN` takes it away, "
        "`/forget yes TOKEN 1 3` only those, and for a day `/undo` brings it back."
    ),
    private=True,
)
