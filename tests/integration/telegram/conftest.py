from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from adapters.telegram.adapter import TelegramAdapter
from tests.integration.telegram.stage import Notebook, Time, opened, running
from tests.servers.telegram.client import Telegram
from tests.servers.telegram.client import running as serving


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with serving(patience_s=0) as telegram:
        yield telegram
        assert telegram.violations() == []


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def door() -> Notebook:
    return Notebook()


@pytest.fixture
async def adapter(telegram: Telegram, tmp_path: Path, time: Time) -> AsyncIterator[TelegramAdapter]:
    """Not running: it can send."""
    async with opened(telegram, tmp_path, time=time) as adapter:
        yield adapter


@pytest.fixture
async def bot(adapter: TelegramAdapter, door: Notebook) -> AsyncIterator[TelegramAdapter]:
    """Running: what is said reaches the door."""
    async with running(adapter, door):
        yield adapter
