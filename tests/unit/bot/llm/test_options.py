from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from bot.llm.options import ModelOptions, TimeoutOptions
from bot.llm.port import Limits


def options(**given: object) -> ModelOptions:
    return ModelOptions.model_validate(given)


def test_without_a_name_there_is_no_model() -> None:
    assert not options().is_configured
    assert options(name="gpt-5-mini").is_configured


def test_they_make_an_endpoint() -> None:
    given = options(
        name="qwen3:8b",
        base_url="http://localhost:11434/v1/",
        api_key=" sk-1\n",
        temperature=0,
        timeouts={"connect": 1, "silence": 2},
    )
    endpoint = given.endpoint

    assert (endpoint.model, endpoint.base_url) == ("qwen3:8b", "http://localhost:11434/v1")
    assert endpoint.api_key.get_secret_value() == "sk-1"
    assert (endpoint.temperature, endpoint.connect_s, endpoint.read_s) == (0, 1, 2)


def test_they_make_limits() -> None:
    given = options(output_tokens=100, timeouts={"total": 3})

    assert given.limits == Limits(output_tokens=100, total_s=3)
    assert options().limits == Limits()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        (" http://[::1]:8080/v1// ", "http://[::1]:8080/v1"),
        ("http://box", "http://box"),
    ],
)
def test_an_address_is_taken_in_the_forms_in_which_people_copy_it(written: str, meant: str) -> None:
    assert options(base_url=written).base_url == meant


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("localhost:11434/v1", "Did you mean http://localhost:11434/v1 ?"),
        ("api.openai.com/v1", "Did you mean https://api.openai.com/v1 ?"),
        ("", ""),
        ("ftp://host/v1", ""),
        ("http://", ""),
        ("http://host:port/v1", ""),
        ("http://[::1/v1", ""),
        ("http://a b/v1", ""),
        ("http://me:secret@host/v1", "Put the key into api_key."),
        ("http://host/v1?key=secret", ""),
    ],
)
def test_an_address_that_is_none_is_refused_with_what_is_allowed(written: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        options(base_url=written)

    (problem,) = caught.value.errors()
    assert problem["type"] == "refused"
    assert "such as https://api.openai.com/v1" in problem["msg"]
    assert hint in problem["ctx"]["hint"]


@pytest.mark.parametrize("key", ["sk 1", "sk-\n1", "sk-ä", "“sk-1”", "sk\x00"])
def test_a_key_that_no_header_takes_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        options(api_key=key)

    assert "sk" not in str(caught.value)


def test_keys_are_not_shown() -> None:
    given = options(api_key="sk-secret")

    assert "sk-secret" not in repr(given) + given.model_dump_json()
    assert given.api_key == SecretStr("sk-secret")


@pytest.mark.parametrize(
    "given",
    [
        {"nam": "x"},
        {"context_tokens": 100},
        {"context_tokens": True},
        {"output_tokens": 0},
        {"temperature": 3},
        {"temperature": float("nan")},
        {"timeouts": {"total": 0}},
        {"timeouts": {"connect": True}},
        {"timeouts": {"silence": float("inf")}},
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ModelOptions.model_validate(given)


@pytest.mark.parametrize("section", [ModelOptions, TimeoutOptions])
def test_every_option_has_a_sentence_and_an_example(section: type[ModelOptions | TimeoutOptions]) -> None:
    for name, field in section.model_fields.items():
        assert not field.is_required(), name
        if name != "timeouts":
            assert field.description, name
            assert field.examples, name


def test_a_key_without_a_model_and_a_provider_without_its_key_are_hardly_meant() -> None:
    def doubted(**options: str) -> list[str]:
        return [name for name, _, _ in ModelOptions.model_validate(options).doubts()]

    assert doubted() == doubted(name="m", api_key="sk") == []
    assert doubted(name="m", base_url="http://localhost:11434/v1") == []
    assert doubted(api_key="sk") == ["name"]
    assert doubted(name="m") == doubted(name="m", base_url="https://api.groq.com/openai/v1") == ["api_key"]
