"""A home that is backed up and restored elsewhere: nothing is lost on the way, and no secret goes along."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from bot.backup.archive import Key, open_archive
from bot.backup.create import create
from bot.backup.restore import restore
from bot.config.loader import load
from bot.errors import BotError
from bot.paths import Home
from tests.support.factories import NOON

OLD, NEW = "123456:" + "A" * 35, "123456:" + "B" * 35


def furnished(folder: Path, config: str = "{}\n") -> Home:
    home = Home.at(folder)
    home.prepare()
    home.config.write_text(config)
    return home


def backed_up(home: Home, folder: Path) -> Path:
    return create(home, load(home).config, folder=folder, now=NOON, key=Key(), secrets=False).path


def test_a_home_whose_state_is_the_folder_of_all_is_restored(tmp_path: Path) -> None:
    old = furnished(tmp_path / "old")
    for path in (old.workspace("personal") / "MEMORY.md", old.files / "personal" / "x.txt"):
        path.parent.mkdir(parents=True)
        path.write_text("- a fact\n")
    root = tmp_path / "Application Support" / "scrubjay"  # as on macOS
    home = Home(root / "config.yaml", root / "workspaces", root, tmp_path / "cache", tmp_path / "logs", "test")
    root.mkdir(parents=True)
    (root / "other.txt").write_text("of somebody else\n")

    restore(backed_up(old, tmp_path / "b"), home, key=Key())

    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert found == {"config.yaml", "workspaces/personal/MEMORY.md", "files/personal/x.txt", "other.txt"}


def test_a_token_in_a_file_is_that_of_the_backup_whatever_lay_in_its_place(tmp_path: Path) -> None:
    old = furnished(tmp_path / "old", 'telegram:\n  token: "${file:telegram.token}"\n')
    old.config.with_name("telegram.token").write_text(OLD)
    made = create(old, load(old).config, folder=tmp_path / "b", now=NOON, key=Key(), secrets=True).path
    new = Home.at(tmp_path / "new")
    new.config.parent.mkdir()
    new.config.with_name("telegram.token").write_text(NEW)  # of another backup, whose restoring was killed

    restore(made, new, key=Key())

    assert load(new).config.telegram.token.get_secret_value() == OLD
    assert not [*new.config.parent.glob("*.restoring")]


@pytest.mark.parametrize(
    "written",
    [
        "agents:\n  personal:\n    about: x\n    workspace: {}\n",
        "agents:\n  personal: {{about: x, workspace: {}}}\n",
        "agents:\n  personal:\n    workspace: {}\n  work: {{}}\n",
    ],
)
def test_a_workspace_that_lay_elsewhere_is_used_where_it_was_restored(tmp_path: Path, written: str) -> None:
    elsewhere = tmp_path / "data" / "workspaces" / "personal"
    elsewhere.mkdir(parents=True)
    (elsewhere / "MEMORY.md").write_text("- a fact\n")
    old = furnished(tmp_path / "old", written.format(elsewhere))

    new = Home.at(tmp_path / "new")
    restore(backed_up(old, tmp_path / "b"), new, key=Key())

    place = new.workspace("personal", load(new).config.agents["personal"].workspace)
    assert place == new.workspaces / "personal"
    assert (place / "MEMORY.md").read_text() == "- a fact\n"
    assert f'# agents.personal.workspace: "{elsewhere}"  # as it was on ' in new.config.read_text()


def test_what_a_backup_that_was_killed_left_is_removed_by_the_next_and_nothing_else(tmp_path: Path) -> None:
    home, folder = furnished(tmp_path / "home"), tmp_path / "b"
    cut = ".scrubjay-2026-11-20T124500.tar.gz"
    left = [folder / f"{cut}.0123" / "state" / "scrubjay.sqlite", folder / f"{cut}.age.part"]
    under_way, other_home = folder / ".scrubjay-2026-11-21T110000.tar.gz.4567", folder / ".scrubjay-2"
    for path in (*left, under_way / "config.yaml", other_home / "config.yaml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("plain words")
    yesterday = (NOON - timedelta(hours=23)).timestamp()
    for path in (left[0].parents[1], left[1], other_home):
        os.utime(path, (yesterday, yesterday))

    made = backed_up(home, folder)

    assert set(folder.iterdir()) == {made, under_way, other_home}


def test_what_a_killed_backup_left_and_cannot_be_removed_keeps_no_backup_from_being_made(tmp_path: Path) -> None:
    home, folder, elsewhere = furnished(tmp_path / "home"), tmp_path / "b", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    link, others = (folder / f".scrubjay-2026-11-20T12450{n}.tar.gz.0123" for n in range(2))
    others.mkdir(parents=True)
    (others / "state").write_text("x")
    others.chmod(0o500)  # as if another user had made it
    link.symlink_to(elsewhere)
    yesterday = (NOON - timedelta(hours=23)).timestamp()
    os.utime(others, (yesterday, yesterday))
    os.utime(link, (yesterday, yesterday), follow_symlinks=False)

    made = backed_up(home, folder)
    others.chmod(0o700) if others.exists() else None

    assert made.exists()
    assert (elsewhere / "kept").exists()
    assert not link.is_symlink()


@pytest.mark.parametrize(
    "now",
    [
        f'telegram:\n  token: "{NEW}"\n',
        f'telegram:\n  token: "{OLD}"\nnonsense: [\n',
        f"telegram:\n  token: >-\n    {OLD}\n",
        f'telegram: {{token: "\\x31{OLD[1:]}"}}\n',
        f'# token: "{OLD}"\ntelegram:\n  token: "{OLD}"\n',
    ],
    ids=["changed", "half edited", "over two lines", "escaped", "in a remark"],
)
def test_no_token_is_in_a_backup_whatever_the_file_says_by_then(tmp_path: Path, now: str) -> None:
    home = furnished(tmp_path / "home", f'telegram:\n  token: "{OLD}"\n')
    started = load(home).config
    home.config_good.parent.mkdir(parents=True, exist_ok=True)
    home.config_good.write_text(home.config.read_text())
    home.config.write_text(now)

    made = create(home, started, folder=tmp_path / "b", now=NOON, key=Key(), secrets=False)

    with open_archive(made.path, key=Key()) as archive:
        archive.extract(tmp_path / "out")
    said = (tmp_path / "out" / "config.yaml").read_text()
    assert OLD not in said
    assert OLD[1:] not in said
    assert NEW not in said
    assert "token" in said
    assert made.manifest.secrets == ("telegram.token",)


def test_what_stands_in_the_environment_is_still_asked_for_there_and_every_option_that_lacks_its_secret_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", NEW)
    said = f"telegram:\n  token: ${{BOT_TOKEN}}\nmodel:\n  name: m\n  api_key: {OLD}\ndashboard:\n  token: {OLD}\n"
    home = furnished(tmp_path / "home", said)

    made = create(home, load(home).config, folder=tmp_path / "b", now=NOON, key=Key(), secrets=False)

    with open_archive(made.path, key=Key()) as archive:
        archive.extract(tmp_path / "out")
    assert (tmp_path / "out" / "config.yaml").read_text() == said.replace(OLD, '""')
    assert set(made.manifest.secrets) == {"model.api_key", "dashboard.token"}


def test_where_it_is_not_known_what_is_secret_there_is_no_backup(tmp_path: Path) -> None:
    home = furnished(tmp_path / "home")
    started = load(home).config
    home.config.write_text(f'telegram:\n  token: "{OLD}"\nnonsense: [\n')

    with pytest.raises(BotError, match="cannot be left out"):
        create(home, started, folder=tmp_path / "b", now=NOON, key=Key(), secrets=False)
    assert create(home, started, folder=tmp_path / "b", now=NOON, key=Key(), secrets=True).manifest.secrets == ()
