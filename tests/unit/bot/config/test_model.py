from __future__ import annotations

from pathlib import Path
from zoneinfo import available_timezones

import pytest
from pydantic import Field, SecretStr, ValidationError

from bot.config.model import AgentOptions, Config, OwnerOptions, secrets_of
from bot.config.options.fields import Section
from bot.config.options.providers import ModelOptions, PrimaryModelOptions, TimeoutOptions
from bot.errors import Missing
from tests.fakes.machine import in_zone


def test_two_agents_exist_before_anything_is_configured() -> None:
    config = Config()

    assert list(config.agents) == ["personal", "work"]
    assert config.default_agent == "personal"
    assert all(agent.about for agent in config.agents.values())


def test_the_first_agent_is_the_default_unless_another_is_chosen() -> None:
    agents: dict[str, object] = {"garden": {}, "work": {}}

    assert Config.model_validate({"agents": agents}).default_agent == "garden"
    assert Config.model_validate({"agents": agents, "chat": {"agent": "work"}}).default_agent == "work"


def test_an_agent_that_does_not_exist_is_told_with_those_that_do_and_a_guess() -> None:
    with pytest.raises(Missing) as missing:
        Config().agent("wrok")

    assert "personal, work" in missing.value.message
    assert missing.value.hint == 'Did you mean "work"?'
    assert missing.value.exit_code == 4


def test_nobody_named_means_the_default_agent() -> None:
    assert Config().agent(None) == "personal"
    assert Config().agent("work") == "work"


@pytest.mark.parametrize("name", ["", "Work", "my agent", "../x", "a" * 33, "ä", "1st", "-x", "a_b", "a/b"])
def test_a_name_that_could_not_be_a_folder_everywhere_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Config.model_validate({"agents": {name: {}}})


def test_sections_without_options_count_as_left_out() -> None:
    assert Config.model_validate({"owner": None, "memory": {"recall": None}, "agents": {"a": None}}).agents == {
        "a": AgentOptions()
    }


def test_an_option_without_a_value_counts_as_left_out_but_an_unknown_one_is_noticed() -> None:
    assert OwnerOptions.model_validate({"name": None}) == OwnerOptions()
    with pytest.raises(ValidationError, match="extra_forbidden"):
        OwnerOptions.model_validate({"nam": None})


def test_a_time_zone_is_taken_by_its_name() -> None:
    assert OwnerOptions(timezone="Asia/Shanghai").zone.key == "Asia/Shanghai"


@pytest.mark.parametrize("name", ["", "Europe", "Nowhere/Land", "../etc/passwd", "/etc/passwd", "Europe/Berlin\n"])
def test_a_time_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        OwnerOptions(timezone=name)


def test_the_zone_of_the_machine_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "America/New_York")

    assert OwnerOptions().zone.key == "America/New_York"


@pytest.mark.parametrize("name", ["Nowhere/Land", ":/nonexistent", "CET-1CEST"])
def test_a_machine_that_names_an_unknown_zone_still_has_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    in_zone(monkeypatch, name)

    assert OwnerOptions().zone.key in available_timezones()


def test_an_agent_takes_what_it_says_of_its_own_memory_and_the_rest_from_all() -> None:
    config = Config.model_validate(
        {
            "agents": {"a": {"memory": {"ranking": "openclaw", "extra_paths": {"x": "/x"}}}, "b": {}},
            "memory": {"low_memory": True, "extra_paths": {"y": "/y"}},
        }
    )

    own, common = config.memory_of("a"), config.memory_of("b")

    assert (own.ranking, own.low_memory, own.extra_paths) == ("openclaw", True, {"x": Path("/x")})
    assert (common.ranking, common.low_memory, common.extra_paths) == ("scrubjay", True, {"y": Path("/y")})


def test_an_embedder_of_its_own_never_takes_over_the_key_of_another_endpoint() -> None:
    config = Config.model_validate(
        {
            "agents": {"a": {"memory": {"embedder": {"kind": "endpoint", "model": "m", "base_url": "http://b/v1/"}}}},
            "memory": {"embedder": {"kind": "endpoint", "model": "n", "api_key": " sk-1\n"}},
        }
    )

    own = config.memory_of("a").embedder

    assert own.base_url == "http://b/v1"
    assert not own.api_key.get_secret_value()
    assert list(secrets_of(config)) == ["sk-1"]


class Platform(Section):
    """A section with a secret, as platforms and models will have."""

    token: SecretStr | None = Field(default=None)


class Platforms(Section):
    """Secrets at several depths."""

    one: Platform = Field(default_factory=Platform)
    many: dict[str, Platform] = Field(default_factory=dict)
    listed: list[SecretStr] = Field(default_factory=list)
    folder: Path | None = None


