from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import Field, SecretStr, model_validator

from bot.configuring.check import Checked, Locator, check, shown
from bot.configuring.complaints import Place
from bot.configuring.section import Section, Whole, refuse
from bot.configuring.tree import read


class Robot(Section):
    """A section with a secret."""

    token: SecretStr = Field(default=SecretStr(""))
    least: Whole = 1
    most: Whole = 9

    @model_validator(mode="after")
    def _ordered(self) -> Robot:
        if self.least > self.most:
            raise refuse(f"at most {self.most}", hint="Swap them.", at="robot.least")
        return self


class Shop(Section):
    """The whole."""

    robot: Robot = Field(default_factory=Robot)


def checked(text: str, retired: Mapping[str, str] | None = None) -> Checked[Shop]:
    tree = read(text)
    return check(Shop, Locator("shop.yaml", tree, {}), retired=retired or {})


def test_what_fits_comes_back_as_a_model_without_problems() -> None:
    found = checked("robot:\n  most: 3\n")

    assert found.problems == ()
    assert found.model is not None
    assert found.model.robot.most == 3


def test_a_retired_option_says_what_to_do_now_and_stops_nothing() -> None:
    found = checked("robot:\n  maximum: 3\n", {"robot.maximum": "Since 0.2 it is called most."})

    (problem,) = found.problems
    assert str(problem) == ("shop.yaml:2:3: robot.maximum: this option is no longer used. Since 0.2 it is called most.")
    assert not problem.fatal
    assert found.model == Shop()


def test_an_unknown_option_far_from_all_others_gets_the_list_of_them() -> None:
    (problem,) = checked("robot:\n  xyz: 3\n").problems

    assert problem.hint == "Here there are: token, least, most."


def test_a_check_over_two_options_names_the_one_that_is_meant() -> None:
    (problem,) = checked("robot:\n  least: 7\n  most: 3\n").problems

    assert str(problem) == "shop.yaml:2:10: robot.least: found 7, allowed at most 3. Swap them."


def test_an_unknown_option_does_not_hide_a_check_over_the_others() -> None:
    found = checked("robot:\n  least: 7\n  most: 3\n  xyz: 1\n")

    assert [(problem.key, problem.fatal) for problem in found.problems] == [("robot.xyz", False), ("robot.least", True)]
    assert found.model is None


def test_a_secret_never_stands_in_a_message() -> None:
    (problem,) = checked("robot:\n  token: 12345678\n").problems

    assert "12345678" not in str(problem)
    assert problem.place == Place(2, 10)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("text", '"text"'),
        ("x" * 80, f'"{"x" * 60}..."'),
        (3, "3"),
        (1.5, "1.5"),
        (True, "true"),
        (None, "None"),
        ([1], "a list"),
        ({}, "an empty section"),
        ({"a": 1}, "a section"),
    ],
)
def test_values_are_shown_as_they_were_written(value: object, text: str) -> None:
    assert shown(value) == text
