"""What was said in a group before a message to the bot, as a model gets it: data, with the speakers' names."""

from __future__ import annotations

from bot.agent.context.untrusted import boundary, fence, one_line
from bot.texts.formatting import well_formed
from bot.turn import Turn

MAX_CHARS = 8_000
"""Characters of it that are put before a model."""

LABEL = "said in this group before, not to you"


def describe_context(turn: Turn, *, room: int) -> tuple[str, str]:
    """Return what was said before a turn, the newest as far as it fits, and what of that remains for later turns.

    Each message is one line, so that no text can look like another speaker's. Words of people who may not speak to the
    agent there are left out later, as those of quotes are.
    """
    lines = list[str]()
    room = min(MAX_CHARS, room)
    for said in reversed(turn.before):
        when = said.at.astimezone(turn.agent.zone).strftime("%H:%M")
        line = f"[{when}] {one_line(said.name) or 'somebody'}: {' '.join(well_formed(said.text).split())}"
        room -= len(line)
        if room < 0:
            break
        lines.insert(0, line)
    if not lines:
        return "", ""
    text = fence("\n".join(lines), label=LABEL, mark=boundary())
    is_foreign = any(said.is_foreign for said in turn.before)
    return text, "[What was said in the group before this stood here.]" if is_foreign else text
