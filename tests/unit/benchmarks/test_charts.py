"""Charts are drawn from figures: every value is told, a longer bar is more, a chart of speed has the raw read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks.charts import OURS, RAW, bars, charts, lines

SVG = "{http://www.w3.org/2000/svg}"
MEASURED = {"fR@1": 0.5, "fR@5": 0.6, "fR@10": 0.7, "NDCG@10": 0.65, "eR@10": 0.4, "eR@8k": 0.45}


def texts(drawn: str) -> list[str]:
    return [found.text or "" for found in ET.fromstring(drawn).iter(f"{SVG}text")]


def points(drawn: str, kind: str) -> list[tuple[float, float]]:
    (line,) = [one for one in ET.fromstring(drawn).iter(f"{SVG}polyline") if kind in one.attrib["class"].split()]
    pairs = (point.split(",") for point in line.attrib["points"].split())
    return [(float(across), float(down)) for across, down in pairs]


def test_bars_are_as_long_as_their_values() -> None:
    drawn = bars("Found", "in per cent", {"fR@1": {OURS: 0.75, "other <1>": 0.25}, "fR@5": {OURS: 0.9}})

    assert {"Found", "in per cent", "fR@1", "fR@5", OURS, "other <1>", "75.0", "25.0", "90.0"} <= set(texts(drawn))
    widths = [float(one.attrib["width"]) for one in ET.fromstring(drawn).iter(f"{SVG}rect")][1:]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.2)
    assert 'class="ours"' in drawn


def test_lines_rise_by_the_same_height_for_the_same_factor() -> None:
    series = {OURS: [(1000, 1.0), (10_000, 10.0), (100_000, 100.0)], RAW: [(1000, 0.1), (100_000, 10.0)]}
    drawn = lines("Cost", "in milliseconds", series)

    first, second, third = points(drawn, "s0")
    assert second[0] - first[0] == pytest.approx(third[0] - second[0], abs=0.2)
    assert first[1] - second[1] == pytest.approx(second[1] - third[1], abs=0.2)
    assert points(drawn, "raw")[0][1] > first[1]
    assert {"1,000 units", "100,000 units", f"{OURS}: 100", f"{RAW}: 10", "0.1 ms", "100 ms"} <= set(texts(drawn))


def test_names_at_the_ends_of_lines_do_not_cover_each_other() -> None:
    drawn = lines("Cost", "", {f"store {at}": [(1000, 1.0), (10_000, 10 + at / 100)] for at in range(5)})

    at = [float(found) for found in re.findall(r'y="([\d.]+)">store', drawn)]
    assert len(at) == 5
    assert min(abs(one - other) for one in at for other in at if one is not other) >= 16


def test_every_chart_is_drawn_for_which_there_are_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = {"n": 3, **MEASURED}
    speed = {RAW: {"ms": 1}, "simsimd": {"ms": 2}, "lancedb": {"ms": 3}, "lancedb, hybrid": {"ms": 9}}
    speed |= {"words and meaning": {"hybrid_ms": 5, "words_ms": 4}, "FTS5, plain": {"ms": 2}}
    kept = {
        "peers": {"locomo-dev": {"fts5": {"all": one}}, "beam-dev": {"fts5": {"all": one}}},
        "recall_quality-locomo-dev": {"all": {"all": one}},
        "recall_speed": {"1000": speed, "10000": speed, "embedding": {"passages_per_s": 9}},
    }
    for name, figures in kept.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"figures": figures}), encoding="utf-8")
    found = dict(charts(tmp_path))

    assert found.keys() == {"quality-locomo", "speed-words", "speed-hybrid", "speed-vectors"}
    assert {"50.0", "fts5", OURS} <= set(texts(found["quality-locomo"]))
    for name in ("speed-words", "speed-hybrid", "speed-vectors"):
        assert f"{RAW}: 1" in texts(found[name])
    assert {f"{OURS}: 4", "FTS5, plain: 2"} <= set(texts(found["speed-words"]))
    assert {f"{OURS}: 5", "lancedb: 9"} <= set(texts(found["speed-hybrid"]))
    assert {f"{OURS}, simsimd: 2", "lancedb: 3"} <= set(texts(found["speed-vectors"]))
    assert "recall_quality-beam-dev.json is not there" in capsys.readouterr().err
