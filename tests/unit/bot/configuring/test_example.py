from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Config
from bot.config_file import load
from bot.configuring.example import example, written
from bot.configuring.options import Options
from bot.configuring.tree import read
from bot.configuring.variables import Variables
from bot.paths import Home

OFF = re.compile(r"^(\s*)#(?=\w)", re.MULTILINE)
"""The sign that puts an option out of force; a comment has a space after it."""


def loaded(folder: Path, text: str) -> Config:
    home = Home.at(folder)
    home.config.write_text(text, encoding="utf-8")
    found = load(home, environment={})
    assert found.warnings == ()
    return found.config


def test_the_example_as_it_is_means_the_defaults(tmp_path: Path) -> None:
    assert loaded(tmp_path, example()) == Config()


def test_the_example_with_every_option_in_force_still_means_the_defaults(tmp_path: Path) -> None:
    text = OFF.sub(r"\1", example())
    without_own = re.sub(r"^.*(workspace|agent|model|output_tokens|temperature): .*\n", "", text, flags=re.MULTILINE)

    assert loaded(tmp_path, without_own) == Config()


def test_the_example_with_every_option_in_force_is_valid(tmp_path: Path) -> None:
    config = loaded(tmp_path, OFF.sub(r"\1", example()))

    assert config.default_agent == "work"
    assert config.agents["personal"].workspace == Path("~/notes/work")
    assert config.model_of("personal").name == "qwen3:8b"
    assert config.model.output_tokens == 4096


def test_every_option_stands_in_the_example_under_its_sentence() -> None:
    prose = " ".join(line.strip().removeprefix("# ") for line in example().splitlines())

    for option in Options(Config):
        assert option.about in prose
        assert f"{option.key[-1]}:" in prose


def test_no_line_is_too_long_to_read() -> None:
    assert max(map(len, example().splitlines())) <= 100


def test_choices_stand_in_the_file_and_come_back(tmp_path: Path) -> None:
    config = Config.model_validate(
        {
            "agents": {"garden": {"about": "Costs $5: ${soil}", "workspace": "~/garden"}, "work": {}},
            "owner": {"name": 'Robin "the" #1', "timezone": "Asia/Tokyo"},
            "memory": {"recall": {"limit": 9}},
            "chat": {"agent": "work"},
            "log": {"level": "debug"},
        }
    )

    assert loaded(tmp_path, example(config)) == config


@pytest.mark.parametrize(
    "text", ["", "true", "FALSE", "Null", "~", "8", "a: b", "# no", "- x", "23:30", "ä", "two\nlines", "@a"]
)
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    assert read(f"a: {written(text)}").root["a"] == text.replace("$", "$$")


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff\ufffe\uffff")))
def test_any_printable_text_survives_the_file(text: str) -> None:
    value = read(f"a: {written(text)}").root["a"]

    assert isinstance(value, str)
    assert Variables({}, Path()).fill(value) == text
