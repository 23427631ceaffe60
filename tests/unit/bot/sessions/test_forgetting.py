from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter

from adapters.in_memory import InMemoryState
from adapters.port import Address, ChatKind
from bot.agent.context.context_log import Context, ContextLog, Piece
from bot.sessions.forgetting import Forgetting, Repetitions
from bot.sessions.redaction import ConversationRecords
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import Effects, EntryKind, Recorded
from bot.storage.statements import INPUTS
from bot.turn import Agent
from memory import OWNER, FrozenClock, Memory, Origin, Scope, chat_scope
from memory.files.notation import forgotten_line
from tests.support.conversation import TODAYS_LOG, TranscriptBuilder
from tests.support.factories import HOME, NOON, chat, envelope, inbound, outbound, session

FACT = "The tenant Behnke has left a deposit of box 48213907 with us."
KEPT = "Mrs Okafor waters the plants."
MASKED = "[forgotten]"
GROUP = chat("-100", kind=ChatKind.GROUP)
IN_GROUP = chat_scope("volatile.bot:-100")


@dataclass
class Stage:
    """An agent with a memory, and conversations that were recorded."""

    agent: Agent
    folder: Path
    clock: FrozenClock
    coordinator: InMemoryCoordinator = field(default_factory=InMemoryCoordinator)
    marks: InMemoryState = field(default_factory=InMemoryState)
    _count: int = 0

    def forgetting(self) -> Forgetting:
        """As a service has it that was just started."""
        return Forgetting(ConversationRecords(self.coordinator), self.marks)

    async def note(self, text: str, *, turn: str = "", scope: Scope = OWNER) -> str:
        """A fact that a turn has noted; its id."""
        self._count += 1
        op_id = f"{turn or f'noting{self._count}'}:0"
        written = await self.agent.memory.remember(text, origin=Origin.OWNER, scope=scope, op_id=op_id, actor="owner")
        return written.fact.id or ""

    async def forget(
        self, *ids: str, turn: str = "forgetting", scope: Scope = OWNER, reach: Scope | None = None
    ) -> None:
        await self.agent.memory.forget_facts(ids, op_id=f"{turn}:0", scope=scope, actor="owner", reach=reach)

    async def record(self, talk: TranscriptBuilder, at: Address = HOME) -> None:
        """Commit what a talk has recorded."""
        (grant,) = await self.coordinator.claim("test", ["personal"])
        self._count += 1
        await self.coordinator.publish(envelope("x", update=f"r{self._count}", at=at))
        *_, message = await self.coordinator.pending(grant, after=0)
        entries = tuple(one.entry for one in talk.recorded)
        await self.coordinator.commit(grant, Effects(session(at=at), (message.seq,), entries=entries))

    async def recorded(self, at: Address = HOME) -> tuple[Recorded, ...]:
        return await self.coordinator.transcript("personal", str(session(at=at)))

    async def said(self, at: Address = HOME) -> list[str]:
        """The texts of messages and answers."""
        entries = [one.entry for one in await self.recorded(at)]
        kinds = {EntryKind.MESSAGE, EntryKind.REPLY}
        return [json.loads(entry.body)["text"] for entry in entries if entry.kind in kinds]


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FrozenClock(NOON)
    index = tmp_path / "index.sqlite"
    async with await Memory.open(tmp_path / "w", index=index, clock=clock, blanks=False) as memory:
        yield Stage(Agent("personal", "", memory, ZoneInfo("UTC"), clock), tmp_path / "w", clock)


def journal(stage: Stage) -> str:
    return "".join(path.read_text() for path in (stage.folder / ".memory" / "journal").iterdir())


