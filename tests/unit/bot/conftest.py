"""A room to talk to agents in, and an agent whose turns are made by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.conversation import Conversation, ToolHarness, conversation, tool_harness


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Conversation]:
    async with conversation(tmp_path) as opened:
        yield opened


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[ToolHarness]:
    async with tool_harness(tmp_path) as opened:
        yield opened
