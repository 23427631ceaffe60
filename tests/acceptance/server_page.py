"""Does what docs/server.md says, command by command as they stand there, until a bot on Telegram has answered.

    python -m tests.acceptance.server_page --json

Stood in for are `sudo`, `systemctl`, `loginctl` and `journalctl`, by programs that record how they were called; the
published wheel, by that of this checkout; and Telegram, by the server in tests/servers. Everything else is real: here
also `venv` and `pip`, with the libraries from the package index or pip's cache. `quick` takes the libraries of the
environment that runs it, lets words alone be searched, and is what the tests do with the sections that matter most.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.servers.ledger import bot_message
from tests.servers.telegram.client import TOKEN, Telegram, running
from tests.support.system_commands import SystemCommands
from wheels.build import ROOT, build

PAGE = ROOT / "docs" / "server.md"
PATIENCE_S = 90
SUDO = """
words = sys.argv[1:]
if words[0] in ("ln", "rm"):
    words[-1] = {bin!r} + "/" + words[-1].rpartition("/")[2]
    sys.exit(subprocess.run(words).returncode)
"""
SYSTEMCTL = """
import os, re, signal, socket
state, unit = {state!r}, os.path.expanduser("~/.config/systemd/user/scrubjay.service")
def pid():
    return int(open(state + "/pid").read()) if os.path.exists(state + "/pid") else 0
def stop():
    if pid():
        os.kill(pid(), signal.SIGTERM)
        os.remove(state + "/pid")
verb = sys.argv[2]
if verb == "restart":
    stop()
    text = open(unit).read()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(state + "/notify" + str(os.getpid()))
    listening.settimeout(60)
    words = re.search("^ExecStart=(.*)$", text, re.M)[1].split()
    named = dict(line.split("=", 1) for line in re.findall("^Environment=(.*)$", text, re.M))
    environment = os.environ | named | dict(NOTIFY_SOCKET=listening.getsockname())
    log = open(state + "/log", "ab")
    process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    open(state + "/pid", "w").write(str(process.pid))
    while b"READY=1" not in listening.recv(4096):
        pass
elif verb in ("disable", "stop"):
    stop()
elif verb == "is-active":
    print("active" if pid() else "inactive")
elif verb == "is-enabled":
    print("enabled")
"""
PYTHON = """
import os, zipfile
folder = sys.argv[-1]
assert sys.argv[1:-1] == ["-m", "venv"], sys.argv
subprocess.run([{python!r}, "-m", "venv", *{options!r}, folder], check=True)
pip = folder + "/bin/pip"
if os.path.exists(pip):
    os.rename(pip, pip + ".real")
else:
    place = [name for name in os.listdir(folder + "/lib")][0]
    open(folder + "/lib/" + place + "/site-packages/more.pth", "w").write({libraries!r})
open(pip, "w").write({pip!r})
os.chmod(pip, 0o755)
"""
PIP = """#!{python}
import glob, os, re, subprocess, sys, zipfile
words = [re.sub("^scrubjay(.*?)(==.*)?$", {wheel!r} + r"\\1", word) for word in sys.argv[1:]]
assert words[0] == "install" and words != sys.argv[1:], sys.argv
here = os.path.dirname(os.path.abspath(__file__))
real = here + "/pip.real"
if os.path.exists(real):
    environment = os.environ | dict(HOME={home!r})
    more = ["--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"] if os.path.exists(
        here + "/scrubjay") else ["--quiet", "--disable-pip-version-check"]
    sys.exit(subprocess.run([here + "/python", "-m", "pip", *words, *more], env=environment).returncode)
zipfile.ZipFile({wheel!r}).extractall(glob.glob(here + "/../lib/*/site-packages")[0])
script = "#!" + here + "/python\\nimport sys\\nfrom scrubjay.launcher import main\\nsys.exit(main())\\n"
open(here + "/scrubjay", "w").write(script)
os.chmod(here + "/scrubjay", 0o755)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the page.

    Attributes:
        commands: how many there are up to the first answer.
        answered: the bot knew what it had been told.
        seconds: from the first command to the answer.
        failed: commands of the whole page that ended with an error, with what they said.
        left: what was still there after the uninstallation of what the page says goes.
        notes_stay: what was told is still in the user's files after it.
        judged: what the Telegram server found wrong with requests.
    """

    commands: int
    answered: bool
    seconds: float
    failed: list[str]
    left: list[str]
    notes_stay: bool
    judged: list[str]


def commands_of(title: str) -> list[str]:
    """The commands of the page's section with this title, as they stand there."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]


