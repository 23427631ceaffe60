"""One text, one vector: whatever was embedded before or beside it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import numpy_helper

from memory.embed import builtin
from memory.embed.builtin import PASSAGES_AT_ONCE, Encoder, LocalEmbedder
from memory.embed.e5 import TESTED, WINDOW, WINDOWS
from memory.embed.model_file import Checked, Weights, find_weights, model_file
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Embedder, Purpose, Vectors

FACTS = [
    "Prefers short answers; long content goes into files.",
    "The spare key is under the blue pot by the back door.",
    "Has been allergic to peanuts since childhood.",
    "Goes swimming every Wednesday evening.",
    "His sister Clara moved to Lisbon in spring.",
    "The boiler is serviced each October by Mr. Hansen.",
    "Works on the billing system until the end of March.",
    "The wifi password is kept in the green notebook.",
    "Drives an old Volvo that needs new tyres.",
    "Plans to learn the cello next year.",
]
QUESTIONS = [
    ("How long should replies be?", 0),
    ("Where can I find a way into the house if I lost my key?", 1),
    ("Welche Lebensmittel verträgt er nicht?", 2),
    ("他通常什么时候去游泳？", 3),
    ("Куда переехала его сестра?", 4),
    ("من يقوم بصيانة سخان التدفئة؟", 5),
    ("彼はどの楽器を習うつもりですか？", 9),
    ("¿Dónde está apuntada la contraseña de internet?", 7),
    ("Mitä hänen autonsa tarvitsee?", 8),
]


@pytest.fixture
def embedder(encoder: Encoder) -> Iterator[LocalEmbedder]:
    with ThreadPoolExecutor(max_workers=1) as worker:
        yield LocalEmbedder(encoder, worker)


async def passages(embedder: Embedder, texts: list[str]) -> Vectors:
    return np.concatenate([block async for block in embedder.embed_passages(texts)])


@pytest.mark.parametrize(("question", "fact"), QUESTIONS)
async def test_a_fact_is_found_in_other_words_and_other_languages(
    embedder: LocalEmbedder, question: str, fact: int
) -> None:
    vectors = await passages(embedder, FACTS)

    assert int(np.argmax(vectors @ await embedder.embed_query(question))) == fact


async def test_the_self_test_passes(embedder: LocalEmbedder) -> None:
    await embedder.probe()


class Held(Encoder):
    """Passages are begun, and go on when the test says so."""

    def __init__(self, encoder: Encoder) -> None:
        self.begun: list[str] = []
        self.may_go_on = threading.Event()
        self._encode = encoder.encode

    def encode(self, text: str, purpose: Purpose) -> Vectors:
        if purpose is Purpose.PASSAGE:
            self.begun.append(text)
            assert self.may_go_on.wait(60)
        return self._encode(text, purpose)


class Spying(Encoder):
    """Tells what is embedded."""

    def __init__(self, encoder: Encoder, said: list[str]) -> None:
        self._said = said
        self._encode = encoder.encode

    def encode(self, text: str, purpose: Purpose) -> Vectors:
        self._said.append(text)
        return self._encode(text, purpose)


async def test_a_question_waits_for_no_passage(encoder: Encoder) -> None:
    held = Held(encoder)
    with ThreadPoolExecutor(max_workers=1) as worker:
        embedder = LocalEmbedder(held, worker)
        async with asyncio.TaskGroup() as group:
            embedding = group.create_task(passages(embedder, FACTS))
            assert (await embedder.embed_query("how long?")).shape == (384,)
            assert not embedding.done()
            held.may_go_on.set()
    assert embedding.result().shape == (len(FACTS), 384)


async def test_no_passage_is_begun_while_whoever_asked_is_busy_with_the_last_one(encoder: Encoder) -> None:
    held = Held(encoder)
    held.may_go_on.set()
    with ThreadPoolExecutor(max_workers=1) as worker:
        embedder = LocalEmbedder(held, worker)
        rows = embedder.embed_passages(FACTS)
        await anext(rows)
        await embedder.embed_query("how long?")
        assert held.begun == FACTS[:PASSAGES_AT_ONCE]
        assert len([block async for block in rows]) == len(FACTS) - 1


async def test_questions_from_many_tasks_get_their_own_answers(embedder: LocalEmbedder) -> None:
    alone = [await embedder.embed_query(text) for text in FACTS]
    together = await asyncio.gather(*map(embedder.embed_query, FACTS))

    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


async def test_passages_side_by_side_have_the_vectors_that_they_have_alone(
    embedder: LocalEmbedder, encoder: Encoder
) -> None:
    texts = [words(20 * number) for number in range(1, 16, 2)] + FACTS

    together, question = await asyncio.gather(passages(embedder, texts), embedder.embed_query(FACTS[0]))

    assert together.tobytes() == b"".join(encoder.encode(text, PASSAGE).tobytes() for text in texts)
    assert question.tobytes() == encoder.encode(FACTS[0], QUERY).tobytes()


async def test_a_model_with_other_numbers_fails_the_self_test(tmp_path: Path, model_cache: Path) -> None:
    model = onnx.load(model_file(model_cache))
    gain = next(tensor for tensor in model.graph.initializer if tensor.name == "l11.oln.gain")
    gain.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(gain)[::-1].copy(), gain.name))
    onnx.save(model, model_file(tmp_path))
    embedder = await LocalEmbedder.open(tmp_path)

    with pytest.raises(EmbedderBroken, match="failed its self-test"):
        await embedder.probe()
    await embedder.close()


async def test_a_model_that_has_passed_its_self_test_is_tested_again_when_its_file_is_another(
    tmp_path: Path, model_cache: Path
) -> None:
    shutil.copy(model_file(model_cache), model_file(tmp_path))
    said: list[str] = []

    async def probed(file: Path) -> None:
        embedder = await LocalEmbedder.open(tmp_path)
        spying = Spying(embedder._encoder, said)
        with ThreadPoolExecutor(max_workers=1) as worker:
            await LocalEmbedder(spying, worker, tested=Checked(tmp_path / TESTED, file, ("1.0",))).probe()
        await embedder.close()

    await probed(model_file(tmp_path))
    assert said
    said.clear()
    await probed(model_file(tmp_path))
    assert not said

    os.utime(model_file(tmp_path), ns=(1, 1))
    await probed(model_file(tmp_path))
    assert said


@pytest.mark.parametrize("record", [b"junk", b"[]", b"\xff", None])
def test_what_was_checked_is_known_until_anything_of_it_is_another(tmp_path: Path, record: bytes | None) -> None:
    file = tmp_path / "model"
    file.write_bytes(b"1")
    checked = Checked(tmp_path / "checked.json", file, ("onnxruntime 1",))
    if record is not None:
        checked.record.write_bytes(record)
    assert not checked.is_known()
    checked.note()
    assert checked.is_known()
    assert not checked._replace(others=("onnxruntime 2",)).is_known()
    file.write_bytes(b"22")
    assert not checked.is_known()


async def test_a_damaged_model_file_is_made_anew(tmp_path: Path) -> None:
    model_file(tmp_path).write_bytes(b"damaged")
    said: list[str] = []

    embedder = await LocalEmbedder.open(tmp_path, say=said.append)
    await embedder.probe()
    await embedder.close()

    assert len(said) == 1


async def test_a_cache_folder_in_the_way_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(EmbedderUnavailable, match="cannot be made"):
        await LocalEmbedder.open(tmp_path / "file")


async def test_the_folder_is_made(tmp_path: Path, model_cache: Path) -> None:
    cache = tmp_path / "not" / "yet"
    cache.mkdir(parents=True)
    shutil.copy(model_file(model_cache), model_file(cache))

    embedder = await LocalEmbedder.open(cache)
    await embedder.close()

    assert (cache / "e5-small.checked.json").exists()


def open_weights() -> int:
    """How often this process has the weight file open."""
    weights, links = find_weights().resolve(), Path("/proc/self/fd").iterdir()
    return sum(link.resolve() == weights for link in links)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells of open files in another way")
async def test_who_gives_up_while_it_loads_leaves_no_file_open(tmp_path: Path, model_cache: Path) -> None:
    shutil.copytree(model_cache, tmp_path, dirs_exist_ok=True)
    await (await LocalEmbedder.open(tmp_path)).close()
    before = open_weights()

    async with asyncio.TaskGroup() as group:
        opening = group.create_task(LocalEmbedder.open(tmp_path))
        while open_weights() == before:
            await asyncio.wait([opening], timeout=0)
        opening.cancel()
    for thread in threading.enumerate():
        if thread.name.startswith("embed"):
            thread.join()

    assert opening.cancelled()
    assert open_weights() == before


# Computed in float32 from the same weights, without onnxruntime.
FLOAT = json.loads(Path(builtin.__file__).with_name("golden.json").read_text(encoding="utf-8"))
QUERY, PASSAGE = Purpose.QUERY, Purpose.PASSAGE
WORDS = "the ferry leaves at nine and the spare key lies under the blue pot near the door ".split()


def words(count: int) -> str:
    return " ".join(WORDS[n % len(WORDS)] + str(n) for n in range(count))


def test_the_library_of_the_model_keeps_no_record_of_its_use_that_it_could_send(
    tmp_path: Path, model_cache: Path
) -> None:
    code = """
