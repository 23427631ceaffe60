from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.paths import Home
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.cli_process import run
from tests.unit.bot.cli.conftest import Scrubjay


def obedient(request: Received) -> Step:
    if "key" in request.user_text and not request.tool_results:
        return Step(calls=(Call("memory_search", {"query": "spare key"}),))
    return Step(text="Mrs Okafor has it.")


@dataclass(frozen=True)
class Talked:
    """A home in which somebody talked, and what the model was sent."""

    folder: Path
    received: list[Received]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Talked:
    """Two sessions with a model, the second one still open."""
    folder = tmp_path_factory.mktemp("talked") / "home"
    folder.mkdir()
    with OpenAIServer(obedient) as server:
        text = f"model:\n  name: {MODEL}\n  base_url: {server.base_url}\n  api_key: {KEY}\n"
        (folder / "config.yaml").write_text(text)
        ended = run(folder, "chat", stdin="who has the key?\n/new keys\nhello\n")
        assert (ended.code, ended.err) == (0, "")
        return Talked(folder, server.received)


@pytest.fixture
def talked(once: Talked, home: Home) -> Talked:
    """A copy of that home."""
    shutil.copytree(once.folder, home.config.parent)
    return once


def names(scrubjay: Scrubjay) -> list[str]:
    """The ids of all sessions, the newest first."""
    return [session["id"] for session in scrubjay("sessions", "list", "--json").json["sessions"]]


def test_before_the_first_chat_there_are_none(scrubjay: Scrubjay, home: Home) -> None:
    listed, shown = scrubjay("sessions", "list"), scrubjay("sessions", "show")

    assert (listed.code, listed.out) == (0, "")
    assert "scrubjay chat" in listed.err
    assert (shown.code, "There are no sessions yet." in shown.err) == (4, True)
    assert scrubjay("sessions", "list", "--agent", "nobody").code == 4
    assert not home.config.parent.exists()


@pytest.mark.usefixtures("talked")
def test_the_session_that_was_used_last_is_listed_first(scrubjay: Scrubjay) -> None:
    lines = scrubjay("sessions", "list").out.splitlines()

    assert lines[1].endswith("1         open")
    assert lines[2].endswith("2         over")
    assert "terminal.local:private:owner  2026-11-21 10:30" in lines[1]


@pytest.mark.usefixtures("talked")
def test_a_list_can_be_cut_and_says_so(scrubjay: Scrubjay) -> None:
    shown = scrubjay("sessions", "list", "--limit", "1")
    told = scrubjay("sessions", "list", "-n", "1", "--json").json

    assert len(shown.out.splitlines()) == 2
    assert shown.err == "1 more; see them with --limit 2.\n"
    assert (len(told["sessions"]), told["all"]) == (1, 2)
    assert scrubjay("sessions", "list", "-n", "0").code == 2
    assert scrubjay("sessions", "list", "--agent", "work", "--json").json["all"] == 0


@pytest.mark.usefixtures("talked")
def test_a_session_is_shown_as_it_was_said(scrubjay: Scrubjay) -> None:
    newest, oldest = names(scrubjay)

    assert "**personal**: Mrs Okafor has it." in scrubjay("sessions", "show").out
    shown = scrubjay("sessions", "show", oldest).out
    assert f"Session `{oldest}` of `agent:personal:terminal.local:private:owner`, over." in shown
    assert "**Owner**: who has the key?" in shown
    assert '*personal called* `memory_search({"query": "spare key"})`' in shown
    assert "who has the key?" not in scrubjay("sessions", "show", newest).out


@pytest.mark.usefixtures("talked")
def test_a_session_goes_by_its_id_the_beginning_of_it_or_its_key(scrubjay: Scrubjay) -> None:
    newest, oldest = names(scrubjay)
    length = next(at for at in range(1, 27) if newest[:at] != oldest[:at])

    by_beginning = scrubjay("sessions", "show", oldest[:length].lower(), "--json").json
    by_key = scrubjay("sessions", "show", "agent:personal:terminal.local:private:owner", "--json").json
    both = scrubjay("sessions", "show", newest[: length - 1])

    assert (by_beginning["id"], by_key["id"]) == (oldest, newest)
    assert (both.code, newest in both.err, oldest in both.err) == (2, True, True)


