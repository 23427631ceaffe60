from __future__ import annotations

import random
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.evidence import format_evidence
from memory.files.markdown import block_id, split_lines
from memory.files.notation import MAX_FACT_CHARS, format_fact, parse_fact
from memory.files.origins import line_digest
from memory.index.owners import Owners
from memory.index.units import (
    MAX_CHARS,
    MAX_ENTITIES,
    MAX_LINES,
    MAX_PROBLEMS,
    MAX_UNITS,
    SPLIT,
    Chunked,
    Unit,
    chunk,
    distinct_names,
    line_name,
)
from memory.journal.state import JournalState, Provenance
from memory.types import OWNER, ChunkSize, Evidence, Fact, FactSource, Kind, Origin, chat_scope
from tests.unit.memory.index.conftest import NOBODY

UNIT = Unit(
    name="k1",
    kind=Kind.WORLD,
    start=3,
    end=3,
    text="- W @Peter: Lives in Rome. ^k1",
    body="Lives in Rome.",
    origin=Origin.OWNER,
    scope=OWNER,
    entities=("Peter",),
)


def test_place_and_owner_do_not_change_the_digest() -> None:
    moved = UNIT._replace(start=9, end=9, turn=4, origin=Origin.GUEST, scope=chat_scope("1"))
    moved = moved._replace(fact_source=FactSource.CRON, known="2026-01-20", evidence=(Evidence("", 1.0, "", ""),))
    assert moved.digest() == UNIT.digest()


@pytest.mark.parametrize(
    "other",
    [
        UNIT._replace(body="x"),
        UNIT._replace(text="x"),
        UNIT._replace(name="x"),
        UNIT._replace(kind=Kind.OPINION),
        UNIT._replace(title="x"),
        UNIT._replace(lead="x"),
        UNIT._replace(time="x"),
        UNIT._replace(entities=("Peter", "Rome")),
        UNIT._replace(speaker="x"),
        UNIT._replace(category="goal"),
        UNIT._replace(language="de"),
        UNIT._replace(lead_in="x"),
        UNIT._replace(tags=("x",)),
        UNIT._replace(attributes=(("c", "1"),)),
        UNIT._replace(since="2026-01-20"),
        UNIT._replace(until="2026-01-20"),
    ],
)
def test_anything_else_does(other: Unit) -> None:
    assert other.digest() != UNIT.digest()


def test_names_that_the_text_leaves_out_are_searched_with_it() -> None:
    assert UNIT.searched()[:2] == ("en", "live in rome peter")
    assert UNIT._replace(body="Peter lives in Rome.").searched()[:2] == ("en", "peter live in rome")


def test_titles_are_searched_with_the_first_unit_under_them() -> None:
    assert UNIT._replace(lead="Address").searched()[1].split()[0] == "address"


def test_a_short_unit_is_taken_for_the_language_of_its_file() -> None:
    assert UNIT._replace(body="Termine", entities=(), language="de").searched()[:2] == ("de", "termin")


@pytest.mark.parametrize("letter", [kind.letter for kind in Kind if kind.letter])
def test_the_notation_of_a_first_fact_tells_nothing_of_its_language(letter: str) -> None:
    page = f"# 2026-11-28\n\n## Retain\n\n- {letter} (c=0.9) @Ana @Porto: My sister Ana lives in Porto. #person ^a1\n"
    [unit] = chunk("memory/2026-11-28.md", page, owners=NOBODY).units
    assert unit.searched()[:2] == ("en", "my sister ana live in porto")


@pytest.mark.parametrize(
    ("text", "expected"), [("a line ^k3f9", "k3f9"), ("^k3", "k3"), ("a ^k b", None), ("a^k", None), ("a", None)]
)
def test_a_block_id_ends_the_text(text: str, expected: str | None) -> None:
    assert block_id(text) == expected


def test_a_name_by_words_ignores_spacing_and_nothing_else() -> None:
    assert line_name("a.md", "two  words\n") == line_name("a.md", "two words")
    assert line_name("a.md", "two words") != line_name("a.md", "Two words")
    assert line_name("a.md", "two words") != line_name("b.md", "two words")
    assert line_name("a.md", "\ud800").startswith("h")


