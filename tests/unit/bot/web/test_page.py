from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import Missing, UsageError
from bot.web.page import View, new_operation
from tests.support.dashboard import open_site


@pytest.fixture
async def view(tmp_path: Path) -> AsyncIterator[View]:
    async with open_site(tmp_path / "home") as site:
        agents = site.app.context.agents
        yield View(site.app, site.beside, agents["work"], [*agents])


async def test_a_number_of_the_query_stays_within_its_bounds(view: View) -> None:
    asked = replace(
        view, query={"a": "7", "b": "-5", "c": "99999999999999999999", "d": "", "e": "x" * 1000, "f": " 3 "}
    )

    assert [asked.number(name, 1) for name in "abcdf"] == [7, 0, 1_000_000, 1, 3]
    assert asked.number("missing", 4) == 4
    assert asked.number("a", 1, most=5) == 5
    with pytest.raises(UsageError, match=r"e takes a number, not x{40}\."):
        asked.number("e", 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text())
async def test_any_text_is_a_number_or_is_told_to_be_none(view: View, text: str) -> None:
    with suppress(UsageError):
        assert 0 <= replace(view, query={"n": text}).number("n", 5) <= 1_000_000


async def test_a_choice_is_one_of_those_allowed(view: View) -> None:
    asked = replace(view, query={"order": "-day", "kind": "<script>"})

    assert asked.choice("order", ("day", "-day"), "day") == "-day"
    assert asked.choice("missing", ("a",), "a") == "a"
    assert replace(view, query={"kind": ""}).choice("kind", ("fact",)) == ""
    with pytest.raises(UsageError, match=r"<script> is no value of kind\. Choose one of: fact, note"):
        asked.choice("kind", ("note", "fact"), "fact")


async def test_a_field_of_a_form_has_to_be_there(view: View) -> None:
    sent = replace(view, form={"text": "", "op": "web:1"})

    assert sent.field("text") == ""
    assert sent.op_id == "web:1"
    assert view.op_id != view.op_id
    with pytest.raises(UsageError, match="lacks id"):
        sent.field("id")


async def test_links_stay_with_the_agent_and_carry_any_text(view: View) -> None:
    assert (
        view.link("/memory", q="a&b=ü", offset=0, day=None, kind="") == "/memory?agent=work&q=a%26b%3D%C3%BC&offset=0"
    )


async def test_a_part_of_the_path_has_to_be_there(view: View) -> None:
    assert replace(view, path={"id": "x"}).part("id") == "x"
    with pytest.raises(Missing):
        view.part("id")


def test_every_operation_has_an_id_of_its_own() -> None:
    assert len({new_operation() for _ in range(100)}) == 100
