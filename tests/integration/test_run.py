"""`scrubjay run` as a program, from `scrubjay init` to the first answer, on both platforms at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.servers.discord import client as discord
from tests.servers.ledger import bot_message
from tests.servers.telegram import client as telegram
from tests.support.forked import ROOT, Completed, complete, fork

PATIENCE_S = 30
LOGGED_S = 60


class Machine:
    """A newcomer's machine.

    Attributes:
        home: their folder.
        log: what the service has said, so far.
        shown: what `scrubjay init` has shown.
    """

    def __init__(self, folder: Path, telegram_url: str, discord_url: str) -> None:
        self.home, self.log = folder / "home", folder / "log"
        self.shown = ""
        self._discord_url = discord_url
        self._environment = {
            "SCRUBJAY_HOME": str(self.home),
            "HOME": str(folder),
            "PATH": os.defpath,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "SCRUBJAY__TELEGRAM__API": telegram_url,
            "SCRUBJAY__DISCORD__AGENT": "work",
            "TZ": "UTC",
        }

    def scrubjay(self, *words: str, **variables: str) -> Completed:
        """Run a command to its end."""
        return complete([sys.executable, "-m", "bot", *words], self._environment | variables, timeout_s=PATIENCE_S)

    @contextmanager
    def running(self) -> Iterator[None]:
        """`scrubjay run`, until the block ends; it is to end well."""
        with TemporaryFile() as nothing, self.log.open("ab") as log:
            argv = [sys.executable, "-m", "tests.chaos.program", self._discord_url]
            program = fork(argv, self._environment, (nothing, nothing, log))
        try:
            yield
        finally:
            os.kill(program.pid, signal.SIGTERM)
            code = program.wait(PATIENCE_S)
        assert code == 0

    def logged(self, event: str) -> list[dict[str, Any]]:
        """What the service has said about something."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return [said for said in map(json.loads, lines) if said["event"] == event]

    def code(self, platform: str) -> str:
        """The code that makes the owner known."""
        return str(next(said["send"] for said in self.logged("owner.unknown") if said["platform"] == platform))


