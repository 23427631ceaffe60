"""The ten facts of a first conversation, asked for in other words and other languages, with the built-in embedder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memory import OWNER, Embedding, FrozenClock, Memory, Mode, Origin
from memory.embed.lazy import LazyEmbedder, builtin
from tests.support.factories import NOON

MIRIAM = "My sister Miriam is allergic to walnuts."
KEY = "The spare key hangs behind the blue letterbox."
PLUMBER = "The plumber charges 85 euros an hour."
TENT = "I promised Jonas to bring the tent on 5 December."
DOCTOR = "Der Hausarzt hat mittwochs bis 18 Uhr Sprechstunde."
COFFEE = "Lena trinkt ihren Kaffee ohne Milch."
LEASE = "Der Mietvertrag liegt im grünen Ordner."
BIRTHDAY = "我妈妈的生日是六月九号。"
CAR = "车停在地下二层的47号车位。"
TEA = "李雷喜欢喝乌龙茶。"
TEN = (MIRIAM, KEY, PLUMBER, TENT, DOCTOR, COFFEE, LEASE, BIRTHDAY, CAR, TEA)

IN_OTHER_WORDS = (
    ("Which nuts must not be in her food?", MIRIAM),
    ("How do I get in when I am locked out?", KEY),
    ("What does it cost to have the pipes repaired?", PLUMBER),
    ("What did I say I would take along for camping?", TENT),
    ("Bis wann kann ich zum Arzt gehen?", DOCTOR),
    ("Nimmt sie etwas in ihr Heißgetränk?", COFFEE),
    ("Wo sind die Unterlagen der Wohnung?", LEASE),
    ("母亲哪天出生的？", BIRTHDAY),
    ("我把汽车放在哪里了？", CAR),
    ("他最爱的饮料是什么？", TEA),
)
IN_OTHER_LANGUAGES = (
    ("Wogegen ist meine Schwester allergisch?", MIRIAM),
    ("备用钥匙在哪里？", KEY),
    ("Сколько берёт сантехник за час?", PLUMBER),
    ("بماذا وعدت يوناس؟", TENT),
    ("How late is the family doctor open on Wednesdays?", DOCTOR),
    ("レナはコーヒーをどうやって飲みますか？", COFFEE),
    ("Where is the rental agreement?", LEASE),
    ("When is my mother's birthday?", BIRTHDAY),
    ("Где припаркована машина?", CAR),
    ("Welchen Tee mag Li Lei?", TEA),
)


@pytest.fixture(scope="module")
def embedder(model_cache: Path) -> Iterator[LazyEmbedder]:
    opened = builtin(model_cache)
    yield opened
    asyncio.run(opened.close())


@pytest.fixture
async def memory(embedder: LazyEmbedder, tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(
        tmp_path / "workspace",
        index=tmp_path / "index.sqlite",
        clock=FrozenClock(NOON),
        embedding=Embedding(embedder, tmp_path / "cache.sqlite"),
    )
    async with opened as memory:
        for fact in TEN:
            await memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id=fact, actor="owner")
        await memory.embed()
        yield memory


async def best(memory: Memory, question: str) -> list[str]:
    found = await memory.recall(question, scope=OWNER)
    assert found.mode == "hybrid"
    return [hit.content for hit in found.hits[:2]]


async def test_facts_are_found_in_other_words(memory: Memory) -> None:
    found = {question: await best(memory, question) for question, _ in IN_OTHER_WORDS}

    missed = {question: found[question] for question, fact in IN_OTHER_WORDS if fact not in found[question]}
    first = sum(found[question][0] == fact for question, fact in IN_OTHER_WORDS)
    assert missed == {}
    assert first >= 8


async def test_facts_are_found_in_other_languages(memory: Memory) -> None:
    found = {question: await best(memory, question) for question, _ in IN_OTHER_LANGUAGES}

    missed = {question: found[question] for question, fact in IN_OTHER_LANGUAGES if fact not in found[question]}
    first = sum(found[question][0] == fact for question, fact in IN_OTHER_LANGUAGES)
    assert missed == {}
    assert first >= 8


async def test_the_answers_are_the_same_without_the_old_index_and_the_old_vectors(
    memory: Memory, embedder: LazyEmbedder, tmp_path: Path
) -> None:
    questions = [question for question, _ in (*IN_OTHER_WORDS, *IN_OTHER_LANGUAGES)]
    before = [(await memory.recall(question, scope=OWNER)).hits for question in questions]

    again = await Memory.open(
        tmp_path / "workspace",
        index=tmp_path / "again.sqlite",
        clock=FrozenClock(NOON),
        mode=Mode.COMPLETE,
        embedding=Embedding(embedder, tmp_path / "again-cache.sqlite"),
    )
    async with again:
        await again.embed()
        after = [(await again.recall(question, scope=OWNER)).hits for question in questions]

    assert after == before
