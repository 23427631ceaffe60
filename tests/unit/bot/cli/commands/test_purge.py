"""`scrubjay purge-person` as it is typed."""

import asyncio
import shutil
from pathlib import Path

import pytest

from bot.paths import Home
from bot.system import instance
from memory import FrozenClock
from tests.support.canaries import ADA, KEPT, MIA, PLACES, fill, words_in
from tests.support.factories import NOON
from tests.unit.bot.cli.conftest import Scrubjay


@pytest.fixture(scope="module")
def model_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    asyncio.run(fill(Home.at(folder), FrozenClock(NOON)))
    return folder


@pytest.fixture
def root(home: Home, model_home: Path) -> Path:
    root = home.config.parent
    shutil.copytree(model_home, root, dirs_exist_ok=True)
    home.config.write_text(
        f"memory:\n  embedder:\n    kind: none\naccess:\n  owners: [{ADA.id}]\n  guests: [{MIA.id}]\n"
    )
    return root


def test_of_somebody_unknown_it_says_that_nothing_is_here(scrubjay: Scrubjay, root: Path) -> None:
    told = scrubjay("purge-person", "telegram:999", "--dry-run")

    assert told.code == 0
    assert "Nothing of telegram:999 is here. /whoami and scrubjay pair list show identities." in told.err


def test_it_shows_what_there_is_removes_it_and_names_what_stays(scrubjay: Scrubjay, root: Path) -> None:
    backups = root / "backups"
    backups.mkdir()
    (backups / "scrubjay-2026-11-20T044500.tar.gz").write_text("")

    shown = scrubjay("purge-person", MIA.id, "--dry-run")
    assert set(words_in(root)) == set(PLACES)
    done = scrubjay("purge-person", MIA.id, "--yes")
    again = scrubjay("purge-person", MIA.id, "--yes")

    assert (shown.code, done.code, again.code) == (0, 0, 0)
    assert shown.out == done.out
    assert f"{MIA.id} (Mia)" in done.out
    assert "2  private conversations, removed whole" in done.out
    assert KEPT[2] in done.out
    assert "/forget" in done.err
    assert f"1 backup in {backups}" in done.err
    assert "access.guests" in done.err
    assert words_in(root) == {}
    assert "Nothing of telegram:4711 is here" in again.err


def test_for_programs_it_is_one_object(scrubjay: Scrubjay, root: Path) -> None:
    told = scrubjay("purge-person", MIA.id, "--dry-run", "--json").json

    assert (told["done"], told["counts"]["facts"], told["backups"]) == (False, 3, 0)
    assert [one["text"].endswith(KEPT[2]) or KEPT[2] in one["text"] for one in told["about"]["personal"]] == [True]
    assert scrubjay("purge-person", MIA.id, "--yes", "--json").json["done"] is True


def test_without_somebody_to_ask_nothing_is_removed(scrubjay: Scrubjay, root: Path) -> None:
    assert scrubjay("purge-person", MIA.id).code == 2
    assert set(words_in(root)) == set(PLACES)


def test_while_something_runs_on_the_home_it_is_refused(
    scrubjay: Scrubjay, home: Home, root: Path, clock: FrozenClock
) -> None:
    with instance.hold(home, command="run", clock=clock):
        refused = scrubjay("purge-person", MIA.id, "--yes")

    assert refused.code == 5
    assert "Stop it first" in refused.err
    assert set(words_in(root)) == set(PLACES)


def test_the_owner_and_what_is_no_identity_are_refused(scrubjay: Scrubjay, root: Path) -> None:
    assert "is you, the owner" in scrubjay("purge-person", ADA.id, "--yes").err
    assert scrubjay("purge-person", "Mia", "--yes").code == 2
