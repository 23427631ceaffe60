from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language.normalize import ALGORITHMS
from memory.language.stemming import stemmer


def reference(algorithm: str) -> Any:
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    return getattr(module, f"{algorithm.title()}Stemmer")()


def pieces(kind: type) -> list[str]:
    """All endings and beginnings that an algorithm looks for."""
    lists = [value for name, value in vars(kind).items() if name.startswith("a_")]
    return sorted({entry.s for some in lists for entry in some} - {""})


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS.values()))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_word_has_the_stem_that_the_reference_gives_it(algorithm: str, data: st.DataObject) -> None:
    plain = reference(algorithm)
    known = pieces(type(plain))
    letters = sorted({letter for piece in known for letter in piece})
    parts = st.lists(st.one_of(st.sampled_from(known), st.text(st.sampled_from(letters), max_size=4)), max_size=5)
    word = data.draw(st.one_of(parts.map("".join), st.text(max_size=12)))
    assert stemmer(algorithm)(word) == plain.stemWord(word)
