from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory import OWNER, FrozenClock, Origin, chat_scope
from memory.errors import NotFound, WriteFailed
from memory.files import atomic
from memory.journal import journal, write_ahead
from memory.journal.records import Action, Record
from memory.knowledge.reflection.reflect import reflect
from memory.life.calibrate import words_bands
from memory.life.consolidation.consolidate import Limits, consolidate, embed_texts
from memory.life.consolidation.episodes import Budget
from memory.life.consolidation.plan import carry_out, note_plan
from memory.ports import Purpose, Vectors
from memory.vectors.questions import Questions
from tests.fakes.embedder import LetterEmbedder
from tests.support.consolidating import AGENT, OTHERS, PRINTER, Listener, crowd, listening
from tests.unit.memory.knowledge.conftest import ScriptedWriter

LOG = "memory/2026-11-09.md"
BUDGET = Limits(budget=Budget(5, 20_000))


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Listener]:
    async with listening(tmp_path) as one:
        yield one


def sentence(text: str, *numbers: int) -> ScriptedWriter:
    return JsonWriter(json.dumps({"sentence": text, "of": numbers}))


class JsonWriter(ScriptedWriter):
    """Counts what it was asked."""

    @property
    def calls(self) -> int:
        return len(self.data)


async def test_what_was_observed_several_times_becomes_one_dated_fact_that_counts_it(life: Listener) -> None:
    await life.hear(*PRINTER, *OTHERS)
    found = await life.consolidate()
    (text,) = found.written.values()
    assert text.startswith("The printer on the second floor is broken")
    assert text.endswith("(3 remarks like this, 9 November 2026)")
    assert f"- B: {text}" in life.page(LOG)
    assert (found.hidden, found.entries, found.reason) == (3, 5, "")
    assert await life.standing("printer") == {text}


async def test_what_says_the_same_is_counted_as_said_so_often(life: Listener) -> None:
    await life.hear("The soup was cold on Monday.", "On Monday the soup was cold.")
    (text,) = (await life.consolidate()).written.values()
    assert text == "The soup was cold on Monday. (said 2 times, 9 November 2026)"
    (heard,) = await life.hear("The soup was cold on Monday.")
    assert heard.decision == "merge"


async def test_two_runs_at_once_note_nothing_twice(life: Listener) -> None:
    await life.hear(*PRINTER, *OTHERS)
    await asyncio.gather(life.consolidate(), life.consolidate())
    assert life.page(LOG).count("The printer on the second floor is broken. (3 remarks") == 1


async def test_a_run_that_finds_nothing_new_writes_nothing(life: Listener) -> None:
    await life.hear(*PRINTER, *OTHERS)
    await life.consolidate()
    before = life.tree()
    again = await life.consolidate()
    assert (again.op_id, again.is_resumed) == ("", False)
    assert again.reason == "Nothing new was said that could be brought together."
    await life.hear("Pancakes were sold out at noon.")
    assert (await life.consolidate()).op_id == ""
    assert {name: text for name, text in life.tree().items() if "sensory" not in name} == {
        name: text for name, text in before.items() if "sensory" not in name
    }


async def test_a_dry_run_tells_and_writes_nothing(life: Listener) -> None:
    await life.hear(*PRINTER)
    before = life.tree()
    found = await life.consolidate(dry_run=True)
    assert len(found.plan.episodes) == 1
    assert not found.op_id
    assert life.tree() == before


async def test_too_little_that_is_new_or_a_word_a_moment_ago_is_a_reason_to_wait(life: Listener) -> None:
    await life.hear(*PRINTER)
    limits = Limits(min_entries=4, idle=timedelta(minutes=30))
    assert (await life.consolidate(limits=limits)).reason == "New statements since the last run: 3; it waits for 4."
    await life.hear(*OTHERS)
    assert (await life.consolidate(limits=limits)).reason == "Something was said a moment ago."
    life.clock.advance(minutes=30)
    assert len((await life.consolidate(limits=limits)).written) == 1


async def test_what_would_be_gone_before_the_next_run_waits_no_longer_and_costs_no_model(life: Listener) -> None:
    await life.hear(*PRINTER)
    life.clock.advance(hours=11)
    await life.hear("The soup was cold.")
    writer = sentence("The printer on the second floor is broken.", 1)
    limits = Limits(min_entries=20, idle=timedelta(minutes=30), budget=Budget(5, 20_000))
    found = await life.consolidate(limits=limits, writer=writer)
    assert (len(found.written), writer.data) == (1, [])


