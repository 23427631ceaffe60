"""The service of the system that keeps `scrubjay run` going: a unit of systemd, or an agent of launchd."""

from __future__ import annotations

import asyncio
import os
import plistlib
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import BotError, ConfigError, Missing, Refused, UsageError
from bot.paths import Home, put, reason
from bot.texts import tr

NAME = "scrubjay"
CHOSEN = "SCRUBJAY_HOME"
"""What chose a home that the unit has to name."""
_READABLE = 0o644
STOP_S = 40
"""Seconds until an ending service is killed: it answers for 25 seconds what it has accepted."""
WATCHDOG_S = 120
"""Seconds without a sign of life after which it is begun anew."""
_FINAL_CODES = (UsageError.exit_code, ConfigError.exit_code, Refused.exit_code)
"""Exit codes of what no restart mends."""

_SANDBOX = """\
NoNewPrivileges=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
UMask=0077
"""
"""What also the manager of a user can hold a process to (systemd.exec(5))."""

_SYSTEM_SANDBOX = """\
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
"""
"""What needs the manager of the system."""


@dataclass(frozen=True, slots=True)
class ServiceUnit:
    """A unit as a file.

    Attributes:
        path: where it belongs.
        text: what stands in it.
        start, stop, show: the commands that begin it now and at every start of the machine, end it for good, and tell
            how it is.
        logs: the command that prints what it logs; empty where that is in a file of ours.
    """

    path: Path
    text: str
    start: Sequence[Sequence[str]]
    stop: Sequence[Sequence[str]]
    show: Sequence[str]
    logs: Sequence[str] = ()

    @property
    def is_installed(self) -> bool:
        """Whether the file is there."""
        return self.path.is_file()

    @property
    def is_current(self) -> bool:
        """Whether the file is as this version writes it; another place of Python is another file."""
        return self.is_installed and self.path.read_text(encoding="utf-8", errors="replace") == self.text


@dataclass(frozen=True, slots=True)
class ServiceState:
    """How a unit stands: `active`, `inactive`, `failed` or another word of its manager, with what that says besides."""

    state: str
    details: Mapping[str, str]

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self.state in {"active", "running"}


class ServiceManager:
    """What starts services on this machine.

    Args:
        home: what is to be served.
        workspaces: folders of agents that lie elsewhere.
        user_units, system_units: where units belong (`bot.paths.service_folders`).
        platform: as `sys.platform` has it.
    """

    def __init__(
        self,
        home: Home,
        *,
        workspaces: Sequence[Path] = (),
        user_units: Path,
        system_units: Path,
        platform: str = sys.platform,
    ) -> None:
        self._home = home
        self._workspaces = workspaces
        self._user_units = user_units
        self._system_units = system_units
        self._platform = platform

    def unit(self, *, is_system: bool = False, user: str = "") -> ServiceUnit:
        """Return the unit of this home.

        Args:
            is_system: the system starts it, whoever is logged in; else the manager of the user does.
            user: as whom the system starts it.

        Raises:
            BotError: this machine has neither systemd nor launchd, or Scrubjay runs from a place that will be gone.
        """
        if any(part in {"archive-v0", "builds-v0"} for part in Path(sys.prefix).parts):
            raise BotError(
                tr("Scrubjay runs from a temporary environment here, which would be gone for the service."),
                hint=tr("Install it first, for example with: uv tool install scrubjay"),
            )
        if self._platform == "darwin":
            return self._agent()
        if is_system and self._home.chosen_by != CHOSEN:
            raise UsageError(
                tr("A service of the system needs a home of its own: SCRUBJAY_HOME is not set."),
                hint=tr(
                    "For example: {command}",
                    command="sudo SCRUBJAY_HOME=/srv/scrubjay scrubjay service install --system --as NAME",
                ),
            )
        if shutil.which("systemctl") is None:
            raise Missing(
                tr("This machine has no systemd, which would start the service."),
                hint=tr("Have your supervisor run `scrubjay run`, or use the container: docs/install.md"),
            )
        return self._systemd(is_system=is_system, user=user)

    def installed(self) -> dict[str, ServiceUnit]:
        """Return the units that are there, by `user` and `system`; raises as `unit` does."""
        every = {"user": self.unit()}
        if self._platform != "darwin" and self._home.chosen_by == CHOSEN:
            every["system"] = self.unit(is_system=True, user=_owner_of(self._home))
        return {name: unit for name, unit in every.items() if unit.is_installed}

    def _systemd(self, *, is_system: bool, user: str) -> ServiceUnit:
        scope = () if is_system else ("--user",)
        name = f"{NAME}.service"
        text = systemd_unit(self._home, self._workspaces, is_system=is_system, user=user)
        lasting = () if is_system else (("loginctl", "enable-linger"),)
        return ServiceUnit(
            (self._system_units if is_system else self._user_units) / name,
            text,
            start=(
                ("systemctl", *scope, "daemon-reload"),
                ("systemctl", *scope, "enable", name),
                ("systemctl", *scope, "restart", name),
                *lasting,
            ),
            stop=(("systemctl", *scope, "disable", "--now", name),),
            show=("systemctl", *scope, "show", name, "--property=ActiveState,SubState,UnitFileState,MainPID,NRestarts"),
            logs=("journalctl", *scope, "--unit", name),
        )

    def _agent(self) -> ServiceUnit:
        domain = f"gui/{os.getuid()}"
        path = self._user_units / f"{NAME}.plist"
        return ServiceUnit(
            path,
            launchd_agent(self._home),
            start=(("launchctl", "bootstrap", domain, str(path)),),
            stop=(("launchctl", "bootout", f"{domain}/{NAME}"),),
            show=("launchctl", "print", f"{domain}/{NAME}"),
        )


