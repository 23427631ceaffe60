from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import PathRefused
from memory.files.paths import LONGEST_NAME, admit, daily_log, local_day, objection, printable
from memory.types import OWNER, chat_scope

WORDS = (
    "MEMORY notes Peter The-Castle 2026-11-21 2026-11-21-trip-to-rome Übersicht Café Ελλάδα Москва ירושלים مراكش "
    "दिल्ली 東京 北京の春 서울 Çeşme naïve Łódź São_Paulo O'Brien R&D a+b x=y @home Q1(draft) wait! a,b v1.2 $5 {x} "
    "don’t 10–12 「引用」 《书》 约翰·史密斯 plan~b 📅 a;b com lpt console nul-is-a-word conman auxiliary"
).split()
GOOD = [
    *(f"{word}.md" for word in WORDS),
    *(f"memory/{word}.md" for word in WORDS),
    *(f"bank/entities/{word} {number}.md" for word, number in product(WORDS, range(3))),
    "a",
    "a/b/c/d/e/f/g/h",
    "x" * LONGEST_NAME,
    "-dash.md",
    "_under.md",
]


def hostile() -> Iterator[str]:
    """Paths made by rule from good ones: each has one thing that no path may have."""
    whole = ["memory/2026-11-21.md", "MEMORY.md", "bank/entities/Peter.md", "a/b/c.md"]
    unsafe_names = ["..", ".", "...", ".git", ".memory", ".obsidian", "~", "~root", "", " ", "a ", " a", "a.", "a. ."]
    devices = [name + end for name in ("con", "prn", "aux", "nul", "conin$", "conout$") for end in ("", ".md", " .x")]
    devices += [f"{port}{n}{end}" for port in ("com", "lpt") for n in range(10) for end in ("", ".md", ".tar.gz")]
    aliases = [f"{stem}~{n}{end}" for stem in ("GIT", "MEMORY", "a") for n in range(10) for end in ("", ".MD")]
    marks = ["\u0301x", "\u20dd", "\u0489a"]
    for name in (*unsafe_names, *devices, *(d.upper() for d in devices), *aliases, *marks, "x" * (LONGEST_NAME + 1)):
        yield from (name, f"memory/{name}", f"memory/{name}/x.md", f"a/b/{name}")
        if name:
            yield f"{name}/x.md"
    prefixes = [
        "/",
        "//",
        "./",
        "../",
        "..\\",
        "\\",
        "C:",
        "C:\\",
        "\\\\server\\",
        "file://",
        "%2e%2e/",
        "~/",
        "memory//",
    ]
    yield from (prefix + path for prefix, path in product(prefixes, whole))
    yield from (
        path + end for path, end in product(whole, ["/", "/.", "/..", ".", " ", "\n", "\x00", ":stream", "?", "*"])
    )
    controls = [chr(n) for n in (*range(32), *range(127, 160))]
    invisible = [chr(n) for n in (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))]
    invisible += list(
        "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u2800\u3164\ufeff\uffa0\ufff9\ufffc\ufffd"
    )
    invisible += [chr(n) for n in (*range(0xFE00, 0xFE10), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE0140))]
    wide = [chr(n) for n in range(0xFF01, 0xFF5F)]
    alike = list("ﬁﬀ①½²ªº…‥․⁄∕⧸／＼：＊？＂＜＞｜℡№ℓ™㎏㍱Ⅳⅳ𝐌𝙈𝓂ℳⓂ\u212a\u212b\u2126\u00a0\u2007\u2009\u3000\u2000")
    quoted = list('<>:"|?*\\#%^[]`')
    private = ["\ue000", "\U000f0000", "\ud800", "\udcff", "\ufdd0", "\U0001ffff", "\u0378"]
    for character in (*controls, *invisible, *wide, *alike, *quoted, *private):
        for path in whole:
            yield from (path[:at] + character + path[at:] for at in range(len(path) + 1))
    decomposed = ["Cafe\u0301", "U\u0308bersicht", "\u1112\u1161\u11ab", "A\u030a", "\u0958"]
    yield from (f"{folder}{name}.md" for folder, name in product(["", "memory/", "a/b/"], decomposed))
    yield from ("/".join(["a"] * depth) for depth in range(9, 60))


