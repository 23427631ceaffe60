"""What `Memory.forget` takes away: what was meant, where notes repeat it, and in the journal when it is purged."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from memory import OWNER, ChunkSize, FrozenClock, Memory, Origin, Part, Preview, chat_scope
from memory.errors import NotFound, NotUndoable, Undecided
from memory.files.workspace import Workspace
from memory.journal.maintenance import verify
from tests.support.factories import NOON

LOG = "memory/2026-11-21.md"
GMAIL = "My password for gmail is kept in the red book."
WIFI = "The office wifi password hangs beside the door."
TENANT = "The tenant Behnke has left a deposit of box 48213907 with us."
SAVED = f"""---
agent: personal
session: 01KAJ2
began: 2026-11-20T09:00
---

# About the plants

[09:00] **Ada**: Who waters the plants?

[09:00] **personal**: Mrs Okafor does.

[09:01] **Ada**: {TENANT}

[09:01] **personal**: Noted.

[09:02] **Ada**: And the box of Behnke?

[09:02] **personal**: (Quoted {LOG}#L4.)
"""

Open = Callable[..., AbstractAsyncContextManager[Memory]]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def opened(folder: Path, clock: FrozenClock) -> Open:
    @asynccontextmanager
    async def opening(*, blanks: bool = True) -> AsyncIterator[Memory]:
        index = folder.parent / "index.sqlite"
        async with await Memory.open(folder, index=index, clock=clock, blanks=blanks) as memory:
            yield memory

    return opening


def op_of(text: str) -> str:
    """The operation that notes a text."""
    return f"note {sum(text.encode())}:0"


async def noted(memory: Memory, *texts: str) -> list[str]:
    """Facts of the owner; their ids."""
    written = [
        await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=op_of(text), actor="owner")
        for text in texts
    ]
    return [one.fact.id or "" for one in written]


async def preview(memory: Memory, wanted: str, *, everything: bool = False) -> Preview:
    return await memory.preview_forget(wanted, everything=everything, scope=OWNER, actor="owner")


async def forget(memory: Memory, wanted: str, op_id: str = "turn:0") -> list[str]:
    """The places of what went."""
    token = (await preview(memory, wanted)).token
    gone = await memory.forget(token, op_id=op_id, scope=OWNER, actor="owner")
    return [f"{line.path}:{line.number}" for line in gone]


def saved(folder: Path, name: str = "2026-11-20-about-the-plants.md", text: str = SAVED) -> Path:
    path = folder / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def journal(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted((folder / ".memory" / "journal").iterdir()))


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("my password for gmail", [GMAIL]),
        ("the office password", [WIFI]),
        ("gmail", [GMAIL]),
        ("the red book with the gmail password", [GMAIL]),
    ],
)
async def test_words_mean_the_one_fact_that_has_all_of_them(opened: Open, wanted: str, meant: list[str]) -> None:
    async with opened() as memory:
        await noted(memory, GMAIL, WIFI)

        found = await preview(memory, wanted)

        assert not found.choose
        assert [text for text in (GMAIL, WIFI) if any(text in line.text for line in found.lines)] == meant


@pytest.mark.parametrize("wanted", ["memory/2026-11.md", "MEMORY.md", "[[2026-11-01#^memory00]]"])
async def test_a_file_or_a_link_that_leads_nowhere_means_no_fact_that_is_like_its_name(
    opened: Open, wanted: str
) -> None:
    async with opened() as memory:
        await noted(memory, "The memory card of 2026-11 lies in the drawer.")

        preview = await memory.preview_forget(wanted, scope=OWNER, actor="owner")

        assert preview.lines == ()


async def test_the_bare_id_of_a_fact_that_is_gone_means_no_other_fact_that_sounds_like_it(opened: Open) -> None:
    async with opened() as memory:
        gone, _ = await noted(memory, GMAIL, WIFI)
        await forget(memory, f"^{gone}")
        await noted(memory, f"The parcel has the number {gone}.")

        assert (await preview(memory, gone)).lines == ()


async def test_a_link_to_a_fact_as_pages_have_it_means_the_fact(opened: Open) -> None:
    async with opened() as memory:
        first, _ = await noted(memory, WIFI, GMAIL)

        preview = await memory.preview_forget(f"[[2026-11-21#^{first}]]", scope=OWNER, actor="owner")

        assert [line.id for line in preview.lines] == [first]


async def test_several_candidates_are_never_taken_together_unseen(opened: Open) -> None:
    async with opened() as memory:
        await noted(memory, GMAIL, WIFI)

        found = await preview(memory, "password")
        assert found.choose
        with pytest.raises(Undecided):
            await memory.forget(found.token, op_id="turn:0", scope=OWNER, actor="owner")
        assert (await memory.stats(scope=OWNER)).facts == 2

        (gone,) = await memory.forget(found.token, only=[2], op_id="turn:0", scope=OWNER, actor="owner")
        assert gone == found.lines[1]
        assert (await memory.stats(scope=OWNER)).facts == 1


async def test_everything_about_a_name_is_shown_together(opened: Open) -> None:
    async with opened() as memory:
        mine = [f"Peter Kranz has {n} bikes." for n in range(2, 9)]
        await noted(memory, *mine, "Petra has a car.", "@Peter: likes tea.")

        found = await preview(memory, "Peter", everything=True)

        assert not found.choose
        assert len(found.lines) == len(mine) + 1
        assert (await preview(memory, "Nobody", everything=True)).lines == ()


async def test_the_lines_of_saved_notes_that_repeat_it_go_with_it_and_come_back_with_it(
    opened: Open, folder: Path
) -> None:
    note = saved(folder)
    async with opened() as memory:
        (name,) = await noted(memory, TENANT)
        shown = await preview(memory, f"^{name}")
        assert [(line.path, line.number) for line in shown.notes] == [
            ("memory/2026-11-20-about-the-plants.md", 13),
            ("memory/2026-11-20-about-the-plants.md", 17),
        ]

        await forget(memory, f"^{name}")

        lines, before = note.read_text().split("\n"), SAVED.split("\n")
        assert [n for n, line in enumerate(lines) if line != before[n]] == [12, 16]
        assert len(lines) == len(before)
        assert lines[12] == f"<!-- scrubjay:forgotten ^{name}-n1 -->"
        found = await memory.recall("tenant Behnke box deposit", scope=OWNER)
        assert not any("48213907" in hit.content or "Behnke" in hit.content for hit in found.hits)

        await memory.undo(op_id="turn:1", scope=OWNER, actor="owner")
        assert note.read_text() == SAVED
        assert TENANT in (folder / LOG).read_text()


async def test_notes_that_no_conversation_was_saved_in_stay(opened: Open, folder: Path) -> None:
    note = saved(folder, text=f"# Mine\n\n{TENANT}\n")
    async with opened() as memory:
        (name,) = await noted(memory, TENANT)

        assert await forget(memory, f"^{name}") == [f"{LOG}:4"]

        assert TENANT in note.read_text()


async def test_a_note_that_is_called_by_it_gets_another_name_which_the_journal_knows_when_it_is_blanked(
    opened: Open, folder: Path, clock: FrozenClock
) -> None:
    async with opened() as memory:
        (name,) = await noted(memory, TENANT)
        old = "memory/2026-11-20-behnke-has-a-box.md"
        await memory.append(old, SAVED, origin=Origin.AGENT, op_id="new:0", actor="owner")
        await noted(memory, WIFI)

        gone = await forget(memory, f"^{name}")

        assert "memory/2026-11-20-forgotten.md:13" in gone
        assert not (folder / old).exists()
        assert "behnke" in journal(folder)
        clock.advance(hours=25)
        await memory.purge()

    assert "ehnke" not in journal(folder)
    assert "48213907" not in journal(folder)
    assert WIFI in journal(folder)
    with Workspace(folder) as workspace:
        assert verify(workspace) == []


async def test_a_fact_in_a_file_that_is_not_utf8_is_recognised_where_it_was_spoken_of(
    opened: Open, folder: Path
) -> None:
    log = folder / "memory/2026-11-20.md"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes("## Retain\n- Jörg Zwölfäpfel owes me 47 coins.\n".encode("cp1252"))
    async with opened() as memory:
        (fact,) = await memory.recent(5, scope=OWNER)
        await forget(memory, f"^{fact.id}", "a turn:0")
        (trail,) = await memory.trails()
        assert trail.traces.matches("what does Zwölfäpfel owe me?")


async def test_a_trail_tells_what_was_forgotten_since_and_by_whom_until_it_is_put_back(opened: Open) -> None:
    async with opened() as memory:
        gmail, tenant = await noted(memory, GMAIL, TENANT)
        assert await memory.trails() == []
        await forget(memory, f"^{tenant}", "a turn:0")
        (first,) = await memory.trails()
        assert (first.reach, first.ids) == (OWNER, frozenset({tenant}))
        assert first.told_in == {op_of(TENANT).removesuffix(":0")}
        assert first.forgotten_in == {"a turn"}
        assert first.traces.matches("where is Behnke?")
        assert not first.traces.matches("password")

        await forget(memory, f"^{gmail}", "turn:1")
        assert await memory.forgettings() == {f"a turn:0 {tenant}", f"turn:1 {gmail}"}
        (second,) = await memory.trails(await memory.forgettings() - first.names)
        assert second.ids == {gmail}
        assert await memory.trails(()) == []

        assert await memory.trails(said=["The tent is green."]) == []
        assert [trail.ids for trail in await memory.trails(said=["The tent is green.", TENANT])] == [{tenant, gmail}]

        await memory.undo(op_id="turn:2", scope=OWNER, actor="owner")
        assert [trail.ids for trail in await memory.trails()] == [{tenant}]


async def test_what_a_killed_process_left_in_notes_is_done_when_the_trail_is_followed(
    opened: Open, folder: Path
) -> None:
    async with opened() as memory:
        (name,) = await noted(memory, TENANT)
        await forget(memory, f"^{name}")
    note = saved(folder)  # as if the process had ended before the note was reached

    async with opened() as memory:
        await memory.trails()

        assert "Behnke" not in note.read_text()
        await memory.undo(op_id="turn:1", scope=OWNER, actor="owner")
        assert note.read_text() == SAVED
        assert TENANT in (folder / LOG).read_text()


async def test_a_known_word_of_memory_does_not_tell(opened: Open) -> None:
    async with opened() as memory:
        tenant, _ = await noted(memory, TENANT, "Behnke plays the trombone.")
        await forget(memory, f"^{tenant}")

        (trail,) = await memory.trails()

        assert not trail.traces.matches("How is Behnke?")
        assert trail.traces.matches("box 48213907")


async def test_the_journal_keeps_its_texts_for_whoever_clears_other_records_first(
    opened: Open, folder: Path, clock: FrozenClock
) -> None:
    async with opened(blanks=False) as memory:
        (name,) = await noted(memory, TENANT)
        await forget(memory, f"^{name}")
    clock.advance(days=3)
    async with opened(blanks=False) as memory:
        await noted(memory, WIFI)
        assert TENANT in journal(folder)
        assert len(await memory.trails()) == 1
        assert await memory.purge() == 1
        assert TENANT not in journal(folder)
        assert await memory.trails() == []


async def test_a_purge_does_not_wait_and_takes_only_what_is_meant(opened: Open, folder: Path) -> None:
    chat = chat_scope("telegram.1:-100")
    async with opened() as memory:
        gmail, tenant, wifi = await noted(memory, GMAIL, TENANT, WIFI)
        picnic = await memory.remember("A picnic.", origin=Origin.GUEST, scope=chat, op_id="g:0", actor="g")
        await memory.forget_facts([picnic.fact.id or ""], op_id="g:1", scope=chat, actor="g")
        for number, name in enumerate((gmail, tenant, wifi)):
            await forget(memory, f"^{name}", f"turn{number}:0")
        assert [line.id for line in await memory.purgeable(scope=OWNER)] == [gmail, tenant, wifi]

        assert await memory.purge(at_once=True, op_id="turn1:0") == 1
        assert (TENANT in journal(folder), GMAIL in journal(folder)) == (False, True)
        assert await memory.purge(at_once=True, scope=OWNER) == 2
        assert "A picnic." in journal(folder)

        with pytest.raises(NotUndoable):
            await memory.undo(op_id="turn:9", scope=OWNER, actor="owner")


async def test_an_earlier_wording_that_was_taken_back_goes_with_the_purge(opened: Open, folder: Path) -> None:
    async with opened() as memory:
        await noted(memory, TENANT.replace("48213907", "48213900"), GMAIL)
        await memory.undo(2, op_id="turn:0", scope=OWNER, actor="owner")
        (name, _) = await noted(memory, TENANT, WIFI)
        await forget(memory, f"^{name}", "turn:1")

        await memory.purge(at_once=True, op_id="turn:1")

        assert "behnke" not in journal(folder).lower()
        assert [line.text.endswith(f"{GMAIL} #fact ^{line.id}") for line in await memory.purgeable(scope=OWNER)] == [
            True
        ]
        assert await memory.purge(at_once=True) == 1
        assert GMAIL not in journal(folder)
        await memory.undo(op_id="turn:2", scope=OWNER, actor="owner")
        assert WIFI not in (folder / LOG).read_text()


async def test_what_a_purge_that_was_killed_has_left_of_the_journal_goes_with_the_next_start(
    opened: Open, folder: Path
) -> None:
    async with opened() as memory:
        await noted(memory, TENANT)
    (month,) = (folder / ".memory/journal").iterdir()
    left = month.rename(month.with_name(".scrubjay-0123456789abcdef"))
    month.write_bytes(left.read_bytes())

    async with opened():
        assert not left.exists()
        assert "behnke" in journal(folder).lower()


async def test_what_a_purge_that_was_killed_between_two_months_has_left_goes_with_the_next(
    opened: Open, folder: Path, clock: FrozenClock
) -> None:
    async with opened() as memory:
        await noted(memory, TENANT)
        clock.advance(days=20)
        told = [Part(f"Told: {TENANT}\n", Origin.AGENT)]
        await memory.append("memory/note.md", parts=told, origin=Origin.AGENT, op_id="t:0", actor="owner")
        await memory.undo(2, op_id="turn:0", scope=OWNER, actor="owner")
        later = folder / ".memory" / "journal" / "2026-12.jsonl"
        unblanked = later.read_bytes()
        await memory.purge(at_once=True)
        later.write_bytes(unblanked)  # as it is if the process was killed after the first month

    async with opened() as memory:
        assert await memory.purge(at_once=True) == 1
        assert "behnke" not in journal(folder).lower()


async def test_nothing_of_it_stands_in_the_bytes_of_the_index(opened: Open, folder: Path) -> None:
    async with opened() as memory:
        (name, *_) = await noted(memory, TENANT, *(f"Filler number {n}." for n in range(50)))
        await forget(memory, f"^{name}")
        files = [path.read_bytes().lower() for path in folder.parent.glob("index.sqlite*")]
        assert not any(b"behnke" in data or b"48213907" in data for data in files)


async def test_an_unknown_number_or_id_forgets_nothing(opened: Open) -> None:
    async with opened() as memory:
        await noted(memory, GMAIL, WIFI)
        found = await preview(memory, "password")

        with pytest.raises(NotFound):
            await memory.forget(found.token, only=[3], op_id="turn:0", scope=OWNER, actor="owner")
        with pytest.raises(NotFound):
            await memory.forget_facts(["zzzzzzzz"], op_id="turn:0", scope=OWNER, actor="owner")
        assert (await memory.stats(scope=OWNER)).facts == 2


async def test_the_copy_of_a_log_that_a_synchronisation_has_made_keeps_nothing_of_a_fact(
    opened: Open, folder: Path
) -> None:
    async with opened() as memory:
        (name, other) = await noted(memory, GMAIL, WIFI)
        copy = folder / "memory" / "2026-11-21 (conflict).md"
        copy.write_text(before := (folder / LOG).read_text())
        await memory.sync()

        await forget(memory, f"^{name}")
        assert not any("gmail" in hit.content for hit in (await memory.recall("gmail", scope=OWNER)).hits)
        await memory.undo(op_id="turn:1", scope=OWNER, actor="owner")
        assert copy.read_text() == (folder / LOG).read_text() == before

        await memory.supersede(other, "Wifi: beside the lamp.", origin=Origin.OWNER, scope=OWNER, op_id="2", actor="a")
        assert WIFI not in copy.read_text() + (folder / LOG).read_text()


async def test_a_line_without_an_id_goes_from_each_version_of_its_file_and_from_no_other(
    opened: Open, folder: Path
) -> None:
    versions = ["bank/house.md", "bank/house.sync-conflict-20261130-123456-ABCDEFG.md"]
    versions.append("bank/house (Ana's conflicted copy 2026-11-30).md")
    line = "- The cellar key is red."
    async with opened() as memory:
        others = ("bank/keys.md", "bank/house (family conflict).md")
        for path in (*versions, *others):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(f"{line}\n- Another line in {Path(path).stem}.\n")
        await memory.sync()
        shown = await memory.preview_forget("bank/house.md:1", scope=OWNER, actor="owner")
        assert {one.path for one in (*shown.lines, *shown.notes)} == {*versions}

        await memory.forget(shown.token, op_id="forget", scope=OWNER, actor="owner")
        assert [line in (folder / path).read_text() for path in (*versions, *others)] == [False] * 3 + [True] * 2

        await memory.undo(op_id="undo", scope=OWNER, actor="owner")
        assert all(line in (folder / path).read_text() for path in versions)


async def test_a_line_that_a_merge_has_doubled_in_its_file_goes_everywhere_and_one_that_is_put_back_later_stays(
    opened: Open, folder: Path
) -> None:
    log = folder / LOG
    async with opened() as memory:
        (name, _) = await noted(memory, GMAIL, WIFI)
        before = f"<<<<<<< HEAD\n{log.read_text()}=======\n{log.read_text()}>>>>>>> laptop\n"
        log.write_text(before)
        await memory.sync()

        await forget(memory, f"^{name}")
        assert GMAIL not in log.read_text()
        assert not any("gmail" in hit.content for hit in (await memory.recall("gmail", scope=OWNER)).hits)
        log.write_text(log.read_text() + next(line for line in before.splitlines(keepends=True) if GMAIL in line))
        await memory.sync()
        await memory.trails()
        assert log.read_text().count(GMAIL) == 1


async def test_what_a_group_forgets_goes_in_every_copy_of_its_line_and_from_none_of_the_owners_notes(
    opened: Open, folder: Path
) -> None:
    group, note = chat_scope("volatile.bot:-100"), saved(folder)
    async with opened() as memory:
        written = await memory.remember(TENANT, origin=Origin.GUEST, scope=group, op_id="g", actor="a")
        log = folder / written.at.path
        copy = log.with_name("2026-11-21 (conflict).md")
        log.write_text(log.read_text() + f"{written.text}\n")
        copy.write_text(before := log.read_text())
        await memory.sync()

        shown = await memory.preview_forget("Behnke", scope=group, actor="a")
        await memory.forget(shown.token, op_id="turn:0", scope=group, actor="a")
        assert (len(shown.lines), len(shown.notes)) == (1, 3)
        assert TENANT not in log.read_text() + copy.read_text()
        assert (await memory.recall("Behnke", scope=group)).hits == ()
        assert note.read_text() == SAVED
        await memory.undo(op_id="turn:1", scope=group, actor="a")
        assert (log.read_text(), copy.read_text()) == (before, before)


async def test_a_line_that_a_person_puts_into_another_file_later_stays(opened: Open, folder: Path) -> None:
    async with opened() as memory:
        (name,) = await noted(memory, GMAIL)
        line = (folder / LOG).read_text().splitlines()[-1]
        await forget(memory, f"^{name}")
        saved(folder, "2026-11-20-mine.md", f"## Retain\n{line}\n")
        await memory.sync()

        await memory.trails()
        assert GMAIL in (await memory.find(name, scope=OWNER)).content


async def test_copies_go_too_where_the_forgetting_was_broken_off_between_a_line_and_its_copy(
    opened: Open, folder: Path
) -> None:
    async with opened() as memory:
        (name,) = await noted(memory, GMAIL)
        files = [folder / LOG, *(folder / "memory" / f"2026-11-21 (conflict {number}).md" for number in (1, 2))]
        for copy in files[1:]:
            copy.write_text(files[0].read_text() * 2)
        await memory.sync()
        await memory.forget_facts([name], op_id="turn:0", scope=OWNER, actor="owner")
    # As it is if the process was killed in the second file.
    (journal,) = (folder / ".memory" / "journal").glob("*.jsonl")
    records = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(records[:-3]))
    for record in map(json.loads, records[-3:]):
        copy = folder / record["path"]
        copy.write_text(copy.read_text().replace(record["after"], record["before"]))

    async with opened() as memory:
        await memory.trails()
        assert not [path.name for path in files if GMAIL in path.read_text()]


async def test_a_confirmed_preview_reaches_no_further_than_it_showed(opened: Open, folder: Path) -> None:
    group, note = chat_scope("volatile.bot:-100"), saved(folder)
    async with opened() as memory:
        await noted(memory, TENANT)
        shown = await memory.preview_forget(TENANT, scope=OWNER, actor="owner", reach=group)
        await memory.forget(shown.token, op_id="turn:0", scope=OWNER, actor="owner")

        (trail,) = await memory.trails()

    assert (shown.notes, trail.reach) == ((), group)
    assert note.read_text(encoding="utf-8") == SAVED


async def test_of_two_chunks_with_a_line_the_first_is_forgotten_by_its_place(folder: Path, clock: FrozenClock) -> None:
    page = saved(folder, "2026-11-20.md", "\n".join(f"number {n} of the lines" for n in range(8)))
    index = folder.parent / "index.sqlite"
    async with await Memory.open(folder, index=index, clock=clock, chunks=ChunkSize(20, 10)) as memory:
        assert await forget(memory, "memory/2026-11-20.md:3") == ["memory/2026-11-20.md:1"]
        assert page.read_text(encoding="utf-8").split("\n")[3] == "number 3 of the lines"
        await memory.undo(1, op_id="turn:1", scope=OWNER, actor="owner")
    assert page.read_text(encoding="utf-8").split("\n")[0] == "number 0 of the lines"


async def test_a_chunk_is_forgotten_by_the_lines_that_it_is_cited_with(folder: Path, clock: FrozenClock) -> None:
    saved(folder, "2026-11-20.md", "\n".join(f"number {n} of the lines" for n in range(8)))
    index = folder.parent / "index.sqlite"
    async with await Memory.open(folder, index=index, clock=clock, chunks=ChunkSize(20, 10)) as memory:
        shown = await preview(memory, "memory/2026-11-20.md#L3-L5")
        assert [(line.number, line.text.count("\n")) for line in shown.lines] == [(3, 2)]
        elsewhere = await preview(memory, "memory/2026-11-20.md#L3-L4")
        assert [(line.number, line.text.count("\n")) for line in elsewhere.lines] == [(1, 2)]


async def test_chunks_that_overlap_are_forgotten_together(folder: Path, clock: FrozenClock) -> None:
    text = "\n".join(f"number {n} of the lines" for n in range(8))
    page = saved(folder, "2026-11-20.md", text)
    index = folder.parent / "index.sqlite"
    async with await Memory.open(folder, index=index, clock=clock, chunks=ChunkSize(20, 10)) as memory:
        ids = [hit.id for hit in await memory.day("2026-11-20", scope=OWNER)]
        assert len(ids) == 4  # the lines 1 to 3, 3 to 5, 5 to 7, 7 and 8
        wanted = [ids[2], ids[0], ids[1]]
        for _ in range(2):  # a turn may be repeated after a crash
            gone = await memory.forget_facts(wanted, op_id="turn:0", scope=OWNER, actor="owner")
            assert {line.id: (line.number, line.text.count("\n") + 1) for line in gone} == {
                ids[0]: (1, 3),
                ids[1]: (4, 2),
                ids[2]: (6, 2),
            }
        kept = [line for line in page.read_text(encoding="utf-8").split("\n") if not line.startswith("<!--")]
        assert kept == ["number 7 of the lines"]
        await memory.undo(1, op_id="turn:1", scope=OWNER, actor="owner")
    assert page.read_text(encoding="utf-8") == text
