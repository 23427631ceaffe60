from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import NotFound
from memory.index.sql import Index
from memory.index.types import FileChange, FileState
from memory.index.units import Chunked
from memory.recall.passages import RecallBudget
from memory.recall.recall import Finder, find
from memory.types import OWNER, Filter, Problem, Recall, chat_scope
from memory.vectors.questions import SemanticScan
from tests.unit.memory.recall.conftest import TODAY, Collect, scan

GUESTS = chat_scope("telegram.1:-5")
DIARY = {
    "memory/2026-11-02.md": "Der Ersatzschlüssel liegt unter dem blauen Topf.\n\nDas WLAN-Passwort ist Hunter2.\n",
    "memory/2026-11-09.md": "The dentist moved to Station Road 4.\n\nSet POSTGRES_URL before v2.3.0, see #4711.\n",
    "memory/2026-11-12.md": "家里的备用钥匙在张伟那里。\n\n服务器的密码每月更换一次。\n",
    "memory/2026-11-14.md": "Запасной ключ от гаража у Анны.\n\nВстреча с врачом в пятницу.\n",
    "memory/2026-11-15.md": "مفتاح السيارة في الدرج الأول.\n",
    "memory/2026-11-16.md": "車の鍵は玄関の引き出しにあります。\n",
    "memory/2026-11-17.md": "여권은 서랍 두 번째 칸에 있습니다.\n",
    "memory/2026-11-20.md": "Swam two kilometres with Anna.\n\n## Retain\n- W @Peter: Lives in Rome. ^p1\n",
    "bank/entities/Anna-Lopez.md": "---\naliases: [Annie]\n---\n- O(c=.9): Prefers green tea. #preference ^a1\n",
}


@pytest.fixture
def diary(collect: Collect) -> Index:
    return collect(DIARY)


def ask(index: Index, text: str) -> Recall:
    return Finder(index).recall(text, scope=OWNER, today=TODAY)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Wo liegt der Ersatzschlüssel?", "Ersatzschlüssel"),
        ("wo ist das WLAN Passwort", "WLAN-Passwort"),
        ("Where is the dentist now?", "Station Road"),
        ("how do I set postgres?", "POSTGRES_URL"),
        ("POSTGRES_URL", "POSTGRES_URL"),
        ("what is new in v2.3.0?", "v2.3.0"),
        ("which ticket is 4711", "#4711"),
        ("备用钥匙在哪里?", "备用钥匙"),
        ("密码什么时候更换?", "密码"),
        ("Где ключи от гаража?", "гаража"),
        ("أين مفتاح السيارة؟", "مفتاح"),
        ("鍵はどこですか", "鍵"),
        ("여권이 어디에 있습니까?", "여권"),
        ("What did I do yesterday?", "Swam"),
        ("what about Peter?", "Rome"),
        ("What does Annie like to drink?", "green tea"),
    ],
)
def test_a_question_in_any_language_finds_its_line(diary: Index, question: str, line: str) -> None:
    assert any(line in hit.content for hit in ask(diary, question).hits[:2])


def test_a_hit_says_all_that_a_reader_wants_to_know(diary: Index) -> None:
    hit = ask(diary, "green tea").hits[0]
    assert (hit.id, str(hit.source), hit.kind, hit.entities) == (
        "a1", "bank/entities/Anna-Lopez.md#L4", "opinion", ("Anna-Lopez",),
    )  # fmt: skip
    assert hit.score == pytest.approx(sum(hit.parts.values()), abs=0.001)
    found = ask(diary, "swam")
    assert (found.mode, found.query, found.hits[0].time) == ("words", "swam", "2026-11-20")
    assert found.ms > 0


@pytest.mark.parametrize("name", ["p1", "^p1", " ^p1 "])
def test_a_unit_is_found_by_its_id(diary: Index, name: str) -> None:
    hit = find(diary, name, scope=OWNER)
    assert (hit.content, str(hit.source)) == ("Peter: Lives in Rome.", "memory/2026-11-20.md#L4")


def test_an_unknown_id_or_one_of_another_scope_is_not_found(diary: Index) -> None:
    with pytest.raises(NotFound, match="nope"):
        find(diary, "^nope", scope=OWNER)
    with pytest.raises(NotFound):
        find(diary, "p1", scope=GUESTS)


def test_yesterday_depends_on_the_day_it_is_asked(diary: Index) -> None:
    earlier = Finder(diary).recall("what was yesterday?", scope=OWNER, today=date(2026, 11, 10))
    assert "dentist" in earlier.hits[0].content


