"""The demo home: half a year that is lived through by the program's own means."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.demo.home import DAYS, MARKER, entries, make
from bot.errors import Refused
from bot.paths import Home
from memory import FrozenClock
from memory.files.notation import parse_typed

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
SPAN = 30
"""Days of the half year that the tests live through."""

QUESTIONS = (
    ("personal", "where is the spare key?", "meter box"),
    ("personal", "who takes our parcels in?", "Zumstein"),
    ("personal", "what is the code of the bike lock?", "2290"),
    ("personal", "where does Tobiasz live?", "Rebweg 7"),
    ("personal", "岳母什么时候打电话？", "每个星期天晚上八点"),
    ("personal", "Wann hat Yuelan Geburtstag?", "neunten Oktober"),
    ("personal", "what is Robin allergic to?", "hazelnuts"),
    ("work", "who delivers the lamps?", "Lumen-Werk"),
    ("work", "why do we print on aluminium?", "paper curls"),
    ("work", "Wie hoch ist das Budget für den Hörraum?", "48.000"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return asyncio.run(make(tmp_path_factory.mktemp("demo") / "robin", clock=FrozenClock(NOW), days=SPAN))


@pytest.fixture
def demo(made: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    monkeypatch.setenv("SCRUBJAY_HOME", str(made.config.parent))
    monkeypatch.setenv("SCRUBJAY__MEMORY__EMBEDDER__KIND", "none")

    def call(*words: str) -> str:
        main(words, clock=FrozenClock(NOW))
        return capsys.readouterr().out

    return call


def test_ten_questions_are_answered_from_it(demo: Callable[..., str]) -> None:
    found = {
        question: demo("memory", "recall", "--agent", agent, question, "--limit", "3")
        for agent, question, _ in QUESTIONS
    }

    assert [question for _, question, answer in QUESTIONS if answer not in found[question]] == []


def test_it_has_pages_opinions_with_evidence_what_was_corrected_and_nothing_of_what_was_forgotten(made: Home) -> None:
    workspace = made.workspace("personal")
    texts = {path.name: path.read_text(encoding="utf-8") for path in workspace.rglob("*.md")}

    assert "Tobiasz lives in the former dairy at Rebweg 7" in texts["Tobiasz.md"]
    assert "scrubjay:evidence" in texts["opinions.md"]
    assert "Rebweg 5" not in "".join(texts.values())
    assert "W: - " not in "".join(texts.values())  # notation that was read as words


def test_what_is_noted_is_in_the_notation_and_says_nothing_of_it() -> None:
    noted = [parse_typed(entry.noted_on(NOW.date())) for entry in entries() if not entry.is_said]

    assert None not in noted


def test_the_doctor_has_nothing_to_complain_of_but_a_missing_backup(demo: Callable[..., str]) -> None:
    findings = json.loads(demo("doctor", "--json"))["findings"]

    assert [one for one in findings if one["severity"] == "error"] == []
    assert {one["id"] for one in findings if one["severity"] == "warning"} <= {"backups.none"}


def facts(home: Home) -> list[str]:
    pages = sorted(home.workspaces.glob("*/memory/*.md"))
    return [re.sub(r"\^\w+", "^", f"{page.name} {line}") for page in pages for line in page.read_text().splitlines()]


async def test_made_twice_it_says_the_same(tmp_path: Path) -> None:
    days = 12
    first = await make(tmp_path / "a", clock=FrozenClock(NOW), days=days)
    again = await make(tmp_path / "b", clock=FrozenClock(NOW), days=days)

    assert facts(first) == facts(again)
    assert len(facts(first)) > 20


async def test_one_that_is_there_is_made_anew_and_another_folder_is_refused(tmp_path: Path) -> None:
    home = await make(tmp_path / "robin", clock=FrozenClock(NOW), days=1)
    (home.workspace("personal") / "more.md").write_text("something")
    await make(tmp_path / "robin", clock=FrozenClock(NOW), days=1)
    own = tmp_path / "own"
    own.mkdir()

    assert not (home.workspace("personal") / "more.md").exists()
    with pytest.raises(Refused, match="no demo home"):
        await make(own, clock=FrozenClock(NOW), days=1)
    assert list(own.iterdir()) == []
    assert (tmp_path / "robin" / MARKER).exists()


def test_every_line_of_the_half_year_is_read() -> None:
    text = (Path(__file__).parents[4] / "bot/demo/half_year.md").read_text(encoding="utf-8")

    assert len([*entries()]) == text.count("\n- ")
    assert max(entry.day for entry in entries()) == DAYS
