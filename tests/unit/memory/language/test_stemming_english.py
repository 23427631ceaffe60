from __future__ import annotations

from importlib import import_module
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language.stemming_english import english

REFERENCE = import_module("snowballstemmer.english_stemmer").EnglishStemmer
PIECES = sorted({entry.s for name, found in vars(REFERENCE).items() if name.startswith("a_") for entry in found} - {""})


def test_short_words_have_the_stems_that_the_reference_gives_them() -> None:
    reference = REFERENCE()
    words = ("".join(letters) for length in range(5) for letters in product("aeisdgnly'", repeat=length))
    assert not [word for word in words if english(word) != reference.stemWord(word)]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text("aebtlwxyé'", max_size=3)), max_size=5).map("".join))
def test_a_word_has_the_stem_that_the_reference_gives_it(word: str) -> None:
    assert english(word) == REFERENCE().stemWord(word)
