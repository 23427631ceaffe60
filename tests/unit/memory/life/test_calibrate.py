from __future__ import annotations

from pathlib import Path

import pytest

from memory.embed import e5
from memory.errors import VectorRefused
from memory.life.calibrate import (
    KEPT,
    WORDS,
    Bands,
    LanguageBands,
    bands_of,
    keep,
    measure,
    measured,
    pairs,
    words_bands,
)
from tests.acceptance.gate_pairs import LANGUAGES, fixture
from tests.fakes.embedder import LetterEmbedder
from tests.unit.memory.life.conftest import PairEmbedder


def test_what_is_measured_is_put_on_one_scale() -> None:
    bands = Bands(unrelated=0.78, link=0.9, merge=0.96)
    on_the_scale = [round(bands.similarity(value), 3) for value in (-1, 0.5, 0.78, 0.84, 0.9, 0.96, 0.98, 1, 1.0001)]
    assert on_the_scale == [0, 0, 0, 0.25, 0.5, 0.85, 0.925, 1, 1]


@pytest.mark.parametrize("numbers", [(0.9, 0.8, 0.95), (0.5, 0.5, 0.9), (0.5, 0.9, 1.1), (float("nan"), 0.8, 0.9)])
def test_what_is_no_scale_is_refused(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="not bands"):
        Bands(*numbers)


def test_the_shipped_bands_of_words_are_what_is_measured() -> None:
    assert measured().bands == words_bands()


def test_the_built_in_embedder_comes_with_bands_and_other_languages_have_some(tmp_path: Path) -> None:
    bands = bands_of(e5.IDENTITY, tmp_path / "vectors.sqlite")
    assert bands is not None
    assert bands.of("我对花生过敏。") == bands["zh"]
    assert bands.of("Где ключ от дома?") == bands[""]


async def test_an_embedder_is_measured_and_its_bands_are_kept_beside_the_cache(tmp_path: Path) -> None:
    cache, embedder = tmp_path / "vectors.sqlite", PairEmbedder(*LANGUAGES)
    assert bands_of("by heart", cache) is None

    found = await measure(embedder)
    assert found.measure == "by heart"
    assert found.bands is not None
    assert min(found.linked.values()) >= 0.95
    keep("by heart", found.bands, cache)
    keep("others", words_bands(), cache)

    assert bands_of("by heart", cache) == found.bands
    (tmp_path / KEPT).write_text('{"by heart": {"": {"unrelated": 2}}}', encoding="utf-8")
    assert bands_of("by heart", cache) is None  # it can be measured again


async def test_a_language_in_which_the_same_is_not_told_gets_no_bands(tmp_path: Path) -> None:
    found = await measure(PairEmbedder("en"))
    assert found.bands is not None
    assert set(found.bands) == {"en"}
    assert found.bands.of("The spare key is under the pot.") == found.bands["en"]
    assert found.bands.of("我对花生过敏。") is None
    assert found.bands.of("Где ключ от дома?") is None
    assert (await measure(LetterEmbedder())).bands is None


async def test_an_embedder_that_gives_no_numbers_is_an_error() -> None:
    letters = LetterEmbedder()
    letters.error = VectorRefused("not finite")
    with pytest.raises(VectorRefused):
        await measure(letters)


@pytest.mark.parametrize("value", [0.0, 1.0, float("nan")])
def test_who_finds_all_texts_equally_alike_gets_no_bands(value: float) -> None:
    found = measured("stubborn", lambda one, other: value)
    assert found.bands is None


def test_the_pairs_are_of_three_languages_and_others_than_those_of_the_acceptance() -> None:
    shipped = pairs()
    assert {code: len(found) for code, found in shipped.items()} == dict.fromkeys(LANGUAGES, 60)
    for code in LANGUAGES:
        accepted = {text for pair in fixture(code) for text in pair}
        assert len({pair.text for pair in fixture(code)}) == 200
        assert accepted.isdisjoint(text for pair in shipped[code] for text in pair)


def test_bands_of_words_have_a_name() -> None:
    assert isinstance(words_bands(), LanguageBands)
    assert measured().measure == WORDS
