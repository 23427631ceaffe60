from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from mcp import Client, types

from memory import OWNER, Memory, Origin
from tests.support import cli_process
from tests.support.mcp import configure, fields_of, journal, spawned

EACH = 8


def test_on_standard_output_there_is_nothing_but_the_protocol_whatever_comes_in(tmp_path: Path) -> None:
    configure(tmp_path / "home")
    process = cli_process.start(tmp_path / "home", "mcp")
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin
    assert stdout
    assert stderr

    def send(*messages: dict[str, Any] | str) -> None:
        for one in messages:
            line = one if isinstance(one, str) else json.dumps({"jsonrpc": "2.0", **one})
            stdin.write(f"{line}\n".encode())
        stdin.flush()

    def answer(number: int, **message: Any) -> Any:
        send({"id": number, **message})
        while (told := json.loads(stdout.readline())).get("id") != number:
            assert told["jsonrpc"] == "2.0"
        return told

    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    begun = answer(1, method="initialize", params=client)["result"]
    assert begun["serverInfo"]["name"] == "scrubjay"
    assert "wake" in begun["instructions"]
    unreadable = ("this is no JSON", "[]", "\u0000", '{"deep": ' + "[" * 100_000)
    send({"method": "notifications/initialized"}, *unreadable)
    assert [json.loads(stdout.readline())["error"]["code"] for _ in unreadable] == [types.PARSE_ERROR] * len(unreadable)
    remember = {
        "name": "remember",
        "arguments": {"text": "The spare key is under the blue pot \ud83d"},
    }  # half an emoji
    assert answer(2, method="tools/call", params=remember)["result"]["structuredContent"]["line"] == 4
    assert "error" in answer(3, method="no/such/method")
    assert "error" in answer(4, method="tools/call", params={"name": 5})
    assert "error" in answer(4, method="tools/call", params=[])

    recall = {"name": "recall", "arguments": {"query": "spare key"}}
    send({"id": 5, "method": "tools/call", "params": recall})
    send({"method": "notifications/cancelled", "params": {"requestId": 5}})
    assert answer(6, method="ping")["result"] == {}
    assert len(answer(7, method="tools/call", params=recall)["result"]["structuredContent"]["hits"]) == 1

    late = {"name": "remember", "arguments": {"text": "The second key is with Ana."}}
    send({"id": 8, "method": "tools/call", "params": late})
    rest, trouble = process.communicate(timeout=60)  # the client goes away before it has an answer
    assert process.returncode == 0, trouble.decode()
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    records = journal(tmp_path / "home" / "workspaces" / "personal")
    assert {record["actor"] for record in records} == {"mcp:raw"}
    assert len(records) in {1, 2}


async def test_two_clients_and_the_bot_that_write_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    home = configure(tmp_path / "home")
    workspace, index = home.workspaces / "personal", home.index("personal")

    async def write(name: str, client: Client) -> None:
        for number in range(EACH):
            result = await client.call_tool("remember", {"text": f"{name} has put crate {number} into the hall."})
            assert not result.is_error, result

    async def write_as_bot(memory: Memory) -> None:
        for number in range(EACH):
            text = f"bot has put crate {number} into the hall."
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"t:{number}", actor="owner")

    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(spawned(tmp_path / "home"))
        two = await stack.enter_async_context(spawned(tmp_path / "home", "--trusted"))
        bot = await stack.enter_async_context(await Memory.open(workspace, index=index))
        await asyncio.gather(write("one", one), write("two", two), write_as_bot(bot))
        for client in (one, two):  # whoever is asked takes into the index what it has just written
            await client.call_tool("stats")
        await bot.stats(scope=OWNER)

        said = {
            f"{name} has put crate {number} into the hall." for name in ("one", "two", "bot") for number in range(EACH)
        }
        for client in (one, two):
            found = fields_of(await client.call_tool("stats"))
            assert found["facts"] == len(said)
            [hit] = fields_of(await client.call_tool("recall", {"query": "bot crate 7 hall", "limit": 1}))["hits"]
            assert hit["content"] == "bot has put crate 7 into the hall."
        assert await bot.problems() == ()
    log = "".join(path.read_text(encoding="utf-8") for path in workspace.rglob("memory/*.md"))
    assert [log.count(text) for text in sorted(said)] == [1] * len(said)
    records = journal(workspace)
    assert [record["seq"] for record in records] == list(range(1, len(said) + 1))
    assert len(records) == len(said)
    assert Counter(record["origin"] for record in records) == {"untrusted": EACH, "agent": EACH, "owner": EACH}
