"""A room to talk to agents in, and a conversation's file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.rooms import Room, room


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path) as opened:
        yield opened
