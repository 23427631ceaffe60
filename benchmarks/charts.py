"""The charts of docs/benchmarks.md, drawn as SVG from what the benchmarks left in `figures/`.

    python -m benchmarks.charts [FOLDER]

`quality-<corpus>.svg` needs `benchmarks.recall_quality` and `benchmarks.peers` on that corpus; `speed-words.svg`,
`speed-hybrid.svg` and `speed-vectors.svg` need `benchmarks.recall_speed`, with `--units 1000 10000 100000` for lines of
three points. Each of those has the line of the raw read: how long it takes to read all vectors once. A chart whose
figures are not there is left as it is, and named.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from benchmarks import figures
from benchmarks.recall_quality import MEASURES
from memory.types import VectorBackend

OURS = "Scrubjay"
RAW = "raw float32 read"
PLAIN = "FTS5, plain"
LINKS = frozenset(VectorBackend)
SHOWN: Mapping[str, Sequence[str]] = {"locomo-dev": MEASURES, "beam-dev": ("eR@10", "eR@8k")}
"""Measures by corpus: a conversation of BEAM has fewer files than ten, so that finding files says nothing."""
WIDTH = 860

Series = Mapping[str, Sequence[tuple[float, float]]]
"""Points of lines by their names: units and milliseconds."""

_STYLE = """
text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;fill:#24292f}
.head{font-size:15px;font-weight:600}.small{font-size:11px}.dim{fill:#57606a}.end{text-anchor:end}.mid{text-anchor:middle}
.page{fill:#ffffff;stroke:#d0d7de}.grid{stroke:#d0d7de}.bar{fill:#8c959f}.ours{fill:#0969da}
.line{fill:none;stroke-width:2}.raw{stroke:#57606a;stroke-dasharray:6 4}.s0{stroke:#0969da;stroke-width:3}
.s1{stroke:#9a6700}.s2{stroke:#116329}.s3{stroke:#8250df}.s4{stroke:#b3261e}.s5{stroke:#1b7c83}.s6{stroke:#bf3989}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.page{fill:#0d1117;stroke:#30363d}
.grid{stroke:#30363d}.bar{fill:#6e7681}.ours{fill:#58a6ff}.raw{stroke:#9198a1}.s0{stroke:#58a6ff}.s1{stroke:#d29922}
.s2{stroke:#7ee787}.s3{stroke:#d2a8ff}.s4{stroke:#ff7b72}.s5{stroke:#56d4dd}.s6{stroke:#f778ba}}
""".replace("\n", "")

COLOURS = 6  # besides ours and the raw read, `s1` to `s6`
_ROW = 19  # from one bar to the next
_LABELS = 118  # left of the bars


def _picture(title: str, note: str, height: float, inner: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="6"/>'
        f'<text class="head" x="20" y="30">{escape(title)}</text>'
        f'<text class="small dim" x="20" y="48">{escape(note)}</text>{inner}</svg>\n'
    )


def bars(title: str, note: str, panels: Mapping[str, Mapping[str, float]]) -> str:
    """A panel of horizontal bars for each measure, three in a row; a bar is a share of 1, told in per cent."""
    columns, gap, top = min(3, len(panels)), 24, 78
    wide = (WIDTH - 40 - gap * (columns - 1)) / columns
    high = max(len(panel) for panel in panels.values()) * _ROW + 44
    inner = ""
    for place, (measure, panel) in enumerate(panels.items()):
        left, upper = 20 + place % columns * (wide + gap), top + place // columns * high
        inner += f'<text x="{left + _LABELS:.1f}" y="{upper:.1f}">{escape(measure)}</text>'
        for number, (name, value) in enumerate(panel.items()):
            y = upper + 10 + number * _ROW
            length = max(0.5, value * (wide - _LABELS - 36))
            kind = "ours" if name == OURS else "bar"
            inner += (
                f'<text class="small end" x="{left + _LABELS - 6:.1f}" y="{y + 11:.1f}">{escape(name)}</text>'
                f'<rect class="{kind}" x="{left + _LABELS:.1f}" y="{y:.1f}" width="{length:.1f}" height="14" rx="2"/>'
                f'<text class="small" x="{left + _LABELS + length + 4:.1f}" y="{y + 11:.1f}">{100 * value:.1f}</text>'
            )
    return _picture(title, note, top + math.ceil(len(panels) / columns) * high - 10, inner)


def lines(title: str, note: str, series: Series) -> str:
    """Lines over units on logarithmic scales, each named at its end."""
    left, right, top, bottom, height = 78, WIDTH - 190, 72, 380, 420
    units = sorted({x for points in series.values() for x, _ in points})
    times = [y for points in series.values() for _, y in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(units[0]), math.log10(units[-1])

    def across(x: float) -> float:
        return left + (math.log10(x) - first) / (last - first or 1) * (right - left)

    def down(y: float) -> float:
        return bottom - (math.log10(y) - low) / (high - low or 1) * (bottom - top)

    inner = "".join(
        f'<line class="grid" x1="{left}" x2="{right}" y1="{down(10**power):.1f}" y2="{down(10**power):.1f}"/>'
        f'<text class="small dim end" x="{left - 8}" y="{down(10**power) + 4:.1f}">{10**power:,g} ms</text>'
        for power in range(low, high + 1)
    )
    inner += "".join(
        f'<text class="small dim mid" x="{across(x):.1f}" y="{bottom + 20}">{x:,.0f} units</text>' for x in units
    )
    coloured = [name for name in series if name not in {OURS, RAW}]
    kinds = {OURS: "s0", RAW: "raw"} | {name: f"s{1 + at % COLOURS}" for at, name in enumerate(coloured)}
    for name, points in series.items():
        path = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in sorted(points))
        inner += f'<polyline class="line {kinds[name]}" points="{path}"/>'
    ends = {name: max(points) for name, points in series.items()}
    places = _apart({name: down(y) for name, (_, y) in ends.items()})
    for name, y in places.items():
        told = f"{name}: {_short(ends[name][1])}"
        inner += (
            f'<line class="line {kinds[name]}" x1="{right + 8}" x2="{right + 26}" y1="{y - 4:.1f}" y2="{y - 4:.1f}"/>'
            f'<text class="small" x="{right + 32}" y="{y:.1f}">{escape(told)}</text>'
        )
    return _picture(title, note, height, inner)


def _short(value: float) -> str:
    """Three digits at least, and no exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _apart(wanted: Mapping[str, float], step: float = 16) -> dict[str, float]:
    """Places of labels near where they are wanted, from top to bottom, none over another."""
    placed: dict[str, float] = {}
    for name, y in sorted(wanted.items(), key=lambda one: one[1]):
        placed[name] = max(y + 4, *(other + step for other in placed.values())) if placed else y + 4
    return placed


def quality(corpus: str, ours: Mapping[str, Any], peers: Mapping[str, Any]) -> str:
    """Everything's measures on one corpus."""
    everything = {OURS: ours["all"]["all"]} | {name: peers[name]["all"] for name in sorted(peers)}
    panels = {measure: {name: found[measure] for name, found in everything.items()} for measure in SHOWN[corpus]}
    questions = everything[OURS]["n"]
    return bars(
        f"How well it finds: {corpus.removesuffix('-dev')}",
        f"Per cent, {questions:,.0f} questions, the same embedder for all. fR: gold files; eR: gold passages.",
        panels,
    )


def speeds(kept: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The charts of `recall_speed`: names of files, and what is in them."""
    counts = sorted(int(name) for name in kept if name.isdigit())

    def line(name: str, figure: str = "ms") -> list[tuple[float, float]]:
        return [(n, kept[str(n)][name][figure]) for n in counts if figure in kept[str(n)].get(name, {})]

    raw = line(RAW)
    names = list(dict.fromkeys(name for count in counts for name in kept[str(count)]))
    note = "CPU time of a question in milliseconds, the median; random vectors of 384 numbers."
    words = {OURS: line("words and meaning", "words_ms"), PLAIN: line(PLAIN), RAW: raw}
    both = {OURS: line("words and meaning", "hybrid_ms"), RAW: raw}
    both |= {name.removesuffix(", hybrid"): line(name) for name in names if name.endswith(", hybrid")}
    rest = [name for name in names if name not in {RAW, "words and meaning", PLAIN}]
    vectors = {RAW: raw} | {
        (f"{OURS}, {name.split(',')[0]}" if name in LINKS else name): line(name)
        for name in rest
        if not name.endswith(", hybrid")
    }
    for chart, title, series in (
        ("speed-words", "What a question costs: by words", words),
        ("speed-hybrid", "What a question costs: by words and meaning", both),
        ("speed-vectors", "What a question costs: the vectors by themselves", vectors),
    ):
        drawn = {name: points for name, points in series.items() if len(points) > 1}
        if len(drawn) > 1:
            yield chart, lines(title, note, drawn)


def charts(kept: Path) -> Iterator[tuple[str, str]]:
    """All charts that the files of a folder are enough for."""
    peers = _read(kept / "peers.json")
    for corpus in SHOWN:
        if (ours := _read(kept / f"recall_quality-{corpus}.json")) and corpus in peers:
            yield f"quality-{corpus.removesuffix('-dev')}", quality(corpus, ours, peers[corpus])
    yield from speeds(_read(kept / "recall_speed.json"))


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        print(f"{path} is not there; its charts stay as they are.", file=sys.stderr)
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=figures.ROOT / "docs" / "pictures")
    folder = parser.parse_args().folder
    for name, drawn in charts(figures.ROOT / "figures"):
        (folder / f"{name}.svg").write_text(drawn, encoding="utf-8")
        print(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
