from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr

from bot.config.loader import load
from bot.config.model import Config
from bot.config.options.fields import Section, Whole
from bot.config.references import fill
from bot.config.schema import Options, example, written
from bot.config.yaml_tree import read
from bot.paths import Home


class Inner(Section):
    """Inside."""

    size: Whole = Field(default=3, ge=1, description="How large.", examples=[5])
    ratio: float = Field(default=0.5, description="How much.")
    on: bool = Field(default=True, description="Whether.")
    token: SecretStr | None = Field(default=None, description="A secret.", examples=["${TOKEN}"])


class Outer(Section):
    """Outside."""

    inner: Inner = Field(default_factory=Inner)
    level: Literal["low", "high"] = Field(default="low", description="Which.")
    names: list[str] = Field(default_factory=list, description="Who.")
    many: dict[str, Inner] = Field(default_factory=dict, description="Several.")


class Larger(Inner):
    """Inside, and larger."""

    size: Whole = 7
    """How large
    it has become."""
    depth: Whole | None = None
    """How deep."""


class Deeper(Larger):
    """Inside, larger and deeper."""

    depth: Whole = 3


def test_options_come_in_the_order_in_which_they_are_declared() -> None:
    assert [option.dotted for option in Options(Outer)] == [
        "inner",
        "inner.size",
        "inner.ratio",
        "inner.on",
        "inner.token",
        "level",
        "names",
        "many",
        "many.<name>.size",
        "many.<name>.ratio",
        "many.<name>.on",
        "many.<name>.token",
    ]


def test_an_option_knows_its_sentence_default_and_example() -> None:
    size = next(option for option in Options(Outer) if option.dotted == "inner.size")

    assert (size.about, size.default, size.example, size.is_section) == ("How large.", 3, 5, False)


def test_the_text_below_an_option_is_its_sentence_also_where_the_option_is_inherited() -> None:
    assert [option.about for option in Options(Deeper)] == [
        "How large it has become.",
        "How much.",
        "Whether.",
        "A secret.",
        "How deep.",
    ]


def test_a_section_takes_its_sentence_from_the_class_unless_the_option_has_one() -> None:
    about = {option.dotted: option.about for option in Options(Outer) if option.is_section}

    assert about == {"inner": "Inside.", "many": "Several."}


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        (("inner",), "a section with size, ratio, on and token"),
        (("inner", "size"), "a whole number from 1 on"),
        (("inner", "ratio"), "a number"),
        (("inner", "on"), "true or false"),
        (("inner", "token"), "text"),
        (("level",), "low or high"),
        (("names",), "a list"),
        (("names", 3), "text"),
        (("many",), "one section or more, each under a name of your choice"),
        (("many", "any"), "a section with size, ratio, on and token"),
        (("many", "any", "size"), "a whole number from 1 on"),
        (("nothing", "here"), "nothing"),
    ],
)
def test_what_an_option_takes_is_said_in_words(key: tuple[str | int, ...], allowed: str) -> None:
    assert Options(Outer).allowed(key) == allowed


def test_the_names_of_a_section_are_known() -> None:
    options = Options(Outer)

    assert options.names(()) == ("inner", "level", "names", "many")
    assert options.names(("many", "any")) == ("size", "ratio", "on", "token")
    assert options.names(("many",)) == ()
    assert options.names(("level",)) == ()


def test_secrets_are_known() -> None:
    options = Options(Outer)

    assert options.is_secret(("inner", "token"))
    assert options.is_secret(("many", "any", "token"))
    assert not options.is_secret(("inner", "size"))


def test_every_option_of_ours_has_a_sentence_and_every_single_one_an_example() -> None:
    for option in Options(Config):
        assert option.about.endswith("."), option.dotted
        assert option.is_section or option.example is not None, option.dotted


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
    without_own = re.sub(
        r"^.*\b(workspace|agent|memory|session|soft_tokens|extra_paths|weights|model|output_tokens|temperature|daily"
        r"|idle_minutes|max_chars|tokens|overlap|faded|folder|transcripts_days|telegram|discord|terminal|at|zone"
        r"|endpoint): .*\n",
        "",
        text,
        flags=re.MULTILINE,
    )

    assert loaded(tmp_path, without_own) == Config()


def test_the_example_with_every_option_in_force_is_valid(tmp_path: Path) -> None:
    config = loaded(tmp_path, OFF.sub(r"\1", example()))

    assert config.default_agent == "work"
    assert config.agents["personal"].workspace == Path("~/notes/work")
    assert config.memory.extra_paths == {"handbook": Path("~/handbook")}
    assert config.memory_of("personal").ranking == "openclaw"
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
            "memory": {"recall": {"limit": 9}, "extra_paths": {"a": "~/$a", "b": "ä"}, "low_memory": True},
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
    assert fill(value, {}, Path()) == text