async def test_decisions_and_preferences_become_facts_of_their_own_kind(life: Listener) -> None:
    for at in range(4):  # each alone in a memory that knows much the same
        await life.tell(f"We decided to sell the {at}th boat in May with Peter.")
    (heard,) = await life.hear("We decided to rent the studio in Oslo with Peter in June.")
    assert heard.decision in {"sensory", "link"}
    found = await life.consolidate()
    assert len(found.written) == (heard.decision == "sensory")
    assert "rent the studio in Oslo" in " ".join(await life.standing("studio"))


async def test_facts_that_say_the_same_are_merged_into_the_one_that_is_used_and_can_be_taken_back(
    life: Listener,
) -> None:
    first, second = await life.queue("Peter moved to Porto in May.", "In May Peter moved to Porto.")
    await life.cite(second, times=1)
    log = life.page(LOG)
    found = await life.consolidate()
    assert (found.written, found.hidden) == ({}, 1)
    assert life.page(LOG) == log
    assert await life.standing("Porto") == {"In May Peter moved to Porto."}
    undone = await life.memory.undo(op_id="u", scope=OWNER, actor=AGENT, only={f"{found.op_id}:merge:0"})
    assert [one.id for one in undone] == [first]
    assert len(await life.standing("Porto")) == 2
    assert (await life.consolidate()).op_id == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 940 euros.", "The rent is 980 euros."),
        ("Nina eats fish.", "Nina does not eat fish."),
        ("My sister moved to Porto.", "My brother moved to Porto."),
        ("I owe Tom fifty dollars.", "Tom owes me fifty dollars."),
        ("The dentist is on Thursday.", "The dentist is on Tuesday."),
    ],
)
async def test_facts_that_differ_in_one_word_are_never_merged(life: Listener, one: str, other: str) -> None:
    await life.queue(one, other)
    found = await life.consolidate(embed=alike, bands=words_bands())
    assert (found.op_id, found.hidden) == ("", 0)


async def alike(texts: Any) -> list[Vectors | None]:
    return [np.array([1.0, 0.01 * at], np.float32) for at, _ in enumerate(texts)]


async def test_a_model_is_asked_about_a_cluster_of_different_statements_and_hides_only_what_it_says(
    life: Listener,
) -> None:
    ids = await life.queue(
        "Ana had a first interview at the museum.",
        "Ana had a second interview at the museum on the phone.",
        "Ana had a third interview at the museum with the director.",
    )
    writer = sentence("Ana had a first and a second interview at the museum on the phone.", 1, 2, 3)
    found = await life.consolidate(limits=BUDGET, writer=writer, embed=alike, bands=words_bands())
    assert list(found.written.values()) == ["Ana had a first and a second interview at the museum on the phone."]
    assert found.plan.calls == 1
    assert set(found.plan.episodes[0].hides) == {ids[0], ids[1]}
    assert await life.standing("Ana") == {
        "Ana had a first and a second interview at the museum on the phone.",
        "Ana had a third interview at the museum with the director.",
    }
    life.clock.advance(hours=13)
    await life.consolidate(limits=BUDGET, writer=writer, embed=alike, bands=words_bands())
    assert len(writer.data) == 1


@pytest.mark.parametrize("text", ["The printer in Paris is broken.", "", "7 printers are broken."])
async def test_a_sentence_that_says_more_than_the_statements_is_dropped_and_they_are_counted(
    life: Listener, text: str
) -> None:
    await life.hear(*PRINTER, "The printer on the second floor is broken since lunch.")
    found = await life.consolidate(limits=BUDGET, writer=sentence(text, 1, 2))
    (written,) = found.written.values()
    assert "4 remarks like this" in written
    assert found.plan.calls == 1


async def test_a_model_is_asked_no_more_often_than_the_budget_of_a_run_and_of_a_day_allows(life: Listener) -> None:
    writer = JsonWriter(None)
    limits = Limits(budget=Budget(1, 20_000))
    for part in range(4):
        for place in ("kitchen", "garden"):
            await life.hear(*(f"The {place} tap number {part} drips {how}." for how in ("a bit", "loudly", "all day")))
        await life.consolidate(limits=limits, writer=writer)
        life.clock.advance(hours=2)
    assert writer.calls == 2
    assert (await life.consolidate(limits=Limits(budget=Budget(9, 10)), writer=writer)).plan.calls == 0


