from __future__ import annotations

import io
import re

import pytest

from bot.cli.commands.memory import app
from bot.paths import Home, put
from bot.system import instance
from memory import FrozenClock
from memory.files.workspace import Workspace
from tests.unit.bot.cli.conftest import Scrubjay

KEY = "The spare key is under the blue pot."
PETER = "@Peter prefers short mails. #preference"


class Piped(io.StringIO):
    """Standard input that comes through a pipe."""

    def isatty(self) -> bool:
        return False


def test_the_group_has_the_verbs_in_the_order_of_their_use(scrubjay: Scrubjay) -> None:
    verbs = [name for name in app if not name.startswith("-")]

    assert verbs == [
        "recall", "search", "list", "remember", "forget", "undo", "observe", "surprises", "timeline", "journal",
        "retain", "reflect", "consolidate", "review", "check", "explain", "due", "pin", "stats", "wander", "profile",
        "status", "index", "calibrate", "merge", "rename",
    ]  # fmt: skip


def test_search_is_another_name_for_recall(scrubjay: Scrubjay) -> None:
    remembered(scrubjay, KEY)

    found = [scrubjay("memory", verb, "spare", "key", "--json").json["hits"] for verb in ("recall", "search")]

    assert found[0] == found[1] != []


def test_facts_are_listed_newest_first_with_their_places_and_how_many_there_are(scrubjay: Scrubjay) -> None:
    first, second = remembered(scrubjay, KEY), remembered(scrubjay, PETER)

    listed = scrubjay("memory", "list")
    assert listed.code == 0
    assert [line for line in listed.out.splitlines() if line[:1].isdigit()] == [
        f"1  memory/2026-11-21.md#L5  ^{second}",
        f"2  memory/2026-11-21.md#L4  ^{first}",
    ]
    assert (f"   {KEY}" in listed.out, listed.err) == (True, "")
    newest = scrubjay("memory", "list", "--limit", "1")
    assert (KEY in newest.out, newest.err) == (False, "1 more; see them with --limit 2.\n")
    as_json = scrubjay("memory", "list", "-n", "1", "--json").json
    assert ([fact["id"] for fact in as_json["facts"]], as_json["all"]) == ([second], 2)


def test_an_empty_list_says_what_to_do_and_a_list_of_nothing_is_a_misuse(scrubjay: Scrubjay) -> None:
    empty, none = scrubjay("memory", "list"), scrubjay("memory", "list", "--limit", "0")

    assert (empty.code, empty.out) == (0, "")
    assert "There are no facts yet." in empty.err
    assert (none.code, none.out) == (2, "")


def remembered(scrubjay: Scrubjay, *words: str) -> str:
    """Remember something; its id."""
    (receipt,) = scrubjay("memory", "remember", *words, "--json").json["written"]
    assert isinstance(receipt["id"], str)
    return receipt["id"]


def test_what_was_remembered_is_found_with_its_place(scrubjay: Scrubjay) -> None:
    noted = scrubjay("memory", "remember", KEY)
    found = scrubjay("memory", "recall", "where", "is", "the", "spare", "key?")

    assert noted.code == found.code == 0
    receipt = re.fullmatch(r"Noted in memory/2026-11-21\.md:4 — (\^[0-9a-z]{8})\nworld · #fact\n", noted.out)
    assert receipt is not None
    assert noted.err == "Take it back with: scrubjay memory undo\n"
    place, words, why, *_ = found.out.splitlines()
    assert place == f"1  memory/2026-11-21.md#L4  {receipt[1]}"
    assert words == f"   {KEY}"
    assert re.fullmatch(
        r"   world · 2026-11-21 · 1\.05 = word:\w+ 0\.50 \+ word:\w+ 0\.50 \+ fact 0\.05; relevance 0\.9\d", why
    )
    assert re.fullmatch(r"1 passage in \d+ ms\. Searched by words; .*\n", found.err)


def test_the_reading_of_a_statement_is_shown(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "remember", PETER).out.splitlines()[1] == "opinion · @Peter · #preference"


