from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr, model_validator

from bot.config.loader import ConfigProblem, Examined, Locator, check, examine, format_value, load
from bot.config.model import Config
from bot.config.options.fields import Section, Whole, refuse
from bot.config.references import MAX_VALUE_BYTES, Unfilled, fill
from bot.config.yaml_tree import Position, read
from bot.errors import ConfigError
from bot.paths import Home

Write = Callable[[str | bytes], Home]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(content: str | bytes) -> Home:
        home = Home.at(tmp_path)
        home.config.write_bytes(content.encode() if isinstance(content, str) else content)
        return home

    return put


def examined(home: Home, **environment: str) -> Examined:
    return examine(home, environment=environment)


def told(found: Examined) -> list[str]:
    """The problems, without the folder of the test."""
    return [str(problem).replace(problem.source, Path(problem.source).name, 1) for problem in found.problems]


BROKEN: Mapping[str, tuple[str | bytes, str]] = {
    "a misspelt section": ("owner:\n  name: R\nmemroy:\n  recall:\n    limit: 3\n", "config.yaml:3:1: memroy: "),
    "a misspelt option": ("memory:\n  recall:\n    limits: 3\n", "config.yaml:3:5: memory.recall.limits: "),
    "a word for a number": ("memory:\n  recall:\n    limit: many\n", "config.yaml:3:12: memory.recall.limit: "),
    "a number out of bounds": ("memory:\n  recall:\n    budget_chars: 3\n", "config.yaml:3:19: "),
    "a switch for a number": ("memory:\n  recall:\n    limit: true\n", "config.yaml:3:12: memory.recall.limit: "),
    "a number for a text": ("owner:\n  name: 42\n", "config.yaml:2:9: owner.name: found 42, allowed text"),
    "a section for a text": ("owner:\n  name:\n    first: R\n", "config.yaml:2:3: owner.name: found a section"),
    "a text for a section": ("log: debug\n", 'config.yaml:1:6: log: found "debug", allowed a section with level'),
    "a list for a section": ("agents:\n  - work\n", "config.yaml:1:1: agents: found a list"),
    "a level that is none": ("log:\n\n  level: loud\n", 'config.yaml:3:10: log.level: found "loud", allowed debug,'),
    "a zone that is none": ("owner:\n  timezone: Europe/Berln\n", "config.yaml:2:13: owner.timezone: "),
    "a name with capitals": ("agents:\n  a: {}\n  Work: {}\n", "config.yaml:3:3: agents.Work: found the name"),
    "no agent at all": ("agents: {}\n", "config.yaml:1:1: agents: found an empty section"),
    "a default that is none": ("agents:\n  a:\nchat:\n  agent: b\n", 'config.yaml:4:10: chat.agent: found "b"'),
    "an endpoint without a model": (
        "memory:\n  embedder:\n    kind: endpoint\n",
        "config.yaml:2:3: memory.embedder.model: found nothing, allowed the name of an embedding model",
    ),
    "a model without an endpoint": (
        "agents:\n  a:\n    memory:\n      embedder:\n        kind: built-in\n        model: nomic\n",
        'config.yaml:5:15: agents.a.memory.embedder.kind: found "built-in", allowed endpoint',
    ),
    "an address that is none": (
        "memory:\n  embedder:\n    base_url: localhost:11434\n",
        'config.yaml:3:15: memory.embedder.base_url: found "localhost:11434", allowed an address such as',
    ),
    "a password in an address": (
        "memory:\n  embedder:\n    base_url: http://me:secret@localhost\n",
        "config.yaml:3:15: memory.embedder.base_url: ",
    ),
    "a key that broke in two": (
        "memory:\n  embedder:\n    api_key: sk-a b\n",
        "config.yaml:3:14: memory.embedder.api_key: found something else, allowed a key without spaces",
    ),
    "a ranking that is none": (
        "memory:\n  ranking: openclw\n",
        (
            'config.yaml:2:12: memory.ranking: found "openclw", allowed scrubjay, openclaw or cortex. '
            'Did you mean "openclaw"?'
        ),
    ),
    "a chunk of a few words": (
        "memory:\n  chunks:\n    tokens: 20\n",
        "config.yaml:3:13: memory.chunks.tokens: found 20, allowed 0, or at least 50",
    ),
    "chunks that hardly go on": (
        "memory:\n  chunks:\n    overlap: 300\n",
        "config.yaml:3:14: memory.chunks.overlap: found 300, allowed at most half of a chunk",
    ),
    "an overlap of no chunks": (
        "memory:\n  chunks:\n    tokens: 0\n    overlap: 80\n",
        "config.yaml:4:14: memory.chunks.overlap: found 80, allowed at most half of a chunk",
    ),
    "an overlap that no chunk has": (
        "memory:\n  chunks:\n    overlap: 3000\n",
        "config.yaml:3:14: memory.chunks.overlap: found 3000, allowed a whole number from 0 to 1000",
    ),
    "a salience that nothing has": (
        "memory:\n  salient_above: 2\n",
        "config.yaml:2:18: memory.salient_above: found 2, allowed a number from 0 to 1",
    ),
    "a word for a switch": ("memory:\n  low_memory: maybe\n", 'config.yaml:2:15: memory.low_memory: found "maybe"'),
    "a switch for a choice": ("memory:\n  watch: false\n", "config.yaml:2:10: memory.watch: found false, allowed auto"),
    "a name of a folder with capitals": (
        "memory:\n  extra_paths:\n    Docs: ~/docs\n",
        'config.yaml:3:5: memory.extra_paths.Docs: found the name "Docs"',
    ),
    "a number for a folder": (
        "memory:\n  extra_paths:\n    docs: 3\n",
        "config.yaml:3:11: memory.extra_paths.docs: found 3, allowed a path",
    ),
    "a workspace of nobody": (
        "agents:\n  a:\n    workspace: ~nobody-of-this-name/notes\n",
        'config.yaml:3:16: agents.a.workspace: found "~nobody-of-this-name/notes", allowed a path',
    ),
    "an extra folder of nobody": (
        "memory:\n  extra_paths:\n    docs: ~nobody-of-this-name/docs\n",
        'config.yaml:3:11: memory.extra_paths.docs: found "~nobody-of-this-name/docs", allowed a path',
    ),
    "backups for nobody": (
        "jobs:\n  backup:\n    folder: ~nobody-of-this-name/backups\n",
        'config.yaml:3:13: jobs.backup.folder: found "~nobody-of-this-name/backups", allowed a path',
    ),
    "an extra folder in a workspace": (
        "agents:\n  a:\nmemory:\n  extra_paths:\n    docs: workspaces/a/docs\n",
        "config.yaml:5:11: memory.extra_paths.docs: found ",
    ),
    "an extra folder around the workspaces": (
        "agents:\n  a:\n    memory:\n      extra_paths:\n        docs: .\n",
        "config.yaml:5:15: agents.a.memory.extra_paths.docs: found ",
    ),
    "a missing variable": ("owner:\n  # who\n  name: ${NAME}\n", "config.yaml:3:9: owner.name: the environment"),
    "a missing file": ("owner:\n  name: ${file:name.txt}\n", "config.yaml:2:9: owner.name: the file"),
    "an open reference": ("owner:\n  name: ${NAME\n", "config.yaml:2:9: owner.name: found ${NAME without"),
    "the same name twice": ("owner:\n  name: a\n  name: b\n", 'config.yaml:3:3: found "name" twice, the first time in'),
    "a tab": ("owner:\n\tname: R\n", "config.yaml:2:1: found a tab"),
    "no space after a colon": ("owner:\n  name:R\n  timezone: auto\n", "config.yaml:2:8: found no space"),
    "two colons": ("owner:\n  name: Robin: the first\n", "config.yaml:2:14: found a second colon"),
    "no colon": ("owner\nlog:\n  level: info\n", "config.yaml:1:1: found a line without a colon"),
    "an open quote": ('owner:\n  name: "R\nlog:\n  level: info\n', "config.yaml:2:9: found a quote that is never"),
    "an open bracket": ("agents: [a, b\nlog:\n  level: info\n", "config.yaml:1:9: found a bracket [ ] that is never"),
    "too deep": ("owner:\n  name: R\n    timezone: auto\n", "config.yaml:3:13: found a line indented further"),
    "not deep enough": (
        "owner:\n   name: R\n  timezone: auto\n",
        "config.yaml:3:3: found a line that is indented unlike",
    ),
    "a sign that YAML keeps for itself": (
        "owner:\n  name: @robin\n",
        "config.yaml:2:9: found a text that begins with @",
    ),
    "a star": ("owner:\n  name: *robin\n", "config.yaml:2:9: found a text that begins with *"),
    "a tag": ("owner:\n  name: !!python/name:os.system x\n", "config.yaml:2:9: found the tag"),
    "a second document": ("owner:\n  name: R\n---\nlog: {}\n", "config.yaml:3:1: found a second document"),
    "a control character": ("owner:\n  name: \x07\n", "config.yaml:2:9: found a control character (U+0007)"),
    "another character set": (b"owner:\n  name: J\xfcrgen\n", "config.yaml:2:10: found the byte 0xfc"),
    "UTF-16": ("owner:\n  name: R\n".encode("utf-16"), "config.yaml: the file is UTF-16 text"),
    "a list of options": ("- owner\n- log\n", "config.yaml:1:1: found no options"),
    "plain text": ("hello\n", "config.yaml:1:1: found no options"),
    "brackets without end": ("[" * 5000, "config.yaml:1:1: brackets within brackets"),
    "a number for a name": ("owner:\n  ? [a]\n  : 1\n", "config.yaml:2:5: found a name that is not a word"),
    "an alias bomb": (
        "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(f"{n}: &{n} [{f'*{p},' * 10}]\n" for p, n in pairwise("abcdefgh")),
        "config.yaml:1:",
    ),
    "another file by mistake": (b"x" * 10_000_000, "config.yaml: the file has 9765 KB, allowed 1024 KB"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_told_with_the_line_of_the_mistake(write: Write, case: str) -> None:
    content, start = BROKEN[case]

    problems = told(examined(write(content)))

    assert len(problems) == 1
    assert problems[0].startswith(start)


ONLY_OLD_OR_UNKNOWN = ("a misspelt section", "a misspelt option")


@pytest.mark.parametrize("case", [case for case in BROKEN if case not in ONLY_OLD_OR_UNKNOWN])
def test_a_start_with_a_broken_file_is_refused_with_exit_code_3(write: Write, case: str) -> None:
    content, start = BROKEN[case]

    with pytest.raises(ConfigError) as refused:
        load(write(content), environment={})

    assert start.removeprefix("config.yaml") in refused.value.message
    assert refused.value.exit_code == 3


@pytest.mark.parametrize("case", ONLY_OLD_OR_UNKNOWN)
def test_options_that_nothing_knows_are_left_out_with_a_warning_and_the_bot_starts(write: Write, case: str) -> None:
    content, _ = BROKEN[case]

    loaded = load(write(content), environment={})

    assert len(loaded.warnings) == 1
    assert not loaded.warnings[0].fatal
    assert 'Did you mean "' in loaded.warnings[0].hint
    assert loaded.config.memory == Config().memory


def test_every_mistake_of_a_file_is_told_at_once_in_the_order_of_the_lines(write: Write) -> None:
    home = write("log:\n  level: loud\nmemory:\n  recall:\n    limit: 0\nfoo: 1\nowner:\n  name: 1\n")

    assert [problem.place.line for problem in examined(home).problems if problem.place] == [2, 5, 6, 8]


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    loaded = load(Home.at(tmp_path), environment={})

    assert loaded.config == Config()
    assert loaded.origins == {}


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing but a comment\n", "---\n", "\ufeff", "owner:\nlog:\n"])
def test_a_file_that_says_nothing_means_the_defaults(write: Write, content: str) -> None:
    assert load(write(content), environment={}).config == Config()


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()

    assert told(examined(Home.at(tmp_path))) == [
        "config.yaml: this is a folder, not a file. Move it away, then run: scrubjay init"
    ]


def test_a_pipe_in_the_place_of_the_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")

    (problem,) = told(examined(Home.at(tmp_path)))

    assert problem.startswith("config.yaml: this is not a regular file.")


def test_a_link_that_leads_nowhere_is_told_instead_of_meaning_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").symlink_to(tmp_path / "moved-away.yaml")

    (problem,) = told(examined(Home.at(tmp_path)))

    assert problem.startswith("config.yaml: the file cannot be read (no such file or directory)")


def test_line_ends_of_windows_and_a_byte_order_mark_do_no_harm(write: Write) -> None:
    loaded = load(write(b"\xef\xbb\xbfowner:\r\n  name: Robin\r\n"), environment={})

    assert loaded.config.owner.name == "Robin"
    assert loaded.origins == {"owner.name": "config.yaml:2"}


def test_yaml_1_2_leaves_times_and_words_as_they_are_written(write: Write) -> None:
    assert load(write("owner:\n  name: NO\n"), environment={}).config.owner.name == "NO"
    assert load(write("owner:\n  name: 23:30\n"), environment={}).config.owner.name == "23:30"
    assert load(write("owner:\n  name: 2026-11-21\n"), environment={}).config.owner.name == "2026-11-21"


def test_variables_fill_texts_and_numbers(write: Write) -> None:
    home = write("owner:\n  name: ${NAME} ${TITLE:-the first} for $$5\nmemory:\n  recall:\n    limit: ${LIMIT}\n")

    config = load(home, environment={"NAME": "Robin", "LIMIT": "9"}).config

    assert config.owner.name == "Robin the first for $5"
    assert config.memory.recall.limit == 9


@pytest.mark.parametrize("written", ["Robin\n", "\ufeffRobin\r\n"])
def test_a_file_named_in_the_configuration_is_read_from_beside_it(write: Write, tmp_path: Path, written: str) -> None:
    (tmp_path / "name.txt").write_text(written, encoding="utf-8", newline="")

    assert load(write("owner:\n  name: ${file:name.txt}\n"), environment={}).config.owner.name == "Robin"


def test_a_variable_wins_over_the_file_and_the_file_over_the_default(write: Write) -> None:
    home = write("memory:\n  recall:\n    limit: 7\n    budget_chars: 900\n")

    loaded = load(home, environment={"SCRUBJAY__MEMORY__RECALL__LIMIT": "9"})

    assert loaded.config.memory.recall.limit == 9
    assert loaded.config.memory.recall.budget_chars == 900
    assert loaded.origins == {
        "memory.recall.limit": "SCRUBJAY__MEMORY__RECALL__LIMIT",
        "memory.recall.budget_chars": "config.yaml:4",
    }


@pytest.mark.parametrize("given", ["telegram:1, discord:22", '["telegram:1", "discord:22"]'])
def test_a_variable_sets_a_list_as_config_set_does(tmp_path: Path, given: str) -> None:
    config = load(Home.at(tmp_path), environment={"SCRUBJAY__ACCESS__OWNERS": given}).config

    assert [str(one) for one in config.access.owners] == ["telegram:1", "discord:22"]


def test_a_variable_may_speak_of_an_agent_that_exists_by_default(tmp_path: Path) -> None:
    config = load(Home.at(tmp_path), environment={"SCRUBJAY__AGENTS__WORK__ABOUT": "Ship it for $5 ${now}"}).config

    assert list(config.agents) == ["personal", "work"]
    assert config.agents["work"].about == "Ship it for $5 ${now}"


def test_an_underscore_in_a_variable_is_the_hyphen_in_an_agents_name(write: Write) -> None:
    home = write("agents:\n  my-garden:\n    about: old\n")

    config = load(home, environment={"SCRUBJAY__AGENTS__MY_GARDEN__ABOUT": "new"}).config

    assert {name: agent.about for name, agent in config.agents.items()} == {"my-garden": "new"}


def test_a_variable_with_a_wrong_value_is_told_by_its_name(tmp_path: Path) -> None:
    found = examined(Home.at(tmp_path), SCRUBJAY__LOG__LEVEL="loud")

    assert told(found)[0].startswith('SCRUBJAY__LOG__LEVEL: log.level: found "loud", allowed debug, info,')


def test_a_wrong_element_of_a_list_from_a_variable_is_told_by_its_name(write: Write) -> None:
    home = write("access:\n  owners: [telegram:1]\n")

    found = examined(home, SCRUBJAY__ACCESS__OWNERS="telegram:1, nobody")

    assert told(found)[0].startswith('SCRUBJAY__ACCESS__OWNERS: access.owners.1: found "nobody"')


@pytest.mark.parametrize("variable", ["SCRUBJAY__LOGS__LEVEL", "SCRUBJAY__LOG__LEVELS", "SCRUBJAY__LOG"])
def test_a_variable_that_sets_nothing_known_is_told_by_its_name(tmp_path: Path, variable: str) -> None:
    (problem,) = told(examined(Home.at(tmp_path), **{variable: "info"}))

    assert problem.startswith(f"{variable}: ")


def test_other_variables_are_no_business_of_ours(tmp_path: Path) -> None:
    assert examined(Home.at(tmp_path), SCRUBJAY_HOME="/x", PATH="/bin", SCRUBJAY_LOG_LEVEL="loud").problems == ()


@pytest.mark.parametrize(
    "content",
    [
        "agents:\n  a:\n    workspace: notes\n  b:\n    workspace: notes\n",
        "agents:\n  a:\n    workspace: notes\n  b:\n    workspace: notes/b\n",
        "agents:\n  a:\n    workspace: notes/a\n  b:\n    workspace: notes/a/../a/b\n",
        "agents:\n  a:\n  b:\n    workspace: workspaces/a/b\n",
    ],
)
def test_no_agents_workspace_may_be_or_lie_in_another_ones(write: Write, content: str) -> None:
    found = examined(write(content))

    assert found.config is None
    assert "agents.b.workspace" in told(found)[0]
    assert "a would see what b remembers" in told(found)[0]


def test_the_message_of_a_refusal_says_what_to_do(write: Write) -> None:
    with pytest.raises(ConfigError) as refused:
        load(write("log:\n  level: loud\n"), environment={})

    assert "scrubjay config check" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("memory:\n  extra_paths: {vault: ~/v}\n  extra_trusted: [vautl]\n", "memory.extra_trusted"),
        (
            "agents:\n  a:\n    memory:\n      extra_trusted: [vautl]\nmemory:\n  extra_paths: {vault: ~/v}\n",
            "agents.a.m",
        ),
    ],
)
def test_a_trusted_folder_that_there_is_not_is_named(write: Write, text: str, place: str) -> None:
    (warning,) = load(write(text), environment={}).warnings
    assert warning.key.startswith(place)
    assert 'found "vautl", which is no folder in extra_paths' in warning.message
    assert warning.hint == 'Did you mean "vault"?'


