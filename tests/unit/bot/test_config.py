from __future__ import annotations

from pathlib import Path
from zoneinfo import available_timezones

import pytest
from pydantic import Field, SecretStr, ValidationError

from bot.config import AgentOptions, Config, OwnerOptions, secrets_of
from bot.configuring.section import Section
from bot.errors import Missing
from bot.llm.options import ModelOptions
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

    assert model == ModelOptions.model_validate(own)
    assert not model.api_key.get_secret_value()


def test_an_agent_can_do_without_the_model_of_all() -> None:
    config = Config.model_validate({"model": BELOW, "agents": {"a": {"model": {"name": ""}}}})

    assert not config.model_of("a").is_configured
