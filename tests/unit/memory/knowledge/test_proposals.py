from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from memory.errors import NotFound, SecretFound
from memory.files.workspace import Workspace
from memory.journal.maintenance import verify
from memory.knowledge.proposals import MAX_OPEN, accept, reject, suggest, waiting

WISH = "Always answer me in metric units."


class Home:
    """A memory in a folder, and its clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
        self._writes = 0

    async def open(self) -> Memory:
        return await Memory.open(self.folder / "notes", index=self.folder / "index.sqlite", clock=self.clock)

    async def tell(self, memory: Memory, text: str) -> str:
        self._writes += 1
        written = await memory.remember(
            text, origin=Origin.OWNER, scope=OWNER, op_id=f"t{self._writes}:0", actor="owner"
        )
        return written.fact.id or ""

    def text(self, path: str = "USER.md") -> str:
        return (self.folder / "notes" / path).read_text(encoding="utf-8")

    def write(self, text: str, path: str = "USER.md") -> None:
        (self.folder / "notes" / path).write_text(text, encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
async def memory(home: Home) -> AsyncIterator[Memory]:
    async with await home.open() as opened:
        yield opened


async def suggested(memory: Memory, op_id: str = "s:0") -> list[str]:
    await memory.run(suggest, op_id=op_id, actor="agent:personal")
    return [one.change.after for one in await memory.run(waiting)]


async def test_a_standing_instruction_is_proposed_for_the_file_that_is_always_loaded(
    memory: Memory, home: Home
) -> None:
    await home.tell(memory, WISH)
    await home.tell(memory, "The spare key is under the blue pot.")

    assert await suggested(memory) == [f"- {WISH}"]
    [proposal] = await memory.run(waiting)
    assert proposal.change.path == "USER.md"
    assert "memory/2026-11-21.md#L4" in proposal.change.reason
    assert not (home.folder / "notes" / "USER.md").exists()


async def test_what_was_told_otherwise_since_is_not_proposed(memory: Memory, home: Home) -> None:
    for said in ("I prefer tea to coffee.", "I love sushi.", "I prefer coffee to tea now.", "I hate sushi now."):
        await home.tell(memory, said)

    assert not {"- I prefer tea to coffee.", "- I love sushi."}.intersection(await suggested(memory))
    assert "- I prefer coffee to tea now." in await suggested(memory, "s:1")


async def test_a_proposal_waits_no_more_once_it_was_told_otherwise_whatever_becomes_of_that_one(
    memory: Memory, home: Home
) -> None:
    waits = ["- I like rye bread."]
    for n, said in enumerate(("I like rye bread.", "I no longer like rye bread.", "I like rye bread again.")):
        await home.tell(memory, said)
        waits = await suggested(memory, f"s:{n}")
    assert waits == ["- I like rye bread again."]
    [proposal] = await memory.run(waiting)
    await memory.run(accept, proposal.id, op_id="a:0", actor="owner")
    assert await memory.run(waiting) == ()


async def test_what_others_prefer_denies_no_preference(memory: Memory, home: Home) -> None:
    for said in ("I prefer tea to coffee.", "Tom prefers coffee to tea.", "I love sushi.", "Anna hates sushi."):
        await home.tell(memory, said)

    assert {"- I prefer tea to coffee.", "- I love sushi."} <= set(await suggested(memory))


async def test_an_accepted_proposal_is_written_and_waits_again_when_taken_back(memory: Memory, home: Home) -> None:
    home.write("# Me\r\n\r\n- I live in Lisbon.", "USER.md")
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)

    await memory.run(accept, proposal.id, op_id="a:0", actor="owner")

    assert (home.folder / "notes/USER.md").read_bytes() == f"# Me\r\n\r\n- I live in Lisbon.\r\n- {WISH}\r\n".encode()
    assert await memory.run(waiting) == ()
    await memory.undo(op_id="u:0", scope=OWNER, actor="owner")
    assert (home.folder / "notes/USER.md").read_bytes() == b"# Me\r\n\r\n- I live in Lisbon."
    assert await memory.run(waiting) == (proposal,)

    await memory.run(accept, proposal.id, op_id="a:1", actor="owner")
    assert home.text().endswith(f"- {WISH}\n")
    assert await memory.run(waiting) == ()
    await memory.undo(op_id="u:1", scope=OWNER, actor="owner")
    await memory.run(reject, proposal.id, op_id="r:0", actor="owner")
    assert await suggested(memory, "s:1") == []


async def test_the_owner_may_put_it_in_other_words(memory: Memory, home: Home) -> None:
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)

    await memory.run(accept, proposal.id, text="- Metric units, please.", op_id="a:0", actor="owner")

    assert home.text() == "- Metric units, please.\n"
    assert await suggested(memory, "s:1") == []


async def test_a_secret_is_not_accepted(memory: Memory, home: Home) -> None:
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)

    with pytest.raises(SecretFound):
        await memory.run(accept, proposal.id, text="- My password is hunter2!x9", op_id="a:0", actor="owner")
    assert await memory.run(waiting) == (proposal,)


async def test_a_rejected_one_never_comes_back(memory: Memory, home: Home) -> None:
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)

    await memory.run(reject, proposal.id, op_id="r:0", actor="owner")
    await home.tell(memory, WISH)

    assert await suggested(memory, "s:1") == []
    with pytest.raises(NotFound, match="waits"):
        await memory.run(accept, proposal.id, op_id="a:0", actor="owner")


async def test_one_whose_line_has_come_in_by_hand_is_dropped(memory: Memory, home: Home) -> None:
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)
    home.write(f"- {WISH}\n")

    assert await memory.run(waiting) == ()
    with pytest.raises(NotFound, match="changed since"):
        await memory.run(accept, proposal.id, op_id="a:0", actor="owner")
    assert home.text() == f"- {WISH}\n"


async def test_what_is_forgotten_is_proposed_no_more_and_leaves_the_journal(memory: Memory, home: Home) -> None:
    fact = await home.tell(memory, WISH)
    await suggested(memory)

    await memory.forget_facts([fact], op_id="f:0", scope=OWNER, actor="owner")
    assert await memory.run(waiting) == ()
    home.clock.advance(days=2)
    await memory.purge(at_once=True)

    kept = b"".join(file.read_bytes() for file in (home.folder / "notes/.memory/journal").iterdir())
    assert b"metric" not in kept
    assert verify(Workspace(home.folder / "notes")) == []


async def test_proposals_outlive_the_index_and_the_process(home: Home) -> None:
    async with await home.open() as memory:
        await home.tell(memory, WISH)
        await suggested(memory)
        before = await memory.run(waiting)
    (home.folder / "index.sqlite").unlink()

    async with await home.open() as memory:
        assert await memory.run(waiting) == before != ()


async def test_a_decision_that_is_repeated_after_a_crash_is_made_once(memory: Memory, home: Home) -> None:
    await home.tell(memory, WISH)
    await suggested(memory)
    [proposal] = await memory.run(waiting)

    for _ in range(2):
        await memory.run(accept, proposal.id, op_id="a:0", actor="owner")

    assert home.text() == f"- {WISH}\n"


async def test_no_more_are_made_than_a_person_works_through(memory: Memory, home: Home) -> None:
    for number in range(MAX_OPEN + 5):
        await home.tell(memory, f"Always add the reference number {number} to letters.")

    assert len(await suggested(memory)) == MAX_OPEN
    assert len(await suggested(memory, "s:1")) == MAX_OPEN


async def test_what_others_say_is_not_proposed(memory: Memory) -> None:
    await memory.remember(WISH, origin=Origin.UNTRUSTED, scope=OWNER, op_id="t:0", actor="stranger")

    assert await suggested(memory) == []
