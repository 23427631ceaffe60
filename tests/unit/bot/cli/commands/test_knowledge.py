from __future__ import annotations

import re
from pathlib import Path

from bot.jobs.consolidate import report
from bot.paths import Home, put
from memory.life.consolidation.plan import Consolidation, Plan
from tests.unit.bot.cli.conftest import Scrubjay

KEY = "The spare key is under the blue pot."
WISH = "Always answer me in metric units."


def test_the_journal_shows_what_was_done_newest_first(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY)
    scrubjay("memory", "undo")

    shown = scrubjay("memory", "journal")

    assert shown.code == 0
    assert shown.out.index("taken back · memory/2026-11-21.md") < shown.out.index("noted · memory/2026-11-21.md")
    entries = scrubjay("memory", "journal", "--json").json["changes"]
    assert [(one["action"], one["is_undone"]) for one in entries] == [("undo", False), ("remember", True)]
    assert [one["seq"] for one in scrubjay("memory", "journal", "-n", "1", "--json").json["changes"]] == [2]


def test_the_journal_of_what_is_not_there_says_so(scrubjay: Scrubjay) -> None:
    assert "Nothing was done to this memory yet." in scrubjay("memory", "journal").err
    assert "Nothing was done about USER.md." in scrubjay("memory", "journal", "USER.md").err
    assert scrubjay("memory", "journal", "--limit", "0").code == 2


def test_a_timeline_of_nothing_says_what_it_took_for_a_subject(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY)

    assert "There is nothing about 2026-99-99 from 2026-11-15" in scrubjay("memory", "timeline", "2026-99-99").err
    assert "0 passages from 2026-11-20" in scrubjay("memory", "timeline", "yesterday").err


