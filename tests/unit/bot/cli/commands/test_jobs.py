"""`scrubjay jobs`, without a service."""

from __future__ import annotations

import json

from bot.paths import Home
from tests.unit.bot.cli.conftest import Scrubjay


def test_jobs_are_listed_done_and_their_log_shown(scrubjay: Scrubjay) -> None:
    listed = scrubjay("jobs", "list", "--json").json["jobs"]
    assert {one["name"] for one in listed} >= {"retain", "reflect", "retention", "reindex", "digest", "backup"}
    assert all(one["last"] is None for one in listed)
    assert "reflect" in scrubjay("jobs", "list").out
    assert "has not run yet" in scrubjay("jobs", "log", "reindex").err

    assert "to be read" in scrubjay("jobs", "run", "reindex", "--dry-run").out
    assert scrubjay("jobs", "log", "reindex", "--json").json == {"runs": []}
    assert "passages" in scrubjay("jobs", "run", "reindex").out
    (done,) = scrubjay("jobs", "log", "reindex", "--json").json["runs"]
    assert done["outcome"] == "done"
    assert scrubjay("jobs", "log", "reindex").out.split("\n")[1].startswith("  ")


def test_a_job_that_fails_or_that_there_is_none_of_has_an_exit_code(scrubjay: Scrubjay, home: Home) -> None:
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text("jobs:\n  backup:\n    command: [/no/such/program]\n")
    failed = scrubjay("jobs", "run", "backup")
    assert (failed.code, failed.err.count("/no/such/program cannot be run")) == (1, 1)
    assert scrubjay("jobs", "run", "reflct").code == 4
    assert scrubjay("jobs", "run", "reindex", "--agent", "nobody").code == 4


def test_what_a_job_logs_goes_into_the_log_file_and_not_between_the_data(scrubjay: Scrubjay, home: Home) -> None:
    (done,) = scrubjay("jobs", "run", "reindex", "--json").out.splitlines()

    assert json.loads(done)["run"]["outcome"] == "done"
    assert "job.ended" in home.log_file.read_text()


def test_who_carries_a_job_out_reads_once_what_it_came_to(scrubjay: Scrubjay, home: Home) -> None:
    log = home.workspaces / "personal/memory/2026-05-01.md"
    log.parent.mkdir(parents=True)
    log.write_text("# 2026-05-01\n\n## Retain\n- W: The attic lamp needs a new bulb.\n")

    ran = scrubjay("jobs", "run", "decay")

    assert f"{ran.out}{ran.err}".count("The attic lamp") == 1
