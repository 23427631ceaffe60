"""Thousands of hostile files, records, updates and configurations against a running service.

    python -m tests.chaos.hostile --inputs 10000 --seed 1 --json

prints one JSON object as its last line: {"inputs", "ends", "hangs", "worst_ms", "peak_mb"}. The inputs come in batches.
Each batch meets a service that has just been set up: it is written, pushed and damaged while the service runs, then the
service is killed and started again with everything still in place. An *end* is a service that is gone or does not come
up again, an agent or an account that no longer answers its owner, or a configuration that ends in a surprise. A *hang*
is an event loop that is silent for more than a second. A batch that ends, hangs or takes 300 MB more than an idle
service is halved until single inputs are left, and only what one of these does again, alone, counts; `--only 17`
replays one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from bot.config.loader import examine
from bot.paths import Home
from tests.chaos.hostile_service import Ended, Service, service
from tests.chaos.mutations import Input, damaged, damaged_line, hostile
from tests.servers.control import ControlError
from tests.support.cli_process import run

BATCH, GARDENS = 400, 6
HANG_MS = 1000
MOST_TAKEN_MB = 300
"""More than an idle service has: three agents that read a file of 20 MB at the same moment take 140, a batch 190."""
FOLDERS = ("workspaces/personal", "workspaces/work", "workspaces/garden0", "handbook")
STATED = {"check": {0, 3}, "doctor": {0, 1}, "run": {3}}
"""The exit codes by which a command may say what it thinks of a configuration; see docs/errors.md."""
REAL_EVERY = 100
"""One of so many configurations goes through real commands, all others through the loader that they share."""


@dataclass
class Outcome:
    """What came of a batch.

    Attributes:
        ended: what ended, and how; empty if nothing did.
        silence_ms: how long the event loop kept silent at most.
        idle_mb, peak_mb: the most memory before the first input, and after it.
    """

    ended: str = ""
    silence_ms: float = 0.0
    idle_mb: float = 0.0
    peak_mb: float = 0.0

    @property
    def trouble(self) -> str:
        """Why the batch does not pass; empty if it does."""
        if self.ended:
            return self.ended
        if self.silence_ms > HANG_MS:
            return f"the event loop was silent for {self.silence_ms:.0f} ms"
        if self.peak_mb > self.idle_mb + MOST_TAKEN_MB:
            return f"it took {self.peak_mb:.0f} MB, idle {self.idle_mb:.0f} MB"
        return ""


def apply(given: Input, made: Service) -> None:
    """Do to a running service what the input says."""
    match given.kind:
        case "file":
            _write(given, made.home)
        case "record":
            _damage(given, made)
        case "update":
            platform, event = given.event
            with suppress(ControlError):  # what even the fake platform cannot hand on
                if platform == "discord":
                    made.servers["discord"].call("emit", **event)
                else:
                    made.servers["telegram"].call("push", update=event)


def _write(given: Input, home: Path) -> None:
    chance = given.chance
    path = home / chance.choice(FOLDERS) / os.fsdecode(given.place)
    with suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        match given.what:
            case "fifo":
                os.mkfifo(path)
            case "symlink":
                path.symlink_to(chance.choice(("/etc/passwd", "/dev/zero", ".", "nowhere", path.name)))
            case "hard link":
                path.hardlink_to(home / "workspaces" / "personal" / "MEMORY.md")
            case "folder":
                path.mkdir()
            case "deep":
                deep = path.parent.joinpath(*["d" * 20] * 60)
                deep.mkdir(parents=True, exist_ok=True)
                (deep / path.name).write_bytes(given.data)
            case "sparse":
                path.touch()
                os.truncate(path, chance.choice((19, 21, 5000)) * 1_000_000)
            case _:
                path.write_bytes(given.data)
                path.chmod(0 if given.what == "unreadable" else 0o600)


def _damage(given: Input, made: Service) -> None:
    """Damage one file of one agent's records."""
    chance, home = given.chance, made.home
    agent = chance.choice(made.gardens)
    sessions = home / "state" / "sessions" / agent
    found = {
        b"journal": (home / "workspaces" / agent / ".memory" / "journal").glob("*.jsonl"),
        b"transcript": sessions.glob("*.jsonl"),
        b"index": (home / "state" / "memory").glob(f"{agent}.sqlite"),
        b"sessions": sessions.glob("*.json"),
    }[given.place]
    for path in sorted(found)[:1]:
        data = path.read_bytes()
        path.write_bytes(damaged(data, chance) if given.what == "damage" else _edited(data, given.what, chance))


