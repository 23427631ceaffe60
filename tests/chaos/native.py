"""Hostile texts for the libraries in machine code that read what people write, in a process that may die of it.

`python -m tests.chaos.native --inputs 2000 --seed 1 --json` prints, as its last line, `{"inputs", "crashes", "seed"}`.
A crash is a signal or an exception; the input that led to it is written into the folder `figures`, and it fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import numpy as np

from adapters.telegram.rendering import escape_unsupported
from memory import VectorBackend
from memory.vectors.store import kernel

ROOT = Path(__file__).parent.parent.parent
FIGURES = ROOT / "figures"

PIECES = (
    *(
        "<!--",
        "-->",
        "```",
        "~~~",
        "| a |",
        "|--|",
        "[",
        "](",
        ")",
        "![",
        "]: ",
        "**",
        "__",
        "`",
        "$$",
        "\\",
        "> ",
        "- ",
        "1. ",
    ),
    *(
        "\n",
        "\r\n",
        "\t",
        "    ",
        "\0",
        "\x1b[",
        "\ufeff",
        "\u200b",
        "\u202e",
        "\U000e0041",
        "\u0301",
        "\ud83d",
        "\udc00",
        "👩‍👩‍👧",
    ),
    *(
        "<|endoftext|>",
        "<|im_start|>",
        "&#0;",
        "&amp;",
        "<a href='",
        "http://",
        "é",
        "漢字",
        "ﷺ",
        "İ",
        "ß",
        "\U0010ffff",
    ),
)


def hostile(seed: int, number: int) -> str:
    """The text of that number: pieces of syntax, repeated, nested, cut in the middle, or any characters at all."""
    random = Random(f"{seed}/{number}")
    pieces = random.choices(PIECES, k=random.randint(1, 60))
    match number % 4:
        case 0:
            return "".join(pieces)
        case 1:
            return pieces[0] * random.randint(1, 3_000)
        case 2:
            whole = "".join(f"{piece}word " for piece in pieces)
            return whole[random.randrange(len(whole)) :]
        case _:
            return "".join(chr(random.choice((0x80, 0x800, 0xFFFF, 0x10FFFF)) - random.randrange(0x80)) for _ in pieces)


def _parse(text: str) -> None:
    escape_unsupported(text.encode("utf-8", "replace").decode())


def _measure(text: str) -> None:
    """The bytes of a text as 8-bit vectors, of lengths that no model has."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.int8)
    dims = len(data) % 400 + 1
    rows = np.resize(data, (len(data) // dims + 1, dims))
    kernel(VectorBackend.SIMSIMD)(rows[0], rows)


PARSERS: Mapping[str, Callable[[str], object]] = {"pyromark": _parse, "simsimd": _measure}


def crashes(
    inputs: int, seed: int, *, parsers: tuple[str, ...] = tuple(PARSERS), into: Path = FIGURES, abort_at: int = -1
) -> int:
    """How many of so many texts end the process that reads them; each is written into the folder.

    Args:
        inputs: texts for each parser.
        seed: gives the same texts again.
        parsers: names of `PARSERS`.
        into: where texts that crash go.
        abort_at: the number of a text at which the process is to crash, to see that it is seen.
    """
    count, begin = 0, 0
    with tempfile.NamedTemporaryFile() as reached:
        while begin < inputs:
            words = [seed, begin, inputs, reached.name, abort_at, *parsers]
            ended = subprocess.run(
                [sys.executable, "-m", "tests.chaos.native", "--read", *map(str, words)],
                cwd=ROOT,
                capture_output=True,
                check=False,
            )
            if not ended.returncode:
                break
            said = ended.stderr.decode(errors="replace")[-1000:]
            begin, before = int(Path(reached.name).read_text() or -1), begin
            if begin < before:
                raise RuntimeError(f"The process ended before it read anything: {said}")
            into.mkdir(parents=True, exist_ok=True)
            text = hostile(seed, begin).encode("utf-8", "surrogatepass")
            (into / f"native-{seed}-{begin}.txt").write_bytes(text)
            print(f"Text {begin} ended the process ({ended.returncode}): {said}")
            count, begin = count + 1, begin + 1
    return count


def read(seed: str, begin: str, end: str, reached: str, abort_at: str, *parsers: str) -> None:
    """In a process of its own: read the texts of these numbers, and keep in a file how far it has come."""
    with Path(reached).open("r+b") as file:
        for number in range(int(begin), int(end)):
            os.pwrite(file.fileno(), f"{number:<12}".encode(), 0)
            if number == int(abort_at):
                os.abort()
            text = hostile(int(seed), number)
            for parser in parsers:
                PARSERS[parser](text)


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--read", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        return read(*options.read)
    figures = {"inputs": options.inputs, "crashes": crashes(options.inputs, options.seed), "seed": options.seed}
    print(json.dumps(figures) if options.json else figures)
    sys.exit(bool(figures["crashes"]))


if __name__ == "__main__":
    main()