async def test_what_memory_forgot_is_masked_wherever_a_turn_repeated_it_and_nothing_else_is(stage: Stage) -> None:
    name = await stage.note(FACT, turn="t1")
    await stage.note(KEPT)
    talk = TranscriptBuilder().turn(
        f"Hello. {FACT}", f"Noted: {FACT} Anything else?", told=(f"`log.md:4`: {FACT}", "(Well.)")
    )
    talk.work = [
        (
            EntryKind.STEP,
            {"role": "assistant", "calls": [{"id": "c", "name": "remember", "arguments": {"text": FACT}}]},
        ),
        (
            EntryKind.TOOL,
            {"role": "tool", "call_id": "c", "text": json.dumps({"results": [{"snippet": FACT, "n": 1}]})},
        ),
    ]
    talk.turn("And the box?", f"1. > {FACT}", shown=[name, "other"], shown_as=f"[now]\n- log.md: {FACT}\nAnd the box?")
    talk.add(
        EntryKind.RECALL, {"query": "the box", "hits": [{"id": name, "content": FACT, "parts": {"word:behnke": 1}}]}
    )
    talk.add(EntryKind.SNAPSHOT, {"files": [{"path": "log.md", "text": f"# Log\n- W: {FACT} ^{name}\n- W: {KEPT}"}]})
    talk.turn(KEPT, "I know.", name="Behnke")
    await stage.record(talk)
    before = await stage.recorded()
    await stage.forget(name)

    assert await stage.forgetting().catch_up(stage.agent) == 4

    after = await stage.recorded()
    assert [(one.seq, one.entry.kind) for one in after] == [(one.seq, one.entry.kind) for one in before]
    bodies = "\n".join(one.entry.body for one in after)
    assert "48213907" not in bodies
    assert "behnke" not in bodies
    assert bodies.count("Behnke") == 1  # what the sender is called
    assert bodies.count(KEPT) == 2
    assert await stage.said() == [
        f"Hello. {MASKED}", f"{MASKED} Anything else?", "And the box?", f"1. > {MASKED}", KEPT, "I know."
    ]  # fmt: skip
    assert json.loads(after[1].entry.body)["told"] == [MASKED, "(Well.)"]
    tool = next(one.entry.body for one in after if one.entry.kind is EntryKind.TOOL)
    assert json.loads(json.loads(tool)["text"]) == {"results": [{"snippet": MASKED, "n": 1}]}


