"""`scrubjay memory forget`, `scrubjay purge-person`: take out lines, or all that a person said, wherever it lies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import JSON, OWNERS, Answer, NoInputOption, Run, Whose, YesOption, joined, single
from bot.cli.invocation import Invocation
from bot.cli.state import open_records
from bot.errors import Locked, Missing, Refused, UsageError
from bot.system import instance
from bot.texts.catalogue import tr, trn
from memory import OWNER, Line, Memory, Preview, Scope

if TYPE_CHECKING:
    from bot.sessions.purge import PurgePlan


async def forget(
    *wanted: Annotated[str, Parameter(help="An id or link, a file with a line, or words that find the lines.")],
    whose: Whose = OWNERS,
    everything: Annotated[bool, Parameter(name="--all", help="The words are a name: everything about it.")] = False,
    purge: Annotated[bool, Parameter(help="Leave nothing of it in any file; there is no undo.")] = False,
    yes: YesOption = False,
    dry_run: Annotated[bool, Parameter(help="Show the lines and keep them.")] = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Take lines out of memory, after showing which.

    Each line becomes a comment without its words, and is found no more; what
    notes and conversations repeat of it goes, too. For a day, undo brings the
    lines back. Words that find several facts show them to choose from.

    With --purge there is no undo, and nothing is left of it, not even in unused
    parts of files. Without words, it is done for what was forgotten or undone.

    Examples:
      scrubjay memory forget ^k3f9a2mq
      scrubjay memory forget memory/2026-11-21.md:12 --yes
      scrubjay memory forget "the old wifi password" --dry-run
      scrubjay memory forget --all Peter --purge
    """
    run.terminal.asks = not no_input
    text = joined(wanted)
    if not text and not purge:
        message = tr("Forget what?")
        raise UsageError(message, hint=tr("Name an id, a file with a line, or words: scrubjay memory forget --help"))
    holder = instance.holder(run.home) if purge else None
    if holder and not run.home.control.exists():  # a chat in a terminal, and only it can clear its records
        raise Locked(
            tr("The records of conversations are open elsewhere ({holder}), so nothing was forgotten.", holder=holder),
            hint=tr("Type it there: /forget --purge WORDS. Or end it first."),
        )
    name, op_id = run.config.agent(whose.agent), new_operation() if text else ""
    async with run.memory(whose.agent, writes=True) as memory:
        forgetting = _Forgetting(run, memory, name, whose.scope, op_id, is_agreed=yes, is_dry=dry_run)
        gone = await (forgetting.words(text, everything=everything) if text else forgetting.before())
        if not gone:
            return
        masked = await forgetting.mask_records(purge=purge)
    run.terminal.out(
        trn("Forgotten: {count:,} line.", "Forgotten: {count:,} lines.", len(gone))
        if text
        else trn("Purged: {count:,} line.", "Purged: {count:,} lines.", len(gone))
    )
    if masked:
        run.terminal.err(
            trn("Masked: {count:,} message that repeated it.", "Masked: {count:,} messages that repeated it.", masked)
        )
    if purge:
        run.terminal.err(tr("Nothing of it is left in Scrubjay's files, and it cannot be brought back."))
    else:
        undone = f"scrubjay memory undo{f' --agent {whose.agent}' if whose.agent else ''}"
        run.terminal.err(tr("Bring it back within a day: {command}", command=undone))


