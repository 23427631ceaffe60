"""A home for one test, and the command line as a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.cli.main import main
from bot.paths import Home
from memory import FrozenClock
from tests.fakes.machine import in_zone


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on standard output."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


Scrubjay = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    folder = tmp_path / "home"
    monkeypatch.setenv("SCRUBJAY_HOME", str(folder))
    in_zone(monkeypatch, "Europe/Berlin")
    monkeypatch.setenv("COLUMNS", "80")
    return Home.at(folder)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


@pytest.fixture
def scrubjay(home: Home, clock: FrozenClock, capsys: pytest.CaptureFixture[str]) -> Scrubjay:
    def call(*words: str) -> Result:
        capsys.readouterr()
        code = main(words, clock=clock)
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call