@pytest.mark.parametrize("name", ["nothing", "", "%", "01' OR 1=1", "é"])
@pytest.mark.usefixtures("talked")
def test_a_name_that_nothing_has_is_code_4(scrubjay: Scrubjay, name: str) -> None:
    result = scrubjay("sessions", "show", name)

    assert result.code == 4
    assert "scrubjay sessions list" in result.err


@pytest.mark.usefixtures("talked")
def test_as_json_every_entry_is_there(scrubjay: Scrubjay) -> None:
    told = scrubjay("sessions", "show", names(scrubjay)[1], "--json").json

    kinds = [entry["type"] for entry in told["entries"]]
    assert kinds == ["snapshot", "message", "step", "tool", "reply", "message", "reply", "reset"]
    assert (told["is_over"], told["messages"]) == (True, 2)


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize(("body", "shown"), [("[1]", [1]), ('{"text": "cut o', {"text": '{"text": "cut o'})])
def test_as_json_an_entry_is_there_that_cannot_be_read_and_nothing_else(
    scrubjay: Scrubjay, home: Home, body: str, shown: object
) -> None:
    with closing(sqlite3.connect(home.database, isolation_level=None)) as db:
        db.execute("UPDATE transcript SET body = ? WHERE kind = 'reply'", (body,))

    told = scrubjay("sessions", "show", names(scrubjay)[1], "--json").json

    assert [entry["body"] for entry in told["entries"] if entry["type"] == "reply"] == [shown, shown]


@pytest.mark.usefixtures("talked")
def test_a_session_is_written_to_a_file_that_is_not_there_yet(scrubjay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "talk.md"

    written = scrubjay("sessions", "export", "--to", str(file))
    again = scrubjay("sessions", "export", "--to", str(file))

    assert (written.code, written.out) == (0, "")
    assert file.read_text(encoding="utf-8") == scrubjay("sessions", "show").out
    assert (again.code, "left as it is" in again.err) == (2, True)
    assert scrubjay("sessions", "export", "--to", str(tmp_path / "no" / "talk.md")).code == 1


@pytest.mark.usefixtures("talked")
def test_the_lines_that_are_exported_are_those_of_the_service(scrubjay: Scrubjay, home: Home) -> None:
    name = names(scrubjay)[1]

    exported = scrubjay("sessions", "export", name, "--as", "jsonl").out

    assert exported == (home.sessions("personal") / f"{name}.jsonl").read_text(encoding="utf-8")
    assert next(json.loads(line)["type"] for line in exported.splitlines()) == "session"
    assert scrubjay("sessions", "export", "--as", "pdf").code == 2


def test_what_the_model_saw_is_what_was_sent(scrubjay: Scrubjay, talked: Talked) -> None:
    told = scrubjay("sessions", "context", "--json").json

    sent = talked.received[-1]
    said = [piece["text"] for piece in told["pieces"] if not piece["what"].startswith("tool ")]
    assert said == [message["content"] for message in sent.messages]
    assert [piece["what"] for piece in told["pieces"] if piece["what"].startswith("tool ")] == [
        f"tool {name}" for name in sent.tools
    ]
    assert told["tokens"] == sum(piece["tokens"] for piece in told["pieces"])
    assert told["id"] == names(scrubjay)[0]


@pytest.mark.usefixtures("talked")
def test_what_the_model_saw_as_a_table_and_word_for_word(scrubjay: Scrubjay) -> None:
    table, full = scrubjay("sessions", "context").out, scrubjay("sessions", "context", "--full").out

    assert "      AGENTS.md " in table
    assert table.startswith(f"What {MODEL} at 127.0.0.1:")
    assert table.splitlines()[0].endswith(" saw last (Sat 2026-11-21 10:30):")
    assert table.splitlines()[-1].endswith(" of 32,000.")
    assert "=== 1. system, " in full
    assert "# How you work" in full
    assert table.splitlines()[-1] == full.splitlines()[-1]


@pytest.mark.usefixtures("talked")
def test_of_a_session_that_another_has_followed_it_is_not_known(scrubjay: Scrubjay) -> None:
    result = scrubjay("sessions", "context", names(scrubjay)[1])

    assert result.code == 4
    assert "The last request of each chat is kept" in result.err


def test_a_state_file_that_is_damaged_is_told(scrubjay: Scrubjay, home: Home) -> None:
    home.database.parent.mkdir(parents=True)
    home.database.write_bytes(b"this is no database" * 100)

    result = scrubjay("sessions", "list")

    assert result.code == 1
    assert str(home.database) in result.err
