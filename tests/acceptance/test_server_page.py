"""docs/server.md as somebody follows it: every command copied from the page, down to the first answer on Telegram."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.ledger import bot_message
from tests.servers.telegram import client as telegram
from tests.support.cli_process import ROOT

PATIENCE_S = 60
MOST_COMMANDS = 10

STUBS = {
    "apt-get": ":",
    # a command of root's that writes outside the home writes into it instead
    "sudo": 'case "$1" in ln) exec ln -s "$3" "$STUBS/scrubjay";; *) exec "$@";; esac',
    # an environment whose libraries are those of the tests
    "python3": 'mkdir -p "$3/bin" && cp "$STUBS/pip" "$STUBS/launch" "$3/bin/" && mv "$3/bin/launch" "$3/bin/scrubjay"',
    "pip": 'test "$*" = "install scrubjay[telegram]"',
    "launch": 'exec "$PYTHON" -m scrubjay "$@"',
    "loginctl": ":",
    # the manager does what the unit says, and waits until the service is ready
    "systemctl": (
        'test "$2" = restart || exit 0; '
        "unit=$HOME/.config/systemd/user/scrubjay.service; "
        'start=$(sed -n "s/^ExecStart=//p" "$unit"); '
        'sh -c "exec $start" > "$HOME/log" 2>&1 & echo $! > "$HOME/pid"; '
        'until grep -q service.started "$HOME/log"; do sleep 0.1; done'
    ),
}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a new server's user; what was started is ended."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name, body in STUBS.items():
        (stubs / name).write_text(f"#!/bin/sh\n{body}\n")
        (stubs / name).chmod(0o755)
    yield {
        "HOME": str(tmp_path),
        "PATH": f"{stubs}{os.pathsep}{os.defpath}",
        "PYTHON": sys.executable,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'wheels'}",
        "STUBS": str(stubs),
        "SCRUBJAY__MEMORY__EMBEDDER__KIND": "none",
    }
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)


def commands() -> list[str]:
    """Return what the page tells to type before the first answer."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    section = page.split("## From nothing to the first answer")[1].split("\n## ")[0]
    return [line for block in re.findall(r"```\n(.*?)```", section, re.DOTALL) for line in block.splitlines()]


async def test_the_commands_of_the_page_lead_to_an_answer(tmp_path: Path, machine: dict[str, str]) -> None:
    typed = commands()
    assert len(typed) <= MOST_COMMANDS
    with telegram.running(patience_s=0.2) as server:
        machine["SCRUBJAY__TELEGRAM__API"] = server.url
        robin = server.user(7, "Robin")
        done = await asyncio.to_thread(
            subprocess.run,
            ["bash", "-e", "-c", "\n".join(typed)],
            input=f"{server.token}\n", env=machine, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (code,) = re.findall(r"\b[A-Z2-9]{8}\b", done.stdout.splitlines()[-1])

        robin.says(code)
        await server.until(bot_message(kind="edit", chat=7, text="Now I know you"), timeout_s=PATIENCE_S)
        robin.says("The bicycle pump hangs in the shed.")
        await server.until(bot_message(kind="edit", chat=7, text="Noted in"), timeout_s=PATIENCE_S)
        robin.says("Where is the bicycle pump?")
        await server.until(bot_message(kind="edit", chat=7, text="hangs in the shed"), timeout_s=PATIENCE_S)

    assert not (tmp_path / "telegram.token").exists()
    assert server.token not in (tmp_path / "log").read_text(encoding="utf-8")
