from __future__ import annotations

import bot.doctor
from bot import plugins
from bot.doctor.base import Check


def test_every_check_is_called_what_its_file_is_called() -> None:
    checks = dict(plugins.load_all(bot.doctor, "CHECK", Check))

    assert {name: check.id for name, check in checks.items()} == {name: name for name in checks}
    assert set(checks) == {
        "clock",
        "config",
        "disk",
        "embedder",
        "home",
        "index",
        "instance",
        "model",
        "service",
        "set_aside",
        "sqlite",
        "state",
        "vectors",
        "workspaces",
    }
