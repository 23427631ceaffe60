from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pexpect
import pytest

from bot.backup.restore import OpenMemory
from bot.cli.wizard.finish import self_test
from bot.config.loader import load
from bot.errors import BotError
from bot.paths import Home
from memory import FrozenClock, Line, Memory, Recall, Scope
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram.client import running as telegram_running
from tests.unit.bot.cli.conftest import Scrubjay

TOKEN = "7000000001:test-token-of-the-scrubjay-bot"
NOBODY = "http://127.0.0.1:9"


def test_one_command_sets_everything_up_and_proves_that_memory_works(scrubjay: Scrubjay, home: Home) -> None:
    result = scrubjay("init", "--yes")

    assert result.code == 0
    assert str(home.config) in result.out
    assert "no telemetry" in result.out
    assert "Memory works: a test fact was noted, found again (memory/2026-11-21.md#L4), and forgotten." in result.out
    assert len([line for line in result.out.splitlines() if line.startswith("  scrubjay ")]) == 3
    for agent in ("personal", "work"):
        assert (home.workspace(agent) / "AGENTS.md").is_file()


def test_the_configuration_is_private_and_holds_the_zone_of_the_machine(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")

    loaded = load(home, environment={})
    assert stat.S_IMODE(home.config.stat().st_mode) == 0o600
    assert loaded.config.owner.timezone == "Europe/Berlin"
    assert loaded.warnings == ()


def test_every_question_has_an_option(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes", "--name", "Robin", "--timezone", "Asia/Tokyo", "--agents", "home, garden")

    config = load(home, environment={}).config
    assert (config.owner.name, config.owner.timezone) == ("Robin", "Asia/Tokyo")
    assert list(config.agents) == ["home", "garden"]
    assert "Robin" in (home.workspace("garden") / "USER.md").read_text(encoding="utf-8")


def test_an_agent_that_is_named_twice_is_one(scrubjay: Scrubjay, home: Home) -> None:
    assert scrubjay("init", "--yes", "--agents", "home, garden, home").code == 0

    assert list(load(home, environment={}).config.agents) == ["home", "garden"]


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--timezone", "Europe/Berln", 'Did you mean "Europe/Berlin"?'),
        ("--agents", "My Agent", "small letters"),
        ("--agents", ",", "one section or more"),
        ("--name", "x" * 100, "at most 80 characters"),
    ],
)
def test_an_impossible_answer_is_a_misuse_and_nothing_is_written(
    scrubjay: Scrubjay, home: Home, option: str, value: str, told: str
) -> None:
    result = scrubjay("init", "--yes", option, value)

    assert result.code == 2
    assert told in result.err
    assert not home.config.exists()


