from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from mcp import MCPError

from bot.access.pairing import Pairings
from bot.mcp.tools import ALIAS, tools
from bot.paths import Home
from bot.service import control
from bot.service.control import AdminApi
from bot.storage.sqlite import SqliteCoordinator
from bot.system import instance
from memory import OWNER, FrozenClock, Origin
from tests.fakes.scrubjay import MORNING
from tests.support.mcp import Connection, connected, fields_of, text_of

FACT = "The spare key is under the blue pot."


async def keep(folder: Path) -> Home:
    """Have one fact in a memory that is closed again."""
    async with connected(folder) as at:
        await at.call("remember", text=FACT)
        return at.home


async def found(at: Connection) -> list[str]:
    """Return what a recall finds."""
    return [hit["content"] for hit in fields_of(await at.call("recall", query="spare key"))["hits"]]


async def test_the_names_of_cortex_are_accepted_always_and_listed_when_that_is_wanted(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        assert {tool.name for tool in (await at.client.list_tools()).tools} == set(tools())
        assert not (await at.call(f"{ALIAS}remember", text=FACT)).is_error
    async with connected(tmp_path, aliases=True) as at:
        listed = {tool.name for tool in (await at.client.list_tools()).tools}
        assert listed == {*tools(), *(f"{ALIAS}{name}" for name in tools())}
        assert await found(at) == [FACT]


async def test_tools_say_what_they_change(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        offered = {tool.name: tool.annotations for tool in (await at.client.list_tools()).tools}

    assert {name for name, hints in offered.items() if hints and not hints.read_only_hint} == {
        "remember", "observe", "checkpoint", "reflect", "forget"
    }  # fmt: skip
    assert {name for name, hints in offered.items() if hints and hints.destructive_hint} == {"forget"}


IMPOSSIBLE: tuple[tuple[str, dict[str, object], str], ...] = (
    ("recal", {"query": "x"}, "Did you mean recall?"),
    ("../recall", {}, "There is no tool"),
    ("recall", {}, "query: Field required"),
    ("recall", {"query": 5}, "query: Input should be a valid string"),
    ("recall", {"query": "x", "limit": 51}, "limit: Input should be less than or equal to 50"),
    ("recall", {"query": "x", "agent": "office"}, "agent: Extra inputs are not permitted"),
    ("recall", {"query": "x", "scope": "owner"}, "scope: Extra inputs are not permitted"),
    ("remember", {"text": "x" * 200_000}, "at most 200,000 characters"),
    ("remember", {"text": "O(c=7): Too sure."}, "Column"),
    ("checkpoint", {"text": " \n"}, "nothing to save"),
    ("forget", {}, "Give a query, an id"),
    ("forget", {"id": "zzzzzzzz"}, "zzzzzzzz"),
    ("forget", {"query": "zeppelins"}, "nothing would be forgotten"),
    ("memory_search", {"query": "x", "since": "someday"}, "someday"),
    ("memory_get", {"path": "../../config.yaml"}, "not a path of the workspace"),
    ("memory_get", {"path": "nothing.md"}, "nothing.md"),
)


async def test_what_cannot_be_done_is_an_answer_in_our_own_words(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        for name, arguments, told in IMPOSSIBLE:
            result = await at.call(name, **arguments)

            assert result.is_error
            assert told in text_of(result)
            assert fields_of(result)["message"]
        assert at.journal() == []


async def test_the_owners_files_are_resources_and_nothing_beside_them_is(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        await at.call("remember", text=FACT)
        listed = [resource.uri for resource in (await at.client.list_resources()).resources]
        assert listed == ["scrubjay://personal/memory/2026-11-21.md"]
        [contents] = (await at.client.read_resource(listed[0])).contents
        assert FACT in contents.model_dump()["text"]
        assert contents.meta
        assert contents.meta["scrubjay/origins"] == ["owner", "untrusted"]

        for uri in (
            "scrubjay://office/memory/2026-11-21.md",
            "scrubjay://personal/../office/MEMORY.md",
            "scrubjay://personal/%2e%2e/office/MEMORY.md",
            "scrubjay://personal/.memory/journal/2026-11.jsonl",
            "scrubjay://personal/nothing.md",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError):
                await at.client.read_resource(uri)


async def test_the_prompts_begin_a_conversation_and_have_it_saved(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        await at.call("remember", text=FACT)
        assert [prompt.name for prompt in (await at.client.list_prompts()).prompts] == ["wake", "checkpoint"]

        assert FACT in str((await at.client.get_prompt("wake")).messages[0].content)
        assert "call the tool `checkpoint`" in str((await at.client.get_prompt("checkpoint")).messages[0].content)
        with pytest.raises(MCPError):
            await at.client.get_prompt("rm")


async def test_calls_at_once_answer_each_its_own_question(tmp_path: Path) -> None:
    async with connected(tmp_path) as at:
        for number in range(8):
            await at.call("remember", text=f"Locker {number} belongs to crew {number}.")

        async def ask(number: int) -> str:
            hits = fields_of(await at.call("recall", query=f"locker {number}", limit=1))["hits"]
            return str(hits[0]["content"])

        answers = await asyncio.gather(*map(ask, range(8)))
    assert list(answers) == [f"Locker {number} belongs to crew {number}." for number in range(8)]


async def test_with_the_index_deleted_or_damaged_under_it_recall_still_answers(tmp_path: Path) -> None:
    await keep(tmp_path)
    async with connected(tmp_path) as at:
        index = at.home.index("personal")
        for path in index.parent.glob(f"{index.name}*"):
            path.unlink()
        assert await found(at) == [FACT]
        for path in index.parent.glob(f"{index.name}*"):
            path.write_bytes(b"no database " * 1000)
        assert await found(at) == [FACT]


async def test_with_an_index_that_cannot_be_used_recall_and_remember_work_on_the_files(tmp_path: Path) -> None:
    home = await keep(tmp_path)
    index = home.index("personal")
    with closing(sqlite3.connect(index, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        async with connected(tmp_path) as at:
            assert await found(at) == [FACT]
    for path in index.parent.glob(f"{index.name}*"):
        path.unlink()
    index.mkdir()
    async with connected(tmp_path) as at:
        assert await found(at) == [FACT]
        await at.call("remember", text="The second spare key is with Ana.")
        assert len(await found(at)) == 2
        assert "with Ana" in at.markdown()


async def test_what_others_write_meanwhile_is_found(tmp_path: Path) -> None:
    async with connected(tmp_path) as at, connected(tmp_path, name="bot") as beside:
        await beside.memory.remember(FACT, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
        await beside.memory.status()  # whatever is asked of it comes behind the index

        assert await found(at) == [FACT]


async def test_a_running_service_masks_what_its_conversations_repeat_of_what_was_forgotten(tmp_path: Path) -> None:
    asked: list[tuple[str, bool]] = []

    async def clear(agent: str, *, wholly: bool, scope: str, op_id: str) -> int:
        asked.append((agent, wholly))
        return 2

    clock = FrozenClock(MORNING)
    async with connected(tmp_path) as at, SqliteCoordinator.open(at.home.database, clock=clock) as core:
        pairings = Pairings(core.register, clock=clock, marks=core.marks, coordinator=core)
        api = AdminApi(core.register, pairings, core.dead_letters, dict, clear=clear)
        said = fields_of(await at.call("remember", text=FACT))
        with instance.hold(at.home, command="run", clock=clock):
            async with control.listening(at.home.control, api.ask):
                assert "Messages masked that repeated it: 2." in text_of(await at.call("forget", id=said["id"]))

    assert asked == [("personal", False)]
