from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import BotError, ConfigError, Refused, UsageError
from bot.paths import Home, create, put, safe_name, writable_by_others


def test_one_variable_puts_everything_into_one_folder(tmp_path: Path) -> None:
    home = Home.find({"SCRUBJAY_HOME": str(tmp_path)})

    places = (home.config, home.workspaces, home.state, home.cache, home.logs, home.database, home.lock)
    assert all(place.is_relative_to(tmp_path) for place in places)
    assert home.config == tmp_path / "config.yaml"
    assert home.workspace("work") == tmp_path / "workspaces" / "work"
    assert home.database == tmp_path / "state" / "scrubjay.sqlite"
    assert home.index("work") == tmp_path / "state" / "memory" / "work.sqlite"
    assert home.sessions("work") == tmp_path / "state" / "sessions" / "work"
    assert home.chosen_by == "SCRUBJAY_HOME"


def test_without_the_variable_the_system_decides() -> None:
    home = Home.find({})

    assert home.chosen_by == "the system's folders"
    assert "scrubjay" in str(home.state)


def test_an_empty_variable_is_refused_instead_of_falling_back_to_a_home_nobody_meant() -> None:
    with pytest.raises(ConfigError) as refused:
        Home.find({"SCRUBJAY_HOME": " "})

    assert "unset SCRUBJAY_HOME" in refused.value.hint


def test_a_home_may_be_relative_or_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert Home.find({"SCRUBJAY_HOME": "here"}).config == tmp_path / "here" / "config.yaml"
    assert Home.find({"SCRUBJAY_HOME": "~/there"}).config == tmp_path / "there" / "config.yaml"


def test_the_home_of_nobody_is_refused() -> None:
    with pytest.raises(UsageError, match="no home folder ~nobody-of-this-name"):
        Home.find({"SCRUBJAY_HOME": "~nobody-of-this-name/there"})


def test_nothing_is_made_before_it_is_asked_for(tmp_path: Path) -> None:
    Home.at(tmp_path / "new")

    assert list(tmp_path.iterdir()) == []


def test_prepare_makes_private_folders_and_can_be_repeated(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "deep" / "new")

    home.prepare()
    home.prepare()

    for folder in (home.state, home.logs, home.cache, home.workspaces, home.config.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_state_that_others_can_write_to_is_refused_with_the_command_that_repairs_it(tmp_path: Path, mode: int) -> None:
    home = Home.at(tmp_path)
    home.prepare()
    home.state.chmod(mode)

    with pytest.raises(Refused) as refused:
        home.prepare()

    assert f'chmod 700 "{home.state}"' in refused.value.hint
    assert f"{mode:04o}" in refused.value.message


def test_state_that_others_can_only_read_is_accepted(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.prepare()
    home.state.chmod(0o755)

    home.prepare()

    assert writable_by_others(home.state) is None


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.state.write_text("I am a file")

    with pytest.raises(BotError) as failed:
        home.prepare()

    assert str(home.state) in failed.value.message
    assert "SCRUBJAY_HOME" in failed.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_made_is_told_with_the_reason(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(BotError, match="permission denied"):
        Home.at(tmp_path / "home").prepare()


def test_an_agent_may_live_in_a_folder_of_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    home = Home.at(tmp_path)

    assert home.workspace("work", Path("notes")) == tmp_path / "notes"
    assert home.workspace("work", Path("~/vault")) == tmp_path / "me" / "vault"
    assert home.workspace("work", Path("/srv/notes")) == Path("/srv/notes")


def test_a_new_file_has_the_content_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"

    assert create(path, "größe: 1\n")

    assert path.read_text(encoding="utf-8") == "größe: 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_replaced_keeps_its_mode_and_a_new_one_is_private(tmp_path: Path) -> None:
    shared, new = tmp_path / "shared.yaml", tmp_path / "below" / "new.yaml"
    shared.write_text("old")
    shared.chmod(0o640)

    put(shared, "new")
    put(new, "new")

    assert [stat.S_IMODE(path.stat().st_mode) for path in (shared, new, new.parent)] == [0o640, 0o600, 0o700]


def test_a_file_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text("mine")

    assert not create(path, "yours")

    assert path.read_text() == "mine"


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.symlink_to(tmp_path / "elsewhere")

    assert not create(path, "text")

    assert not (tmp_path / "elsewhere").exists()


def test_a_refusal_names_the_file_and_the_reason(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="no such file or directory"):
        create(tmp_path / "missing" / "file", "text")


LIMITED = """
import resource, sys
from pathlib import Path
from bot.errors import BotError
from bot.paths import create, put
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    create(Path(sys.argv[1]), "x" * 1000)
except BotError as error:
    print(error)
"""


def test_a_disk_that_takes_no_more_leaves_no_half_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"

    told = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)

    assert "cannot be written: file too large" in told.stdout
    assert not path.exists()


@pytest.mark.parametrize(
    ("told", "safe"),
    [
        ("photo.jpg", "photo.jpg"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a b.txt", "a_b.txt"),
        (".bashrc", "bashrc"),
        ("..", "file"),
        ("a`b\n@everyone\u202egpj.exe", "a_b_everyone_gpj.exe"),
        ("\ud83d", "file"),
        ("照片.png", "照片.png"),
        ("x" * 300 + ".tar", "x" * 120 + ".tar"),
    ],
)
def test_a_name_becomes_fit_for_any_disk(told: str, safe: str) -> None:
    assert safe_name(told) == safe
