from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field, SecretStr

from bot.config import Config
from bot.configuring.options import Options
from bot.configuring.section import Section, Whole


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
