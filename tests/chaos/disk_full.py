"""A disk that is full, and then is not: is anything lost, is the owner told, does the service recover by itself?

    python -m tests.chaos.disk_full --json

prints one JSON object as its last line: {"how", "said", "answered", "noted", "lost", "doubled", "taken_while_full",
"owner_told", "ended", "recovered"}. The service runs on a small file system in memory of its own where one may be
mounted (`how` is "tmpfs"); where not, or with `--no-mount`, the process may write no file any further (`how` is "file
size limit"), which is the same to it but for the error's number.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from adapters.port import Adapter
from adapters.telegram.adapter import TelegramAdapter, TelegramOptions
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.coordinator import Coordinator
from memory import SystemClock
from tests.servers.telegram.client import TOKEN, Telegram
from tests.servers.telegram.client import running as telegram_running

OWNER = 7
SIZE = "8m"
BEFORE, WHILE, AFTER = 2, 5, 3
FULL_S, PATIENCE_S, LOOK_S = 3.0, 30.0, 0.1
BLOCK = 4096
PARROT = re.compile(r"parrot number (\d+)")


@dataclass(frozen=True, slots=True)
class Found:
    """What came of it; the names are those of the command's fields."""

    how: str
    said: int
    answered: int
    noted: int
    lost: int
    doubled: int
    taken_while_full: int
    owner_told: int
    ended: bool
    recovered: bool


@contextmanager
def small_disk(folder: Path, *, wanted: bool) -> Iterator[bool]:
    """Mount a small file system at a folder; whether that was allowed."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    try:
        mounted = wanted and subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path) -> None:
    """Take all room that is left."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * BLOCK)
        except OSError:
            return


def limit(size: int) -> None:
    """Let this process write no file beyond so many bytes."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


@asynccontextmanager
async def service(home: Home, telegram: Telegram) -> AsyncIterator[asyncio.Task[None]]:
    """A service in this process, as `scrubjay run` runs one."""
    clock = SystemClock()
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}})
    home.prepare()

    async def pause(seconds: float) -> None:
        await asyncio.sleep(min(seconds, LOOK_S))

    @asynccontextmanager
    async def opening(_: Coordinator) -> AsyncIterator[Sequence[Adapter]]:
        options = TelegramOptions(TOKEN, api=telegram.url)
        async with TelegramAdapter(options, now=clock.now, pause=pause) as adapter:
            yield [adapter]

    access = AccessRules(frozenset({f"telegram:{OWNER}"}))
    async with (
        build(
            home, config, clock=clock, opening=opening, default_agent="personal", access=access, is_service=True
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        task = group.create_task(built.service.run(list(config.agents), owner="test"))
        try:
            yield task
        finally:
            built.service.stop()


def told(telegram: Telegram) -> list[str]:
    """What the bot has said, without placeholders."""
    texts = [entry.get("text", "") for entry in telegram.history(OWNER) if entry["from"]["is_bot"]]
    return [text for text in texts if len(text) > 1]


async def answers(telegram: Telegram, count: int) -> bool:
    """Wait until so many facts have been noted; False if they never are."""
    for _ in range(round(PATIENCE_S / LOOK_S)):
        if sum(text.startswith("Noted in") for text in told(telegram)) >= count:
            return True
        await asyncio.sleep(LOOK_S)
    return False


async def measured(folder: Path, *, is_small: bool) -> Found:
    """The whole course: something is said before, while nothing can be written, and afterwards."""
    home, filler = Home.at(folder / "home"), folder / "filler"
    with telegram_running(patience_s=0) as telegram:
        owner = telegram.user(OWNER, "Owner")

        def say(first: int, count: int) -> None:
            for number in range(first, first + count):
                owner.says(f"The parrot number {number} is called Polly{number}.")

        async with service(home, telegram) as task:
            say(0, BEFORE)
            await answers(telegram, BEFORE)
            if is_small:
                await asyncio.to_thread(fill, filler)
            else:
                limit(1)
            say(BEFORE, WHILE)
            await asyncio.sleep(FULL_S)
            taken = WHILE - len(telegram.call("pending"))
            warned = sum("cannot write anything down" in text for text in told(telegram))
            if is_small:
                filler.unlink()
            else:
                limit(resource.RLIM_INFINITY)
            say(BEFORE + WHILE, AFTER)
            recovered = await answers(telegram, BEFORE + WHILE + AFTER)
            ended = task.done()
        answered = sum(text.startswith("Noted in") for text in told(telegram))
    said = BEFORE + WHILE + AFTER
    text = "\n".join(path.read_text(encoding="utf-8") for path in home.workspace("personal").rglob("*.md"))
    noted = PARROT.findall(text)
    return Found(
        how="tmpfs" if is_small else "file size limit",
        said=said,
        answered=answered,
        noted=len(set(noted)),
        lost=said - len(set(noted)),
        doubled=len(noted) - len(set(noted)),
        taken_while_full=taken,
        owner_told=warned,
        ended=ended,
        recovered=recovered,
    )


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-mount", action="store_true", help="limit the size of files instead")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, small_disk(Path(name), wanted=not given.no_mount) as is_small:
        found = asyncio.run(measured(Path(name), is_small=is_small))
    print(json.dumps(asdict(found)))
    sys.exit(found.lost or found.doubled or found.ended or not found.recovered)


if __name__ == "__main__":
    main()