def test_called_again_it_puts_back_what_is_missing_and_overwrites_nothing(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes", "--name", "Robin")
    mine = home.workspace("work") / "SOUL.md"
    mine.write_text("my own words")
    (home.workspace("work") / "AGENTS.md").unlink()
    before = home.config.read_bytes()

    result = scrubjay("init", "--yes")

    assert result.code == 0
    assert home.config.read_bytes() == before
    assert mine.read_text() == "my own words"
    assert f"{home.workspace('work')} (made AGENTS.md)" in result.out
    assert f"{home.workspace('personal')} (complete)" in result.out
    assert "stays as it is" in result.out


def test_called_again_it_changes_what_is_answered_otherwise_and_keeps_comments(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes", "--name", "Robin")
    home.config.write_text(f"# my own\n{home.config.read_text()}")
    before = home.config.read_text()

    scrubjay("init", "--yes", "--name", "Kim", "--agents", "garden,work", "--quiet-hours", "22:00-07:00")

    config, text = load(home, environment={}).config, home.config.read_text()
    assert (config.owner.name, config.reminders.quiet) == ("Kim", "22:00-07:00")
    assert (set(config.agents), config.default_agent) == ({"garden", "work"}, "garden")
    assert text.startswith("# my own\n")
    assert home.config_previous.read_text() == before
    assert (home.workspace("garden") / "AGENTS.md").is_file()
    assert home.workspace("personal").is_dir(), "what was remembered is never removed"


def test_memory_lives_where_it_is_wanted(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    scrubjay("init", "--yes", "--memory-folder", str(tmp_path / "notes"))
    there = load(home, environment={}).config.agents["work"].workspace
    scrubjay("init", "--yes", "--memory-folder", str(home.workspaces))

    assert there == tmp_path / "notes" / "work"
    assert (tmp_path / "notes" / "work" / "AGENTS.md").is_file()
    assert load(home, environment={}).config.agents["work"].workspace is None


def test_a_folder_for_memory_that_cannot_be_made_is_not_saved(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a file", encoding="utf-8")

    result = scrubjay("init", "--yes", "--memory-folder", str(tmp_path / "notes"))

    assert result.code == 1
    assert f"{tmp_path / 'notes'} cannot be made" in result.err
    assert not home.config.exists()


def test_a_configuration_with_old_names_gets_the_new_ones(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("# mine\nlog_level: debug # loud\n")

    result = scrubjay("init", "--yes")

    assert "log_level -> log.level" in result.err
    assert home.config.read_text().startswith("log:\n  # mine\n  level: debug # loud\n")


def test_what_another_program_remembers_is_moved_in(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Keys.md").write_text("The spare key is under the blue pot.\n")

    result = scrubjay("init", "--yes", "--import-from", str(vault), "--import-agent", "work")

    assert result.code == 0
    assert [*home.workspace("work").glob("memory/imports/**/Keys.md")]


def test_a_configuration_with_a_mistake_is_left_as_it_is(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("log: [")

    result = scrubjay("init", "--yes")

    assert result.code == 3
    assert home.config.read_text() == "log: ["


@pytest.mark.parametrize("more", [[], ["--no-input"]])
def test_without_somebody_to_ask_it_says_how_to_go_on(scrubjay: Scrubjay, home: Home, more: list[str]) -> None:
    result = scrubjay("init", *more)

    assert result.code == 2
    assert "scrubjay init --yes" in result.err
    assert not home.config.exists()


def conversation(home: Home, **variables: str) -> pexpect.spawn:
    environment = {"SCRUBJAY_HOME": str(home.config.parent), "TZ": "Europe/Berlin", "TERM": "dumb", "PATH": os.defpath}
    return pexpect.spawn(
        sys.executable,
        ["-m", "tests.fakes.scrubjay", "init"],
        env=environment | {"HOME": str(home.config.parent.parent), "SCRUBJAY__TELEGRAM__API": NOBODY} | variables,
        cwd=str(Path.cwd()),
        encoding="utf-8",
        timeout=30,
        dimensions=(24, 100),
    )


def test_on_a_terminal_questions_are_asked_and_one_can_go_back(home: Home) -> None:
    talk = conversation(home)

    for question, said in (
        ("[personal, work] ", "Personal"),
        ("small letters", None),
        ("[personal, work] ", "personal, garden"),
        ("What is garden for?", "Seeds."),
        ("What should the agents call you? (Enter to skip) ", "Robyn"),
        ("for its memory?", "<"),
        ("[Robyn] ", "Robin"),
        ("2/6 Memory", None),
        ("for its memory?", ""),
        ("Which one?", "0"),
        ("Enter for no bot there) ", "hello"),
        ("allowed a token such as 123456789:AAE", None),
        ("Enter for no bot there) ", f"  {TOKEN} "),
        ("Telegram cannot be reached", None),
        ("A bot on Discord", None),
        ("Enter for no bot there) ", ""),
        ("Your time zone? [Europe/Berlin] ", "Berlin"),
        ('allowed "auto", or a name such as Europe/Berlin', None),
        ("Your time zone? [Europe/Berlin] ", ""),
        ("Language of the program?", "de"),
        ("Hours in which", ""),
    ):
        talk.expect_exact(question)
        if said is not None:
            talk.sendline(said)
    if talk.expect_exact(["keep it running? [yes]", "Go ahead? [yes] "]) == 0:
        talk.sendline("no")
        talk.expect_exact("Go ahead? [yes] ")
    assert not home.config.exists()
    talk.sendline("")
    for told in ("Kein Sprachmodell", "Das Gedächtnis arbeitet", "Schick", "scrubjay run"):
        talk.expect_exact(told)
    shown = talk.before
    talk.expect(pexpect.EOF)
    talk.close()

    assert talk.exitstatus == 0
    config = load(home, environment={}).config
    assert (config.owner.name, config.owner.language) == ("Robin", "de")
    assert config.agents["garden"].about == "Seeds."
    assert config.telegram.tokens == (TOKEN,)
    assert config.discord.tokens == ()
    assert TOKEN not in home.config.read_text(encoding="utf-8")
    assert TOKEN not in str(shown)
    assert home.config.with_name("telegram.token").stat().st_mode & 0o777 == 0o600


def skipped(talk: pexpect.spawn) -> None:
    """Take what is proposed, down to the question about the model."""
    for question in ("[personal, work] ", "(Enter to skip) ", "for its memory?"):
        talk.expect_exact(question)
        talk.sendline("")
    talk.expect_exact("Which one?")


def agreed(talk: pexpect.spawn) -> None:
    """Take what is proposed, from the tokens to the end, and no service."""
    for question in ("no bot there) ", "no bot there) ", "time zone?", "Language", "Hours"):
        talk.expect_exact(question)
        talk.sendline("")
    talk.expect_exact("6/6 Summary")  # nothing for a service to serve, so it is not asked about
    talk.expect_exact("Go ahead? [yes] ")
    talk.sendline("")
    talk.expect_exact("Memory works")
    talk.expect(pexpect.EOF)


def test_what_was_chosen_to_be_moved_in_is_not_asked_about_again(home: Home) -> None:
    vault = home.config.parent.parent / "Vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Keys.md").write_text("The spare key is under the blue pot.\n")
    talk = conversation(home)

    for question, said in (
        ("[personal, work] ", ""),
        ("(Enter to skip) ", ""),
        ("for its memory?", ""),
        ("Which of them?", "1"),
        ("Which one?", "0"),
    ):
        talk.expect_exact(question)
        talk.sendline(said)
    agreed(talk)

    assert "[y/N]" not in str(talk.before)
    assert [*home.workspace("personal").glob("memory/imports/**/Keys.md")]


def test_a_key_in_the_environment_for_a_server_on_this_machine_is_proposed(home: Home) -> None:
    with OpenAIServer(obedient) as server:
        talk = conversation(home, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.base_url)
        skipped(talk)
        assert "with the key in OPENAI_API_KEY (what you say goes to 127.0.0.1:" in talk.before
        talk.sendline("")
        talk.expect_exact(f"Which model? (< goes back) [{MODEL}] ")
        talk.sendline("")
        talk.expect_exact("and calls tools.")
        agreed(talk)

    text = home.config.read_text(encoding="utf-8")
    assert 'api_key: "${OPENAI_API_KEY}"' in text
    assert KEY not in text


def test_a_model_that_does_not_answer_is_not_saved_and_another_can_be_chosen(home: Home) -> None:
    with OpenAIServer(obedient) as server:
        talk = conversation(home)
        skipped(talk)
        for address, key, told in (
            ("localhost:1", "", "Did you mean http://localhost:1/v1 ?"),
            (server.base_url, "wrong-key-0815", "refused the key"),
            (server.base_url, KEY, "There are: scripted"),
        ):
            talk.sendline("1")
            talk.expect_exact("Its address?")
            talk.sendline(f"{address}/v1" if "localhost" in address else address)
            talk.expect_exact("Its key?")
            talk.sendline(key)
            if key == KEY:
                talk.expect_exact("Which model?")
                talk.sendline("fable")
            talk.expect_exact(told)
            assert "0815" not in talk.before
            talk.expect_exact("Which one?")
            assert not home.config.exists()
        talk.sendline("0")
        agreed(talk)

    assert not load(home, environment={}).config.model.is_configured


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_leaving_at_the_question_about_the_model_writes_nothing(home: Home, key: str) -> None:
    talk = conversation(home)
    skipped(talk)

    talk.expect_exact("] ")
    talk.send(key)
    talk.expect_exact("Interrupted.")
    talk.expect(pexpect.EOF)
    talk.close()

    assert talk.exitstatus == 130
    assert not home.config.exists()


def obedient(request: Received) -> Step:
    return Step(calls=(Call("note", {"word": "ready"}),)) if request.tools else Step(text="ready")


def test_a_model_is_asked_before_it_is_saved(scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)
    with OpenAIServer(obedient) as server:
        result = scrubjay("init", "--yes", "--model", MODEL, "--base-url", server.base_url, "--key-from", "MINE")

    assert result.code == 0
    assert f"Model works: {MODEL} at 127.0.0.1:" in result.out
    config = load(home, environment={"MINE": KEY}).config
    assert (config.model.name, config.model.api_key.get_secret_value()) == (MODEL, KEY)
    assert config.owner.timezone == "Europe/Berlin"


def test_a_model_that_does_not_answer_is_an_error_and_nothing_is_made(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "wrong")
    with OpenAIServer(obedient) as server:
        result = scrubjay("init", "--yes", "--model", MODEL, "--base-url", server.base_url, "--key-from", "MINE")

    assert result.code == 6
    assert "refused the key (HTTP 401)" in result.err
    assert not home.config.parent.exists()


def test_a_model_can_be_added_to_a_home_that_has_none(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", KEY)
    scrubjay("init", "--yes", "--name", "Robin")
    home.config.write_text(f"# mine\n{home.config.read_text()}")
    before = home.config.read_text().splitlines()
    with OpenAIServer(obedient) as server:
        result = scrubjay("init", "--yes", "--model", MODEL, "--base-url", server.base_url, "--key-from", "MINE")

    after = home.config.read_text().splitlines()
    assert "Changed: " in result.out
    changed = [line for line, old in zip(after, before, strict=True) if line != old]
    assert [line.partition(":")[0].strip() for line in changed] == ["name", "base_url", "api_key"]
    assert load(home, environment={"MINE": KEY}).config.model.name == MODEL


def test_called_again_it_asks_the_model_and_goes_on_without_it(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", KEY)
    with OpenAIServer(obedient) as server:
        scrubjay("init", "--yes", "--model", MODEL, "--base-url", server.base_url, "--key-from", "MINE")
        before = home.config.read_bytes()
        works = scrubjay("init", "--yes")
        other = scrubjay("init", "--yes", "--model", "other", "--base-url", server.base_url, "--key-from", "MINE")
        monkeypatch.setenv("MINE", "wrong")
        fails = scrubjay("init", "--yes")

    assert "Model works" in works.out
    assert other.code == 6
    assert (fails.code, "Memory works" in fails.out) == (0, True)
    assert "refused the key" in " ".join(fails.err.split())
    assert "Until it works, answers are quotes from memory." in fails.err
    assert home.config.read_bytes() == before


def test_an_address_without_a_model_is_a_misuse(scrubjay: Scrubjay, home: Home) -> None:
    result = scrubjay("init", "--yes", "--base-url", "http://localhost:1/v1")

    assert result.code == 2
    assert "--model NAME" in result.err
    assert not home.config.exists()


def test_leaving_in_the_middle_writes_nothing(home: Home) -> None:
    talk = conversation(home)

    talk.expect_exact("[personal, work] ")
    talk.sendeof()
    talk.expect_exact("Interrupted.")
    talk.expect(pexpect.EOF)
    talk.close()

    assert talk.exitstatus == 130
    assert not home.config.exists()


def test_tokens_come_from_files_too_and_one_that_is_none_is_refused_unseen(
    home: Home, scrubjay: Scrubjay, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("topsecret\n", encoding="utf-8")
    refused = scrubjay("init", "--yes", "--telegram-token-file", str(file))
    missing = scrubjay("init", "--yes", "--telegram-token-file", str(tmp_path / "nowhere"))
    file.write_text(f"{TOKEN}\n", encoding="utf-8")
    taken = scrubjay("init", "--yes", "--telegram-token-file", str(file), "--no-test", "--owner", "telegram:12345")

    assert (refused.code, missing.code, taken.code) == (2, 2, 0)
    assert "telegram.token" in refused.err
    assert "topsecret" not in refused.err
    config = load(home, environment={}).config
    assert (config.telegram.tokens, config.access.owners) == ((TOKEN,), ("telegram:12345",))
    assert "Who you are" not in taken.out


def test_what_cannot_be_moved_in_is_told_and_everything_else_is_done(scrubjay: Scrubjay, home: Home) -> None:
    result = scrubjay("init", "--yes", "--import-from", "/nowhere/at/all")

    assert result.code == 4
    assert "There is no /nowhere/at/all" in result.err
    assert "Three things to do next" in result.out
    assert home.config.exists()


def test_a_service_without_a_bot_is_a_misuse(scrubjay: Scrubjay, home: Home) -> None:
    result = scrubjay("init", "--yes", "--service")

    assert result.code == 2
    assert "Give it a token" in result.err
    assert not home.config.exists()


def test_a_token_that_its_platform_refuses_is_not_saved_and_one_that_it_takes_shows_a_code(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN, encoding="utf-8")
    with telegram_running(patience_s=0) as telegram:
        monkeypatch.setenv("SCRUBJAY__TELEGRAM__API", telegram.url)
        telegram.call("revoke_token")
        refused = scrubjay("init", "--yes", "--telegram-token-file", str(file))
        assert not home.config.exists()
        telegram.call("restore_token")
        taken = scrubjay("init", "--yes", "--telegram-token-file", str(file))

    assert refused.code == 6
    assert "does not accept this token" in refused.err
    code = re.search(r"https://t\.me/scrubjay_bot\?start=([A-Z0-9]{8})\n", taken.out)
    assert code
    assert f"    {' '.join(f'{code[1][:4]}-{code[1][4:]}')}\n" in taken.out


class Blind(Memory):
    """Finds nothing."""

    async def recall(self, query: str, **narrowed: object) -> Recall:
        return Recall(query, "words", "The index is empty.", 0, ())


class Stubborn(Memory):
    """Forgets nothing."""

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        return ()


def opening(kind: type[Memory]) -> OpenMemory:
    @asynccontextmanager
    async def open_scratch(workspace: Path, index: Path) -> AsyncIterator[Memory]:
        yield await kind.open(workspace, index=index, clock=FrozenClock(datetime(2026, 11, 21, tzinfo=UTC)))

    return open_scratch


async def test_a_memory_that_works_says_where_it_found_the_fact(tmp_path: Path) -> None:
    assert await self_test(opening(Memory), beside=tmp_path) == "memory/2026-11-21.md#L4"


async def test_nothing_is_left_behind(tmp_path: Path) -> None:
    await self_test(opening(Memory), beside=tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [(Blind, "written was not found. The index is empty."), (Stubborn, "what was forgotten was still found")],
)
async def test_a_memory_that_does_not_work_says_what_it_failed_at(
    tmp_path: Path, kind: type[Memory], told: str
) -> None:
    with pytest.raises(BotError) as failed:
        await self_test(opening(kind), beside=tmp_path)

    assert told in failed.value.message
    assert failed.value.hint == "Run: scrubjay doctor"
