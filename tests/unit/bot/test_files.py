from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import BotError
from bot.files import create, put


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
from bot.files import create, put
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
