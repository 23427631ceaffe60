"""`scrubjay memory forget`: take facts away, here and in the records of conversations."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli import clearing
from bot.cli import memory_views as views
from bot.cli.options import AgentOption, NoInputOption, Run, ScopeOption, YesOption, joined, scope_of
from bot.errors import Missing, Refused, UsageError

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from memory import Line, Memory, Preview, Scope

ACTOR = "owner"
"""Whoever can run a command in the owner's account is the owner."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class How:
    """How it is done."""

    everything: Annotated[
        bool, Parameter(name="--all", negative=(), help="The words are a name: everything about it.")
    ] = False
    purge: Annotated[bool, Parameter(negative=(), help="Leave nothing of it in any file; there is no undo.")] = False
    yes: YesOption = False
    dry_run: Annotated[bool, Parameter(help="Show the lines and keep them.")] = False
    no_input: NoInputOption = False


USUAL = How()


async def forget(
    *wanted: Annotated[str, Parameter(help="An id, a file with a line, or words that find the lines.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    how: How = USUAL,
    run: Run,
) -> None:
    """Take lines out of memory, after showing which.

    Each line becomes an empty comment in its file, and is found no more; what
    notes and conversations repeat of it goes, too. For a day, undo brings the
    lines back. Words that find several facts show them to choose from.

    With --purge there is no undo, and nothing is left of it, not even in unused
    parts of files. Without words, that is done for what was forgotten before.

    Examples:
      scrubjay memory forget ^k3f9a2mq
      scrubjay memory forget memory/2026-11-21.md:12 --yes
      scrubjay memory forget "the old wifi password" --dry-run
      scrubjay memory forget --all Peter --purge
    """
    run.terminal.asks = not how.no_input
    text = joined(wanted)
    if not text and not how.purge:
        raise UsageError("Forget what?", hint="Name an id, a file with a line, or words: scrubjay memory forget --help")
    if how.purge:
        clearing.refuse_beside_chat(run)
    whose, op_id = scope_of(scope), f"cli:{secrets.token_hex(8)}" if text else ""
    async with run.memory(agent, writes=True) as memory:
        forgetting = _Asked(run, memory, whose, how)
        gone = await (forgetting.words(text, op_id) if text else forgetting.before())
        if not gone:
            return
        wholly = clearing.Wholly(whose, op_id) if how.purge else None
        masked = await clearing.carry_out(run, memory, agent, wholly=wholly)
    run.terminal.out(f"{'Forgotten' if text else 'Purged'}: {views.count(len(gone), 'line')}.")
    if masked:
        run.terminal.err(f"Masked: {views.count(masked, 'message')} that repeated it.")
    if how.purge:
        run.terminal.err("Nothing of it is left in Scrubjay's files, and it cannot be brought back.")
    else:
        run.terminal.err(f"Bring it back within a day: scrubjay memory undo{f' --agent {agent}' if agent else ''}")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is shown and asked before anything goes; both methods give the lines that went, none if it was kept."""

    run: Invocation
    memory: Memory
    scope: Scope
    how: How

    async def words(self, text: str, op_id: str) -> Sequence[Line]:
        """Forget what words, a place or an id mean.

        Raises:
            Missing: nothing.
        """
        preview = await self.memory.preview_forget(text, everything=self.how.everything, scope=self.scope, actor=ACTOR)
        if not preview.lines:
            raise Missing(f'Nothing in memory matches "{text}".', hint="Look for its id: scrubjay memory recall ...")
        views.lines(self.run.terminal, preview.lines)
        if preview.notes:
            self.run.terminal.out("and from notes of conversations:")
            views.lines(self.run.terminal, preview.notes)
        only = _chosen(self.run, preview) if preview.choose and not self.how.dry_run else ()
        if (preview.choose and not only) or not (only or self._is_sure(f"Forget {_lines(preview.lines)}?")):
            return self._kept()
        return await self.memory.forget(preview.token, only=only, op_id=op_id, scope=self.scope, actor=ACTOR)

    async def before(self) -> Sequence[Line]:
        """Take what was forgotten and can still be put back.

        Raises:
            Missing: there is none.
        """
        lines = await self.memory.purgeable(scope=self.scope)
        if not lines:
            raise Missing("Nothing that was forgotten can still be brought back.", hint="Name what is to be forgotten.")
        for line in lines:
            self.run.terminal.out(f"{line.path}\n   {line.text}")
        return lines if self._is_sure(f"Leave nothing of {_lines(lines)}?") else self._kept()

    def _is_sure(self, question: str) -> bool:
        return not self.how.dry_run and (self.how.yes or self.run.terminal.confirm(question))

    def _kept(self) -> Sequence[Line]:
        self.run.terminal.err("Kept everything: this was a dry run." if self.how.dry_run else "Kept everything.")
        return ()


def _chosen(run: Invocation, preview: Preview) -> tuple[int, ...]:
    """The numbers of the facts that are meant.

    Raises:
        Refused: nobody is there to say.
        UsageError: what was answered are no numbers.
    """
    if not run.terminal.is_interactive:
        ids = " ".join(f"^{line.id.removeprefix('^')}" for line in preview.lines)
        raise Refused(
            f"{len(preview.lines)} facts may be meant, so nothing was forgotten.", hint=f"Name one by its id: {ids}"
        )
    answer = run.terminal.ask("Which of them? Numbers, or nothing:").replace(",", " ").split()
    if not all(number.isdecimal() and 1 <= int(number) <= len(preview.lines) for number in answer):
        raise UsageError("These are no numbers of the list, so nothing was forgotten.", hint="Answer 1, or 1 3.")
    return tuple(dict.fromkeys(map(int, answer)))


def _lines(lines: Sequence[Line]) -> str:
    return views.count(len(lines), "line")
