"""`/model`: which models there are, which of them answers here, and choosing another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo

from adapters.port import Button, Suggestion
from bot.agent.runtime import choice
from bot.commands.base import Call, Command, Parameter, Typed, beginning
from bot.llm.retry import ModelState
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import did_you_mean
from bot.turn import Reply

DEFAULT = "default"
MAX_OFFERED = 4
"""Models that have a button."""


async def run(call: Call) -> Reply:
    """List the models, or choose one for this conversation."""
    states, wanted = await call.context.models(call.turn.session), call.argument.casefold()
    if not states:
        return Reply(tr("There is no language model here; answers are quotes from memory. `scrubjay init` adds one."))
    if not wanted:
        return _list(states, call.turn.agent.zone)
    names = {DEFAULT: next(state for state in states if state.is_default), **names_of(states)}
    found = {name.casefold(): state for name, state in names.items()}.get(wanted)
    if found is None:
        listed = ", ".join(f"`{name}`" for name in names)
        hint = did_you_mean(call.argument, names) or tr("There are: {names}.", names=listed)
        return Reply(tr("There is no model called `{argument}` here. {hint}", argument=call.argument, hint=hint))
    if found is states[0]:
        return Reply(tr("{name} answers here already.", name=found.name))
    if found.is_default:
        return Reply(tr("{name} answers here again.", name=found.name), records=(choice(""),))
    text = tr("From now on {name} answers in this conversation, until `/model default` or `/new`.", name=found.name)
    if found.outage:
        text += " " + tr("Just now it does not: {error}", error=found.outage.error.again())
    return Reply(text, records=(choice(found.name),))


def names_of(states: Sequence[ModelState]) -> dict[str, ModelState]:
    """Return what to type for each model: its name, with the place where it runs if there are several of that name."""
    count = Counter(state.id for state in states)
    return {state.id if count[state.id] == 1 else state.name: state for state in states}


def _list(states: Sequence[ModelState], zone: tzinfo) -> Reply:
    names, first = names_of(states), states[0]
    lines = [tr("**{name}** answers here:", name=first.name)]
    for number, (name, state) in enumerate(names.items(), 1):
        marks = [tr("the default")] if state.is_default else []
        marks += [tr("chosen for this conversation")] if state is first and not state.is_default else []
        if outage := state.outage:
            since = f"{outage.since.astimezone(zone):%Y-%m-%d %H:%M}"
            when = state.retry if state.left_s else tr("with the next message")
            said = outage.error.again().message
            marks.append(
                tr("no answer since {since}, asked again {when}: {message}", since=since, when=when, message=said)
            )
        lines.append(f"{number}. `{name}`" + (f": {'; '.join(marks)}" if marks else ""))
    if len(states) > 1:
        lines[0] = tr("**{name}** is asked first here; who does not answer makes room for the next:", name=first.name)
        lines.append(tr("`/model NAME` chooses for this conversation, `/model default` returns to the default."))
    others = [name for name, state in names.items() if state is not first]
    buttons = tuple(Button(tr("Use {name}", name=name), f"/model {name}") for name in others[:MAX_OFFERED])
    return Reply("\n".join(lines), buttons=buttons, private=True)


async def suggest(typed: Typed) -> Sequence[Suggestion]:
    return beginning(typed.text, [DEFAULT, *names_of(await typed.context.models(typed.session))])


COMMAND = Command(
    summary=mark("show the models, or choose one for this conversation"),
    usage=mark("/model [NAME | default]"),
    example="/model qwen3:8b",
    run=run,
    owner_only=True,
    detail=mark(
        "The choice holds until `/model default`, or until the conversation ends with `/new`, `/reset` or by "
        "itself; a restart does not end it. While the chosen one does not answer, the others are asked in "
        "their order."
    ),
    parameter=Parameter("model", mark("who is to answer here; without one, all are listed"), suggest),
)
