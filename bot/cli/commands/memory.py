"""`scrubjay memory`: look into what an agent remembers, and change it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from cyclopts import Parameter

from bot.cli import memory_output as output
from bot.cli.commands import knowledge, life
from bot.cli.commands.knowledge import ACTOR, new_operation
from bot.cli.help import (
    ANYTHING,
    AgentOption,
    CountOption,
    FilterArguments,
    JsonOption,
    LimitOption,
    NoInputOption,
    Run,
    ScopeOption,
    WordsOption,
    YesOption,
    command,
    group,
    joined,
    most_passages,
    scope_of,
)
from bot.cli.invocation import Invocation
from bot.cli.state import open_records
from bot.errors import Locked, Missing, Refused, UsageError
from bot.system import instance
from bot.texts import receipts
from bot.texts.catalogue import tr, trn
from bot.texts.memory import of_memory
from memory import Hit, Line, Memory, Origin, Preview, Scope, Written
from memory.errors import NotFound, SecretFound

ID = re.compile(r"\^?[a-z0-9]{6,}")


async def recall(
    *question: Annotated[str, Parameter(help="What you want to know.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: LimitOption = None,
    narrowed: FilterArguments = ANYTHING,
    words: WordsOption = False,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Find what an agent remembers, and where it stands.

    Ask in your own words and in any language; the question needs no quotes.
    Without a question, the newest facts are listed that the options leave.

    Examples:
      scrubjay memory recall where is the spare key
      scrubjay memory recall "Andy's birthday" --agent work --limit 3
      scrubjay memory search "blue pot" --words
      scrubjay memory recall "replies" --entity Peter --kind opinion --since 30d
      scrubjay memory recall "where is he?" --entity Peter --as-of 2025-11-27
      scrubjay memory recall "blue pot" --json | jq -r '.hits[].source'
    """
    text, where = joined(question), narrowed.resolve(run)
    if not text and narrowed == ANYTHING:
        raise UsageError(tr("There is no question."), hint=tr('Try: scrubjay memory recall "where is the spare key?"'))
    options = run.config.memory_of(run.config.agent(agent)).recall
    most = most_passages(limit, options.limit)
    whose, room = scope_of(scope), options.budget_chars
    async with run.memory(agent, by_words=words) as memory, run.told(agent, by_words=words) as told:
        if told:
            from bot.sessions.told import search_with_sessions

            search = partial(search_with_sessions, memory, told, text)
            recalled = (await search(scope=whose, limit=most, budget_chars=room, where=where)).joined()
        else:
            recalled = await memory.recall(text, scope=whose, limit=most, budget_chars=room, where=where)
    if json:
        run.terminal.json(output.recall_json(recalled))
    else:
        output.print_recall(run.terminal, recalled)


