from __future__ import annotations

import sys

import pytest

from bot.doctor.base import Severity
from bot.doctor.vectors import CHECK
from bot.paths import Home
from memory import VectorBackend
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_every_way_is_tried_and_the_one_that_is_taken_is_named(look: Look) -> None:
    *tried, taken = await look(CHECK)

    assert [(finding.id, finding.place) for finding in tried] == [
        ("vectors.works", VectorBackend.SIMSIMD),
        ("vectors.works", VectorBackend.NUMPY),
        ("vectors.works", VectorBackend.SQLITE_VEC),
    ]
    assert (taken.id, taken.place, taken.message) == (
        "vectors.taken",
        VectorBackend.SIMSIMD,
        "searches the vectors in memory",
    )
    assert wrong([*tried, taken]) == []


async def test_without_simsimd_numpy_searches(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)

    found = await look(CHECK)

    assert (found[0].id, found[0].place) == ("vectors.unavailable", VectorBackend.SIMSIMD)
    assert (found[-1].id, found[-1].place) == ("vectors.taken", VectorBackend.NUMPY)


async def test_where_little_memory_is_wanted_the_vectors_are_on_disk(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("memory:\n  low_memory: true\n")

    taken = (await look(CHECK))[-1]

    assert taken.message == "searches the vectors on disk"
    assert taken.place.startswith("sqlite-vec")


async def test_where_that_is_impossible_it_is_a_warning(
    look: Look, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.prepare()
    home.config.write_text("agents:\n  a:\n  b:\n    memory:\n      low_memory: true\n")
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)

    found = await look(CHECK)

    assert [finding.id for finding in found[-2:]] == ["vectors.taken", "vectors.memory"]
    assert [finding.severity for finding in wrong(found)] == [Severity.WARNING]


async def test_without_numpy_there_is_nothing_to_search_with(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)

    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity) == ("vectors.absent", Severity.ERROR)