@given(st.lists(st.sampled_from(["a", "b", "a-2", "a-3", "a-2-2"])))
def test_names_become_distinct_and_the_first_of_each_keeps_its_own(names: list[str]) -> None:
    found = distinct_names(names)
    assert len(set(found)) == len(found) == len(names)
    if names:
        assert found[0] == names[0]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("# Anna and Ben, 2026-11-20 16:04\n\nAnna: Hello.", "Anna: Hello."),
        ("# 2026-11-20\n\n## Evening of 2026-11-20\nRain.", "## Evening of 2026-11-20\nRain."),
        ("# The harbour\n\nIt is old.", "# The harbour\n\nIt is old."),
        ("# Anna, 2026-11-20", "# Anna, 2026-11-20"),
        ("It was on\n# 2026-11-20", "It was on\n# 2026-11-20"),
    ],
)
def test_the_dated_title_of_a_log_is_not_part_of_what_its_first_paragraph_means(text: str, meant: str) -> None:
    unit = Unit(name="h1", kind=Kind.NOTE, start=1, end=3, text=text, body=text, origin=Origin.OWNER, scope=OWNER)
    assert unit.meant == meant


DAY = """\
---
aliases: [Diary]
---
# Tuesday

Met @Anna at [[The-Castle]]. ^meet1

## Retain
- W @Peter: Currently in Marrakech (Nov 27-Dec 1, 2025) for Andy's birthday.
- O(c=0.95) @Peter: Prefers concise replies. #preference ^k3f9a2
- T(due=2026-12-01T09:00) @me: Send Alice the signed offer. #goal ^p8d2m1
- W(since=2025-11-27, until=2025-12-01): Away from home.
- plain words
- O(c=7): much too sure
"""


def units(text: str, path: str = "memory/2026-01-20.md") -> tuple[Unit, ...]:
    return chunk(path, text, owners=NOBODY).units


def by_name(found: Chunked) -> dict[str, Unit]:
    return {unit.name: unit for unit in found.units}


def test_a_day_becomes_notes_and_facts() -> None:
    found = chunk("memory/2026-01-20.md", DAY, owners=NOBODY)
    kinds = [unit.kind for unit in found.units]
    assert kinds == [
        Kind.NOTE, Kind.WORLD, Kind.OPINION, Kind.INTENTION, Kind.WORLD, Kind.OBSERVATION, Kind.NOTE,
    ]  # fmt: skip
    note = found.units[0]
    assert (note.name, note.start, note.end, note.entities) == ("meet1", 4, 6, ("Anna", "The-Castle"))
    assert note.text == "# Tuesday\n\nMet @Anna at [[The-Castle]]. ^meet1"


def test_a_fact_is_searched_without_its_notation_and_shown_with_it() -> None:
    opinion = by_name(chunk("memory/2026-01-20.md", DAY, owners=NOBODY))["k3f9a2"]
    assert opinion.body == "Prefers concise replies."
    assert opinion.text == "- O(c=0.95) @Peter: Prefers concise replies. #preference ^k3f9a2"
    assert (opinion.entities, opinion.category, opinion.time) == (("Peter",), "preference", "2026-01-20")


def test_what_a_fact_says_about_time_counts_before_the_day_of_its_file() -> None:
    found = {unit.body: unit for unit in units(DAY)}
    due = found["Send Alice the signed offer."]
    assert (due.time, due.first, due.last) == ("2026-12-01T09:00", "2026-12-01", "2026-12-01")
    away = found["Away from home."]
    assert (away.time, away.first, away.last) == ("2025-11-27", "2025-11-27", "2025-12-01")


def test_a_bullet_that_cannot_be_read_is_kept_as_a_note_and_reported_with_its_line() -> None:
    found = chunk("memory/2026-01-20.md", DAY, owners=NOBODY)
    assert found.units[-1].text == "- O(c=7): much too sure"
    (problem,) = found.problems
    assert (problem.path, problem.line) == ("memory/2026-01-20.md", 14)
    assert "c=7" in problem.message
    assert problem.hint


