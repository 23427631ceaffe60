"""Search by meaning through the front door: what is embedded, what it finds, and what is told when it cannot."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from datetime import date
from pathlib import Path
from typing import Unpack

import apsw
import pytest

from memory import (
    OWNER,
    Embedding,
    Filter,
    FrozenClock,
    Kind,
    Memory,
    Mode,
    Options,
    Origin,
    RankingProfile,
    Scope,
    Status,
    VectorBackend,
)
from memory.embed.cache import VectorCache
from memory.embedding_queue import AWAITED_TEXTS
from memory.errors import (
    EmbedderBroken,
    EmbedderUnavailable,
    EmbeddingFailed,
    NotFound,
    PathRefused,
    TextRefused,
    VectorRefused,
)
from memory.index.sqlite import SqliteIndex
from memory.recall.filters import FilterOptions
from memory.types import EVERYWHERE
from tests.fakes.embedder import LetterEmbedder
from tests.support.factories import NOON

FACTS = (
    "The electrician comes on Monday.",
    "Anna is allergic to peanuts.",
    "The spare key is under the blue pot.",
    "Peter wants short replies.",
)
MANY = tuple(f"Shed {number} is locked." for number in range(AWAITED_TEXTS + 1))
CHAT = Scope("chat:telegram:7")


class House:
    """One workspace that is opened again and again, and the embedder of the moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FrozenClock(NOON)
        self.embedder = LetterEmbedder()
        self.low_memory = False

    @property
    def index(self) -> Path:
        return self.folder / "index.sqlite"

    @asynccontextmanager
    async def memory(self, **options: Unpack[Options]) -> AsyncIterator[Memory]:
        """Opened with vectors, and closed at the end."""
        options.setdefault("clock", self.clock)
        options["embedding"] = Embedding(self.embedder, self.folder / "cache.sqlite", self.low_memory)
        async with await Memory.open(self.folder / "workspace", index=self.index, **options) as opened:
            yield opened

    def write(self, path: str, text: str) -> None:
        file = self.folder / "workspace" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def remember(memory: Memory, *texts: str, scope: Scope = OWNER) -> None:
    for text in texts:
        origin = Origin.OWNER if scope == OWNER else Origin.GUEST
        await memory.remember(text, origin=origin, scope=scope, op_id=f"{scope}:{text}", actor="somebody")


async def contents(memory: Memory, question: str, *, scope: Scope = OWNER, where: Filter = EVERYWHERE) -> list[str]:
    return [hit.content for hit in (await memory.recall(question, scope=scope, where=where)).hits]


async def filled(house: House) -> None:
    """A memory with the facts, all of them embedded."""
    async with house.memory() as memory:
        await remember(memory, *FACTS)
        await memory.embed()
    house.embedder.asked.clear()
    house.embedder.questions.clear()


async def test_nothing_is_searched_by_meaning_before_anything_is_embedded(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, *FACTS)

        found = await memory.recall("electrician", scope=OWNER)

        assert found.mode == "words"
        assert found.reason == "Searched by words; nothing in it has been embedded yet."
        assert house.embedder.questions == []


async def test_what_shares_no_word_with_the_question_is_found_by_meaning(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, *FACTS)
        assert await contents(memory, "electricianz") == []

        await memory.embed()

        found = await memory.recall("electricianz", scope=OWNER)
        assert found.mode == "hybrid"
        assert found.reason == "Searched by words and meaning."
        assert found.embedder == (await memory.status()).embedder == house.embedder.identity
        assert found.hits[0].content == FACTS[0]
        assert found.hits[0].parts["meaning"] > 0


async def test_without_an_embedder_the_words_are_told_to_be_alone(tmp_path: Path) -> None:
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        await remember(memory, *FACTS)
        await memory.embed()
        with memory.quiet():
            found = await memory.recall("electrician", scope=OWNER)

        assert (found.mode, found.reason) == ("words", "Searched by words; searching by meaning is not set up.")
        assert found.embedder == ""
        assert (await memory.status()).mode == "words"


