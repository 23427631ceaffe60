"""What answers cite is reviewed at the next message; thumbs review at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.port import Attachment, ChatKind, Happening, Inbound
from bot.pipeline.reviews import FactReviews
from bot.sessions.transcript import Transcript
from bot.storage.keys import Principal
from bot.storage.sqlite import SqliteCoordinator
from bot.turn import Agent, Reply, Turn, Worked
from memory import OWNER, FrozenClock, Memory, Origin, Scope, chat_scope
from memory.knowledge.context import KnowledgeContext
from tests.support.factories import NOON
from tests.support.service import ZONE, ServiceHarness

ADA = Principal("volatile:owner", "Ada", is_owner=True)
KEY, PETER = "The spare key is under the blue pot.", "Peter lives in Rome near the station."

Answers = Callable[[Turn], Reply]


@dataclass
class Reviewed:
    """A service whose reviews go to a real memory."""

    state: SqliteCoordinator
    agent: Agent
    ids: Sequence[str]
    answers: Answers
    on_recall: bool = False

    def __post_init__(self) -> None:
        self.reviews = FactReviews(
            Transcript(self.state),
            {"personal": self.agent},
            self.state.ratings,
            shares=lambda _to, _agent: False,
            on_recall=lambda _: self.on_recall,
        )

    async def say(self, *texts: str, files: Sequence[Attachment] = ()) -> Inbound:
        """Have these messages answered, one after the other, each with these files; return the first."""
        reviewed = self.reviews.reviewing(self._answer)

        async def respond(turn: Turn) -> Reply:
            return await reviewed(replace(turn, agent=self.agent))

        service = ServiceHarness(respond, self.state, burst=1)
        asked = [service.adapter.say(text, *files) for text in texts]
        await service.run()
        return asked[0]

    async def _answer(self, turn: Turn) -> Reply:
        return self.answers(turn)

    async def rate(self, said: Inbound, what: str, *, update: str = "r", by: Principal = ADA) -> None:
        """Put a thumb on the first answer."""
        rating = replace(said, update=update, text=what, message="0", happening=Happening.RATING)
        await self.reviews.rate(rating, by)

    async def reviewed(self) -> list[tuple[int, str, str]]:
        """Which fact was reviewed, how and why, fact by fact."""

        def read(context: KnowledgeContext) -> list[tuple[int, int, str, str]]:
            context.journal.refresh()
            lives = context.journal.state.lives
            return sorted(
                (number, event.seq, event.details["rating"], event.details["reason"])
                for number, name in enumerate(self.ids)
                for event in lives.get(name, ())
            )

        return [(number, rating, why) for number, _, rating, why in await self.agent.memory.run(read)]


@asynccontextmanager
async def opened(tmp_path: Path, *, scope: Scope = OWNER, on_recall: bool = False) -> AsyncIterator[Reviewed]:
    clock = FrozenClock(NOON)
    async with (
        SqliteCoordinator.open(tmp_path / "state.sqlite", clock=clock) as state,
        await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite", clock=clock) as memory,
    ):
        ids = []
        for text in (KEY, PETER):
            written = await memory.remember(text, origin=Origin.OWNER, scope=scope, op_id=text, actor="o")
            ids.append(written.fact.id or "")
        agent = Agent("personal", "", memory, ZONE, clock)

        def cite(turn: Turn) -> Reply:
            if turn.text.endswith("?"):
                return Reply(f"Under the pot, `memory/2026-11-21.md#L4`; ^{ids[1]} too.", worked=Worked(turn.text))
            return Reply("Well.", worked=Worked(turn.text))

        yield Reviewed(state, agent, ids, cite, on_recall)


CITED = [(0, "good", "cited"), (1, "good", "cited")]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("Thanks!", CITED),
        ("And where is the map?", CITED),
        ("/whoami", CITED),
        ("Not under the blue pot, under the red pot.", [(0, "again", "corrected"), (1, "good", "cited")]),
        ("Peter does not live in Rome near the station.", [(0, "good", "cited"), (1, "again", "corrected")]),
        ("That's wrong.", []),  # which of the two, nobody knows
        ("No.", []),
        ("/forget key", []),
        ("Please forget what I said about the spare key.", []),
    ],
)
async def test_the_next_message_decides_what_a_citation_was_worth(
    tmp_path: Path, after: str, expected: list[tuple[int, str, str]]
) -> None:
    async with opened(tmp_path) as service:
        await service.say("Where is the key?", after)
        assert await service.reviewed() == expected


@pytest.mark.parametrize(("kind", "expected"), [("photo", CITED), ("audio", CITED), ("voice", []), ("video_note", [])])
async def test_what_is_typed_counts_at_once_unless_a_recording_has_to_be_heard_first(
    tmp_path: Path, kind: str, expected: list[tuple[int, str, str]]
) -> None:
    async with opened(tmp_path) as service:
        await service.say("Where is the key?", "Thanks!", files=[Attachment(kind, "x", "", 9, "ref")])
        assert await service.reviewed() == expected


async def test_one_citation_that_is_said_to_be_wrong_is_a_correction(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        service.answers = lambda turn: Reply(f"See ^{service.ids[0]}.", worked=Worked(turn.text))
        await service.say("Where is the key?", "Nein, das stimmt nicht mehr.")
        assert await service.reviewed() == [(0, "again", "corrected")]


async def test_an_answer_that_nobody_has_spoken_after_is_not_counted_yet_and_each_counts_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        await service.say("Where is the key?")
        assert await service.reviewed() == []
    async with opened(tmp_path) as service:  # after a restart, whose adapter counts on
        service.answers = lambda _: Reply("Well.")
        await service.say("Where is the key?", "Thanks.", "Thanks again.")
        assert await service.reviewed() == CITED


async def test_what_is_shown_and_not_cited_counts_only_where_that_is_asked_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        found = await service.agent.memory.recall("the key", scope=OWNER)
        service.answers = lambda turn: Reply("Somewhere.", evidence=found, worked=Worked(turn.text))
        await service.say("Where is it?", "Thanks.")
        assert await service.reviewed() == []
    other = tmp_path / "other"
    other.mkdir()
    async with opened(other, on_recall=True) as service:
        found = await service.agent.memory.recall("the key", scope=OWNER)
        service.answers = lambda turn: Reply("Somewhere.", evidence=found, by_command=True)
        await service.say("Where is it?", "Thanks.")
        assert await service.reviewed() == [(0, "good", "shown")]


async def test_what_is_quoted_without_a_model_is_cited_but_not_what_a_command_lists(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        found = await service.agent.memory.recall("Where is the spare key?", scope=OWNER)

        def quote(turn: Turn) -> Reply:
            return Reply("Quoted.", evidence=found, by_command=turn.text.startswith("/"))

        service.answers = quote
        await service.say("/recall key", "Thanks.")
        assert await service.reviewed() == []
    other = tmp_path / "other"
    other.mkdir()
    async with opened(other) as service:
        found = await service.agent.memory.recall("Where is the spare key?", scope=OWNER)
        service.answers = quote
        await service.say("Where is the spare key?", "/recall key", "Thanks.")
        assert await service.reviewed() == [(0, "good", "cited")]


async def test_a_thumb_reviews_what_the_answer_cited_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        asked = await service.say("Where is the key?")
        await service.rate(asked, "up")
        await service.rate(asked, "none", update="r2")
        await service.rate(asked, "up", update="r3")
        assert await service.reviewed() == [(0, "easy", "approved"), (1, "easy", "approved")]
        await service.rate(asked, "down", update="r4")
        assert (await service.reviewed())[1::2] == [(0, "again", "corrected"), (1, "again", "corrected")]


async def test_a_thumb_on_something_else_reviews_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as service:
        asked = await service.say("Hello")
        await service.rate(asked, "up")
        await service.rate(replace(asked, address=replace(asked.address, chat="elsewhere")), "up")
        assert await service.reviewed() == []


async def test_nobody_reviews_what_they_may_not_see(tmp_path: Path) -> None:
    """Not even with an answer in which a model names it."""
    guest = Principal("volatile:ana", "Ana", is_owner=False)
    async with opened(tmp_path) as service:
        asked = await service.say("Where is the key?")
        await service.rate(asked, "up", by=guest)
        assert await service.reviewed() == []
    other = tmp_path / "other"
    other.mkdir()
    async with opened(other, scope=chat_scope("volatile.bot:-5")) as service:
        await service.say("Where is the key?", "Thanks.")
        assert await service.reviewed() == []
        assert asked.address.kind is ChatKind.PRIVATE
