"""What is remembered comes back to the letter, is replaced as a whole, and holds no secret that nobody agreed to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from memory.errors import NotFound, SecretFound, Unparsable
from tests.support.factories import NOON

LIST = "Shopping for Saturday:\n- oat milk\n  - two of them\n\n- 6 eggs\n```\n# no heading ^abc\n```"
CARD = "My card is 4111 1111 1111 1111"
TODAY = "memory/2026-11-21.md"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(
        tmp_path / "workspace",
        index=tmp_path / "index.sqlite",
        clock=FrozenClock(NOON),
        zone=ZoneInfo("Europe/Berlin"),
        secrets=("configured-key-1",),
    )
    async with opened:
        yield opened


async def remembered(memory: Memory, text: str, *, op_id: str = "t:0", keep_secrets: bool = False) -> str:
    written = await memory.remember(
        text, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor="owner", keep_secrets=keep_secrets
    )
    assert written.fact.text == text
    return written.fact.id or ""


async def test_a_fact_of_several_lines_is_handed_over_whole_with_its_lines(memory: Memory) -> None:
    name = await remembered(memory, LIST)

    found = await memory.recall("eggs on Saturday", scope=OWNER)

    assert [(hit.content, hit.id) for hit in found.hits] == [(LIST, name)]
    assert str(found.hits[0].source) == f"{TODAY}#L4-L11"
    assert [hit.content for hit in await memory.day("2026-11-21", scope=OWNER)] == [LIST]


async def test_a_long_fact_is_handed_over_once_and_then_by_the_passage_that_fits(memory: Memory) -> None:
    page = "How the house works\n\n" + "\n\n".join(
        f"Room {number} has {number * 3} lamps. " + "It is quiet there at night. " * 12 for number in range(40)
    )
    name = await remembered(memory, page + "\nThe boiler hums in the cellar.")

    found = await memory.recall("What hums in the cellar?", scope=OWNER, limit=5)

    assert [hit.id for hit in found.hits] == [name]
    assert found.hits[0].content.startswith("How the house works […]\n")
    assert found.hits[0].content.endswith("The boiler hums in the cellar.")
    assert len(found.hits[0].content) < 1_200
    assert (await memory.stats(scope=OWNER)).facts == 1
    assert [hit.id for hit in await memory.recent(5, scope=OWNER)] == [name]


async def test_forgetting_several_lines_keeps_their_number_and_undo_brings_all_back(
    memory: Memory, tmp_path: Path
) -> None:
    name = await remembered(memory, LIST)
    await remembered(memory, "The key is in the shed.", op_id="t:1")
    page = tmp_path / "workspace" / TODAY
    before = page.read_text(encoding="utf-8")

    await memory.forget_facts([name], op_id="t:2", scope=OWNER, actor="owner")

    forgotten = page.read_text(encoding="utf-8").splitlines()
    assert len(forgotten) == len(before.splitlines())
    assert forgotten[3:11] == [f"<!-- scrubjay:forgotten ^{name} -->"] * 8
    assert (await memory.recall("oat milk", scope=OWNER)).hits == ()
    await memory.undo(op_id="t:3", scope=OWNER, actor="owner")
    assert page.read_text(encoding="utf-8") == before


async def test_a_text_that_no_file_can_hold_is_refused_and_nothing_is_written(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(Unparsable, match="no text file can hold"):
        await remembered(memory, "one\x00two")

    assert not (tmp_path / "workspace" / "memory").exists()


async def test_a_new_text_takes_the_place_of_a_fact_and_undo_takes_both_back(memory: Memory) -> None:
    old = await remembered(memory, "The gate code is 4711.")

    replaced = await memory.supersede(
        old, "The gate code is 4712.", origin=Origin.OWNER, scope=OWNER, op_id="t:1", actor="owner"
    )
    again = await memory.supersede(
        old, "The gate code is 4712.", origin=Origin.OWNER, scope=OWNER, op_id="t:1", actor="owner"
    )

    assert [hit.content for hit in await memory.recent(5, scope=OWNER)] == ["The gate code is 4712."]
    assert (replaced.gone.id, replaced.written.repeated) == (old, False)
    assert (again.gone.id, again.written.repeated) == (old, True)
    await memory.undo(op_id="t:2", scope=OWNER, actor="owner")
    assert [hit.content for hit in await memory.recent(5, scope=OWNER)] == ["The gate code is 4711."]


async def test_nothing_is_written_in_the_place_of_a_fact_that_is_not_there(memory: Memory) -> None:
    with pytest.raises(NotFound):
        await memory.supersede("k3f9a2mq", "x y", origin=Origin.OWNER, scope=OWNER, op_id="t:1", actor="owner")

    assert await memory.recent(5, scope=OWNER) == ()


async def test_a_secret_is_refused_until_it_is_agreed_to(memory: Memory) -> None:
    with pytest.raises(SecretFound) as found:
        await remembered(memory, CARD)

    assert (found.value.kinds, found.value.values) == (("card",), ("4111 1111 1111 1111",))
    assert "4111" not in str(found.value)
    await remembered(memory, CARD, keep_secrets=True)


async def test_a_secret_of_the_configuration_is_refused_always(memory: Memory) -> None:
    with pytest.raises(SecretFound) as found:
        await remembered(memory, "the key: configured-key-1", keep_secrets=True)

    assert found.value.is_registered


async def test_pages_take_no_new_secret_and_keep_those_that_they_have(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "USER.md").write_text(f"{CARD}\n", encoding="utf-8")
    page = await memory.page("USER.md")
    append = partial(memory.append, origin=Origin.AGENT, actor="agent")
    rewrite = partial(memory.rewrite, "USER.md", origin=Origin.AGENT, actor="agent")

    with pytest.raises(SecretFound):
        await append("notes.md", CARD, op_id="t:0")
    await rewrite(f"{page.text}Likes tea.\n", expected=page.state, op_id="t:1")
    page = await memory.page("USER.md")
    with pytest.raises(SecretFound):
        await rewrite("My password is plum-Kettle-88\n", expected=page.state, op_id="t:2")