def test_a_folder_that_any_agent_has_can_be_trusted_for_all(write: Write) -> None:
    text = "agents:\n  a:\n    memory:\n      extra_paths: {vault: ~/v}\nmemory:\n  extra_trusted: [vault]\n"
    loaded = load(write(text), environment={})
    assert loaded.warnings == ()
    assert loaded.config.memory_of("a").extra_trusted == ("vault",)


VARIABLES = {"NAME": "Robin", "EMPTY": "", "_x1": "odd"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text("from a file\n\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("plain", "plain"),
        ("${NAME}", "Robin"),
        ("a ${NAME} b ${_x1}", "a Robin b odd"),
        ("${EMPTY}", ""),
        ("${NAME:-other}", "Robin"),
        ("${OTHER:-the other}", "the other"),
        ("${OTHER:-}", ""),
        ("${EMPTY:-filled}", "filled"),
        ("${file:token}", "from a file"),
        ("$$", "$"),
        ("$${NAME}", "${NAME}"),
        ("$$$${NAME}", "$${NAME}"),
        ("$5 and $ and $NAME", "$5 and $ and $NAME"),
        ("{NAME}", "{NAME}"),
    ],
)
def test_references_are_filled_and_everything_else_stays(folder: Path, text: str, filled: str) -> None:
    assert fill(text, VARIABLES, folder) == filled


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("${NAM}", "the environment variable NAM is not set", 'Did you mean "NAME"?'),
        ("${NAME", "without a closing brace", "$${"),
        ("${}", "allowed ${NAME}", "letters, digits"),
        ("${A B}", "allowed ${NAME}", "letters, digits"),
        ("${1A:-x}", "allowed ${NAME}", "letters, digits"),
        ("${file:none}", "cannot be read (No such file or directory)", "the folder of config.yaml"),
        ("${file:.}", "cannot be read (Is a directory)", "relative"),
        ("${file:}", "cannot be read (Is a directory)", "relative"),
        ("${file:~nobody-of-this-name/x}", "cannot be read (Could not determine home directory", "from config.yaml"),
        ("${file:a\0b}", "cannot be read (embedded null byte)", "from config.yaml"),
    ],
)
def test_a_reference_that_leads_nowhere_says_why_and_what_to_do(
    folder: Path, text: str, message: str, hint: str
) -> None:
    with pytest.raises(Unfilled) as unfilled:
        fill(text, VARIABLES, folder)

    assert message in unfilled.value.message
    assert hint in unfilled.value.hint


