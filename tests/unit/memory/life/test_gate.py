from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memory import OWNER, Decision, Embedding, FactSource, FrozenClock, Memory, Mode, Origin, chat_scope
from memory.errors import EmbeddingFailed, SecretFound, TooLarge, Unparsable, WriteFailed
from memory.life.calibrate import keep
from memory.life.gate import importance, surprises
from memory.ports import Vectors
from memory.types import Fact
from tests.fakes.embedder import LetterEmbedder
from tests.unit.memory.life.conftest import BANDS, Observer, WordEmbedder

TEA = "I prefer tea to coffee."


async def test_something_new_that_matters_becomes_a_fact_and_a_surprise(observer: Observer) -> None:
    seen = await observer.see(TEA)
    assert (seen.decision, seen.similarity, seen.error, seen.surprise) == (Decision.NOVEL, 0, 1, True)
    assert seen.salience > 0.7
    assert str(seen.at) == "memory/2026-11-21.md#L4"
    hit = await observer.memory.find(seen.fact_id or "", scope=OWNER)
    assert (hit.content, hit.fact_source) == (TEA, FactSource.OBSERVATION)


async def test_what_is_known_is_counted_once_a_day_and_nothing_is_written(observer: Observer) -> None:
    first = await observer.see(TEA)
    log = observer.bytes("memory")
    for said in (TEA, "i prefer tea to coffee!", "Remember that I prefer tea to coffee", TEA):
        seen = await observer.see(said)
        assert (seen.decision, seen.fact_id, seen.at) == (Decision.MERGE, first.fact_id, first.at)
    assert observer.bytes("memory") == log
    counted = observer.bytes(".memory/journal").count(b'"action":"restate"')
    assert counted == 3  # one for each wording

    observer.clock.advance(days=1)
    await observer.see(TEA)
    assert observer.bytes(".memory/journal").count(b'"action":"restate"') == 4


async def test_a_merge_is_undone_into_a_fact_of_its_own(observer: Observer) -> None:
    await observer.see(TEA)
    await observer.see("Remember that I prefer tea to coffee")
    await observer.memory.undo(op_id="undo", scope=OWNER, actor="owner")
    assert await observer.facts() == [TEA, "Remember that I prefer tea to coffee"]


@pytest.mark.parametrize(
    "other", ["I prefer coffee to tea.", "I do not prefer tea to coffee.", "My sister prefers tea to coffee."]
)
async def test_what_merely_looks_alike_is_linked_and_no_word_of_it_is_lost(observer: Observer, other: str) -> None:
    await observer.see(TEA)
    seen = await observer.see(other)
    assert seen.decision is Decision.LINK
    assert seen.similarity > 0.5
    assert await observer.facts() == [TEA, other]


async def test_a_contradiction_is_a_surprise_though_it_is_similar(observer: Observer) -> None:
    first = await observer.see("W(i=0.9) @Anna: Anna lives in Graz.")
    seen = await observer.see("Anna lives in Linz.")
    assert (seen.decision, seen.surprise, seen.nearest) == (Decision.LINK, True, first.fact_id)

    newest, oldest = await observer.memory.run(surprises, scope=OWNER)
    assert (newest.text, newest.against, oldest.against) == ("Anna lives in Linz.", "Anna lives in Graz.", "")
    assert await observer.memory.run(surprises, scope=OWNER, after=oldest.seq) == (newest,)
    assert await observer.memory.run(surprises, scope=OWNER, limit=1) == (newest,)
    assert await observer.memory.run(surprises, scope=chat_scope("1")) == ()
    await observer.memory.forget_facts([newest.fact_id], op_id="f", scope=OWNER, actor="owner")
    assert await observer.memory.run(surprises, scope=OWNER) == (oldest,)


async def test_what_does_not_matter_is_kept_for_a_day_and_is_no_fact(observer: Observer) -> None:
    await observer.see(TEA)
    seen = await observer.see("Had pasta for lunch.")
    assert (seen.decision, seen.fact_id, seen.at) == (Decision.SENSORY, None, None)
    assert 0 < seen.error <= 1
    assert await observer.facts() == [TEA]
    assert not (await observer.memory.recall("pasta", scope=OWNER)).hits
    assert b"pasta" in observer.bytes(".memory/sensory")


async def test_who_wants_more_noted_says_from_which_salience_on(tmp_path: Path, clock: FrozenClock) -> None:
    index = tmp_path / "index.sqlite"
    async with await Memory.open(tmp_path / "notes", index=index, clock=clock, salient_above=0.6) as memory:
        observer = Observer(tmp_path / "notes", memory, clock)
        assert (await observer.see("Had pasta for lunch.")).decision is Decision.NOVEL
        assert await observer.facts() == ["Had pasta for lunch."]


