from __future__ import annotations

import asyncio
import shutil
from datetime import date
from pathlib import Path

import pytest

from memory import OWNER, Filter, Memory, Origin
from memory.knowledge.check import check
from memory.knowledge.reflection.reflect import prepare, reflect
from memory.knowledge.reflection.stance import Stance, stance
from tests.unit.memory.knowledge.conftest import Life, opened_files, told


async def test_a_page_shows_what_holds_what_is_over_and_what_is_open(life: Life) -> None:
    await told(life)

    found = await life.reflect()

    page = life.page("entities/Peter.md")
    facts, earlier = page.split("## Facts")[1], page.split("## Earlier")[1]
    assert "Peter moved to Lisbon. [[2026-01-05#^" in facts.split("##")[0]
    assert "Peter lives in Berlin. (2026-01-03) [[2026-01-03#^" in earlier
    assert "Prefers concise replies. (0.75) [[opinions#^" in page
    assert "Send the offer. (due 2026-02-01)" in page
    assert "- 2026-01-03: Met at the castle." in page
    assert "[[Anna]]" in page
    assert page.startswith("---\nkind: entity\ncreated: 2026-01-05\n---\n\n<!-- scrubjay:begin facts -->\n# Peter\n")
    assert "moved to Lisbon" in life.page("world.md")
    assert "## 2026-01\n- 2026-01-03: Met at the castle." in life.page("experience.md")
    [conflict] = found.contradictions
    assert {conflict.earlier, conflict.later} == {"Anna: Loves tea.", "@Anna hates tea."}
    assert "## In conflict" in life.page("entities/Anna.md")


async def test_two_people_of_one_name_are_not_taken_for_one_who_moved(life: Life) -> None:
    await life.tell("W @Ana: My sister Ana lives in Graz.", "W @Ana: My colleague Ana lives in Vienna.")
    life.clock.advance(days=1)
    await life.tell("W @Ana: Ana no longer lives in Graz, she lives in Linz now.")

    found = await life.reflect()

    facts, earlier = life.page("entities/Ana.md").split("## Earlier")
    assert "colleague Ana lives in Vienna. [[" in facts
    assert "in Linz now. [[" in facts
    assert "- My sister Ana lives in Graz. (2026-01-03)" in earlier
    assert found.contradictions == []


async def test_a_partner_is_one_person_whatever_they_are_called(life: Life) -> None:
    await life.tell("W @Ana: My wife Ana lives in Graz.")
    life.clock.advance(days=1)
    await life.tell("W @Ana: My girlfriend Ana moved to Linz.")

    await life.reflect()

    assert "- My wife Ana lives in Graz. (2026-01-03)" in life.page("entities/Ana.md").split("## Earlier")[1]


async def test_what_the_name_of_another_is_the_value_of_is_succeeded(life: Life) -> None:
    await life.tell("W @Petra: My boss is called Petra.")
    life.clock.advance(days=1)
    await life.tell("W @Martin: My boss is called Martin now.")
    await life.reflect()
    assert "Martin" in life.page("world.md")
    assert "Petra" not in life.page("world.md")


async def test_what_is_said_of_others_takes_no_home_and_no_name(life: Life) -> None:
    await life.tell("I live in Vienna.", "My boss is Petra.")
    life.clock.advance(days=1)
    await life.tell("Ana lives in Havana.", "He lives in Linz.", "My boss is nice.", "I moved to London in 2015.")
    await life.reflect()
    page = life.page("world.md")
    assert [f"- {told} [[" in page for told in ("I live in Vienna.", "My boss is Petra.")] == [True, True]


async def test_a_home_of_ones_own_that_was_left_is_over(life: Life) -> None:
    await life.tell("I live in Graz.", "My dentist is Weber.")
    life.clock.advance(days=1)
    await life.tell("I don't live in Graz any more.", "My dentist is now Klein.")
    found = await life.reflect()
    assert "I live in Graz." not in life.page("world.md")
    assert "Weber" not in life.page("world.md")
    assert found.contradictions == []