def test_what_is_filled_in_is_not_filled_again(tmp_path: Path) -> None:
    assert fill("${A}", {"A": "${B} $$", "B": "x"}, tmp_path) == "${B} $$"


def test_a_file_that_holds_more_than_one_value_can_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"x" * (MAX_VALUE_BYTES + 1))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(Unfilled, match="larger than 64 KB"):
        fill("${file:huge}", {}, tmp_path)
    with pytest.raises(Unfilled, match="not UTF-8"):
        fill("${file:binary}", {}, tmp_path)


@given(st.text())
def test_a_text_whose_dollar_signs_are_doubled_comes_back_as_it_was(text: str) -> None:
    assert fill(text.replace("$", "$$"), {}, Path()) == text


class Robot(Section):
    """A section with a secret."""

    token: SecretStr = Field(default=SecretStr(""))
    least: Whole = 1
    most: Whole = 9

    @model_validator(mode="after")
    def _ordered(self) -> Robot:
        if self.least > self.most:
            raise refuse(f"at most {self.most}", hint="Swap them.", at="least")
        return self


class Shop(Section):
    """The whole."""

    robot: Robot = Field(default_factory=Robot)


def checked(text: str) -> tuple[Shop | None, list[ConfigProblem]]:
    return check(Shop, Locator("shop.yaml", read(text), {}))


