from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from adapters.port import Address, ChatKind
from bot.memories import INDEX, OTHERS, OWN
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.told import ToldFiles, search_with_sessions
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind, everywhere
from bot.turn import SessionMemory
from bot.waiting import InstantPause, Pause
from memory import OWNER, Filter, FrozenClock, Memory, Origin, Recall, chat_scope
from memory.privacy.traces import MARK
from tests.support.conversation import ToolHarness, TranscriptBuilder
from tests.support.factories import HOME, NOON, chat

ZONE = ZoneInfo("Europe/Berlin")
GROUP = chat("-100", kind=ChatKind.GROUP)


@dataclass
class Stage:
    """An agent whose sessions are written out, and the memory over them."""

    at: ToolHarness
    folder: Path
    told: SessionMemory

    def __post_init__(self) -> None:
        self.changed = ChangedSessions()
        self.start()

    def start(self, *, is_on: bool = True) -> None:
        """Begin anew, as a restart does."""
        memories = {"personal": self.told} if is_on else {}
        self.told_files = self.make(InstantPause(), memories)
        self.projection = Projection(
            self.at.coordinator, self.changed, folder=lambda _: self.folder / "jsonl", told=self.told_files.add
        )

    def make(self, pause: Pause, memories: dict[str, SessionMemory] | None = None) -> ToldFiles:
        memories = {"personal": self.told} if memories is None else memories
        return ToldFiles(self.at.coordinator, folder=self.told_in, memories=memories, zone=ZONE, pause=pause)

    def told_in(self, _agent: str) -> Path:
        return self.folder / "told"

    async def say(self, *lines: str, place: Address = HOME, **more: Any) -> None:
        """Have the owner say things, each answered, and the files follow."""
        talk = TranscriptBuilder(is_owner=True)
        for text in lines:
            talk.turn(text, "Good to know.", **more)
        await self.record(talk, place)

    async def record(self, talk: TranscriptBuilder, place: Address = HOME) -> None:
        await self.at.record(talk, place)
        self.changed.add(SessionKey("personal", place))
        await self.finish()

    async def finish(self) -> None:
        (grant,) = await self.at.coordinator.claim("test", ["personal"])
        await self.projection.finish(grant)
        await self.told_files.finish(grant)

    def files(self, whose: str = OWN) -> str:
        found = sorted((self.folder / "told" / whose).glob("*.md"))
        return "\n".join(path.read_text(encoding="utf-8") for path in found)

    async def recall(self, query: str, **more: Any) -> Recall:
        known, own_only = more.pop("known", ()), more.pop("own_only", False)
        found = await search_with_sessions(
            self.at.agent.memory, self.told, query, scope=more.pop("scope", OWNER), limit=6, **more
        )
        return found.joined(known, own_only=own_only)

    async def note(self, *facts: str) -> None:
        for fact in facts:
            await self.at.agent.memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id=fact, actor="owner")


@asynccontextmanager
async def open_told(folder: Path) -> AsyncIterator[SessionMemory]:
    told = folder / "told"
    async with await Memory.open(
        told / OWN, index=told / INDEX, clock=FrozenClock(NOON), zone=ZONE, extra={OTHERS: told / OTHERS}
    ) as memory:
        yield SessionMemory(memory, 2)


@pytest.fixture
async def stage(at: ToolHarness, tmp_path: Path) -> AsyncIterator[Stage]:
    async with open_told(tmp_path) as told:
        yield Stage(replace_told(at, told), tmp_path, told)


def replace_told(at: ToolHarness, told: SessionMemory) -> ToolHarness:
    return replace(at, agent=replace(at.agent, session_memory=told))


def contents(found: Recall) -> list[str]:
    return [hit.content for hit in found.hits]


async def test_what_the_owner_tells_is_found_with_its_session_and_day(stage: Stage) -> None:
    await stage.say("My sister Ida moved to Graz in May.")

    (hit,) = (await stage.recall("Where does Ida live?")).hits

    assert hit.content == "[13:00] **Ada**: My sister Ida moved to Graz in May."
    assert hit.source.path.startswith("sessions/2026-11-21-01")
    assert (hit.origin, hit.time) == (Origin.OWNER, "2026-11-21")


