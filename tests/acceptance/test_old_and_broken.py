"""Of twenty broken configurations the right line is named; with twelve that are only old everything starts."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from bot.cli.invocation import Invocation
from bot.cli.main import main
from bot.config.retired import rewritten
from bot.paths import Home
from bot.service.probes import Supervisor
from bot.service.run import run_service
from memory import FrozenClock
from tests.support.factories import NOON

BROKEN = {
    "a word for a number": ("memory:\n  recall:\n    # how many\n    limit: many\n", 4),
    "a level that is none": ("# mine\nlog:\n  level: loud\n", 3),
    "a zone that is none": ("owner:\n  name: Robin\n  timezone: Europe/Berln\n", 3),
    "a name with capitals": ("agents:\n  home: {}\n\n  Work: {}\n", 4),
    "an agent that is none": ("agents:\n  home:\nchat:\n  agent: work\n", 4),
    "a token that is none": ("telegram:\n  token: hello\n", 2),
    "a variable that is not set": ("owner:\n  name: Robin\nmodel:\n  name: m\n  api_key: ${NOT_SET}\n", 5),
    "a file that is not there": ("discord:\n  token: ${file:nowhere}\n", 2),
    "an open quote": ('owner:\n  name: "Robin\nlog:\n  level: info\n', 2),
    "an open bracket": ("access:\n  owners: [telegram:1\nlog: {}\n", 2),
    "a tab": ("owner:\n  # who\n\tname: Robin\n", 3),
    "no space after a colon": ("owner:\n  name:Robin\n  timezone: auto\n", 2),
    "two colons": ("agents:\n  home:\n    about: Home: and garden\n", 3),
    "indented unlike its neighbours": ("owner:\n   name: Robin\n  timezone: auto\n", 3),
    "the same name twice": ("owner:\n  name: a\nlog: {}\nowner:\n  name: b\n", 4),
    "a list for a section": ("log: {}\nagents:\n  - home\n", 2),
    "an owner by name": ("access:\n  owners:\n    - telegram:12345\n    - robin\n", 4),
    "hours that are none": ("reminders:\n  quiet: 22-7\n", 2),
    "an unknown option": ("memory:\n  recall:\n    limit: 3\n    limmit: 4\n", 4),
    "an address without a scheme": ("model:\n  name: m\n  base_url: localhost:11434\n", 3),
}

OLD = {
    "a model's name": "model:\n  model: qwen3\n  url: http://127.0.0.1:9/v1\n",
    "an agent's model": "agents:\n  home:\n    model: {model: qwen3, baseUrl: 'http://127.0.0.1:9/v1'}\n",
    "platforms in a section": "platforms:\n  telegram:\n    proxy: ''\n",
    "channels": "channels:\n  discord:\n    threads: true\n",
    "top_k": "memory:\n  top_k: 8\n",
    "an agent's top_k": "agents:\n  home:\n    top_k: 8\n",
    "a description": "agents:\n  home:\n    description: Plants.\n",
    "the level at the top": "log_level: debug\n",
    "logging": "logging:\n  level: debug\n",
    "the zone at the top": "timezone: Europe/Berlin\n",
    "the schedule": "schedule:\n  reflect:\n    enabled: false\n",
    "quiet hours": "quiet_hours: 22:00-07:00\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("SCRUBJAY_HOME", str(tmp_path))
    return Home.at(tmp_path)


@pytest.mark.parametrize("case", BROKEN)
def test_config_check_names_the_line(home: Home, capsys: pytest.CaptureFixture[str], case: str) -> None:
    text, line = BROKEN[case]
    home.config.write_text(text)

    assert main(["config", "check"]) == 3
    told = capsys.readouterr().out.splitlines()
    assert [one for one in told if one.startswith(f"{home.config}:{line}:")], told
    assert not [one for one in told if not one.startswith(f"{home.config}:{line}:")], told


@pytest.mark.parametrize("case", OLD)
async def test_with_what_is_only_old_the_service_starts_and_says_so_once(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    home.config.write_text(OLD[case])
    monkeypatch.setenv("SCRUBJAY__MEMORY__EMBEDDER__KIND", "none")
    monkeypatch.setenv("SCRUBJAY__TELEGRAM__TOKEN", "123456789:AAE-no-such-bot")
    monkeypatch.setenv("SCRUBJAY__TELEGRAM__API", "http://127.0.0.1:9")  # a bot that waits for its platform

    config = Invocation(clock=FrozenClock(NOON)).config
    warnings = capsys.readouterr().err.splitlines()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(home.config.parent / "notify"))
        supervisor.setblocking(False)
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            told = Supervisor(str(home.config.parent / "notify"))
            home.prepare()
            service = group.create_task(run_service(home, config, clock=FrozenClock(NOON), supervisor=told))
            assert await asyncio.get_running_loop().sock_recv(supervisor, 100) == b"READY=1"
            service.cancel()

    text, changes = rewritten(OLD[case])
    assert len(warnings) == len(changes) > 0
    assert all("this option is called" in line and line.startswith(f"warning: {home.config}:") for line in warnings)
    home.config.write_text(text)
    assert main(["config", "check"]) == 0
