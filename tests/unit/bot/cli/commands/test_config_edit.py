from __future__ import annotations

import os
import resource
import stat
import sys
from base64 import b64encode
from io import StringIO
from pathlib import Path

import pexpect
import pytest

from bot.config.loader import load
from bot.config.schema import example
from bot.paths import Home
from tests.servers.discord.client import running as discord_running
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.unit.bot.cli.conftest import Scrubjay

TOKEN = "7000000001:test-token-of-the-scrubjay-bot"
MINE = "# mine\nowner: # me\n  # how\n  name: Robin # short\n\nlog:\n  level: info\n"


@pytest.fixture
def mine(home: Home) -> Home:
    home.config.parent.mkdir(parents=True)
    home.config.write_text(MINE)
    return home


def test_an_option_is_set_with_comments_and_order_kept_and_the_file_before_beside_it(
    scrubjay: Scrubjay, mine: Home
) -> None:
    result = scrubjay("config", "set", "owner.name", "Kim", "memory.recall.limit", "8")

    assert result.code == 0
    text = mine.config.read_text()
    assert text == f"{MINE.replace('Robin', 'Kim')}\nmemory:\n  recall:\n    limit: 8\n"
    assert mine.config_previous.read_text() == MINE
    assert mine.config_good.read_text() == text
    assert stat.S_IMODE(mine.config_previous.stat().st_mode) == 0o600
    assert "-  name: Robin # short\n+  name: Kim # short\n" in result.out
    assert str(mine.config_previous) in result.err


def test_without_a_file_it_begins_as_the_example(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("config", "set", "reminders.quiet", "22:00-07:00")

    usual = example().splitlines()
    lines = [line for line in home.config.read_text().splitlines() if line not in usual]
    assert lines == ['  quiet: "22:00-07:00"']
    assert stat.S_IMODE(home.config.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["log.level", "loud"], 'found "loud", allowed debug'),
        (["memory.recall.limit", "many"], 'found "many", allowed a whole number from 1 to 50'),
        (["log.levle", "debug"], 'Did you mean "level"?'),
        (["memroy.recall.limit", "3"], 'Did you mean "memory"?'),
        (["nothing.like.it", "3"], "config.yaml has: agents, owner"),
        (["owner.name"], "has no value"),
        (["owner", ""], "owner has no value"),
        (["owner.name", "Kim", "log", "null"], "log has no value"),
        (["owner.name", "Kim", "log.level"], "log.level has no value"),
        (["owner.name", "Kim", "--stdin"], "two values"),
        (["owner.name", "--from-file", "nowhere"], "cannot be read"),
        (["telegram.token", "--from-file", os.devnull], "telegram.token has no value"),
        (["agents.Work.about", "x"], "small letters"),
    ],
)
def test_what_is_not_possible_is_a_misuse_and_the_file_is_not_touched(
    scrubjay: Scrubjay, mine: Home, words: list[str], told: str
) -> None:
    result = scrubjay("config", "set", *words)

    assert result.code == 2
    assert told in result.err
    assert [path.name for path in mine.config.parent.iterdir()] == ["config.yaml"]
    assert mine.config.read_text() == MINE


def test_texts_lists_and_sections_need_no_quotes(scrubjay: Scrubjay, mine: Home) -> None:
    scrubjay("config", "set", "owner.name", "42", "access.owners", "telegram:1, discord:2")
    scrubjay("config", "set", "routes", "[{agent: work, platform: discord}]", "tools.aliases", "lancedb")
    scrubjay("config", "set", "routes.0.agent", "personal")
    scrubjay("config", "set", "agents.garden.about", "Seeds: when to sow them.")

    config = load(mine, environment={}).config
    assert config.owner.name == "42"
    assert config.access.owners == ("telegram:1", "discord:2")
    assert config.routes[0].agent == "personal"
    assert list(config.agents) == ["personal", "work", "garden"], "the two that there are anyway stay"


def test_an_old_name_sets_the_new_one(scrubjay: Scrubjay, mine: Home) -> None:
    scrubjay("config", "set", "log_level", "debug")

    assert mine.config.read_text() == MINE.replace("info", "debug")