import sys
from pathlib import Path
from memory.embed.builtin import Encoder
from memory.embed.model_file import Weights, find_weights, model_file
encoder = Encoder(Weights(find_weights()), model_file(Path(sys.argv[1])))
encoder.close()
"""
    environment = {"HOME": str(tmp_path), "PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)}

    subprocess.run([sys.executable, "-c", code, str(model_cache)], env=environment, check=True)

    assert list(tmp_path.rglob("*")) == []


def test_a_vector_does_not_depend_on_the_texts_before_it(encoder: Encoder, model_cache: Path) -> None:
    texts = ["short", words(300), "的" * 200, "", words(40)]
    fresh = Encoder(Weights(find_weights()), model_file(model_cache))

    together = [encoder.encode(text, PASSAGE) for text in texts]
    alone = [fresh.encode(text, PASSAGE) for text in reversed(texts)]
    fresh.close()

    assert all(np.array_equal(a, b) for a, b in zip(together, reversed(alone), strict=True))


def test_a_question_and_a_passage_of_the_same_words_differ(encoder: Encoder) -> None:
    assert not np.array_equal(encoder.encode("tea", QUERY), encoder.encode("tea", PASSAGE))


def test_text_behind_the_first_window_still_counts(encoder: Encoder) -> None:
    long = words(WINDOW)

    assert encoder.encode(long, PASSAGE) @ encoder.encode(f"{long} submarine volcano", PASSAGE) < 0.99999


def test_text_behind_the_last_window_does_not(encoder: Encoder) -> None:
    full = words(WINDOWS * WINDOW)

    assert np.array_equal(encoder.encode(full, PASSAGE), encoder.encode(full + words(50), PASSAGE))


@pytest.mark.parametrize(
    "text",
    ["", "\0", "\ud800x", "\ufdfa" * 100, "a" * 200_000, "\u0301" * 500, " " * 100_000, "🎉" * 500],
    ids=["nothing", "zero", "surrogate", "ligatures", "one letter", "marks", "spaces", "signs"],
)
def test_hostile_text_has_a_vector(encoder: Encoder, text: str) -> None:
    vector = encoder.encode(text, QUERY)

    assert vector.dtype == np.float32
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@settings(max_examples=60)
@given(st.text(alphabet=st.characters(), max_size=100))
def test_any_text_has_a_vector_of_length_one(encoder: Encoder, text: str) -> None:
    assert np.linalg.norm(encoder.encode(text, PASSAGE)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("text", "purpose", "numbers"), FLOAT)
def test_eight_bits_stay_close_to_the_float_model(
    encoder: Encoder, text: str, purpose: str, numbers: list[float]
) -> None:
    assert encoder.encode(text, Purpose(purpose)) @ np.array(numbers, np.float32) > 0.998


def test_a_model_that_fails_as_it_runs_is_broken(tmp_path: Path, model_cache: Path) -> None:
    model = onnx.load(model_file(model_cache))
    bias = next(tensor for tensor in model.graph.initializer if tensor.name == "l3.aln.gain")
    bias.CopyFrom(numpy_helper.from_array(np.ones(7, np.float32), bias.name))
    onnx.save(model, tmp_path / "model.onnx")

    with closing(Weights(find_weights())) as weights, pytest.raises(EmbedderBroken, match="failed as it ran"):
        Encoder(weights, tmp_path / "model.onnx").encode("tea", QUERY)


def test_a_damaged_model_file_is_a_reason(tmp_path: Path) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"not a model")

    with (
        closing(Weights(find_weights())) as weights,
        pytest.raises(EmbedderUnavailable, match="cannot be loaded") as caught,
    ):
        Encoder(weights, broken)
    assert "Delete that file" in caught.value.hint