def test_what_fits_comes_back_as_a_model_without_problems() -> None:
    shop, problems = checked("robot:\n  most: 3\n")

    assert problems == []
    assert shop is not None
    assert shop.robot.most == 3


def test_an_unknown_option_far_from_all_others_gets_the_list_of_them() -> None:
    _, (problem,) = checked("robot:\n  xyz: 3\n")

    assert problem.hint == "Here there are: token, least, most."


def test_a_check_over_two_options_names_the_one_that_is_meant() -> None:
    _, (problem,) = checked("robot:\n  least: 7\n  most: 3\n")

    assert str(problem) == "shop.yaml:2:10: robot.least: found 7, allowed at most 3. Swap them."


def test_an_unknown_option_does_not_hide_a_check_over_the_others() -> None:
    shop, problems = checked("robot:\n  least: 7\n  most: 3\n  xyz: 1\n")

    assert [(problem.key, problem.fatal) for problem in problems] == [("robot.xyz", False), ("robot.least", True)]
    assert shop is None


def test_an_unknown_option_in_an_entry_of_a_list_is_left_out_like_any_other() -> None:
    tree = read("routes:\n  - agent: work\n    platform: discord\n    xyz: 1\n")

    config, problems = check(Config, Locator("config.yaml", tree, {}))

    assert [(problem.key, problem.fatal) for problem in problems] == [("routes.0.xyz", False)]
    assert config is not None
    assert config.routes[0].platform == "discord"


def test_a_secret_never_stands_in_a_message() -> None:
    _, (problem,) = checked("robot:\n  token: 12345678\n")

    assert "12345678" not in str(problem)
    assert problem.place == Position(2, 10)


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
    assert format_value(value) == text