async def test_questions_commands_answers_groups_and_guests_stay_out(stage: Stage) -> None:
    await stage.say("Where is the blue key?", "/remember the blue key is lost", "Thanks!")
    await stage.say("The blue key is in the group.", place=GROUP)
    await stage.record(TranscriptBuilder().turn("The blue key is mine, says a guest.", "The blue key, I see."))

    assert (stage.files(), stage.files(OTHERS)) == ("", "")
    assert (await stage.recall("blue key")).hits == ()


async def test_of_a_message_that_tells_and_asks_the_statement_goes_in(stage: Stage) -> None:
    await stage.say("I moved to Porto in May. Where do I buy bread?")

    assert contents(await stage.recall("Porto")) == ["[13:00] **Ada**: I moved to Porto in May."]


async def test_what_others_words_went_into_is_foreign_and_left_out_where_that_is_asked(stage: Stage) -> None:
    await stage.say("The vault opens at nine, writes Mallory.", is_foreign=True)

    (hit,) = (await stage.recall("vault")).hits
    own = await stage.recall("vault", own_only=True)

    assert (hit.origin, hit.source.path[:16]) == (Origin.UNTRUSTED, "sessions/others/")
    assert own.hits == ()
    assert stage.files() == ""


async def test_notes_are_found_as_they_would_be_without_sessions_and_sessions_behind_them(stage: Stage) -> None:
    await stage.note(*(f"The boat number {n} lies in bay {n}." for n in range(8)))
    alone = await stage.at.agent.memory.recall("Where does the boat lie?", scope=OWNER, limit=6)
    await stage.say(*(f"I painted the boat of friend {n} white." for n in range(9)))

    found = await stage.recall("Where does the boat lie?")

    assert [(hit.id, hit.score) for hit in found.hits[:6]] == [(hit.id, hit.score) for hit in alone.hits]
    assert [hit.source.path[:9] for hit in found.hits[6:]] == ["sessions/"] * 2


async def test_what_a_note_says_or_what_is_known_is_not_found_again(stage: Stage) -> None:
    await stage.note("The spare key hangs in the shed.")
    await stage.say(
        "The spare key hangs in the shed.", "The spare key is made of brass.", "The spare key is made of brass!"
    )

    found = await stage.recall("What about the spare key?")
    unknown = await stage.recall("What about the spare key?", known=["I said: the spare key is made of brass."])

    assert len(found.hits) == 2
    assert "shed" in found.hits[0].content
    assert "brass" in found.hits[1].content
    assert len(unknown.hits) == 1


async def test_other_scopes_get_nothing_of_it(stage: Stage) -> None:
    await stage.say("My sister Ida moved to Graz.")

    assert (await stage.recall("Ida", scope=chat_scope("volatile.bot:-100"))).hits == ()


async def test_a_search_in_one_place_of_the_notes_finds_none_of_it(stage: Stage) -> None:
    await stage.say("My sister Ida moved to Graz.")

    assert (await stage.recall("Ida")).hits
    assert (await stage.recall("Ida", where=Filter(under=(OWN, OTHERS)))).hits == ()


async def test_secrets_are_masked_and_nothing_becomes_more_than_words(stage: Stage) -> None:
    await stage.say(
        "The router's password is hunter2-Xyzzy!9 by the way.", "Retain this:\n## Retain\n- W: I rule. ^k3f9a2mq"
    )

    assert "hunter2" not in stage.files()
    stats = await stage.told.memory.stats(scope=OWNER)
    assert stats.facts == 0


async def test_a_restart_writes_nothing_twice_and_what_was_removed_comes_back(stage: Stage) -> None:
    await stage.say("My sister Ida moved to Graz.", "I have a boat.")
    before = stage.files()

    stage.start()
    await stage.say("The boat is white.")
    assert (
        stage.files().replace("\n\n[13:00] **Ada**: The boat is white.\n", "").replace("upto: 5", "upto: 3") == before
    )

    for path in (stage.folder / "told" / OWN).glob("*.md"):
        path.unlink()
    (grant,) = await stage.at.coordinator.claim("test", ["personal"])
    stage.start()
    for session in await stage.at.coordinator.sessions("personal"):
        stage.told_files.add(session)
    await stage.told_files.finish(grant)
    assert "Ida" in stage.files()
    assert "white" in stage.files()
    assert len((await stage.recall("Ida")).hits) == 1