def test_good_names_are_admitted_as_their_parts() -> None:
    assert len(set(GOOD)) >= 200
    for path in GOOD:
        assert "/".join(admit(path)) == path


def test_hostile_forms_are_refused() -> None:
    paths = set(hostile())
    assert len(paths) >= 20_000
    assert [path for path in paths if _is_admitted(path)] == []


def _is_admitted(path: str) -> bool:
    try:
        admit(path)
    except PathRefused:
        return False
    return True


@given(st.text(max_size=30) | st.text("./\\~ aA\u0301\u200b", max_size=12))
def test_what_is_admitted_leads_nowhere_but_down(path: str) -> None:
    try:
        names = admit(path)
    except PathRefused:
        return
    assert "/".join(names) == path
    assert all(name not in {"", ".", ".."} and "/" not in name and not name.startswith(".") for name in names)
    assert path.isprintable()


def test_a_refusal_says_what_where_and_what_to_do() -> None:
    with pytest.raises(PathRefused) as refused:
        admit("../secrets.md")
    assert "`../secrets.md`" in refused.value.message
    assert "begins with a dot" in refused.value.message
    assert refused.value.hint


def test_a_name_is_shown_with_what_cannot_be_seen_spelled_out() -> None:
    assert printable("a\u202eb\u200b\ufe0f\n\ud800") == r"a\u202eb\u200b\ufe0f\u000a\ud800"
    assert printable("x" * 100) == "x" * 80 + "…"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\u017fecret.md", "normal form"),
        ("\u212a.md", "normal form"),
        ("a" * 201, "too long"),
        ("com.md", ""),
        ("CONSOLE.md", ""),
        ("nul-x.md", ""),
    ],
)
def test_the_short_way_for_plain_names_agrees_with_the_rules(name: str, why: str) -> None:
    found = objection(name)
    assert (found is None) == (not why)
    assert found is None or why in found[0]


def test_the_owner_and_guests_have_logs_of_their_own() -> None:
    assert daily_log("2026-11-21", OWNER) == "memory/2026-11-21.md"
    assert daily_log("2026-11-21", chat_scope("telegram.1:-100")) == "memory/guests/2026-11-21.md"


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2026-11-21T22:59:59+00:00", "Europe/Berlin", "2026-11-21"),
        ("2026-11-21T23:00:00+00:00", "Europe/Berlin", "2026-11-22"),
        ("2026-03-29T22:30:00+00:00", "Europe/Berlin", "2026-03-30"),  # summer time has begun this morning
        ("2026-10-25T22:30:00+00:00", "Europe/Berlin", "2026-10-25"),  # and has ended
        ("2026-11-21T10:00:00+00:00", "Pacific/Kiritimati", "2026-11-22"),
        ("2026-11-21T10:00:00+00:00", "Pacific/Pago_Pago", "2026-11-20"),
        ("2011-12-30T11:00:00+00:00", "Pacific/Apia", "2011-12-31"),  # there was no 30th
    ],
)
def test_the_day_is_the_owners(instant: str, zone: str, day: str) -> None:
    assert local_day(datetime.fromisoformat(instant), ZoneInfo(zone)) == day


@given(st.integers(0, 2**31), st.sampled_from(["Europe/Berlin", "Asia/Kolkata"]))
def test_a_day_has_one_name_from_midnight_to_midnight(second: int, zone: str) -> None:
    local = datetime.fromtimestamp(second, UTC).astimezone(ZoneInfo(zone))
    assert local_day(local, ZoneInfo(zone)) == f"{local:%Y-%m-%d}"
    assert local_day(local, ZoneInfo(zone)) <= local_day(local + timedelta(days=1), ZoneInfo(zone))