async def test_what_ended_is_no_opinion_any_more(life: Life) -> None:
    await life.tell("O(c=0.7): I like jazz.", "O(c=0.7): I prefer tea to coffee.")
    life.clock.advance(days=1)
    await life.tell("I no longer like jazz.", "O(c=0.7): I prefer coffee to tea now.")
    await life.reflect()
    page = life.page("opinions.md")
    assert "- O(c=0.46): I like jazz." in page
    assert "- O(c=0.46): I prefer tea to coffee." in page


async def test_what_had_ended_an_opinion_holds_no_longer_once_the_opinion_is_back(life: Life) -> None:
    await life.tell("O(c=0.7) @Ana: Ana likes jazz.", "W @Ana: Ana lives in Graz.")
    life.clock.advance(days=1)
    await life.tell("W @Ana: Ana no longer likes jazz.")
    await life.reflect()
    assert "Ana no longer likes jazz." in life.page("world.md")
    life.clock.advance(days=1)
    await life.tell("O(c=0.7) @Ana: Ana likes jazz again.")
    found = await life.reflect()
    assert "Ana no longer likes jazz." not in life.page("world.md")
    _, earlier = life.page("entities/Ana.md").split("## Earlier")
    assert "Ana no longer likes jazz." in earlier
    assert found.contradictions == []

    log = life.folder / "memory" / f"{life.clock.now():%Y-%m-%d}.md"
    log.unlink()  # with the line by which the opinion came back
    await life.memory.sync()
    await life.reflect()
    assert "Ana no longer likes jazz." in life.page("world.md")


async def test_a_home_and_a_number_that_are_new_take_the_place_of_those_before(life: Life) -> None:
    await life.tell("W @Ana: My sister Ana lives in Graz.", "My phone number is 0171 5551234.")
    life.clock.advance(days=1)
    await life.tell("W @Ana @Graz @Linz: Ana moved from Graz to Linz.", "My new phone number is 0160 9998877.")
    await life.reflect()
    assert "lives in Graz" not in life.page("world.md")
    assert "0171" not in life.page("world.md")
    assert "0160" in life.page("world.md")


async def test_what_is_so_at_the_moment_ends_no_opinion(life: Life) -> None:
    await life.tell("O(c=0.7): I like coffee.", "O(c=0.7): I like tea.")
    life.clock.advance(days=1)
    await life.tell("I don't like coffee right now.", "I do not like tea, plus it is bitter.")
    await life.reflect()
    assert [line for line in life.page("opinions.md").splitlines() if "c=0.46" in line] == []


async def test_a_second_run_changes_no_byte(life: Life) -> None:
    await told(life)
    await life.reflect()
    before = life.pages()

    again = await life.reflect()

    assert life.pages() == before
    assert (again.pages, again.moves, again.left) == ([], (), {})


