from __future__ import annotations

import json

import pytest

from memory.life.consolidation.episodes import Budget, Composition, compose
from memory.life.wording import Repeated, with_count, without_count
from tests.unit.memory.knowledge.conftest import ScriptedWriter

LINES = (
    Repeated("Ana had an interview at the museum.", ("2026-11-03",)),
    Repeated("Ana got the job at the museum.", ("2026-11-09",)),
    Repeated("Ana will begin at the museum in January.", ("2026-11-09",)),
)


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("I like tea.", ("2026-11-03",), "I like tea. (said 1 times, 3 November 2026)"),
        ("I like tea.", ("2026-11-03", "2026-11-09"), "I like tea. (said 2 times, 3 November 2026 to 9 November 2026)"),
        (
            "Ich trinke am Morgen immer eine Tasse Tee.",
            ("2026-03-03", "2026-03-03"),
            "Ich trinke am Morgen immer eine Tasse Tee. (2-mal gesagt, 3. März 2026)",
        ),
        ("我喜欢喝茶。", ("2026-11-03", "2026-11-03"), "我喜欢喝茶。 (说过2次，2026年11月3日)"),
    ],
)
def test_what_was_said_is_counted_in_its_language(text: str, days: tuple[str, ...], expected: str) -> None:
    counted = with_count(text, [Repeated(text, days)])
    assert counted == expected
    assert without_count(counted) == text


def test_what_is_not_the_same_is_not_said_to_be() -> None:
    counted = with_count(LINES[0].text, LINES)
    assert counted.endswith("museum. (3 remarks like this, 3 November 2026 to 9 November 2026)")
    assert without_count(counted) == LINES[0].text


def test_parentheses_of_a_person_stay() -> None:
    for text in ("I said it (twice, on Monday)", "Peter (said 2 times, maybe) left.", "It rained (5 mm)."):
        assert without_count(text) == text


async def asked(text: str, *numbers: int) -> Composition:
    return await compose(LINES, ScriptedWriter(json.dumps({"sentence": text, "of": numbers})))


async def test_a_sentence_that_holds_names_what_it_says_in_full() -> None:
    made = await asked("Ana had an interview and got the job at the museum.", 1, 2)
    assert made.text == "Ana had an interview and got the job at the museum."
    assert made.said == {0, 1}
    assert made.tokens > 300


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Ana got the job at the theatre in Rome.", (1, 2)),
        ("Ana had 3 interviews at the museum.", (1, 2, 3)),
        ("Ana got the job at the museum.", (9,)),
        ("Ana never got the job at the museum.", (2,)),
        ("", (1,)),
    ],
)
async def test_a_sentence_that_says_more_or_names_nothing_is_dropped(text: str, numbers: tuple[int, ...]) -> None:
    made = await asked(text, *numbers)
    assert (made.text, made.said) == ("", frozenset())


async def test_a_model_that_does_not_answer_costs_what_it_was_asked() -> None:
    made = await compose(LINES, ScriptedWriter(None))
    assert made.text == ""
    assert Budget(2, 1000).less(1, made.tokens).calls == 1
