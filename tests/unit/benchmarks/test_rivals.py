"""Other stores rank what they are filled with; one that is not installed is left out."""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks.rivals import KINDS, PlainFts5, rivals

TEXTS = ["The ferry leaves from pier four.", "Our dog is called Pixel.", "Dogs need names.", "What is it?"]


def test_plain_words_are_stemmed_joined_by_or_and_without_stop_words() -> None:
    with closing(PlainFts5(TEXTS)) as store:
        assert store.search("Where do the ferries leave?", 9) == [0]
        assert sorted(store.search("What is the dog's name?", 9)) == [1, 2]
        assert store.search("What is it?", 9)[0] == 3
        assert len(store.search("a dog", 1)) == 1


@pytest.mark.parametrize("name", KINDS)
def test_a_store_finds_the_nearest_row_and_ranks_by_words_if_it_can(name: str, tmp_path: Path) -> None:
    if not find_spec({"milvus-lite": "pymilvus", "chroma": "chromadb"}.get(name, name)):
        pytest.skip("not installed: pip install --group bench")
    rows = np.eye(4, 8, dtype=np.float32)
    with closing(KINDS[name](TEXTS, rows, tmp_path)) as store:
        assert store.nearest(rows[2], 2)[0] == 2
        assert set(store.search("pier", rows[2], 2)) == (
            {0, 2} if store.ranks_words else set(store.nearest(rows[2], 2))
        )


def test_what_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.rivals.find_spec", lambda _name: None)

    assert list(rivals(TEXTS, np.eye(4, 8, dtype=np.float32), tmp_path)) == []
