from __future__ import annotations

import pytest

from memory import OWNER
from memory.errors import Conflict, NotFound, PathRefused
from memory.knowledge.about import about
from memory.knowledge.reflection.merging import carry_out, plan_merge
from tests.unit.memory.knowledge.conftest import Life


async def merged(life: Life, old: str, into: str) -> None:
    await life.memory.sync()
    plan = await life.memory.run(plan_merge, old, into)
    await life.memory.run(carry_out, plan, op_id=f"m:{old}", actor="owner")


async def test_who_speaks_of_themself_in_spanish_needs_no_pronoun(life: Life) -> None:
    await life.tell("Soy alérgica a los frutos secos.", "Tengo dos hijas.", "Trabaja en Madrid.")

    found = await life.memory.run(about, "", scope=OWNER)

    assert found is not None
    assert [hit.content for hit in found.facts] == ["Tengo dos hijas.", "Soy alérgica a los frutos secos."]


async def test_what_was_said_again_of_an_opinion_on_its_page_is_told_once(life: Life) -> None:
    for _ in range(3):
        await life.tell("O(c=0.6) @Peter: Peter likes tea.")
        life.clock.advance(days=1)
    await life.tell("@Peter asked for tea again.")
    await life.reflect()

    found = await life.memory.run(about, "Peter", scope=OWNER)

    assert found is not None
    assert sorted(hit.content for hit in found.facts) == ["@Peter asked for tea again.", "Peter likes tea."]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Anna", ["__Anna__ likes tea."]),
        ("芳芳", ["__芳芳__喜欢猫。"]),
        ("max_hugo", ["max_hugo moved to Rome."]),
        ("max hugo", ["max_hugo moved to Rome."]),
        ("Hugo", []),
    ],
)
async def test_a_name_is_told_of_though_it_is_stressed_or_has_a_low_line(
    life: Life, name: str, told: list[str]
) -> None:
    await life.tell("__Anna__ likes tea.", "__芳芳__喜欢猫。", "max_hugo moved to Rome.", "The wifi is CASA_HUGO.")

    found = await life.memory.run(about, name, scope=OWNER)

    assert [hit.content for hit in (found.facts if found else ())] == told


async def names(life: Life, name: str) -> int:
    found = await life.memory.run(about, name, scope=OWNER)
    return len(found.facts) if found else 0


async def test_two_names_become_one_entity_and_no_fact_is_rewritten(life: Life) -> None:
    await life.tell("@Pete likes cheese.", "@Pete has a cat.", "@Peter has a boat.", "@Peter lives in Rome.")
    await life.reflect()
    life.edit("entities/Pete.md", life.page("entities/Pete.md") + "\nMet him in Oslo.\n")
    logs = {path: text for path, text in life.pages().items() if path.startswith("memory/")}

    await merged(life, "Pete", "Peter")
    await life.reflect()

    page = life.page("entities/Peter.md")
    assert [word in page for word in ("cheese", "cat", "boat", "Rome", "Met him in Oslo.")] == [True] * 5
    assert "aliases: [Pete]" in page
    assert life.page("entities/Pete.md") == "---\nredirect: Peter\n---\n\n[[Peter]]\n"
    assert [await names(life, name) for name in ("Pete", "Peter")] == [4, 4]
    assert {path: text for path, text in life.pages().items() if path.startswith("memory/")} == logs
    assert (await life.reflect()).pages == []


async def test_one_undo_takes_it_back(life: Life) -> None:
    await life.tell("@Pete likes cheese.", "@Pete has a cat.", "@Peter has a boat.", "@Peter lives in Rome.")
    await life.reflect()
    before = life.pages()

    await merged(life, "Pete", "Peter")
    await life.memory.undo(op_id="u", scope=OWNER, actor="owner")

    assert life.pages() == before


async def test_a_new_name_is_a_renaming(life: Life) -> None:
    await life.tell("@Ana likes tea.", "@Ana lives in Porto.")
    await life.reflect()

    await merged(life, "Ana", "Ana Lopez")
    await life.reflect()

    page = life.page("entities/Ana-Lopez.md")
    assert "# Ana Lopez" in page
    assert "Porto" in page
    assert await names(life, "Ana Lopez") == await names(life, "Ana") == 2