async def test_what_guests_or_web_pages_said_is_never_consolidated(life: Listener) -> None:
    await life.hear(*PRINTER, origin=Origin.GUEST, scope=chat_scope("telegram.1:-5"))
    await life.hear(*PRINTER, origin=Origin.UNTRUSTED)
    found = await life.consolidate()
    assert (found.entries, found.op_id) == (0, "")


async def test_a_consolidation_is_taken_back_as_a_whole_and_not_made_again(life: Listener) -> None:
    await life.hear(*PRINTER)
    await life.queue("Peter moved to Porto in May.", "In May Peter moved to Porto.")
    before = life.page(LOG)
    found = await life.consolidate()
    assert found.hidden == 4
    await life.take_back(found.op_id.rpartition(":")[2])
    assert life.page(LOG) == before
    assert len(await life.standing("Porto")) == 2
    assert (await life.consolidate()).op_id == ""
    await life.take_back()
    assert life.page(LOG) == before
    with pytest.raises(NotFound, match="There is no consolidation abc"):
        await life.take_back("abc")


async def test_plain_undo_leaves_consolidations_alone(life: Listener) -> None:
    await life.hear(*PRINTER)
    name = await life.tell("The bike is green.")
    await life.consolidate()
    (undone,) = await life.memory.undo(op_id="u", scope=OWNER, actor=AGENT)
    assert undone.id == name


async def test_forgetting_takes_what_it_stands_for_along_and_what_stands_for_it(life: Listener) -> None:
    first, second = await life.queue("Peter moved to Porto in May.", "In May Peter moved to Porto.")
    await life.consolidate()
    lines = await life.memory.forget_facts([first], op_id="f", scope=OWNER, actor=AGENT)
    assert {line.id for line in lines} == {first, second}
    await life.hear(*PRINTER)
    (name,) = (await life.consolidate()).written
    preview = await life.memory.preview_forget(name, scope=OWNER, actor=AGENT)
    await life.memory.forget(preview.token, op_id="g", scope=OWNER, actor=AGENT)
    await life.memory.purge(at_once=True)
    assert not any(b"printer" in text for text in life.tree().values())


async def test_a_page_that_follows_from_facts_has_each_but_once(life: Listener) -> None:
    await life.queue("W @Peter: Peter moved to Porto in May.", "W @Peter: In May Peter moved to Porto.")
    await life.consolidate()
    await life.memory.run(reflect, op_id="r", actor=AGENT)
    assert life.page("bank/world.md").count("Porto") == 1


async def test_a_run_whose_disk_refuses_at_any_write_is_finished_by_the_next_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(tmp_path / "template") as life:
        life.give_ids()
        await crowd(life)
        moment = life.clock.now()
    shutil.copytree(tmp_path / "template", tmp_path / "whole")
    async with listening(tmp_path / "whole", clock=FrozenClock(moment)) as life:
        await life.consolidate()
        expected = life.tree()
    assert sum(text.count(b'"action":"merge"') for text in expected.values()) == 11
    assert sum(text.count(b'"action":"promote"') for text in expected.values()) == 2
    real: Callable[..., Any] = atomic.append
    at, is_over = 0, False

    def set_append(function: Callable[..., Any]) -> None:
        for module in (journal, write_ahead):
            monkeypatch.setattr(module, "append", function)

    while not is_over:
        at += 1
        shutil.copytree(tmp_path / "template", tmp_path / str(at))
        async with listening(tmp_path / str(at), clock=FrozenClock(moment)) as life:

            def refusing(*args: Any, left: list[None] = [None] * at, **options: Any) -> Any:
                left.pop()
                if not left:
                    raise WriteFailed("The disk is full.")
                return real(*args, **options)

            set_append(refusing)
            try:
                await life.consolidate()
                is_over = True
            except WriteFailed:
                set_append(real)
                life.clock.advance(hours=3 * (at > 1))  # before the plan is noted, nothing has begun
                assert (await life.consolidate()).is_resumed or at == 1
            except IndexError:  # more was written than may be: the run is over
                is_over = True
            set_append(real)
            assert life.tree() == expected, f"refused at write {at}"
    assert at > 20


async def planned(life: Listener) -> Record:
    """Note the plan of a run that is killed right after it."""
    real = life.memory.run
    records: list[Record] = []

    async def run(work: Any, *args: Any, **options: Any) -> Any:
        if work is carry_out:
            raise WriteFailed("Killed here.")
        done = await real(work, *args, **options)
        records.extend([done] if work is note_plan else [])
        return done

    with pytest.raises(WriteFailed):
        await consolidate(run, actor=AGENT)
    return records[0]


