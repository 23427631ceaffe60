from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.chaos.fault_scripts import SCRIPTS, Ends, FaultScript
from tests.chaos.faults import FINE, NOTICES, Outcome, played, summed_up

REQUESTS = 4
"""One, and three more."""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
async def test_a_turn_ends_in_an_answer_or_one_notice_and_the_next_one_is_answered(
    tmp_path: Path, script: FaultScript
) -> None:
    outcome = await played(script, tmp_path)

    assert outcome.fits(script), outcome
    assert max(outcome.requests) <= REQUESTS


def test_there_are_forty_scripts_and_no_two_of_a_name() -> None:
    assert len(SCRIPTS) >= 40
    assert set(Counter(script.name for script in SCRIPTS).values()) == {1}


def test_what_is_told_twice_not_at_all_or_unasked_is_neither_answer_nor_notice() -> None:
    def ends(reply: str, extra: int = 0) -> Ends | None:
        return Outcome(reply, FINE, (1,), extra).ends

    assert ends("It hangs in the shed.") is Ends.ANSWER
    assert ends(f"It hangs\n\n{NOTICES[-1]}") is Ends.NOTICE
    assert ends(f"{NOTICES[0]} x)\n{NOTICES[1]} y)") is None
    assert ends(" \n") is None
    assert ends("It hangs in the shed.", extra=1) is None


def test_the_figures_count_what_is_wrong() -> None:
    script = FaultScript(name="a", says="shed")
    good, loop = Outcome("the shed", FINE, (1, 3), 0), Outcome("the shed", FINE, (1,) * 20, 0)
    mute = Outcome("", "", (), 0)

    found = summed_up({"a": good, "b": loop, "c": mute}, [script])

    assert found == {
        "scripts": 3, "answers": 2, "notices": 0, "neither": 1, "loops": 1, "most_requests": 3,
        "not_answered_next": 1, "as_expected": 1,
    }  # fmt: skip