def test_a_bullet_longer_than_a_fact_may_be_is_a_note() -> None:
    found = chunk("bank/world.md", f"- {'long ' * MAX_FACT_CHARS}\n- short\n", owners=NOBODY)
    assert {unit.kind for unit in found.units[:-1]} == {Kind.NOTE}
    assert found.units[-1].kind is Kind.WORLD
    assert "longer" in found.problems[0].message


@pytest.mark.parametrize("path", ["bank/world.md", "bank/entities/Peter.md", "MEMORY.md"])
def test_bullets_of_the_bank_and_of_core_memory_are_facts(path: str) -> None:
    kind = Kind.WORLD if path == "bank/world.md" else Kind.OBSERVATION
    assert [unit.kind for unit in units("A line.\n\n- a fact\n\n- S: seen\n", path)] == [
        Kind.NOTE,
        kind,
        Kind.OBSERVATION,
    ]


def test_what_a_generated_part_holds_is_left_to_what_it_was_made_of() -> None:
    text = "<!-- scrubjay:begin summary -->\n- said again\n<!-- scrubjay:end summary -->\n- a fact\n"
    assert [unit.body for unit in units(text, "bank/entities/Peter.md")] == ["a fact"]


def test_units_of_an_entitys_page_are_about_it() -> None:
    found = chunk("bank/entities/Anna-Lopez.md", "---\naliases: [Annie, A.L.]\n---\n- Lives in Rome.\n", owners=NOBODY)
    assert found.units[0].entities == ("Anna-Lopez",)
    assert found.aliases == (("Annie", "Anna-Lopez"), ("A.L.", "Anna-Lopez"))


def test_a_dated_heading_dates_what_stands_under_it() -> None:
    text = "# Log\n\nold\n\n## 2026-02-03\n\nnew\n\n- also new\n"
    assert [(unit.text.split("\n")[-1], unit.first) for unit in units(text, "notes.md")] == [
        ("old", None),
        ("new", "2026-02-03"),
        ("- also new", "2026-02-03"),
    ]


def test_a_conversation_is_cut_into_turns_with_their_speakers() -> None:
    text = "Ann: Hello.\n\nBob: Hi.\n\nAnn: The key is under the pot.\n\nBob: Thanks.\n"
    found = units(text)
    assert [(unit.speaker, unit.turn) for unit in found] == [("Ann", 0), ("Bob", 1), ("Ann", 2), ("Bob", 3)]
    assert found[2].entities == ("Ann",)


def test_pieces_of_a_long_turn_know_that_they_belong_together() -> None:
    long = "\n\n".join(f"Paragraph {n}. {'word ' * 60}" for n in range(6))
    found = units(f"Ann: {long}\n\nBob: short\n\nAnn: short\n\nBob: short\n")
    assert [unit.turn for unit in found][:3] == [0, 0, 0]
    assert {unit.speaker for unit in found if unit.turn == 0} == {"Ann"}


def test_lines_without_an_id_are_named_by_their_words() -> None:
    once = units("The key  is under the pot.\n")
    again = units("Something before.\n\nThe key is under the pot.\n")
    assert once[0].name == again[1].name == line_name("memory/2026-01-20.md", "The key is under the pot.")
    assert once[0].name != units("The key is under the pot.\n", "other.md")[0].name


def test_the_same_line_twice_has_two_names() -> None:
    first, second = units("- buy milk\n- buy milk\n")
    assert second.name == f"{first.name}-2"


PAGES = st.text(alphabet=st.sampled_from(list("AbO:#-*`@^ \n<!>|1.()=c字")), max_size=300)