def test_a_secret_is_no_word_of_a_command_and_comes_from_a_file_or_standard_input(
    scrubjay: Scrubjay, mine: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = scrubjay("config", "set", "telegram.token", TOKEN)
    for words in (["telegram.more_tokens", TOKEN], ["telegram", f"{{token: '{TOKEN}'}}"]):
        assert scrubjay("config", "set", *words).code == 7
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    taken = scrubjay("config", "set", "telegram.token", "--from-file", str(file), "--no-test")
    monkeypatch.setattr(sys, "stdin", StringIO("sk-secret\n"))
    piped = scrubjay("config", "set", "model.api_key", "--stdin", "--no-test")
    shown = scrubjay("config", "get", "telegram.token")

    assert (refused.code, taken.code, piped.code) == (7, 0, 0)
    assert "shell's history" in refused.err
    assert TOKEN not in mine.config.read_text()
    config = load(mine, environment={}).config
    assert config.telegram.tokens == (TOKEN,)
    assert config.model.api_key.get_secret_value() == "sk-secret"
    assert stat.S_IMODE(mine.config.with_name("telegram.token").stat().st_mode) == 0o600
    for result in (refused, taken, piped, shown):
        assert TOKEN not in result.out + result.err
        assert "sk-secret" not in result.out + result.err


def test_a_variable_that_is_not_set_is_no_token(
    scrubjay: Scrubjay, mine: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(""))

    refused = scrubjay("config", "set", "telegram.token", "--stdin")

    assert (refused.code, mine.config.read_text()) == (2, MINE)
    assert "telegram.token has no value" in refused.err
    assert not mine.config.with_name("telegram.token").exists()


def test_a_secret_in_the_file_is_hidden_where_the_change_is_shown(scrubjay: Scrubjay, mine: Home) -> None:
    mine.config.write_text("model:\n  api_key: sk-secret\n  name: a\n")

    result = scrubjay("config", "set", "model.name", "b", "--no-test")

    assert "sk-secret" not in result.out
    assert "   api_key: ***\n-  name: a\n+  name: b\n" in result.out


def test_a_model_is_asked_before_it_is_saved(scrubjay: Scrubjay, mine: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)

    def ready(_: Received) -> Step:
        return Step(text="ready")

    with OpenAIServer(ready) as server:
        works = scrubjay(
            "config", "set", "model.name", MODEL, "model.base_url", server.base_url, "model.api_key", "${MINE}"
        )
        before = mine.config.read_text()
        fails = scrubjay("config", "set", "agents.work.model.model", "other")

    assert "Model works" in works.err
    assert (works.code, fails.code) == (0, 6)
    assert "--no-test" in fails.err
    assert mine.config.read_text() == before


def test_a_token_is_shown_to_its_platform_before_it_is_saved(
    scrubjay: Scrubjay, mine: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    with discord_running() as discord:
        monkeypatch.setenv("SCRUBJAY__DISCORD__API", discord.url)
        file.write_text(f"{b64encode(b'12345678901234567').decode().rstrip('=')}.abcdef.{'x' * 27}")
        refused = scrubjay("config", "set", "discord.token", "--from-file", str(file))
        file.write_text(discord.token)
        taken = scrubjay("config", "set", "discord.token", "--from-file", str(file))

    assert (refused.code, taken.code) == (6, 0)
    assert "Reset Token" in refused.err
    assert "Discord knows the bot" in taken.err


def test_an_option_is_taken_out_again(scrubjay: Scrubjay, mine: Home) -> None:
    taken = scrubjay("config", "unset", "log.level", "--json")
    again = scrubjay("config", "unset", "log.level")

    assert (taken.code, again.code) == (0, 4)
    assert taken.json["changed"] == ["log.level"]
    assert load(mine, environment={}).config.log.level == "info"
    assert mine.config.read_text().startswith("# mine\nowner: # me\n")


def test_a_file_that_is_broken_elsewhere_is_not_changed(scrubjay: Scrubjay, mine: Home) -> None:
    mine.config.write_text("log:\n  level: loud\n")

    other = scrubjay("config", "set", "owner.name", "Kim")
    mended = scrubjay("config", "set", "log.level", "debug")

    assert (other.code, mended.code) == (3, 0)
    assert "config.yaml:2:10: log.level" in other.err


def test_a_link_stays_one(scrubjay: Scrubjay, mine: Home, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.yaml"
    mine.config.rename(real)
    mine.config.symlink_to(real)

    scrubjay("config", "set", "owner.name", "Kim")

    assert mine.config.is_symlink()
    assert "Kim" in real.read_text()


def test_when_it_breaks_later_the_last_good_one_is_named(scrubjay: Scrubjay, mine: Home) -> None:
    scrubjay("config", "set", "owner.name", "Kim")
    mine.config.write_text("log: [")

    for words in (["config", "check"], ["status"]):
        result = scrubjay(*words)
        assert result.code == 3
        assert str(mine.config_good) in result.err


def test_a_value_and_a_section_are_printed(scrubjay: Scrubjay, mine: Home) -> None:
    assert scrubjay("config", "get", "owner.name").out == "Robin\n"
    assert scrubjay("config", "get", "memory.recall.limit").out == "6\n"
    assert "recall.limit: 6" in scrubjay("config", "get", "memory").out.splitlines()
    assert scrubjay("config", "get", "memory.watch", "--json").json == {"key": "memory.watch", "value": "auto"}
    assert scrubjay("config", "get", "owner.nmae").code == 2
    assert scrubjay("config", "get", "agents.work.model.name").out == "\n"


@pytest.mark.parametrize("key", ["agents.nobody", "agents.nobody.about", "access.owners.7", "memory.extra_paths.zzz"])
def test_what_is_not_there_has_no_value(scrubjay: Scrubjay, mine: Home, key: str) -> None:
    told = scrubjay("config", "get", key)

    assert (told.code, told.out) == (4, "")
    assert key.removesuffix(".about") in told.err
    assert scrubjay("config", "explain", key).code == 0


def test_a_section_is_printed_as_it_is_written_in_the_file(scrubjay: Scrubjay, mine: Home) -> None:
    assert scrubjay("config", "set", "access.owners", "[telegram:5]").code == 0

    assert scrubjay("config", "get", "memory.low_memory").out == "false\n"
    assert "low_memory: false" in scrubjay("config", "get", "memory").out.splitlines()
    assert 'owners: ["telegram:5"]' in scrubjay("config", "get", "access").out.splitlines()
    assert "True" not in scrubjay("config", "show").out


@pytest.mark.parametrize("words", [("set", "log.level", "debug"), ("unset", "owner.name")])
def test_a_disk_without_room_is_told_in_a_sentence(scrubjay: Scrubjay, mine: Home, words: tuple[str, ...]) -> None:
    mine.config.write_text(mine.config.read_text() + "# a remark\n" * 500)
    before, limits = mine.config.read_text(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, limits[1]))
    try:
        told = scrubjay("config", *words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert told.code == 1
    assert told.err.endswith("error: Nothing more can be written: file too large.\nRun: scrubjay doctor\n")
    assert mine.config.read_text() == before


def test_an_option_is_explained_with_who_set_it(
    scrubjay: Scrubjay, mine: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY__MEMORY__RECALL__LIMIT", "9")

    by_file = scrubjay("config", "explain", "owner.name", "--json").json
    by_variable = scrubjay("config", "explain", "memory.recall.limit", "--json").json
    by_nobody = scrubjay("config", "explain", "agents.work.about")

    assert (by_file["value"], by_file["set_by"]) == ("Robin", ["config.yaml:4"])
    assert (by_variable["value"], by_variable["default"]) == (9, 6)
    assert by_variable["set_by"] == ["SCRUBJAY__MEMORY__RECALL__LIMIT"]
    assert by_variable["allowed"] == "a whole number from 1 to 50"
    assert "What this agent is for" in by_nobody.out
    assert "default" in by_nobody.out


def edited(home: Home, script: str) -> pexpect.spawn:
    """`scrubjay config edit` with an editor that runs a line of Python on the file's text `t`."""
    editor = home.config.parent / "editor.py"
    editor.write_text(f"import sys, pathlib\np = pathlib.Path(sys.argv[1])\nt = p.read_text()\n{script}\n")
    return pexpect.spawn(
        sys.executable,
        ["-m", "tests.fakes.scrubjay", "config", "edit"],
        env={"SCRUBJAY_HOME": str(home.config.parent), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
        | {"EDITOR": f"{sys.executable} {editor}", "HOME": str(home.config.parent)},
        cwd=str(Path.cwd()),
        encoding="utf-8",
        timeout=30,
    )


def test_what_is_edited_is_checked_and_edited_again_until_it_can_be_used(mine: Home) -> None:
    talk = edited(mine, "p.write_text(t.replace('info', 'loud') if 'info' in t else t.replace('loud', 'debug'))")

    talk.expect_exact('found "loud", allowed debug')
    talk.expect_exact("Edit again?")
    assert mine.config.read_text() == MINE
    talk.sendline("y")
    talk.expect_exact("Saved:")
    talk.expect(pexpect.EOF)
    talk.close()

    assert talk.exitstatus == 0
    assert mine.config.read_text() == MINE.replace("info", "debug")
    assert not mine.config.with_name("config.edit.yaml").exists()


def give_up(talk: pexpect.spawn[str]) -> None:
    """Decline to edit again, and wait for the end."""
    talk.expect_exact("Edit again?")
    talk.sendline("n")
    talk.expect_exact("is as it was")
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == 3


def test_an_edit_that_cannot_be_used_can_be_given_up(mine: Home) -> None:
    talk = edited(mine, "p.write_text('log: [')")
    give_up(talk)
    assert mine.config.read_text() == MINE


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("p.write_bytes(t.encode().replace(b'info', b'\\xfc'))", "UTF-8"),
        ("p.write_text('')", "is empty"),
        ("p.unlink()", "is empty"),
    ],
    ids=["another encoding", "empty", "removed"],
)
def test_an_editor_that_leaves_no_text_changes_nothing(mine: Home, script: str, said: str) -> None:
    talk = edited(mine, script)
    talk.expect_exact(said)
    give_up(talk)
    assert mine.config.read_text() == MINE
    assert not mine.config.with_name("config.edit.yaml").exists()


def test_an_editor_needs_a_person(scrubjay: Scrubjay, mine: Home) -> None:
    assert scrubjay("config", "edit").code == 2
