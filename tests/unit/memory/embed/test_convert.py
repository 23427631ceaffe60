"""The model file is made once, in a process of its own, and is there in whole or not at all."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from memory.embed.convert import convert, ensure_model, model_file
from memory.embed.weights import find_weights
from memory.errors import EmbedderUnavailable

pytestmark = pytest.mark.usefixtures("model_cache")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def test_the_first_call_says_what_it_does_and_the_second_is_silent(tmp_path: Path, model_cache: Path) -> None:
    said: list[str] = []

    made = await ensure_model(tmp_path / "cache", say=said.append)
    again = await ensure_model(tmp_path / "cache", say=said.append)

    assert made == again == model_file(tmp_path / "cache")
    assert len(said) == 1
    assert "\n" not in said[0]
    assert digest(made) == digest(model_file(model_cache))


def test_this_process_never_loads_what_converting_needs(tmp_path: Path) -> None:
    script = (
        "import asyncio, pathlib, sys; from memory.embed.local import LocalEmbedder;"
        "e = asyncio.run(LocalEmbedder.open(pathlib.Path(sys.argv[1])));"
        "sys.exit('onnx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False).returncode == 0


def test_two_processes_at_once_leave_one_whole_file(tmp_path: Path, model_cache: Path) -> None:
    target = tmp_path / "model.onnx"
    command = [sys.executable, "-m", "memory.embed.convert", str(target)]

    both = [subprocess.Popen(command) for _ in range(2)]

    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert digest(target) == digest(model_file(model_cache))
    assert not target.with_suffix(".part").exists()


def test_what_an_interrupted_conversion_left_is_no_model(tmp_path: Path, model_cache: Path) -> None:
    target = tmp_path / "model.onnx"
    target.with_suffix(".part").write_bytes(b"half")

    convert(find_weights(), target)

    assert digest(target) == digest(model_file(model_cache))


async def test_a_cache_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EmbedderUnavailable, match="could not be made") as caught:
        await ensure_model(tmp_path / "file", say=lambda _: None)
    assert "words" in caught.value.hint
