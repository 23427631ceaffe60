"""Kills the making and the restoring of a backup before any change of a file, and looks at what is there then.

    python -m tests.chaos.backup --points 60 --seed 1 --json

prints one JSON object as its last line: {"create", "restore"}, each {"calls", "points", "half", "again"}. `half` counts
the points after which there is neither the old state nor the new one, `again` those after which the next try fails.
Every third point cuts the power as well: what was not synced is lost. It fails if any was half, or failed again.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bot.backup.archive import Key, open_archive
from bot.backup.catalog import backups
from bot.errors import BotError
from tests.chaos.remember import stratified
from tests.chaos.tracer import Watch, kill_at, record
from tests.support.cli_process import command, environment, run

TOLD = ("The boiler code is 4711.", "Mrs Okafor has a spare key.", "Peter likes green tea.")


def prepare(home: Path) -> None:
    """Make a home with a conversation, facts, and a workspace that lies elsewhere."""
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(
        "agents:\n  personal:\n    about: me\n  work:\n    about: us\n    workspace: ../elsewhere\n"
        "memory:\n  embedder:\n    kind: none\n"
    )
    said = "".join(f"{text}\n" for text in (*TOLD, "Where is the spare key?"))
    run(home, "chat", stdin=said)
    run(home, "chat", "--agent", "work", stdin=said)


def kept(home: Path) -> dict[str, bytes]:
    """Return the files of a home's workspaces that count."""
    folder = home / "workspaces"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def is_whole(path: Path) -> bool:
    """Return whether an archive is all there."""
    try:
        with open_archive(path, key=Key()) as archive:
            archive.extract(None)
    except BotError:
        return False
    return True


def sweep_create(base: Path, *, points: int, chance: random.Random) -> Counter[str]:
    """Kill the making of a backup: there is none then, or a whole one, and the next try makes one."""
    home = base / "home"
    prepare(home)
    env, words = environment(home), command("backup", "create", "--to", str(base / "first"))
    calls = record(words, watch=Watch(base / "first"), env=env).calls
    sums = Counter(calls=len(calls), points=0, half=0, again=0)
    for turn, number in enumerate(stratified(calls, points, chance)):
        folder = base / f"to-{turn}"
        words = command("backup", "create", "--to", str(folder))
        kill_at(words, number, watch=Watch(folder), env=env, power_cut=turn % 3 == 2)
        there = backups(folder)
        sums["half"] += not all(is_whole(one.path) for one in there)
        if not there:
            done = run(home, "backup", "create", "--to", str(folder))
            sums["again"] += done.code != 0 or not all(is_whole(one.path) for one in backups(folder))
        sums["points"] += 1
        shutil.rmtree(folder, ignore_errors=True)
    return sums


def sweep_restore(base: Path, *, points: int, chance: random.Random) -> Counter[str]:
    """Kill the restoring of a backup: nothing is kept in the home then, or all, after the next command."""
    archive = str(backups(base / "first")[0].path)
    whole = base / "whole"
    calls = record(command("backup", "restore", archive), watch=Watch(whole), env=environment(whole)).calls
    expected = kept(whole)
    sums = Counter(calls=len(calls), points=0, half=int(len(expected) < len(TOLD)), again=0)
    for turn, number in enumerate(stratified(calls, points, chance)):
        home = base / f"home-{turn}"
        words = command("backup", "restore", archive)
        kill_at(words, number, watch=Watch(home), env=environment(home), power_cut=turn % 3 == 2)
        if run(home, "paths").code:
            raise RuntimeError(f"a home that was half restored after {number} takes no command")
        is_there = (home / "config.yaml").exists()
        is_half = kept(home) != expected if is_there else any(name.endswith(".md") for name in kept(home))
        if is_half:
            print(
                f"half after {number}",
                {name for name in expected if kept(home).get(name) != expected[name]},
                file=sys.stderr,
            )
        sums["half"] += is_half
        if not is_there:
            run(home, "backup", "restore", archive)
            sums["again"] += kept(home) != expected
        sums["points"] += 1
        shutil.rmtree(home)
    return sums


def sweep(base: Path, *, points: int, seed: int) -> dict[str, Counter[str]]:
    """Kill both at so many points each."""
    chance = random.Random(seed)
    return {
        "create": sweep_create(base, points=points, chance=chance),
        "restore": sweep_restore(base, points=points, chance=chance),
    }


def main() -> None:
    """Sweep, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = sweep(Path(name), points=given.points, seed=given.seed)
    print(json.dumps(found))
    sys.exit(any(sums["half"] or sums["again"] for sums in found.values()))


if __name__ == "__main__":
    main()
