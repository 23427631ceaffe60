from __future__ import annotations

import re

import pytest

from memory import FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay


def remembered(scrubjay: Scrubjay, text: str) -> str:
    written = scrubjay("memory", "remember", text, "--json").json["written"]
    return str(written[0]["id"])


def test_what_fades_next_is_shown_as_text_and_as_json(scrubjay: Scrubjay, clock: FrozenClock) -> None:
    trifle = remembered(scrubjay, "W(i=0.25): The bus was late.")
    remembered(scrubjay, "The tent is in the cellar.")

    shown = scrubjay("memory", "due")
    assert shown.out.startswith("2026-12-18  The bus was late. (")
    assert shown.err == "1 fact to fade within 30 days; 0 faded, 0 pinned.\n"
    found = scrubjay("memory", "due", "--days", "300", "--json").json
    assert [fact["strength"]["due"] for fact in found["facts"]] == ["2026-12-18", "2027-06-18"]
    clock.advance(days=40)
    assert scrubjay("memory", "due", "--json").json == {"facts": [], "faded": 1, "pinned": 0}
    assert scrubjay("memory", "pin", f"^{trifle}", "--json").json["strength"]["pinned"] is True
    assert scrubjay("memory", "due", "--json").json == {"facts": [], "faded": 0, "pinned": 1}


@pytest.mark.parametrize("words", [("--days", "0"), ("--limit", "0"), ("--days", "-5")])
def test_a_span_that_makes_no_sense_is_a_misuse(scrubjay: Scrubjay, words: tuple[str, str]) -> None:
    assert scrubjay("memory", "due", *words).code == 2


def test_a_walk_shows_facts_as_text_and_as_json(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "wander").err == "There are no facts to wander over yet.\n"
    facts = {remembered(scrubjay, f"The {thing} is in the cellar.") for thing in ("tent", "sledge", "drill")}

    walked = scrubjay("memory", "wander", "--json").json["facts"]

    assert {fact["id"] for fact in walked} == facts
    assert len(re.findall(r"^\d  memory/", scrubjay("memory", "wander", "--limit", "2").out, re.MULTILINE)) == 2
    assert scrubjay("memory", "wander", "--limit", "0").code == 2


def test_a_fact_is_pinned_let_go_and_the_pin_undone(scrubjay: Scrubjay) -> None:
    fact = remembered(scrubjay, "The tent is in the cellar.")

    assert "pinned, last reviewed 2026-11-21, does not fade" in scrubjay("memory", "pin", f"^{fact}").out
    assert "pinned" in scrubjay("memory", "explain", f"^{fact}").out
    assert "fades on 2027-06-18" in scrubjay("memory", "pin", fact, "--off").out
    assert scrubjay("memory", "pin", "^nothere1").code == 4


def test_what_has_faded_is_found_with_an_option_and_told_about_without(scrubjay: Scrubjay, clock: FrozenClock) -> None:
    remembered(scrubjay, "W(i=0.25) @Peter: The bus was late.")
    clock.advance(days=40)

    found = scrubjay("memory", "recall", "Peter")
    assert "(`--faded` shows them)" in found.err
    assert "bus" not in found.out
    assert "The bus was late." in scrubjay("memory", "recall", "Peter", "--faded").out
    assert "The bus was late." in scrubjay("memory", "recall", "--faded").out
    assert "fades on 2026-12-18" in scrubjay("memory", "explain", "Peter", "--faded").out


def test_stats_draw_the_strength_of_facts(scrubjay: Scrubjay, clock: FrozenClock) -> None:
    remembered(scrubjay, "The tent is in the cellar.")
    clock.advance(days=60)
    remembered(scrubjay, "B(a=0.1): We went to sea.")

    shown = scrubjay("memory", "stats").out
    assert "episodic     1" in shown
    assert "0.9       ██████████████████████████████ 1" in shown
    assert "0.6       ██████████████████████████████ 1" in shown
    life = scrubjay("memory", "stats", "--json").json["life"]
    assert (life["stores"]["semantic"], life["strength"]["0.6"], life["faded"]) == (1, 1, 0)
