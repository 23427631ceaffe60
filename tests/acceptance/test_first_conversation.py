"""A newcomer's first two days with `scrubjay chat`, in a real terminal and a fresh home."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes.scrubjay import MORNING
from tests.support.cli_process import PROMPT, TerminalProcess, collapse_whitespace, run

NEXT_DAY = MORNING + timedelta(days=1)
DAY_ONE = "memory/2026-11-21.md"
CTRL_C, CTRL_D, TAB, ESCAPE, UP = "\x03", "\x04", "\t", "\x1b", "\x1b[A"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that is searched by words, so that no chat makes the embedder's model ready first."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("memory:\n  embedder:\n    kind: none\n", encoding="utf-8")
    (home / "config.yaml").chmod(0o600)
    return home


@dataclass(frozen=True, slots=True)
class Told:
    """A fact and the words in which it is asked for the next day."""

    fact: str
    question: str


TEN = (
    Told("My sister Miriam is allergic to walnuts.", "What is Miriam allergic to?"),
    Told("The spare key hangs behind the blue letterbox.", "Where does the spare key hang?"),
    Told("The plumber charges 85 euros an hour.", "How much does the plumber charge?"),
    Told("I promised Jonas to bring the tent on 5 December.", "What did I promise Jonas?"),
    Told("Der Hausarzt hat mittwochs bis 18 Uhr Sprechstunde.", "Wann hat der Hausarzt Sprechstunde?"),
    Told("Lena trinkt ihren Kaffee ohne Milch.", "Wie trinkt Lena ihren Kaffee?"),
    Told("Der Mietvertrag liegt im grünen Ordner.", "Wo liegt der Mietvertrag?"),
    Told("我妈妈的生日是六月九号。", "我妈妈的生日是哪天？"),
    Told("车停在地下二层的47号车位。", "车停在哪里？"),
    Told("李雷喜欢喝乌龙茶。", "李雷喜欢喝什么茶？"),
)
FORGOTTEN, KEPT = TEN[2], [told for told in TEN if told is not TEN[2]]


def source(told: Told, places: dict[Told, int]) -> str:
    """Match where a fact is quoted from: its log, or after a night, of what is believed, the page of opinions."""
    return rf"(?:{re.escape(DAY_ONE)}#L{places[told]}|bank/opinions\.md#L\d+)"


def test_ten_facts_told_on_one_day_are_answered_on_the_next(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("owner:\n  language: en\n", encoding="utf-8")
    (home / "config.yaml").chmod(0o600)
    places = tell_all(home)

    with TerminalProcess(home, "chat", at=NEXT_DAY) as window:
        for told in TEN:
            answer = collapse_whitespace(window.ask(told.question, until=" · ^"))
            assert re.search(rf"1 ▌ {re.escape(told.fact)} ▌ {source(told, places)} · ", answer)
            assert "offline mode" not in answer
        assert re.search(source(TEN[-1], places), collapse_whitespace(window.ask("/why", until=TEN[-1].fact)))
        forget_and_undo(window, places[FORGOTTEN])
        assert window.ask(FORGOTTEN.question).count(FORGOTTEN.fact) == 0
        leave(window, CTRL_D)

    (home / "state" / "memory" / "personal.sqlite").unlink()
    with TerminalProcess(home, "chat", at=NEXT_DAY) as window:
        for told in KEPT:
            answer = collapse_whitespace(window.ask(told.question, until=" · ^"))
            assert re.search(rf"1 ▌ {re.escape(told.fact)} ▌ {source(told, places)} ", answer)
        assert FORGOTTEN.fact not in window.ask(FORGOTTEN.question)
        leave(window, CTRL_D)
    believed = (home / "workspaces/personal/bank/opinions.md").read_text(encoding="utf-8").count("\n- O")
    assert json.loads(run(home, "memory", "status", "--json", at=NEXT_DAY).out)["facts"] == len(KEPT) + believed
    checked = run(home, "doctor", at=NEXT_DAY)
    assert checked.code == 0, checked


def tell_all(home: Path) -> dict[Told, int]:
    """The first day: ten facts, each confirmed with the line in which it stands."""
    places: dict[Told, int] = {}
    notices = 0
    with TerminalProcess(home, "chat") as window:
        assert "personal is here" in collapse_whitespace("\n".join(window.until(lambda lines: lines[-1:] == [PROMPT])))
        for told in TEN:
            receipt = collapse_whitespace(window.ask(told.fact, until="Noted in"))
            found = re.search(rf"Noted in {DAY_ONE}:(\d+) — \^\w{{8}} ", receipt)
            assert found, receipt
            places[told] = int(found[1])
            notices += receipt.count("offline mode")
        leave(window, CTRL_D)
    assert notices == 1
    lines = (home / "workspaces" / "personal" / DAY_ONE).read_text(encoding="utf-8").split("\n")
    assert all(told.fact in lines[number - 1] for told, number in places.items())
    return places


def forget_and_undo(window: TerminalProcess, number: int) -> None:
    """Forget the plumber, think again, and forget him for good."""
    shown = window.ask("/forget plumber", until="Confirm within ten minutes")
    assert f"{DAY_ONE}:{number}" in shown
    assert FORGOTTEN.fact in shown
    assert sum(told.fact in shown for told in TEN) == 1
    assert f"Forgotten: {DAY_ONE}:{number}." in window.ask(confirmation(shown), until="Forgotten")
    assert FORGOTTEN.fact not in window.ask(FORGOTTEN.question)

    assert FORGOTTEN.fact in collapse_whitespace(window.ask("/undo", until="Back in"))
    assert f"{DAY_ONE}#L{number} " in collapse_whitespace(window.ask(FORGOTTEN.question, until=FORGOTTEN.fact))

    window.ask(confirmation(window.ask("/forget plumber", until="Confirm")), until="Forgotten")


def confirmation(preview: str) -> str:
    found = re.search(r"/forget yes \w+", preview)
    assert found
    return found[0]


def leave(window: TerminalProcess, key: str) -> None:
    window.press(key)
    assert window.ended() == 0


def test_two_agents_know_nothing_of_each_other(home: Path) -> None:
    with TerminalProcess(home, "chat") as window:
        assert "offline mode" in window.ask("The spare key hangs in the shed.", until="Noted in")
        assert "The spare key hangs in the shed." in window.ask("/today", until="Written on 2026-11-21")
        assert "1 fact (1 world)" in collapse_whitespace(window.ask("/memory", until="Newest"))
        assert "scope owner" in window.ask("/whoami", until="You are my owner")

        assert "offline mode" not in window.ask("/agent work", until="From now on, work answers here.")
        assert "offline mode" in window.ask("/whoami", until="work answers here")
        assert "shed" not in window.ask("Where does the spare key hang?")
        assert "shed" not in window.ask("/recall spare key")
        assert "shed" not in window.ask("/memory")
        assert "Nothing has been written today" in window.ask("/today")
        assert "nothing to undo" in window.ask("/undo")

        assert "offline mode" not in window.ask("/agent personal", until="personal answers here")
        assert "shed" in window.ask("Where does the spare key hang?", until="memory/")


def test_help_is_at_hand(home: Path) -> None:
    with TerminalProcess(home, "chat") as window:
        listed = collapse_whitespace(window.ask("/help", until="/why"))
        assert all(f"/{name}" in listed for name in "remember recall forget why undo memory today agent whoami".split())
        assert "Did you mean /remember?" in window.ask("/rember milk", until="There is no command")
        assert "/forget yes TOKEN 1 3" in collapse_whitespace(window.ask("/help forget", until="For example"))
        window.press("exit\r")
        assert window.ended() == 0


def test_commands_are_completed_and_what_was_typed_is_remembered_for_the_next_time(home: Path) -> None:
    with TerminalProcess(home, "chat") as window:
        window.ask("hello", until="Hello")
        window.press(f"/re{TAB}")
        offered = "\n".join(window.until(lambda lines: "/remember" in "\n".join(lines)))
        assert "/recall" in offered
        window.press(f"{TAB}\r")
        window.until(lambda lines: "after the command" in "\n".join(lines) and lines[-1] == PROMPT)
        window.press("half a thought")
        window.press(CTRL_C)
        window.until(lambda lines: "Ctrl-D leaves" in lines[-2] and lines[-1] == PROMPT)
        leave(window, CTRL_D)

    with TerminalProcess(home, "chat") as window:
        window.until(lambda lines: lines[-1:] == [PROMPT])
        window.press(f"{UP}{UP}")
        window.until(lambda lines: lines[-1:] == [f"{PROMPT} hello"])
        window.press("\r")
        window.until(lambda lines: "Hello. Tell me" in "\n".join(lines))
        leave(window, CTRL_D)


def test_a_tag_a_star_and_query_syntax_come_back_as_they_were_told(home: Path) -> None:
    fact = 'The query is SELECT "a*b" FROM List<String> WHERE x NEAR y.'
    with TerminalProcess(home, "chat") as window:
        window.ask(f"/remember {fact}", until="Noted in")
        assert fact in collapse_whitespace(window.ask('What is the query with "a*b" AND NEAR?', until="memory/"))