async def test_what_was_judged_beforehand_is_not_judged_again_while_others_wait_for_the_memory(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = list[str]()

    def judging(statement: str, new: str, *, names: tuple[str, ...] = ()) -> Stance:
        judged.append(statement)
        return stance(statement, new, names=names)

    monkeypatch.setattr("memory.knowledge.reflection.reflect.stance", judging)
    await told(life)
    before = life.pages()
    judge_all = await life.memory.run(prepare)
    assert life.pages() == before

    judge = await asyncio.to_thread(judge_all)
    known = len(judged)
    found = await life.memory.run(reflect, op_id="reflect", actor="system:reflect", judge=judge)

    assert known > 0
    assert len(judged) == known
    assert (len(found.moves), len(found.contradictions)) == (4, 1)


async def test_what_follows_from_facts_is_no_fact_and_undo_passes_it_over(life: Life) -> None:
    await told(life)
    before = (await life.memory.stats(scope=OWNER)).facts
    await life.reflect()

    assert (await life.memory.stats(scope=OWNER)).facts == before + 2  # the two opinions
    found = await life.memory.recall("where does Peter live?", scope=OWNER, limit=20)
    assert not [hit for hit in found.hits if hit.source.path.startswith("bank/entities")]
    [undone] = await life.memory.undo(op_id="u", scope=OWNER, actor="telegram:1")
    assert "Loves tea" in undone.removed


async def test_a_dry_run_writes_nothing_and_tells_all(life: Life) -> None:
    await told(life)
    before = life.pages()

    found = await life.reflect(dry_run=True)

    assert life.pages() == before
    assert {page.path for page in found.pages} >= {"bank/opinions.md", "bank/entities/Peter.md", "bank/world.md"}


async def test_what_people_write_into_a_page_stays(life: Life) -> None:
    await told(life)
    await life.reflect()
    page = life.page("entities/Peter.md")
    life.edit(
        "entities/Peter.md", page.replace("## Facts\n", "## Facts\n- Remember to ask him about this!\n") + "\nMine.\n"
    )
    await life.tell("@Peter has a dog.")

    found = await life.reflect()

    after = life.page("entities/Peter.md")
    assert after.index("<!-- scrubjay:end facts -->") < after.index("- Remember to ask him about this!")
    assert after.endswith("\nMine.\n")
    [change] = [page for page in found.pages if page.path == "bank/entities/Peter.md"]
    assert change.kept == ("- Remember to ask him about this!",)


async def test_marks_that_do_not_match_leave_a_page_as_it_is_and_say_so(life: Life) -> None:
    await told(life)
    life.edit("entities/Peter.md", "<!-- scrubjay:begin facts -->\nopen\n")

    found = await life.reflect()

    assert life.page("entities/Peter.md") == "<!-- scrubjay:begin facts -->\nopen\n"
    assert "facts" in found.left["bank/entities/Peter.md"]


async def test_an_alias_and_a_bare_name_lead_to_one_page(life: Life) -> None:
    life.edit("entities/Peter.md", "---\naliases: [Pete, P. Smith]\n---\n\n# Peter\n")
    await life.memory.sync()
    await life.tell("@Pete likes cheese.", "@Peter has a boat.", "We met Peter at the harbour.")

    await life.reflect()

    page = life.page("entities/Peter.md")
    assert [word in page for word in ("cheese", "boat", "harbour")] == [True] * 3
    assert not (life.folder / "bank/entities/Pete.md").exists()


async def test_a_name_leads_out_of_no_folder(life: Life) -> None:
    await life.tell("[[../../etc]] has one fact.", "[[../../etc]] has two facts.")

    await life.reflect()

    assert "one fact" in life.page("entities/etc.md")
    assert not (life.folder.parent.parent / "etc.md").exists()


async def test_what_others_said_is_in_no_page(life: Life) -> None:
    await life.tell("@Peter is a thief.", "@Peter stole a car.", origin=Origin.UNTRUSTED)
    await life.tell("O(c=0.9) @Peter: Is honest.")

    await life.reflect()

    assert all(b"thief" not in text and b"stole" not in text for path, text in life.pages().items() if "bank" in path)


async def test_a_run_since_a_day_looks_at_what_is_new(life: Life) -> None:
    await told(life)
    found = await life.reflect(since=date(2026, 1, 5))
    assert [one.path for one in found.pages if "entities" in one.path] == [
        "bank/entities/Anna.md",
        "bank/entities/Peter.md",
    ]
    assert [move.confidence for move in found.moves] == [0.7, 0.65]


async def test_the_index_can_be_deleted(life: Life, tmp_path: Path) -> None:
    await told(life)
    await life.reflect()
    before = await life.memory.recent(50, scope=OWNER)

    await life.memory.rebuild()

    assert await life.memory.recent(50, scope=OWNER) == before
    assert (await life.reflect()).pages == []


async def test_a_line_of_core_memory_that_is_out_of_date_is_proposed_to_be_changed(life: Life) -> None:
    (life.folder / "MEMORY.md").write_text("- @Peter lives in Berlin.\n", encoding="utf-8")
    await life.memory.sync()
    life.clock.advance(days=3)
    await life.tell("@Peter lives in Lisbon.")

    [proposal] = (await life.reflect()).proposals

    assert (proposal.change.path, proposal.change.before) == ("MEMORY.md", "- @Peter lives in Berlin.")
    assert proposal.change.after == "- @Peter lives in Lisbon."


async def test_what_is_forgotten_leaves_the_pages_at_once_and_comes_back_with_undo(life: Life) -> None:
    await told(life)
    await life.reflect()
    [fact] = [hit.id for hit in await life.memory.recent(50, scope=OWNER) if "moved to Lisbon" in hit.content]

    await life.memory.forget_facts([fact], op_id="f:0", scope=OWNER, actor="telegram:1")

    assert all(b"Lisbon" not in text for text in life.pages().values())
    assert "Berlin" in life.page("entities/Peter.md")
    await life.memory.undo(op_id="u:0", scope=OWNER, actor="telegram:1")
    await life.reflect()
    assert "moved to Lisbon" in life.page("entities/Peter.md")


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
async def test_of_somebody_about_whom_all_is_forgotten_no_page_keeps_the_name(life: Life, newline: str) -> None:
    await life.tell("@Kranzmoor is a bike.", "@Kranzmoor was bought in Bonn.", "@Anna has a boat.")
    await life.reflect()
    for page in (life.folder / "bank").rglob("*.md"):
        page.write_text(page.read_text(encoding="utf-8"), encoding="utf-8", newline=newline)
    await life.memory.sync()
    assert {"bank/entities/Kranzmoor.md", "bank/world.md"} <= life.pages().keys()

    preview = await life.memory.preview_forget("Kranzmoor", everything=True, scope=OWNER, actor="telegram:1")
    assert preview.trail
    assert preview.trail.traces.matches("Where does Kranzmoor stand?")
    await life.memory.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")

    assert all("Kranzmoor" not in f"{path} {text.decode()}" for path, text in life.pages().items())
    assert "has a boat" in life.page("world.md")
    await life.memory.undo(op_id="u:0", scope=OWNER, actor="telegram:1")
    await life.reflect()
    assert "was bought in Bonn" in life.page("entities/Kranzmoor.md")


async def test_a_purge_leaves_no_name_of_a_page_that_is_gone_in_the_journal(life: Life) -> None:
    await life.tell("@Kranzmoor is a bike.", "@Kranzmoor was bought in Bonn.", "@Anna has a boat.")
    await life.reflect()
    preview = await life.memory.preview_forget("Kranzmoor", everything=True, scope=OWNER, actor="telegram:1")
    await life.memory.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")

    await life.memory.purge(at_once=True)

    journal = "".join(path.read_text() for path in (life.folder / ".memory/journal").iterdir())
    assert "Kranzmoor" not in journal
    assert "bank/entities/forgotten.md" in journal
    assert await life.memory.problems() == ()


@pytest.mark.parametrize("at", ["## Facts\n", "<!-- scrubjay:end facts -->\n"], ids=["inside", "below"])
async def test_what_a_person_wrote_on_a_page_stays_where_all_facts_are_forgotten(life: Life, at: str) -> None:
    await life.tell("@Kranzmoor is a bike.", "@Kranzmoor was bought in Bonn.")
    await life.reflect()
    life.edit("entities/Kranzmoor.md", life.page("entities/Kranzmoor.md").replace(at, f"{at}It squeaks.\n- Oil it.\n"))

    preview = await life.memory.preview_forget("Kranzmoor", everything=True, scope=OWNER, actor="telegram:1")
    await life.memory.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")

    assert "bike" not in life.page("entities/Kranzmoor.md")
    await life.reflect()
    _, below = life.page("entities/Kranzmoor.md").split("<!-- scrubjay:end facts -->")
    assert below.split() == ["It", "squeaks.", "-", "Oil", "it."]


async def test_a_page_does_not_name_beside_whom_somebody_stood_in_what_is_forgotten(life: Life) -> None:
    await life.tell("@Kranzmoor and @Anna met in Bonn.", "@Kranzmoor was born in Bonn.", "@Anna has a boat.")
    await life.reflect()
    assert "[[Kranzmoor]]" in life.page("entities/Anna.md").split("## See also")[1]

    preview = await life.memory.preview_forget("Kranzmoor", everything=True, scope=OWNER, actor="telegram:1")
    await life.memory.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")

    assert "has a boat" in life.page("entities/Anna.md")
    assert "Kranzmoor" not in life.page("entities/Anna.md")


async def test_forgotten_evidence_counts_no_more_and_a_forgotten_opinion_is_gone_from_both_places(life: Life) -> None:
    await told(life)
    await life.reflect()
    assert "O(c=0.75) @Peter" in life.page("opinions.md")
    [evidence] = [hit.id for hit in await life.memory.recent(50, scope=OWNER) if "short replies" in hit.content]
    await life.memory.forget_facts([evidence], op_id="f:0", scope=OWNER, actor="telegram:1")
    assert "O(c=0.7) @Peter" in life.page("opinions.md")

    preview = await life.memory.preview_forget("concise replies", everything=True, scope=OWNER, actor="telegram:1")
    await life.memory.forget(preview.token, op_id="f:1", scope=OWNER, actor="telegram:1")
    await life.reflect()
    assert all(b"concise" not in text for text in life.pages().values())


async def test_forgetting_the_bullet_forgets_the_fact_that_it_came_in_by(life: Life) -> None:
    await told(life)
    await life.reflect()
    [bullet] = [
        hit.id
        for hit in await life.memory.recent(50, scope=OWNER)
        if hit.source.path == "bank/opinions.md" and "concise" in hit.content
    ]

    preview = await life.memory.preview_forget(f"^{bullet}", scope=OWNER, actor="telegram:1")

    assert {line.path for line in preview.lines} == {"bank/opinions.md", "memory/2026-01-03.md"}
    await life.memory.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")
    await life.reflect()
    assert all(b"concise" not in text for text in life.pages().values())


async def test_a_bullet_that_is_forgotten_by_its_id_does_not_come_back_by_its_fact(life: Life) -> None:
    await told(life)
    await life.reflect()
    known = await life.memory.recent(50, scope=OWNER)
    [bullet] = [hit.id for hit in known if hit.source.path == "bank/opinions.md" and "concise" in hit.content]

    await life.memory.forget_facts([bullet], op_id="f:0", scope=OWNER, actor="telegram:1")
    await life.reflect()

    assert all(b"concise" not in text for text in life.pages().values())


async def test_an_opinion_goes_with_the_note_that_is_taken_back_and_evidence_counts_no_more(life: Life) -> None:
    await life.tell("O(c=0.7) @Peter: Peter likes chess.")
    life.clock.advance(days=1)
    await life.tell("@Peter likes chess.")
    await life.reflect()
    assert "O(c=0.75) @Peter: Peter likes chess." in life.page("opinions.md")

    await life.memory.undo(op_id="u:0", scope=OWNER, actor="telegram:1")
    assert "O(c=0.7) @Peter: Peter likes chess." in life.page("opinions.md")
    assert life.page("opinions.md").count("memory/") == 1

    await life.memory.undo(op_id="u:1", scope=OWNER, actor="telegram:1")
    assert "chess" not in life.page("opinions.md")
    assert (await life.memory.recall("chess", scope=OWNER)).hits == ()


async def test_two_people_of_one_name_are_told_apart_by_what_they_are_called_in_full(life: Life) -> None:
    await life.tell("W @Peter: Peter is my brother.", "B @Peter: Peter came for tea.")
    await life.tell(
        "W @Peter-Hansen: Peter Hansen sells pumps.", "B @Peter-Hansen: Rang Peter Hansen, who knows Peter."
    )

    await life.reflect()

    brother, other = life.page("entities/Peter.md"), life.page("entities/Peter-Hansen.md")
    assert "sells pumps" not in brother
    assert "who knows Peter" in brother
    assert "brother" not in other
    assert "sells pumps" in other


async def test_a_name_with_an_accent_is_found_where_it_has_no_mark(life: Life) -> None:
    await life.tell("W @Zoë: Zoë lives in Nantes.", "B @Zoë: Zoë came for tea.", "Zoë moved to Bordeaux.")

    await life.reflect()

    assert "Zoë moved to Bordeaux." in life.page("entities/Zoë.md")


async def test_a_word_is_no_name_that_is_written_like_it_but_for_the_capital(life: Life) -> None:
    await life.tell("W @Atlas: Atlas is our map.", "B @Atlas: Worked on Atlas.", "Lea bought an atlas of birds.")
    await life.tell("atlas crashed twice", "W @me: I like maps.")

    await life.reflect()

    page = life.page("entities/Atlas.md")
    assert "birds" not in page
    assert "atlas crashed twice" in page


async def test_a_name_that_a_system_keeps_for_a_device_keeps_no_other_page_from_being_written(life: Life) -> None:
    await life.tell("W @CON: It is a name.", "W @CON: It is another.", "W @Zoe: Zoe sings.", "W @Zoe: Zoe is tall.")

    found = await life.reflect()

    assert "reserved" in found.left["bank/entities/CON.md"]
    assert "Zoe sings" in life.page("entities/Zoe.md")
    assert "It is another" in life.page("world.md")


async def test_no_bullet_of_the_page_of_opinions_is_lost_that_cannot_be_read(life: Life) -> None:
    text = (
        "# Opinions\n\n- O(c=7) @Peter: Likes coffee.\n- Likes walks\n- O(c=0.5) @Peter: Hates noise.\n"
        "  <!-- scrubjay:evidence ^x from 9; 2026-02-30 +x a#^b -->\n"
    )
    life.edit("opinions.md", text)
    await life.tell("O(c=0.7) @Peter: Likes tea.", "W(since=2026-02-28) @Peter: Is away from 30 February to 32 March.")

    await life.reflect()

    assert life.page("opinions.md").startswith(text)
    assert "Likes tea." in life.page("opinions.md").removeprefix(text)


async def test_an_opinion_is_recalled_with_the_confidence_that_it_has_come_to(life: Life) -> None:
    await life.tell("O(c=0.85) @Kofi: Loves spicy food.")
    life.clock.advance(days=1)
    await life.tell("@Kofi: Kofi does not love spicy food.")
    await life.reflect()

    found = await life.memory.recall("Loves spicy food, Kofi?", scope=OWNER)
    then = await life.memory.recall("Loves spicy food, Kofi?", scope=OWNER, where=Filter(known="2026-01-03"))

    said = [hit for hit in found.hits if "Loves spicy food" in hit.content]
    assert {dict(hit.attributes)["c"] for hit in said} == {"0.82"}
    assert all(hit.evidence[-1].step == -0.25 for hit in said)
    assert [dict(hit.attributes)["c"] for hit in then.hits] == ["0.85"]


async def test_a_fact_by_hand_without_an_id_leaves_the_pages_when_it_is_forgotten(life: Life) -> None:
    await life.tell("@Peter has a boat.")
    log = life.folder / "memory/2026-01-02.md"
    log.write_text("# 2026-01-02\n\n## Retain\n- @Peter collects stamps.\n", encoding="utf-8")
    await life.memory.sync()
    await life.reflect()
    assert "stamps" in life.page("entities/Peter.md")

    preview = await life.memory.preview_forget("collects stamps", scope=OWNER, actor="telegram:1")
    await life.memory.forget(preview.token, op_id="f", scope=OWNER, actor="telegram:1")

    assert all(b"stamps" not in text for text in life.pages().values())


async def test_a_page_whose_marks_do_not_match_does_not_stop_forgetting(life: Life) -> None:
    await told(life)
    await life.reflect()
    [fact] = [hit.id for hit in await life.memory.recent(50, scope=OWNER) if "Met at the castle" in hit.content]
    life.edit("entities/Anna.md", life.page("entities/Anna.md").replace("<!-- scrubjay:end facts -->", ""))

    await life.memory.forget_facts([fact], op_id="f", scope=OWNER, actor="telegram:1")

    assert all(b"castle" not in text for text in life.pages().values())


@pytest.mark.parametrize("text", ["~~~ Peter opened the tilde.", "W @Peter: ```ssh peter"])
async def test_a_fact_that_opens_like_code_or_a_heading_does_not_keep_its_page_from_being_written(
    life: Life, text: str
) -> None:
    await life.tell("@Peter lives in Lisbon.", text)
    assert (await life.reflect()).left == {}
    assert life.page("entities/Peter.md").count("\n## Facts\n") == 1


async def test_a_fact_whose_line_a_merge_has_doubled_counts_once_and_is_shown_once(life: Life) -> None:
    await told(life)
    for log in (life.folder / "memory").glob("2026-*.md"):
        lines = log.read_text(encoding="utf-8").splitlines()
        log.write_text("\n".join(lines + [line for line in lines if "^" in line]) + "\n", encoding="utf-8")
    await life.memory.sync()

    await life.reflect()

    page = life.page("entities/Peter.md")
    assert "Prefers concise replies. (0.75)" in page
    assert page.count("Peter lives in Berlin.") == 1
    assert {found.id for found in await life.memory.run(check)} == {"duplicate"}


async def test_undo_reads_no_page_that_was_written_before_what_it_takes_back(life: Life) -> None:
    await told(life)
    await life.reflect()
    await life.tell("@Peter has a dog.")
    with opened_files() as early:
        await life.memory.undo(op_id="u:0", scope=OWNER, actor="telegram:1")

    await life.tell("@Anna has a cat.")
    await life.reflect()
    with opened_files() as late:
        await life.memory.undo(op_id="u:1", scope=OWNER, actor="telegram:1")

    assert not {"Peter.md", "Anna.md"} & {*early}
    assert "Anna.md" in late
    assert "Peter.md" not in late
    assert "has a cat" not in life.page("entities/Anna.md")


async def test_undo_finds_what_it_takes_back_in_a_page_that_was_renamed(life: Life) -> None:
    await told(life)
    await life.tell("@Peter has a dog.")
    await life.reflect()
    (life.folder / "bank" / "entities" / "Peter.md").rename(life.folder / "bank" / "entities" / "Pete.md")
    await life.memory.sync()

    await life.memory.undo(op_id="u:0", scope=OWNER, actor="telegram:1")

    assert "has a dog" not in life.page("entities/Pete.md")


async def test_forgetting_finds_a_fact_in_pages_of_which_no_journal_tells(life: Life, tmp_path: Path) -> None:
    await told(life)
    await life.reflect()
    for name in ("memory", "bank"):  # as whoever moves to another machine copies them
        shutil.copytree(life.folder / name, tmp_path / "moved" / name)

    async with await Memory.open(tmp_path / "moved", index=tmp_path / "moved.sqlite", clock=life.clock) as moved:
        preview = await moved.preview_forget("moved to Lisbon", scope=OWNER, actor="telegram:1")
        await moved.forget(preview.token, op_id="f:0", scope=OWNER, actor="telegram:1")

    assert "Lisbon" in life.page("entities/Peter.md")
    assert "Lisbon" not in (tmp_path / "moved/bank/entities/Peter.md").read_text(encoding="utf-8")


async def test_what_stands_in_another_version_of_a_file_too_is_said_once(life: Life) -> None:
    life.edit("house.md", "- @Ana owns a boat.\n- @Ana plays chess.\n")
    life.edit("house.sync-conflict-20261130-123456-ABCDEFG.md", "- @Ana owns a boat.\n- @Ana plays the harp.\n")
    await life.memory.sync()
    await life.reflect()
    page = life.page("entities/Ana.md").partition("## ")[2]
    assert [page.count(words) for words in ("owns a boat", "plays chess", "plays the harp")] == [1, 1, 1]
