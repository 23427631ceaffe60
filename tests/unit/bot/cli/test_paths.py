from __future__ import annotations

import pytest

from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_every_place_is_shown_and_whether_it_exists(scrubjay: Scrubjay, home: Home) -> None:
    assert "not there yet" in scrubjay("paths").out

    home.prepare()

    shown = scrubjay("paths")
    assert str(home.config) in shown.out
    assert f"state       {home.state}\n" in shown.out
    assert shown.err == "Chosen by SCRUBJAY_HOME.\n"


def test_the_places_as_json(scrubjay: Scrubjay, home: Home) -> None:
    told = scrubjay("paths", "--json").json

    assert told["config"] == str(home.config)
    assert set(told) == {"chosen_by", "config", "workspaces", "state", "database", "cache", "logs"}


def test_nothing_is_made_by_looking(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("paths")

    assert not home.config.parent.exists()


def test_an_empty_variable_is_code_3(scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", "")

    result = scrubjay("paths")

    assert result.code == 3
    assert "SCRUBJAY_HOME is set, but empty." in result.err
