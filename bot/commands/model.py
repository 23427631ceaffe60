"""`/model`: which models there are, which of them answers here, and choosing another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo

from adapters.port import Button, Suggestion
from bot.agent.runtime import choice
from bot.commands.base import Call, Command, Parameter, Typed, beginning
from bot.formatting import did_you_mean
from bot.llm.retry import ModelState
from bot.turn import Reply

NO_MODEL = "There is no language model here; answers are quotes from memory. `scrubjay init` adds one."
DEFAULT = "default"
MAX_OFFERED = 4
"""Models that have a button."""


async def run(call: Call) -> Reply:
    """List the models, or choose one for this conversation."""
    states, wanted = await call.context.models(call.turn.session), call.argument.casefold()
    if not states:
        return Reply(NO_MODEL)
    if not wanted:
        return _list(states, call.turn.agent.zone)
    names = {DEFAULT: next(state for state in states if state.is_default), **names_of(states)}
    found = {name.casefold(): state for name, state in names.items()}.get(wanted)
    if found is None:
        hint = did_you_mean(call.argument, names) or f"There are: {', '.join(f'`{name}`' for name in names)}."
        return Reply(f"There is no model called `{call.argument}` here. {hint}")
    if found is states[0]:
        return Reply(f"{found.name} answers here already.")
    if found.is_default:
        return Reply(f"{found.name} answers here again.", records=(choice(""),))
    text = f"From now on {found.name} answers in this conversation, until `/model {DEFAULT}` or `/new`."
    if found.outage:
        text += f" Just now it does not: {found.outage.error}"
    return Reply(text, records=(choice(found.name),))


def names_of(states: Sequence[ModelState]) -> dict[str, ModelState]:
    """Return what to type for each model: its name, with the place where it runs if there are several of that name."""
    count = Counter(state.id for state in states)
    return {state.id if count[state.id] == 1 else state.name: state for state in states}


def _list(states: Sequence[ModelState], zone: tzinfo) -> Reply:
    names, first = names_of(states), states[0]
    lines = [f"**{first.name}** answers here:"]
    for number, (name, state) in enumerate(names.items(), 1):
        marks = [
            *(["the default"] if state.is_default else []),
            *(["chosen for this conversation"] if state is first and not state.is_default else []),
            *([_describe_outage(state, zone)] if state.outage else []),
        ]
        lines.append(f"{number}. `{name}`" + (f": {'; '.join(marks)}" if marks else ""))
    if len(states) > 1:
        lines[0] = f"**{first.name}** is asked first here; who does not answer makes room for the next:"
        lines.append(f"`/model NAME` chooses for this conversation, `/model {DEFAULT}` returns to the default.")
    buttons = [Button(f"Use {name}", f"/model {name}") for name, state in names.items() if state is not first]
    return Reply("\n".join(lines), buttons=tuple(buttons[:MAX_OFFERED]), private=True)


def _describe_outage(state: ModelState, zone: tzinfo) -> str:
    if state.outage is None:
        return ""
    when = state.retry if state.left_s else "with the next message"
    since = f"{state.outage.since.astimezone(zone):%Y-%m-%d %H:%M}"
    return f"no answer since {since}, asked again {when}: {state.outage.error.message}"


async def suggest(typed: Typed) -> Sequence[Suggestion]:
    """Suggest the models of the agent."""
    return beginning(typed.text, [DEFAULT, *names_of(await typed.context.models(typed.session))])


COMMAND = Command(
    name="model",
    summary="show the models, or choose one for this conversation",
    usage="/model [NAME | default]",
    example="/model qwen3:8b",
    run=run,
    owner_only=True,
    detail=(
        "The choice holds until `/model default`, or until the conversation ends with `/new`, `/reset` or by itself; a "
        "restart does not end it. While the chosen one does not answer, the others are asked in their order."
    ),
    private=True,
    parameter=Parameter("model", "who is to answer here; without one, all are listed", suggest),
)
