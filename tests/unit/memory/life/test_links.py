from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory import OWNER, Embedding, FrozenClock, Memory, Mode, Origin, Scope
from memory.life.calibrate import Bands, LanguageBands, keep
from memory.ports import Vectors
from tests.fakes.embedder import LetterEmbedder
from tests.support.factories import NOON

CHAT = Scope("chat:7")
BANDS = LanguageBands(dict.fromkeys(("", "en", "de", "zh"), Bands(0.0, 0.6, 0.9)))


class TableEmbedder(LetterEmbedder):
    """Texts have the vectors that a table gives them by their first word; others point somewhere else."""

    def __init__(self, table: Mapping[str, tuple[float, ...]]) -> None:
        super().__init__("table", dims=4)
        self.table = table

    def _row(self, text: str) -> Vectors:
        row = np.array(self.table.get(text.split(maxsplit=1)[0].strip("."), (0, 0, 0, 1)), np.float32)
        return (row / np.linalg.norm(row)).astype(np.float32)


def angle(degrees: float) -> tuple[float, ...]:
    return (float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees))), 0, 0)


class House:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache.sqlite"
        self.ids: dict[str, str] = {}
        keep("table", BANDS, self.cache)

    @asynccontextmanager
    async def memory(self, table: Mapping[str, tuple[float, ...]], **more: Any) -> AsyncIterator[Memory]:
        embedding = Embedding(TableEmbedder(table), self.cache)
        path, index = self.folder / "workspace", self.folder / "index.sqlite"
        async with await Memory.open(path, index=index, embedding=embedding, clock=FrozenClock(NOON), **more) as memory:
            yield memory

    async def remember(self, memory: Memory, *texts: str, scope: Scope = OWNER) -> None:
        for text in texts:
            written = await memory.remember(text, origin=Origin.OWNER, scope=scope, op_id=f"{scope}{text}", actor="a")
            self.ids[written.fact.id or ""] = text.rstrip(".")

    def records(self) -> Iterator[dict[str, Any]]:
        for file in sorted((self.folder / "workspace" / ".memory" / "journal").glob("*.jsonl")):
            records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
            yield from (record for record in records if record["action"] == "link")

    def links(self) -> dict[str, dict[str, float]]:
        found = {record["target"]: record["details"]["links"] for record in self.records()}
        return {
            self.ids[target]: {self.ids[other]: weight for other, weight in links.items()}
            for target, links in found.items()
        }


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_fact_is_linked_to_six_others_above_the_band_nearest_first(house: House) -> None:
    table = {f"F{n}": angle(5 * n) for n in range(8)} | {"Far": angle(80)}
    async with house.memory(table) as memory:
        await house.remember(memory, *(f"{name}." for name in table))
        await memory.embed()
    links = house.links()
    assert list(links["F0"]) == ["F1", "F2", "F3", "F4", "F5", "F6"]
    assert links["Far"] == pytest.approx(
        {"F7": 0.625, "F6": 0.55}, abs=0.005
    )  # cosines .707 and .643, of .6 for .5 to .9 for .85
    assert all(weight >= 0.5 for found in links.values() for weight in found.values())
    assert all(name not in found for name, found in links.items())


async def test_every_fact_has_one_record_also_when_it_is_like_no_other(house: House) -> None:
    table = {"Left": angle(0), "Up": angle(90)}
    async with house.memory(table) as memory:
        await house.remember(memory, "Left.", "Up.")
        await memory.embed()
        await memory.embed()
        await memory.rebuild()
        await memory.embed()
    assert house.links() == {"Left": {}, "Up": {}}
    assert len([*house.records()]) == 2


async def test_a_new_fact_is_linked_to_old_ones_and_found_from_both_ends(house: House) -> None:
    table = {"Old": angle(0), "New": angle(10), "Question": angle(0)}
    async with house.memory(table) as memory:
        await house.remember(memory, "Old.")
        await memory.embed()
        await house.remember(memory, "New.")
        await memory.embed()
        assert house.links() == {"Old": {}, "New": {"Old": pytest.approx(0.978, abs=0.02)}}
        found = await memory.recall("Old", scope=OWNER)
    assert [hit.content for hit in found.hits] == ["Old.", "New."]


async def test_no_link_leads_out_of_a_scope(house: House) -> None:
    table = {"Mine": angle(0), "Theirs": angle(1), "Other": angle(2)}
    async with house.memory(table) as memory:
        await house.remember(memory, "Mine.")
        await house.remember(memory, "Theirs.", "Other.", scope=CHAT)
        await memory.embed()
    assert {name: [*found] for name, found in house.links().items()} == {
        "Mine": [],
        "Theirs": ["Other"],
        "Other": ["Theirs"],
    }
    assert {record["target"]: record["scope"] for record in house.records()} == {
        target: "owner" if name == "Mine" else CHAT for target, name in house.ids.items()
    }


async def test_vectors_that_are_all_equal_link_nothing(house: House) -> None:
    async with house.memory({}) as memory:
        await house.remember(memory, "A.", "B.", "C.", "D.")
        await memory.embed()
    assert house.links() == {"A": {}, "B": {}, "C": {}, "D": {}}


@pytest.mark.parametrize("worth", [float("nan"), 0.0, float("inf")])
async def test_vectors_that_are_none_link_nothing(house: House, worth: float) -> None:
    embedder = LetterEmbedder("table")
    embedder.worth = worth
    path, index = house.folder / "workspace", house.folder / "index.sqlite"
    async with await Memory.open(path, index=index, embedding=Embedding(embedder, house.cache)) as memory:
        await house.remember(memory, "A bakery.", "A bakery here.")
        await memory.embed()
        assert len((await memory.recall("bakery", scope=OWNER)).hits) == 2
    assert not house.links()


async def test_nothing_is_linked_for_an_embedder_that_nobody_has_measured(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.cache.with_name("bands.json").unlink()
    async with house.memory({"A": angle(0), "B": angle(1)}) as memory:
        await house.remember(memory, "A.", "B.")
        await memory.embed()
    assert not house.links()


async def test_who_only_reads_links_nothing(house: House) -> None:
    table = {"A": angle(0), "B": angle(1)}
    async with house.memory(table) as memory:
        await house.remember(memory, "A.", "B.")
    async with house.memory(table, mode=Mode.READ_ONLY) as memory:
        await memory.embed()
    assert not house.links()


async def test_links_to_what_was_forgotten_lead_nowhere_and_back_when_it_is_there_again(house: House) -> None:
    table = {"Keys": angle(0), "Pot": angle(5)}
    async with house.memory(table) as memory:
        await house.remember(memory, "Keys.", "Pot.")
        await memory.embed()
        pot = next(target for target, name in house.ids.items() if name == "Pot")
        await memory.forget_facts([pot], op_id="f", scope=OWNER, actor="a")
        assert [hit.content for hit in (await memory.recall("keys", scope=OWNER)).hits] == ["Keys."]
        await memory.undo(op_id="u", scope=OWNER, actor="a")
        await memory.embed()
        assert [hit.content for hit in (await memory.recall("keys", scope=OWNER)).hits] == ["Keys.", "Pot."]
    assert len([*house.records()]) == 2
