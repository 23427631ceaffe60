from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.config.options.providers import ModelOptions
from bot.llm.endpoint import FRAGMENT, HIDDEN, Endpoint, endpoint_of

KEY = "sk-proj-0123456789abcdefghij"


def at(base_url: str, key: str = "", model: str = "m") -> Endpoint:
    return Endpoint(model=model, base_url=base_url, api_key=SecretStr(key))


@pytest.mark.parametrize(
    "base_url",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1/v1",
        "http://127.9.9.9:8080",
        "http://[::1]:1234/v1",
        "http://ollama.localhost/v1",
    ],
)
def test_an_address_that_never_leaves_this_machine_is_local(base_url: str) -> None:
    assert at(base_url).is_local


@pytest.mark.parametrize(
    "base_url",
    ["https://api.openai.com/v1", "http://192.168.1.7:11434/v1", "http://localhost.example.org/v1", "http://0.0.0.0"],
)
def test_any_other_is_not(base_url: str) -> None:
    assert not at(base_url).is_local


def test_its_label_has_no_password_and_its_representation_no_key() -> None:
    endpoint = at("http://me:secret@host:99/v1", KEY, "qwen3:8b")

    assert endpoint.label == "qwen3:8b at host:99"
    assert KEY not in repr(endpoint)


def test_without_a_model_the_label_is_the_host() -> None:
    assert at("http://localhost:1234/v1", model="").label == "localhost:1234"


def test_a_key_is_masked_whole_and_in_part() -> None:
    endpoint = at("https://x", KEY)

    assert endpoint.mask(f"bad key {KEY}!") == f"bad key {HIDDEN}!"
    assert endpoint.mask(f"bad key {KEY[:9]}***{KEY[-8:]}") == f"bad key {HIDDEN}***{HIDDEN}"
    assert endpoint.mask("no key at all") == "no key at all"


@pytest.mark.parametrize("key", ["", "abc"])
def test_short_keys_and_no_key_are_no_trouble(key: str) -> None:
    assert at("https://x", key).mask("say abc") == ("say " + (HIDDEN if key else "abc"))


@given(st.text(), st.text(), st.integers(0, 20), st.integers(FRAGMENT, 28))
def test_no_larger_part_of_a_key_survives(before: str, after: str, start: int, size: int) -> None:
    part = KEY[start : start + size]
    told = at("https://x", KEY).mask(before + part + after)

    assert len(part) < FRAGMENT or part not in told


def test_it_is_made_of_the_options() -> None:
    options = ModelOptions.model_validate(
        {
            "name": "qwen3:8b",
            "base_url": "http://localhost:11434/v1/",
            "api_key": " sk-1\n",
            "temperature": 0,
            "timeouts": {"connect": 1, "silence": 2},
        }
    )
    endpoint = endpoint_of(options)

    assert (endpoint.model, endpoint.base_url) == ("qwen3:8b", "http://localhost:11434/v1")
    assert endpoint.api_key.get_secret_value() == "sk-1"
    assert (endpoint.temperature, endpoint.connect_s, endpoint.read_s) == (0, 1, 2)
