"""The history checker on planted histories: every kind of wrong must be seen, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.servers.history import Keys, Verdict, check, pattern
from tests.servers.ledger import Entry
from tests.servers.telegram.client import running


def said(number: int, text: str, *, by: str = "user", kind: str = "message", **more: Any) -> Entry:
    return {"kind": kind, "chat": "7", "thread": "", "id": str(number), "by": by, "text": text} | more


def bot(number: int, text: str, **more: Any) -> Entry:
    return said(number, text, by="bot", **more)


def update(number: int) -> Entry:
    return {"kind": "update", "update_id": number, "update": {"message": {"message_id": number, "chat": {"id": 7}}}}


ASKED = [said(1, "ask-a"), said(2, "ask-b")]


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b")], Verdict()),
        ([*ASKED, bot(3, "ans-a and ans-b, ans-a again")], Verdict()),
        ([*ASKED, bot(3, "…"), bot(3, "ans-a", kind="edit"), bot(4, "ans-b")], Verdict()),
        ([*ASKED, bot(3, "ans-a")], Verdict(lost=("b",))),
        ([*ASKED, bot(3, "ans-a"), bot(3, "ans-b", kind="edit")], Verdict(lost=("a",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b"), bot(5, "ans-b")], Verdict(doubled=("b",))),
        (
            [*ASKED, bot(3, "ans-a"), bot(4, "ans-b"), bot(5, "ans-b"), {"kind": "delete", "chat": "7", "id": "5"}],
            Verdict(doubled=("b",)),
        ),
        ([*ASKED, bot(3, "ans-b"), bot(4, "ans-a")], Verdict(misordered=("a",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b"), bot(5, "ans-c")], Verdict(unasked=("c",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b", chat="8")], Verdict(lost=("b",), unasked=("b",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b"), bot(5, "ans-b", chat="8")], Verdict(unasked=("b",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "…"), bot(5, "ans-b")], Verdict(orphans=("4",))),
        (
            [*ASKED, bot(3, "ans-a"), bot(4, "…"), bot(5, "ans-b"), {"kind": "delete", "chat": "7", "id": "4"}],
            Verdict(),
        ),
        ([bot(3, "thinking", loading=True)], Verdict(orphans=("3",))),
        ([bot(3, ""), bot(4, "", files=["a.txt"])], Verdict(orphans=("3",))),
        ([*ASKED, bot(3, "ans-a"), bot(4, "ans-b"), bot(5, "hello")], Verdict()),
    ],
)
def test_a_history_is_judged(history: list[Entry], verdict: Verdict) -> None:
    assert check(history) == verdict
    assert check(history).is_clean == (
        not any(verdict.figures[name] for name in ("lost", "doubled", "misordered", "unasked"))
    )


def test_order_counts_within_a_place_only() -> None:
    history = [
        said(1, "ask-a", thread="x"),
        said(2, "ask-b", thread="y"),
        bot(3, "ans-b", thread="y"),
        bot(4, "ans-a", thread="x"),
    ]

    assert check(history).is_clean


def test_what_telegram_never_handed_over_is_not_lost() -> None:
    history = [said(1, "ask-a"), update(1), said(2, "ask-b"), update(2), {"kind": "handed", "updates": [1]}]

    verdict = check([*history, bot(3, "ans-a")])

    assert (verdict.lost, verdict.waiting, verdict.is_clean) == ((), ("b",), True)
    assert check([*history, {"kind": "handed", "updates": [1, 2]}, bot(3, "ans-a")]).lost == ("b",)


@pytest.mark.parametrize(
    ("note", "lost", "doubled"),
    [
        ("- W: fact-1 likes tea\n- fact-2: rain\n", (), ()),
        ("- W: fact-1 likes tea\n", ("2",), ()),
        ("- fact-1\n- fact-1 again\n- fact-2\n", (), ("1",)),
        ("fact-1 in prose is not a fact\n- fact-2\n", ("1",), ()),
        ("- fact-1\n- fact-2\n- fact-3 was never acknowledged\n", (), ()),
    ],
)
def test_memory_is_compared_with_what_was_acknowledged(
    tmp_path: Path, note: str, lost: tuple[str, ...], doubled: tuple[str, ...]
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-11-21.md").write_text(note)
    told = [
        bot(1, "Remembered: fact-1 (memory/2026-11-21.md#L1)"),
        bot(2, "fact-9?\nremembered fact-2", ephemeral=True),
    ]

    verdict = check(told, workspace=tmp_path)

    assert (verdict.memory_lost, verdict.memory_doubled) == (lost, doubled)
    assert verdict.is_clean == (not lost and not doubled)


def test_keys_can_be_found_in_other_ways() -> None:
    keys = Keys(asked=pattern(r"#(\d+)\?"), answered=pattern(r"#(\d+)!"))

    assert check([said(1, "#5?"), bot(2, "#5!"), said(3, "#6?")], keys=keys).lost == ("6",)


@given(st.lists(st.integers(0, 30), unique=True, max_size=12), st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_planted_losses_and_repetitions_are_found_exactly(
    asked: list[int], left_out: set[int], twice: set[int]
) -> None:
    answered = [key for key in asked if key not in left_out]
    history = [said(key, f"ask-{key}") for key in asked]
    history += [bot(100 + key, f"ans-{key}") for key in answered]
    history += [bot(200 + key, f"ans-{key}") for key in answered if key in twice]

    verdict = check(history)

    assert set(verdict.lost) == {str(key) for key in asked if key in left_out}
    assert set(verdict.doubled) == {str(key) for key in answered if key in twice}
    assert verdict.figures["misordered"] == verdict.figures["unasked"] == 0


def test_it_reads_the_ledger_of_a_real_run() -> None:
    with running(patience_s=0) as telegram:
        alice = telegram.user(7)
        for text in ("ask-1", "ask-2", "ask-3"):
            alice.says(text)
        with httpx.Client(base_url=f"{telegram.base_url}{telegram.token}/", trust_env=False) as client:
            client.get("getUpdates?limit=2")
            placeholder = client.post("sendMessage", json={"chat_id": 7, "text": "…"}).json()["result"]["message_id"]
            client.post("editMessageText", json={"chat_id": 7, "message_id": placeholder, "text": "ans-1"})
            client.post("sendMessage", json={"chat_id": 7, "text": "ans-1"})
        verdict = check(telegram.entries())

    assert verdict == Verdict(lost=("2",), doubled=("1",), waiting=("3",))