def test_every_secret_is_found_at_any_depth() -> None:
    platforms = Platforms.model_validate(
        {"one": {"token": "first"}, "many": {"a": {"token": "second"}, "b": {}}, "listed": ["third"]}
    )

    assert list(secrets_of(platforms)) == ["first", "second", "third"]
    assert list(secrets_of(Config())) == []


BELOW = {"name": "big", "base_url": "https://models.example/v1", "api_key": "sk-below", "context_tokens": 64_000}


def test_what_an_agents_model_leaves_out_is_as_in_the_one_of_all() -> None:
    config = Config.model_validate({"model": BELOW, "agents": {"a": {}, "b": {"model": {"name": "small"}}}})

    assert config.model_of("a") == config.model
    assert config.model_of("b") == config.model.model_copy(update={"name": "small"})


def test_a_key_is_not_taken_along_to_another_address() -> None:
    own = {"name": "small", "base_url": "http://localhost:11434/v1"}

    model = Config.model_validate({"model": BELOW, "agents": {"a": {"model": own}}}).model_of("a")

    assert model == PrimaryModelOptions.model_validate(own)
    assert not model.api_key.get_secret_value()


def test_an_agent_can_do_without_the_model_of_all() -> None:
    config = Config.model_validate({"model": BELOW, "agents": {"a": {"model": {"name": ""}}}})

    assert not config.model_of("a").is_configured


def test_a_fallback_leaves_out_what_is_as_in_the_model_before_it() -> None:
    near, far = {"name": "small", "context_tokens": 8000}, {"name": "far", "base_url": "http://localhost:11434/v1"}
    config = Config.model_validate(
        {
            "model": {**BELOW, "fallbacks": [near, far]},
            "agents": {"a": {}, "b": {"model": {"name": "own"}}, "c": {"model": far}, "d": {"model": {"name": ""}}},
        }
    )

    first, second, third = config.model_of("a").in_order

    assert (first.name, second.name, third.name) == ("big", "small", "far")
    assert (second.base_url, second.api_key, second.context_tokens) == (first.base_url, first.api_key, 8000)
    assert not third.api_key.get_secret_value()
    assert [model.name for model in config.model_of("b").in_order] == ["own", "small", "far"]
    assert [model.name for model in config.model_of("c").in_order] == ["far"]
    assert config.model_of("d").in_order == ()
    assert "sk-below" in list(secrets_of(config))


def test_a_fallback_has_a_name() -> None:
    with pytest.raises(ValidationError, match="the name of a model"):
        Config.model_validate({"model": {"name": "m", "fallbacks": [{"base_url": "http://localhost:1/v1"}]}})


def options(**given: object) -> ModelOptions:
    return ModelOptions.model_validate(given)


def test_without_a_name_there_is_no_model() -> None:
    assert not options().is_configured
    assert options(name="gpt-5-mini").is_configured


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
    declared = section.model_json_schema()["properties"]

    for name, field in section.model_fields.items():
        assert not field.is_required(), name
        if name != "timeouts":
            assert declared[name]["description"], name
            assert field.examples, name


def test_a_key_without_a_model_and_a_provider_without_its_key_are_hardly_meant() -> None:
    def doubted(**options: str) -> list[str]:
        return [name for name, _, _ in ModelOptions.model_validate(options).doubts()]

    assert doubted() == doubted(name="m", api_key="sk") == []
    assert doubted(name="m", base_url="http://localhost:11434/v1") == []
    assert doubted(api_key="sk") == ["name"]
    assert doubted(name="m") == doubted(name="m", base_url="https://api.groq.com/openai/v1") == ["api_key"]


@pytest.mark.parametrize(
    ("name", "sees"),
    [
        ("gpt-5-mini", True),
        ("gpt-4o", True),
        ("o4-mini", True),
        ("o3", True),
        ("o3-mini", False),
        ("claude-sonnet-4-5", True),
        ("google/gemini-2.5-flash", True),
        ("qwen2.5vl:7b", True),
        ("qwen3-vl-8b", True),
        ("gemma3:12b", True),
        ("llama3.2-vision", True),
        ("qwen3:8b", False),
        ("gpt-oss:20b", False),
        ("llama3.1", False),
        ("deepseek-chat", False),
    ],
)
def test_whether_a_model_sees_goes_by_its_name_unless_it_is_said(name: str, *, sees: bool) -> None:
    assert ModelOptions(name=name).sees_pictures is sees
    assert ModelOptions(name=name, sees="yes").sees_pictures
    assert not ModelOptions(name=name, sees="no").sees_pictures
