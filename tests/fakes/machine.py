"""A machine in another time zone."""

from __future__ import annotations

import pytest
import tzlocal.unix


def in_zone(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let this process believe, until the test ends, that its machine stands in that zone."""
    monkeypatch.setenv("TZ", name)
    monkeypatch.setattr(tzlocal.unix, "_cache_tz_name", None)