async def test_the_same_question_is_embedded_once(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        await memory.recall("electricianz", scope=OWNER)
        await memory.recall("electricianz", scope=OWNER)

    assert house.embedder.questions == ["electricianz"]


async def test_a_deleted_index_gives_the_same_answers_and_embeds_nothing_anew(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        before = [await memory.recall(question, scope=OWNER) for question in ("electricianz", "allergies", "Peters")]
    for file in house.folder.glob("index.sqlite*"):
        file.unlink()

    async with house.memory() as memory:
        after = [await memory.recall(question, scope=OWNER) for question in ("electricianz", "allergies", "Peters")]

    assert [found.hits for found in after] == [found.hits for found in before]
    assert [found.mode for found in after] == ["hybrid"] * 3
    assert house.embedder.asked == []


async def test_a_rebuilt_index_has_its_vectors(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        before = await memory.recall("electricianz", scope=OWNER)
        await memory.rebuild()
        after = await memory.recall("electricianz", scope=OWNER)

    assert after.hits == before.hits
    assert house.embedder.asked == []


async def test_another_embedder_embeds_everything_anew_while_words_serve(house: House) -> None:
    await filled(house)
    house.embedder = LetterEmbedder("other", dims=32)
    async with house.memory() as memory:
        assert (await memory.recall("electrician", scope=OWNER)).mode == "words"
        assert (await memory.status()).unembedded == len(FACTS)

        await memory.embed()

        assert (await memory.recall("electricianz", scope=OWNER)).hits[0].content == FACTS[0]
        assert sorted(house.embedder.asked) == sorted(FACTS)


async def test_the_first_embedder_finds_its_vectors_again(house: House) -> None:
    await filled(house)
    first, house.embedder = house.embedder, LetterEmbedder("other", dims=32)
    async with house.memory() as memory:
        await memory.embed()

    house.embedder = first
    async with house.memory() as memory:
        assert (await memory.recall("electricianz", scope=OWNER)).mode == "hybrid"
    assert first.asked == []


async def test_a_reader_beside_a_service_searches_by_meaning(house: House) -> None:
    await filled(house)
    async with house.memory(mode=Mode.READ_ONLY) as memory:
        assert await contents(memory, "electricianz")
        await memory.embed()
    assert house.embedder.asked == []


async def test_a_reader_sees_what_another_process_embeds(house: House) -> None:
    async with house.memory() as writer, house.memory(mode=Mode.READ_ONLY) as reader:
        await remember(writer, FACTS[0])
        assert await contents(reader, "electricianz") == []
        await writer.embed()
        assert await contents(reader, "electricianz") == [FACTS[0]]
        await remember(writer, FACTS[1])
        await writer.embed()
        assert FACTS[1] in await contents(reader, "allergicz")


async def test_a_reader_waits_for_nothing_that_another_process_embeds(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(house)
    monkeypatch.setattr("memory.embedding_queue.MAX_AWAITED_S", 1000.0)
    async with house.memory() as writer, house.memory(mode=Mode.READ_ONLY) as reader, embedding(reader):
        await remember(writer, "The plumber comes on Tuesday.")
        await reader.run(lambda context: context.journal.refresh())
        async with asyncio.timeout(20):
            assert FACTS[0] in await contents(reader, "electricianz")


@pytest.mark.parametrize("link", [VectorBackend.NUMPY, VectorBackend.SQLITE_VEC])
async def test_every_way_of_searching_gives_the_same_answers(
    house: House, link: VectorBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = ("electricianz", "allergies", "Peters")
    await filled(house)
    async with house.memory() as memory:
        before = [await contents(memory, question) for question in questions]
        assert (await memory.status()).link == VectorBackend.SIMSIMD
    monkeypatch.setitem(sys.modules, "simsimd", None)
    house.low_memory = link is VectorBackend.SQLITE_VEC

    for _ in range(2):  # a store on disk is filled, and then found
        async with house.memory() as memory:
            assert [await contents(memory, question) for question in questions] == before
            assert (await memory.status()).link == link


async def test_a_store_on_disk_follows_what_was_written_and_forgotten_meanwhile(house: House) -> None:
    await filled(house)
    house.low_memory = True
    async with house.memory() as memory:
        assert await contents(memory, "electricianz")
    house.low_memory = False
    async with house.memory() as memory:
        preview = await memory.preview_forget("electrician", scope=OWNER, actor="o")
        await memory.forget(preview.token, only=[1], op_id="f", scope=OWNER, actor="o")
        await remember(memory, "The plumber comes on Tuesday.")
        await memory.embed()

    house.low_memory = True
    async with house.memory() as memory:
        assert FACTS[0] not in await contents(memory, "electricianz")
        assert "The plumber comes on Tuesday." in await contents(memory, "plumberz")


async def test_a_scope_finds_its_own_and_nothing_else(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, FACTS[0])
        await remember(memory, "The electricity bill is paid by the guest.", scope=CHAT)
        await memory.embed()

        assert await contents(memory, "electricalz") == [FACTS[0]]
        assert await contents(memory, "electricalz", scope=CHAT) == ["The electricity bill is paid by the guest."]


async def test_what_a_recall_is_narrowed_to_holds_for_meaning(house: House) -> None:
    house.write("memory/2026-01-05.md", "The electrician was here.\n")
    async with house.memory() as memory:
        await remember(memory, FACTS[0])
        await remember(memory, "The electrician sent a bill. #Home")
        await memory.embed()

        assert await contents(memory, "electricianz", where=Filter(tags=("home",))) == [
            "The electrician sent a bill. #Home"
        ]
        await memory.undo(op_id="u", scope=OWNER, actor="o")
        assert await contents(memory, "electricianz", where=Filter(kinds=(Kind.NOTE,))) == ["The electrician was here."]
        assert await contents(memory, "electricianz", where=Filter(since="2026-11-01")) == [FACTS[0]]
        monday = Filter(since="2026-11-23", until="2026-11-23")  # which the words name, two days after they were said
        assert await contents(memory, "electricianz", where=monday) == [FACTS[0]]
        assert await contents(memory, "electricianz", where=Filter(until="2026-01-31")) == ["The electrician was here."]
        assert await contents(memory, "electricianz", where=Filter(under=("bank",))) == []


async def test_what_is_forgotten_is_not_found_by_meaning(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        assert FACTS[0] in await contents(memory, "electricianz")
        preview = await memory.preview_forget("electrician", scope=OWNER, actor="o")
        await memory.forget(preview.token, only=[1], op_id="f", scope=OWNER, actor="o")

        assert FACTS[0] not in await contents(memory, "electricianz")
        await memory.undo(op_id="u", scope=OWNER, actor="o")
        await memory.embed()
        assert FACTS[0] in await contents(memory, "electricianz")


async def test_the_openclaw_profile_ranks_by_cosine_and_words(house: House) -> None:
    await filled(house)
    async with house.memory(ranking=RankingProfile.OPENCLAW) as memory:
        found = await memory.recall("electricianz", scope=OWNER)

    hit = found.hits[0]
    assert hit.content == FACTS[0]
    assert 0 < hit.parts["meaning"] <= 0.7
    assert all(hit.score >= 0.35 for hit in found.hits)


FAILURES = [
    EmbedderUnavailable("The weights are missing.", hint="Reinstall."),
    EmbedderBroken("It failed its self-test.", hint="Reinstall."),
    EmbeddingFailed("Nothing answered."),
    TextRefused("Too long."),
    VectorRefused("Not finite."),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
async def test_an_embedder_that_fails_leaves_the_words_and_the_reason(house: House, error: Exception) -> None:
    await filled(house)
    house.embedder.error = error
    async with house.memory() as memory:
        found = await memory.recall("electrician", scope=OWNER)

    assert (found.mode, found.hits[0].content) == ("words", FACTS[0])
    assert str(error) in found.reason


@pytest.mark.parametrize("error", FAILURES[:3], ids=lambda error: type(error).__name__)
async def test_what_keeps_texts_from_being_embedded_is_in_the_status(house: House, error: Exception) -> None:
    house.embedder.error = error
    async with house.memory() as memory:
        await remember(memory, *FACTS)
        await memory.embed()
        stands = await memory.status()
        assert (stands.mode, stands.unembedded) == ("words", len(FACTS))
        assert str(error) in stands.mode_reason

        house.embedder.error = None
        await memory.embed()

        stands = await memory.status()
        assert (stands.mode, stands.mode_reason, stands.embedded, stands.unembedded) == ("hybrid", "", len(FACTS), 0)
        assert (stands.embedder, stands.link) == ("letters", VectorBackend.SIMSIMD)


@pytest.mark.parametrize("refusal", FAILURES[3:], ids=lambda error: type(error).__name__)
async def test_a_text_that_is_refused_is_left_to_the_words_and_the_others_are_embedded(
    house: House, refusal: Exception
) -> None:
    house.embedder.refused = ("peanuts", refusal)
    async with house.memory() as memory:
        await remember(memory, *FACTS)
        await memory.embed()
        await memory.embed()

        stands = await memory.status()
        assert (stands.embedded, stands.unembedded) == (len(FACTS) - 1, 0)
        assert (await contents(memory, "peanuts"))[0] == FACTS[1]
        assert (await contents(memory, "electricianz"))[0] == FACTS[0]


@pytest.mark.parametrize("worth", [float("nan"), float("inf"), 0.0])
async def test_vectors_of_no_use_are_not_kept(house: House, worth: float) -> None:
    house.embedder.worth = worth
    async with house.memory() as memory:
        await remember(memory, *FACTS)
        await memory.embed()

        stands = await memory.status()
        assert (stands.embedded, stands.mode) == (0, "words")
        assert "not finite or has no length" in stands.mode_reason

        house.embedder.worth = 1.0
        await memory.embed()
        assert (await memory.status()).embedded == len(FACTS)


async def test_vectors_of_another_size_under_the_same_name_are_not_kept(house: House) -> None:
    await filled(house)
    house.embedder = LetterEmbedder(dims=32)
    async with house.memory() as memory:
        await remember(memory, "The plumber comes on Tuesday.")
        await memory.embed()

        stands = await memory.status()
        assert (stands.embedded, stands.unembedded) == (len(FACTS), 1)
        assert "were expected" in stands.mode_reason
        found = await memory.recall("electrician", scope=OWNER)
        assert (found.mode, found.hits[0].content) == ("words", FACTS[0])


async def test_the_newest_are_embedded_first(house: House) -> None:
    house.write("memory/2026-01-05.md", "An old note.\n")
    house.write("memory/2026-03-05.md", "A newer note.\n")
    house.write("topics.md", "A note without a day.\n")
    async with house.memory() as memory:
        await remember(memory, FACTS[0])
        await memory.embed()

    assert house.embedder.asked == [FACTS[0], "A newer note.", "An old note.", "A note without a day."]


async def test_embedding_goes_on_where_it_was_broken_off(house: House) -> None:
    house.write("long.md", "\n\n".join(f"The {number}th note about the garden." for number in range(100)))
    async with house.memory() as memory:
        house.embedder.refused = ("50th", EmbeddingFailed("Nothing answered."))
        await memory.embed()
        done = (await memory.status()).embedded
        assert 0 < done < 100
    house.embedder.refused = None

    async with house.memory() as memory:
        told: list[tuple[int, int]] = []
        await memory.embed(progress=lambda done, total: told.append((done, total)))
        assert (await memory.status()).embedded == 100

    assert sorted(house.embedder.asked) == sorted(set(house.embedder.asked))
    assert told[-1] == (100 - done, 100 - done)


async def eventually(memory: Memory, condition: Callable[[Status], bool]) -> Status:
    """Let everything else run until this holds."""
    async with asyncio.timeout(30):
        while not condition(stands := await memory.status()):
            pass
    return stands


@asynccontextmanager
async def embedding(memory: Memory) -> AsyncIterator[None]:
    """Embedding in the background, ended with the block."""
    with suppress(asyncio.CancelledError):
        async with asyncio.TaskGroup() as group:
            background = group.create_task(memory.keep_embedding())
            yield
            background.cancel()


async def test_what_is_written_later_is_embedded_in_the_background(house: House) -> None:
    async with house.memory() as memory, embedding(memory):
        await remember(memory, FACTS[0])
        await house.embedder.until(lambda: house.embedder.asked == [FACTS[0]])
        await remember(memory, FACTS[1])
        await house.embedder.until(lambda: house.embedder.asked == [FACTS[0], FACTS[1]])


async def test_what_was_told_just_now_is_found_by_meaning_while_a_turn_runs(house: House) -> None:
    async with house.memory() as memory, embedding(memory):
        await remember(memory, FACTS[0])
        await house.embedder.until(lambda: house.embedder.asked == [FACTS[0]])
        with memory.quiet():
            await remember(memory, FACTS[1])
            found = await memory.recall("peanut-allergic", scope=OWNER)

    assert found.mode == "hybrid"
    assert found.hits[0].content == FACTS[1]
    assert "wait" not in found.reason
    assert house.embedder.asked == [FACTS[0], FACTS[1]]


async def test_the_first_question_waits_for_what_was_told_before_the_model_was_loaded(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, *FACTS)

    async with house.memory() as memory, embedding(memory):
        assert (await memory.recall("peanut-allergic", scope=OWNER)).mode == "hybrid"


async def test_the_background_ends_when_it_is_asked_to_even_if_nothing_can_be_kept(house: House) -> None:
    async with house.memory() as memory, asyncio.TaskGroup() as group:
        await remember(memory, *FACTS)
        house.embedder.gate.clear()
        background = group.create_task(memory.keep_embedding())
        await house.embedder.until(lambda: house.embedder.at_the_gate == 1)
        with memory.quiet():
            house.embedder.gate.set()
            await house.embedder.until(lambda: len(house.embedder.asked) == 1)
            (house.folder / "cache.sqlite").mkdir()
            background.cancel()
            await asyncio.wait([background], timeout=30)

        assert background.cancelled()


async def test_nothing_of_much_is_embedded_while_a_turn_runs(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, *MANY)
        with memory.quiet():
            async with embedding(memory):
                with memory.quiet():
                    await memory.recall("electrician", scope=OWNER)
                await memory.recall("electrician", scope=OWNER)
        assert house.embedder.asked == []

        async with embedding(memory):
            await house.embedder.until(lambda: len(house.embedder.asked) == len(MANY))


async def test_a_turn_that_begins_in_between_holds_up_the_next_text(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, *MANY)
        house.embedder.gate.clear()
        async with embedding(memory):
            await house.embedder.until(lambda: house.embedder.at_the_gate == 1)
            with memory.quiet():
                house.embedder.gate.set()
                await house.embedder.until(lambda: len(house.embedder.asked) == 1)
                for _ in range(5):
                    await memory.recall("electrician", scope=OWNER)
                assert house.embedder.at_the_gate == 1
            await house.embedder.until(lambda: len(house.embedder.asked) == len(MANY))


async def test_a_rebuild_while_texts_are_embedded_does_not_mix_them_up(house: House) -> None:
    async with house.memory() as memory:
        await remember(memory, "Gone by then.", *FACTS)
        preview = await memory.preview_forget("Gone", scope=OWNER, actor="o")
        await memory.forget(preview.token, only=[1], op_id="f", scope=OWNER, actor="o")
        house.embedder.gate.clear()
        async with embedding(memory):
            await house.embedder.until(lambda: house.embedder.at_the_gate == 1)
            await memory.rebuild()  # its units have other numbers
            house.embedder.gate.set()
            await eventually(memory, lambda stands: stands.unembedded == 0)

        assert (await contents(memory, "electricianz"))[0] == FACTS[0]
        assert (await contents(memory, "allergicz"))[0] == FACTS[1]
        assert (await contents(memory, "potz"))[0] == FACTS[2]


async def test_a_broken_embedder_is_told_before_anything_waits(house: House) -> None:
    await filled(house)
    house.embedder.error = EmbedderBroken("It failed its self-test.")
    async with house.memory() as memory, embedding(memory):
        stands = await eventually(memory, lambda stands: stands.mode == "words")
        assert "self-test" in stands.mode_reason


async def test_a_damaged_cache_costs_its_vectors_and_nothing_else(house: House) -> None:
    await filled(house)
    (house.folder / "cache.sqlite").write_bytes(b"no database" * 1000)
    for file in [*house.folder.glob("index.sqlite*"), *house.folder.glob("cache.sqlite-*")]:
        file.unlink()

    async with house.memory() as memory:
        assert (await memory.recall("electrician", scope=OWNER)).mode == "words"
        await memory.embed()
        assert (await memory.recall("electricianz", scope=OWNER)).mode == "hybrid"

    assert sorted(house.embedder.asked) == sorted(FACTS)


async def test_an_extra_folder_is_found_and_never_forgotten_from(house: House) -> None:
    docs = house.folder / "docs"
    docs.mkdir()
    manual = docs / "manual.md"
    manual.write_text("The boiler is reset with the red button.\n")
    async with house.memory(extra={"docs": docs}) as memory:
        await memory.embed()
        hit = (await memory.recall("boilerz", scope=OWNER)).hits[0]
        assert str(hit.source) == "extra/docs/manual.md#L1"
        assert (await memory.get("extra/docs/manual.md", scope=OWNER)).text == manual.read_text().rstrip()
        with pytest.raises(PathRefused):
            await memory.preview_forget(hit.id, scope=OWNER, actor="o")
        with pytest.raises(PathRefused):
            await memory.append("extra/docs/manual.md", "more", origin=Origin.OWNER, op_id="a", actor="o")
        with pytest.raises(NotFound):
            await memory.get("extra/docs/manual.md", scope=CHAT)

    async with house.memory() as memory:
        assert await contents(memory, "boiler") == []
    assert [file.name for file in docs.iterdir()] == ["manual.md"]


async def test_a_search_in_one_place_finds_nothing_of_another_and_tells_no_chat_what_there_is(house: House) -> None:
    for folder in ("docs", "bank"):
        (house.folder / folder).mkdir()
        (house.folder / folder / "boiler.md").write_text(f"The electrician of {folder} resets the boiler.\n")
    async with house.memory(extra={name: house.folder / name for name in ("docs", "bank")}) as memory:
        await remember(memory, *FACTS)
        await memory.append("bank/boiler.md", "The boiler is old.", origin=Origin.OWNER, op_id="b", actor="o")
        await memory.embed()

        async def places(*typed: str, question: str = "boilerz", scope: Scope = OWNER) -> tuple[set[str], str]:
            where = FilterOptions(under=typed).resolve(house.clock.now().date())
            found = await memory.recall(question, scope=scope, where=where)
            return {hit.source.path for hit in found.hits}, found.reason

        for question in ("boiler", "boilerz", ""):  # by words, by meaning, listed
            for typed in ("docs", "Docs", "DOCS/Boiler"):
                assert (await places(typed, question=question))[0] == {"extra/docs/boiler.md"}
            found = (await places("bank/boiler", question=question))[0]
            assert "bank/boiler.md" in found <= {"bank/boiler.md", "extra/bank/boiler.md"}
            assert (await places("extra/bank/", question=question))[0] == {"extra/bank/boiler.md"}
        assert (await places("Docs", "bank/boiler.md"))[1].endswith("Narrowed to what is in Docs or bank/boiler.md.")
        hidden, missing = [await places(name, scope=CHAT) for name in ("docs", "none")]
        assert hidden == (set(), missing[1].replace("none", "docs"))


async def test_a_cache_keeps_what_is_of_use_and_drops_what_has_long_not_been(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        preview = await memory.preview_forget("electrician", scope=OWNER, actor="o")
        await memory.forget(preview.token, only=[1], op_id="f", scope=OWNER, actor="o")
    for _ in range(13):
        house.clock.advance(days=8)
        async with house.memory() as memory, embedding(memory):
            await eventually(memory, lambda stands: stands.mode == "hybrid")
            await eventually(memory, lambda _: tended(house) == house.clock.now().date())

    with closing(VectorCache(house.folder / "cache.sqlite", clock=house.clock)) as cache:
        assert len(cache) == len(FACTS) - 1


def tended(house: House) -> date:
    with closing(SqliteIndex.open(house.index, read_only=True)) as index:
        return date.fromisoformat(index.vectors.tended() or "2000-01-01")


async def test_a_cache_that_cannot_be_written_leaves_what_is_embedded_already(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.embed.cache.PATIENCE_MS", 50)
    await filled(house)
    async with house.memory() as memory:
        await remember(memory, "The plumber comes on Tuesday.")
        with closing(apsw.Connection(str(house.folder / "cache.sqlite"))) as other:
            other.execute("BEGIN IMMEDIATE")  # another process that does not come to an end
            await memory.embed()

        stands = await memory.status()
        assert (stands.mode, stands.embedded, stands.unembedded) == ("hybrid", len(FACTS), 1)
        assert "cache.sqlite" in stands.mode_reason
        assert (await memory.recall("electricianz", scope=OWNER)).mode == "hybrid"


async def test_what_was_computed_for_a_forgotten_fact_is_gone_from_the_cache(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        cache = VectorCache(house.folder / "cache.sqlite", clock=house.clock)
        before = len(cache)
        preview = await memory.preview_forget("electrician", scope=OWNER, actor="o")
        await memory.forget(preview.token, only=[1], op_id="f", scope=OWNER, actor="o")

        assert len(cache) == before - 1
        cache.close()


async def test_what_an_answer_might_say_is_searched_by_meaning_and_not_by_its_words(house: House) -> None:
    await filled(house)
    async with house.memory() as memory:
        found = await memory.recall("zzz", scope=OWNER, hypothetical="Anna is allergic to nuts.")
        assert found.hits[0].content == "Anna is allergic to peanuts."
        assert not any(name.startswith("word:") for name in found.hits[0].parts)
        house.embedder.error = EmbeddingFailed("It is away.")
        assert await contents(memory, "spare key") == [(await memory.recall("spare key", scope=OWNER)).hits[0].content]
        words = await memory.recall("peanuts", scope=OWNER, hypothetical="Something that is not known yet.")
    assert [hit.content for hit in words.hits] == ["Anna is allergic to peanuts."]


async def test_whoever_has_come_to_speak_since_the_last_question_is_left_out_of_what_the_next_one_means(
    house: House,
) -> None:
    await filled(house)
    asked = "What did Anna say about peanuts?"
    async with house.memory() as memory:
        await memory.recall(asked, scope=OWNER)
        house.write("memory/2026-11-20-talk.md", "Anna: hello\n\nBen: hi\n\nAnna: peanuts again\n\nBen: no\n")
        await memory.sync()
        found = [await contents(memory, asked) for _ in range(2)]
        assert house.embedder.questions == [asked, "What did say about peanuts?"]
    async with house.memory() as memory:
        assert found == [await contents(memory, asked)] * 2