@given(PAGES, st.sampled_from(["memory/2026-01-20.md", "bank/world.md", "notes.md"]))
def test_any_text_is_cut_into_units_that_stand_where_they_say(text: str, path: str) -> None:
    found = chunk(path, text, owners=NOBODY)
    lines = split_lines(text)
    for unit in found.units:
        assert 1 <= unit.start <= unit.end <= len(lines)
        assert unit.text in "\n".join(lines[unit.start - 1 : unit.end])
        assert unit.first is None or date.fromisoformat(unit.first) <= date.fromisoformat(unit.last or "")
    starts = [unit.start for unit in found.units]
    assert starts == sorted(starts)
    assert len({unit.name for unit in found.units}) == len(found.units)
    assert found == chunk(path, text, owners=NOBODY)


@given(st.lists(st.text(alphabet="abc .", min_size=1, max_size=60).filter(str.strip), max_size=12))
def test_every_paragraph_is_in_exactly_one_unit(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraph.strip() for paragraph in paragraphs)
    assert [unit.text for unit in units(text)] == [paragraph.strip() for paragraph in paragraphs]


def test_of_very_many_passages_the_first_are_taken_in_and_the_end_is_told() -> None:
    found = chunk("a.md", "a\n\n" * (MAX_UNITS + 5), owners=NOBODY)
    assert len(found.units) == MAX_UNITS
    assert [(problem.line, problem.hint) for problem in found.problems] == [(2 * MAX_UNITS - 1, SPLIT)]


def test_a_file_is_read_to_its_three_millionth_character() -> None:
    lines = "a" * 999_999 + "\n"
    few = chunk("a.md", lines * 3, owners=NOBODY)
    more = chunk("a.md", lines * 2 + "b" * 999_999 + "c\n", owners=NOBODY)
    one = chunk("a.md", "a" * (MAX_CHARS + 1), owners=NOBODY)

    assert few.problems == ()
    assert ([problem.line for problem in more.problems], [problem.line for problem in one.problems]) == ([3], [1])
    assert not any("b" in unit.text for unit in more.units)
    assert sum(len(unit.text) for unit in one.units) == MAX_CHARS


def test_of_very_many_lines_the_first_are_read_and_the_end_is_told() -> None:
    found = chunk("a.md", "\n" * (MAX_LINES + 1) + "unread", owners=NOBODY)
    assert (found.units, [problem.line for problem in found.problems]) == ((), [MAX_LINES])
    assert chunk("a.md", "\n" * (MAX_LINES - 1) + "read\n", owners=NOBODY).problems == ()


def test_bullets_that_cannot_be_read_are_told_one_by_one_and_then_by_their_number() -> None:
    found = chunk("MEMORY.md", "- O(c=7): too sure\n" * (MAX_PROBLEMS + 4), owners=NOBODY)
    *told, last = found.problems
    assert len(told) == MAX_PROBLEMS
    assert last.message == "4 further bullets cannot be read."


def test_no_unit_carries_a_title_or_names_without_end() -> None:
    names = " ".join(f"@n{number}" for number in range(1000))
    found = chunk("MEMORY.md", f"# {'title ' * 1000}\n\n## Part\n\n- W {names}: a fact\n", owners=NOBODY)
    (unit,) = found.units
    assert len(unit.entities) == MAX_ENTITIES
    assert len(unit.title) < 400


def recorded(*records: tuple[str, str, str, str], origin: Origin = Origin.OWNER) -> Owners:
    """Facts by id, with the instant, the operation and the file of their record."""
    ledger = JournalState()
    for name, at, op_id, path in records:
        ledger.provenance[name] = Provenance(origin, OWNER, at, "owner", op_id, path)
    return Owners(ledger)


def test_all_that_a_fact_carries_is_kept() -> None:
    text = (
        "- O(c=0.95, i=0.9) @Peter: **Replies:** short ones, #chat/style please. #preference ^k3f9a2\n"
        "  <!-- scrubjay:evidence ^k3f9a2 from 0.94; 2026-01-20 +0.25 memory/2026-01-20.md#^a1b2c3d4 -->\n"
    )
    (unit,) = units(text, "bank/opinions.md")
    assert (unit.lead_in, unit.category, unit.tags) == ("Replies", "preference", ("chat/style",))
    assert unit.attributes == (("c", "0.95"), ("i", "0.9"))
    assert unit.evidence == (Evidence("2026-01-20", 0.25, "memory/2026-01-20.md", "a1b2c3d4"),)


