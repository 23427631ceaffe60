from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.paths import Home
from tests.support.foreign import broken_sources, folder, write_source
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
    assert scrubjay("import", "list").err == "Nothing was imported yet.\n"
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
      memory: {qmd: {paths: [{path: '/srv/notes', name: 'Team Notes'},]}},
      agents: {defaults: {userTimezone: "Europe/Berlin", memorySearch: {query: {maxResults: 9}}}},
      channels: {telegram: {botToken: "123:abc"}},
    }"""
    path = folder(tmp_path / "claw", {"openclaw.json": options}) / "openclaw.json"

    told = scrubjay("import", str(path), "--json").json["plan"]

    assert [(one["option"], one["value"]) for one in told["settings"]] == [
        ("memory.extra_paths.team-notes", '"/srv/notes"'),
        ("owner.timezone", '"Europe/Berlin"'),
        ("memory.recall.limit", "9"),
    ]
    assert told["left_out"] == {"a secret is not taken: enter it again": 1}
    assert not home.config.exists()


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


def test_options_without_a_counterpart_are_named(scrubjay: Scrubjay, tmp_path: Path) -> None:
    path = folder(tmp_path / "claw", {"openclaw.json": json.dumps({"a": 1})}) / "openclaw.json"

    shown = scrubjay("import", str(path))

    assert shown.code == 0
    assert "it has no counterpart here" in shown.out