class Server:
    """An empty server: a user's home, and commands that stand in for those of root and systemd."""

    def __init__(self, folder: Path, telegram: Telegram, wheel: Path, *, quick: bool) -> None:
        self.home, self.state = folder / "user", folder / "state"
        for made in (self.home, self.state):
            made.mkdir()
        self.failed: list[str] = []
        self.log = self.state / "log"
        self._commands = commands = SystemCommands(folder)
        commands.add("sudo", SUDO.format(bin=str(commands.folder)))
        commands.add("systemctl", SYSTEMCTL.format(state=str(self.state)))
        commands.add("journalctl", f"subprocess.run(['cat', {str(self.log)!r}])")
        commands.add("loginctl")
        python = sys.executable
        pip = PIP.format(python=python, wheel=str(wheel), home=str(Path.home()))
        options, libraries = (["--without-pip"], site.getsitepackages()[0]) if quick else ([], "")
        commands.add("python3", PYTHON.format(python=python, options=options, libraries=libraries, pip=pip))
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{commands.folder}:{os.defpath}",
            "TZ": "UTC",
            "SCRUBJAY__TELEGRAM__API": telegram.url,
        } | ({"SCRUBJAY__MEMORY__EMBEDDER__KIND": "none"} if quick else {})

    def type(self, command: str) -> str:
        """Run a command as it stands on the page, in a shell; what it prints. The token is what is pasted."""
        done = subprocess.run(
            ["bash", "-c", command],
            input=f"{TOKEN}\n",
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode:
            self.failed.append(f"{command}: {done.returncode} {done.stdout[-300:]} {done.stderr[-300:]}")
        return done.stdout

    def stop(self) -> None:
        """End the service, if the page has not."""
        subprocess.run([str(self._commands.folder / "systemctl"), "--user", "stop"], env=self.environment, check=False)


WHOLE = ("Look after it", "Upgrade", "Roll back", "Uninstall")
"""The sections behind the first answer, in their order."""


async def follow(folder: Path, *, quick: bool, sections: Sequence[str] = WHOLE) -> Outcome:
    """Do what the page says in a folder: install, talk, then what its other sections say."""
    wheel = build(folder / "dist", "scrubjay")["scrubjay"]
    with running(patience_s=0.2) as telegram:
        server = Server(folder, telegram, wheel, quick=quick)
        try:
            return await _follow(server, telegram, sections)
        finally:
            server.stop()


async def _follow(server: Server, telegram: Telegram, sections: Sequence[str]) -> Outcome:
    first, began = commands_of("First answer"), time.monotonic()
    shown = [server.type(command) for command in first][-1]
    code = next((line["send"] for line in map(json.loads, shown.splitlines()) if line["event"] == "owner.unknown"), "")
    if not code:
        raise AssertionError("\n".join(["the log shows no code", *server.failed, shown]))
    robin = telegram.user(7, "Robin")
    robin.says(code)
    await telegram.until(bot_message(kind="edit", chat=7, text="Now I know you"), timeout_s=PATIENCE_S)
    robin.says("/remember The bicycle pump hangs in the shed.")
    await telegram.until(bot_message(kind="edit", chat=7, text="Noted in"), timeout_s=PATIENCE_S)
    asked = len(telegram.entries())
    robin.says("Where is the bicycle pump?")
    answer = await telegram.until(
        bot_message(kind="edit", chat=7, text="hangs in the shed"), since=asked, timeout_s=PATIENCE_S
    )
    seconds = time.monotonic() - began
    for title in sections:
        for command in commands_of(title):
            server.type(command)
    gone = ["scrubjay", ".config/systemd/user/scrubjay.service"]
    return Outcome(
        len(first),
        "hangs in the shed" in answer["text"],
        round(seconds, 1),
        server.failed,
        [name for name in gone if (server.home / name).exists()],
        any("bicycle pump" in path.read_text() for path in server.home.rglob("memory/*.md")),
        telegram.violations(),
    )


def main() -> None:
    """Follow the page with a real environment and real pip, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="with the libraries of this environment")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        outcome = asyncio.run(follow(Path(name), quick=given.quick))
    print(json.dumps(asdict(outcome)) if given.json else outcome)


if __name__ == "__main__":
    main()
