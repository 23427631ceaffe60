"""How many broken installations `scrubjay doctor` names, repairs where that is safe, and how often it cries wolf.

    python -m tests.acceptance.broken_installations --json

Each installation is built of real files in a folder of its own, with the platforms' and the model's servers on
127.0.0.1; a full disk, a network drive and a wrong clock are told by the collaborators for them. The last line with
`--json` is one object: {"broken", "named", "fixable", "fixed", "healthy", "false_alarms", "wrong"}.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import resource
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from adapters.port import Address, ChatKind, Inbound, Sender
from bot import starter
from bot.cli.main import main as command
from bot.config.loader import load
from bot.doctor.base import Machine
from bot.paths import Home, put
from bot.storage import schema
from bot.storage.keys import Principal
from bot.storage.port import Envelope, Job
from bot.storage.sqlite import SqliteCoordinator
from bot.system import instance
from memory import Clock, FrozenClock
from memory.ports import SystemClock
from tests.fakes.machine import in_zone
from tests.servers.discord import client as discord
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram import client as telegram

MB = 1024 * 1024
WORDS = "memory:\n  embedder:\n    kind: none\n"
ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


def obedient(request: Received) -> Step:
    """A model that calls a tool when it is asked to."""
    return Step(calls=(Call("note", {"word": "ready"}),)) if request.tools else Step(text="ready")


@dataclass(slots=True)
class Site:
    """One installation, and the world around it.

    Attributes:
        home: its folders.
        patch: changes the environment until the site is left.
        stack: closes what was opened for it.
        clock: source of time of the doctor.
        machine: what the doctor is told of the system.
        extra: lines of its configuration.
    """

    home: Home
    patch: pytest.MonkeyPatch
    stack: ExitStack
    clock: Clock = field(default_factory=SystemClock)
    machine: Machine = field(default_factory=Machine)

    @property
    def environment(self) -> dict[str, str]:
        """That of a program of its own in this home."""
        return {
            "SCRUBJAY_HOME": str(self.home.config.parent),
            "HOME": str(self.home.config.parent.parent),
            "PATH": os.defpath,
            "PYTHONPATH": str(ROOT),
            "TZ": "Europe/Berlin",
        }

    def scrubjay(self, *words: str) -> tuple[int, str]:
        """Run a command; returns its exit code and what it printed."""
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            code = command(words, clock=self.clock, machine=self.machine)
        return code, printed.getvalue()

    def doctor(self, *words: str) -> dict[str, Any]:
        """What the doctor says, as `--json` has it."""
        told: dict[str, Any] = json.loads(self.scrubjay("doctor", "--json", *words)[1])
        return told

    def configure(self, text: str = "") -> None:
        """Write the configuration, and the folders and starter files that it asks for."""
        put(self.home.config, WORDS + text)
        self.home.config.chmod(0o600)
        self.home.prepare()
        config = load(self.home).config
        for name, options in config.agents.items():
            starter.write_templates(self.workspace(name), name, about=options.about, owner=config.owner)

    def workspace(self, agent: str = "personal") -> Path:
        return self.home.workspace(agent)

    def remember(self, *facts: str) -> None:
        for fact in facts:
            assert self.scrubjay("memory", "remember", fact)[0] == 0

    def state(self, *statements: str) -> None:
        """Make a state file, and carry statements out in it."""
        asyncio.run(_state(self.home, self.clock))
        with closing(sqlite3.connect(self.home.database)) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def telegram(
        self, more: str = "", *, token: str = telegram.TOKEN, owner: bool = True, extra: str = ""
    ) -> telegram.Telegram:
        """Configure a bot on a server of its own."""
        server = self.stack.enter_context(telegram.running(patience_s=0.2))
        known = 'access:\n  owners: ["telegram:7"]\n' if owner else ""
        self.configure(f'telegram:\n  token: "{token}"\n  api: {server.url}\n{more}{known}{extra}')
        return server

    def discord(self, more: str = "", *, token: str = "") -> discord.Discord:
        server = self.stack.enter_context(discord.running())
        known = 'access:\n  owners: ["discord:80351110224678912"]\n'
        self.configure(f'discord:\n  token: "{token or server.token}"\n  api: {server.url}\n{more}{known}')
        return server

    def model(
        self, *, name: str = MODEL, key: str = KEY, url: str = "", answer: Any = obedient, more: str = ""
    ) -> None:
        url = url or self.stack.enter_context(OpenAIServer(answer)).base_url
        self.configure(f"model:\n  name: {name}\n  base_url: {url}\n  api_key: {key}\n{more}")


async def _state(home: Home, clock: Clock) -> None:
    async with SqliteCoordinator.open(home.database, clock=clock):
        pass


@contextmanager
def site() -> Iterator[Site]:
    """An empty home in a folder of its own, and an environment without anybody's options."""
    with TemporaryDirectory(prefix="site-") as folder, pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        home = Path(folder, "home")
        patch.setenv("SCRUBJAY_HOME", str(home))
        patch.setenv("HOME", folder)
        in_zone(patch, "Europe/Berlin")
        yield Site(Home.at(home), patch, stack)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# broken installations


