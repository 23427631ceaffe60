from __future__ import annotations

from bot.paths import Home, put
from tests.servers.odd import OddServer, chunks, delta, whole
from tests.unit.bot.cli.conftest import Scrubjay

WORDS = "memory:\n  embedder:\n    kind: none\n"


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
        "fixable": False,
    }
    assert (
        f"warning  configuration: owner.nmae: there is no such option ({home.config}:2) [config.unknown]\n" in shown.out
    )
    assert "1 to look at." in shown.err


def test_a_configuration_that_cannot_be_used_does_not_stop_the_other_checks(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir()
    home.config.write_text("log: [")

    findings = scrubjay("doctor", "--json").json["findings"]

    ids = {finding["id"].partition(".")[0] for finding in findings}
    assert {"clock", "config", "disk", "home", "instance", "sqlite"} <= ids


def test_what_is_safe_is_repaired_after_it_was_shown_and_agreed_to(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, WORDS)
    home.prepare()
    home.state.chmod(0o777)

    unasked = scrubjay("doctor", "--fix")
    assert (unasked.code, home.state.stat().st_mode & 0o777) == (2, 0o777)
    assert f'chmod 700 "{home.state}"' in unasked.err
    assert "--yes" in unasked.err

    repaired = scrubjay("doctor", "--fix", "--yes", "--json")

    assert repaired.code == 0
    assert repaired.json["fixed"] == {f'chmod 700 "{home.state}"': "done"}
    assert home.state.stat().st_mode & 0o777 == 0o700


def test_what_cannot_be_repaired_says_so_and_stays_a_finding(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, WORDS)
    home.workspace("personal").mkdir(parents=True)
    (home.index("personal") / "a folder in the place of the file").mkdir(parents=True)

    result = scrubjay("doctor", "--fix", "--yes")

    assert result.code == 1
    assert "index.broken" in result.out
    assert "build the index of personal from its files: " in result.err


def test_offline_nobody_is_asked_and_that_is_said(scrubjay: Scrubjay, home: Home) -> None:
    put(home.config, f"{WORDS}model:\n  name: big\n  base_url: http://127.0.0.1:1/v1\n")

    result = scrubjay("doctor", "--offline")

    assert result.code == 0
    assert "not asked (--offline)" in result.out
    assert "All is well" not in result.err
    assert "not known" in result.err


def test_a_finding_is_explained_by_its_id(scrubjay: Scrubjay) -> None:
    assert "chmod" not in scrubjay("doctor", "--explain", "home.shared").out
    assert "Other users" in scrubjay("doctor", "--explain", "home.shared").out
    unknown = scrubjay("doctor", "--explain", "home.shred")
    assert (unknown.code, "home.shared" in unknown.err) == (4, True)


def test_what_is_logged_stands_apart_from_the_data(scrubjay: Scrubjay, home: Home) -> None:
    refusal = whole({"error": {"message": "Unrecognized request argument supplied: stream_options"}}, 400)
    hello = chunks(delta({"content": "Hello"}), delta({}, "stop"))
    with OddServer(refusal, hello) as server:
        put(home.config, f"{WORDS}model:\n  name: odd\n  base_url: {server.base_url}\n")
        told = scrubjay("doctor", "--json")

    assert told.json["findings"]
    assert "model.parameters_left_out" in told.err