def test_the_same_question_gets_the_same_answer(diary: Index) -> None:
    first, second = ask(diary, "key and tea"), ask(diary, "key and tea")
    assert (first.hits, first.near, first.reason) == (second.hits, second.near, second.reason)


SECRETS = {
    "memory/2026-11-20.md": "The canary of the owner.\n",
    "memory/guests/2026-11-20.md": "## Retain\n- W @Canary: for guests. ^g1\n- W @Canary: for others. ^g2\n",
}


def test_no_question_crosses_a_scope(collect: Collect) -> None:
    index = collect(SECRETS, {"g1": GUESTS, "g2": chat_scope("other")})
    for question in ("canary", "for others", "yesterday", "2026-11-20", "Canary canary owner guests"):
        for scope in (OWNER, GUESTS, chat_scope("other"), chat_scope("nobody")):
            found = Finder(index).recall(question, scope=scope, today=TODAY, budget=RecallBudget(60, 10**6))
            assert {hit.scope for hit in (*found.hits, *found.near)} <= {scope}
            for hit in found.hits:
                assert ("owner" in hit.content) == (scope == OWNER)


def test_a_reason_does_not_tell_what_words_stand_in_another_scope(collect: Collect) -> None:
    index = collect({**SECRETS, "bank/entities/Zoe.md": "---\naliases: [Zo]\n---\n- Secretive.\n"}, {"g1": GUESTS})
    for word in ("secretive", "unicorn", "Zo"):
        found = Finder(index).recall(f"canary {word}", scope=GUESTS, today=TODAY)
        assert found.hits
        assert found.reason.endswith(f'Nothing found has "{word}".')


NAUGHTY = [
    "", " ", "\x00", "\ud800", "\U0010ffff", '"', '"" OR ""', "a AND", "NEAR(a b)", "* *", "^a", "col:val", "-a", "(((",
    "'; DROP TABLE units; --", "%s%n{}", "\u202e\u202d", "🏳️‍🌈👩‍👩‍👧", "ﷺ", "Ω≈ç√∫", "田中さんにあげて下さい",
    "a" * 10_000, "key " * 250_000, "the of and", "\n\r\t", "../../etc/passwd", "<script>alert(1)</script>", "1/0",
    "NaN", "null", "٠١٢٣", "\u0600" * 50, "since since since", "2025-99-99", "字", "の", "서",
]  # fmt: skip


@pytest.mark.parametrize("question", NAUGHTY, ids=range(len(NAUGHTY)))
def test_no_question_raises_or_stays_without_an_explanation(diary: Index, question: str) -> None:
    found = ask(diary, question)
    assert found.reason
    assert found.query == question


@pytest.mark.parametrize("question", NAUGHTY, ids=range(len(NAUGHTY)))
def test_no_question_by_meaning_raises_or_finds_nothing_without_an_explanation(diary: Index, question: str) -> None:
    texts = [one.unit.text for one in diary.stored(diary.newest(scope=OWNER, limit=99), scope=OWNER)]
    vectors = {text: (1.0, number - 5) for number, text in enumerate(texts)}
    found = Finder(diary, SemanticScan(scan(diary, vectors, (1, 1)), "")).recall(question, scope=OWNER, today=TODAY)
    assert found.reason
    assert found.hits or not found.reason.startswith("Searched")


@pytest.mark.parametrize("units", [1, 2, 7, 8, 9, 40])
def test_a_collection_of_any_size_is_searched_by_words_and_meaning(collect: Collect, units: int) -> None:
    index = collect({f"{n}.md": f"thing {n}\n" for n in range(units)})
    vectors = {f"thing {n}": (1.0, n + 1) for n in range(units)}
    found = Finder(index, SemanticScan(scan(index, vectors, (1, 1)), "")).recall("thing 0", scope=OWNER, today=TODAY)
    assert (found.mode, found.hits[0].content) == ("hybrid", "thing 0")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(question=st.text(), kinds=st.sampled_from([Filter(), Filter(since="2026-11-10"), Filter(under=("bank",))]))
def test_any_text_is_answered_with_a_reason(diary: Index, question: str, kinds: Filter) -> None:
    assert Finder(diary).recall(question, scope=OWNER, today=TODAY, where=kinds).reason


def test_one_note_is_enough_and_none_is_no_error(collect: Collect) -> None:
    assert ask(collect({"a.md": "key\n"}), "key").hits
    assert ask(collect({}), "key").hits == ()