async def test_it_is_done_once_and_what_is_said_afterwards_stays(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted."))
    await stage.forget(name)
    assert await stage.forgetting().catch_up(stage.agent) == 1

    await stage.record(TranscriptBuilder().turn(FACT, "Noted again."))

    assert await stage.forgetting().catch_up(stage.agent) == 0
    assert await stage.said() == [MASKED, "Noted.", FACT, "Noted again."]


async def test_after_a_kill_the_next_start_does_it(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted."))
    await stage.forget(name)
    stage.marks.lose()

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said() == [MASKED, "Noted."]


async def test_what_was_forgotten_in_a_clone_is_masked_here_once_git_has_put_it_before_what_is_forgotten_here(
    stage: Stage, tmp_path: Path
) -> None:
    name, own = await stage.note(FACT), await stage.note(KEPT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted.").turn(KEPT, "Noted."))
    (here,) = (stage.folder / ".memory" / "journal").iterdir()
    common = here.read_bytes()
    shutil.copytree(stage.folder, tmp_path / "clone", ignore=shutil.ignore_patterns("applied"))
    async with await Memory.open(tmp_path / "clone", index=tmp_path / "clone.sqlite", clock=stage.clock) as clone:
        await clone.forget_facts([name], op_id="there:0", scope=OWNER, actor="owner")
    await stage.forget(own)
    assert await stage.forgetting().catch_up(stage.agent) == 1
    await stage.record(TranscriptBuilder().turn(KEPT, "Noted again."))

    there = tmp_path / "clone" / here.relative_to(stage.folder)
    here.write_bytes(there.read_bytes() + here.read_bytes().removeprefix(common))
    log = stage.folder / TODAYS_LOG
    lines = [forgotten_line(name) if line.endswith(name) else line for line in log.read_text().splitlines()]
    log.write_text("\n".join(lines))
    assert await stage.forgetting().catch_up(stage.agent) == 1
    assert await stage.said() == [MASKED, "Noted.", MASKED, "Noted.", KEPT, "Noted again."]


async def test_what_was_put_back_is_not_masked_any_more(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.forget(name)
    await stage.agent.memory.undo(op_id="u:0", scope=OWNER, actor="owner")
    await stage.record(TranscriptBuilder().turn(FACT, "Noted."))

    assert await stage.forgetting().catch_up(stage.agent) == 0
    assert await stage.said() == [FACT, "Noted."]


async def test_a_turn_that_was_under_way_ends_without_it_and_one_that_begins_later_may_say_it_anew(
    stage: Stage,
) -> None:
    name = await stage.note(FACT)
    forgetting = stage.forgetting()
    under_way = forgetting.begin(stage.agent)
    await stage.forget(name)
    entries = tuple(one.entry for one in TranscriptBuilder().turn("What is it?", FACT).recorded)
    end = Effects(session(), (1,), (outbound("p", FACT),), entries, "t9")

    masked = await forgetting.masked(stage.agent, end, since=under_way)
    later = await forgetting.masked(stage.agent, end, since=forgetting.begin(stage.agent))

    assert [part.text for part in masked.parts] == [MASKED]
    assert json.loads(masked.entries[1].body)["text"] == MASKED
    assert later == end


async def test_a_repeated_turn_that_has_forgotten_it_before_a_kill_ends_without_it(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.forget(name, turn="t9")
    await stage.forgetting().catch_up(stage.agent)
    again = stage.forgetting()
    end = Effects(session(), (1,), (outbound("p", f"Gone: {FACT}"),), turn="t9")

    masked = await again.masked(stage.agent, end, since=again.begin(stage.agent))

    assert [part.text for part in masked.parts] == [MASKED]


async def test_what_a_turn_has_carried_out_already_is_not_done_again_at_its_end(stage: Stage) -> None:
    forgetting, name = stage.forgetting(), await stage.note(FACT)
    since = forgetting.begin(stage.agent)
    await stage.forget(name, turn="t9")
    await forgetting.catch_up(stage.agent, turn="t9")
    index = stage.agent.memory._engine.index_manager
    before = index.version

    end = Effects(session(), (1,), (outbound("p", f"Gone: {FACT}"),), turn="t9")
    masked = await forgetting.masked(stage.agent, end, since=since)

    assert index.version == before
    assert [part.text for part in masked.parts] == [MASKED]


@pytest.mark.parametrize("scope", [IN_GROUP, pytest.param(OWNER, id="shares-the-owners-memory")])
async def test_what_a_group_forgets_is_masked_in_that_group_alone(stage: Stage, scope: Scope) -> None:
    name = await stage.note(FACT, scope=scope)
    for place in (HOME, GROUP, chat("-1001", kind=ChatKind.GROUP)):
        await stage.record(TranscriptBuilder().turn(FACT, "Noted."), place)
    await stage.forget(name, scope=scope, reach=IN_GROUP)

    assert await stage.forgetting().catch_up(stage.agent) == 1

    assert await stage.said(GROUP) == [MASKED, "Noted."]
    assert await stage.said(HOME) == [FACT, "Noted."]


async def test_names_of_those_who_speak_in_a_group_tell_nothing_there(stage: Stage) -> None:
    name = await stage.note("@Ada Lovelace: Ada parks on level 5.", scope=IN_GROUP)
    talk = TranscriptBuilder().turn("Ada parks on level 5.", "Noted.", name="Ada Lovelace")
    talk.turn("Who is here?", "Ada Lovelace, and you.", shown_as="[12:01] Ada: hello\nWho is here?", name="Gus")
    talk.turn("Where does she park?", "On level 5, Ada parks there.", name="Gus")
    await stage.record(talk, GROUP)
    await stage.forget(name, scope=IN_GROUP, reach=IN_GROUP)

    assert await stage.forgetting().catch_up(stage.agent) == 2

    assert await stage.said(GROUP) == [
        MASKED, "Noted.", "Who is here?", "Ada Lovelace, and you.", "Where does she park?", MASKED
    ]  # fmt: skip
    assert "[12:01] Ada: hello" in "".join(one.entry.body for one in await stage.recorded(GROUP))


async def test_a_name_of_who_speaks_in_a_group_tells_beside_a_rare_word_of_the_fact(stage: Stage) -> None:
    name = await stage.note("@Ada Lovelace: Ada has leukemia since March.", scope=IN_GROUP)
    talk = TranscriptBuilder().turn("Hello all", "Hi, Ada.", name="Ada Lovelace")
    talk.turn("Ada, how is the leukemia?", "She did not say.", name="Gus")
    await stage.record(talk, GROUP)
    await stage.forget(name, scope=IN_GROUP, reach=IN_GROUP)

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said(GROUP) == ["Hello all", "Hi, Ada.", MASKED, "She did not say."]


async def test_nobody_who_is_called_as_an_identifier_keeps_it_from_being_masked(stage: Stage) -> None:
    name = await stage.note("The door code is 48213907, the mail gus@example.org.", scope=IN_GROUP)
    talk = TranscriptBuilder().turn("hi", "Hi.", name="Gus 48213907")
    talk.turn("What was it?", "It is 48213907.", name="gus@example.org")
    talk.turn("And else?", "gus@example.org", name="Tom")
    await stage.record(talk, GROUP)
    await stage.forget(name, scope=IN_GROUP, reach=IN_GROUP)

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said(GROUP) == ["hi", "Hi.", "What was it?", MASKED, "And else?", MASKED]


async def test_a_word_of_everyday_life_is_masked_only_where_the_fact_was_spoken_of(stage: Stage) -> None:
    name = await stage.note(FACT, turn="t1")
    talk = (
        TranscriptBuilder()
        .turn(FACT, "Noted.")
        .turn("Is the deposit paid?", "Box 48213907: it is.")
        .turn("Pay a deposit?", "Yes.")
    )
    await stage.record(talk)
    await stage.forget(name)

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said() == [MASKED, "Noted.", "Is the deposit paid?", MASKED, "Pay a deposit?", "Yes."]


async def test_a_part_of_the_fact_that_was_quoted_is_masked_and_makes_no_everyday_word_of_it(stage: Stage) -> None:
    name = await stage.note(FACT, turn="t1")
    came = replace(envelope("Why?"), inbound=replace(inbound("Why?", update="2"), quote="left a deposit"))
    talk = TranscriptBuilder().turn(FACT, "Noted.").turn("Why?", "So.", input=INPUTS.dump_json((came,)).decode())
    await stage.record(talk)
    await stage.forget(name)

    await stage.forgetting().catch_up(stage.agent)

    assert "left a deposit" not in "".join(one.entry.body for one in await stage.recorded())


async def test_of_a_message_that_a_fact_was_made_of_the_sentence_that_says_most_of_it_is_masked(stage: Stage) -> None:
    name = await stage.note("The spare key is under the red pot.", turn="t2")
    talk = TranscriptBuilder().turn("My red car is by the sea.", "Good to know.")
    talk.turn("My cat is red. Actually it is under the red pot. Bye!", "Noted.").turn(
        "A red pot is on the desk.", "So?"
    )
    await stage.record(talk)

    await stage.forget(name)
    assert await stage.forgetting().catch_up(stage.agent) == 1

    first, _, told, _, later, _ = await stage.said()
    assert told == f"My cat is red. {MASKED} Bye!"
    assert (first, later) == ("My red car is by the sea.", "A red pot is on the desk.")

    assert await stage.forgetting().purge(stage.agent) == 1
    assert (await stage.said())[2] == told


@pytest.mark.parametrize(
    ("told", "changed"),
    [
        ("The wifi password is {}.", "Actually the wifi password is {}."),
        ("Das WLAN-Passwort ist {}.", "Nein, das WLAN-Passwort ist {}."),
        ("无线网密码是 {}。", "不对，无线网密码是 {}。"),
    ],
)
async def test_a_message_with_a_secret_that_took_the_place_of_another_stays(
    stage: Stage, told: str, changed: str
) -> None:
    old, new, masked = "hunter2000", "tulip4711", "••••"
    memory = stage.agent.memory
    remember = partial(memory.remember, origin=Origin.OWNER, scope=OWNER, actor="owner", keep_secrets=True)
    supersede = partial(memory.supersede, origin=Origin.OWNER, scope=OWNER, actor="owner", keep_secrets=True)
    first = await remember(told.format(old), op_id="t1:offered")
    talk = TranscriptBuilder().turn(told.format(masked), f"> {told.format(old)}").turn(changed.format(masked), "Noted.")
    await stage.record(talk)
    await supersede(first.fact.id or "", told.format(new), op_id="t2:offered")

    await stage.forgetting().catch_up(stage.agent)
    _, shown, said, _ = await stage.said()
    assert (shown, said) == (f"> {MASKED}", changed.format(masked))


async def test_it_is_foreseen_in_how_many_messages_it_would_be_masked(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted.").reset())
    await stage.record(TranscriptBuilder().turn("Who?", FACT))
    await stage.record(TranscriptBuilder().turn("Behnke!", "Yes?").turn("Nothing.", "Well."))
    preview = await stage.agent.memory.preview_forget(f"^{name}", scope=OWNER, actor="owner")
    assert preview.trail

    assert await stage.forgetting().foresee(stage.agent, preview.trail, session()) == Repetitions(here=2, elsewhere=1)
    assert await stage.said() == [FACT, "Noted.", "Who?", FACT, "Behnke!", "Yes?", "Nothing.", "Well."]


async def test_the_journal_is_blanked_a_day_later_and_never_before_the_records(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted."))
    await stage.forget(name)
    stage.clock.advance(days=3)

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said() == [MASKED, "Noted."]
    assert FACT not in journal(stage)


async def test_a_purge_leaves_nothing_to_be_put_back(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.record(TranscriptBuilder().turn(FACT, "Noted."))
    forgetting = stage.forgetting()
    under_way = forgetting.begin(stage.agent)
    await stage.forget(name)

    assert await forgetting.purge(stage.agent) == 1

    assert await stage.said() == [MASKED, "Noted."]
    assert FACT not in journal(stage)
    end = Effects(session(), (1,), (outbound("p", FACT),), turn="t9")
    masked = await forgetting.masked(stage.agent, end, since=under_way)
    assert [part.text for part in masked.parts] == [MASKED]


async def test_what_has_shown_it_since_is_masked_before_it_leaves_the_journal_and_the_rest_only_by_a_purge(
    stage: Stage,
) -> None:
    mention = "Box 48213907 is empty again."
    name = await stage.note(FACT)
    await stage.forget(name)
    await stage.forgetting().catch_up(stage.agent)
    await stage.record(TranscriptBuilder().turn("What went?", f"Forgotten: {FACT}").turn("And?", mention))
    stage.clock.advance(days=3)

    await stage.forgetting().catch_up(stage.agent)

    shown, _, later = (await stage.said())[1:]
    assert "48213907" not in shown
    assert later == mention


async def test_a_purge_masks_whatever_was_said_about_it_since(stage: Stage) -> None:
    name = await stage.note(FACT)
    await stage.forget(name)
    await stage.forgetting().catch_up(stage.agent)
    await stage.record(TranscriptBuilder().turn(FACT, "Box 48213907 is empty again."))

    await stage.forgetting().purge(stage.agent)

    assert "48213907" not in "".join(await stage.said())


async def test_what_a_model_saw_in_a_turn_under_way_is_masked_at_its_end(stage: Stage, tmp_path: Path) -> None:
    name = await stage.note(FACT)
    contexts = ContextLog(tmp_path / "sessions")
    forgetting = Forgetting(ConversationRecords(stage.coordinator, [contexts]), stage.marks)
    under_way = forgetting.begin(stage.agent)
    await stage.forget(name)
    await forgetting.catch_up(stage.agent)
    seen = Context(str(session()), "t9", NOON.isoformat(), "m", 100, 1, 1.0, 0, (), (Piece("user", 1, FACT),))
    file = tmp_path / "sessions" / "personal" / "0.context.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(TypeAdapter(Context).dump_json(seen))

    await forgetting.masked(stage.agent, Effects(session(), (1,), turn="t9"), since=under_way)

    assert json.loads(file.read_text())["pieces"][0]["text"] == MASKED


async def test_a_fact_without_spaces_between_words_is_told_by_pairs_of_its_characters(stage: Stage) -> None:
    name = await stage.note("张伟的护照放在蓝色的盒子里。", turn="t1")
    await stage.record(
        TranscriptBuilder().turn("请记住：张伟的护照放在蓝色的盒子里。", "好的。").turn("今天天气很好。", "是的。")
    )
    await stage.forget(name)

    await stage.forgetting().catch_up(stage.agent)

    assert await stage.said() == [MASKED, "好的。", "今天天气很好。", "是的。"]
