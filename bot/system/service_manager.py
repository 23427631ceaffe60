"""Scrubjay as a service of the system: units of systemd, launchd's property list, and the commands that manage them."""

from __future__ import annotations

import asyncio
import getpass
import os
import plistlib
import re
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.config.model import Config
from bot.config.references import REFERENCE
from bot.errors import BotError, Refused
from bot.paths import Home, put, reason
from bot.texts.catalogue import tr

UNIT = "scrubjay.service"
LABEL = "org.scrubjay.run"
SYSTEM_FOLDER = Path("/etc/systemd/system")
"""Where units of the machine are that no package has brought."""

FINAL_CODES = (2, 3, 7)
"""Exit codes after which nothing gets better by beginning anew: the call, the configuration, a rule forbid it."""
WATCHDOG_S = 120
STOP_S = 40
"""Longer than a service takes to answer what it has accepted."""
RETRY_S = 10

_COMMON = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077
"""
"""What holds without any right: a user's systemd may not mount, and on some systems not even in a namespace."""

_CONFINED = """\
ProtectSystem=strict
ProtectHome=read-only
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
PrivateTmp=yes
CapabilityBoundingSet=
AmbientCapabilities=
"""


class Kind(StrEnum):
    """Who starts it: systemd for one user, systemd for the machine, launchd for one user."""

    USER = "user"
    SYSTEM = "system"
    LAUNCHD = "launchd"


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """Where a service of one kind is described."""

    kind: Kind
    file: Path

    @property
    def text(self) -> str:
        """What stands in the file; empty if there is none."""
        return self.file.read_text(encoding="utf-8") if self.file.is_file() else ""

    @property
    def systemctl(self) -> tuple[str, ...]:
        """The command that reaches this kind of systemd."""
        return ("systemctl",) if self.kind is Kind.SYSTEM else ("systemctl", "--user")


@dataclass(frozen=True, slots=True)
class InstalledService:
    """A service that is installed, and what became of it.

    Attributes:
        enabled: it starts with the machine or the session; None if that could not be found out.
        running: it runs now; None if that could not be found out.
        is_current: the description is what would be written today, the program's place aside.
        is_ours: it serves the home that was asked about.
    """

    kind: Kind
    file: Path
    enabled: bool | None
    running: bool | None
    is_current: bool
    is_ours: bool
    program: Path


