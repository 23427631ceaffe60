"""How fast requests are made."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
import yarl
from multidict import CIMultiDict

from adapters.discord.client import RateLimits

ADDRESS = yarl.URL("https://discord.com/api/v10/channels/1/messages")


@pytest.mark.parametrize("requests_per_s", [1, 40, 400])
async def test_no_second_has_more_requests_than_an_eighth_above_what_is_allowed(requests_per_s: int) -> None:
    now_s, made_at = 0.0, list[float]()

    async def pause(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    trace: Any = RateLimits(requests_per_s, monotonic=lambda: now_s, pause=pause).trace()
    trace.freeze()
    while now_s < 3:
        request = aiohttp.TraceRequestStartParams("POST", ADDRESS, CIMultiDict())
        await trace.on_request_start.send(None, SimpleNamespace(), request)
        made_at.append(now_s)
    most = max(sum(start <= at < start + 1 for at in made_at) for start in made_at)
    assert requests_per_s <= most <= max(requests_per_s + 1, requests_per_s * 9 / 8)
