from __future__ import annotations

from pathlib import Path

import pytest

from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.recall.passages import MAX_PASSAGE_CHARS, RecallBudget
from memory.recall.recall import Finder
from memory.recall.scoring import OPENCLAW, RankingWeights
from memory.types import OWNER, ChunkSize, Hit, Kind, Scope, chat_scope
from tests.unit.memory.index.conftest import NOBODY
from tests.unit.memory.recall.conftest import TODAY, Collect

GUESTS = chat_scope("telegram.1:-5")
WIDE = RecallBudget(passages=60, characters=10**9)


def hits(index: Index, text: str, budget: RecallBudget = WIDE, scope: Scope = OWNER) -> tuple[Hit, ...]:
    return Finder(index).recall(text, scope=scope, today=TODAY, budget=budget).hits


def test_a_passage_is_the_unit_with_its_neighbours_as_they_stand_in_the_file(collect: Collect) -> None:
    text = "one\ntwo\n\nthe key\n\n- three\n- four\n"
    (hit,) = hits(collect({"a.md": text}), "key")
    assert hit.content == text.strip()
    assert (str(hit.source), str(hit.unit)) == ("a.md#L1-L7", "a.md#L4")


def test_what_scores_less_than_was_asked_for_comes_close_and_is_not_handed_over(collect: Collect) -> None:
    index = collect({"a.md": "The red key hangs in the hall.\n", "b.md": "The blue key is lost.\n"})
    strict = Finder(index, weights=RankingWeights(words=1, min_score=0.9))

    found = strict.recall("red key", scope=OWNER, today=TODAY)
    assert [hit.content for hit in found.hits] == ["The red key hangs in the hall."]
    assert [hit.content for hit in found.near] == ["The blue key is lost."]
    assert len(Finder(index, weights=RankingWeights(words=1)).recall("red key", scope=OWNER, today=TODAY).hits) == 2


def test_days_that_a_question_without_words_asks_for_need_no_score(collect: Collect) -> None:
    index = collect({"memory/2026-11-20.md": "The red key hangs in the hall.\n"})
    found = Finder(index, weights=OPENCLAW).recall("what did I do yesterday?", scope=OWNER, today=TODAY)
    assert [hit.content for hit in found.hits] == ["The red key hangs in the hall."]


def test_a_passage_grows_by_three_on_each_side_at_most(collect: Collect) -> None:
    lines = [f"line {n}" for n in range(20)]
    lines[10] = "the key"
    (hit,) = hits(collect({"a.md": "\n\n".join(lines)}), "key")
    assert (hit.source.start, hit.source.end) == (15, 27)


def test_a_passage_does_not_grow_beyond_its_length(collect: Collect) -> None:
    text = "\n\n".join(["x" * 400, "x" * 400, "the key", "y" * 400, "y" * 400])
    (hit,) = hits(collect({"a.md": text}), "key")
    assert "the key" in hit.content
    assert len(hit.content) <= MAX_PASSAGE_CHARS


def test_nothing_is_handed_over_twice(collect: Collect) -> None:
    index = collect({"a.md": "\n\n".join(f"the key {n}" for n in range(40))})
    seen: list[int] = []
    for hit in hits(index, "key"):
        seen += range(hit.source.start, hit.source.end + 1)
    assert len(seen) == len(set(seen))


def test_later_passages_grow_only_over_what_ranks_well(collect: Collect) -> None:
    files = {f"{n:02}.md": f"before\n\nthe key {'and so on ' * n}\n\nafter\n" for n in range(8)}
    found = hits(collect(files), "key")
    assert all(hit.source.end == 5 for hit in found[:5])
    assert all(hit.source.start == hit.source.end for hit in found[5:])


def test_a_fact_stands_for_itself(collect: Collect) -> None:
    index = collect({"a.md": "A note beside it.\n\n## Retain\n- W @Anna: has the key. ^k1\n- B: went home.\n"})
    (hit,) = hits(index, "key")
    assert hit.content == "Anna: has the key."
    assert (hit.id, hit.kind, hit.entities) == ("k1", Kind.WORLD, ("Anna",))


def test_pieces_of_one_line_are_put_together_again(collect: Collect) -> None:
    line = (
        " ".join(f"Sentence number {n} goes on for a while." for n in range(20)) + " The key is here. " + "More. " * 10
    )
    (hit, *_) = hits(collect({"a.md": line}), "key")
    assert hit.content.strip() in line
    assert hit.source.start == hit.source.end == 1


def test_a_passage_does_not_cross_what_is_not_shown(collect: Collect) -> None:
    text = "before\n\n<!-- one\n\ntwo -->\n\nthe key\n"
    (hit,) = hits(collect({"a.md": text}), "key")
    assert hit.content == "the key"


def test_a_passage_never_takes_in_lines_of_another_scope(collect: Collect) -> None:
    path, text = "memory/guests/2026-11-02.md", "the key ^g1\n\ntheir secret ^g2\n\nthe end ^g3\n"
    index = collect({path: text}, {"g1": GUESTS, "g2": chat_scope("other"), "g3": GUESTS})
    (hit,) = hits(index, "key", scope=GUESTS)
    assert hit.content == "the key ^g1"


def test_the_same_words_are_handed_over_once(collect: Collect) -> None:
    index = collect({"a.md": "the key is here\n", "b.md": "the key is here\n"})
    assert len(hits(index, "key")) == 1


@pytest.mark.parametrize("passages", [1, 3])
def test_no_more_passages_than_there_is_room_for(collect: Collect, passages: int) -> None:
    index = collect({f"{n}.md": f"the key {n}\n" for n in range(9)})
    assert len(hits(index, "key", RecallBudget(passages=passages))) == passages


@pytest.mark.parametrize("characters", [10, 50, 200, 1000])
def test_no_more_characters_than_there_is_room_for(collect: Collect, characters: int) -> None:
    index = collect({f"{n}.md": f"the key number {n} lies in the drawer\n\nbeside it\n" for n in range(40)})
    found = hits(index, "key", RecallBudget(passages=60, characters=characters))
    assert found
    assert sum(len(hit.content) for hit in found) <= characters


def test_a_first_passage_that_is_too_long_is_cut_at_a_word(collect: Collect) -> None:
    (hit,) = hits(collect({"a.md": "the key lies in the drawer\n"}), "key", RecallBudget(characters=13))
    assert hit.content == "the key lies"


def test_what_came_next_is_told(collect: Collect) -> None:
    index = collect({f"{n}.md": f"the key {n}\n" for n in range(9)})
    found = Finder(index).recall("key", scope=OWNER, today=TODAY, budget=RecallBudget(passages=2))
    assert len(found.near) == 3
    assert not {hit.id for hit in found.near} & {hit.id for hit in found.hits}
    assert found.near[0].score <= found.hits[-1].score


def test_lines_that_two_chunks_have_come_once() -> None:
    text = "\n".join(f"the key number {n}" for n in range(20))
    index = SqliteIndex.open(Path(":memory:"))
    cut = chunk("a.md", text, owners=NOBODY, chunks=ChunkSize(tokens=30, overlap=15))
    index.write([FileChange("a.md", FileState(len(text), 1, text), cut)])

    (hit,) = hits(index, "number 7", RecallBudget(passages=1))
    assert hit.source.end - hit.source.start > hit.unit.end - hit.unit.start, "it has grown"
    assert hit.content == "\n".join(text.split("\n")[hit.source.start - 1 : hit.source.end])
