from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.llm.providers import CLOUD, FRAGMENT, HIDDEN, LOCAL, Endpoint, Found, Provider, with_keys

AT_HOME = Provider("Ollama", "http://localhost:1/v1", likes=("qwen3", "llama"))


def test_providers_whose_key_is_set_are_found_with_a_reference_to_it() -> None:
    found = with_keys({"GROQ_API_KEY": "gsk", "OPENAI_API_KEY": "sk", "MISTRAL_API_KEY": " ", "HOME": "/"})

    assert [(way.provider.name, way.api_key) for way in found] == [
        ("OpenAI", "${OPENAI_API_KEY}"),
        ("Groq", "${GROQ_API_KEY}"),
    ]
    assert "gsk" not in repr(found)


def test_an_empty_environment_has_none() -> None:
    assert with_keys({}) == ()


def test_a_base_url_in_the_environment_says_whose_key_it_is() -> None:
    (way,) = with_keys({"OPENAI_API_KEY": "sk", "OPENAI_BASE_URL": "http://gateway/v1"})

    assert (way.provider.base_url, way.api_key, way.proposed) == ("http://gateway/v1", "${OPENAI_API_KEY}", "")


def test_the_model_to_begin_with_is_the_plainest_of_the_best() -> None:
    assert Found(AT_HOME, ("llama3:8b", "qwen3:30b-a3b", "qwen3:8b")).proposed == "qwen3:8b"
    assert Found(AT_HOME, ("zephyr", "llama3:8b")).proposed == "llama3:8b"


def test_at_home_any_model_is_better_than_none_and_in_the_cloud_a_person_chooses() -> None:
    assert Found(AT_HOME, ("gemma3",)).proposed == "gemma3"
    assert Found(AT_HOME).proposed == ""
    assert Found(CLOUD[0], ("text-embedding-3-small", "whisper-1")).proposed == ""


def test_every_provider_is_reached_safely() -> None:
    for provider in CLOUD:
        assert provider.base_url.startswith("https://")
        assert provider.variable.endswith("_API_KEY")
    for provider in LOCAL:
        assert Endpoint(model="", base_url=provider.base_url).is_local
    assert len({provider.base_url for provider in CLOUD + LOCAL}) == len(CLOUD + LOCAL)


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

    assert endpoint.masked(f"bad key {KEY}!") == f"bad key {HIDDEN}!"
    assert endpoint.masked(f"bad key {KEY[:9]}***{KEY[-8:]}") == f"bad key {HIDDEN}***{HIDDEN}"
    assert endpoint.masked("no key at all") == "no key at all"


@pytest.mark.parametrize("key", ["", "abc"])
def test_short_keys_and_no_key_are_no_trouble(key: str) -> None:
    assert at("https://x", key).masked("say abc") == ("say " + (HIDDEN if key else "abc"))


@given(st.text(), st.text(), st.integers(0, 20), st.integers(FRAGMENT, 28))
def test_no_larger_part_of_a_key_survives(before: str, after: str, start: int, size: int) -> None:
    part = KEY[start : start + size]
    told = at("https://x", KEY).masked(before + part + after)

    assert len(part) < FRAGMENT or part not in told
