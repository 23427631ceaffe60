"""`/settings`: what holds in this chat, and changing it."""

from __future__ import annotations

from adapters.port import Button, ChatKind
from bot.access.chat_settings import ChatSettings, Listen, changed, shown
from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

MAX_AGENTS = 3
"""Other agents that have a button."""

IN_PRIVATE = ("streaming", "reactions")
"""What means something in a chat with one person."""

ABOUT = {
    "listen addressed": mark("I listen to what is said to me: mentions, replies, commands."),
    "listen all": mark("I listen to everything."),
    "speakers everybody": mark("Everybody here may speak to me."),
    "speakers known": mark("Only people who were let in may speak to me."),
    "speakers owner": mark("Only you may speak to me."),
    "silence on": mark("What is not said to me I may leave unanswered."),
    "silence off": mark("I answer everything that I listen to."),
    "context 0": mark("I am not given what was said before a message to me."),
    "streaming on": mark("Answers grow while they are written."),
    "streaming off": mark("Answers come when they are whole."),
    "reactions on": mark("Messages are marked with how far their answer has come."),
    "reactions off": mark("Messages are not marked."),
}
"""What each value of a setting means."""
NAMES = tuple(dict.fromkeys(known.partition(" ")[0] for known in ABOUT))
PRIVACY = mark(
    "Telegram shows me what is not said to me only if I am an administrator here or my privacy mode is off: "
    "@BotFather, /setprivacy, Disable; then remove me from the group and add me again."
)
CONTEXT = mark("I am given up to {count} messages that were said before one to me.")


async def run(call: Call) -> Reply:
    """Show the settings of this chat, or change one of them."""
    access, register, to = call.context.access, call.context.register, call.turn.session.address
    names = IN_PRIVATE if to.kind is ChatKind.PRIVATE else NAMES
    match call.argument.casefold().split():
        case []:
            pass
        case ["reset"]:
            for name in names:
                await register.set(to, name, None)
        case [name, value] if name in names:
            try:
                changed(access.settings(to), {name: value})
            except ValueError:
                text = tr("`{name}` takes no such value. `/settings` shows what there is.", name=name)
                return Reply(text, private=True)
            await register.set(to, name, value)
        case _:
            known = ", ".join(f"`{name}`" for name in names)
            usage = COMMAND.argument
            text = tr("Say which of {known}, and its value: `/settings {argument}`", known=known, argument=usage)
            return Reply(text, private=True)
    settings, given = access.settings(to), register.settings(to)
    lines = []
    for name in names:
        value = shown(getattr(settings, name))
        fixed = ABOUT.get(f"{name} {value}")
        about = tr(fixed) if fixed else tr(CONTEXT, count=value)
        lines.append(f"- {about} `{name} {value}`{' ' + tr('(set here)') if name in given else ''}")
    if to.platform == "telegram" and to.kind is ChatKind.GROUP and (settings.listen is Listen.ALL or settings.context):
        lines += ["", tr(PRIVACY)]
    here = call.turn.agent.name
    others = [name for name in call.context.agents if name != here][:MAX_AGENTS]
    buttons = [
        *(button for name in names for button in _changes(name, settings)),
        *(Button(tr("Let {name} answer", name=name), f"/agent {name}") for name in others),
        *([Button(tr("As configured"), "/settings reset")] if any(name in given for name in names) else []),
    ]
    text = "\n".join([tr("**{here}** answers in this chat.", here=here), *lines])
    return Reply(text, buttons=tuple(buttons), private=True, in_place=True)


def _changes(name: str, settings: ChatSettings) -> list[Button]:
    """Return a button for each other value that is worth one."""
    offered = {
        "listen": (("addressed", tr("Listen when addressed")), ("all", tr("Listen to all"))),
        "speakers": (
            ("everybody", tr("Everybody may speak")),
            ("known", tr("Only people let in")),
            ("owner", tr("Only me")),
        ),
        "silence": ((True, tr("May keep silent")), (False, tr("Answer always"))),
        "context": ((0, tr("No context")), (20, tr("20 messages of context"))),
        "streaming": ((True, tr("Let answers grow")), (False, tr("Whole answers"))),
        "reactions": ((True, tr("Mark messages")), (False, tr("No marks"))),
    }[name]
    if name == "silence" and settings.listen is Listen.ADDRESSED:
        return []
    choices = ((value, label) for value, label in offered if value != getattr(settings, name))
    return [Button(label, f"/settings {name} {shown(value)}") for value, label in choices]


COMMAND = Command(
    summary=mark("what holds in this chat: who may speak, what I listen to, what I show"),
    usage=mark("/settings [NAME VALUE | reset]"),
    example="/settings listen all",
    run=run,
    owner_only=True,
    is_shared=True,
    detail=mark(
        "It wins over the configuration and holds in all threads of the chat; `/settings reset` takes back "
        "what was set. Which agent answers is changed with `/agent`, what becomes of messages meanwhile with "
        "`/queue`."
    ),
)