def test_a_recall_as_json_has_exactly_the_documented_fields(scrubjay: Scrubjay) -> None:
    name = remembered(scrubjay, PETER)

    found = scrubjay("memory", "recall", "peter", "--json").json

    assert list(found) == ["query", "mode", "provider", "model", "embedder", "form", "reason", "ms", "hits"]
    assert (found["mode"], found["embedder"]) == ("words", None)
    assert found["hits"] == [
        {
            "id": name,
            "kind": "opinion",
            "time": "2026-11-21",
            "entities": ["Peter"],
            "content": PETER,
            "source": "memory/2026-11-21.md#L4",
            "scope": "owner",
            "score": 1.15,
            "parts": {"word:peter": 1.0, "entity": 0.1, "fact": 0.05},
            "relevance": 0.9427,
            "grounds": {"held": 1.0},
            "title": "",
            "category": "preference",
            "tags": [],
            "attributes": {},
            "since": "2026-11-21",
            "until": None,
            "known": "2026-11-21T09:30:00.000Z",
            "fact_source": "conversation",
            "evidence": [],
            "strength": {
                "retrievability": 1.0,
                "reviewed": "2026-11-21T09:30:00.000Z",
                "uses": 0,
                "restated": 0,
                "due": "2028-01-12",
                "pinned": False,
                "merged_into": "",
            },
        }
    ]


def test_a_recall_is_narrowed_by_options(scrubjay: Scrubjay) -> None:
    for text in (PETER, "O(c=0.8, until=2026-11-25) @Peter: Prefers long letters from Rome. #preference", KEY):
        scrubjay("memory", "remember", text)

    def found(*options: str) -> list[str]:
        return [hit["content"] for hit in scrubjay("memory", "recall", *options, "--json").json["hits"]]

    assert sorted(found("--entity", "peter", "--kind", "opinion", "-k", "25")) == [
        "@Peter prefers short mails. #preference",
        "Peter: Prefers long letters from Rome.",
    ]
    assert found("prefers", "--as-of", "2026-12-01") == [PETER]
    assert found("prefers", "--category", "preference", "--k", "1", "--since", "1d", "--until", "today") == found(
        "prefers", "--limit", "1"
    )
    assert found("--believed", "2026-11-20") == []
    narrowed = scrubjay("memory", "recall", "prefers", "--entity", "Peter", "--as-of", "2026-11-22")
    assert "O 0.80 · #preference · 2026-11-21 to 2026-11-25" in narrowed.out
    assert "Narrowed to about Peter, what held on 2026-11-22." in narrowed.err


@pytest.mark.parametrize("wrong", [("--kind", "guess"), ("--since", "whenever"), ("--category", "x"), ("-k", "99")])
def test_an_option_that_is_none_is_refused_with_an_example(scrubjay: Scrubjay, wrong: tuple[str, str]) -> None:
    refused = scrubjay("memory", "recall", "key", *wrong)

    assert (refused.code, refused.out) == (2, "")
    assert wrong[1] in refused.err


def test_finding_nothing_is_no_failure_and_says_why(scrubjay: Scrubjay) -> None:
    assert "There is nothing in memory yet." in scrubjay("memory", "recall", "unicorns").err
    scrubjay("memory", "remember", KEY)

    found = scrubjay("memory", "recall", "unicorns")

    assert (found.code, found.out) == (0, "")
    assert 'No note has "unicorns".' in found.err


def test_the_limit_comes_from_the_option_else_from_the_configuration(scrubjay: Scrubjay, home: Home) -> None:
    for number in range(8):
        scrubjay("memory", "remember", f"key number {number}")

    def hits(*more: str) -> int:
        return len(scrubjay("memory", "recall", "key", "--json", *more).json["hits"])

    assert hits() == 6
    assert hits("--limit", "2") == 2
    home.config.write_text("memory:\n  recall:\n    limit: 3\n")
    assert hits() == 3
    assert hits("-n", "5") == 5


