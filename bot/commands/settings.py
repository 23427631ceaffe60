"""`/settings`: what holds in this chat, and changing it."""

from __future__ import annotations

from adapters.port import Button, ChatKind
from bot.access.chat_settings import ChatSettings, Listen, changed, shown
from bot.commands.base import Call, Command
from bot.turn import Reply

MAX_AGENTS = 3
"""Other agents that have a button."""

IN_PRIVATE = ("streaming", "reactions")
"""What means something in a chat with one person."""

ABOUT = {
    "listen addressed": "I listen to what is said to me: mentions, replies, commands.",
    "listen all": "I listen to everything.",
    "speakers everybody": "Everybody here may speak to me.",
    "speakers known": "Only people who were let in may speak to me.",
    "speakers owner": "Only you may speak to me.",
    "silence on": "What is not said to me I may leave unanswered.",
    "silence off": "I answer everything that I listen to.",
    "context 0": "I am not given what was said before a message to me.",
    "streaming on": "Answers grow while they are written.",
    "streaming off": "Answers come when they are whole.",
    "reactions on": "Messages are marked with how far their answer has come.",
    "reactions off": "Messages are not marked.",
}
"""What each value of a setting means."""
NAMES = tuple(dict.fromkeys(known.partition(" ")[0] for known in ABOUT))
CONTEXT = "I am given up to {count} messages that were said before one to me."


async def run(call: Call) -> Reply:
    """Show the settings of this chat, or change one of them."""
    access, register, to = call.context.access, call.context.register, call.turn.session.address
    before = access.settings(to)
    names = IN_PRIVATE if to.kind is ChatKind.PRIVATE else NAMES
    match call.argument.casefold().split():
        case []:
            pass
        case ["reset"]:
            for name in names:
                await register.set(to, name, None)
        case [name, value] if name in names:
            try:
                changed(before, {name: value})
            except ValueError:
                return Reply(f"`{name}` takes no such value. `/settings` shows what there is.", private=True)
            await register.set(to, name, value)
        case _:
            known = ", ".join(f"`{name}`" for name in names)
            return Reply(f"Say which of {known}, and its value: `/settings {COMMAND.argument}`", private=True)
    settings, given = access.settings(to), register.settings(to)
    lines = []
    for name in names:
        value = shown(getattr(settings, name))
        about = ABOUT.get(f"{name} {value}") or CONTEXT.format(count=value)
        lines.append(f"- {about} `{name} {value}`{' (set here)' if name in given else ''}")
    here = call.turn.agent.name
    others = [name for name in call.context.agents if name != here][:MAX_AGENTS]
    buttons = [
        *(button for name in names for button in _changes(name, settings)),
        *(Button(f"Let {name} answer", f"/agent {name}") for name in others),
        *([Button("As configured", "/settings reset")] if any(name in given for name in names) else []),
    ]
    text = "\n".join([f"**{here}** answers in this chat.", *lines])
    return Reply(text, buttons=tuple(buttons), private=True, in_place=True)


def _changes(name: str, settings: ChatSettings) -> list[Button]:
    """Return a button for each other value that is worth one."""
    offered = {
        "listen": (("addressed", "Listen when addressed"), ("all", "Listen to all")),
        "speakers": (("everybody", "Everybody may speak"), ("known", "Only people let in"), ("owner", "Only me")),
        "silence": ((True, "May keep silent"), (False, "Answer always")),
        "context": ((0, "No context"), (20, "20 messages of context")),
        "streaming": ((True, "Let answers grow"), (False, "Whole answers")),
        "reactions": ((True, "Mark messages"), (False, "No marks")),
    }[name]
    if name == "silence" and settings.listen is Listen.ADDRESSED:
        return []
    choices = ((value, label) for value, label in offered if value != getattr(settings, name))
    return [Button(label, f"/settings {name} {shown(value)}") for value, label in choices]


COMMAND = Command(
    name="settings",
    summary="what holds in this chat: who may speak, what I listen to, what I show",
    usage="/settings [NAME VALUE | reset]",
    example="/settings listen all",
    run=run,
    owner_only=True,
    detail=(
        "It wins over the configuration and holds in all threads of the chat; `/settings reset` takes back what was "
        "set. Which agent answers is changed with `/agent`, what becomes of messages meanwhile with `/queue`."
    ),
    private=True,
)
