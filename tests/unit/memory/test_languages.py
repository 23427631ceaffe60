"""One notebook in seven languages, asked by word, part of a compound, identifier, in other words, and across them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memory import OWNER, Embedding, FrozenClock, Memory
from memory.embed.lazy import LazyEmbedder, builtin
from tests.support.factories import NOON

NOTEBOOK = {
    "2026-09-01": (
        "The beekeeper collects the hives on the last Saturday of the month.",
        "Before a release, set POSTGRES_URL on the staging server.",
        "The blue bicycle has a flat rear tyre.",
    ),
    "2026-09-08": (
        "Die Geburtstagstorte für Onkel Rudi wird in der Konditorei Baum bestellt.",
        "Der Kellerschlüssel liegt in der Werkzeugkiste.",
        "Das Auto muss im Februar zum TÜV.",
    ),
    "2026-09-15": (
        "星期四晚上的羽毛球课改到七点半开始。",
        "阳台上的柠檬树每三天浇一次水。",
        "门诊预约在市立医院三楼。",
    ),
    "2026-09-22": (
        "Дачу в этом году закрываем в середине октября.",
        "Запасные лампочки лежат на верхней полке в кладовке.",
        "Кот Барсик боится пылесоса.",
    ),
    "2026-09-29": (
        "موعد طبيب الأسنان يوم الثلاثاء في العاشرة صباحا.",
        "كلمة مرور الشبكة مكتوبة خلف جهاز التوجيه.",
        "أختي ليلى تدرس الهندسة في عمان.",
    ),
    "2026-10-06": (
        "祖母の誕生日には白い蘭を贈る約束をした。",
        "自転車の空気入れは物置の奥にある。",
        "歯医者の予約は来週の水曜日の午後。",
    ),
    "2026-10-13": (
        "강아지 사료는 현관 옆 수납장에 있다.",
        "제주도 여행 비행기는 아침 여덟 시에 출발한다.",
        "할머니께서는 매운 음식을 못 드신다.",
    ),
    "2026-10-20": (
        "Since v2.3.0 the exporter needs twice the memory.",
        "Ticket #4711 is about the slow login page.",
        "The function getUserName trims the family name.",
    ),
}

BY_WORD = (
    ("when does the beekeeper come?", "beekeeper"),
    ("Was braucht Onkel Rudi?", "Rudi"),
    ("柠檬树多久浇水?", "柠檬树"),
    ("где лежат лампочки?", "лампочки"),
    ("متى موعد طبيب الأسنان؟", "الأسنان"),
    ("空気入れはどこ?", "空気入れ"),
    ("강아지 사료는 어디에 있어?", "사료"),
)
BY_PART = (
    ("Wann wird die Torte bestellt?", "Geburtstagstorte"),
    ("Wo ist der Schlüssel zum Keller?", "Kellerschlüssel"),
    ("几点打羽毛球?", "羽毛球课"),
    ("誕生日の約束", "誕生日"),
    ("여행 비행기 시간", "비행기"),
)
BY_IDENTIFIER = (
    ("POSTGRES_URL", "POSTGRES_URL"),
    ("where do I set postgres_url?", "POSTGRES_URL"),
    ("what changed in v2.3.0?", "v2.3.0"),
    ("#4711", "#4711"),
    ("was war nochmal 4711?", "#4711"),
    ("getUserName", "getUserName"),
    ("user name", "getUserName"),
)
IN_OTHER_WORDS = (
    ("who takes care of the bees?", "beekeeper"),
    ("what is wrong with my bike?", "bicycle"),
    ("Wie komme ich in den Raum unter dem Haus?", "Kellerschlüssel"),
    ("植物怎么照顾?", "柠檬树"),
    ("Чего пугается питомец?", "Барсик"),
    ("كيف أتصل بالإنترنت في البيت؟", "كلمة مرور"),
    ("おばあちゃんへのプレゼントは?", "蘭"),
    ("개밥이 어디 있지?", "사료"),
)
IN_OTHER_LANGUAGES = (
    ("Was hat das Fahrrad?", "bicycle"),
    ("Where is the cellar key?", "Kellerschlüssel"),
    ("When does badminton start?", "羽毛球课"),
    ("What is the cat afraid of?", "Барсик"),
    ("Was studiert meine Schwester?", "ليلى"),
    ("What flowers did I promise grandmother?", "蘭"),
    ("Where do we keep the dog food?", "사료"),
)


@pytest.fixture(scope="module")
def embedder(model_cache: Path) -> Iterator[LazyEmbedder]:
    opened = builtin(model_cache)
    yield opened
    asyncio.run(opened.close())


def written(folder: Path) -> Path:
    notes = folder / "workspace" / "memory"
    notes.mkdir(parents=True)
    for day, lines in NOTEBOOK.items():
        (notes / f"{day}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return folder / "workspace"


@pytest.fixture
async def by_words(tmp_path: Path) -> AsyncIterator[Memory]:
    workspace = written(tmp_path)
    async with await Memory.open(workspace, index=tmp_path / "i.sqlite", clock=FrozenClock(NOON)) as memory:
        yield memory


@pytest.fixture
async def hybrid(embedder: LazyEmbedder, tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(
        written(tmp_path),
        index=tmp_path / "i.sqlite",
        clock=FrozenClock(NOON),
        embedding=Embedding(embedder, tmp_path / "cache.sqlite"),
    )
    async with opened as memory:
        await memory.embed()
        yield memory


async def best(memory: Memory, question: str) -> str:
    """The line of the unit that was ranked first."""
    found = await memory.recall(question, scope=OWNER)
    assert found.hits, found.reason
    unit = found.hits[0].unit
    return (await memory.get(unit.path, scope=OWNER, start=unit.start, lines=1)).text


def every(*groups: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [pair for group in groups for pair in group]


async def test_words_parts_of_words_and_identifiers_find_their_line_first(by_words: Memory) -> None:
    found = {question: await best(by_words, question) for question, _ in every(BY_WORD, BY_PART, BY_IDENTIFIER)}

    assert [question for question, said in every(BY_WORD, BY_PART, BY_IDENTIFIER) if said not in found[question]] == []


async def test_meaning_takes_nothing_away_from_words(hybrid: Memory) -> None:
    found = {question: await best(hybrid, question) for question, _ in every(BY_WORD, BY_PART, BY_IDENTIFIER)}

    assert [question for question, said in every(BY_WORD, BY_PART, BY_IDENTIFIER) if said not in found[question]] == []


async def test_a_line_is_found_in_other_words_and_other_languages(hybrid: Memory) -> None:
    asked = every(IN_OTHER_WORDS, IN_OTHER_LANGUAGES)
    found = {question: (await hybrid.recall(question, scope=OWNER)).hits[:3] for question, _ in asked}

    missed = [question for question, said in asked if not any(said in hit.content for hit in found[question])]
    assert missed == []