def test_evidence_that_cannot_be_read_is_told_with_its_line() -> None:
    found = chunk("bank/opinions.md", "- Tea is good. ^a\n  <!-- scrubjay:evidence ^a from 7 -->\n", owners=NOBODY)
    assert [(unit.kind, unit.evidence) for unit in found.units] == [(Kind.OPINION, ())]
    assert [(problem.path, problem.line) for problem in found.problems] == [("bank/opinions.md", 2)]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("- W: Lives in Rome.", "2026-01-20", None),
        ("- W(since=2025-05-01): Lives in Rome.", "2025-05-01", None),
        ("- W(until=2026-02-01): Lives in Rome.", "2026-01-20", "2026-02-01"),
        ("- W: Lived in Rome until 2019.", None, "2019-12-31"),
        ("- W: Is in Rome since Monday.", "2026-01-19", None),
        ("- B: Saw Rome.", "2026-01-20", "2026-01-20"),
        ("- B: Ill since Monday.", "2026-01-19", "2026-01-20"),
        ("- T(due=2026-03-01T09:00): See Rome.", "2026-01-20", "2026-03-01"),
        ("- T: See Rome.", "2026-01-20", None),
    ],
)
def test_a_fact_holds_as_it_says_else_as_its_kind_does(text: str, since: str | None, until: str | None) -> None:
    (unit,) = units(f"## Retain\n{text}\n")
    assert (unit.since, unit.until) == (since, until)
    (note,) = units("Saw Rome.")
    assert (note.since, note.until, note.known) == ("2026-01-20",) * 3


def test_a_fact_that_was_moved_into_the_bank_keeps_the_day_of_its_log_which_is_in_the_owners_zone() -> None:
    ledger = recorded(
        ("a", "2026-02-03T23:30:00.000Z", "t:1", "memory/2026-02-04.md"),
        ("b", "2026-02-04T01:30:00.000Z", "t:2", "memory/guests/2026-02-03.md"),
        ("c", "2026-02-04T01:30:00.000Z", "t:3", "bank/world.md"),
    )
    found = chunk("bank/world.md", "- A. ^a\n- B. ^b\n- C. ^c\n", owners=ledger).units
    assert [unit.first for unit in found] == ["2026-02-04", "2026-02-03", "2026-02-04"]


