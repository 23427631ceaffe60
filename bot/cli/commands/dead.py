"""`scrubjay sessions dead`: messages that could not be answered, and answers that could not be delivered."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bot.cli.client import admin_client
from bot.cli.help import JsonOption, Run, command, group
from bot.texts.catalogue import tr

PAGE = """
What was given up, and how to try it again.

A message is given up when its turn has broken three times over, or when the
process ended in four attempts at it alone; a part of an answer when its
platform will never take it, or it may have arrived already.

Examples:
  scrubjay sessions dead list
  scrubjay sessions dead retry personal:17
"""

app = group("dead", PAGE)


@command(app, "list", above="scrubjay sessions")
async def listing(*, json: JsonOption = False, run: Run) -> None:
    """List what was given up, and why.

    Examples:
      scrubjay sessions dead list
      scrubjay sessions dead list --json | jq -r '.dead[].reason'
    """
    async with admin_client(run) as ask:
        answer = await ask("dead")
    if json:
        run.terminal.json(answer)
        return
    if not answer["dead"]:
        run.terminal.err(tr("Nothing was given up."))
        return
    rows = [(item["id"], item["kind"], item["at"], item["where"], item["reason"]) for item in answer["dead"]]
    run.terminal.table(rows, heads=(tr("id"), tr("what"), tr("since"), tr("where"), tr("why")))


@command(app, above="scrubjay sessions")
async def retry(
    id: Annotated[str, Parameter(help="Its id, such as personal:17, or all.")], /, *, json: JsonOption = False, run: Run
) -> None:
    """Try it again. What tools did stays done; a part of an answer may come twice.

    Examples:
      scrubjay sessions dead retry personal:17
      scrubjay sessions dead retry all
    """
    async with admin_client(run) as ask:
        answer = await ask("retry", wanted=id)
    if json:
        run.terminal.json(answer)
        return
    names = ", ".join(answer["retried"]) or tr("nothing")
    run.terminal.out(tr("Tried again: {names}. It happens while `scrubjay run` runs.", names=names))