@pytest.mark.parametrize("limit", ["0", "51", "-1"])
def test_a_limit_out_of_bounds_is_a_misuse(scrubjay: Scrubjay, limit: str) -> None:
    result = scrubjay("memory", "recall", "key", "--limit", limit)

    assert result.code == 2
    assert "from 1 to 50" in result.err


def test_agents_do_not_see_each_other(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY, "--agent", "personal")

    assert scrubjay("memory", "recall", "key", "--agent", "work", "--json").json["hits"] == []
    assert len(scrubjay("memory", "recall", "key", "-a", "personal", "--json").json["hits"]) == 1


def test_the_default_agent_is_the_one_of_the_configuration(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("memory", "remember", KEY, "--agent", "work")
    home.config.write_text("chat:\n  agent: work\n")

    assert len(scrubjay("memory", "recall", "key", "--json").json["hits"]) == 1


def test_an_agent_that_does_not_exist_is_code_4(scrubjay: Scrubjay) -> None:
    result = scrubjay("memory", "recall", "key", "--agent", "wrok")

    assert result.code == 4
    assert 'Did you mean "work"?' in result.err


def test_scopes_are_owner_or_a_chat(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY)

    assert scrubjay("memory", "recall", "key", "--scope", "chat:telegram.1:-5", "--json").json["hits"] == []
    for wrong in ("guest", "chat:", ""):
        assert scrubjay("memory", "recall", "key", "--scope", wrong).code == 2


@pytest.mark.parametrize("verb", ["recall", "forget", "explain"])
def test_a_verb_without_its_object_is_a_misuse_with_an_example(scrubjay: Scrubjay, verb: str) -> None:
    result = scrubjay("memory", verb)

    assert result.code == 2
    assert "scrubjay memory" in result.err


def test_every_line_of_standard_input_is_one_thing_to_remember(
    scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Piped(f"{KEY}\n\n  {PETER}  \n"))

    written = scrubjay("memory", "remember", "--json").json["written"]

    assert [receipt["text"] for receipt in written] == [KEY, PETER]
    assert written[1] == {
        "id": written[1]["id"],
        "kind": "opinion",
        "entities": ["Peter"],
        "category": "preference",
        "text": PETER,
        "source": "memory/2026-11-21.md#L5",
        "repeated": False,
    }


def test_nothing_to_remember_is_a_misuse(scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Piped("\n\n"))

    assert scrubjay("memory", "remember").code == 2


def test_what_is_too_long_is_told_and_what_came_before_it_is_kept(
    scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Piped(f"{KEY}\n{'x' * 200_000}\n"))

    result = scrubjay("memory", "remember")

    assert result.code == 1
    assert "200,000 characters" in result.err
    assert result.out.startswith("Noted in ")
    assert len(scrubjay("memory", "recall", "key", "--json").json["hits"]) == 1


def test_forgetting_shows_the_lines_and_takes_them_away(scrubjay: Scrubjay) -> None:
    name = remembered(scrubjay, KEY)

    result = scrubjay("memory", "forget", f"^{name}", "--yes")

    assert result.code == 0
    assert result.out.splitlines() == [
        "1  memory/2026-11-21.md:4",
        f"   - W: {KEY} #fact ^{name}",
        "Forgotten: 1 line.",
    ]
    assert "scrubjay memory undo" in result.err
    assert scrubjay("memory", "recall", "key", "--json").json["hits"] == []


@pytest.mark.parametrize("more", [[], ["--no-input"], ["--dry-run"]])
def test_nothing_is_forgotten_unasked(scrubjay: Scrubjay, monkeypatch: pytest.MonkeyPatch, more: list[str]) -> None:
    monkeypatch.setattr("sys.stdin", Piped("y\n"))
    scrubjay("memory", "remember", KEY)

    result = scrubjay("memory", "forget", "key", *more)

    assert result.code == (0 if more == ["--dry-run"] else 2)
    assert KEY in result.out
    assert len(scrubjay("memory", "recall", "key", "--json").json["hits"]) == 1


def test_forgetting_what_is_not_there_is_code_4(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "forget", "unicorns", "--yes").code == 4


def test_several_facts_are_listed_with_their_ids_and_none_goes_unseen(scrubjay: Scrubjay) -> None:
    names = [
        remembered(scrubjay, "My gmail password is in the book."),
        remembered(scrubjay, "The wifi password is here."),
    ]

    result = scrubjay("memory", "forget", "password", "--yes")

    assert result.code == 7
    assert all(f"^{name}" in result.err for name in names)
    assert len(scrubjay("memory", "recall", "password", "--json").json["hits"]) == 2
    assert scrubjay("memory", "forget", "my", "password", "for", "gmail", "--yes").out.count("password") == 1
    assert scrubjay("memory", "forget", "--all", "password", "--yes").code == 0
    assert scrubjay("memory", "recall", "password", "--json").json["hits"] == []


def test_a_purge_leaves_nothing_and_takes_what_was_forgotten_before_with_no_words(
    scrubjay: Scrubjay, home: Home
) -> None:
    remembered(scrubjay, KEY)
    remembered(scrubjay, PETER)
    assert scrubjay("memory", "forget", "--purge", "--yes").code == 4
    purged = scrubjay("memory", "forget", "spare key", "--purge", "--yes")
    scrubjay("memory", "forget", "Peter", "--yes")
    before = [path for path in home.config.parent.rglob("*") if path.is_file() and b"Peter" in path.read_bytes()]

    again = scrubjay("memory", "forget", "--purge", "--yes")

    assert (purged.code, again.code) == (0, 0)
    assert "cannot be brought back" in purged.err
    assert again.out.splitlines()[-1] == "Purged: 1 line."
    assert [path.suffix for path in before] == [".jsonl"]
    left = [path for path in home.config.parent.rglob("*") if path.is_file()]
    assert not any(word in path.read_bytes() for word in (b"Peter", b"spare key") for path in left)
    assert scrubjay("memory", "undo").code == 1


def test_beside_a_chat_nothing_is_purged_and_it_says_what_to_type_there(
    scrubjay: Scrubjay, home: Home, clock: FrozenClock
) -> None:
    name = remembered(scrubjay, KEY)
    with instance.hold(home, command="chat", clock=clock):
        refused = scrubjay("memory", "forget", f"^{name}", "--purge", "--yes")
        forgotten = scrubjay("memory", "forget", f"^{name}", "--yes")

    assert refused.code == 5
    assert "/forget --purge" in refused.err
    assert forgotten.code == 0


def test_undo_takes_back_writes_newest_first(scrubjay: Scrubjay) -> None:
    line = f"- W: {KEY} #fact ^{remembered(scrubjay, KEY)}"
    scrubjay("memory", "forget", "key", "--yes")

    back = scrubjay("memory", "undo")
    assert back.out.splitlines()[1] == f"  there again: {line}"
    assert len(scrubjay("memory", "recall", "key", "--json").json["hits"]) == 1

    gone = scrubjay("memory", "undo", "1", "--json").json["undone"]
    assert [(one["action"], one["removed"]) for one in gone] == [("remember", line)]
    assert scrubjay("memory", "recall", "key", "--json").json["hits"] == []


def test_undoing_nothing_says_so(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "undo").code == 1
    assert scrubjay("memory", "undo", "0").code == 2


def test_explain_shows_the_parts_of_every_score_and_what_came_close(scrubjay: Scrubjay) -> None:
    for number in range(7):
        scrubjay("memory", "remember", f"key number {number}")

    shown = scrubjay("memory", "explain", "key", "number", "3").out

    assert shown.startswith("Searched by words;")
    best, *_ = re.findall(r"^1 +memory/2026-11-21\.md#L(\d+) +(\d\.\d+)", shown, flags=re.MULTILINE)
    assert best == ("7", "1.050")
    assert re.search(r"^Found  source +score +relevance +word:\w+ ", shown, flags=re.MULTILINE)
    assert "Came close  source" in shown
    told = scrubjay("memory", "explain", "key", "--json").json
    assert len(told["hits"]) == 6
    assert len(told["near"]) == 1


def test_an_entry_as_json_needs_no_records_of_conversations(scrubjay: Scrubjay, home: Home) -> None:
    name = remembered(scrubjay, PETER)
    home.database.write_text("no database" * 1000)

    assert scrubjay("memory", "explain", name, "--json").json["id"] == name
    assert scrubjay("memory", "explain", name).code == 1


def test_explain_shows_one_entry_by_its_id(scrubjay: Scrubjay) -> None:
    name = remembered(scrubjay, PETER)

    told = scrubjay("memory", "explain", f"^{name}").out.splitlines()
    assert [line.split(maxsplit=1) for line in told[1:]] == [
        ["id", f"^{name}"],
        ["kind", "opinion"],
        ["time", "2026-11-21"],
        ["about", "Peter"],
        ["carries", "#preference"],
        ["written", "2026-11-21"],
        ["strength", "1.00, last reviewed 2026-11-21, fades on 2028-01-12"],
        ["came", "from  conversation"],
        ["source", "memory/2026-11-21.md#L4"],
        ["scope", "owner"],
        ["Written", "by owner on Sat 21 Nov 2026 at 10:30."],
    ]
    assert told[0] == PETER
    assert scrubjay("memory", "explain", name, "--json").json["entities"] == ["Peter"]
    assert scrubjay("memory", "explain", "^99999999").code == 4


def test_a_word_that_only_looks_like_an_id_is_a_question(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", "unicorns exist")

    assert len(scrubjay("memory", "explain", "unicorns", "--json").json["hits"]) == 1


def test_what_belongs_into_the_profile_is_offered_within_a_budget(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", "Always answer in metric units. #rule")
    scrubjay("memory", "remember", "I prefer the aisle seat on long flights.")

    shown = scrubjay("memory", "profile")
    small = scrubjay("memory", "profile", "--budget", "40", "--json").json

    assert shown.out.splitlines()[:2] == ["Standing instructions", "- Always answer in metric units. #rule"]
    assert "- I prefer the aisle seat on long flights.\n" in shown.out
    assert shown.out.endswith("of 2,000 characters. Copy what is right into USER.md.\n")
    assert [guide["kind"] for guide in small["guides"]] == ["standing"]
    assert (small["budget"], small["left"]) == (40, 1)
    assert scrubjay("memory", "profile", "--budget", "0").code != 0


def test_stats_and_status_and_index_have_text_and_json(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", PETER)

    assert scrubjay("memory", "stats").out.startswith("1 fact among 1 passage in 1 file, of 2026-11-21.\n")
    assert scrubjay("memory", "stats", "--json").json["entities"] == {"Peter": 1}
    assert scrubjay("memory", "status").out.startswith("The index is ready.\n")
    assert scrubjay("memory", "status", "--json").json["facts"] == 1


def test_where_nothing_has_been_noted_yet_the_status_says_what_to_do(scrubjay: Scrubjay, home: Home) -> None:
    fresh = scrubjay("memory", "status")

    folder = home.workspace("personal")
    said = f"error: personal has no folder yet: {folder} is not there.\nRun: scrubjay init\n"
    assert (fresh.code, fresh.err) == (4, said)


def test_an_index_is_brought_up_to_date_and_searched_by_words_where_meaning_is_switched_off(
    scrubjay: Scrubjay, home: Home
) -> None:
    by_words(home)
    scrubjay("memory", "remember", PETER)

    done, summary = scrubjay("memory", "index").out.splitlines()

    assert re.fullmatch(r"1 file with 1 passage indexed in \d+\.\d s: 0 changed, 0 removed\.", done)
    assert summary == "Words are searched alone: searching by meaning is not set up."
    assert scrubjay("memory", "index", "--rebuild", "--json").json["changed"] == 1


def test_what_was_embedded_is_found_by_its_meaning_and_with_words_alone_it_is_not(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY)
    scrubjay("memory", "remember", PETER)
    before = scrubjay("memory", "status", "--json").json

    assert scrubjay("memory", "index").out.endswith("Searched by words and meaning. 2 of 2 passages are embedded.\n")
    after = scrubjay("memory", "status", "--json").json
    found = scrubjay("memory", "recall", "Wo liegt der Schlüssel?", "--json").json
    by_words = scrubjay("memory", "recall", "Wo liegt der Schlüssel?", "--words", "--json").json

    assert (before["mode"], before["embedded"], before["unembedded"]) == ("words", 0, 2)
    assert (after["mode"], after["embedded"], after["unembedded"]) == ("hybrid", 2, 0)
    assert (found["mode"], found["hits"][0]["content"]) == ("hybrid", KEY)
    assert found["hits"][0]["parts"]["meaning"] > 0
    assert (by_words["mode"], by_words["hits"]) == ("words", [])


def by_words(home: Home) -> None:
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text("memory:\n  embedder:\n    kind: none\n")


def test_a_workspace_that_another_process_keeps_writing_to_is_code_5_and_can_be_read(
    scrubjay: Scrubjay, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    scrubjay("memory", "remember", KEY)
    monkeypatch.setattr("memory.files.workspace.PATIENCE_S", 0.05)

    with Workspace(home.workspace("personal")) as workspace, workspace.lock():
        result = scrubjay("memory", "remember", PETER)
        found = scrubjay("memory", "recall", "key", "--json")

    assert result.code == 5
    assert "Another process has been writing to " in result.err
    assert [hit["content"] for hit in found.json["hits"]] == [KEY]


def test_a_reader_writes_nothing_beside_a_running_service(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    from bot.system import instance

    scrubjay("memory", "remember", KEY)

    with instance.hold(home, command="chat", clock=clock):
        assert len(scrubjay("memory", "recall", "key", "--json").json["hits"]) == 1
        assert scrubjay("memory", "remember", PETER).code == 0


def test_what_stands_in_a_note_cannot_command_the_terminal(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", "key \x1b[31mred\x1b[0m \x07 \u202eback")

    for shown in (scrubjay("memory", "recall", "key").out, scrubjay("memory", "explain", "key").out):
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "\u202e" not in shown


def test_an_endpoint_that_does_not_answer_is_told_in_words_and_its_client_never_speaks_between_the_data(
    scrubjay: Scrubjay, home: Home
) -> None:
    embedder = "    kind: endpoint\n    model: letters\n    base_url: http://127.0.0.1:9/v1\n"
    put(home.config, f"memory:\n  embedder:\n{embedder}")
    scrubjay("memory", "remember", KEY)

    done = scrubjay("memory", "index")
    told = scrubjay("memory", "index", "--json")
    checked = scrubjay("doctor", "--json")

    assert "Words are searched alone: http://127.0.0.1:9/v1 gave no vectors" in done.out
    assert len(done.out.splitlines()) == 2
    assert (told.json["mode"], told.json["embedded"]) == ("words", 0)
    assert [finding["id"] for finding in checked.json["findings"] if finding["severity"] != "note"] == [
        "embedder.unusable"
    ]
    assert "retry" in home.log_file.read_text()


def test_json_escapes_what_a_terminal_obeys_and_leaves_other_scripts_readable(scrubjay: Scrubjay) -> None:
    note = "key \x9b31m \u202e\u2066 größe ключ 鍵 👨‍👩‍👧"
    scrubjay("memory", "remember", note)

    told = scrubjay("memory", "recall", "key", "--json")

    assert not set("\x9b\u202e\u2066") & set(told.out)
    assert "größe ключ 鍵 👨‍👩‍👧" in told.out
    assert "\\u009b31m \\u202e\\u2066" in told.out
    assert [hit["content"] for hit in told.json["hits"]] == [note]
