from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web

from bot.doctor.clock import CHECK
from bot.paths import Home, put
from memory import FrozenClock
from tests.fakes.machine import in_zone
from tests.servers.serving import listening
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_a_plausible_time_is_told_in_the_owners_zone(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("owner:\n  timezone: Asia/Tokyo\n")

    (finding,) = await look(CHECK)

    assert (finding.place, finding.message, finding.hint) == ("Asia/Tokyo", "2026-11-21 18:30", "")


@pytest.mark.parametrize("clock", [FrozenClock(datetime(1970, 1, 1, tzinfo=UTC))])
async def test_a_clock_that_lost_its_battery_is_an_error(look: Look, clock: FrozenClock) -> None:
    (finding,) = wrong(await look(CHECK))

    assert finding.id == "clock.wrong"
    assert "1970-01-01" in finding.message


async def test_a_machine_that_says_utc_gets_a_word_of_caution(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "UTC")

    (finding,) = await look(CHECK)

    assert "owner.timezone" in finding.hint
    assert wrong([finding]) == []


async def test_a_zone_that_does_not_exist_is_told(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "Europe/Berln")

    (finding,) = wrong(await look(CHECK))

    assert finding.id == "clock.zone_unknown"
    assert "Europe/Berln" in finding.message


@pytest.mark.parametrize("zone", ["CET-1CEST", ":/etc/localtime", "", "Asia/Tokyo"])
async def test_a_rule_a_file_or_nothing_is_a_zone_too(look: Look, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    in_zone(monkeypatch, zone)

    assert wrong(await look(CHECK)) == []


@pytest.mark.parametrize(("off", "told"), [(90, []), (-3600, ["clock.off"]), (3600, ["clock.off"])])
async def test_the_clock_is_held_against_the_platforms(
    look: Look, home: Home, clock: FrozenClock, off: int, told: list[str]
) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            status=404, headers={"Date": format_datetime(clock.now() + timedelta(seconds=off), usegmt=True)}
        )

    server = web.Application()
    server.router.add_route("*", "/{path:.*}", answer)
    async with listening(server) as url:
        put(home.config, f'telegram:\n  token: "7000000001:test-token-of-the-scrubjay-bot"\n  api: {url}\n')
        found = wrong(await look(CHECK))
        offline = wrong(await look(CHECK, is_offline=True))

    assert [finding.id for finding in found] == told
    assert offline == []
