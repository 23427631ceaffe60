"""The commands that change a memory: remember, undo, index."""

from __future__ import annotations

import dataclasses
import secrets
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot import meaning
from bot.cli import memory_views as views
from bot.cli.memory_forget import ACTOR
from bot.cli.options import (
    AgentOption,
    JsonOption,
    NoInputOption,
    Run,
    ScopeOption,
    joined,
    scope_of,
)
from bot.errors import Refused, UsageError

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from memory import Memory, Scope, Written


async def remember(
    *text: Annotated[str, Parameter(help="A sentence that can be understood by itself.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    keep_secrets: Annotated[bool, Parameter(help="Keep what looks like a password or a key, too.")] = False,
    json: JsonOption = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Write something down to the letter, so that it is found again.

    Without words, every line of standard input is one thing to remember.
    What looks like a password, a key or a card number is asked about first.
    When the command says "Noted", it is on disk.

    Examples:
      scrubjay memory remember The spare key is under the blue pot.
      scrubjay memory remember "@Peter prefers short mails." --agent work
      scrubjay memory remember < facts.txt
    """
    run.terminal.asks = not no_input
    sayings = [" ".join(text)] if joined(text) else _piped(run)
    written = []
    async with run.memory(agent, writes=True) as memory:
        for saying in sayings:
            receipt = await _noted(run, memory, saying, scope=scope_of(scope), keep_secrets=keep_secrets)
            written.append(receipt)
            if not json:
                views.noted(run.terminal, receipt)
    if json:
        run.terminal.json({"written": [views.written_json(receipt) for receipt in written]})
    else:
        run.terminal.err(f"Take it back with: scrubjay memory undo{_to(agent)}")


async def undo(
    count: Annotated[int, Parameter(help="How many writes, newest first.")] = 1,
    /,
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    json: JsonOption = False,
    run: Run,
) -> None:
    """Take back the last writes.

    What was remembered goes, what was forgotten comes back.

    Examples:
      scrubjay memory undo
      scrubjay memory undo 3 --agent work
    """
    if count < 1:
        raise UsageError(f"{count} writes cannot be undone.", hint="Give 1 or more.")
    async with run.memory(agent, writes=True) as memory:
        undone = await memory.undo(count, op_id=_op_id(), scope=scope_of(scope), actor=ACTOR)
    if json:
        run.terminal.json({"undone": [dataclasses.asdict(one) for one in undone]})
    else:
        views.undone(run.terminal, undone)


async def index(
    *,
    rebuild: Annotated[bool, Parameter(help="Build it from zero; the old one serves meanwhile.")] = False,
    agent: AgentOption = None,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Bring the index up to date with the files, and embed what waits for it.

    It happens by itself: the first whenever a memory is opened, the second
    while Scrubjay runs. This is for scripts. What was embedded once is kept;
    break it off with Ctrl-C, and it goes on from there.

    Examples:
      scrubjay memory index
      scrubjay memory index --rebuild --agent work
    """
    async with run.memory(agent, writes=True) as memory:
        with run.terminal.progress("Indexing") as progress:
            done = await (memory.rebuild if rebuild else memory.sync)(progress=progress)
        with run.terminal.progress("Embedding", of="passages") as progress:
            await memory.embed(progress=progress)
        stands = await memory.status()
    if json:
        run.terminal.json(dataclasses.asdict(done) | {"mode": stands.mode, "embedded": stands.embedded})
    else:
        views.synced(run.terminal, done)
        run.terminal.out(meaning.told(stands))


def _piped(run: Invocation) -> list[str]:
    if run.terminal.is_interactive:
        run.terminal.err("One thing to remember per line; end with Ctrl-D.")
    sayings = run.terminal.lines()
    if not sayings:
        raise UsageError("There is nothing to remember.", hint='Try: scrubjay memory remember "The key is with Ana."')
    return sayings


async def _noted(run: Invocation, memory: Memory, saying: str, *, scope: Scope, keep_secrets: bool) -> Written:
    from memory import Origin
    from memory.errors import SecretFound

    remember = partial(memory.remember, saying, origin=Origin.OWNER, scope=scope, op_id=_op_id(), actor=ACTOR)
    try:
        return await remember(keep_secrets=keep_secrets)
    except SecretFound as found:
        if found.is_registered or not run.terminal.is_interactive:
            hint = "" if found.is_registered else "To keep it all the same, add --keep-secrets."
            raise Refused(found.message, hint=hint or found.hint) from found
        if not run.terminal.confirm(f"This looks like it holds {found.what}. Keep it in the notes?"):
            raise Refused("Nothing was noted.") from found
    return await remember(keep_secrets=True)


def _op_id() -> str:
    return f"cli:{secrets.token_hex(8)}"


def _to(agent: str | None) -> str:
    return f" --agent {agent}" if agent else ""
