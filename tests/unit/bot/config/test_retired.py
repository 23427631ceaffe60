from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.loader import Examined, examine
from bot.config.model import Config
from bot.config.retired import RETIRED, rewritten
from bot.config.schema import ANY_NAME, Options, example
from bot.errors import ConfigError
from bot.paths import Home

OLD = """\
# my own
platforms:
  telegram:
    # from BotFather
    botToken: "${T}" # secret
agents:
  work:
    description: Plans.
    top_k: 9
    model: {model: small, url: "http://localhost:1/v1"}
log_level: debug
"""


def examined(text: str, **environment: str) -> Examined:
    return examine(Home.at(Path("/nowhere")), draft=text, environment=environment)


def test_every_new_name_is_an_option_and_no_old_name_is() -> None:
    known = {option.dotted for option in Options(Config)}

    for old, new in RETIRED:
        assert ".".join(new) in known
        assert ".".join(old) not in known


def test_the_values_of_retired_options_are_used_with_a_warning_that_names_line_and_new_name() -> None:
    found = examined(OLD, T="123456789:abcdefghijk")

    assert found.config is not None
    assert found.config.telegram.tokens == ("123456789:abcdefghijk",)
    assert found.config.memory_of("work").recall.limit == 9
    assert found.config.model_of("work").base_url == "http://localhost:1/v1"
    assert found.config.log.level == "debug"
    assert [(problem.place.line if problem.place else 0, problem.key) for problem in found.problems] == [
        (3, "platforms.telegram"),
        (5, "telegram.botToken"),
        (8, "agents.work.description"),
        (9, "agents.work.top_k"),
        (10, "agents.work.model.model"),
        (10, "agents.work.model.url"),
        (11, "log_level"),
    ]
    assert not any(problem.fatal for problem in found.problems)
    assert "this option is called log.level. Its value is used. `scrubjay doctor --fix`" in str(found.problems[-1])
    assert found.origins["agents.work.memory.recall.limit"] == "config.yaml:9"


def test_a_mistake_under_a_retired_name_is_told_with_its_line() -> None:
    (_, problem) = examined("# one\nlog_level: loud\n").problems

    assert str(problem).startswith("/nowhere/config.yaml:2:12: log.level: found")


def test_the_new_name_wins_and_a_variable_over_both() -> None:
    text = "log_level: debug\nlog:\n  level: error\n"

    assert [str(problem) for problem in examined(text).problems if "is not used, since log.level" in str(problem)]
    for environment, level in (
        ({}, "error"),
        ({"SCRUBJAY__LOG__LEVEL": "info"}, "info"),
        ({"SCRUBJAY__LOG_LEVEL": "warning"}, "warning"),
    ):
        config = examined(text, **environment).config
        assert config is not None
        assert config.log.level == level


def test_a_text_is_rewritten_with_comments_kept_and_every_change_listed() -> None:
    text, changes = rewritten(OLD)

    assert text == (
        '# my own\nagents:\n  work:\n    about: Plans.\n    model: {name: small, base_url: "http://localhost:1/v1"}\n'
        "    memory:\n      recall:\n        limit: 9\n"
        '\ntelegram:\n  # from BotFather\n  token: "${T}" # secret\n\nlog:\n  level: debug\n'
    )
    assert "agents.work.top_k -> agents.work.memory.recall.limit" in changes
    assert rewritten(text) == (text, [])
    assert examined(text, T="123456789:abcdefghijk").problems == ()


@pytest.mark.parametrize("text", ["", example(), "owner:\n  name: Robin # me\n"])
def test_what_is_not_old_is_left_as_it_is(text: str) -> None:
    assert rewritten(text) == (text, [])


def test_what_is_no_yaml_is_an_error() -> None:
    with pytest.raises(ConfigError, match="line 1"):
        rewritten("a: [")


@pytest.mark.parametrize("retired", [old for old, _ in RETIRED], ids=".".join)
def test_each_retired_option_alone_is_rewritten_to_the_new_one(retired: tuple[str, ...]) -> None:
    steps = [step.replace(ANY_NAME, "work") for step in retired]
    text = "".join(f"{'  ' * depth}{name}:\n" for depth, name in enumerate(steps)).rstrip() + " 1 # one\n"

    new, _ = rewritten(text)

    assert "1 # one\n" in new
    assert rewritten(new) == (new, [])
