"""`/forget`: show exactly which lines would go, and take them away when that is confirmed."""

from __future__ import annotations

from adapters.port import Button
from bot.commands.base import Call, Command
from bot.turn import Reply
from memory import Line, Preview


async def run(call: Call) -> Reply:
    """Preview, or with `yes TOKEN [NUMBERS]` carry a preview out."""
    match call.argument.split():
        case []:
            return Reply("What should I forget? Give an id, a `file:line`, or words: `/forget ^k3f9a2mq`")
        case ["no"]:
            return Reply("Kept.")
        case ["yes", token, *numbers]:
            return await _confirm(call, token=token, numbers=numbers)
    turn = call.turn
    preview = await turn.agent.memory.preview_forget(call.argument, scope=turn.scope, actor=turn.principal.id)
    return _shown(preview)


def _shown(preview: Preview) -> Reply:
    if not preview.lines:
        return Reply("Nothing matches that, so nothing would be forgotten.")
    lines = "\n".join(f"{n}. `{line.path}:{line.number}` {line.text}" for n, line in enumerate(preview.lines, 1))
    count = len(preview.lines)
    them = "this line" if count == 1 else f"these {count} lines"
    choose = "" if count == 1 else f", or only some with `/forget yes {preview.token} 1 3`"
    return Reply(
        f"This would take away {them}:\n{lines}\n\n"
        f"Confirm within ten minutes with `/forget yes {preview.token}`{choose}.",
        buttons=(Button(f"Forget {them}", f"/forget yes {preview.token}"), Button("Keep", "/forget no")),
    )


async def _confirm(call: Call, *, token: str, numbers: list[str]) -> Reply:
    if not all(number.isdecimal() for number in numbers):
        return Reply(f"Which of the lines? Give their numbers: `/forget yes {token} 1 3`. Nothing was forgotten.")
    turn = call.turn
    only = tuple(map(int, numbers))
    gone = await turn.agent.memory.forget(
        token, only=only, op_id=turn.op_id(0), scope=turn.scope, actor=turn.principal.id
    )
    return Reply(f"Forgotten: {_places(gone)}. `/undo` brings it back until this time tomorrow.")


def _places(lines: tuple[Line, ...]) -> str:
    return ", ".join(f"`{line.path}:{line.number}`" for line in lines)


COMMAND = Command(
    name="forget",
    summary="take facts away, after showing which",
    usage="/forget ID | FILE:LINE | WORDS",
    example="/forget ^k3f9a2mq",
    run=run,
)
