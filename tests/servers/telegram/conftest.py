"""A Bot API server for each test; the judges' models are loaded once per process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import httpx
import pytest

from tests.servers.telegram.client import Telegram, running
from tests.servers.telegram.judge import Judge

DATA = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}, {"text": "Site", "url": "https://a.example"}]]}


@pytest.fixture(scope="session")
def judge() -> Judge:
    return Judge()


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with running(patience_s=0) as telegram:
        yield telegram


class Api(Protocol):
    def __call__(self, method: str, *, files: Any = None, **arguments: Any) -> dict[str, Any]: ...


@pytest.fixture
def api(telegram: Telegram) -> Iterator[Api]:
    """Calls a method over HTTP and gives the whole answer body."""
    with httpx.Client(trust_env=False, timeout=10) as client:

        def call(method: str, *, files: Any = None, **arguments: Any) -> dict[str, Any]:
            url = f"{telegram.base_url}{telegram.token}/{method}"
            response = client.post(url, files=files, data=arguments) if files else client.post(url, json=arguments)
            body: dict[str, Any] = response.json()
            assert body["ok"] == (response.status_code == 200)
            return body

        yield call


@pytest.fixture
def sent(telegram: Telegram, api: Api) -> dict[str, Any]:
    """A message of the bot in Alice's private chat (7)."""
    telegram.user(7, "Alice").says("hello")
    result: dict[str, Any] = api("sendMessage", chat_id=7, text="one", reply_markup=DATA)["result"]
    return result


def updates(api: Api, **arguments: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = api("getUpdates", **arguments)["result"]
    return result
