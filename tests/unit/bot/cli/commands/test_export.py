"""`scrubjay export`, and what it wrote taken in again."""

import json
from pathlib import Path

from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_an_agent_is_written_as_plain_files_and_its_facts_can_be_imported(scrubjay: Scrubjay, tmp_path: Path) -> None:
    for text in ("Mrs Okafor has a spare key.", "Peter likes green tea."):
        scrubjay("memory", "remember", text)

    told = scrubjay("export", str(tmp_path / "out"), "--json").json
    facts = [json.loads(line) for line in (tmp_path / "out" / "facts.jsonl").read_text().splitlines()]
    imported = scrubjay("import", str(tmp_path / "out" / "facts.jsonl"), "--agent", "work", "--yes", "--json").json
    found = scrubjay("memory", "recall", "spare key", "--agent", "work").out

    assert (told["facts"], told["agent"]) == (2, "personal")
    assert [fact["text"] for fact in facts] == ["Mrs Okafor has a spare key.", "Peter likes green tea."]
    assert facts[0]["source"].startswith("memory/")
    assert [*(tmp_path / "out" / "notes" / "memory").glob("*.md")]
    assert imported["done"]["counts"] == {"fact": 2}
    assert "Mrs Okafor has a spare key." in found


def test_a_folder_with_something_in_it_is_left_alone(scrubjay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")

    assert scrubjay("export", str(tmp_path)).code == 7


def test_nothing_is_written_among_the_notes_where_each_fact_would_be_there_twice(
    scrubjay: Scrubjay, home: Home
) -> None:
    scrubjay("memory", "remember", "Peter likes green tea.")
    folder = home.workspace("personal") / "taken along"

    refused = scrubjay("export", str(folder), "--agent", "work")

    assert refused.code == 7
    assert f"Something is kept here already: {home.workspace('personal')}" in refused.err
    assert not folder.exists()


def test_one_of_each_is_not_told_in_the_plural(scrubjay: Scrubjay, tmp_path: Path) -> None:
    scrubjay("memory", "remember", "Peter likes green tea.")

    told = scrubjay("export", str(tmp_path / "out")).out

    assert "1 fact, 0 conversations." in told
