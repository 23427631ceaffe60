from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.edit import with_section
from bot.config.schema import example, written
from bot.config.yaml_tree import read

MODEL = {"name": "qwen3", "base_url": '"http://localhost:11434/v1"'}
VALUES = {"name": "qwen3", "base_url": "http://localhost:11434/v1"}


def test_in_the_example_the_lines_that_were_out_of_force_are_in_force() -> None:
    before, after = example().splitlines(), with_section(example(), "model", MODEL).splitlines()

    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed == ["  name: qwen3", '  base_url: "http://localhost:11434/v1"']


@pytest.mark.parametrize(
    "text",
    [
        "",
        "owner:\n  name: Robin\n",
        "owner:\n  name: Robin",
        "model:\n",
        "model: {}\n",
        "model: null # later\nowner:\n  name: Robin\n",
        "model:\n  name: old\n  temperature: 0.5\n",
        "model:\n    temperature: 0.5\n\n\n# you\nowner:\n    name: Robin\n",
        "model:\n  timeouts:\n    name: 1\nowner: {}\n",
    ],
)
def test_the_options_hold_whatever_was_there(text: str) -> None:
    before = read(text).root

    after = read(with_section(text, "model", MODEL)).root

    section = after.pop("model")
    assert isinstance(section, dict)
    old = before.pop("model", None) or {}
    assert isinstance(old, dict)
    assert section == old | VALUES
    assert after == before


def test_a_section_of_an_agent_is_not_mistaken_for_the_one_at_the_margin() -> None:
    text = "agents:\n  work:\n    model:\n      name: own\n"

    root = read(with_section(text, "model", MODEL)).root

    assert root == {"agents": {"work": {"model": {"name": "own"}}}, "model": VALUES}


NAMES = st.sampled_from(["name", "base_url", "temperature"])


@given(st.dictionaries(NAMES, st.text("abc: #$'", max_size=8)), st.dictionaries(NAMES, st.text("xyz {}", max_size=8)))
def test_what_is_set_holds_and_what_is_not_set_stays(old: dict[str, str], new: dict[str, str]) -> None:
    text = "".join(["model:\n", *(f"  {name}: {written(value)}\n" for name, value in old.items())])

    section = read(with_section(text, "model", {name: written(value) for name, value in new.items()})).root["model"]

    expected = {name: value.replace("$", "$$") for name, value in (old | new).items()}
    assert (section or {}) == expected
