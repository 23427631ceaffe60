"""Tests see nothing of the machine's user: neither files of an earlier use nor what is set in the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.paths import Home
from tests.conftest import is_personal, personal_variables
from tests.support.cli_process import ROOT


def test_the_home_folder_is_empty_and_the_environment_names_no_other_one() -> None:
    assert list(Path.home().iterdir()) == []
    assert Home.find().state.is_relative_to(Path.home())
    assert personal_variables() == []


@pytest.mark.parametrize("turn", [1, 2])
def test_what_one_test_leaves_in_its_home_no_other_one_finds(turn: int) -> None:
    left = Path.home() / "left"

    assert not left.exists()
    left.write_text(str(turn))


def test_programs_that_a_test_starts_see_the_same_home() -> None:
    script = "from bot.paths import Home; print(Home.find().state)"

    seen = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)

    assert Path(seen.stdout.strip()).is_relative_to(Path.home())


@pytest.mark.parametrize(
    "name",
    ["SCRUBJAY_HOME", "SCRUBJAY__LOG__LEVEL", "XDG_STATE_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL", "TELEGRAM_TOKEN"],
)
def test_homes_options_keys_and_tokens_are_personal(name: str) -> None:
    assert is_personal(name)


@pytest.mark.parametrize("name", ["PATH", "LANG", "TMPDIR", "PYTHONPATH", "PYTEST_CURRENT_TEST"])
def test_what_programs_need_to_run_is_not(name: str) -> None:
    assert not is_personal(name)
