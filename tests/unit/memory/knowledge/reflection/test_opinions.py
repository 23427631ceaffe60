from __future__ import annotations

import math
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.types import Stored
from memory.index.units import Unit
from memory.knowledge.reflection.opinions import LARGE, PATH, SMALL, fold, read, reflect, step_of
from memory.knowledge.reflection.stance import Judge, Stance, stance
from memory.types import OWNER, Evidence, Kind, Origin

FOR, AGAINST = Stance.SUPPORTS, Stance.CONTRADICTS
NUMBERS = count(1)


def said(text: str, day: str, *, kind: Kind = Kind.WORLD, about: str = "Peter", **more: Any) -> Stored:
    number = next(NUMBERS)
    name, path = f"f{number}", f"memory/{day}.md"
    unit = Unit(name, kind, 4, 4, text, text, Origin.OWNER, OWNER, entities=(about,), first=day, **more)
    return Stored(number, 1, number, path, unit)


def opinion(text: str, day: str, c: str = "0.7", about: str = "Peter") -> Stored:
    return said(text, day, kind=Kind.OPINION, about=about, attributes=(("c", c),))


class Sources(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "owner"


def reflected(page: str, *facts: Stored, sources: dict[str, str] | None = None, judge: Judge = stance) -> str:
    names = (f"o{n}" for n in count(1))
    source_of = Sources(sources or {}).__getitem__
    return reflect(page, facts, source_of=source_of, new_id=lambda: next(names), judge=judge)[0]


SHORT = "Prefers short answers."
LIKES, WANTS_LONG = "Peter asked for short answers again.", "Peter wants long answers."


def test_an_opinion_of_a_log_comes_into_the_page_with_where_it_was_said() -> None:
    first = opinion(SHORT, "2026-01-03", "0.95")

    page = reflected("", first)

    assert page.splitlines() == [
        "# Opinions",
        "",
        "- O(c=0.95) @Peter: Prefers short answers. ^o1",
        f"  <!-- scrubjay:evidence ^o1 from 0.95; 2026-01-03 +0.00 memory/2026-01-03.md#^{first.unit.name} -->",
    ]
    assert reflected(page, first) == page


def test_confidence_moves_by_a_quarter_of_log_odds_for_each_source_and_day() -> None:
    facts = [
        opinion(SHORT, "2026-01-03"),
        said(LIKES, "2026-01-04"),
        said(LIKES + "!", "2026-01-04"),
        said(WANTS_LONG, "2026-01-05"),
    ]

    [one] = read(reflected("", *facts))

    assert [piece.step for piece in one.evidence] == [0.0, SMALL, -SMALL]
    assert one.confidence == 0.7


def test_a_large_step_takes_three_contradictions_of_two_days_and_two_sources() -> None:
    against = [said(WANTS_LONG, f"2026-01-{day:02}") for day in (4, 5, 6, 7, 8, 9)]
    facts = [opinion(SHORT, "2026-01-03"), *against]

    [alone] = read(reflected("", *facts))
    assert [piece.step for piece in alone.evidence[1:]] == [-SMALL] * 6
    [both] = read(reflected("", *facts, sources={against[1].unit.name: "anna", against[4].unit.name: "anna"}))
    assert [piece.step for piece in both.evidence[1:]] == [-SMALL, -SMALL, -LARGE, -SMALL, -SMALL, -LARGE]


def test_a_person_may_edit_everything_and_what_they_write_is_what_moves_on() -> None:
    first, again = opinion(SHORT, "2026-01-03"), said(LIKES, "2026-01-05")
    page = reflected("", first)
    edited = page.replace("c=0.7)", "c=0.4)").replace("# Opinions\n", "# What I think\n\nMy own words.\n")

    moved = reflected(edited, first, again)

    [one] = read(moved)
    assert one.confidence == round(fold(0.4, [Evidence("", SMALL, "", "")]), 2) == 0.46
    assert moved.startswith("# What I think\n\nMy own words.\n")


def test_a_bullet_by_hand_is_weighed_too() -> None:
    page = "# Opinions\r\n\r\n- Peter prefers short answers.\r\n- O(v=0.2) @Anna: Likes tea.\r\n"

    moved = reflected(page, said(LIKES, "2026-01-04"), said("Anna hates tea.", "2026-01-05", about="Anna"))

    peter, anna = read(moved)
    assert (peter.confidence, anna.confidence) == (0.75, 0.65)
    assert moved.splitlines()[2] == "- O(c=0.75): Peter prefers short answers."
    assert moved.splitlines()[4] == "- O(c=0.65, v=0.2) @Anna: Likes tea."
    assert moved.count("\r\n") == moved.count("\n")


def test_who_says_that_it_is_unlikely_speaks_against_it() -> None:
    [one] = read(reflected("", opinion(SHORT, "2026-01-03"), opinion(SHORT, "2026-01-05", "0.2")))
    assert one.confidence == round(fold(0.7, [Evidence("", -SMALL, "", "")]), 2)


def test_opinions_of_others_are_not_moved() -> None:
    facts = [opinion("Likes tea.", "2026-01-03"), opinion("Likes tea.", "2026-01-03", about="Anna")]
    peter, anna = read(reflected("", *facts, said("Anna hates tea.", "2026-01-05", about="Anna")))
    assert (peter.confidence, anna.confidence) == (0.7, 0.65)


@pytest.mark.parametrize(("written", "kept"), [("1", 0.98), ("0", 0.02), ("0.5", 0.5)])
def test_nothing_is_certain(written: str, kept: float) -> None:
    [one] = read(reflected("", opinion(SHORT, "2026-01-03", written)))
    assert one.confidence == kept


@pytest.mark.parametrize("bullet", ["- O(c=7) @Peter: Likes tea.", "- O(c=x): y", "- W @Peter: Lives in Rome.", "text"])
def test_what_is_no_opinion_is_left_as_it_is(bullet: str) -> None:
    assert list(read(f"{bullet}\n")) == []
    assert reflected(f"{bullet}\n") == f"{bullet}\n"


def test_the_page_itself_is_no_evidence() -> None:
    page = reflected("", opinion(SHORT, "2026-01-03"))
    own = Stored(1, 1, 1, PATH, opinion(SHORT, "2026-01-03").unit)
    assert reflected(page, own) == page


STEPS = st.lists(st.tuples(st.booleans(), st.integers(1, 4), st.sampled_from(["a", "b", "c"])), max_size=25)


@given(st.floats(0.02, 0.98), STEPS)
def test_the_fold_is_what_the_rule_says(start: float, pieces: list[tuple[bool, int, str]]) -> None:
    """Against the rule written down a second time, plainly."""
    evidence: list[Evidence] = []
    sources: dict[str, str] = {}
    seen: set[tuple[bool, int, str]] = set()
    waiting: list[tuple[int, str]] = []
    odds = math.log(start / (1 - start))
    for number, (is_for, day, source) in enumerate(pieces):
        step = step_of(
            evidence, FOR if is_for else AGAINST, day=f"2026-01-{day:02}", source=source, source_of=sources.__getitem__
        )
        if (is_for, day, source) in seen:
            assert step == 0
            continue
        seen.add((is_for, day, source))
        if is_for:
            expected = 0.25
        else:
            waiting.append((day, source))
            is_large = (
                len(waiting) >= 3 and len({day for day, _ in waiting}) >= 2 and len({who for _, who in waiting}) >= 2
            )
            expected = -1.0 if is_large else -0.25
            waiting = [] if is_large else waiting
        assert step == expected
        odds += expected
        sources[str(number)] = source
        evidence.append(Evidence(f"2026-01-{day:02}", step, "p", str(number)))
    assert fold(start, evidence) == pytest.approx(min(max(1 / (1 + math.exp(-odds)), 0.02), 0.98))


def test_a_fact_is_compared_with_opinions_about_the_same_alone_and_never_again_once_it_counts() -> None:
    names = [f"Peter{number}" for number in range(20)]
    begun = [opinion(f"{name} prefers short answers.", "2026-01-03", about=name) for name in names]
    page = reflected("", *begun)
    again = said("Peter7 prefers short answers.", "2026-01-05", about="Peter7")
    compared = dict[tuple[str, str], None]()

    def judge(statement: str, new: str, *, names: tuple[str, ...] = ()) -> Stance:
        compared[statement, new] = None
        return stance(statement, new, names=names)

    page = reflected(page, again, judge=judge)

    assert [*compared] == [("Peter7 prefers short answers.", again.unit.body)]
    compared.clear()
    assert reflected(page, again, judge=judge) == page
    assert not compared
