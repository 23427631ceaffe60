"""`scrubjay backup` as it is typed."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.paths import Home
from memory import FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay

TOKEN = "123456789:AAE-abcdefghijklmnopqrstuvwxyz01234"


def note(scrubjay: Scrubjay, *texts: str) -> None:
    for text in texts:
        assert scrubjay("memory", "remember", text).code == 0


def test_it_is_made_listed_verified_and_brought_back(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    note(scrubjay, "The boiler code is 4711.", "Mrs Okafor has a spare key.")

    made = scrubjay("backup", "create", "--json").json
    verified = scrubjay("backup", "verify", "--json").json
    (listed,) = scrubjay("backup", "list", "--json").json["backups"]
    restored = scrubjay("backup", "restore", made["path"], "--to", str(tmp_path / "new"), "--json")

    assert listed["path"] == made["path"]
    assert listed["verified"]
    assert (verified["ok"], verified["asked"], verified["found"]) == (True, 2, 2)
    assert restored.json["agents"] == ["personal", "work"]
    lines = (tmp_path / "new" / "workspaces" / "personal").glob("memory/*.md")
    assert "4711" in "".join(path.read_text() for path in lines)


def test_the_newest_of_a_folder_is_verified(scrubjay: Scrubjay, tmp_path: Path) -> None:
    note(scrubjay, "The boiler code is 4711.")
    made = scrubjay("backup", "create", "--to", str(tmp_path / "disk"), "--json").json

    assert scrubjay("backup", "verify", str(tmp_path / "disk"), "--json").json["path"] == made["path"]
    assert scrubjay("backup", "list", str(tmp_path / "disk"), "--json").json["backups"][0]["verified"]


def test_that_a_folder_has_no_backup_is_told_with_its_name(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    refused = scrubjay("backup", "verify", str(tmp_path))

    assert refused.code == 4
    assert f"There is no backup in {tmp_path}.\nMake one: scrubjay backup create" in refused.err


def test_of_a_home_that_is_not_there_nothing_is_made(scrubjay: Scrubjay, home: Home) -> None:
    home.config.unlink(missing_ok=True)

    refused = scrubjay("backup", "create")

    assert (refused.code, refused.out) == (4, "")
    assert f"There is nothing to back up: {home.config.parent} holds" in refused.err
    assert "scrubjay paths" in refused.err
    assert not (home.config.parent / "backups").exists()


def test_of_a_home_in_which_others_may_write_nothing_is_made(scrubjay: Scrubjay, home: Home) -> None:
    home.prepare()
    home.state.chmod(0o777)

    assert scrubjay("backup", "create").code == 7
    assert not (home.config.parent / "backups").exists()


def test_a_fact_that_was_noted_twice_is_found_in_a_backup_though_it_is_recalled_once(
    scrubjay: Scrubjay, home: Home
) -> None:
    note(scrubjay, "The boiler code is 4711.", "The boiler code is 4711.")
    scrubjay("backup", "create")

    verified = scrubjay("backup", "verify", "--json")

    assert (verified.code, verified.json["asked"], verified.json["found"]) == (0, 2, 2)


@pytest.mark.parametrize("instead", ["nothing", "a file", "a link that leads nowhere"])
def test_a_memory_whose_folder_is_gone_is_not_left_out_without_a_word(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, instead: str
) -> None:
    note(scrubjay, "The boiler code is 4711.")
    workspace = home.workspace("personal")
    workspace.rename(tmp_path / "unplugged")
    if instead == "a file":
        workspace.touch()
    elif instead != "nothing":
        workspace.symlink_to(tmp_path / "drive" / "notes")

    refused = scrubjay("backup", "create")

    assert refused.code == 1
    assert f"personal has lost its folder: {workspace} is none." in refused.err
    assert scrubjay("backup", "list", "--json").json["backups"] == []


@pytest.mark.parametrize("words", [["memory", "recall", "boiler"], ["memory", "list"], ["chat", "boiler?"]])
def test_a_memory_whose_folder_is_gone_is_not_made_anew_and_called_empty(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, words: list[str]
) -> None:
    note(scrubjay, "The boiler code is 4711.")
    workspace = home.workspace("personal")
    workspace.rename(tmp_path / "unplugged")

    refused = subprocess.run(
        [sys.executable, "-m", "tests.fakes.scrubjay", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home.config.parent), "PYTHONPATH": str(Path.cwd())},
    )

    assert refused.returncode == 4
    assert f"The workspace {workspace} was removed or moved." in refused.stderr
    assert not workspace.exists()
    begun = scrubjay("init", "--yes")
    assert begun.code == 0
    assert f"warning: The workspace {workspace} was removed or moved.\nAn empty one is begun." in begun.err
    assert scrubjay("memory", "recall", "boiler").code == 0


@pytest.mark.parametrize("words", [["status"], ["memory", "status"], ["agents", "show"], ["doctor", "--offline"]])
def test_a_memory_whose_folder_is_gone_is_not_taken_for_one_that_was_never_begun(
    scrubjay: Scrubjay, home: Home, tmp_path: Path, words: list[str]
) -> None:
    note(scrubjay, "The boiler code is 4711.")
    home.workspace("personal").rename(tmp_path / "unplugged")
    home.workspace("work").mkdir()

    shown = scrubjay(*words)

    assert "removed or moved" in shown.out + shown.err or "Run: scrubjay doctor" in shown.out
    assert "scrubjay init\n" not in shown.out + shown.err
    assert "personal has no folder yet" not in shown.out + shown.err


def test_secrets_stay_out_unless_they_are_asked_for(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text(f'telegram:\n  token: "{TOKEN}" # of the bot\ndiscord:\n  token: ${{file:d.token}}\n')
    (home.config.parent / "d.token").write_text("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs\n")
    note(scrubjay, "The boiler code is 4711.")

    without = scrubjay("backup", "create", "--json", "--to", str(tmp_path / "a")).json
    with_them = scrubjay("backup", "create", "--with-secrets", "--json", "--to", str(tmp_path / "b")).json
    scrubjay("backup", "restore", without["path"], "--to", str(tmp_path / "x"), "--json")
    scrubjay("backup", "restore", with_them["path"], "--to", str(tmp_path / "y"), "--json")

    assert without["secrets_left_out"] == ["telegram.token", "discord.token"]
    assert (tmp_path / "x" / "config.yaml").read_text() == (
        'telegram:\n  token: "" # of the bot\ndiscord:\n  token: ${file:d.token}\n'
    )
    assert not (tmp_path / "x" / "d.token").exists()
    assert with_them["secrets_left_out"] == []
    assert TOKEN in (tmp_path / "y" / "config.yaml").read_text()
    assert (tmp_path / "y" / "d.token").exists()


def test_a_home_in_which_something_is_kept_is_never_written_over(scrubjay: Scrubjay, home: Home) -> None:
    note(scrubjay, "The boiler code is 4711.")
    made = scrubjay("backup", "create", "--json").json

    refused = scrubjay("backup", "restore", made["path"])

    assert refused.code == 7
    assert "Something is kept here already" in refused.err


def test_a_workspace_that_lay_elsewhere_comes_into_the_home(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    home.config.parent.mkdir(parents=True, exist_ok=True)
    elsewhere = tmp_path / "notes"
    home.config.write_text(f"agents:\n  personal:\n    about: me\n    workspace: {elsewhere}\n")
    note(scrubjay, "The boiler code is 4711.")
    made = scrubjay("backup", "create", "--json").json

    scrubjay("backup", "restore", made["path"], "--to", str(tmp_path / "new"), "--json")

    config = (tmp_path / "new" / "config.yaml").read_text()
    assert f'# agents.personal.workspace: "{elsewhere}"  # as it was on' in config
    assert [*(tmp_path / "new" / "workspaces" / "personal" / "memory").iterdir()]


def test_the_line_that_names_the_new_home_to_a_shell_holds_for_a_name_with_a_blank(
    scrubjay: Scrubjay, tmp_path: Path
) -> None:
    note(scrubjay, "The boiler code is 4711.")
    made = scrubjay("backup", "create", "--json").json

    told = scrubjay("backup", "restore", made["path"], "--to", str(tmp_path / "my home"))

    assert f"export SCRUBJAY_HOME='{tmp_path / 'my home'}'\n" in told.err


@pytest.mark.parametrize("content", [b"", b"half a file", b"\x1f\x8b\x08\x00"])
def test_what_is_no_backup_is_told_in_a_sentence(scrubjay: Scrubjay, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.tar.gz").write_bytes(content)

    told = scrubjay("backup", "restore", str(tmp_path / "x.tar.gz"), "--to", str(tmp_path / "new"))

    assert told.code == 1
    assert "cannot be used" in told.err
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


def test_one_that_is_missing_and_keys_that_are_none(scrubjay: Scrubjay, tmp_path: Path) -> None:
    assert scrubjay("backup", "verify").code == 4
    assert scrubjay("backup", "restore", str(tmp_path / "nothing")).code == 4
    told = scrubjay("backup", "verify", "x", "--passphrase-file", str(tmp_path / "nothing"))
    assert told.code == 2
    assert told.err == (
        f"error: {tmp_path / 'nothing'} cannot be read: no such file or directory.\n"
        "Check its name, and who may read it.\n"
    )


def test_a_key_of_age_is_not_passed_over_for_a_passphrase(scrubjay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("correct horse")
    both = ("--recipient", "age1xyz", "--passphrase-file", str(tmp_path / "words"))

    told = scrubjay("backup", "create", "--to", str(tmp_path / "kept"), *both)

    assert told.code == 2
    assert "two ways to encrypt" in told.err
    assert not (tmp_path / "kept").exists()


def test_the_nightly_job_makes_one_and_removes_old_ones(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    note(scrubjay, "The boiler code is 4711.")
    folder = home.workspaces.with_name("backups")
    folder.mkdir()
    for day in range(1, 20):
        (folder / f"scrubjay-2026-09-{day:02}T044500.tar.gz").write_bytes(b"")

    ran = scrubjay("jobs", "run", "backup", "--json")

    assert ran.code == 0
    left = sorted(path.name for path in folder.iterdir())
    assert len(left) <= 1 + 7 + 4 + 6
    assert left[-1].startswith("scrubjay-2026-11-2")


def test_the_state_file_in_it_is_one_that_opens(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    note(scrubjay, "The boiler code is 4711.")
    scrubjay("pair", "list")  # makes the state file
    made = scrubjay("backup", "create", "--json").json
    scrubjay("backup", "restore", made["path"], "--to", str(tmp_path / "new"), "--json")

    with sqlite3.connect(tmp_path / "new" / "state" / "scrubjay.sqlite") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert json.dumps(db.execute("SELECT count(*) FROM inbox").fetchone())