def places(*, platform: str = sys.platform, folder: Path = SYSTEM_FOLDER) -> tuple[ServiceFile, ...]:
    """Where services of this user or machine may be described, the usual one first; none on systems without either."""
    from platformdirs import PlatformDirs

    if platform == "darwin":
        return (ServiceFile(Kind.LAUNCHD, Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"),)
    if not platform.startswith("linux"):
        return ()
    units = PlatformDirs("systemd", appauthor=False).user_config_path / "user"
    return (ServiceFile(Kind.USER, units / UNIT), ServiceFile(Kind.SYSTEM, folder / UNIT))


def choose(*, system: bool, among: tuple[ServiceFile, ...]) -> ServiceFile:
    """Return the place of the kind that is wanted; raises `BotError` if this system has no such kind."""
    wanted = {Kind.SYSTEM} if system else {Kind.USER, Kind.LAUNCHD}
    fitting = [place for place in among if place.kind in wanted]
    if not fitting:
        message = tr("Services of this kind are known for systemd on Linux, and for launchd on macOS without --system.")
        raise BotError(message, hint=tr("Let your system start this command: scrubjay run"))
    return fitting[0]


def program() -> tuple[str, ...]:
    """Return the command that starts this installation, without its arguments.

    Raises:
        Refused: it lies in a cache, whose content goes away by itself.
    """
    from platformdirs import PlatformDirs

    if Path(sys.prefix).is_relative_to(PlatformDirs("uv", appauthor=False).user_cache_path):
        message = tr("This installation lies in a cache ({place}), so a service would lose it.", place=sys.prefix)
        raise Refused(message, hint=tr('Install it to stay: uv tool install "scrubjay[telegram]"'))
    script = Path(sys.executable).with_name("scrubjay")
    return (str(script),) if script.is_file() else (sys.executable, "-m", "scrubjay")


def describe(home: Home, config: Config, kind: Kind) -> str:
    """Return the unit or property list of a service for a home; raises as `program` does."""
    environment = _environment(home)
    command = (*program(), "run")
    if kind is Kind.LAUNCHD:
        log = str(home.logs / "service.log")
        return plistlib.dumps({
            "Label": LABEL,
            "ProgramArguments": list(command),
            "EnvironmentVariables": environment,
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": RETRY_S,
            "ExitTimeOut": STOP_S,
            "ProcessType": "Background",
            "Umask": 0o077,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }).decode()  # fmt: skip
    is_system = kind is Kind.SYSTEM
    folders = [home.config.parent, home.workspaces, home.state, home.cache, home.logs]
    folders += [home.folder(agent.workspace) for agent in config.agents.values() if agent.workspace]
    variables = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items())
    online = "Wants=network-online.target\nAfter=network-online.target\n" if is_system else ""
    user = f"User={getpass.getuser()}\n" if is_system else ""
    writable = "".join(f"ReadWritePaths={_quoted(f'-{folder}')}\n" for folder in dict.fromkeys(folders))
    return f"""\
# Written by `scrubjay service install`. Lines of your own belong into a drop-in (systemctl edit).
[Unit]
Description=Scrubjay, a chat bot that remembers
{online}
[Service]
Type=notify
NotifyAccess=main
{user}ExecStart={" ".join(map(_quoted, command)).replace("$", "$$")}
{variables}EnvironmentFile={_escaped(f"-{environment_file(home)}")}
Restart=on-failure
RestartSec={RETRY_S}
RestartPreventExitStatus={" ".join(map(str, FINAL_CODES))}
WatchdogSec={WATCHDOG_S}
TimeoutStopSec={STOP_S}
KillMode=mixed
{_COMMON}{f"{_CONFINED}{writable}" if is_system else ""}
[Install]
WantedBy={"multi-user" if is_system else "default"}.target
"""


def environment_file(home: Home) -> Path:
    """Where variables stand that `config.yaml` refers to, `NAME=value` on each line: systemd knows no others."""
    return home.config.with_name("service.env")


def missing_variables(home: Home, kind: Kind) -> list[str]:
    """List the variables to which the configuration refers and which a service of this kind is not given."""
    lines = home.config.read_text(encoding="utf-8-sig").splitlines() if home.config.is_file() else []
    inside = [
        reference["inside"]
        for line in lines
        if not line.lstrip().startswith("#")
        for reference in REFERENCE.finditer(line)
        if reference["inside"]
    ]
    wanted = dict.fromkeys(name for name in inside if ":" not in name)
    file = environment_file(home)
    given = file.read_text(encoding="utf-8").splitlines() if kind is not Kind.LAUNCHD and file.is_file() else []
    return [name for name in wanted if name not in {line.partition("=")[0].strip() for line in given}]


async def install(home: Home, config: Config, place: ServiceFile) -> list[str]:
    """Write the description, and have the service started now and from now on.

    Returns:
        What a person should know beside that it worked.

    Raises:
        Refused: a service of another kind is there; see `program`.
        BotError: the manager of services does not answer, or refuses.
    """
    others = [other for other in places() if other.kind is not place.kind and other.file.is_file()]
    if others:
        more = " --system" if others[0].kind is Kind.SYSTEM else ""
        raise Refused(
            tr("There is another service already: {file}. Two of them would fight over the bot.", file=others[0].file),
            hint=tr("Remove that one first: {command}", command=f"scrubjay service remove{more}"),
        )
    text = describe(home, config, place.kind)
    home.prepare()
    if place.kind is Kind.LAUNCHD:
        await _write(place, text)
        await execute("launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}", check=False)
        await execute("launchctl", "bootstrap", f"gui/{os.getuid()}", str(place.file))
        return _lacking(home, place.kind)
    is_system = place.kind is Kind.SYSTEM
    await execute(*place.systemctl, "show", "--property=Version", privileged=is_system)  # before anything is written
    await _write(place, text)
    for words in (("daemon-reload",), ("enable", UNIT), ("restart", UNIT)):
        await execute(*place.systemctl, *words, privileged=is_system)
    remarks, user = _lacking(home, place.kind), getpass.getuser()
    if is_system:
        as_root = tr("It runs as root. Safer: do this as an ordinary user.")
        return [*remarks, as_root] if user == "root" else remarks
    code, _ = await execute("loginctl", "enable-linger", user, check=False)
    lasting = tr("It ends when you log out. To keep it: sudo loginctl enable-linger {user}", user=user)
    return [*remarks, lasting] if code else remarks


async def remove(place: ServiceFile) -> None:
    """Stop the service for good, and remove its description; raises `BotError` if that cannot be removed."""
    is_system = place.kind is Kind.SYSTEM
    if place.kind is Kind.LAUNCHD:
        await execute("launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}", check=False)
    else:
        await execute(*place.systemctl, "disable", "--now", UNIT, privileged=is_system, check=False)
    await execute("rm", "-f", str(place.file), privileged=is_system)
    if place.kind is not Kind.LAUNCHD:
        await execute(*place.systemctl, "daemon-reload", privileged=is_system, check=False)


async def installed_services(home: Home, config: Config, among: tuple[ServiceFile, ...]) -> list[InstalledService]:
    """Return the services that are installed."""
    installed = []
    for place in among:
        text = place.text
        if not text:
            continue
        if place.kind is not Kind.LAUNCHD:
            enabled = await _ask_systemd(place, "is-enabled")
            running = await _ask_systemd(place, "is-active")
            command = re.search(r'^ExecStart="?([^"\n]+?)"?(?: (?:-m scrubjay )?run)?$', text, re.MULTILINE)
            started = command[1].replace("%%", "%").replace("$$", "$") if command else ""
        else:
            content = plistlib.loads(text.encode())
            code, shown = await execute("launchctl", "print", f"gui/{os.getuid()}/{LABEL}", check=False)
            enabled, running = code == 0, code == 0 and "state = running" in shown
            started = content["ProgramArguments"][0]
        wanted = describe(home, config, place.kind)
        same = _without_program(text, place.kind) == _without_program(wanted, place.kind)
        ours = _variables(text, place.kind) == _variables(wanted, place.kind)
        installed.append(InstalledService(place.kind, place.file, enabled, running, same, ours, Path(started)))
    return installed


def logs_command(home: Home, place: ServiceFile, *, lines: int, follow: bool) -> tuple[str, ...]:
    """Return the command that shows what the service has logged."""
    more = ("-f",) if follow else ()
    if place.kind is Kind.LAUNCHD:
        return ("tail", "-n", str(lines), *more, str(home.logs / "service.log"))
    if place.kind is Kind.USER:
        return ("journalctl", "--user", "--user-unit", UNIT, "--output=cat", "-n", str(lines), *more)
    return (*_as_root(), "journalctl", "--unit", UNIT, "--output=cat", "-n", str(lines), *more)


async def show(*words: str) -> int:
    """Run a command whose output goes where ours goes; its exit code. Raises `BotError` if there is no such command."""
    process = await asyncio.create_subprocess_exec(_path_of(words[0]), *words[1:], stdin=DEVNULL)
    return await process.wait()


async def execute(*words: str, privileged: bool = False, check: bool = True) -> tuple[int, str]:
    """Run a command of the system; every one that changes something goes this way.

    Args:
        privileged: only root may do it, so that others go through sudo.
        check: a failure is an error.

    Returns:
        The exit code, and what was printed.

    Raises:
        BotError: the command is not there, or has failed.
    """
    command = (*(_as_root() if privileged else ()), *words)
    process = await asyncio.create_subprocess_exec(_path_of(command[0]), *command[1:], stdout=PIPE, stderr=STDOUT)
    printed, _ = await process.communicate()
    said = printed.decode(errors="replace").strip()
    code = process.returncode or 0
    if check and code:
        message = tr("{command} has failed: {said}", command=" ".join(command), said=said or f"exit code {code}")
        hint = tr("Nothing runs services here? Let what there is start this command: scrubjay run")
        raise BotError(message, hint=hint)
    return code, said


def _lacking(home: Home, kind: Kind) -> list[str]:
    """What to do about variables that a service of this kind is not given, in a sentence, if there are any."""
    names = ", ".join(missing_variables(home, kind))
    if not names:
        return []
    if kind is Kind.LAUNCHD:
        advice = tr("Put the value into a file beside config.yaml, and refer to it: {how}", how="${file:name}")
    else:
        advice = tr("Put NAME=value into {file}, and install it again.", file=environment_file(home))
    return [tr("The service is not given {names}, to which config.yaml refers. {advice}", names=names, advice=advice)]


async def _write(place: ServiceFile, text: str) -> None:
    """Write a description; one of the machine's goes through `install`, which root runs."""
    if place.kind is not Kind.SYSTEM:
        try:
            put(place.file, text)
        except OSError as error:
            message = tr("{file} cannot be written: {reason}.", file=place.file, reason=reason(error))
            raise BotError(message, hint=tr("Check who owns the folder.")) from error
        return
    with TemporaryDirectory() as folder:
        draft = Path(folder, UNIT)
        draft.write_text(text, encoding="utf-8")
        await execute("install", "-D", "-m", "0644", str(draft), str(place.file), privileged=True)


async def _ask_systemd(place: ServiceFile, what: str) -> bool | None:
    try:
        _, said = await execute(*place.systemctl, what, UNIT, check=False)
    except BotError:  # no systemctl: that it is not known is the answer
        return None
    known = {"enabled": True, "disabled": False, "active": True, "activating": True, "inactive": False, "failed": False}
    return known.get(said)


def _as_root() -> tuple[str, ...]:
    return () if os.geteuid() == 0 else ("sudo",)


def _path_of(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        message = tr("There is no command {name} here.", name=name)
        raise BotError(message, hint=tr("Let what starts programs on this machine start this one: scrubjay run"))
    return path


def _environment(home: Home) -> dict[str, str]:
    """What leads a process without this shell's variables to the same home."""
    if home.chosen_by == "SCRUBJAY_HOME":
        return {"SCRUBJAY_HOME": str(home.config.parent)}
    if sys.platform == "darwin":
        return {}
    own = Path.home()
    folders = {
        "XDG_CONFIG_HOME": (home.config.parent.parent, own / ".config"),
        "XDG_DATA_HOME": (home.workspaces.parent.parent, own / ".local" / "share"),
        "XDG_STATE_HOME": (home.state.parent, own / ".local" / "state"),
        "XDG_CACHE_HOME": (home.cache.parent, own / ".cache"),
    }
    return {name: str(folder) for name, (folder, usual) in folders.items() if folder != usual}


def _without_program(text: str, kind: Kind) -> str:
    if kind is Kind.LAUNCHD:
        return repr({**plistlib.loads(text.encode()), "ProgramArguments": []})
    return re.sub(r"^(ExecStart|User)=.*$", "", text, flags=re.MULTILINE)


def _variables(text: str, kind: Kind) -> object:
    """The variables that a service is given in its description: they choose its home."""
    if kind is Kind.LAUNCHD:
        return plistlib.loads(text.encode())["EnvironmentVariables"]
    return [line for line in text.splitlines() if line.startswith("Environment=")]


def _escaped(value: str) -> str:
    """A value whose `%` systemd does not take for a specifier."""
    return value.replace("%", "%%")


def _quoted(value: str) -> str:
    """A word of a unit's line: quoted where there is need, without specifiers."""
    safe = _escaped(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"' if safe != value or " " in value or "'" in value else value
