"""A Discord server for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import httpx
import pytest

from tests.servers.discord.client import Discord, running


@pytest.fixture
def server() -> Iterator[Discord]:
    with running() as server:
        yield server


class Api(Protocol):
    def __call__(self, method: str, path: str, *, status: int = 200, **options: Any) -> Any: ...


@pytest.fixture
def api(server: Discord) -> Iterator[Api]:
    """Calls the REST API as the bot, checks the status, and gives the body (None if empty)."""
    headers = {"Authorization": f"Bot {server.token}"}
    with httpx.Client(base_url=server.api_url, headers=headers, trust_env=False, timeout=10) as client:

        def call(method: str, path: str, *, status: int = 200, **options: Any) -> Any:
            response = client.request(method, path, **options)
            assert response.status_code == status, response.text
            return response.json() if response.content else None

        yield call
