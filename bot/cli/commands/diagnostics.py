"""`scrubjay diagnostics`: a bundle for whoever helps, without secrets, texts, names and paths."""

from __future__ import annotations

import platform
import re
import zipfile
from collections import Counter, deque
from collections.abc import Mapping
from importlib import metadata
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import apsw
from cyclopts import Parameter

from bot import __version__
from bot.cli.commands.doctor import inspect
from bot.cli.commands.logs import read_event, read_lines
from bot.cli.commands.status import collected
from bot.cli.help import JSON, Answer, Run, single
from bot.cli.invocation import Invocation
from bot.config.loader import examine
from bot.config.model import Config
from bot.config.schema import Options
from bot.config.yaml_tree import value_below
from bot.errors import OURS, BotError, Refused
from bot.paths import reason
from bot.texts.catalogue import tr, trn

MAX_LINES = 500

PACKAGES = frozenset(
    "aiohttp apsw cyclopts discord.py filelock numpy onnxruntime pydantic python-telegram-bot rich structlog".split()
)
"""Whose versions tell most."""

LEVELS = frozenset({"debug", "info", "warning", "error", "critical"})

LOGGERS = OURS | {"aiohttp", "asyncio", "discord", "httpx", "mcp", "py", "telegram", "uvicorn"}
"""Whose lines are named; Python's own warnings come from `py`."""

EVENT = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
FRAME = re.compile(r'File "[^"\n]*?((?:adapters|bot|memory)/[\w/]+\.py)", line (\d+), in (\w+)')
KIND = re.compile(r"^([A-Za-z_][\w.]*)(?::|$)", re.MULTILINE)

NUMBERS = frozenset(
    "calls count in_s late_s lines ms port requests seconds size status tokens tries turns wait_s".split()
)
"""Fields of the log whose numbers are no ids."""

PLAIN = frozenset({"blame", "command", "job", "kind", "outcome", "platform", "queue", "table", "tool"})
"""Fields of the log whose texts the program itself chooses."""

OPEN = frozenset({"owner.timezone", "model.name", "memory.embedder.model"})
"""Options of the configuration whose texts are told: they name no person and no place."""

EXPLANATION = """\
What is in this bundle:

versions.json  versions of Scrubjay, Python, SQLite and libraries; the operating system
config.json    which options are set: numbers, switches and choices; of all other values only that they are there
doctor.json    what `scrubjay doctor` found: ids and counts
status.json    sizes of indexes and queues; whether it runs
log.jsonl      the last events: time, level, name, numbers; of errors the kind and the places in the program

It holds no message, no note, no name of a person, agent, file or folder, no address, no token.
"""


async def diagnostics(
    *,
    output: Annotated[
        Path | None, Parameter(alias="-o", metavar="FILE", help="Where to; beside you if left out.")
    ] = None,
    offline: Annotated[bool, Parameter(help="Ask no platform and no model.")] = False,
    run: Run,
) -> Answer:
    """Collect what helps to find a fault in one file.

    It holds versions, the configuration without its texts, what doctor finds,
    sizes, and the last events of the log. No message, note, name, path,
    address or token is in it. Nothing is sent anywhere: look into the file,
    and give it to whom you like.

    Examples:
      scrubjay diagnostics
      scrubjay diagnostics --offline --output for-the-issue.zip
    """
    path = output or Path(f"scrubjay-diagnostics-{run.clock.now():%Y%m%d-%H%M%S}.zip")
    findings = [finding async for _, finding in inspect(run, is_offline=offline)]
    versions = {
        "scrubjay": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "sqlite": apsw.sqlite_lib_version(),
        "packages": {dist.name: dist.version for dist in metadata.distributions() if dist.name.lower() in PACKAGES},
    }
    counts = Counter((finding.id, finding.severity.value, finding.fix is not None) for finding in findings)
    summary = [
        {"id": name, "severity": severity, "fixable": fixable, "count": count}
        for (name, severity, fixable), count in sorted(counts.items())
    ]
    events = (masked(read_event(line)) for line in deque(read_lines(run.home.log_file), maxlen=MAX_LINES))
    parts = {
        "README.txt": EXPLANATION,
        "versions.json": _pretty(versions),
        "config.json": _pretty(_options_of(run)),
        "doctor.json": _pretty({"findings": summary}),
        "status.json": _pretty(await _sizes(run)),
        "log.jsonl": "".join(f"{dumps(event)}\n" for event in events),
    }
    try:
        with path.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, text in parts.items():
                bundle.writestr(name, text)
    except FileExistsError as error:
        raise Refused(tr("{path} is there already.", path=path), hint=tr("Name another file with --output.")) from error
    except OSError as error:
        message = tr("{path} cannot be written: {why}.", path=path, why=reason(error))
        raise BotError(message, hint=tr("Name another file with --output.")) from error
    run.terminal.out(str(path))
    for name, text in parts.items():
        size = trn("{count} line", "{count} lines", text.count("\n"))
        run.terminal.note(f"  {name:<14} {size}")
    run.terminal.note(tr("It holds no message, note, name, path, address or token. Nothing was sent."))
    return {"file": str(path), "contains": {name: len(text) for name, text in parts.items()}}