@dataclass(frozen=True, slots=True)
class _Forgetting:
    """What is shown and asked before anything goes, and masked after it.

    `words` and `before` give the lines that went, none if it was kept; `op_id` is empty for what went before.
    """

    run: Invocation
    memory: Memory
    agent: str
    scope: Scope
    op_id: str
    is_agreed: bool
    is_dry: bool

    async def words(self, text: str, *, everything: bool) -> Sequence[Line]:
        """Forget what words, a place or an id mean; raises `Missing` if that is nothing."""
        preview = await self.memory.preview_forget(text, everything=everything, scope=self.scope, actor=ACTOR)
        if not preview.lines:
            message = tr('Nothing in memory matches "{text}".', text=text)
            raise Missing(message, hint=tr("Look for its id: scrubjay memory recall ..."))
        output.print_lines(self.run.terminal, preview.lines)
        if preview.notes:
            self.run.terminal.out(tr("and from notes of conversations:"))
            output.print_lines(self.run.terminal, preview.notes)
        only: tuple[int, ...] = ()
        if preview.choose:
            only = () if self.is_dry else _chosen(self.run, preview)
            is_agreed = bool(only)
        else:
            is_agreed = self._is_sure(trn("Forget {count:,} line?", "Forget {count:,} lines?", len(preview.lines)))
        if not is_agreed:
            return self._kept()
        return await self.memory.forget(preview.token, only=only, op_id=self.op_id, scope=self.scope, actor=ACTOR)

    async def before(self) -> Sequence[Line]:
        """Take what was forgotten or taken back and is still in the journal; raises `Missing` if there is nothing."""
        lines = await self.memory.purgeable(scope=self.scope)
        if not lines:
            message = tr("Nothing that was forgotten or taken back is left.")
            raise Missing(message, hint=tr("Name what is to be forgotten."))
        for line in lines:
            self.run.terminal.out(f"{line.path}\n   {line.text}")
        question = trn("Leave nothing of {count:,} line?", "Leave nothing of {count:,} lines?", len(lines))
        return lines if self._is_sure(question) else self._kept()

    async def mask_records(self, *, purge: bool) -> int:
        """Mask in the records what memory has forgotten; how many messages and answers changed, 0 if that is unknown.

        A chat in a terminal does it by itself with its next turn; that is said.

        Raises:
            Unreachable: a service runs and does not answer.
            BotError: the records cannot be written.
        """
        from bot.service import control
        from bot.storage.database import is_there

        home = self.run.home
        if instance.serves(home):
            about = {"scope": self.scope, "op_id": self.op_id} if purge else {}
            answer = await control.ask(home.control, "forgotten", agent=self.agent, wholly=purge, **about)
            return 0 if purge else int(answer["count"])
        if not is_there(self.run.state):
            if purge:
                await self.memory.purge(at_once=True, scope=self.scope, op_id=self.op_id)
            return 0
        try:
            return await self._mask_here(purge=purge)
        except Locked:
            self.run.terminal.err(tr("A chat is open: it masks what it repeats of this with its next turn."))
            return 0

    async def _mask_here(self, *, purge: bool) -> int:
        """Mask in the records while this command holds them; raises `Locked` if another process does."""
        from bot.sessions.forgetting import Forgetting
        from bot.sessions.redaction import ConversationRecords
        from bot.turn import Agent

        run = self.run
        async with open_records(run, command="memory forget") as records:
            core = records.coordinator
            forgetting = Forgetting(ConversationRecords(core, records.derived, backups=run.home.database), core.marks)
            about = run.config.agents[self.agent].about
            agent = Agent(self.agent, about, self.memory, run.config.owner.zone, run.clock)
            masked = await forgetting.catch_up(agent)
            if purge:
                await forgetting.purge(agent, scope=self.scope, op_id=self.op_id)
            return masked

    def _is_sure(self, question: str) -> bool:
        return not self.is_dry and (self.is_agreed or self.run.terminal.confirm(question))

    def _kept(self) -> Sequence[Line]:
        self.run.terminal.err(tr("Kept everything: this was a dry run.") if self.is_dry else tr("Kept everything."))
        return ()


def _chosen(run: Invocation, preview: Preview) -> tuple[int, ...]:
    """The numbers of the facts that are meant.

    Raises:
        Refused: nobody is there to say.
        UsageError: what was answered are no numbers.
    """
    if not run.terminal.is_interactive:
        ids = " ".join(f"^{line.id.removeprefix('^')}" for line in preview.lines)
        message = tr("{count} facts may be meant, so nothing was forgotten.", count=len(preview.lines))
        raise Refused(message, hint=tr("Name one by its id: {ids}", ids=ids))
    answer = run.terminal.ask(tr("Which of them? Numbers, or nothing:")).replace(",", " ").split()
    if not all(number.isdecimal() and 1 <= int(number) <= len(preview.lines) for number in answer):
        message = tr("These are no numbers of the list, so nothing was forgotten.")
        raise UsageError(message, hint=tr("Answer 1, or 1 3."))
    return tuple(dict.fromkeys(map(int, answer)))


