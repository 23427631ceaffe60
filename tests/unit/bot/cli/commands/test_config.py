from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.model import Config
from bot.config.schema import example
from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_check_finds_nothing_wrong_with_no_file_at_all(scrubjay: Scrubjay) -> None:
    result = scrubjay("config", "check")

    assert (result.code, result.out) == (0, "")
    assert "the defaults hold" in result.err


def test_check_is_stricter_than_a_start(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("log:\n  levle: debug\n")

    checked = scrubjay("config", "check")
    started = scrubjay("config", "show")

    assert checked.code == 3
    assert checked.out == f'{home.config}:2:3: log.levle: there is no such option. Did you mean "level"?\n'
    assert started.code == 0
    assert started.err == f'warning: {home.config}:2:3: log.levle: there is no such option. Did you mean "level"?\n'


def test_a_configuration_that_cannot_be_used_is_code_3_everywhere(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("log:\n  level: loud\n")

    for words in (["config", "show"], ["agents", "list"], ["status"], ["memory", "recall", "x"], ["chat"]):
        result = scrubjay(*words)
        assert result.code == 3
        assert f'{home.config}:2:10: log.level: found "loud", allowed debug, info, warning or error.' in result.err


def test_check_takes_a_file_and_gives_json(scrubjay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "draft.yaml"
    file.write_text("memory:\n  recall:\n    limit: x\n")

    told = scrubjay("config", "check", str(file), "--json")

    assert told.code == 3
    assert told.json["ok"] is False
    (problem,) = told.json["problems"]
    assert (problem["line"], problem["column"], problem["key"]) == (3, 12, "memory.recall.limit")
    assert (problem["source"], problem["fatal"]) == (str(file), True)


def test_checking_a_file_that_is_not_there_is_code_4(scrubjay: Scrubjay) -> None:
    assert scrubjay("config", "check", "nowhere.yaml").code == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("config check", "Keine Fehler in "),
        ("config set log.level debug", "Gespeichert: "),
        ("config unset owner.name", " nicht gesetzt."),
        ("config get nope", "Fehler: Eine Option "),
        ("config explain nope", "Fehler: Eine Option "),
        ("config edit", "Fehler: "),
        ("paths", "noch nicht da"),
        ("doctor --offline", "Plattformen und Modelle wurden nicht gefragt"),
        ("doctor --explain nope", "Fehler: Einen Befund "),
        ("init --yes", "Hier wird Scrubjay wohnen:"),
        ("backup verify nope", "Fehler: "),
        ("backup restore nope", "Fehler: "),
        ("purge-person bob", "Fehler: "),
        ("pair invite", "Bot-Konto"),
        ("mcp token remove nope", "Fehler: "),
        ("store migrate home nope", "Fehler: Eine der beiden Seiten "),
    ],
)
def test_every_command_speaks_the_language_of_the_owner(scrubjay: Scrubjay, home: Home, words: str, told: str) -> None:
    home.config.parent.mkdir()
    home.config.write_text("owner:\n  language: de\n")

    answer = scrubjay(*words.split())

    assert told in answer.out + answer.err


def test_show_tells_every_option_and_who_set_it(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.config.parent.mkdir()
    home.config.write_text("owner:\n  name: Robin\n")
    monkeypatch.setenv("SCRUBJAY__LOG__LEVEL", "debug")

    lines = scrubjay("config", "show").out.splitlines()

    told = {line.split()[0]: line.split()[1] for line in lines}
    assert told["owner.name"] == "config.yaml:2"
    assert told["log.level"] == "SCRUBJAY__LOG__LEVEL"
    assert told["memory.recall.limit"] == "default"


def test_show_as_json_is_the_configuration_itself(scrubjay: Scrubjay) -> None:
    told = scrubjay("config", "show", "--json").json

    assert Config.model_validate(told["config"]) == Config()
    assert told["origins"] == {}


def test_example_prints_a_file_that_can_be_used(scrubjay: Scrubjay) -> None:
    assert scrubjay("config", "example").out == example()


def test_schema_is_a_json_schema_with_a_sentence_for_every_option(scrubjay: Scrubjay) -> None:
    schema = scrubjay("config", "schema").json

    assert schema["type"] == "object"
    assert schema["properties"]["agents"]["description"]
    assert "prefixItems" not in str(schema)  # older editors know draft 7 only


MODEL = "model:\n  name: m\n  base_url: http://localhost:1/v1\n"


def test_check_names_each_agents_model_without_asking_it(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text(f"{MODEL}agents:\n  a: {{}}\n  b:\n    model:\n      name: ''\n")

    checked, told = scrubjay("config", "check"), scrubjay("config", "check", "--json").json

    assert "Model of a: m at localhost:1 (scrubjay doctor asks it).\n" in checked.err
    assert "Model of b: none, answers are quotes from memory.\n" in checked.err
    assert told["models"] == {"a": "m at localhost:1", "b": ""}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model:\n  name: gpt\n", ":1:1: model.api_key: there is none, and OpenAI wants one. Set it"),
        ("model:\n  api_key: sk\n", ":1:1: model.name: there is a key and no model to use it for"),
        ("agents:\n  a:\n    model:\n      name: m\n", ":3:5: agents.a.model.api_key: there is none"),
        ("model:\n  nmae: m\n", ':2:3: model.nmae: there is no such option. Did you mean "name"?'),
        ("model:\n  name: m\n  api_key: ${NOT_SET}\n", ":3:12: model.api_key: the environment variable NOT_SET is not"),
        ("model:\n  name: m\n  base_url: localhost:1/v1\n", "Did you mean http://localhost:1/v1 ?"),
        ("model:\n  name: m\n  context_tokens: 10\n", "allowed a whole number from 2000 to 10000000"),
    ],
)
def test_check_finds_what_is_hardly_meant_about_a_model(scrubjay: Scrubjay, home: Home, text: str, told: str) -> None:
    home.config.parent.mkdir()
    home.config.write_text(text)

    result = scrubjay("config", "check")

    assert result.code == 3
    assert told in result.out


def test_a_key_is_never_shown(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text(f"{MODEL}  api_key: sk-very-secret\nlog:\n  levle: x\n")

    for words in (
        ["config", "show"],
        ["config", "show", "--json"],
        ["config", "check"],
        ["status"],
        ["agents", "show"],
    ):
        result = scrubjay(*words)
        assert "very-secret" not in result.out + result.err
