"""A question is embedded once, never for long, and what fails is said and not raised."""

from __future__ import annotations

import asyncio

import pytest

from memory.errors import EmbeddingFailed
from memory.ports import Vectors
from memory.vectors.questions import MAX_QUESTION_CHARS, REMEMBERED, Questions
from tests.fakes.embedder import DIMS, LetterEmbedder


async def test_a_question_is_a_vector() -> None:
    question = await Questions(LetterEmbedder()).vector("where is the key?")

    assert question.vector is not None
    assert question.vector.shape == (DIMS,)
    assert question.reason == ""


async def test_the_last_questions_are_remembered() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    for number in range(REMEMBERED):
        await questions.vector(str(number))
    await questions.vector("0")  # asked again, so that it stays
    await questions.vector("one more")
    embedder.questions.clear()

    await questions.vector("0")
    await questions.vector("1")

    assert embedder.questions == ["1"]


async def test_of_a_very_long_question_the_beginning_counts() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)

    await questions.vector("x" * 1_000_000)
    await questions.vector("x" * MAX_QUESTION_CHARS + "y")

    assert embedder.questions == ["x" * MAX_QUESTION_CHARS]


async def test_a_failure_is_said_and_not_remembered() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    embedder.error = EmbeddingFailed("Nothing answered.", hint="Wait.")

    failed = await questions.vector("where?")
    embedder.error = None

    assert (failed.vector, failed.reason) == (None, "by meaning it cannot be searched: Nothing answered. Wait.")
    assert (await questions.vector("where?")).vector is not None


class Hanging(LetterEmbedder):
    async def embed_query(self, text: str) -> Vectors:
        await asyncio.Event().wait()
        return await super().embed_query(text)


@pytest.mark.timeout(20)
async def test_a_question_does_not_wait_for_long() -> None:
    question = await Questions(Hanging()).vector("where?", waits_s=0.01)

    assert (question.vector, question.reason) == (None, "the embedder is still at something else.")


async def test_a_question_that_was_expected_is_embedded_once() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)

    questions.expect("where is the key?")
    question = await questions.vector("where is the key?")
    questions.expect("where is the key?")
    await questions.vector("where is the boiler?")

    assert question.vector is not None
    assert embedder.questions == ["where is the key?", "where is the boiler?"]


class Waiting(LetterEmbedder):
    """Embeds questions when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let = asyncio.Event(), asyncio.Event()

    async def embed_query(self, text: str) -> Vectors:
        self.begun.set()
        await self.let.wait()
        return await super().embed_query(text)


@pytest.mark.timeout(20)
async def test_nothing_is_expected_while_a_question_is_embedded() -> None:
    embedder = Waiting()
    questions = Questions(embedder)
    async with asyncio.TaskGroup() as group:
        group.create_task(questions.vector("one"))
        await embedder.begun.wait()
        questions.expect("two")
        embedder.let.set()
    await questions.vector("three")

    assert embedder.questions == ["one", "three"]


@pytest.mark.timeout(20)
async def test_of_what_is_expected_one_at_a_time_is_embedded() -> None:
    embedder = Waiting()
    questions = Questions(embedder)
    questions.expect("one")
    await embedder.begun.wait()
    questions.expect("two")
    embedder.let.set()
    await questions.vector("one")
    await questions.vector("three")

    assert embedder.questions == ["one", "three"]


async def test_what_was_expected_and_has_failed_before_anybody_asks_is_asked_anew() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    embedder.error = EmbeddingFailed("Nothing answered.", hint="Wait.")
    questions.expect("where?")
    for _ in range(2):  # it fails, and that is seen
        await asyncio.sleep(0)
    embedder.error = None

    assert (await questions.vector("where?")).reason == ""


async def test_what_was_expected_and_failed_is_said_to_who_asks_and_asked_anew_later() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    embedder.error = EmbeddingFailed("Nothing answered.", hint="Wait.")

    questions.expect("where?")
    failed = await questions.vector("where?")
    embedder.error = None

    assert (failed.vector, failed.reason) == (None, "by meaning it cannot be searched: Nothing answered. Wait.")
    assert (await questions.vector("where?")).vector is not None