async def explain(
    *wanted: Annotated[str, Parameter(help="A question, or the id of an entry.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: LimitOption = None,
    narrowed: FilterArguments = ANYTHING,
    words: WordsOption = False,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show why something is found, and what nearly was.

    A table has every part of every score.
    With an id instead of a question, show everything about that one entry.

    Examples:
      scrubjay memory explain "where is the spare key?"
      scrubjay memory explain ^k3f9a2mq
    """
    text = joined(wanted)
    if not text:
        raise UsageError(tr("Explain what?"), hint=tr('Try: scrubjay memory explain "where is the spare key?"'))
    options = run.config.memory_of(run.config.agent(agent)).recall
    async with run.memory(agent, by_words=words) as memory:
        hit = await _by_id(memory, text, scope_of(scope))
        if hit is not None:
            if json:
                run.terminal.json(output.hit_json(hit))
            else:
                from bot.sessions.tracing import trace_fact

                output.print_entry(run.terminal, hit, run.config.owner.zone)
                async with run.transcripts() as reader:
                    zone = run.config.owner.zone
                    run.terminal.out(await trace_fact(memory, hit, reader, run.config.agent(agent), zone=zone))
            return
        most = most_passages(limit, options.limit)
        where, room = narrowed.resolve(run), options.budget_chars
        recalled = await memory.recall(text, scope=scope_of(scope), limit=most, budget_chars=room, where=where)
    if json:
        near = [output.hit_json(other) for other in recalled.near]
        run.terminal.json(output.recall_json(recalled) | {"near": near})
    else:
        output.print_explanation(run.terminal, recalled, run.config.owner.zone)


async def listing(
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    limit: CountOption = 20,
    json: JsonOption = False,
    run: Run,
) -> None:
    """List what an agent remembers, the newest fact first.

    With where each stands, and the id by which it is forgotten.

    Examples:
      scrubjay memory list
      scrubjay memory list --agent work --limit 100
      scrubjay memory list --json | jq -r '.facts[].content'
    """
    async with run.memory(agent, by_words=True) as memory:
        facts = await memory.recent(limit, scope=scope_of(scope))
        count = (await memory.stats(scope=scope_of(scope))).facts
        if lack := "" if facts else of_memory((await memory.status()).reason):
            run.terminal.err(lack)
    if json:
        run.terminal.json({"facts": [output.hit_json(hit) for hit in facts], "all": count})
        return
    output.print_facts(run.terminal, facts)
    if not (facts or lack):
        run.terminal.err(tr("There are no facts yet. Tell one with: scrubjay memory remember ..."))
    elif count > len(facts):
        run.terminal.err(tr("{left:,} more; see them with --limit {count}.", left=count - len(facts), count=count))


async def profile(
    *,
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    budget: Annotated[int, Parameter(metavar="N", help="Characters that the profile may take up.")] = 2000,
    json: JsonOption = False,
    run: Run,
) -> None:
    """Show what belongs into USER.md.

    Standing instructions and preferences that stand in the notes and not
    yet in a file that is always loaded. Nothing is changed: copy over what
    is right.

    Examples:
      scrubjay memory profile
      scrubjay memory profile --budget 500 --json
    """
    if budget < 1:
        message = tr("A profile of {count} characters holds nothing.", count=budget)
        raise UsageError(message, hint=tr("Give --budget a number from 1."))
    async with run.memory(agent) as memory:
        offered = await memory.profile(scope=scope_of(scope), budget_chars=budget)
    if json:
        run.terminal.json(output.profile_json(offered))
    else:
        output.print_profile(run.terminal, offered)


async def status(*, agent: AgentOption = None, json: JsonOption = False, run: Run) -> None:
    """Show how the index stands, and what can be found by meaning.

    The index is derived from the files: delete it, and it comes back the same.

    Examples:
      scrubjay memory status
      scrubjay memory status --json | jq '{state, mode, embedded, unembedded}'
    """
    async with run.memory(agent, look=True) as memory:
        state = await memory.status()
    if json:
        run.terminal.json(dataclasses.asdict(state))
    else:
        output.print_status(run.terminal, state)


async def _by_id(memory: Memory, text: str, scope: Scope) -> Hit | None:
    """The entry with this id; a word that merely looks like an id is a question."""
    if not ID.fullmatch(text):
        return None
    try:
        return await memory.find(text, scope=scope)
    except NotFound:
        if text.startswith("^"):
            raise
        return None


async def forget(
    *wanted: Annotated[str, Parameter(help="An id or link, a file with a line, or words that find the lines.")],
    agent: AgentOption = None,
    scope: ScopeOption = "owner",
    everything: Annotated[bool, Parameter(name="--all", help="The words are a name: everything about it.")] = False,
    purge: Annotated[bool, Parameter(help="Leave nothing of it in any file; there is no undo.")] = False,
    yes: YesOption = False,
    dry_run: Annotated[bool, Parameter(help="Show the lines and keep them.")] = False,
    no_input: NoInputOption = False,
    run: Run,
) -> None:
    """Take lines out of memory, after showing which.

    Each line becomes an empty comment in its file, and is found no more; what
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
    name, whose, op_id = run.config.agent(agent), scope_of(scope), new_operation() if text else ""
    async with run.memory(agent, writes=True) as memory:
        forgetting = _Forgetting(run, memory, name, whose, op_id, is_agreed=yes, is_dry=dry_run)
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
        undone = f"scrubjay memory undo{f' --agent {agent}' if agent else ''}"
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
    prompt = tr("One thing to remember per line; end with Ctrl-D.")
    statements = [" ".join(text)] if joined(text) else run.terminal.lines(prompt)
    if not statements:
        message = tr("There is nothing to remember.")
        raise UsageError(message, hint=tr('Try: scrubjay memory remember "The key is with Ana."'))
    written = []
    async with run.memory(agent, writes=True) as memory:
        for statement in statements:
            receipt = await _remember(run, memory, statement, scope=scope_of(scope), keep_secrets=keep_secrets)
            written.append(receipt)
            if not json:
                run.terminal.out(receipts.noted(receipt))
    if json:
        run.terminal.json({"written": [output.receipt_json(receipt) for receipt in written]})
    else:
        undone = f"scrubjay memory undo{f' --agent {agent}' if agent else ''}"
        run.terminal.err(tr("Take it back with: {command}", command=undone))


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
        raise UsageError(tr("{count} writes cannot be undone.", count=count), hint=tr("Give 1 or more."))
    async with run.memory(agent, writes=True) as memory:
        undone = await memory.undo(count, op_id=new_operation(), scope=scope_of(scope), actor=ACTOR)
    if json:
        run.terminal.json({"undone": [dataclasses.asdict(change) for change in undone]})
    else:
        output.print_undone(run.terminal, undone, run.config.owner.zone)


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
        with run.terminal.progress(tr("Indexing"), of=tr("files")) as progress:
            done = await (memory.rebuild if rebuild else memory.sync)(progress=progress)
        with run.terminal.progress(tr("Embedding"), of=tr("passages")) as progress:
            await memory.embed(progress=progress)
        state = await memory.status()
    if json:
        run.terminal.json(dataclasses.asdict(done) | {"mode": state.mode, "embedded": state.embedded})
    else:
        output.print_synced(run.terminal, done)
        run.terminal.out(receipts.told(state))


async def _remember(run: Invocation, memory: Memory, statement: str, *, scope: Scope, keep_secrets: bool) -> Written:
    """Remember one statement. What looks like a secret is asked about; raises `Refused` if nobody agrees to keep it."""
    remember = partial(memory.remember, statement, origin=Origin.OWNER, scope=scope, op_id=new_operation(), actor=ACTOR)
    try:
        return await remember(keep_secrets=keep_secrets)
    except SecretFound as error:
        if error.is_registered or not run.terminal.is_interactive:
            hint = of_memory(error.hint) if error.is_registered else tr("To keep it all the same, add --keep-secrets.")
            raise Refused(of_memory(error.message), hint=hint) from error
        kinds = tr(" and ").join(map(tr, error.what.split(" and ")))
        if not run.terminal.confirm(tr("This looks like it holds {what}. Keep it in the notes?", what=kinds)):
            raise Refused(tr("Nothing was noted.")) from error
    return await remember(keep_secrets=True)


PAGE = """
Look into what an agent remembers, and change it.

Examples:
  scrubjay memory recall "where is the spare key?"
  scrubjay memory remember "The spare key is under the blue pot."
  scrubjay memory forget ^k3f9a2mq
"""

app = group("memory", PAGE)
command(app, alias="search")(recall)
command(app, "list")(listing)
for verb in (
    remember,
    forget,
    undo,
    life.observe,
    life.surprises,
    knowledge.timeline,
    knowledge.journal,
    knowledge.retain,
    knowledge.reflect,
    knowledge.consolidate,
    knowledge.review,
    knowledge.check,
    explain,
    life.due,
    life.pin,
    life.stats,
    life.wander,
    profile,
    status,
    index,
    life.calibrate,
):
    command(app)(verb)
command(app, alias="rename")(knowledge.merge)