@pytest.fixture
def platforms() -> Iterator[tuple[telegram.Telegram, discord.Discord]]:
    with telegram.running(patience_s=0.2) as one, discord.running() as other:
        yield one, other


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine on which `scrubjay init` has run, to copy."""
    folder = tmp_path_factory.mktemp("furnished")
    with telegram.running(patience_s=0.2) as one, discord.running() as other:
        machine = Machine(folder, one.url, other.url)
        for name, token in (("t", one.token), ("d", other.token)):
            (folder / name).write_text(token, encoding="utf-8")
        files = ["--telegram-token-file", str(folder / "t"), "--discord-token-file", str(folder / "d")]
        ended = machine.scrubjay("init", "--yes", *files, SCRUBJAY__DISCORD__API=other.url)
    assert ended.code == 0
    machine.shown = ended.output.decode()
    config = machine.home / "config.yaml"
    written = config.read_text(encoding="utf-8")
    by_words = written.replace("#kind: built-in", "kind: none", 1)
    assert by_words != written
    config.write_text(by_words, encoding="utf-8")  # what is not there is then answered with nothing
    return machine


@pytest.fixture
def machine(tmp_path: Path, furnished: Machine, platforms: tuple[telegram.Telegram, discord.Discord]) -> Machine:
    one, other = platforms
    machine = Machine(tmp_path, one.url, other.url)
    machine.shown = furnished.shown
    shutil.copytree(furnished.home, machine.home)
    (machine.home / "discord.token").write_text(other.token, encoding="utf-8")  # each server has another one
    return machine


async def test_a_newcomer_reaches_one_agent_on_each_platform_and_neither_recalls_the_others_facts(
    machine: Machine, platforms: tuple[telegram.Telegram, discord.Discord]
) -> None:
    one, other = platforms
    alice, ada = one.user(7, "Alice"), other.user("ada")
    link = re.search(r"https://t\.me/scrubjay_bot\?start=(\w+)", machine.shown)
    assert link
    room = other.guild("Team", [ada]).channel("general")
    with machine.running():
        await other.until(lambda entry: entry["kind"] == "identify", timeout_s=LOGGED_S)
        alice.says(f"/start {link[1]}")  # what Telegram sends for a person who opens the link
        await one.until(bot_message(kind="edit", chat=7, text="Now I know you"), timeout_s=PATIENCE_S)
        ada.says(ada.direct, machine.code("discord"))
        await other.until(bot_message(text="Now I know you"), timeout_s=PATIENCE_S)

        alice.says("/remember The lamp in the attic is green.")
        await one.until(bot_message(kind="edit", chat=7, text="Noted in"), timeout_s=PATIENCE_S)
        ada.says(room, f"{other.mention} /remember The server room is cold.")
        await other.until(bot_message(chat=room, text="Noted in"), timeout_s=PATIENCE_S)

        alice.says("/recall server room")
        ada.says(room, f"{other.mention} /recall lamp attic")
        on_telegram = await one.until(bot_message(kind="edit", chat=7, text="othing"), timeout_s=PATIENCE_S)
        on_discord = await other.until(bot_message(chat=room, text="othing"), timeout_s=PATIENCE_S)
        status = json.loads(machine.scrubjay("status", "--json").output)
        german = [
            machine.scrubjay(*words, SCRUBJAY__OWNER__LANGUAGE="de").output.decode()
            for words in (("status",), ("pair", "invite"))
        ]
        asked = [
            machine.scrubjay(*words, "list", "--json", SCRUBJAY__OWNER__LANGUAGE="nope")  # no usable configuration
            for words in (("pair",), ("sessions", "dead"))
        ]
        second = machine.scrubjay("run")

    assert "cold" not in on_telegram["text"]
    assert "green" not in on_discord["text"]
    assert set(status["accounts"].values()) == {"running"}
    assert re.search(r"telegram\.\d+ +läuft\n", german[0])
    assert german[1].startswith("Bot-Konto")
    assert [ended.code for ended in asked] == [0, 0]
    assert [queue["waiting"] for queue in status["queues"]] == [0, 0]
    assert second.code == 5
    assert [said["event"] for said in machine.logged("service.ended")] == ["service.ended"]
    log = machine.log.read_text(encoding="utf-8")
    assert one.token not in log
    assert other.token not in log


async def test_a_revoked_token_is_said_once_and_the_other_platform_goes_on(
    machine: Machine, platforms: tuple[telegram.Telegram, discord.Discord]
) -> None:
    one, other = platforms
    logins = count(1)
    (machine.home / "discord.token").write_text("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")
    alice = one.user(7, "Alice")
    alice.says("hello")
    with machine.running():
        await one.until(bot_message(kind="edit", chat=7, text="I do not know you yet"), timeout_s=LOGGED_S)
        await other.until(lambda entry: entry.get("name") == "GET /users/@me" and next(logins) > 3, timeout_s=LOGGED_S)
        status = json.loads(machine.scrubjay("status", "--json").output)

    assert len(machine.logged("adapter.refused")) == 1
    assert sum(stands.startswith("refused since") for stands in status["accounts"].values()) == 1
    assert sum(stands == "running" for stands in status["accounts"].values()) == 1


async def test_what_is_no_token_of_discord_keeps_nobody_on_telegram_from_an_answer(
    machine: Machine, platforms: tuple[telegram.Telegram, discord.Discord]
) -> None:
    one, _ = platforms
    (machine.home / "discord.token").write_text("bm90ZGlnaXRzMTIzNDU2Nzg.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")
    one.user(7, "Alice").says("hello")
    with machine.running():
        await one.until(bot_message(kind="edit", chat=7, text="I do not know you yet"), timeout_s=LOGGED_S)

    (refused,) = machine.logged("adapter.refused")
    assert "Discord" in refused["reason"]


def test_where_no_account_has_a_token_the_program_ends_and_says_why(tmp_path: Path) -> None:
    token = "bm90ZGlnaXRzMTIzNDU2Nzg.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"
    ended = Machine(tmp_path, "http://127.0.0.1:1", "").scrubjay("run", SCRUBJAY__DISCORD__TOKEN=token)

    assert ended.code == 6
    assert "What is given as Discord's bot token is not one" in ended.errors.decode()


def test_with_no_bot_there_is_nothing_to_run(tmp_path: Path) -> None:
    ended = Machine(tmp_path, "http://127.0.0.1:1", "").scrubjay("run")

    assert ended.code == 3
    assert "scrubjay init" in ended.errors.decode()
