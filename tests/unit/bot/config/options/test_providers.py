from __future__ import annotations

from bot.config.options.fields import is_local
from bot.config.options.providers import CLOUD, LOCAL, ModelSource, Provider, with_keys

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

    assert (way.provider.base_url, way.api_key, way.proposal) == ("http://gateway/v1", "${OPENAI_API_KEY}", "")


def test_the_model_to_begin_with_is_the_plainest_of_the_best() -> None:
    assert ModelSource(AT_HOME, ("llama3:8b", "qwen3:30b-a3b", "qwen3:8b")).proposal == "qwen3:8b"
    assert ModelSource(AT_HOME, ("zephyr", "llama3:8b")).proposal == "llama3:8b"


def test_at_home_any_model_is_better_than_none_and_in_the_cloud_a_person_chooses() -> None:
    assert ModelSource(AT_HOME, ("gemma3",)).proposal == "gemma3"
    assert ModelSource(AT_HOME).proposal == ""
    assert ModelSource(CLOUD[0], ("text-embedding-3-small", "whisper-1")).proposal == ""


def test_every_provider_is_reached_safely() -> None:
    for provider in CLOUD:
        assert provider.base_url.startswith("https://")
        assert provider.variable.endswith("_API_KEY")
    for provider in LOCAL:
        assert is_local(provider.base_url)
    assert len({provider.base_url for provider in CLOUD + LOCAL}) == len(CLOUD + LOCAL)