def test_a_fact_of_the_bank_has_the_day_it_begins_with_else_the_journals() -> None:
    text = "- **2026-01-05**: Moved. ^a\n- Stays. ^b\n- By hand.\n"
    ledger = recorded(*((name, "2026-02-03T10:00:00.000Z", "t:1", "memory/x.md") for name in "ab"))
    found = chunk("bank/experience.md", text, owners=ledger).units
    assert [(unit.first, unit.known) for unit in found] == [
        ("2026-01-05", "2026-02-03T10:00:00.000Z"), ("2026-02-03", "2026-02-03T10:00:00.000Z"), (None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("op_id", "path", "source"),
    [
        ("turn:1", "", FactSource.CONVERSATION),
        ("job:retain@2026:1", "", FactSource.CRON),
        ("reflect:1", "", FactSource.INFERENCE),
        ("turn:1", "bank/elsewhere.md", FactSource.EXTERNAL),
    ],
)
def test_the_journal_tells_how_a_fact_came_into_memory(op_id: str, path: str, source: FactSource) -> None:
    here = "memory/2026-01-20.md"
    ledger = recorded(("a", "2026-02-03T10:00:00.000Z", op_id, path or here))
    (fact, by_hand, note) = chunk(here, "## Retain\n- Said. ^a\n- By hand.\n\nNote.\n", owners=ledger).units
    assert (fact.fact_source, by_hand.fact_source, note.fact_source) == (source, FactSource.EXTERNAL, None)
    foreign = recorded(("a", "", op_id, here), origin=Origin.IMPORT)
    assert chunk(here, "## Retain\n- Said. ^a\n", owners=foreign).units[0].fact_source is FactSource.EXTERNAL


def test_thousands_of_facts_are_read_with_all_that_they_carry() -> None:
    chance = random.Random(15)
    said, steps = ("It rains", "Es regnet", "下雨了", "two\n- lines"), (0.25, -0.25, -1.0)
    facts, lines = [], ["## Retain"]
    for number in range(2000):
        title = chance.choice(["**Tea:** ", "**An offer** ", ""])
        tag = chance.choice([" #garden/shed", " #项目", ""])
        attributes = {"c": f"{chance.random():.2f}", "since": "2025-11-27", "until": "2026-12-01"}
        fact = Fact(
            text=f"{title}{chance.choice(said)} {number}{tag}",
            kind=chance.choice([kind for kind in Kind if kind.letter]),
            entities=tuple(chance.sample(["Ada", "Bo", "O'Brien", "林薇"], chance.randint(0, 2))),
            category=chance.choice([None, "goal", "preference"]),
            id=f"k{number:07}",
            attributes=tuple(pair for pair in attributes.items() if chance.random() < 0.5),
        )
        day = f"2026-01-{1 + number % 28:02}"
        evidence = [Evidence(day, chance.choice(steps), "memory/a; b.md", f"e{n}") for n in range(number % 3)]
        facts.append((fact, tuple(evidence), title, tag))
        lines += [format_fact(fact), *([format_evidence(fact.id or "", 0.7, evidence)] if evidence else [])]
    read = units("\n".join(lines), "memory/2026-01-20.md")
    assert len(read) == len(facts)
    for unit, (fact, shown, title, tag) in zip(read, facts, strict=True):
        assert parse_fact(unit.text) == fact
        assert (unit.name, unit.body, unit.kind, unit.entities) == (fact.id, fact.text, fact.kind, fact.entities)
        assert (unit.attributes, unit.category, unit.evidence) == (fact.attributes, fact.category, shown)
        assert (unit.lead_in, unit.tags) == (title.strip("*: "), (tag.strip(" #"),) if tag else ())


@pytest.mark.parametrize(
    ("fact", "named"),
    [
        ("B: Mum died on Friday.", "2026-11-27"),
        ("B: We married on 3 June.", "2026-06-03"),
        ("W: Dinner on Friday.", "2026-12-04"),
    ],
)
def test_what_has_been_lived_through_names_a_day_that_is_past(fact: str, named: str) -> None:
    [unit] = chunk("memory/2026-11-28.md", f"## Retain\n\n- {fact}\n", owners=NOBODY).units
    assert unit.named == named


CHUNKS = ChunkSize(tokens=20, overlap=10)


def chunks(text: str, path: str = "memory/2026-01-20.md", *, who: Owners = NOBODY) -> list[tuple[int, int, str]]:
    """First and last line of each chunk, and the first word of its titles."""
    read = chunk(path, text, owners=who, chunks=CHUNKS).units
    assert [unit.turn for unit in read] == [*range(len(read))]
    return [(unit.start, unit.end, unit.title) for unit in read]


def test_chunks_are_of_whole_lines_and_repeat_the_end_of_the_last() -> None:
    lines = [f"number {n} of the lines" for n in range(8)]  # 24 bytes with the line's end: three make a chunk

    assert chunks("\n".join(lines)) == [(1, 3, ""), (3, 5, ""), (5, 7, ""), (7, 8, "")]
    assert chunks("\n\n".join(lines)) == [(1, 5, ""), (5, 9, ""), (9, 13, ""), (13, 15, "")]
    assert [unit.text for unit in units("\n".join(lines[:3]))] == ["\n".join(lines[:3])]


def test_every_line_is_in_a_chunk_and_no_chunk_is_in_another() -> None:
    lines = ["x" * length for length in (3, 70, 3, 200, 1, 30, 30, 90, 3, 3, 79, 80, 81)]
    read = chunk("a.md", "\n\n".join(lines), owners=NOBODY, chunks=CHUNKS).units
    spans = list(dict.fromkeys((unit.start, unit.end) for unit in read))

    assert {line for start, end in spans for line in range(start, end + 1)} >= {*range(1, 26, 2)}
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(spans))
    assert all(len(unit.text) <= 80 for unit in read)
    assert "".join(unit.text for unit in read if unit.start == unit.end == 7) == "x" * 200, "a long line is cut"


