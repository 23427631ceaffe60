"""`scrubjay purge-person`: remove all that a person said, wherever it lies."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import JsonOption, NoInputOption, Run, YesOption, single
from bot.cli.invocation import Invocation
from bot.cli.state import open_records
from bot.errors import Locked, Refused, UsageError
from bot.texts.catalogue import tr, trn
from memory import OWNER

if TYPE_CHECKING:
    from bot.sessions.purge import PurgePlan


async def purge_person(
    who: Annotated[str, Parameter(help="Any of their identities, such as telegram:12345.")],
    /,
    *,
    yes: YesOption = False,
    dry_run: Annotated[bool, Parameter(help="Show what there is and keep it.")] = False,
    json: JsonOption = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Remove all that a person said.

    Their private conversations go, and what they told, sent and asked to be
    reminded of. In groups their words are masked, and what others said stays.
    So does what others told about them: that is named.

    It is shown first, and done when their identity is typed again. There is no
    undo. Stop the service before.

    Examples:
      scrubjay purge-person telegram:12345 --dry-run
      scrubjay purge-person telegram:12345
      scrubjay purge-person discord:80351110224678912 --yes --json
    """
    from bot.pipeline.attachments import safe_name
    from bot.sessions.purge import PersonPurge
    from bot.storage.objects import SharedFiles

    run.terminal.asks = not no_input
    _check(run, who)
    async with AsyncExitStack() as stack:
        records = await stack.enter_async_context(open_records(run, command="purge-person"))
        memories = {name: await stack.enter_async_context(run.memory(name, writes=True)) for name in run.config.agents}
        core = records.coordinator
        purge = PersonPurge(
            core,
            records.remove_derived,
            memories,
            sent=run.home.files,
            unreadable=run.home.state / "unreadable",
            turn_folder=safe_name,
            shared=SharedFiles.at(run.config.store.objects),
            backups=run.home.database,
        )
        plan = await purge.plan(who)
        paired = (person.identity for person in core.register.people if person.role == "owner")
        owners = {*run.config.access.owners, "terminal:owner", *paired}
        if owners & plan.person.ids:
            message = tr("{who} is you, the owner, so nothing was removed.", who=who)
            raise Refused(message, hint=tr("To begin anew, move the home away: scrubjay paths"))
        if not json:
            _print(run, who, plan)
        question = tr("There is no undo. Type {who} to remove all of it:", who=who)
        is_done = not dry_run and (plan.is_empty or yes or run.terminal.ask(question) == who)
        if is_done:
            await purge.carry_out(plan)
    _report(run, who, plan, is_done=is_done, dry_run=dry_run, json=json)


app = single("purge-person", purge_person)


def _check(run: Invocation, who: str) -> None:
    """Refuse what is no identity, and a home that is in use.

    Raises:
        UsageError: it is none.
        Locked: a service or a chat runs.
    """
    from bot.system import instance

    run.use_owner_language()
    platform, colon, number = who.partition(":")
    if not (platform and colon and number) or who != who.strip():
        message = tr('"{who}" is no identity.', who=who)
        raise UsageError(message, hint=tr("Write it as /whoami and scrubjay pair list show it: telegram:12345"))
    if holder := instance.holder(run.home):
        message = tr("Scrubjay runs on this home ({holder}), so nothing was removed.", holder=holder)
        hint = tr("Stop it first, then repeat this: what runs would write again what is removed here.")
        raise Locked(message, hint=hint)


def _print(run: Invocation, who: str, plan: PurgePlan) -> None:
    names = ", ".join(sorted(plan.person.names))
    run.terminal.out(f"{who} ({names})" if names else who)
    rows = [(f"{plan.counts.get(kind, 0):,}", told) for kind, told in _kinds().items() if plan.counts.get(kind)]
    if rows:
        run.terminal.table(rows, heads=("", ""))
    for agent, lines in plan.about.items():
        if lines:
            run.terminal.out(
                trn(
                    "{agent} knows {count} thing about them that they did not tell; it stays:",
                    "{agent} knows {count} things about them that they did not tell; they stay:",
                    len(lines),
                    agent=agent,
                )
            )
        for line, scope in lines.items():
            where = "" if scope == OWNER else f"  (--scope {scope})"
            run.terminal.out(f"  {line.path}:{line.number}  {line.text}{where}")
    if any(plan.about.values()):
        run.terminal.err(tr("To forget one of them: /forget in the chat, or scrubjay memory forget ^ID --purge"))


def _kinds() -> dict[str, str]:
    """Return what is counted, in words."""
    return {
        "conversations": tr("private conversations, removed whole"),
        "entries": tr("entries in them"),
        "messages": tr("messages of theirs in groups, masked"),
        "repetitions": tr("other texts that repeat or name them, masked"),
        "answers": tr("answers to them that went out or wait, removed"),
        "facts": tr("facts that they told, forgotten for good"),
        "files": tr("folders and files that they sent, removed"),
        "reminders": tr("reminders of theirs, removed"),
        "waiting": tr("messages that wait for an answer, removed"),
        "dead": tr("messages that were given up, removed"),
        "access": tr("notes on who they are and what they used, removed"),
    }


def _report(run: Invocation, who: str, plan: PurgePlan, *, is_done: bool, dry_run: bool, json: bool) -> None:
    """Say what was done, and where else something of them lies."""
    from bot.backup.catalog import backup_folder, backups

    folder = backup_folder(run.home, run.config.jobs.backup)
    older = backups(folder)
    known = run.config.workspaces(run.home).values()
    folders = run.home.workspaces.iterdir() if run.home.workspaces.is_dir() else ()
    strangers = sorted(str(folder) for folder in folders if folder.is_dir() and folder not in known)
    if json:
        about = {
            agent: [
                {"id": line.id, "path": line.path, "line": line.number, "text": line.text, "scope": scope}
                for line, scope in lines.items()
            ]
            for agent, lines in plan.about.items()
        }
        counts = {kind: plan.counts.get(kind, 0) for kind in _kinds()}
        run.terminal.json(
            {"who": who, "identities": sorted(plan.person.ids), "done": is_done, "counts": counts, "about": about}
            | {"backups": len(older), "folder": str(folder), "unknown": strangers}
        )
        return
    if dry_run and plan.is_empty:
        run.terminal.err(tr("Nothing of {who} is here. /whoami and scrubjay pair list show identities.", who=who))
    elif dry_run:
        run.terminal.err(tr("Kept everything: this was a dry run."))
    elif not is_done:
        run.terminal.err(tr("Kept everything."))
        return
    elif plan.is_empty:
        run.terminal.err(tr("Nothing of {who} is here. What was removed before was cleared out of all files.", who=who))
    else:
        run.terminal.err(tr("Nothing that {who} said is left in this home.", who=who))
    if older:
        run.terminal.err(
            trn(
                "{count} backup in {folder} is older than this and may still hold it; remove it, or let it run out.",
                "{count} backups in {folder} are older than this and may still hold it; remove them, or let them "
                "run out.",
                len(older),
                folder=folder,
            )
        )
    if plan.person.ids & {*run.config.access.guests}:
        run.terminal.err(tr("The configuration names them under access.guests: scrubjay config edit"))
    for path in strangers:
        run.terminal.err(tr("{folder} belongs to no agent of the configuration and was not looked at.", folder=path))
