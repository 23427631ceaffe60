from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from bot.llm.errors import Truncated, Unavailable
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.types import Event, Message, Request, Role, TextDelta, answer
from tests.support.factories import make_request


class Endless:
    """A model that breaks its promise."""

    name = "endless"

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        yield TextDelta(request.history[-1].text)


def test_a_request_shows_its_rules_first() -> None:
    rule, said = Message(Role.SYSTEM, "Be kind."), Message(Role.USER, "Hi.")

    assert Request(prefix=(rule,), history=(said,)).messages == (rule, said)


async def test_a_whole_answer_is_the_end_of_its_stream() -> None:
    with ScriptedModel(Step(text="It is noon, and the sun shines."), Unavailable("down")) as model:
        end = await answer(model, make_request())
        with pytest.raises(Unavailable):
            await answer(model, make_request())

    assert end.message.text == "It is noon, and the sun shines."


async def test_a_stream_without_an_end_is_an_error() -> None:
    with pytest.raises(Truncated, match="endless"):
        await answer(Endless(), make_request())