FILES = {"memory/2026-11-20.md": "The spare key.\n\nThe blue pot.\n", "bank/world.md": "- W @Anna: has a key.\n"}


@pytest.fixture
def index(collect: Collect) -> Index:
    return collect(FILES)


def reason(index: Index, text: str) -> str:
    return Finder(index).recall(text, scope=OWNER, today=TODAY).reason


def test_the_mode_is_always_explained(index: Index) -> None:
    assert reason(index, "the spare key") == "Searched by words; searching by meaning is not set up."


def test_words_that_no_note_has_are_named(index: Index) -> None:
    assert '"unicorn"' in reason(index, "a key for the unicorn")
    assert reason(index, "unicorn") == 'No note has "unicorn".'
    assert reason(index, "purple unicorn") == 'No note has "purple" or "unicorn".'


def test_a_long_list_of_words_is_cut(index: Index) -> None:
    found = reason(index, " ".join(f"word{n}" for n in range(50)))
    assert found.endswith("or any other word of the question.")
    assert len(found) < 200


@pytest.mark.parametrize("text", ["", "???", "\x00"])
def test_a_question_without_words_is_told_so(index: Index, text: str) -> None:
    assert reason(index, text) == "The question has no words to look for."


def test_common_words_are_said_to_be_common(collect: Collect) -> None:
    assert "only common words" in reason(collect({"a.md": "to be or not to be\n"}), "to be or not to be?")


def test_days_without_notes_are_said_to_be_empty(index: Index) -> None:
    assert reason(index, "last week") == "There are no notes from around those days."


def test_a_search_by_days_alone_says_so(index: Index) -> None:
    assert reason(index, "and yesterday?") == "Searched by the days that were asked for."


def test_an_empty_memory_says_so(collect: Collect) -> None:
    assert reason(collect({}), "key") == "There is nothing in memory yet."


def test_a_memory_of_which_nothing_can_be_read_is_not_said_to_be_empty(collect: Collect) -> None:
    index = collect({"MEMORY.md": ""})
    unread = Problem(
        "memory/a.md", None, "memory/a.md cannot be read (Permission denied).", "Give yourself permission."
    )
    index.write([FileChange(unread.path, FileState(9, 1, ""), Chunked((), (unread,), ()))])

    assert reason(index, "key") == "memory/a.md cannot be read (Permission denied). Give yourself permission."


def test_an_empty_scope_says_so_and_nothing_of_the_others(index: Index) -> None:
    found = Finder(index).recall("spare key", scope=chat_scope("1"), today=TODAY)
    assert found.hits == ()
    assert found.reason == "There is nothing in memory yet that may be shown here."


def test_narrowing_is_named_as_the_reason(index: Index) -> None:
    found = Finder(index).recall("key", scope=OWNER, today=TODAY, where=Filter(until="2020-01-01"))
    assert found.hits == ()
    assert "narrowed" in found.reason


LIFE = {
    "memory/2026-01-10.md": "## Retain\n- W @Oskar: Oskar lives in Kiel.\n- B @Oskar: Oskar ran along the canal.\n",
    "memory/2026-02-10.md": "## Retain\n- W @Oskar: Oskar lives in Oslo.\n- B @Oskar: Oskar sang in a choir.\n",
    "memory/2026-02-12.md": "## Retain\n- W @Oskar: Away from 20 to 22 February.\n- S: The choir is away, too.\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where did Oskar live in January?", "Oskar lives in Kiel."),
        ("Where did Oskar live on 1 February 2026?", "Oskar lives in Kiel."),
        ("Where does Oskar live now?", "Oskar lives in Oslo."),
        ("What did Oskar do on 10 February?", "Oskar sang in a choir."),
        ("Where was Oskar on 21 February?", "Oskar: Away from 20 to 22 February."),
    ],
)
def test_a_question_about_a_time_is_answered_by_what_was_so_then(collect: Collect, question: str, first: str) -> None:
    found = Finder(collect(LIFE)).recall(question, scope=OWNER, today=date(2026, 3, 5))
    assert found.hits[0].content == first


def test_a_question_for_nothing_but_a_time_lists_what_held(collect: Collect) -> None:
    found = Finder(collect(LIFE)).recall("What was true in January?", scope=OWNER, today=date(2026, 3, 5))
    assert [hit.content for hit in found.answers] == ["Oskar lives in Kiel.", "Oskar ran along the canal."]
    assert found.reason == "Listed, newest first. Narrowed to what held from 2026-01-01 to 2026-01-31."
