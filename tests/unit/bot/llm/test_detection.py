from __future__ import annotations

import pytest

from bot.config.options.providers import Provider
from bot.llm.detection import models_of, servers, try_completion
from bot.llm.errors import BadAnswer, NoSuchModel, Unauthorised, Unavailable
from memory import FrozenClock
from tests.servers.odd import Odd, OddServer, chunks, delta, whole
from tests.servers.openai_script import Call, Received, Step, rate_limited
from tests.servers.openai_server import MODEL, OpenAIServer
from tests.support.factories import NOON, endpoint

CLOCK = FrozenClock(NOON)
OPEN = {"data": [{"id": "qwen3:8b"}, {"id": "gemma3"}]}
READY = Step(text="ready", usage=(9, 1))


def obedient(request: Received) -> Step:
    return Step(calls=(Call("note", {"word": "ready"}),)) if request.tools else READY


async def test_servers_that_answer_are_found_with_their_models() -> None:
    with OddServer(Odd(b"")) as off:
        gone = Provider("llama.cpp", off.base_url)
    with OddServer(whole(OPEN)) as ollama, OddServer(Odd(b"<html>", "text/html")) as other:
        here, page = Provider("Ollama", ollama.base_url), Provider("LM Studio", other.base_url)
        found = await servers(clock=CLOCK, candidates=(gone, here, page))

    assert [(way.provider, way.models) for way in found] == [(here, ("gemma3", "qwen3:8b"))]
    assert ollama.received[0][0] == "GET /v1/models"


async def test_models_are_listed_or_it_is_said_why_not() -> None:
    with OpenAIServer(models=["small"]) as server:
        assert await models_of(endpoint(server.base_url), clock=CLOCK) == ("small",)
        with pytest.raises(Unauthorised):
            await models_of(endpoint(server.base_url, key="wrong"), clock=CLOCK)


async def test_a_trial_is_a_real_completion_and_a_real_call() -> None:
    with OpenAIServer(obedient) as server:
        trial = await try_completion(endpoint(server.base_url), clock=CLOCK)

    assert (trial.text, trial.calls_tools) == ("ready", True)
    assert trial.ms > 0
    assert [request.tools for request in server.received] == [[], ["note"]]


async def test_a_model_that_talks_instead_of_calling_is_told_apart() -> None:
    with OpenAIServer(lambda _: READY) as server:
        trial = await try_completion(endpoint(server.base_url), clock=CLOCK)

    assert trial.calls_tools is False


async def test_a_model_that_refuses_tools_is_told_apart() -> None:
    said = chunks(delta({"content": "ready"}), delta({}, "stop"))
    with OddServer(said, whole({"error": {"message": "m does not support tools"}}, 400)) as server:
        trial = await try_completion(endpoint(server.base_url), clock=CLOCK)

    assert trial.calls_tools is False


async def test_a_trial_whose_second_half_is_prevented_is_a_trial_all_the_same() -> None:
    with OpenAIServer([READY], [None, rate_limited(5)]) as server:
        trial = await try_completion(endpoint(server.base_url), clock=CLOCK)

    assert (trial.text, trial.calls_tools) == ("ready", None)


async def test_a_model_that_says_nothing_has_failed() -> None:
    with OpenAIServer([Step()]) as server, pytest.raises(BadAnswer, match="nothing at all"):
        await try_completion(endpoint(server.base_url), clock=CLOCK)


async def test_for_a_name_that_does_not_exist_those_that_do_are_told() -> None:
    with OpenAIServer(models=[MODEL, "a", "b", "c", "d", "e"]) as server, pytest.raises(NoSuchModel) as caught:
        await try_completion(endpoint(server.base_url, model="skripted"), clock=CLOCK)

    assert caught.value.hint == f"Did you mean {MODEL}? There are: a, b, c, d, e and 1 more."


async def test_nobody_there_is_told_at_once() -> None:
    with OddServer(Odd(b"")) as server:
        base_url = server.base_url

    with pytest.raises(Unavailable):
        await try_completion(endpoint(base_url), clock=CLOCK)
