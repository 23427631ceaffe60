"""A memory served to the official client of the Model Context Protocol: in this process, or by the real program."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client, types

from bot.config.model import Config
from bot.mcp import server
from bot.mcp.server import MemoryServer, open_memory
from bot.mcp.tokens import Access
from bot.memories import Memories
from bot.paths import Home
from memory import OWNER, FrozenClock, Memory
from tests.fakes.scrubjay import MORNING
from tests.support import cli_process

REGISTERED = "correct-horse-battery"
OPTIONS: dict[str, Any] = {
    "memory": {"embedder": {"kind": "none"}},
    "agents": {"personal": {}, "office": {}},
    "model": {"base_url": "http://127.0.0.1:9/v1", "name": "none", "api_key": REGISTERED},
}
"""Two agents; searched by words; one secret in the configuration."""

WRITER = Access("personal", OWNER, writes=True)
READER = Access("personal", OWNER, writes=False)


@dataclass(frozen=True, slots=True)
class Connection:
    """A client, and what it is connected to."""

    client: Client
    memory: Memory
    home: Home

    async def call(self, name: str, **arguments: Any) -> types.CallToolResult:
        """Return what a tool answers."""
        return await self.client.call_tool(name, arguments)

    def markdown(self) -> str:
        """Return all notes of the agent's workspace."""
        folder = self.home.workspaces / "personal"
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md")))

    def journal(self) -> list[dict[str, Any]]:
        """Return the records of the journal, in order."""
        return journal(self.home.workspaces / "personal")


@asynccontextmanager
async def connected(
    folder: Path, access: Access = WRITER, *, name: str = "claude-code", at: datetime = MORNING, aliases: bool = False
) -> AsyncIterator[Connection]:
    """A client within this process."""
    home, config, clock = Home.at(folder), Config.model_validate(OPTIONS), FrozenClock(at)
    home.prepare()
    async with Memories(home, config, clock=clock) as memories, open_memory(memories, access.agent) as memory:
        served = MemoryServer(
            {access.agent: memory},
            home=home,
            config=config,
            clock=clock,
            identify=lambda _: server.Client(access, name),
            with_aliases=aliases,
        )
        async with Client(served.build()) as client:
            yield Connection(client, memory, home)


def text_of(result: types.CallToolResult) -> str:
    """Return the text of an answer."""
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def fields_of(result: types.CallToolResult) -> dict[str, Any]:
    """Return the structured content of an answer."""
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def journal(workspace: Path) -> list[dict[str, Any]]:
    """Return the records of a workspace's journal, in order."""
    files = sorted((workspace / ".memory" / "journal").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def configure(folder: Path) -> Home:
    """Write the options into a home."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Home.at(folder)
    home.config.write_text(json.dumps(OPTIONS), encoding="utf-8")  # JSON is YAML
    return home


@asynccontextmanager
async def spawned(home: Path, *words: str) -> AsyncIterator[Client]:
    """A client of `scrubjay mcp WORDS`, started by it."""
    program, *arguments = cli_process.command("mcp", *words)
    parameters = StdioServerParameters(command=program, args=arguments, env=cli_process.environment(home))
    async with Client(stdio_client(parameters, errlog=sys.stderr)) as client:
        yield client


@contextmanager
def http_server(home: Path) -> Iterator[int]:
    """`scrubjay mcp --http` at a free port, which is yielded; ended by SIGTERM."""
    process = cli_process.start(home, "mcp", "--http", "--port", "0")
    assert process.stderr
    assert process.stdout
    try:
        begun = process.stderr.readline().decode()
        assert "Serving MCP at " in begun, begun + process.stderr.read().decode()
        yield int(begun.split("127.0.0.1:")[1].partition("/")[0])
    finally:
        process.terminate()
        assert process.wait(30) == 0, process.stderr.read().decode()
        assert process.stdout.read() == b""
        process.stdout.close()
        process.stderr.close()
        if process.stdin:
            process.stdin.close()
