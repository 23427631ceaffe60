from __future__ import annotations

import math
from datetime import date
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from bot.web import charts

TEXTS = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    [
        '"><script>alert(1)</script>',
        "</svg><img src=x onerror=alert(1)>",
        "' onload='x",
        "&#x3c;",
        "\0",
        "\u202e",
        "]]>",
    ]
)
NUMBERS = st.floats(-1e9, 1e9)
COUNTS = st.integers(0, 10**9)
DRAWN = {"svg", "title", "g", "rect", "text", "polyline", "a"}
ALLOWED = "aria-label class height href points role rx text-anchor viewBox width x y".split()


def drawing(made: Markup) -> list[ET.Element]:
    """The elements of a picture, which is well-formed and has none but those that are drawn."""
    elements = list(ET.fromstring(made).iter())
    assert {element.tag for element in elements} <= DRAWN
    assert {name for element in elements for name in element.attrib} <= {*ALLOWED}
    return elements


@given(st.lists(st.tuples(TEXTS, COUNTS), max_size=40), TEXTS)
def test_a_histogram_has_a_bar_for_every_bin_within_its_box(bins: list[tuple[str, int]], title: str) -> None:
    elements = drawing(charts.histogram(bins, title))
    bars = [element for element in elements if element.tag == "rect"]

    assert len(bars) == len(bins)
    assert all(0 <= float(bar.attrib["y"]) <= charts.HEIGHT for bar in bars)
    assert all(float(bar.attrib["x"]) + float(bar.attrib["width"]) <= charts.WIDTH + 1 for bar in bars)


@given(st.lists(NUMBERS, max_size=50), TEXTS, st.none() | NUMBERS, st.none() | NUMBERS)
def test_a_sparkline_has_a_point_for_every_value(
    values: list[float], title: str, least: float | None, most: float | None
) -> None:
    line = drawing(charts.sparkline(values, title, least=least, most=most))[-1]
    points = line.attrib["points"].split()

    assert len(points) == len(values)
    assert all(math.isfinite(float(part)) for point in points for part in point.split(","))


def test_a_sparkline_stays_between_its_ends_however_far_apart_its_values_are() -> None:
    line = drawing(charts.sparkline([4e8, 5.9e-299, -1e308, 1e308], "", most=0.0))[-1]

    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert all(2 <= height <= 28 for height in heights)


@given(st.dictionaries(TEXTS, st.floats(-1e6, 1e6), max_size=12), TEXTS)
def test_the_parts_of_a_score_fill_its_bar(parts: dict[str, float], title: str) -> None:
    bars = [one for one in drawing(charts.score_bars(parts, title)) if one.tag == "rect"]

    assert len(bars) == len(parts)
    assert sum(float(bar.attrib["width"]) for bar in bars) <= charts.WIDTH + len(bars)


@given(st.dictionaries(st.dates().map(date.isoformat) | TEXTS, COUNTS), st.dates(date(1990, 1, 1)), TEXTS, TEXTS)
def test_a_calendar_has_every_day_of_its_weeks(counts: dict[str, int], last: date, link: str, title: str) -> None:
    days = [
        one
        for one in drawing(charts.calendar(counts, last=last, weeks=5, link=link, title=title))
        if "day" in one.attrib.get("class", "").split()
    ]

    assert len(days) == 28 + last.weekday() + 1


@given(st.lists(st.sampled_from(["ok", "degraded", "down", "unknown"]) | TEXTS, max_size=40), TEXTS)
def test_health_has_a_bar_for_every_time(states: list[str], title: str) -> None:
    assert len([one for one in drawing(charts.health(states, title)) if one.tag == "rect"]) == len(states)


def test_more_is_drawn_higher_and_said_to_whoever_does_not_see_it() -> None:
    elements = drawing(charts.histogram([("Mon", 1), ("Tue", 2000)], "Facts by day"))
    low, high = (float(one.attrib["height"]) for one in elements if one.tag == "rect")

    assert low < high
    assert elements[0].attrib["role"] == "img"
    assert elements[0].attrib["aria-label"] == "Facts by day"
    assert "Tue: 2,000" in [one.text for one in elements]


def test_a_day_with_something_leads_to_it_and_is_darker_with_more() -> None:
    counts = {"2026-11-20": 1, "2026-11-21": 9}
    elements = drawing(charts.calendar(counts, last=date(2026, 11, 21), weeks=2, link="/day/{day}", title="Days"))
    shades = {one[0].text: one.attrib["class"] for one in elements if one.tag == "rect"}

    assert [one.attrib["href"] for one in elements if one.tag == "a"] == ["/day/2026-11-20", "/day/2026-11-21"]
    assert shades["2026-11-19: 0"] == "day level-0"
    assert shades["2026-11-20: 1"] < shades["2026-11-21: 9"] == "day level-4"


def test_what_lowers_a_score_is_told_from_what_raises_it() -> None:
    elements = drawing(charts.score_bars({"words": 0.5, "age": -0.25}, "Score"))
    raises, lowers = [one for one in elements if one.tag == "rect"]

    assert (raises[0].text, lowers[0].text) == ("words +0.500", "age -0.250")
    assert "minus" in lowers.attrib["class"]
    assert float(raises.attrib["width"]) == pytest.approx(2 * float(lowers.attrib["width"]), abs=0.2)


def test_signs_that_nobody_sees_are_named() -> None:
    assert charts.legible("a\u202eb\0c\x1b[0m\ud800 é 你 \t\n") == "a[U+202E]b[U+0000]c[U+001B][0m[U+D800] é 你 \t\n"