def test_a_proposal_is_shown_accepted_and_undone(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", WISH)

    [proposal] = scrubjay("memory", "review", "--json").json["proposals"]
    assert f"+ - {WISH}" in scrubjay("memory", "review").out
    accepted = scrubjay("memory", "review", "accept", proposal["id"])
    assert (accepted.code, accepted.out) == (0, f"Done: USER.md: - {WISH}\n")
    assert "Nothing waits for you." in scrubjay("memory", "review").err
    assert "Undone: replace, USER.md (Sat 2026-11-21 10:30)" in scrubjay("memory", "undo").out


def test_a_proposal_is_edited_or_rejected_by_its_name(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", WISH)
    scrubjay("memory", "remember", "I prefer short answers.")
    first, second = (one["id"] for one in scrubjay("memory", "review", "--json").json["proposals"])

    assert scrubjay("memory", "review", "edit", first, "Metric,", "please.").out == "Done: USER.md: - Metric, please.\n"
    assert scrubjay("memory", "review", "reject", second, "--json").json["change"]["path"] == "USER.md"
    assert scrubjay("memory", "review", "accept", second).code == 4


def test_what_is_no_decision_is_a_misuse(scrubjay: Scrubjay) -> None:
    for words in (["perhaps", "p1"], ["accept"], ["edit", "p1"], ["accept", "p1", "text"]):
        assert scrubjay("memory", "review", *words).code == 2


def test_reflection_writes_pages_once_and_shows_before_what_it_would_write(scrubjay: Scrubjay) -> None:
    for text in (
        "@Peter lives in Lisbon.",
        "@Peter has a boat.",
        "O(c=0.8) @Peter: Likes cheese.",
        "@Peter hates cheese.",
    ):
        scrubjay("memory", "remember", text)

    tried = scrubjay("memory", "reflect", "--dry-run")
    assert "bank/entities/Peter.md\n  + ---" in tried.out
    assert tried.err.startswith("This would be done: ")
    assert " pages written, 2 opinions moved, 1 conflict, " in tried.err
    done = scrubjay("memory", "reflect", "--since", "7d", "--json").json
    assert "bank/entities/Peter.md" in [page["path"] for page in done["pages"]]
    assert done["contradictions"][0]["earlier"] == "Peter: Likes cheese."
    again = scrubjay("memory", "reflect")
    assert "In conflict: Peter: Likes cheese. (bank/opinions.md#L3) and: @Peter hates cheese." in again.out
    assert again.err == "0 pages written, 0 opinions moved, 1 conflict, 0 new proposals.\n"


def test_a_run_that_had_been_interrupted_is_told_once() -> None:
    finished = Consolidation("job:consolidate:x", "", 0, Plan(), is_resumed=True)
    assert list(report(finished)) == ["An earlier run, which had been interrupted, was finished."]


def test_what_was_observed_is_consolidated_shown_before_and_taken_back(scrubjay: Scrubjay) -> None:
    nothing = scrubjay("memory", "consolidate")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err.startswith("Nothing to consolidate.")
    for text in ("The printer on the second floor is broken.", "The printer on the second floor is broken again."):
        scrubjay("memory", "observe", text)

    tried = scrubjay("memory", "consolidate", "--dry-run").out
    assert re.match(r"would be noted: The printer .* \(2 remarks like this, 21 November 2026\)\n2 statements", tried)
    done = scrubjay("memory", "consolidate").out
    assert done.startswith(tried.replace("would be ", ""))
    run = done.split()[-1]
    assert scrubjay("memory", "consolidate", "--json").json["op_id"] == ""
    undone = scrubjay("memory", "consolidate", "--undo", run)
    assert "1 fact taken back, 2 statements there again." in undone.err
    assert scrubjay("memory", "list").out == ""
    assert scrubjay("memory", "consolidate", "--undo", "nope").code == 4


def test_since_when_has_to_be_a_time(scrubjay: Scrubjay) -> None:
    assert scrubjay("memory", "reflect", "--since", "soonish").code == 2


def test_a_check_names_what_does_not_hold_together_and_fails(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("memory", "remember", "See [[2020-01-01]].")
    put(home.workspace("personal") / "bank/world.md", "- O(c=7): Too sure.\n")

    found = scrubjay("memory", "check")
    assert found.code == 1
    assert "memory/2026-11-21.md:4  [link]" in found.out
    assert "bank/world.md:1  [bullet]" in found.out
    assert found.err == "2 findings.\n"
    assert len(scrubjay("memory", "check", "--json").json["findings"]) == 2


def test_where_all_is_well_a_check_says_so(scrubjay: Scrubjay) -> None:
    scrubjay("memory", "remember", KEY)
    assert scrubjay("memory", "check").err == "Everything holds together.\n"


def test_what_stands_in_yesterdays_log_is_noted_once_and_its_line_is_named(scrubjay: Scrubjay, tmp_path: Path) -> None:
    scrubjay("memory", "remember", KEY)
    log = next(tmp_path.rglob("2026-11-21.md")).with_name("2026-11-20.md")
    log.write_text("# 2026-11-20\n\nMaria starts at Siemens on 1 December 2026.\n", encoding="utf-8")

    shown = scrubjay("memory", "retain", "--dry-run")
    assert shown.out == "Maria starts at Siemens on 1 December 2026. (memory/2026-11-20.md#L3)\n"
    assert "Retain" not in log.read_text(encoding="utf-8")
    assert "1 fact of 2026-11-20 noted." in scrubjay("memory", "retain", "--day", "2026-11-20").err
    assert scrubjay("memory", "retain", "--json").json == {"day": "2026-11-20", "facts": []}
    name = log.read_text(encoding="utf-8").rpartition("^")[2].strip()
    assert "From `memory/2026-11-20.md#L3`: «Maria starts" in scrubjay("memory", "explain", f"^{name}").out
    assert scrubjay("memory", "retain", "--day", "2026-13-40").code == 2
    assert "2026-11-21 is not over yet" in scrubjay("memory", "retain", "--day", "2026-11-21").err


def test_names_are_merged_after_they_were_shown(scrubjay: Scrubjay, home: Home) -> None:
    scrubjay("memory", "remember", "@Pete likes cheese.")
    scrubjay("memory", "remember", "@Peter has a boat.")

    done = scrubjay("memory", "merge", "Pete", "Peter", "--yes")

    assert (done.code, "+ aliases: [Pete]" in done.out) == (0, True)
    assert "aliases: [Pete]" in (home.workspace("personal") / "bank/entities/Peter.md").read_text(encoding="utf-8")
    assert scrubjay("memory", "rename", "Nobody", "Peter", "--yes").code == 4