@pytest.mark.parametrize("text", [TEA, "Had pasta for lunch."])
async def test_a_known_operation_does_nothing_and_says_the_same_again(observer: Observer, text: str) -> None:
    await observer.see("My brother plays chess every Tuesday, always.")
    first = await observer.see(text, op_id="observe:x")
    before = observer.bytes()
    again = await observer.see(text, op_id="observe:x")
    assert (again.decision, again.fact_id, again.at) == (first.decision, first.fact_id, first.at)
    assert (again.similarity, again.salience) == pytest.approx((first.similarity, first.salience), abs=1e-3)
    assert again.surprise == first.surprise
    assert observer.bytes() == before


async def test_what_was_broken_off_before_the_decision_was_noted_is_not_merged_into_itself(observer: Observer) -> None:
    written = await observer.memory.remember(TEA, origin=Origin.OWNER, scope=OWNER, op_id="observe:x", actor="owner")
    seen = await observer.see(TEA, op_id="observe:x")
    assert (seen.decision, seen.fact_id) == (Decision.NOVEL, written.fact.id)
    assert await observer.facts() == [TEA]
    assert observer.bytes(".memory/journal").count(b'"action":"gate"') == 1
    assert await observer.see(TEA, op_id="observe:x") == await observer.see(TEA, op_id="observe:x")


async def test_scopes_do_not_know_of_each_other(observer: Observer) -> None:
    await observer.see(TEA)
    seen = await observer.see(TEA, scope=chat_scope("1"), origin=Origin.GUEST)
    assert (seen.decision, seen.similarity) == (Decision.NOVEL, 0)


async def test_others_words_do_not_strengthen_what_the_owner_said_and_are_not_mistaken_for_it(
    observer: Observer,
) -> None:
    own = await observer.see(TEA)
    seen = await observer.see(TEA, origin=Origin.UNTRUSTED)
    assert (seen.decision, seen.fact_id) == (Decision.MERGE, own.fact_id)
    assert b'"action":"restate"' not in observer.bytes(".memory/journal")

    foreign = await observer.see("We decided to get a dog.", origin=Origin.UNTRUSTED)
    mine = await observer.see("We decided to get a dog.")
    assert foreign.decision is Decision.NOVEL
    assert mine.decision is Decision.LINK
    assert mine.fact_id != foreign.fact_id


@pytest.mark.parametrize("origin", list(Origin))
async def test_a_secret_is_refused_whatever_would_become_of_it(observer: Observer, origin: Origin) -> None:
    for text in ("My password is hunter2-Zanzibar-88", "I always use the password hunter2-Zanzibar-88 for Graz."):
        with pytest.raises(SecretFound):
            await observer.see(text, origin=origin)
    assert b"Zanzibar" not in observer.bytes()


@pytest.mark.parametrize("text", ["", "  \n ", "W @Anna:"])
async def test_nothing_said_is_nothing_observed(observer: Observer, text: str) -> None:
    with pytest.raises(Unparsable):
        await observer.see(text)


async def test_a_long_text_is_observed_and_a_longer_one_refused(observer: Observer) -> None:
    text = "I prefer tea. " + "and so on " * 10_000
    assert (await observer.see(text)).decision is Decision.NOVEL
    assert (await observer.see(text)).decision is Decision.MERGE
    with pytest.raises(TooLarge):
        await observer.see("a word " * 30_000)


async def test_forgetting_takes_what_was_kept_for_a_day_too(observer: Observer) -> None:
    seen = await observer.see("W(i=1) @Anna: Anna keeps bees in Linz.")
    await observer.see("Anna keeps the bees behind the shed, it was warm.", scope=OWNER)
    await observer.see("Had pasta for lunch.")
    assert b"shed" in observer.bytes()
    await observer.memory.forget_facts([seen.fact_id or ""], op_id="f", scope=OWNER, actor="owner")
    await observer.memory.purge(at_once=True)
    assert b"bees" not in observer.bytes(".memory/sensory")


def test_importance_is_what_is_said_or_what_kind_it_is() -> None:
    assert importance(Fact("It rained.")) == 0.7
    assert importance(Fact("It rained.", category="decision")) == 0.9
    assert importance(Fact("It rained.", attributes=(("i", "0.2"),))) == 0.2
    assert importance(Fact("It rained.", attributes=(("i", "7"),))) == 1
    assert importance(Fact("It rained.", attributes=(("i", "nan"),))) == 0.7
    assert importance(Fact("Always answer in metric units.")) == 0.9