def telegram_token_refused(at: Site) -> None:
    at.telegram(token="7000000001:another-token-than-the-bots-own0000")


def telegram_unreachable(at: Site) -> None:
    at.configure(
        f'telegram:\n  token: "{telegram.TOKEN}"\n  api: http://127.0.0.1:{free_port()}\n'
        'access:\n  owners: ["telegram:7"]\n'
    )


def telegram_has_a_webhook(at: Site) -> None:
    import urllib.request

    server = at.telegram()
    address = f"{server.url}/bot{telegram.TOKEN}/setWebhook?url=https://bot.example.org/hook"
    urllib.request.urlopen(address).close()


def telegram_privacy(at: Site) -> None:
    server = at.telegram(
        owner=False,
        extra='access:\n  owners: ["telegram:7"]\n  groups: ["telegram:-100123"]\n  only_addressed: false\n',
    )
    server.call("privacy", on=True)


def discord_token_refused(at: Site) -> None:
    at.discord().call("revoke_token")


def discord_intent(at: Site) -> None:
    at.discord().call("approve", message_content=False)


def owner_unknown(at: Site) -> None:
    at.telegram(owner=False)


def model_key_refused(at: Site) -> None:
    at.model(key="wrong")


def model_unknown(at: Site) -> None:
    at.model(name="fable")


def model_down(at: Site) -> None:
    at.model(url=f"http://127.0.0.1:{free_port()}/v1")


def model_without_tools(at: Site) -> None:
    at.model(answer=lambda _: Step(text="ready"))


def model_window_small(at: Site) -> None:
    at.model(more="  context_tokens: 4096\n")


def embedder_down(at: Site) -> None:
    at.configure()
    where = f"{{kind: endpoint, base_url: 'http://127.0.0.1:{free_port()}/v1', model: letters}}"
    put(at.home.config, f"memory:\n  embedder: {where}\n")


def vectors_damaged(at: Site) -> None:
    at.configure()
    (at.home.cache / "vectors.sqlite").write_bytes(b"no database at all" * 100)


def disk_full(at: Site) -> None:
    at.configure()
    at.machine = Machine(free=lambda _: 20 * MB)


def disk_low(at: Site) -> None:
    at.configure()
    at.machine = Machine(free=lambda _: 300 * MB)


def network_drive(at: Site) -> None:
    at.configure()
    at.machine = Machine(filesystem=lambda _: "nfs4")


def disk_takes_nothing(at: Site) -> None:
    at.configure()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    at.stack.callback(resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))


def clock_off(at: Site) -> None:
    at.telegram()
    at.clock = FrozenClock(at.clock.now() + timedelta(hours=1))


def clock_without_battery(at: Site) -> None:
    at.configure()
    at.clock = FrozenClock(datetime(1970, 1, 1, tzinfo=UTC))


def zone_unknown(at: Site) -> None:
    at.configure()
    in_zone(at.patch, "Europe/Berln")


def state_shared(at: Site) -> None:
    at.configure()
    at.home.state.chmod(0o777)


def token_readable(at: Site) -> None:
    at.telegram()
    at.home.config.chmod(0o644)


def owned_by_another(at: Site) -> None:
    at.configure()
    at.machine = Machine(user=os.getuid() + 1)


def killed(at: Site) -> None:
    at.configure()
    hold = (
        "import sys, time; from bot.system import instance; from bot.paths import Home\n"
        "from memory.ports import SystemClock\nfrom pathlib import Path\n"
        "with instance.hold(Home.at(Path(sys.argv[1])), command='run', clock=SystemClock()):\n"
        "    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hold, str(at.home.config.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=at.environment,
    )
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    process.kill()
    process.communicate()


def served_elsewhere(at: Site) -> None:
    at.configure()
    at.machine = Machine(filesystem=lambda _: "nfs4")
    card = {"pid": 7, "command": "run", "since": "2026-11-20 08:00", "host": "another-machine"}
    instance.holder_file(at.home).write_text(json.dumps(card))