async def purge_person(
    who: Annotated[str, Parameter(help="Any of their identities, such as telegram:12345.")],
    /,
    *,
    yes: YesOption = False,
    dry_run: Annotated[bool, Parameter(help="Show what there is and keep it.")] = False,
    no_input: NoInputOption = False,
    run: Run,
) -> Answer:
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
    from bot.sessions.purge import PersonPurge
    from bot.storage.objects import SharedFiles

    run.terminal.asks = not no_input
    _check(run, who)
    async with AsyncExitStack() as stack:
        records = await stack.enter_async_context(open_records(run, command="purge-person"))
        memories = {name: await stack.enter_async_context(run.memory(name, writes=True)) for name in run.config.agents}
        core, shared = records.coordinator, SharedFiles.at(run.config.store.objects)
        purge = PersonPurge(core, run.home, records.of_sessions, memories, shared)
        plan = await purge.plan(who)
        paired = (person.identity for person in core.register.people if person.role == "owner")
        owners = {*run.config.access.owners, "terminal:owner", *paired}
        if owners & plan.person.ids:
            message = tr("{who} is you, the owner, so nothing was removed.", who=who)
            raise Refused(message, hint=tr("To begin anew, move the home away: scrubjay paths"))
        _print(run, who, plan)
        question = tr("There is no undo. Type {who} to remove all of it:", who=who)
        is_done = not dry_run and (plan.is_empty or yes or run.terminal.ask(question) == who)
        if is_done:
            await purge.carry_out(plan)
    return _report(run, who, plan, is_done=is_done, dry_run=dry_run)


app = single("purge-person", purge_person, json=JSON)


def _check(run: Invocation, who: str) -> None:
    """Refuse what is no identity, and a home that is in use.

    Raises:
        UsageError: it is none.
        Locked: a service or a chat runs.
    """
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
        run.terminal.note(tr("To forget one of them: /forget in the chat, or scrubjay memory forget ^ID --purge"))


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


def _report(run: Invocation, who: str, plan: PurgePlan, *, is_done: bool, dry_run: bool) -> Answer:
    """Say what was done, and where else something of them lies."""
    from bot.backup.catalog import backup_folder, backups

    folder = backup_folder(run.home, run.config.jobs.backup)
    older = backups(folder)
    known = run.config.workspaces(run.home).values()
    folders = run.home.workspaces.iterdir() if run.home.workspaces.is_dir() else ()
    strangers = sorted(str(folder) for folder in folders if folder.is_dir() and folder not in known)
    about = {
        agent: [
            {"id": line.id, "path": line.path, "line": line.number, "text": line.text, "scope": scope}
            for line, scope in lines.items()
        ]
        for agent, lines in plan.about.items()
    }
    counts = {kind: plan.counts.get(kind, 0) for kind in _kinds()}
    answer = {"who": who, "identities": sorted(plan.person.ids), "done": is_done, "counts": counts, "about": about}
    answer |= {"backups": len(older), "folder": str(folder), "unknown": strangers}
    if dry_run and plan.is_empty:
        run.terminal.note(tr("Nothing of {who} is here. /whoami and scrubjay pair list show identities.", who=who))
    elif dry_run:
        run.terminal.note(tr("Kept everything: this was a dry run."))
    elif not is_done:
        run.terminal.note(tr("Kept everything."))
        return answer
    elif plan.is_empty:
        run.terminal.note(
            tr("Nothing of {who} is here. What was removed before was cleared out of all files.", who=who)
        )
    else:
        run.terminal.note(tr("Nothing that {who} said is left in this home.", who=who))
    if older:
        run.terminal.note(
            trn(
                "{count} backup in {folder} is older than this and may still hold it; remove it, or let it run out.",
                "{count} backups in {folder} are older than this and may still hold it; remove them, or let them "
                "run out.",
                len(older),
                folder=folder,
            )
        )
    if plan.person.ids & {*run.config.access.guests}:
        run.terminal.note(tr("The configuration names them under access.guests: scrubjay config edit"))
    for path in strangers:
        run.terminal.note(tr("{folder} belongs to no agent of the configuration and was not looked at.", folder=path))
    return answer
