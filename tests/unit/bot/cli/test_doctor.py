from __future__ import annotations

from bot.paths import Home, put
from tests.unit.bot.cli.conftest import Scrubjay


def test_a_new_home_is_well(scrubjay: Scrubjay) -> None:
    result = scrubjay("doctor")

    assert result.code == 0
    assert result.err == "All is well.\n"
    assert all(line.startswith(("ok ", " ")) for line in result.out.splitlines())


def test_a_home_that_was_set_up_is_well(scrubjay: Scrubjay) -> None:
    scrubjay("init", "--yes")

    told = scrubjay("doctor", "--json")

    assert told.code == 0
    assert told.json["ok"] is True
    assert {finding["severity"] for finding in told.json["findings"]} == {"note"}


def test_looking_changes_nothing(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("doctor")

    assert not home.config.parent.exists()


def test_a_finding_has_an_id_a_place_and_what_to_do_and_makes_code_1(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, "owner:\n  nmae: R\nmemory:\n  embedder:\n    kind: none\n")

    told = scrubjay("doctor", "--json")
    shown = scrubjay("doctor")

    assert told.code == shown.code == 1
    (finding,) = [finding for finding in told.json["findings"] if finding["severity"] != "note"]
    assert finding == {
        "id": "config.unknown",
        "severity": "warning",
        "place": f"{home.config}:2",
        "message": "owner.nmae: there is no such option",
        "hint": 'Did you mean "name"?',
    }
    assert f"warning  configuration: owner.nmae: there is no such option ({home.config}:2)\n" in shown.out
    assert "1 to look at." in shown.err


def test_a_configuration_that_cannot_be_used_does_not_stop_the_other_checks(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("log: [")

    findings = scrubjay("doctor", "--json").json["findings"]

    ids = {finding["id"].partition(".")[0] for finding in findings}
    assert {"clock", "config", "disk", "home", "instance", "sqlite"} <= ids


def test_a_check_that_is_hindered_is_a_finding_and_stops_no_other(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("init", "--yes")
    home.state.chmod(0o777)

    told = scrubjay("doctor", "--json")

    wrong = {finding["id"]: finding for finding in told.json["findings"] if finding["severity"] == "error"}
    assert set(wrong) == {"home.shared", "index.refused", "workspaces.refused"}
    assert "chmod 700" in wrong["home.shared"]["hint"]
    assert told.code == 1