def _pretty(value: object) -> str:
    return dumps(value, indent=1, ensure_ascii=True) + "\n"


def _options_of(run: Invocation) -> dict[str, Any]:
    """The options that somebody has set, their names as the program has them, and of texts only that they are there."""
    examined = examine(run.home)
    if examined.config is None:
        return {"usable": False, "problems": len(examined.problems)}
    known = {option.dotted: option for option in Options(Config) if not option.is_section}
    agents = {name: f"agent-{number}" for number, name in enumerate(examined.config.agents, 1)}
    values, shown = examined.config.model_dump(), dict[str, Any]()
    for key in examined.origins:
        steps = key.split(".")
        value = value_below(values, tuple(steps))
        of_agent = steps[0] == "agents" and len(steps) > 2
        named = ".".join(["agents", agents.get(steps[1], "agent"), *steps[2:]]) if of_agent else key
        option = ".".join(steps[2:]) if of_agent else key
        if option in known or option in {"about", "workspace"}:
            choices = re.findall(r"[\w-]+", known[option].allowed) if option in known else []
            is_told = isinstance(value, bool | int | float | None) or (option in OPEN or value in choices)
            shown[named] = value if is_told else f"({type(value).__name__})"
    return {"usable": True, "problems": len(examined.problems), "agents": len(agents), "set": shown}


async def _sizes(run: Invocation) -> dict[str, Any]:
    """Counts of what is there, agents and accounts by number."""
    try:
        now = await collected(run)
    except BotError as error:
        return {"unusable": type(error).__name__}
    kept = ("state", "files", "units", "facts", "pending", "bytes", "mode", "link", "embedded", "unembedded")
    agents = [
        {
            "has_model": agent["model"] is not None,
            "index": {name: agent["index"][name] for name in kept} if agent["index"] else None,
        }
        for agent in now["agents"]
    ]
    queues = [{name: queue[name] for name in ("waiting", "oldest_s", "owed", "dead")} for queue in now["queues"]]
    running = now["running"]["command"] if now["running"] else None
    accounts = Counter(name.partition(".")[0] for name in now["accounts"])
    return {"running": running, "accounts": accounts, "agents": agents, "queues": queues}


def masked(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is safe to show of an event: its time, level and name, numbers, and where in the program it was."""
    logger, name = str(event.get("logger", "")), str(event.get("event", ""))
    is_ours = logger.partition(".")[0] in OURS and EVENT.fullmatch(name)
    kept: dict[str, Any] = {"event": name if is_ours else "(text)"}
    for field, value in event.items():
        if field == "at":
            kept[field] = value if re.fullmatch(r"[\dT:.+Z-]{10,40}", str(value)) else None
        elif (field == "level" and value in LEVELS) or (field == "logger" and logger.partition(".")[0] in LOGGERS):
            kept[field] = value
        elif is_ours:
            is_plain = field in PLAIN and re.fullmatch(r"[a-z_]{1,30}", str(value))
            if is_plain or isinstance(value, bool) or (field in NUMBERS and isinstance(value, float | int)):
                kept[field] = value
    if "exception" in event:
        trace = str(event["exception"])
        places = [f"{path}:{line} {function}" for path, line, function in FRAME.findall(trace)]
        kinds = [kind.rpartition(".")[2] for kind in KIND.findall(trace) if kind.endswith(("Error", "Exception"))]
        kept["exception"] = {"kinds": kinds[:5], "places": places[-20:]}
    return kept


app = single("diagnostics", diagnostics, json=JSON)