async def test_names_that_a_page_has_already_stay(life: Life) -> None:
    life.edit("entities/Peter.md", "---\nkind: person\naliases:\n  - P.\n  - Smithy\nborn: 1980\n---\n\nText.\n")
    await life.memory.sync()
    await life.tell("@Pete likes cheese.")

    await merged(life, "@Pete", "Peter")

    assert life.page("entities/Peter.md").startswith(
        '---\nkind: person\naliases: ["P.", Smithy, Pete]\nborn: 1980\n---\n\nText.\n'
    )


async def test_what_cannot_be_merged(life: Life) -> None:
    await life.tell("@Pete likes cheese.")
    for old, into, error in (("Nobody", "Pete", NotFound), ("Pete", "pete", Conflict), ("Pete", "../..", PathRefused)):
        with pytest.raises(error):
            await life.memory.run(plan_merge, old, into)
    plan = await life.memory.run(plan_merge, "Pete", "Peter")
    life.edit("entities/Peter.md", "Changed meanwhile.\n")
    with pytest.raises(Conflict):
        await life.memory.run(carry_out, plan, op_id="m", actor="owner")


async def test_who_is_merged_twice_is_found_by_all_names(life: Life) -> None:
    await life.tell(
        "@Pete likes cheese.", "@Pete has a cat.", "@Peter has a boat.", "@Peter is tall.", "@Pietro sings."
    )
    await life.reflect()
    await merged(life, "Pete", "Peter")
    await merged(life, "Peter", "Pietro")
    await life.reflect()
    page = life.page("entities/Pietro.md")
    assert [word in page for word in ("cheese", "cat", "boat", "tall", "sings")] == [True] * 5
    assert life.page("entities/Pete.md").startswith("---\nredirect: Peter\n---")


async def test_what_a_person_wrote_anywhere_in_a_page_goes_along(life: Life) -> None:
    await life.tell("@Pete likes cheese.", "@Pete has a cat.", "@Peter has a boat.")
    await life.reflect()
    page = life.page("entities/Pete.md").replace("kind: entity\n", "kind: entity\nborn: 1980\n")
    page = page.replace("## Facts\n", "## Facts\nInside!\n") + "\n# My own heading\nBelow.\n"
    life.edit("entities/Pete.md", page)

    await merged(life, "Pete", "Peter")

    kept = life.page("entities/Peter.md")
    assert [line in kept for line in ("born: 1980", "Inside!", "# My own heading", "Below.")] == [True] * 4
    assert kept.count("likes cheese") == 0


async def test_facts_of_both_names_take_each_others_place_and_stand_together(life: Life) -> None:
    await life.tell("W @Pete: Pete lives in Oslo.", "W @Pete: Pete has a cat.")
    await life.reflect()
    await merged(life, "Pete", "Peter")
    life.clock.advance(days=2)
    await life.tell("W @Peter: Peter lives in Bergen.")
    await life.reflect()

    current, _, earlier = life.page("entities/Peter.md").partition("## Earlier")
    assert ("Oslo" in current, "Bergen" in current, "Oslo" in earlier) == (False, True, True)
    world = life.page("world.md")
    assert ("## Peter" in world, "## Pete\n" in world, "Oslo" in world) == (True, False, False)


async def test_merged_names_are_counted_as_one_and_each_fact_once(life: Life) -> None:
    await life.tell("@Pete likes cheese.", "@Pete has a cat.", "@Peter and @Pete are one.", "@Ana sings.")

    await merged(life, "Pete", "Peter")

    assert [one for one in (await life.memory.stats(scope=OWNER)).entities if one[0] != "Ana"] == [("Peter", 4)]


async def test_the_pointer_that_a_merge_leaves_is_no_answer(life: Life) -> None:
    await life.tell("@Pete likes cheese.", "@Pete has a cat.", "@Peter has a boat.")
    await life.reflect()

    await merged(life, "Pete", "Peter")
    found = await life.memory.recall("What do we know about Pete?", scope=OWNER)

    assert "bank/entities/Pete.md" not in {hit.source.path for hit in found.hits}
    assert any("cheese" in hit.content for hit in found.hits)
