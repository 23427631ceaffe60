"""`scrubjay pair`: let people in."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, Run, command, group
from bot.cli.state import admin_client
from bot.texts.catalogue import tr
from bot.texts.formatting import with_weekday

PAGE = """
Let people in.

Whom the bot does not know gets a code, and nothing else. It holds for an hour.
Three wait at a time on each bot account; who comes later takes the place of
the oldest, once that one has had five minutes.

Examples:
  scrubjay pair list
  scrubjay pair approve K7MRA3XQ
  scrubjay pair revoke telegram:12345
  scrubjay pair invite
"""

app = group("pair", PAGE)


@command(app, "list", json=JSON)
async def listing(*, run: Run) -> Answer:
    """List who waits with a code, and who was let in by one.

    Examples:
      scrubjay pair list
      scrubjay pair list --json | jq -r '.waiting[].code'
    """
    async with admin_client(run) as ask:
        answer = await ask("people")
    zone = run.use_owner_language().owner.zone
    waiting = [
        (row["code"], row["who"], tr("until {when}", when=with_weekday(row["until"], zone)), row["name"])
        for row in answer["waiting"]
    ]
    people = [
        (tr(row["role"]), row["who"], tr("since {when}", when=with_weekday(row["since"], zone)), row["name"])
        for row in answer["people"]
    ]
    heads = (tr("code or role"), tr("who"), "", tr("name"))
    lack = tr("Nobody waits, and nobody was let in by a code.")
    run.terminal.table([*waiting, *people], heads=heads, lack=lack)
    return answer


@command(app, json=JSON)
async def approve(
    code: Annotated[str, Parameter(help="The code that they were told.")],
    /,
    *,
    owner: Annotated[bool, Parameter(help="It is you: they may do everything.")] = False,
    run: Run,
) -> Answer:
    """Let the person with this code in: as a guest, or as yourself with --owner.

    A guest talks to the agents, and sees nothing of yours. They are told that
    they are let in.

    Examples:
      scrubjay pair approve K7MRA3XQ
      scrubjay pair approve K7MRA3XQ --owner
    """
    async with admin_client(run) as ask:
        answer = await ask("approve", code=code, role="owner" if owner else "guest")
    name, who, role = answer["name"], answer["who"], tr(answer["role"])
    told = tr("{name} ({who}) is let in as {role}.", name=name, who=who, role=role)
    run.terminal.out(f"{told}\n{tr('To undo it: scrubjay pair revoke {who}', who=who)}")
    return answer


@command(app, json=JSON)
async def revoke(
    who: Annotated[str, Parameter(help="Their identity, such as telegram:12345.")], /, *, run: Run
) -> Answer:
    """Let a person in no longer.

    Examples:
      scrubjay pair revoke telegram:12345
    """
    async with admin_client(run) as ask:
        answer = await ask("revoke", who=who)
    run.terminal.out(tr("{who} is let in no longer, unless config.yaml names them.", who=answer["who"]))
    return answer


@command(app, json=JSON)
async def invite(*, run: Run) -> Answer:
    """Show a new code for each bot account: who sends it there is the owner.

    It holds for an hour while the service runs; the one before holds no longer.

    Examples:
      scrubjay pair invite
    """
    async with admin_client(run) as ask:
        answer = await ask("invite")
    rows = [(invitation["account"], invitation["code"]) for invitation in answer["invitations"]]
    run.terminal.table(rows, heads=(tr("bot account"), tr("send this to it")))
    return answer