def port_taken(at: Site) -> None:
    taken = at.stack.enter_context(closing(socket.socket()))
    taken.bind(("127.0.0.1", 0))
    taken.listen(1)
    at.configure(f"health:\n  port: {taken.getsockname()[1]}\n")


def old_configuration(at: Site) -> None:
    at.configure()
    put(at.home.config, f"{WORDS}  top_k: 8\nlog_level: debug  # to see more\ntimezone: Europe/Berlin\n")


def configuration_unreadable(at: Site) -> None:
    at.configure()
    put(at.home.config, "telegram: [\n")


def variable_missing(at: Site) -> None:
    at.configure()
    put(at.home.config, "telegram:\n  token: ${TELEGRAM_TOKEN_THAT_NOBODY_SET}\n")


def option_misspelt(at: Site) -> None:
    at.configure("owner:\n  nmae: R\n")


def file_in_another_encoding(at: Site) -> None:
    at.configure()
    (at.workspace() / "notes.md").write_bytes("Größe\n".encode("utf-16"))


def link_in_a_workspace(at: Site) -> None:
    at.configure()
    (at.workspace() / "elsewhere.md").symlink_to("/etc/hostname")


def fact_unparsable(at: Site) -> None:
    at.configure()
    (at.workspace() / "bank").mkdir()
    (at.workspace() / "bank" / "world.md").write_text("# World\n\n## Retain\n\n- W(since=2026-13-45) @Ingrid: moved.\n")


def core_file_large(at: Site) -> None:
    at.model(more="  context_tokens: 8192\n")
    (at.workspace() / "MEMORY.md").write_text("A line that is there.\n" * 2000)


def two_memories(at: Site) -> None:
    at.configure()
    for name in ("MEMORY.md", "memory.md"):
        (at.workspace() / name).write_text("# Memory\n")


def token_in_a_note(at: Site) -> None:
    at.telegram()
    (at.workspace() / "notes.md").write_text(f"The bot's token is {telegram.TOKEN}\n")


def password_in_a_note(at: Site) -> None:
    at.configure()
    (at.workspace() / "notes.md").write_text("# Network\n\nThe wifi password is kR7#mQ2vXp9!\n")


def index_is_no_database(at: Site) -> None:
    at.configure()
    at.remember("The key is under the pot.")
    at.home.index("personal").write_bytes(b"this is no database" * 400)


def index_page_damaged(at: Site) -> None:
    at.configure()
    at.remember(*(f"Box {number} is on the shelf." for number in range(8)))
    data = bytearray(at.home.index("personal").read_bytes())
    start = data.index(b"Box 3 is on the shelf.") // 4096 * 4096
    data[start : start + 4096] = bytes(4096)
    at.home.index("personal").write_bytes(bytes(data))


def journal_altered(at: Site) -> None:
    at.configure()
    at.remember("The key is under the pot.", "The lamp is green.", "The bicycle is blue.")
    (journal,) = at.workspace().glob(".memory/journal/*.jsonl")
    first, *rest = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first.replace(b"under the pot", b"under the mat") + b"".join(rest))


def state_damaged(at: Site) -> None:
    at.configure()
    at.state(*(f"INSERT INTO mark VALUES ('filler', '{number}', '{'x' * 900}')" for number in range(40)))
    data = bytearray(at.home.database.read_bytes())
    start = data.index(b"x" * 400) // 4096 * 4096
    data[start : start + 4096] = bytes(4096)
    at.home.database.write_bytes(bytes(data))