def systemd_unit(home: Home, workspaces: Sequence[Path], *, is_system: bool, user: str = "") -> str:
    """Return a unit of systemd that serves a home, held in a sandbox; raises `Refused`: a path that it cannot hold."""
    folders = (home.workspaces, home.state, home.cache, home.logs, *workspaces)
    writable = sorted({str(folder) for folder in folders})
    for place in (*writable, sys.executable):
        if any(sign in place for sign in '\n"%\\'):
            raise Refused(tr("A unit of systemd cannot hold the path {place}.", place=place))
    chosen = f'Environment="SCRUBJAY_HOME={home.config.parent}"\n' if home.chosen_by == CHOSEN else ""
    paths = " ".join(f'"-{one}"' for one in writable)
    system = f"User={user}\n{_SYSTEM_SANDBOX}ReadWritePaths={paths}\n"
    return f"""\
# Written by `scrubjay service install`; `scrubjay service remove` takes it away.
[Unit]
Description=Scrubjay, a chat bot that remembers
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=600
StartLimitBurst=10

[Service]
Type=notify
ExecStart="{sys.executable}" -m scrubjay run
{chosen}Restart=on-failure
RestartSec=5
RestartPreventExitStatus={" ".join(map(str, _FINAL_CODES))}
TimeoutStopSec={STOP_S}
WatchdogSec={WATCHDOG_S}
{_SANDBOX}{system if is_system else ""}
[Install]
WantedBy={"multi-user.target" if is_system else "default.target"}
"""


def launchd_agent(home: Home) -> str:
    """Return the property list of an agent of launchd that serves a home."""
    chosen = {"SCRUBJAY_HOME": str(home.config.parent)} if home.chosen_by == CHOSEN else {}
    agent = {
        "Label": NAME,
        "ProgramArguments": [sys.executable, "-m", NAME, "run"],
        "EnvironmentVariables": chosen,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": STOP_S,
        "ProcessType": "Background",
        "StandardErrorPath": str(home.logs / "service.log"),
        "Umask": 0o077,
    }
    return plistlib.dumps(agent).decode()


async def install(unit: ServiceUnit) -> list[str]:
    """Write a unit and start it.

    Returns:
        What did not work and is not needed, a line each.

    Raises:
        BotError: the file cannot be written, or the manager refuses.
    """
    is_new = not unit.is_installed
    try:
        put(unit.path, unit.text)
        unit.path.chmod(_READABLE)
    except OSError as error:
        raise BotError(
            tr("{path} cannot be written: {reason}.", path=unit.path, reason=reason(error)),
            hint=tr("A service of the system needs root: sudo; one of your own does not."),
        ) from error
    unmet = []
    for words in unit.start:
        code, printed = await run(words)
        if code and words[0] == "loginctl":
            unmet.append(
                tr(
                    "It ends when you log out, since `{command}` failed: {printed}",
                    command=" ".join(words),
                    printed=printed,
                )
            )
        elif code:
            if is_new:
                unit.path.unlink(missing_ok=True)
            raise _failed(words, code, printed)
    return unmet


async def remove(unit: ServiceUnit) -> None:
    """End a unit for good and delete its file; raises `BotError`: the manager or the disk refuses."""
    for words in unit.stop:
        code, printed = await run(words)
        if code:
            raise _failed(words, code, printed)
    try:
        unit.path.unlink(missing_ok=True)
    except OSError as error:
        raise BotError(tr("{path} cannot be deleted: {reason}.", path=unit.path, reason=reason(error))) from error
    if unit.stop[0][0] == "systemctl":
        await run((*unit.show[: unit.show.index("show")], "daemon-reload"))


async def state(unit: ServiceUnit) -> ServiceState:
    """Ask the manager how a unit stands."""
    code, printed = await run(unit.show)
    told = dict(line.strip().split("=", 1) for line in printed.splitlines() if "=" in line)
    if unit.show[0] == "launchctl":
        told = dict(line.strip().split(" = ", 1) for line in printed.splitlines() if " = " in line)
        return ServiceState("unknown" if code else told.get("state", "unknown"), told)
    return ServiceState(told.get("ActiveState", "unknown"), told)


async def run(words: Sequence[str]) -> tuple[int, str]:
    """Run a command of the system and return its exit code with what it printed; raises `Missing`: no such command."""
    try:
        process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    except FileNotFoundError as error:
        raise Missing(tr("There is no command {name} on this machine.", name=words[0])) from error
    printed, _ = await process.communicate()
    return process.returncode or 0, printed.decode(errors="replace").strip()


def _failed(words: Sequence[str], code: int, printed: str) -> BotError:
    message = tr(
        "`{command}` ended with exit code {code}: {printed}", command=" ".join(words), code=code, printed=printed
    )
    return BotError(
        message, hint=tr("Does systemd or launchd run here, for this user? Else have your supervisor run: scrubjay run")
    )


def _owner_of(home: Home) -> str:
    """Return the name of the user whom the state belongs to; empty where that is not known."""
    try:
        return home.state.owner()
    except (OSError, KeyError, NotImplementedError):
        return ""