class OneVector(LetterEmbedder):
    """Gives each text the same vector."""

    def _row(self, text: str) -> Vectors:
        return np.full(self.dims or 64, 0.125, np.float32)


async def embedded(folder: Path, clock: FrozenClock, embedder: LetterEmbedder, *texts: str) -> Observer:
    """A memory that knows some texts, with vectors of an embedder that counts as measured."""
    embedding = Embedding(embedder, folder / "vectors.sqlite")
    keep(embedder.identity, BANDS, embedding.cache)
    memory = await Memory.open(folder / "notes", index=folder / "i.sqlite", clock=clock, embedding=embedding)
    for n, text in enumerate(texts):
        await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=str(n), actor="owner")
    await memory.embed()
    return Observer(folder / "notes", memory, clock)


KNOWN = (TEA, "The spare key is under the blue pot.", "Our cat is called Pixel.", "The rent is 940 euros.")


async def test_with_an_embedder_similarity_is_of_meaning_and_without_bands_of_words(
    tmp_path: Path, clock: FrozenClock
) -> None:
    observer = await embedded(tmp_path, clock, WordEmbedder(), *KNOWN)
    async with observer.memory:
        seen = await observer.see("The sparekey lies underneath the bluepot.")
        assert (seen.decision, seen.reason) == (Decision.LINK, "")
        assert (await observer.see(TEA)).decision is Decision.MERGE
        (tmp_path / "bands.json").unlink()
        assert (await observer.see("I like tea.")).reason == "the embedder has not been measured."


async def test_vectors_that_are_all_equal_neither_merge_nor_link(tmp_path: Path, clock: FrozenClock) -> None:
    observer = await embedded(tmp_path, clock, OneVector(), *KNOWN)
    async with observer.memory:
        assert (await observer.see("Yesterday it rained.")).decision is Decision.SENSORY
        assert (await observer.see("The rent is 980 euros.")).decision is Decision.LINK  # by words
        assert (await observer.see(TEA)).decision is Decision.MERGE  # word for word


@pytest.mark.parametrize("worth", [float("nan"), 0.0, float("inf")])
async def test_a_vector_without_a_direction_leaves_the_words(tmp_path: Path, clock: FrozenClock, worth: float) -> None:
    letters = WordEmbedder()
    observer = await embedded(tmp_path, clock, letters, *KNOWN)
    async with observer.memory:
        letters.worth = worth
        assert (await observer.see("Yesterday it rained.")).decision is Decision.SENSORY
        assert (await observer.see("The rent is 980 euros.")).decision is Decision.LINK
        assert (await observer.see(TEA)).decision is Decision.MERGE


async def test_an_embedder_that_fails_leaves_the_words_and_says_why(tmp_path: Path, clock: FrozenClock) -> None:
    letters = WordEmbedder()
    observer = await embedded(tmp_path, clock, letters, *KNOWN)
    async with observer.memory:
        letters.error = EmbeddingFailed("It is away.")
        seen = await observer.see("The rent is 980 euros.")
        assert seen.decision is Decision.LINK
        assert "It is away." in seen.reason


async def test_no_embedder_is_shown_a_secret(tmp_path: Path, clock: FrozenClock) -> None:
    letters = WordEmbedder()
    observer = await embedded(tmp_path, clock, letters, *KNOWN)
    async with observer.memory:
        with pytest.raises(SecretFound):
            await observer.see("My password is hunter2-Zanzibar-88")
    assert not [text for text in (*letters.asked, *letters.questions) if "Zanzibar" in text]


async def test_a_memory_that_only_reads_observes_nothing(observer: Observer, tmp_path: Path) -> None:
    await observer.see(TEA)
    opening = Memory.open(tmp_path / "notes", index=tmp_path / "index.sqlite", mode=Mode.READ_ONLY)
    async with await opening as reader:
        with pytest.raises(WriteFailed):
            await reader.observe(TEA, origin=Origin.OWNER, scope=OWNER, op_id="observe:9", actor="owner")


async def test_what_is_said_of_another_tomorrow_is_not_merged(observer: Observer) -> None:
    first = await observer.see("W(i=0.9): Dentist tomorrow at 9")
    observer.clock.advance(days=35)
    second = await observer.see("W(i=0.9): Dentist tomorrow at 9")
    assert (first.fact_id != second.fact_id, second.decision) == (True, Decision.LINK)
