"""`scrubjay demo` as it is typed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import bot.demo.home
from bot.demo.home import make
from bot.errors import Refused
from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_it_says_what_to_type_next_and_leaves_the_home_alone(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.demo.home, "make", partial(make, days=1))

    said = scrubjay("demo", "--to", str(tmp_path / "robin"))
    found = scrubjay("demo", "--to", str(tmp_path / "robin"), "--json").json

    assert said.code == 0
    assert f"SCRUBJAY_HOME={tmp_path / 'robin'} scrubjay chat" in said.out
    assert found == {"home": str(tmp_path / "robin"), "agents": ["personal", "work"]}
    assert not home.config.parent.exists()


def test_a_folder_with_something_else_in_it_is_refused(scrubjay: Scrubjay, tmp_path: Path) -> None:
    said = scrubjay("demo", "--to", str(tmp_path))

    assert said.code == Refused.exit_code
    assert "is no demo home" in said.err
