from __future__ import annotations

from bot.paths import Home, put
from tests.unit.bot.cli.conftest import Scrubjay

MOVE = "We decided to move to Graz in May."


def test_the_gate_says_what_it_made_of_an_observation(scrubjay: Scrubjay) -> None:
    new = scrubjay("memory", "observe", *MOVE.split())
    assert new.out.startswith("New, and noted in `memory/2026-11-21.md#L4` as `^")
    again = scrubjay("memory", "observe", "we decided to move to Graz in May").out
    assert again.startswith("Known already: counted, and not written again.")
    assert "Noted in " in scrubjay("memory", "observe", "We decided to move to Linz in May.").out
    assert "not noted" in scrubjay("memory", "observe", "It rained.").out
    assert len(scrubjay("memory", "list", "--json").json["facts"]) == 2
    assert scrubjay("memory", "observe", MOVE, "--json").json["decision"] == "merge"


def test_nothing_and_secrets_are_refused(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "observe").code == 2
    refused = scrubjay("memory", "observe", "My password is hunter2-Zanzibar-88")
    assert refused.code == 7
    assert "Zanzibar" not in refused.err
    assert "--keep-secrets" in refused.err


def test_surprises_are_shown_with_what_they_contradict(scrubjay: Scrubjay) -> None:
    assert "Nothing that was observed was a surprise." in scrubjay("memory", "surprises").err
    scrubjay("memory", "remember", "Anna lives in Graz.")
    scrubjay("memory", "observe", "Anna lives in Linz.")
    shown = scrubjay("memory", "surprises").out
    assert shown.startswith("- Anna lives in Linz. (`memory/2026-11-21.md#L5`, `^")
    assert "but known was: Anna lives in Graz." in shown
    assert len(scrubjay("memory", "surprises", "--json").json["surprises"]) == 1
    assert scrubjay("memory", "surprises", "--limit", "0").code == 2


def test_without_an_embedder_the_bands_of_words_are_measured(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, "memory: {embedder: {kind: none}}\n")
    found = scrubjay("memory", "calibrate", "--json").json
    assert (found["measure"], found["kept"]) == ("words", None)
    assert set(found["bands"]) == {"en", "de", "zh", ""}
    assert "No embedder is set up" in scrubjay("memory", "calibrate").err
