from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.edit import with_moved, with_options, without_option
from bot.config.schema import example, written
from bot.config.yaml_tree import Key, read
from bot.errors import ConfigError

MODEL: dict[Key, str] = {("model", "name"): "qwen3", ("model", "base_url"): '"http://localhost:11434/v1"'}
VALUES = {"name": "qwen3", "base_url": "http://localhost:11434/v1"}


def changed(before: str, after: str) -> list[str]:
    """The lines that are new."""
    old = before.splitlines()
    return [line for line in after.splitlines() if line not in old]


def test_in_the_example_the_lines_that_were_out_of_force_are_in_force() -> None:
    before, after = example().splitlines(), with_options(example(), MODEL).splitlines()

    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "  name: qwen3",
        '  base_url: "http://localhost:11434/v1"',
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}\n",
        "# nothing yet\n",
        "owner:\n  name: Robin\n",
        "owner:\n  name: Robin",
        "model:\n",
        "model:",
        "model: {}\n",
        "model: {} # later\nowner: {name: R}\n",
        "model: {temperature: 0.5}\n",
        "model: {name: old, temperature: 0.5,}\n",
        "model: null # later\nowner:\n  name: Robin\n",
        "model:\n  name: old\n  temperature: 0.5\n",
        "model:\n  name: |\n    old\n\n  temperature: 0.5\n",
        "model:\n    temperature: 0.5\n\n\n# you\nowner:\n    name: Robin\n",
        "model:\n  timeouts:\n    connect: 1\nowner: {}\n",
        "model:\n  # one\n  #name: other\n\n  timeouts:\n    connect: 1\n",
        'model:\r\n  "temperature": 0.5\r\nowner:\r\n  name: Robin\r\n',
    ],
)
def test_the_options_hold_whatever_was_there(text: str) -> None:
    before = read(text).root

    after = read(with_options(text, MODEL)).root

    section = after.pop("model")
    assert isinstance(section, dict)
    old = before.pop("model", None) or {}
    assert isinstance(old, dict)
    assert section == old | VALUES
    assert {name: value for name, value in after.items() if value} == {n: v for n, v in before.items() if v}


def test_comments_order_and_line_ends_stay() -> None:
    text = "# mine\r\nowner: # me\r\n  # how\r\n  name: Robin # short\r\n\r\n# last\r\nlog:\r\n  level: info\r\n"

    after = with_options(text, {("owner", "name"): "Kim", ("log", "level"): "debug"})

    assert after == text.replace("Robin", "Kim").replace("info", "debug")


def test_a_missing_section_is_made_where_it_belongs() -> None:
    text = "agents:\n  personal:\n    about: me\n  # the other one\n  work: {}\n\nlog:\n  level: info\n"

    after = with_options(text, {("agents", "work", "memory", "recall", "limit"): "8"})

    assert changed(text, after) == ["  work:", "    memory:", "      recall:", "        limit: 8"]
    assert after.endswith("\n\nlog:\n  level: info\n")


def test_an_entry_of_a_list_is_set_where_it_stands() -> None:
    text = "routes:\n  - agent: work # all\n    platform: discord\n  - agent: personal\n    platform: telegram\n"

    after = with_options(text, {("routes", 1, "agent"): "work"})

    assert changed(text, after) == ["  - agent: work"]


def test_what_cannot_be_set_without_changing_something_else_is_refused() -> None:
    text = "model: &one\n  name: a\nagents:\n  work:\n    model: *one\n"

    for key in (("model", "name"), ("agents", "work", "model", "name")):
        with pytest.raises(ConfigError, match="cannot be set in this file"):
            with_options(text, {key: "b"})
    with pytest.raises(ConfigError, match="no section"):
        with_options("log: debug\n", {("log", "level"): "info"})
    with pytest.raises(ConfigError, match="line"):
        with_options("log: [\n", {("log", "level"): "info"})


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("owner:\n  # how\n  name: R # me\n  timezone: auto\n", 'owner:\n  # how\n  #name: ""\n  timezone: auto\n'),
        ("owner:\n  name: R\n  timezone: auto\n", "owner:\n  timezone: auto\n"),
        ("owner: {name: R, timezone: auto}\n", "owner: {timezone: auto}\n"),
        ("owner: {timezone: auto, name: R}\n", "owner: {timezone: auto}\n"),
        ("owner: {name: R}\n", "owner: {}\n"),
        ("owner:\n  name: >\n    R\n    S\n\nlog: {}\n", "owner:\n\nlog: {}\n"),
        ("log: {}\n", "log: {}\n"),
    ],
)
def test_an_option_is_taken_out(text: str, after: str) -> None:
    assert without_option(text, ("owner", "name"), default='""') == after


def test_nothing_is_taken_out_of_what_is_no_yaml() -> None:
    with pytest.raises(ConfigError, match="The configuration cannot be edited: line 2") as refused:
        without_option("owner: [\n", ("owner", "name"))

    assert refused.value.hint.endswith("Mend it in an editor: scrubjay config edit")


def test_a_section_is_taken_out_with_the_comments_in_it() -> None:
    text = "agents:\n  a:\n    # about\n    about: x\n    #workspace: y\n  # b\n  b: {}\n"

    assert without_option(text, ("agents", "a")) == "agents:\n  # b\n  b: {}\n"


def test_an_option_moves_with_its_comments() -> None:
    text = "# all\nplatforms:\n  telegram:\n    # where from\n    token: ${T} # mine\nlog: {}\n"

    after = with_moved(text, ("platforms", "telegram"), ("telegram",))

    assert after == "# all\nlog: {}\n\ntelegram:\n  # where from\n  token: ${T} # mine\n"


def test_a_new_name_in_the_same_section_changes_nothing_but_the_name() -> None:
    text = "model:\n  # best\n  model:   qwen # really\n"

    assert with_moved(text, ("model", "model"), ("model", "name")) == text.replace("  model: ", "  name: ")


def test_an_option_that_is_set_already_stays() -> None:
    after = with_moved("model:\n  name: a\n  model: b\n", ("model", "model"), ("model", "name"))

    assert after == "model:\n  name: a\n"


NAMES = st.sampled_from(["name", "base_url", "temperature", "timeouts"])
WORDS = st.dictionaries(NAMES, st.text("abc: #$'{}\n-", max_size=8))


@given(old=WORDS, new=WORDS, flow=st.booleans())
def test_what_is_set_holds_and_what_is_not_set_stays(old: dict[str, str], new: dict[str, str], *, flow: bool) -> None:
    lines = [f"{name}: {written(value)}" for name, value in old.items()]
    text = f"model: {{{', '.join(lines)}}}\n" if flow else "".join(["model:\n", *(f"  {line} # c\n" for line in lines)])

    after = with_options(text, {("model", name): written(value) for name, value in new.items()})

    expected = {name: value.replace("$", "$$") for name, value in (old | new).items()}
    assert (read(after).root["model"] or {}) == expected
    for name in old | new:
        after = without_option(after, ("model", name))
    assert not read(after).root["model"]
