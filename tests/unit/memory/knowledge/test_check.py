from __future__ import annotations

from memory.knowledge.check import check, fix, left_by_merges
from tests.support.measure import count_calls
from tests.unit.memory.knowledge.conftest import Life, told


async def findings(life: Life) -> list[tuple[str, str, int]]:
    await life.memory.sync()
    return [(one.id, one.path, one.line) for one in await life.memory.run(check)]


async def test_what_reflection_writes_holds_together(life: Life) -> None:
    await told(life)
    await life.reflect()
    assert await findings(life) == []


async def test_links_that_lead_nowhere_are_named_with_their_lines(life: Life) -> None:
    await told(life)
    life.edit(
        "procedures.md",
        "See [[2026-01-03]], [[Nobody]] and `[[2026-01-09]]`.\n\n[[2026-01-08]] [[2026-01-03#^gone1234]]\n",
    )
    assert await findings(life) == [("link", "bank/procedures.md", 3)] * 2


async def test_an_id_of_two_lines_and_a_page_about_nobody(life: Life) -> None:
    life.edit("world.md", "- One. ^abcd1234\n- Two. ^abcd1234\n")
    life.edit("entities/Nobody.md", "# Nobody\n")
    assert await findings(life) == [("orphan", "bank/entities/Nobody.md", 0), ("duplicate", "bank/world.md", 2)]


async def test_a_part_without_an_end(life: Life) -> None:
    life.edit("world.md", "# World\n\n<!-- scrubjay:begin facts -->\n")
    assert await findings(life) == [("part", "bank/world.md", 3)]


async def test_marks_of_conflicts_cost_as_much_each_however_many_there_are(life: Life) -> None:
    async def work(count: int) -> int:
        life.edit("world.md", "<<<<<<< ours\n- One.\n=======\n- Two.\n>>>>>>> theirs\n\n" * count)
        assert [("conflict", "bank/world.md", 1 + 6 * number) for number in range(count)] == await findings(life)
        return await life.memory.run(lambda context: count_calls(lambda: check(context)))

    few, many = await work(50), await work(200)
    assert many < 4.4 * few


async def test_a_conflict_that_was_mended_in_part_is_told_and_one_in_code_is_not(life: Life) -> None:
    life.edit("world.md", "- One.\n<<<<<<< ours\n- Two.\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n")
    assert await findings(life) == [("conflict", "bank/world.md", 2)]


async def test_what_points_at_a_line_that_was_removed_by_hand_is_taken_out(life: Life) -> None:
    await told(life)
    await life.reflect()
    log = life.folder / "memory/2026-01-04.md"
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if "short replies" not in line))
    assert {name for name, _, _ in await findings(life)} == {"link", "evidence"}

    left = await life.memory.run(fix, op_id="fix", actor="owner")

    assert left == ()
    assert "short replies" not in life.page("entities/Peter.md")
    assert "O(c=0.7) @Peter" in life.page("opinions.md")
    assert await findings(life) == []


async def test_an_opinion_stays_though_its_line_in_the_log_is_gone(life: Life) -> None:
    await told(life)
    await life.reflect()
    log = life.folder / "memory/2026-01-03.md"
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if "concise" not in line))
    await life.memory.sync()

    await life.memory.run(fix, op_id="fix", actor="owner")

    assert "O(c=0.75) @Peter: Prefers concise replies." in life.page("opinions.md")


async def test_links_in_code_are_none(life: Life) -> None:
    life.edit("procedures.md", "Text.\n\n```\n[[2026-01-09]]\n```\n")
    assert await findings(life) == []


async def test_a_copy_that_a_synchronisation_has_left_is_told_once_and_is_not_the_one_that_counts(life: Life) -> None:
    page = "- One. ^abcd1234\n- Two. ^abcd5678\n"
    copies = ["world (Anna's conflicted copy 2026-11-30).md", "world.sync-conflict-20261130-123456-ABCDEFG.md"]
    for name in ("world.md", *copies, "lost.sync-conflict-20261130-123456-ABCDEFG.md"):
        life.edit(name, page if "world" in name else "- Three.\n")
    assert await findings(life) == [("copy", f"bank/{name}", 0) for name in copies]
    (one, _) = await life.memory.run(left_by_merges)
    assert "bank/world.md" in one.message

    life.edit("world (Kopie von Anna).md", page)
    assert await findings(life) == [
        ("copy", f"bank/{copies[0]}", 0),
        ("duplicate", "bank/world (Kopie von Anna).md", 1),
        ("duplicate", "bank/world (Kopie von Anna).md", 2),
        ("copy", f"bank/{copies[1]}", 0),
    ]
