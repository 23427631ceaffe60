from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.paths import Home, put
from memory import FrozenClock
from tests.support.foreign import broken_sources, chat, claude_chat, folder, write_source
from tests.unit.bot.cli.conftest import Scrubjay


@pytest.fixture
def source(tmp_path: Path, home: Home) -> Path:
    home.prepare()
    home.config.write_text("memory:\n  embedder:\n    kind: none\n", encoding="utf-8")
    return write_source("mem0", tmp_path).path


def test_a_dry_run_shows_what_would_come_and_writes_nothing(scrubjay: Scrubjay, home: Home, source: Path) -> None:
    shown = scrubjay("import", str(source), "--dry-run")

    assert shown.code == 0
    assert "1 fact" in shown.out
    assert "from 2024-03-07 to 2024-03-07" in shown.out
    assert "violet bicycle" in shown.out
    assert "Nothing was written." in shown.err
    assert not (home.workspaces / "personal" / "memory" / "imports").exists()


def test_without_a_yes_nothing_is_written(scrubjay: Scrubjay, home: Home, source: Path) -> None:
    refused = scrubjay("import", str(source))

    assert refused.code == 2
    assert "--yes" in refused.err
    assert not (home.workspaces / "personal" / "memory" / "imports").exists()


def test_it_is_imported_listed_and_undone(scrubjay: Scrubjay, source: Path) -> None:
    assert scrubjay("import", "list").err == "Nothing was imported into personal yet.\n"
    done = scrubjay("import", str(source), "--yes")
    listed = scrubjay("import", "list", "--json").json["imports"]
    again = scrubjay("import", str(source), "--yes")
    undone = scrubjay("import", "undo", listed[0]["id"], "--json").json

    assert "Imported: 1 fact." in done.out
    assert "scrubjay import undo mem0-2026-11-21" in done.err
    assert [(one["id"], one["facts"], one["state"]) for one in listed] == [("mem0-2026-11-21", 1, "done")]
    assert "There is nothing new in it for personal." in again.err
    assert undone == {"undone": 1, "kept": []}
    assert "undone" in scrubjay("import", "list").out
    assert scrubjay("import", "undo", "mem0-2026-11-21").code == 4


def test_its_day_is_that_of_the_owners_clock(scrubjay: Scrubjay, source: Path, clock: FrozenClock) -> None:
    clock.advance(hours=14)  # half past midnight

    scrubjay("import", str(source), "--yes")
    assert scrubjay("import", "list").out.splitlines()[1].split()[:2] == ["mem0-2026-11-22", "2026-11-22"]