def state_newer(at: Site) -> None:
    at.configure()
    at.state(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")


def message_given_up(at: Site) -> None:
    at.configure()
    now = at.clock.now().isoformat()
    at.state(
        "INSERT INTO inbox (agent, seq, session, at, state, reason, body) "
        f"VALUES ('personal', 1, 's', '{now}', 'dead', 'the disk was full', '{{}}')"
    )


def reminder_missed(at: Site) -> None:
    at.configure()
    due = at.clock.now() - timedelta(hours=5)

    async def schedule() -> None:
        to = Address("telegram", "telegram.7", "7", ChatKind.PRIVATE)
        inbound = Inbound("u", to, Sender("telegram", "7"), "call Ingrid", "m", due)
        async with SqliteCoordinator.open(at.home.database, clock=at.clock) as core:
            (grant,) = await core.claim("test", ["personal"])
            await core.schedule(
                grant, Job("reminder", due, Envelope("personal", Principal("telegram:7", "R", is_owner=True), inbound))
            )

    asyncio.run(schedule())


def job_failed(at: Site) -> None:
    at.configure()
    run = {
        "id": "1",
        "begun": "2026-11-20T03:00:00",
        "ended": "2026-11-20T03:00:01",
        "outcome": "failed",
        "lines": ["no room"],
    }
    at.state(f"INSERT INTO mark VALUES ('jobs', 'personal backup', '{json.dumps([run])}')")


def left_behind(at: Site) -> None:
    at.configure()
    for path in (
        at.workspace() / ".scrubjay-0123abcd",
        at.home.state / "memory" / "work.sqlite.broken-20260101T000000Z",
    ):
        path.write_text("half")
        os.utime(path, (0, 0))


Make = Callable[[Site], None]
"""Makes an installation."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An installation with a fault: how it is made, by which id it is named, whether that can be repaired safely."""

    make: Make
    id: str
    fixable: bool = False


BROKEN = (
    Broken(telegram_token_refused, "accounts.refused"),
    Broken(telegram_unreachable, "accounts.unreachable"),
    Broken(telegram_has_a_webhook, "accounts.webhook"),
    Broken(telegram_privacy, "accounts.privacy"),
    Broken(discord_token_refused, "accounts.refused"),
    Broken(discord_intent, "accounts.intent"),
    Broken(owner_unknown, "people.no_owner"),
    Broken(model_key_refused, "model.key_refused"),
    Broken(model_unknown, "model.unknown"),
    Broken(model_down, "model.down"),
    Broken(model_without_tools, "model.no_tools"),
    Broken(model_window_small, "model.small"),
    Broken(embedder_down, "embedder.unusable"),
    Broken(vectors_damaged, "embedder.cache_damaged", fixable=True),
    Broken(disk_full, "disk.full"),
    Broken(disk_low, "disk.low"),
    Broken(network_drive, "disk.network"),
    Broken(disk_takes_nothing, "disk.unusable"),
    Broken(clock_off, "clock.off"),
    Broken(clock_without_battery, "clock.wrong"),
    Broken(zone_unknown, "clock.zone_unknown"),
    Broken(state_shared, "home.shared", fixable=True),
    Broken(token_readable, "home.readable", fixable=True),
    Broken(owned_by_another, "home.owner"),
    Broken(killed, "instance.stale", fixable=True),
    Broken(served_elsewhere, "instance.elsewhere"),
    Broken(port_taken, "ports.taken"),
    Broken(old_configuration, "config.retired", fixable=True),
    Broken(configuration_unreadable, "config.invalid"),
    Broken(variable_missing, "config.invalid"),
    Broken(option_misspelt, "config.unknown"),
    Broken(file_in_another_encoding, "workspaces.line"),
    Broken(link_in_a_workspace, "workspaces.file"),
    Broken(fact_unparsable, "workspaces.line"),
    Broken(core_file_large, "workspaces.core_large"),
    Broken(two_memories, "workspaces.two_memories"),
    Broken(token_in_a_note, "secrets.configured"),
    Broken(password_in_a_note, "secrets.found"),
    Broken(index_is_no_database, "index.broken", fixable=True),
    Broken(index_page_damaged, "index.damaged", fixable=True),
    Broken(journal_altered, "workspaces.journal"),
    Broken(state_damaged, "state.damaged"),
    Broken(state_newer, "state.newer"),
    Broken(message_given_up, "set_aside.dead"),
    Broken(reminder_missed, "jobs.missed"),
    Broken(job_failed, "jobs.failed"),
    Broken(left_behind, "leftovers.files", fixable=True),
)


# healthy installations


def never_set_up(at: Site) -> None:
    """Nothing is there yet."""


def just_set_up(at: Site) -> None:
    assert at.scrubjay("init", "--yes")[0] == 0


def words_only(at: Site) -> None:
    at.configure()
    at.remember("The key is under the pot.", "The lamp is green.")


def built_in_embedder(at: Site) -> None:
    at.configure()
    put(at.home.config, "")
    at.remember("The key is under the pot.")
    at.scrubjay("memory", "recall", "where is the key?")


def with_telegram(at: Site) -> None:
    at.telegram()
    at.state()


def with_both_platforms(at: Site) -> None:
    one = at.stack.enter_context(telegram.running(patience_s=0.2))
    other = at.stack.enter_context(discord.running())
    at.configure(
        f'telegram:\n  token: "{telegram.TOKEN}"\n  api: {one.url}\ndiscord:\n  token: "{other.token}"\n'
        f'  api: {other.url}\naccess:\n  owners: ["telegram:7", "discord:80351110224678912"]\n'
    )


def with_a_model(at: Site) -> None:
    at.model()
    at.remember("The key is under the pot.")


def just_upgraded(at: Site) -> None:
    at.configure()
    with closing(sqlite3.connect(at.home.database, isolation_level=None)) as db:
        schema.migrate(db, at.home.database, schema.MIGRATIONS[:-1])
    at.remember("The key is under the pot.")


def full_home(at: Site) -> None:
    at.configure("agents:\n  personal: {}\n  work: {}\n  garden: {}\n")
    for agent in ("personal", "work", "garden"):
        for number in range(200):
            day = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
            path = at.workspace(agent) / "memory" / f"{day:%Y-%m-%d}.md"
            path.parent.mkdir(exist_ok=True)
            noted = f"A walk of {number} steps. Größe, 数学, naïve.\n\n## Retain\n\n- W @Ingrid: walked {number} km.\n"
            path.write_text(f"# {day:%Y-%m-%d}\n\n{noted}", encoding="utf-8")
        at.scrubjay("memory", "index", "--agent", agent)
    at.state()


def running(at: Site) -> None:
    port = free_port()
    at.telegram(extra=f"health:\n  port: {port}\n")
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-m", "bot", "run"], cwd=ROOT, stderr=nowhere, env=at.environment)

    def end() -> None:
        process.terminate()
        process.wait(PATIENCE_S)

    at.stack.callback(end)
    asyncio.run(_until_ready(port, process))


async def _until_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while process.poll() is None:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
                continue
            writer.write(b"GET /readyz HTTP/1.1\r\n\r\n")
            answer = await reader.read()
            writer.close()
            if b"200" in answer.partition(b"\r\n")[0]:
                return
            await asyncio.sleep(0.1)


def ended_well(at: Site) -> None:
    with ExitStack() as stack:
        one = Site(at.home, at.patch, stack)
        running(one)
    at.configure()


HEALTHY = (
    never_set_up,
    just_set_up,
    words_only,
    built_in_embedder,
    with_telegram,
    with_both_platforms,
    with_a_model,
    just_upgraded,
    full_home,
    running,
    ended_well,
)


# what comes of it


def name_of(make: Make) -> str:
    return make.__name__.replace("_", " ")


def wrong_ids(told: dict[str, Any]) -> list[str]:
    """What the doctor wants to be looked at, in order."""
    return sorted({str(one["id"]) for one in told["findings"] if one["severity"] != "note"})


def examined(broken: Broken) -> tuple[list[str], list[str]]:
    """The ids that the doctor names in a broken installation, and those after its repair (as before without one)."""
    with site() as at:
        broken.make(at)
        named = wrong_ids(at.doctor())
        return named, wrong_ids(at.doctor("--fix", "--yes")) if broken.fixable else named


def alarms(make: Make) -> list[str]:
    """The ids that the doctor names in a healthy installation."""
    with site() as at:
        make(at)
        return wrong_ids(at.doctor())


def measure() -> dict[str, Any]:
    """Examine all installations; returns what is counted."""
    named = fixed = 0
    wrong, surplus = list[str](), list[str]()
    for broken in BROKEN:
        ids, after = examined(broken)
        named += broken.id in ids
        fixed += broken.fixable and broken.id not in after
        repaired = f"; after --fix: {', '.join(after) or 'nothing'}" if broken.fixable else ""
        print(f"{name_of(broken.make):<28} {broken.id:<24} named: {', '.join(ids) or 'nothing'}{repaired}")
        if broken.id not in ids or (broken.fixable and broken.id in after):
            wrong.append(name_of(broken.make))
        surplus += [f"{name_of(broken.make)}: {one}" for one in ids if one != broken.id]
    cried = {name_of(make): found for make in HEALTHY if (found := alarms(make))}
    for name, found in cried.items():
        print(f"false alarm in {name}: {', '.join(found)}")
    return {
        "broken": len(BROKEN),
        "named": named,
        "fixable": sum(broken.fixable for broken in BROKEN),
        "fixed": fixed,
        "healthy": len(HEALTHY),
        "false_alarms": len(cried),
        "wrong": wrong,
        "named_too": surplus,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Print what came of it; 1 if a broken installation was not named or repaired, or a healthy one was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(argv)
    result = measure()
    if options.json:
        print(json.dumps(result))
    else:
        print(f"{result['named']} of {result['broken']} named, {result['fixed']} of {result['fixable']} repaired")
    return 1 if result["wrong"] or result["false_alarms"] else 0


if __name__ == "__main__":
    sys.exit(main())
