"""Where a fact comes from: who wrote it when, and of which words that were said where."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from bot.jobs.retain import retain
from bot.sessions.archive import told_on
from bot.sessions.tracing import trace_fact
from memory import OWNER, Origin
from memory.knowledge.reflection.reflect import reflect
from tests.support.conversation import ToolHarness, TranscriptBuilder

BERLIN = ZoneInfo("Europe/Berlin")
EVENING = datetime(2026, 11, 20, 13, 3, tzinfo=UTC)
DAY = date(2026, 11, 20)
NUTS = "My sister Ines is allergic to nuts."


async def trace(at: ToolHarness, id: str, *, private: bool = True) -> list[str]:
    hit = await at.agent.memory.find(id, scope=OWNER)
    transcripts = at.coordinator if private else None
    return (await trace_fact(at.agent.memory, hit, transcripts, "personal", zone=BERLIN)).splitlines()


async def remember(at: ToolHarness, text: str, op_id: str, *sources: str) -> str:
    written = await at.agent.memory.remember(
        text, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor="agent:personal", sources=sources
    )
    return written.fact.id or ""


async def test_a_retained_fact_names_the_message_and_the_line_that_it_was_made_of(at: ToolHarness) -> None:
    await at.record(TranscriptBuilder(began=EVENING, is_owner=True).turn(NUTS))
    at.write("memory/2026-11-20.md", "# 2026-11-20\n\nWe move to Graz on 1 February 2027.\n")
    told = await told_on(at.coordinator, "personal", DAY, BERLIN)
    await retain(at.agent.memory, told, DAY, writer=None, actor="agent:personal")

    facts = {hit.content: hit.id for hit in await at.agent.memory.recent(9, scope=OWNER)}
    assert await trace(at, facts[NUTS]) == [
        "Written by the retain job on Sat 21 Nov 2026 at 13:00.",
        f"You said on Terminal, Fri 20 Nov 2026 at 14:03: «{NUTS}»",
    ]
    [_, line] = await trace(at, facts["We move to Graz on 1 February 2027."])
    assert line == "From `memory/2026-11-20.md#L3`: «We move to Graz on 1 February 2027.»"


async def test_a_fact_of_a_turn_or_of_one_before_names_what_was_said_in_it(at: ToolHarness) -> None:
    talk = TranscriptBuilder(began=EVENING, is_owner=True).turn(f"{NUTS} My key is sk-proj-4f8a9b2c7d1e6f3a5b8c9d0e")
    await at.record(talk.turn("What else?"))
    for name, sources in (("t1:0", ()), ("t2:0", ("t1",))):
        [by, said] = await trace(at, await remember(at, f"Ines is allergic, says {name}.", name, *sources))
        assert by == "Written by agent:personal on Sat 21 Nov 2026 at 13:00."
        assert NUTS in said
        assert "sk-proj" not in said


async def test_what_is_not_kept_or_not_the_askers_is_not_shown(at: ToolHarness) -> None:
    await at.record(TranscriptBuilder(began=EVENING, is_owner=True).turn(NUTS))
    name = await remember(at, "Ines is allergic.", "t1:0")
    assert len(await trace(at, name, private=False)) == 1
    at.write("MEMORY.md", "- The boiler is in the cellar. ^byhand12\n")
    await at.agent.memory.sync()
    assert await trace(at, "^byhand12") == ["Written into the file by hand; the journal has no record of it."]


async def test_a_fact_that_was_edited_in_its_file_says_so_beside_the_words_that_it_was_made_of(at: ToolHarness) -> None:
    await at.record(TranscriptBuilder(began=EVENING, is_owner=True).turn(NUTS))
    name, log = await remember(at, NUTS, "t1:0"), at.folder / "memory/2026-11-21.md"
    assert len(await trace(at, name)) == 2
    text = log.read_text(encoding="utf-8")

    log.write_text(text.replace("allergic to nuts.", "allergic to *nuts*"), encoding="utf-8")
    await at.agent.memory.sync()
    assert len(await trace(at, name)) == 2

    log.write_text(text.replace("nuts", "figs"), encoding="utf-8")
    await at.agent.memory.sync()
    [_, said, edited] = await trace(at, name)
    assert NUTS in said
    assert edited == "Its line in the file was edited since, and says something else now."


async def test_an_opinion_of_the_page_names_what_was_said_that_it_came_in_by(at: ToolHarness) -> None:
    await at.record(TranscriptBuilder(began=EVENING, is_owner=True).turn("I think Ines likes tea."))
    name = await remember(at, "O(c=0.8) @Ines: Ines likes tea.", "t1:0")
    await at.agent.memory.run(reflect, op_id="r:0", actor="agent:personal")

    [opinion] = [one.id for one in await at.agent.memory.recent(9, scope=OWNER) if one.id != name]

    assert await trace(at, opinion) == [
        "Written by agent:personal on Sat 21 Nov 2026 at 13:00.",
        "You said on Terminal, Fri 20 Nov 2026 at 14:03: «I think Ines likes tea.»",
        f"Made of `memory/2026-11-21.md#^{name}`.",
    ]
