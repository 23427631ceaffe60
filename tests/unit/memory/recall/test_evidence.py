from __future__ import annotations

from dataclasses import replace

import pytest

from memory.index.port import Entry, Index
from memory.model import OWNER
from memory.recall.evidence import Evidence
from memory.recall.query import parse
from memory.recall.recipe import SCRUBJAY, Recipe
from memory.recall.search import ask
from tests.unit.memory.recall.conftest import TODAY, Collect

TALK = "".join(f"Ada: I saw film {n}, and my friend did.\n\nBot: Film {n} is from 1990.\n\n" for n in range(8))


@pytest.fixture
def index(collect: Collect) -> Index:
    return collect({"talk.md": TALK, "own.md": "Always be brief.\n\nI prefer tea.\n"})


def evidence(index: Index, question: str, recipe: Recipe = SCRUBJAY) -> Evidence:
    asked = ask(index, parse(question, languages=("en",), today=TODAY), scope=OWNER)
    return Evidence(asked, recipe, about=(), voices=index.voices(scope=OWNER))


def entry(index: Index, word: str) -> Entry:
    found = index.entries(index.match([[word]], scope=OWNER, limit=1), scope=OWNER)
    assert found
    return found[0]


def test_a_question_about_oneself_favours_whoever_speaks_of_themself(index: Index) -> None:
    asked = evidence(index, "which films did I see?")
    ada, bot, note = (asked.fixed(entry(index, word)).get("asker", 0) for word in ("friend", "1990", "tea"))
    assert (ada, bot, note) == (SCRUBJAY.asker, 0, SCRUBJAY.asker)


def test_a_question_about_the_world_favours_nobody(index: Index) -> None:
    assert evidence(index, "which films did Ada see?").fixed(entry(index, "friend")) == {}


def test_without_conversations_nobody_is_favoured(collect: Collect) -> None:
    index = collect({"own.md": "I saw a film.\n"})
    assert evidence(index, "which films did I see?").fixed(entry(index, "film")) == {}


def test_a_standing_instruction_guides_every_question(index: Index) -> None:
    assert evidence(index, "capital of Peru").guiding(entry(index, "brief")) == {"standing": SCRUBJAY.standing}


def test_a_preference_guides_what_is_asked_of_the_agent(index: Index) -> None:
    tea = entry(index, "tea")
    assert evidence(index, "what should I drink?").guiding(tea) == {"preference": SCRUBJAY.preference}
    assert evidence(index, "capital of Peru").guiding(tea) == {}


def test_a_weight_of_nothing_switches_a_part_off(index: Index) -> None:
    off = replace(SCRUBJAY, asker=0.0, standing=0.0, preference=0.0)
    asked = evidence(index, "what should I see?", off)
    for word in ("friend", "brief", "tea"):
        assert asked.fixed(entry(index, word)) == asked.guiding(entry(index, word)) == {}