def test_facts_and_notes_with_ids_stand_by_themselves_between_chunks() -> None:
    text = "one\n\ntwo\n\nthree ^abc1\n\nfour\n\n## Retain\n- W: five ^abc2\n- six\n\nseven\n\n<!-- x -->\n\neight\n"
    read = chunk("memory/2026-01-20.md", text, owners=NOBODY, chunks=CHUNKS).units

    assert [(unit.start, unit.end) for unit in read] == [(1, 3), (5, 5), (7, 7), (10, 10), (11, 11), (13, 13), (17, 17)]
    assert [unit.name for unit in read if unit.name.startswith("abc")] == ["abc1", "abc2"]


def test_a_chunk_is_of_one_day_and_of_one_owner() -> None:
    text = "## 2026-01-20\none\n\ntwo\n\n## 2026-01-21\nthree\n"
    assert chunks(text, "notes.md") == [(2, 4, "2026-01-20"), (7, 7, "2026-01-21")]

    ledger = JournalState()
    ledger.lines["a.md"] = {line_digest("mine"): Origin.OWNER, line_digest("too"): Origin.OWNER}
    page = "---\norigin: untrusted\n---\n\nmine\n\ntoo\n\ntheirs\n"
    read = chunk("a.md", page, owners=Owners(ledger), chunks=CHUNKS).units
    assert [(unit.text, unit.origin) for unit in read] == [("mine\n\ntoo", Origin.OWNER), ("theirs", Origin.UNTRUSTED)]


def test_a_chunk_of_one_speaker_is_theirs_and_one_of_several_is_nobodys() -> None:
    text = "Ann: hi\n\nBob: yes\n\nAnn: bye\n\nBob: no\n\n## Retain\n- W: five\n\nBob: late\n"
    read = chunk("a.md", text, owners=NOBODY, chunks=CHUNKS).units
    assert [(unit.start, unit.end, unit.speaker) for unit in read] == [(1, 7, ""), (10, 10, ""), (12, 12, "Bob")]


MERGED = """# Tools

Both wrote this.
<<<<<<< HEAD
The saw is lent.
||||||| 4cc6f41
=======
The saw is back.
>>>>>>> their branch

## Retain
<<<<<<< HEAD
- W: The drill is lent. ^drill001
=======
- W: The drill is back.
  It has a new cable. ^drill002
>>>>>>> their branch
- W: The lamp is new.
"""


@pytest.mark.parametrize("size", [None, ChunkSize(254, 16)], ids=["paragraphs", "chunks"])
def test_both_sides_of_a_conflict_are_found_and_no_mark_that_git_has_left(size: ChunkSize | None) -> None:
    for text in (MERGED, MERGED.replace("\n", "\r\n")):
        read = chunk("memory/2026-01-20.md", text, owners=NOBODY, chunks=size).units

        assert [(unit.start, unit.end) for unit in read] == [(1, 3), (5, 5), (8, 8), (13, 13), (15, 16), (18, 18)]
        said = " ".join(unit.text for unit in read)
        assert all(words in said for words in ("saw is lent", "saw is back", "drill is lent", "drill is back", "lamp"))
        assert not any(mark in said for mark in ("<<<<", "||||", "====", ">>>>"))


@pytest.mark.parametrize(
    "text",
    [
        "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```",
        ">>>>>>> quoted seven times\n\nTitle\n=======\ntext",
        "<<<<<<< never\n\nended",
        "<<<<<<<<< nine\n=======\n>>>>>>>>> nine",
    ],
    ids=["code", "quotation", "open", "longer"],
)
def test_what_only_looks_like_a_conflict_is_kept(text: str) -> None:
    assert "\n\n".join(unit.text for unit in units(text, "a.md")) == text
