"""Small charts as SVG, drawn on the server: histograms, bars of a score, lines of a few points, a calendar, health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType

from markupsafe import Markup

WIDTH, HEIGHT = 320, 90
"""Of a histogram and a line, in units of the picture, which grows with its box."""
CELL = 11
"""Width and height of a day in the calendar, its gap included."""
LEVELS = 4
"""Shades of a day beside the empty one."""

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF} - {0x09, 0x0A, 0x0D}
_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_SHOWN = {code: f"[U+{code:04X}]" for code in {*_CONTROLS, *_BIDI}}


def legible(text: str) -> str:
    """Return a text with the signs named that nobody sees: those that turn the direction of writing, and controls."""
    return text.translate(_SHOWN)


def _svg(width: float, height: float, title: str, inner: Markup, kind: str, *, role: str = "img") -> Markup:
    return Markup(
        '<svg class="chart {}" viewBox="0 0 {} {}" role="{}" aria-label="{}"><title>{}</title>{}</svg>'
    ).format(kind, _round(width), _round(height), role, legible(title), legible(title), inner)


def _round(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def histogram(bins: Sequence[tuple[str, float]], title: str) -> Markup:
    """Draw how many there are in each bin, a label and a count; `title` says what, for whoever does not see it."""
    most = max((count for _, count in bins), default=0) or 1
    step = WIDTH / max(1, len(bins))
    drawn = Markup()
    for place, (label, count) in enumerate(bins):
        height = (HEIGHT - 20) * count / most
        drawn += Markup(
            '<g><rect x="{}" y="{}" width="{}" height="{}"><title>{}: {:,}</title></rect>'
            '<text x="{}" y="{}" text-anchor="middle">{}</text></g>'
        ).format(
            _round(place * step + 1),
            _round(HEIGHT - 14 - height),
            _round(max(1, step - 2)),
            _round(max(height, 0.5)),
            legible(label),
            count,
            _round((place + 0.5) * step),
            HEIGHT - 3,
            legible(label) if len(bins) <= 12 or place % 5 == 0 else "",
        )
    return _svg(WIDTH, HEIGHT, title, drawn, "histogram")


def sparkline(values: Sequence[float], title: str, *, least: float | None = None, most: float | None = None) -> Markup:
    """Draw a line through values at equal distances; `least` and `most` are its lower and upper end.

    What lies beyond an end is drawn at it.
    """
    low = min(values, default=0.0) if least is None else least
    high = max(values, default=1.0) if most is None else most
    span = (high - low) or 1.0
    step = WIDTH / max(1, len(values) - 1)
    heights = [min(1.0, max(0.0, (value - low) / span)) for value in values]
    points = " ".join(f"{_round(place * step)},{_round(28 - 26 * height)}" for place, height in enumerate(heights))
    return _svg(WIDTH, 30, title, Markup('<polyline points="{}"/>').format(points), "sparkline")


def score_bars(
    parts: Mapping[str, float], title: str, colours: Mapping[str, int] = MappingProxyType({}), *, most: float = 0.0
) -> Markup:
    """Draw the summands of a score side by side, each as long as it is large; what takes away is lower.

    Args:
        parts: by their names.
        title: the sum, for whoever does not see it.
        colours: numbers of colours by names; without one, a part has that of its place.
        most: the score that takes the whole width; its own if left out.
    """
    total = max(most, sum(abs(value) for value in parts.values())) or 1.0
    drawn, at = Markup(), 0.0
    for place, (name, value) in enumerate(parts.items()):
        length = WIDTH * abs(value) / total
        drawn += Markup(
            '<rect class="part part-{}{}" x="{}" y="{}" width="{}" height="10"><title>{} {:+.3f}</title></rect>'
        ).format(
            colours.get(name, place % 8),
            "" if value >= 0 else " minus",
            _round(at),
            0 if value >= 0 else 4,
            _round(length),
            legible(name),
            value,
        )
        at += length
    return _svg(WIDTH, 14, title, drawn, "score")


def calendar(counts: Mapping[str, int], *, last: date, weeks: int = 53, link: str = "", title: str = "") -> Markup:
    """Draw a year up to the week of the `last` day, weeks side by side, each day darker the more it has.

    A day leads to the `link`, with the day in the place of `{day}`; to nothing if that is empty.
    """
    monday = last - min(timedelta(days=last.weekday() + 7 * (weeks - 1)), last - date.min)
    most = max(counts.values(), default=0) or 1
    drawn = Markup()
    for offset in range((last - monday).days + 1):
        day = monday + timedelta(days=offset)
        count = counts.get(day.isoformat(), 0)
        level = 0 if not count else 1 + min(LEVELS - 1, LEVELS * count // (most + 1))
        cell = Markup(
            '<rect class="day level-{}" x="{}" y="{}" width="{}" height="{}"><title>{}: {}</title></rect>'
        ).format(level, offset // 7 * CELL, 12 + offset % 7 * CELL, CELL - 2, CELL - 2, day.isoformat(), count)
        if link and count:
            cell = Markup('<a href="{}">{}</a>').format(link.replace("{day}", day.isoformat()), cell)
        drawn += cell
        if day.day == 1:
            drawn += Markup('<text x="{}" y="8">{}</text>').format(offset // 7 * CELL, f"{day:%m}")
    return _svg(weeks * CELL, 12 + 7 * CELL, title, drawn, "calendar", role="group" if link else "img")


def health(states: Sequence[str], title: str) -> Markup:
    """Draw how something was at several times, the newest on the right: `ok`, `degraded`, `down` or `unknown`."""
    drawn = Markup()
    for place, state in enumerate(states):
        drawn += Markup(
            '<rect class="state-{}" x="{}" y="0" width="4" height="20" rx="1"><title>{}</title></rect>'
        ).format(legible(state), place * 6, legible(state))
    return _svg(max(1, len(states)) * 6, 20, title, drawn, "health")