async def test_what_was_forgotten_or_edited_after_the_plan_takes_what_was_planned_for_it_along(life: Listener) -> None:
    first, _ = await life.queue("Peter moved to Porto in May.", "In May Peter moved to Porto.")
    await life.queue("The tent is green.", "The tent is green now.")
    await life.hear(*PRINTER)
    sure = await life.tell("W @Nina: Nina works at the harbour.")
    await life.cite(sure, times=3, days=2)
    life.clock.advance(hours=-24)
    await planned(life)
    await life.memory.forget_facts([first], op_id="f", scope=OWNER, actor=AGENT)
    path = life.folder / LOG
    path.write_text(life.page(LOG).replace("The tent is green.", "The tent is blue."), encoding="utf-8")
    await life.memory.sync()
    done = await life.consolidate()
    assert done.is_resumed
    assert await life.standing("tent") == {"The tent is blue.", "The tent is green now."}
    assert await life.standing("Porto") == {"In May Peter moved to Porto."}
    assert len(done.promoted) == 1
    assert len(done.written) == 1


async def test_an_embedder_whose_vectors_are_broken_leaves_the_words(life: Listener) -> None:
    await life.hear(*PRINTER, *OTHERS)

    async def broken(texts: Any) -> list[Vectors | None]:
        return [np.full(4, float("nan"), np.float32) for _ in texts]

    async def equal(texts: Any) -> list[Vectors | None]:
        return [np.ones(4, np.float32) for _ in texts]

    async def missing(texts: Any) -> list[Vectors | None]:
        return [None for _ in texts]

    by_words = await life.consolidate(dry_run=True)
    for embed in (broken, equal, missing):
        assert await life.consolidate(dry_run=True, embed=embed, bands=words_bands()) == by_words
    assert len(by_words.plan.episodes) == 1


async def test_a_run_waits_longer_for_its_vectors_than_a_question_may(life: Listener) -> None:
    embedder = LetterEmbedder()
    asked = Questions(embedder)
    embedder.gate.clear()
    assert (await asked.vector(PRINTER[0], Purpose.PASSAGE, waits_s=0)).vector is None
    async with asyncio.TaskGroup() as group:
        run = group.create_task(embed_texts(life.memory.run, asked, PRINTER))
        await embedder.until(lambda: embedder.at_the_gate == 2)
        embedder.gate.set()
    assert not any(row is None for row in run.result())


async def test_hundreds_of_equal_facts_are_merged_in_portions(life: Listener) -> None:
    names = [f"fact{at:04}" for at in range(250)]
    log = "# 2026-11-09\n\n## Retain\n" + "".join(f"- W: The tent is green. ^{name}\n" for name in names)
    (life.folder / "memory").mkdir(exist_ok=True)
    (life.folder / LOG).write_text(log, encoding="utf-8")
    await life.memory.sync()
    await life.note_all(names, Action.GATE, {"decision": "link"})
    found = await life.consolidate()
    assert found.hidden == 249
    assert len((await life.consolidate()).plan.merges) == 0
    assert life.page(LOG) == log


async def test_a_page_that_a_person_is_editing_gets_the_promoted_fact_at_its_end(life: Listener) -> None:
    await life.cite(await life.tell("W @Nina: Nina works at the harbour."))
    await planned(life)
    page = life.folder / "bank" / "world.md"
    page.parent.mkdir()
    page.write_text("# World\n\nMy own words, without an end", encoding="utf-8")
    await life.consolidate()
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# World\n\nMy own words, without an end\n\n- W(since=2026-11-09) @Nina: Nina works")
    page.write_text("<!-- a comment that is open to the end\n", encoding="utf-8")
    await life.cite(await life.tell("W @Omar: Omar works at the mill."))
    assert not (await life.consolidate()).promoted
    assert page.read_text(encoding="utf-8") == "<!-- a comment that is open to the end\n"


async def test_the_same_words_about_other_days_are_never_merged(life: Listener) -> None:
    await life.queue("Team lunch tomorrow.", "Closed on Mondays.")
    life.clock.advance(days=35)
    await life.queue("Team lunch tomorrow.", "Closed on Mondays.")
    assert (await life.consolidate()).hidden == 1
