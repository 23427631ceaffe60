"""Every kind of foreign memory is moved in twice, asked for, and taken out again, through the real command line.

`python -m tests.acceptance.imports --json` prints, as its last line, `{"shapes", "recognised", "added", "added_again",
"found_by_words", "found_by_day", "found_on_other_days", "left_after_undo", "broken", "broken_told", "harm", "killed",
"killed_lost", "killed_doubled"}`. `recognised`, `found_by_words` and `found_by_day` are to be as `shapes`,
`broken_told` as `broken`; `added_again`, `found_on_other_days`, `left_after_undo` (files that differ from before, the
journal aside), `harm`, `killed_lost` and `killed_doubled` are to be 0. `--large N` imports a vault of N files and chats
of N kilobytes as well, and adds seconds and megabytes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic

from tests.support.cli_process import CompletedCli, run, start
from tests.support.foreign import (
    DAY,
    HOSTILE_TEXT,
    SECRET,
    SHAPES,
    ForeignSource,
    broken_sources,
    chat,
    folder,
    write_source,
)

OTHER_DAY = "2024-03-09"
HIDDEN = ".memory"


def contents(workspace: Path) -> dict[str, str]:
    """The files of a workspace with hashes of what is in them, those of the journal left out."""
    found = (path for path in workspace.rglob("*") if path.is_file())
    names = ((path.relative_to(workspace), path) for path in found)
    return {str(name): sha256(path.read_bytes()).hexdigest() for name, path in names if name.parts[0] != HIDDEN}


def new_home(at: Path) -> Path:
    """A home with a note in it that is not to change."""
    at.mkdir(parents=True)
    (at / "config.yaml").write_text("memory:\n  embedder:\n    kind: none\n", encoding="utf-8")
    assert run(at, "memory", "remember", "The spare key is under the blue pot.").code == 0
    return at


def of_json(done: CompletedCli) -> dict[str, object]:
    """What a command printed; nothing, told on standard error, if it failed."""
    if done.code:
        print(done.err, file=sys.stderr)
        return {}
    value = json.loads(done.out)
    assert isinstance(value, dict)
    return value


def total(done: CompletedCli) -> int:
    """How many new items an import had."""
    told = of_json(done).get("done")
    counts = told.get("counts", {}) if isinstance(told, dict) else {}
    return sum(counts.values())


def finds(home: Path, source: ForeignSource, *words: str) -> bool:
    """Whether the first hit of a question has what the source says."""
    asked, answer = source.words
    found = of_json(run(home, "memory", "recall", asked, "--words", "--json", *words)).get("hits")
    return bool(found) and isinstance(found, list) and answer in found[0]["content"]


def shape(name: str, folder: Path) -> Counter[str]:
    """Move one source in twice, ask for it, and take it out."""
    source, home = write_source(name, folder / "sources"), new_home(folder / "homes" / name)
    workspace = home / "workspaces" / "personal"
    before = contents(workspace)
    told = Counter[str](shapes=1)
    first = run(home, "import", str(source.path), "--yes", "--json")
    plan = of_json(first).get("plan")
    told["recognised"] = int(isinstance(plan, dict) and plan["format"] == source.form)
    told["added"] = total(first)
    told["missing"] = abs(total(first) - source.items)
    told["added_again"] = total(run(home, "import", str(source.path), "--yes", "--json"))
    told["found_by_words"] = int(finds(home, source))
    told["found_by_day"] = int(finds(home, source, "--since", DAY, "--until", DAY))
    told["found_on_other_days"] = int(finds(home, source, "--since", OTHER_DAY, "--until", OTHER_DAY))
    undo_all(home)
    told["left_after_undo"] = differences(before, contents(workspace))
    return told


def undo_all(home: Path) -> None:
    """Take every import out again."""
    for one in json.loads(run(home, "import", "list", "--json").out)["imports"]:
        assert run(home, "import", "undo", one["id"]).code == 0


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """How many files are other than before, new, or gone."""
    return len(dict(before.items() ^ after.items()))


def broken(folder: Path) -> Counter[str]:
    """Offer sources that nothing can be made of: each is refused in a sentence, and nothing is written."""
    home = new_home(folder / "home")
    before = contents(home / "workspaces" / "personal")
    told = Counter[str]()
    (folder / "sources").mkdir()
    for name, (path, code) in broken_sources(folder / "sources").items():
        done = run(home, "import", str(path), "--yes")
        is_told = done.code == code and "Traceback" not in done.err and len(done.err.strip()) > 20
        told["broken"] += 1
        told["broken_told"] += is_told
        if not is_told:
            print(f"{name}: exit code {done.code}: {done.err}", file=sys.stderr)
    told["left_after_undo"] = differences(before, contents(home / "workspaces" / "personal"))
    return told


def hostile(at: Path) -> Counter[str]:
    """Import texts that pass for our marks, and count what they bring about."""
    home = new_home(at / "home")
    talk = folder(at / "talk", {"conversations.json": json.dumps([chat(f"{HOSTILE_TEXT}\n{SECRET}", id="h")])})
    rows = [{"id": "1", "memory": f"{HOSTILE_TEXT}\n{SECRET}", "user_id": "u", "created_at": f"{DAY}T10:00:00Z"}]
    memories = folder(at / "rows", {"mem0.json": json.dumps(rows)})
    told = Counter[str]()
    for source in (talk, memories):
        done = run(home, "import", str(source), "--yes")
        told["harm"] += done.code != 0 or "\x1b" in done.out + done.err
    workspace = home / "workspaces" / "personal"
    texts = [path.read_text(encoding="utf-8") for path in (workspace / "memory" / "imports").rglob("*.md")]
    told["harm"] += len(texts) != 2
    told["harm"] += sum("plum-Kettle" in text or "\x1b" in text or "\u202e" in text for text in texts)
    told["harm"] += any(b"plum-Kettle" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    facts = of_json(run(home, "memory", "list", "--json"))["facts"]
    assert isinstance(facts, list)
    told["harm"] += len(facts) != 2  # the one of Mem0, and our own
    told["harm"] += not any("(from=import)" in text for text in texts)
    told["harm"] += run(home, "memory", "explain", "^k3f9a2mq").code == 0
    told["harm"] += "spare key" not in run(home, "memory", "recall", "spare key", "--words").out
    return told


def killed(at: Path, times: int, seed: int) -> Counter[str]:
    """Kill an import again and again; then let it end, and count what is missing or there twice."""
    home, count = new_home(at / "home"), 3_000
    files = {f"n{number % 30}/Note {number}.md": f"Number {number}.\n" for number in range(count)}
    source = folder(at / "vault", {".obsidian/app.json": "{}", **files})
    workspace = home / "workspaces" / "personal"
    before, random, told = contents(workspace), Random(seed), Counter[str]()
    for least in sorted(random.randrange(1, count) for _ in range(times)):
        process = start(home, "import", str(source), "--yes")
        while process.poll() is None and len([*(workspace / "memory" / "imports").rglob("*.md")]) < least:
            with suppress(subprocess.TimeoutExpired):
                process.wait(random.uniform(0, 0.02))
        told["killed"] += process.poll() is None
        process.kill()
        process.communicate()
    run(home, "import", str(source), "--yes")
    found = [path.name for path in (workspace / "memory" / "imports").rglob("*.md")]
    told["killed_lost"], told["killed_doubled"] = count - len({*found}), len(found) - len({*found})
    undo_all(home)
    told["left_after_undo"] = differences(before, contents(workspace))
    return told


def large(at: Path, count: int) -> Iterator[tuple[str, float]]:
    """Import a vault of so many files, and chats of so many kilobytes; yield seconds and megabytes."""
    home, random = new_home(at / "home"), Random(1)
    words = [f"word{number}" for number in range(3_000)]
    files = {f"f{n % 200}/Note {n}.md": f"# {n}\n\n{' '.join(random.choices(words, k=60))}\n" for n in range(count)}
    vault = folder(at / "vault", {".obsidian/app.json": "{}", **files})
    chats = at / "conversations.json"
    text = " ".join(random.choices(words, k=1_200))
    with chats.open("w", encoding="utf-8") as file:
        file.write("[")
        for number in range(count // 10):
            file.write(f"{',' if number else ''}{json.dumps(chat(text, id=str(number)))}")
        file.write("]")
    for name, source in (("vault", vault), ("chats", chats)):
        for time in ("first", "again"):
            began = monotonic()
            done = run_measured(home, source)
            yield f"{name}_{time}_s", round(monotonic() - began, 1)
            yield f"{name}_{time}_mb", done
    yield "chats_mb", round(chats.stat().st_size / 1e6)


def run_measured(home: Path, source: Path) -> float:
    """Import in a process, and return the megabytes that it took at most."""
    process = start(home, "import", str(source), "--yes")
    peak = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status")
        lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
        peak = max([peak, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))])
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
    return round(peak / 1024)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", type=int, default=0, metavar="N")
    options = parser.parse_args()
    told = Counter[str]()
    sizes: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SHAPES:
            told += shape(name, Path(folder) / "shapes")
        told += broken(Path(folder) / "broken")
        told += hostile(Path(folder) / "hostile")
        told += killed(Path(folder) / "killed", options.kills, options.seed)
        if options.large:
            sizes = dict(large(Path(folder) / "large", options.large))
    names = "shapes recognised added missing added_again found_by_words found_by_day found_on_other_days"
    names += " left_after_undo broken broken_told harm killed killed_lost killed_doubled"
    figures = {name: told[name] for name in names.split()} | sizes
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    is_good = figures["recognised"] == figures["found_by_words"] == figures["found_by_day"] == figures["shapes"]
    wrong = "missing added_again found_on_other_days left_after_undo harm killed_lost killed_doubled".split()
    return 0 if is_good and not any(figures[name] for name in wrong) and told["broken"] == told["broken_told"] else 1


if __name__ == "__main__":
    sys.exit(main())