def _edited(data: bytes, how: str, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b"{}\n"]
    last = lines[-1].rstrip(b"\n")
    match how:
        case "append":
            return data + damaged_line(last, chance) + chance.choice((b"\n", b"\n", b"\n\n", b""))
        case "change":
            at = chance.choice((chance.randrange(len(lines)), len(lines) - 1))
            lines[at] = damaged_line(lines[at].rstrip(b"\n"), chance) + b"\n"
            return b"".join(lines)
    del lines[chance.choice((0, -1))]
    return b"".join(lines)


class Changing(threading.Thread):
    """Cuts files in half and writes them anew, again and again, so that they change while they are read."""

    def __init__(self, inputs: Sequence[Input], home: Path) -> None:
        super().__init__(daemon=True)
        self._inputs = [given for given in inputs if given.what == "changing"]
        self._home, self._is_over = home, threading.Event()

    def run(self) -> None:
        while self._inputs and not self._is_over.wait(0.02):
            for given in self._inputs:
                _write(given, self._home)
                _write(replace(given, data=given.data[: len(given.data) // 2]), self._home)

    def stop(self) -> None:
        self._is_over.set()
        if self.is_alive():
            self.join()


def trial(inputs: Sequence[Input], made: Service) -> Outcome:
    """Let a service that has met nothing hostile yet meet these inputs, in two lives."""
    outcome, changing = Outcome(), Changing(inputs, made.home)
    try:
        if not made.is_new:
            made.restore()
            made.start()
            made.probe(when="before the first input")
        made.is_new = False
        outcome.idle_mb, begun_ms = made.memory_mb(), made.silence_ms()
        changing.start()
        for given in inputs:
            apply(given, made)
        outcome.ended = configured(inputs, made.home.parent / "other")
        made.rest()
        made.probe(when="after the inputs")
        changing.stop()
        outcome.silence_ms = made.silence_ms()
        made.kill()
        made.start()
        made.probe(when="after the restart")
        made.rest()
        outcome.silence_ms = max(outcome.silence_ms, made.silence_ms() - begun_ms)  # a start is silent by itself
        made.probe(when="at last")
        outcome.silence_ms = max(outcome.silence_ms, made.silence_ms())
        made.end()
    except Ended as error:
        outcome.ended = str(error)
    finally:
        changing.stop()
        made.kill()
    outcome.peak_mb = made.peak_mb
    return outcome


def configured(inputs: Sequence[Input], folder: Path) -> str:
    """Read the configurations among the inputs; what ended in a surprise, or empty."""
    home = Home.at(folder)
    home.config.parent.mkdir(parents=True, exist_ok=True)
    for given in inputs:
        if given.kind != "config":
            continue
        home.config.write_bytes(given.data)
        with ThreadPoolExecutor(1) as reader:
            reading = reader.submit(examine, home, environment={})
        if error := reading.exception():
            return f"{given}: {type(error).__name__}: {str(error)[:200]}"
        commands = [["config", "check"], ["doctor"]]
        if reading.result().config is None:  # with any other the service runs without end
            commands.append(["run"])
        if given.index % REAL_EVERY == 0 and (surprise := _commanded(folder, commands)):
            return f"{given}: {surprise}"
    return ""


def _commanded(folder: Path, commands: Sequence[Sequence[str]]) -> str:
    """What commands make of a configuration, if they are surprised."""
    for words in commands:
        ended = run(folder, *words)
        if ended.code not in STATED[words[-1]] or "Traceback" in ended.err or "went wrong" in ended.err:
            return f"`scrubjay {' '.join(words)}` ended with {ended.code}: {ended.err[-300:]}"
    return ""


@dataclass
class Findings:
    """What a whole run has shown.

    Attributes:
        kinds: how many inputs there were of each kind.
        ends, hangs, heavy: which inputs ended something, silenced the event loop, or took too much memory, and how.
        worst_ms: the longest silence that was not the machine's.
        idle_mb, peak_mb: memory before the inputs of each batch, and the most that was taken.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    ends: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    heavy: list[str] = field(default_factory=list)
    worst_ms: float = 0.0
    peak_mb: float = 0.0
    idle_mb: list[float] = field(default_factory=list)

    def batch(self, inputs: Sequence[Input], made: Service) -> None:
        """One batch; if it does not pass, down to the inputs that are to blame."""
        outcome = trial(inputs, made)
        self.idle_mb += [outcome.idle_mb] if outcome.idle_mb else []
        if not outcome.trouble:
            self._count(outcome)
            return
        print(f"{len(inputs)} inputs from {inputs[0]}: {outcome.trouble}", flush=True)
        before = self.convicted
        for part in _halves(inputs):
            self.batch(part, made)
        if self.convicted == before:
            self._convict(inputs, outcome, trial(inputs, made))

    @property
    def convicted(self) -> int:
        """How many inputs have been found guilty of anything."""
        return len(self.ends) + len(self.hangs) + len(self.heavy)

    def _convict(self, inputs: Sequence[Input], *outcomes: Outcome) -> None:
        """Count what inputs have done twice, and no part of them by itself."""
        mildest = min(outcomes, key=lambda outcome: (bool(outcome.ended), outcome.silence_ms))
        self._count(mildest)
        if not mildest.trouble:
            return
        guilty = f"{inputs[0]}{f' and {len(inputs) - 1} more' if inputs[1:] else ''}: {mildest.trouble}"
        print(f"  FOUND {guilty}", flush=True)
        if mildest.ended:
            self.ends.append(guilty)
        elif mildest.silence_ms > HANG_MS:
            self.hangs.append(guilty)
        else:
            self.heavy.append(guilty)

    def _count(self, outcome: Outcome) -> None:
        self.worst_ms = max(self.worst_ms, outcome.silence_ms)
        self.peak_mb = max(self.peak_mb, outcome.peak_mb)


def _halves(inputs: Sequence[Input]) -> Iterator[Sequence[Input]]:
    middle = len(inputs) // 2
    yield from (inputs[:middle], inputs[middle:]) if middle else ()


def besieged(indices: Sequence[int], seed: int) -> Findings:
    """All inputs with these numbers, batch by batch."""
    found = Findings()
    with tempfile.TemporaryDirectory() as folder, service(Path(folder), gardens=GARDENS) as made:
        made.keep()
        made.is_new = False
        for start in range(0, len(indices), BATCH):
            inputs = [hostile(seed, index) for index in indices[start : start + BATCH]]
            found.kinds.update(given.kind for given in inputs)
            found.batch(inputs, made)
            print(f"{start + len(inputs)} inputs, {len(found.ends)} ends, {len(found.hangs)} hangs, "
                  f"{found.worst_ms:.0f} ms, {found.peak_mb:.0f} MB", flush=True)  # fmt: skip
    return found


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, default=None)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = besieged(range(given.inputs) if given.only is None else [given.only], given.seed)
    idle = median(found.idle_mb)
    print(f"seed {given.seed}: " + ", ".join(f"{count} of kind {kind}" for kind, count in sorted(found.kinds.items())))
    print(f"idle {idle:.0f} MB, at most {found.peak_mb - idle:.0f} MB more")
    for guilty in [*found.ends, *found.hangs, *found.heavy]:
        print(guilty)
    figures = {"inputs": found.kinds.total(), "ends": len(found.ends), "hangs": len(found.hangs)}
    print(json.dumps(figures | {"worst_ms": round(found.worst_ms), "peak_mb": round(found.peak_mb)}))


if __name__ == "__main__":
    main()