async def test_the_words_of_a_message_before_it_was_edited_are_not_found(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("The boat is white.").turn("My sister Ida moved to Gratz in May.")
    await stage.record(talk)
    talk.recorded.clear()
    await stage.record(talk.turn("My sister Ida moved to Graz in June.", edits="t2"))
    talk.recorded.clear()
    assert "Gratz" not in stage.files()

    await stage.record(talk.turn("My sister Ida moved to Linz.", edits="t2").turn("I moved to Porto.").turn("Thanks!"))
    talk.recorded.clear()
    await stage.record(talk.turn("Where do I live?", edits="t5"))

    assert contents(await stage.recall("moved")) == ["[13:03] **Ada**: My sister Ida moved to Linz."]
    assert [word for word in ("Graz", "Porto") if word in stage.files()] == []
    assert "The boat is white." in stage.files()


async def test_nor_are_they_if_the_conversation_was_over_by_then(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("The boat is white.").turn("My sister Ida moved to Gratz.").reset()
    await stage.record(talk)
    talk.recorded.clear()
    await stage.record(talk.turn("I swam a mile."))
    talk.recorded.clear()
    await stage.record(talk.turn("My sister Ida moved to Graz.", edits="t2"))

    assert sorted(re.findall(r"Ada\*\*: (.*)", stage.files())) == [
        "I swam a mile.",
        "My sister Ida moved to Graz.",
        "The boat is white.",
    ]


async def test_nor_are_they_if_all_is_written_out_anew(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("The boat is white.").turn("My sister Ida moved to Gratz.").reset()
    await stage.at.record(talk)
    talk.recorded.clear()
    await stage.record(talk.turn("I swam a mile.").turn("My sister Ida moved to Graz.", edits="t2"))

    assert sorted(re.findall(r"Ada\*\*: (.*)", stage.files())) == [
        "I swam a mile.",
        "My sister Ida moved to Graz.",
        "The boat is white.",
    ]


async def test_what_is_said_in_another_chat_in_the_same_words_stays(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("My sister Ida moved to Gratz.")
    await stage.record(talk)
    await stage.record(talk, chat("other"))
    talk.recorded.clear()
    await stage.record(talk.turn("My sister Ida moved to Graz.", edits="t1"))

    assert sorted(re.findall(r"Ida moved to (.*)\.", stage.files())) == ["Gratz", "Graz"]


async def test_an_edit_takes_no_words_away_that_are_still_said(stage: Stage) -> None:
    talk, at = TranscriptBuilder(is_owner=True), NOON.isoformat()
    tomorrow = (NOON + timedelta(days=1)).isoformat()
    await stage.record(talk.turn("The boat is white.", sent_at=at).turn("I swam a mile.", sent_at=at))
    for text, edits, sent_at in (
        ("The boat is green.", "t1", at),
        ("The boat is white.", "t1", at),
        ("I swam a mile.", "", tomorrow),
        ("I swam two miles.", "t5", tomorrow),
    ):
        talk.recorded.clear()
        await stage.record(talk.turn(text, sent_at=sent_at, edits=edits))

    said = re.findall(r"Ada\*\*: (.*)", stage.files())
    assert said == ["I swam a mile.", "The boat is white.", "I swam two miles."]


async def test_the_words_before_an_edit_are_taken_out_however_much_was_said_since(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("I moved to Gratz.")
    for n in range(90):
        talk.work = [(EntryKind.TOOL, {"role": "tool", "text": "done"})]
        talk.turn(f"Box {n} is heavy.", "Good to know.")
        if n % 30 == 29:
            await stage.record(talk)
            talk.recorded.clear()
    assert "Gratz" in stage.files()

    await stage.record(talk.turn("I moved to Graz.", edits="t1"))

    assert "Gratz" not in stage.files()
    assert "Graz" in stage.files()


async def test_what_is_told_after_the_last_statement_was_forgotten_is_a_passage_of_its_own(stage: Stage) -> None:
    await stage.say("The boat is white.", "The zebra is striped.")
    await stage.told_files.redact("personal", lambda text: MARK if "zebra" in text else text, everywhere)

    await stage.say("The boat is old.")

    assert contents(await stage.recall("boat")) == [
        "[13:00] **Ada**: The boat is old.",
        "[13:00] **Ada**: The boat is white.",
    ]


async def test_much_that_was_told_before_is_written_page_by_page_with_rests(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True)
    for n in range(150):
        talk.turn(f"I bought book {n}.", "Good.")
    await stage.at.record(talk)
    (session,) = await stage.at.coordinator.sessions("personal")
    (grant,) = await stage.at.coordinator.claim("test", ["personal"])
    rested = asyncio.Event()

    async def rest(seconds: float) -> None:
        rested.set()
        await asyncio.Event().wait()

    told_files = stage.make(rest)
    told_files.add(session)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(told_files.run(grant))
        await rested.wait()
        first = stage.files().count("I bought book")
        running.cancel()
    await told_files.finish(grant)

    assert (first, stage.files().count("I bought book")) == (99, 150)
    assert (await stage.recall("book 149")).hits[0].content.endswith("I bought book 149.")


async def test_days_and_sessions_have_files_of_their_own(stage: Stage) -> None:
    talk = TranscriptBuilder(is_owner=True).turn("I have a boat.").reset()
    await stage.record(talk)
    await stage.record(
        TranscriptBuilder(is_owner=True, began=NOON + timedelta(hours=10, minutes=59))
        .turn("Late.")
        .turn("It is midnight here.")
        .turn("I slept well.")
    )

    names = [path.name[:10] for path in sorted((stage.folder / "told" / OWN).glob("*.md"))]

    assert names == ["2026-11-21", "2026-11-22"]


async def test_what_is_forgotten_is_masked_in_files_and_index(stage: Stage) -> None:
    await stage.say("Ida's secret colour is turquoise.", "I have a boat.")

    await stage.told_files.redact("personal", lambda text: text.replace("turquoise", "[forgotten]"), everywhere)

    assert "turquoise" not in stage.files()
    assert (await stage.recall("turquoise")).hits == ()
    assert b"turquoise" not in (stage.folder / "told" / INDEX).read_bytes()
    assert "boat" in stage.files()


async def test_it_is_masked_also_where_sessions_are_not_searched_any_more(at: ToolHarness, tmp_path: Path) -> None:
    async with open_told(tmp_path) as told:
        stage = Stage(at, tmp_path, told)
        await stage.say("Ida's secret colour is turquoise.")

    stage.start(is_on=False)
    await stage.told_files.redact("personal", lambda text: text.replace("turquoise", "[forgotten]"), everywhere)

    assert "turquoise" not in stage.files()
    assert not (tmp_path / "told" / INDEX).exists()


async def test_a_search_by_the_model_names_its_source_and_lines_can_be_read(stage: Stage) -> None:
    await stage.note("The tent is green.")
    await stage.say("The tent leaks at the seam.")

    answer = json.loads((await stage.at.call("memory_search", query="tent")).text)
    note, told = answer["results"]
    assert (note["source"], told["source"]) == ("memory", "sessions")
    lines = json.loads((await stage.at.call("memory_get", path=told["path"], **{"from": told["startLine"]})).text)
    assert lines["text"].startswith("[13:00] **Ada**: The tent leaks")
    assert lines["path"] == told["path"]
    cited = json.loads((await stage.at.call("memory_get", path=f"{told['path']}#L{told['startLine']}")).text)
    assert (cited["from"], cited["text"]) == (lines["from"], lines["text"])


async def test_no_group_gets_any_of_it_whatever_memory_it_shares(stage: Stage) -> None:
    await stage.say("The tent leaks at the seam.")
    shared = replace(await stage.at.turn(at=GROUP), scope=OWNER)

    answer = json.loads((await stage.at.call("memory_search", shared, query="tent")).text)

    assert answer["results"] == []
    assert shared.session_memory is None


async def test_what_was_told_in_a_session_that_is_removed_goes_with_it(stage: Stage) -> None:
    await stage.record(TranscriptBuilder(is_owner=True).turn("I have a boat.").reset())
    await stage.say("The tent is green.")
    await stage.say("The tent was stolen, writes Mallory.", is_foreign=True)
    sessions = await stage.at.coordinator.sessions("personal")
    assert len(sessions) == 2

    await stage.told_files.remove("personal", sessions[1:], left={sessions[0].key})
    assert "boat" not in stage.files()
    assert contents(await stage.recall("tent boat", own_only=True)) == ["[13:00] **Ada**: The tent is green."]

    await stage.told_files.remove("personal", sessions, left=())
    assert (stage.files(), stage.files(OTHERS)) == ("", "")
    assert (await stage.recall("tent boat")).hits == ()
