from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from bot.app import tools
from bot.tools.base import Result, ToolError, Work, tool
from tests.servers.openai_rules import NAME
from tests.support.conversation import ToolHarness


async def count(work: Work, things: list[str], most: Annotated[int, Field(alias="atMost", ge=1, le=9)] = 5) -> Result:
    """Count things. Very fast.

    Even if there are many.

    Args:
        things: what to
            count.
        most: where to stop.
    """
    return Result(f"{work.op_id} {min(len(things), most)}")


COUNT = tool(count, doing="counting")


def test_a_tool_is_made_of_signature_and_docstring() -> None:
    offer = COUNT.signature.offer

    assert (offer.name, offer.description) == ("count", "Count things. Very fast. Even if there are many.")
    assert offer.parameters == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "things": {"type": "array", "items": {"type": "string"}, "description": "what to count."},
            "atMost": {"type": "integer", "default": 5, "minimum": 1, "maximum": 9, "description": "where to stop."},
        },
        "required": ["things"],
    }
    assert not COUNT.changes


async def test_arguments_are_checked_under_the_models_names(at: ToolHarness) -> None:
    work = Work(await at.turn(), "op")

    assert (await COUNT.call(work, {"things": ["a", "b"], "atMost": 1})).text == "op 1"
    assert (await COUNT.call(work, {"things": ["a", "b"]})).text == "op 2"
    assert (await COUNT.call(work, {"things": ["a", "b"], "atMost": None})).text == "op 2"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "things: Field required"),
        ({"things": None}, "things: Field required"),
        ({"things": "a"}, "things: Input should be a valid list"),
        ({"things": [], "atMost": 10}, "atMost: Input should be less than or equal to 9"),
        ({"things": [], "path": "/"}, "path: Extra inputs are not permitted"),
        ({"things": [1]}, "things.0: Input should be a valid string"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_in_words(
    at: ToolHarness, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ToolError, match="The arguments do not fit") as caught:
        await COUNT.call(Work(await at.turn(), "op"), arguments)

    assert complaint in str(caught.value)


@pytest.mark.parametrize("name", tools())
def test_every_tool_can_be_offered_and_explains_its_arguments(name: str) -> None:
    made = tools()[name]

    assert NAME.fullmatch(made.name)
    assert made.name == name
    assert made.doing
    assert made.signature.offer.description.endswith((".", "?"))
    for argument, schema in made.signature.offer.parameters["properties"].items():
        assert schema["description"], argument