def test_nothing_of_a_source_is_left_out_without_a_word(scrubjay: Scrubjay, source: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "claw"
    (workspace / "notes").mkdir(parents=True)
    for name in ("AGENTS.md", "MEMORY.md", "todo.txt", "notes/house.md", "facts.jsonl"):
        (workspace / name).write_text('{"text": "The boiler was serviced.", "kind": "world"}\n', encoding="utf-8")
    (workspace / "memory").symlink_to(source.parent, target_is_directory=True)

    of_workspace = scrubjay("import", str(workspace), "--as", "openclaw", "--dry-run", "--json").json["plan"][
        "left_out"
    ]
    of_export = scrubjay("import", str(workspace), "--as", "facts", "--dry-run").out

    assert of_workspace["the format openclaw does not read it"] == 3
    assert of_workspace["it is a link: import what it leads to by itself"] == 1
    assert sum(of_workspace.values()) == 5
    assert "left out: AGENTS.md and 3 more: the format facts does not read it" in of_export


def test_what_it_says_as_json(scrubjay: Scrubjay, source: Path) -> None:
    told = scrubjay("import", str(source), "--yes", "--json").json

    assert told["plan"]["new"] == {"fact": 1}
    assert told["done"]["counts"] == {"fact": 1}


def test_the_formats_are_listed_with_what_is_on_this_machine(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    workspace = write_source("openclaw", tmp_path / "sources").path
    (tmp_path / ".openclaw").mkdir()
    workspace.rename(tmp_path / ".openclaw" / "workspace")

    told = scrubjay("import", "--json").json

    assert {"chatgpt", "claude", "letta", "obsidian"} < {one["name"] for one in told["formats"]}
    assert [(one["importer"], one["count"]) for one in told["found"]] == [("openclaw", 5)]
    assert ".openclaw/workspace" in scrubjay("import").err


def test_options_of_openclaw_are_shown_and_not_applied(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    options = """{
      // searched beside memory
      memory: {qmd: {paths: [{path: '/srv/notes', name: 'Team Notes'}, '~/team notes',]},
        search: {extraPaths: ['/opt/folder-3', '~/folder-3', '/srv/team-notes/', '~/team notes',]}},
      agents: {defaults: {userTimezone: "Europe/Berlin", memorySearch: {query: {maxResults: 9, minScore: 0.3,
          hybrid: {vectorWeight: 0.6, textWeight: 0.4}}, chunking: {tokens: 300, overlap: 60},
          experimental: {sessionMemory: true}},
        compaction: {reserveTokensFloor: 20000, memoryFlush: {softThresholdTokens: 4000}}}},
      session: {reset: {atHour: 4, idleMinutes: 90}},
      channels: {telegram: {botToken: "123:abc"}},
    }"""
    path = folder(tmp_path / "claw", {"openclaw.json": options}) / "openclaw.json"

    told = scrubjay("import", str(path), "--json").json["plan"]

    assert [(one["option"], one["value"]) for one in told["settings"]] == [
        ("memory.extra_paths.team-notes", '"/srv/notes"'),
        ("memory.extra_paths.folder-2", '"~/team notes"'),
        ("memory.extra_paths.folder-3", '"/opt/folder-3"'),
        ("memory.extra_paths.folder-4", '"~/folder-3"'),
        ("memory.extra_paths.folder-5", '"/srv/team-notes/"'),
        ("owner.timezone", '"Europe/Berlin"'),
        ("memory.recall.limit", "9"),
        ("memory.weights.min_score", "0.3"),
        ("memory.weights.meaning", "0.6"),
        ("memory.weights.words", "0.4"),
        ("memory.chunks.tokens", "300"),
        ("memory.chunks.overlap", "60"),
        ("memory.sessions.index", "true"),
        ("session.flush.soft_tokens", "4000"),
        ("session.reset.daily", "4"),
        ("session.reset.idle_minutes", "90"),
    ]
    assert told["left_out"] == {"a secret is not taken: enter it again": 1, "it has no counterpart here": 1}
    assert not home.config.exists()
    words = [word.strip('"') for one in told["settings"] for word in (one["option"], one["value"])]
    assert scrubjay("config", "set", *words).code == 0, "each is an option here, and may have this value"


def test_a_source_that_cannot_be_read_is_refused_in_a_sentence(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    for name, (path, code) in broken_sources(tmp_path).items():
        refused = scrubjay("import", str(path), "--yes")

        assert refused.code == code, (name, refused.err)
        assert "Traceback" not in refused.err
        assert len(refused.err.strip().splitlines()) >= 2, "what happened, and what to do"
    assert not (home.workspaces / "personal" / "memory" / "imports").exists()


def test_a_word_that_is_no_format_is_met_with_the_nearest(scrubjay: Scrubjay, source: Path) -> None:
    refused = scrubjay("import", str(source), "--as", "mem")

    assert refused.code == 2
    assert 'Did you mean "mem0"?' in refused.err


def test_only_memories_leave_conversations_out(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    source = write_source("chatgpt", tmp_path).path

    talk = scrubjay("import", str(source), "--only", "conversations", "--dry-run", "--json").json["plan"]["new"]
    memories = scrubjay("import", str(source), "--only", "memories", "--dry-run", "--json").json["plan"]["new"]

    assert (talk, memories) == ({"conversation": 1}, {"fact": 1})
    assert scrubjay("import", str(source), "--only", "pictures").code == 2


def test_a_long_text_in_a_table_is_taken_with_the_others(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    rows = f"id,text,importance,createdAt\n1,{'rain ' * 30_000},0.5,1\n2,The lock opens with 2290.,0.5,1\n"
    path = folder(tmp_path / "lance", {"memories.csv": rows})

    assert "Imported: 2 facts." in scrubjay("import", str(path), "--yes").out
    assert "The lock opens with 2290." in (home.workspaces / "personal/memory/imports/lancedb/facts-1.md").read_text()


def test_options_without_a_counterpart_are_named(scrubjay: Scrubjay, tmp_path: Path) -> None:
    path = folder(tmp_path / "claw", {"openclaw.json": json.dumps({"a": 1})}) / "openclaw.json"

    shown = scrubjay("import", str(path))

    assert shown.code == 0
    assert "it has no counterpart here" in shown.out


def test_a_note_of_another_vault_with_the_same_name_replaces_nothing(
    scrubjay: Scrubjay, home: Home, source: Path, tmp_path: Path
) -> None:
    private = folder(tmp_path / "Private", {".obsidian/app.json": "{}", "Home.md": "The cat is called Minka.\n"})
    work = folder(tmp_path / "Work", {".obsidian/app.json": "{}", "Home.md": "The server is called Atlas.\n"})
    notes = home.workspaces / "personal" / "memory" / "imports" / "obsidian"

    scrubjay("import", str(private), "--yes")
    scrubjay("import", str(work), "--yes")
    (work / "Home.md").write_text("The server is called Zeus.\n", encoding="utf-8")
    changed = scrubjay("import", str(work), "--yes")

    assert "Imported: 1 replaced." in changed.out
    assert "Minka" in (notes / "Home.md").read_text(encoding="utf-8")
    assert "Zeus" in (notes / "Home-2.md").read_text(encoding="utf-8")
    for vault in (private, work):
        again = scrubjay("import", str(vault), "--yes", "--json").json["plan"]
        assert (again["new"], again["changed"]) == ({}, 0)


def test_what_was_said_by_voice_to_chatgpt_is_taken(
    scrubjay: Scrubjay, home: Home, source: Path, tmp_path: Path
) -> None:
    spoken = chat("")
    parts = [
        {"content_type": "audio_transcription", "text": "The bicycle is in the cellar.", "direction": "in"},
        {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}},
    ]
    spoken["mapping"]["ask"]["message"]["content"] = {"content_type": "multimodal_text", "parts": parts}
    export = folder(tmp_path / "gpt", {"conversations.json": json.dumps([spoken]), "user.json": "{}"})

    scrubjay("import", str(export), "--yes")

    [page] = (home.workspaces / "personal" / "memory" / "imports" / "chatgpt").glob("*.md")
    assert "**Me**: The bicycle is in the cellar." in page.read_text(encoding="utf-8")


def test_a_chat_whose_message_is_of_no_known_type_does_not_end_the_import(
    scrubjay: Scrubjay, source: Path, tmp_path: Path
) -> None:
    odd = chat("The bicycle is in the cellar.")
    odd["mapping"]["ask"]["message"]["content"]["content_type"] = ["text"]
    export = folder(tmp_path / "gpt", {"conversations.json": json.dumps([odd]), "user.json": "{}"})

    assert scrubjay("import", str(export), "--yes", "--json").json["plan"]["new"]


def test_of_claudes_messages_words_are_taken_and_files_are_named(
    scrubjay: Scrubjay, home: Home, source: Path, tmp_path: Path
) -> None:
    talk = claude_chat("Look.")
    talk["chat_messages"] = [
        {"sender": "human", "text": "", "content": [], "attachments": [], "files": [{"file_name": "minka.jpg"}]},
        {
            "sender": "assistant",
            "text": "Let me think.\n```\nThis block is not supported on your current device yet.\n```\nA grey cat.",
            "content": [
                {"type": "thinking", "thinking": "Let me think."},
                {"type": "tool_use", "name": "view"},
                {"type": "text", "text": "A grey cat."},
            ],
        },
    ]
    export = folder(tmp_path / "claude", {"conversations.json": json.dumps([talk])})

    scrubjay("import", str(export), "--yes")

    [page] = (home.workspaces / "personal" / "memory" / "imports" / "claude").glob("*.md")
    said = page.read_text(encoding="utf-8")
    assert "**Me**: [a file: minka.jpg]" in said
    assert "**Claude**: A grey cat." in said
    assert "not supported" not in said


def test_documents_of_a_claude_project_with_the_same_name_are_all_taken(
    scrubjay: Scrubjay, home: Home, source: Path, tmp_path: Path
) -> None:
    documents = [
        ("notes.md", "The roof is new."),
        ("notes.md", "The cellar is damp."),
        ("instructions.md", "Turn left."),
    ]
    docs = [{"uuid": text, "filename": name, "content": text} for name, text in documents]
    project = {"uuid": "p", "name": "House", "prompt_template": "Be brief.", "docs": docs}
    files = {"conversations.json": json.dumps([claude_chat("Hello.")]), "projects.json": json.dumps([project])}
    export = folder(tmp_path / "claude", files)

    told = scrubjay("import", str(export), "--yes", "--json").json
    again = scrubjay("import", str(export), "--yes", "--json").json["plan"]

    assert told["done"]["counts"] == {"conversation": 1, "note": 4}
    assert (again["new"], again["changed"]) == ({}, 0)


def test_imports_that_are_undone_oldest_first_leave_nothing(
    scrubjay: Scrubjay, home: Home, source: Path, tmp_path: Path
) -> None:
    vault = folder(tmp_path / "V", {".obsidian/app.json": "{}", "A.md": "one\n", "B.md": "bee\n"})
    for text in ("one\n", "two\n", "three\n"):
        (vault / "A.md").write_text(text, encoding="utf-8")
        scrubjay("import", str(vault), "--yes")

    for name in ("obsidian-2026-11-21", "obsidian-2026-11-21-2", "obsidian-2026-11-21-3"):
        scrubjay("import", "undo", name)

    assert {one["state"] for one in scrubjay("import", "list", "--json").json["imports"]} == {"undone"}
    assert not [*(home.workspaces / "personal" / "memory" / "imports").rglob("*.md")]


def test_a_preview_shows_what_would_be_written_and_no_secret(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    token = f"ghp_{'0123456789abcdef' * 2}0123"
    facts = tmp_path / "facts.jsonl"
    facts.write_text(2 * (json.dumps({"text": f"The token is {token}"}) + "\n"), encoding="utf-8")

    shown = scrubjay("import", str(facts), "--dry-run")

    assert "a fact: The token is ••••" in shown.out
    assert "left out: The token is ••••: it is there twice" in shown.out
    assert token not in shown.out + shown.err


def test_a_secret_in_a_name_is_not_in_the_name_of_a_file(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    token = f"ghp_{'0123456789abcdef' * 2}0123"
    (vault := tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    vault.with_name(f"The token {token}.md").write_text("A note.\n", encoding="utf-8")
    told = chat("Hello, how are you?") | {"title": f"My token {token}"}
    (tmp_path / "conversations.json").write_text(json.dumps([told]), encoding="utf-8")

    done = [scrubjay("import", str(one), "--yes") for one in (vault.parent, tmp_path / "conversations.json")]

    names = [path.name for path in (home.workspaces / "personal" / "memory" / "imports").rglob("*.md")]
    assert len(names) == 2
    assert token not in str(names) + str(done)


def test_a_line_that_is_no_json_is_not_said_to_say_nothing(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"text": "Marta lives in Lisbon."}\n{"text": ""}\n{"text": "Mar', encoding="utf-8")

    shown = scrubjay("import", str(facts), "--dry-run")

    assert "left out: facts.jsonl:2: nothing is said in it" in shown.out + shown.err
    assert "left out: facts.jsonl:3: it is not what this source writes" in shown.out + shown.err


def test_whose_import_is_meant_is_said_where_an_agent_has_none(scrubjay: Scrubjay, source: Path) -> None:
    scrubjay("import", str(source), "--agent", "work", "--yes")

    undone = scrubjay("import", "undo", "mem0-2026-11-21")

    assert undone.code == 4
    assert "another agent: --agent NAME" in undone.err
    assert scrubjay("import", "list").err == "Nothing was imported into personal yet.\n"


def test_a_preview_is_in_the_persons_language(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    put(home.config, "owner:\n  language: de\n")
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"text": "Marta wohnt in Lissabon."}\n{"text": ""}\n', encoding="utf-8")

    shown = scrubjay("import", str(facts), "--dry-run").out

    assert "Tatsachen als JSON-Zeilen" in shown
    assert "facts.jsonl:2: es sagt nichts" in shown
