"""A wrong password of the database is told, and stands nowhere: in nothing that is said, no log, no diagnostics."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from bot.cli.main import main
from memory import FrozenClock
from tests.fakes.scrubjay import MORNING
from tests.servers.postgresql import PostgresServer

PASSWORD = "w0rng-guess-4711"
CONFIG = """
telegram:
  token: "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi"
  api: http://127.0.0.1:9
access:
  owners: [telegram:7]
memory:
  embedder:
    kind: none
log:
  level: debug
store:
  url: {url}
"""


@pytest.fixture
def home(tmp_path: Path, postgresql: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("SCRUBJAY_HOME", str(home))
    home.mkdir()
    home.joinpath("config.yaml").write_text(CONFIG.format(url=postgresql.address(password=PASSWORD)), "utf-8")
    return home


@pytest.mark.parametrize(
    ("words", "tells"),
    [
        (("run",), "refuses the connection"),
        (("status",), "refuses the connection"),
        (("doctor",), "refuses the connection"),
        (("memory", "recall", "key"), "refuses the connection"),
        (("store", "index"), "password authentication failed"),
        (("config", "show"), "store"),
        (("diagnostics", "--offline", "--output", "found.zip"), "found.zip"),
    ],
)
def test_a_wrong_password_stands_nowhere(
    home: Path, words: tuple[str, ...], tells: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tuple(str(home.with_name(word)) if word.endswith(".zip") else word for word in words)

    main(words, clock=FrozenClock(MORNING))

    said = "".join(capsys.readouterr())
    assert tells in said
    assert PASSWORD not in said
    for path in home.parent.rglob("*"):
        if path.is_file() and not path.name.startswith("config."):
            assert PASSWORD.encode() not in path.read_bytes()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as found:
                assert not any(PASSWORD.encode() in found.read(name) for name in found.namelist())
