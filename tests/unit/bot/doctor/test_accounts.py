from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from bot.doctor.accounts import CHECK
from bot.doctor.base import Severity
from bot.errors import Unreachable
from bot.paths import Home, put
from bot.system import instance
from memory import FrozenClock
from tests.servers.serving import listening
from tests.unit.bot.doctor.conftest import Look, wrong

TOKEN = "7000000001:test-token-of-the-scrubjay-bot"
DISCORD = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GTeste.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL"


class Platform:
    """Both platforms, as far as the check asks; every field is what is answered."""

    def __init__(self) -> None:
        self.url = ""
        self.status = 200
        self.reads_all, self.webhook, self.flags = False, dict[str, Any](url=""), 1 << 19
        self.asked: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        if self.status != 200:
            refusal = {"ok": False, "error_code": self.status, "description": "Unauthorized"}
            return web.json_response(refusal, status=self.status)
        me = {"id": 7000000001, "is_bot": True, "first_name": "Jay", "username": "jay_bot"}
        me |= {"can_read_all_group_messages": self.reads_all, "can_join_groups": True}
        hook = {"has_custom_certificate": False, "pending_update_count": 0} | self.webhook
        results = {"getMe": {"ok": True, "result": me}, "getWebhookInfo": {"ok": True, "result": hook}}
        discord: dict[str, Any] = {"id": "1", "username": "jay", "flags": self.flags}
        return web.json_response(results.get(request.path.rpartition("/")[2], discord))


@pytest.fixture
async def platform() -> AsyncIterator[Platform]:
    platform = Platform()
    server = web.Application()
    server.router.add_route("*", "/{path:.*}", platform.answer)
    async with listening(server) as platform.url:
        yield platform


@pytest.fixture
def telegram(home: Home, platform: Platform) -> Callable[[str], None]:
    def configure(more: str = "") -> None:
        put(home.config, f'telegram:\n  token: "{TOKEN}"\n  api: {platform.url}\n{more}')

    configure()
    return configure


async def test_without_a_bot_that_is_said(look: Look) -> None:
    assert [finding.id for finding in await look(CHECK)] == ["accounts.none"]


async def test_a_token_that_is_let_in_is_a_note(look: Look, telegram: object) -> None:
    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity, finding.place) == (
        "accounts.works",
        Severity.NOTE,
        "telegram.7000000001 @jay_bot",
    )


@pytest.mark.parametrize(
    ("status", "told", "severity"),
    [(401, "accounts.refused", Severity.ERROR), (502, "accounts.unreachable", Severity.WARNING)],
)
async def test_a_refused_token_is_an_error_and_an_outage_a_warning_and_neither_shows_the_token(
    look: Look, telegram: object, platform: Platform, status: int, told: str, severity: Severity
) -> None:
    platform.status = status

    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity) == (told, severity)
    assert "test-token" not in repr(finding)
    assert finding.hint


async def test_where_nothing_listens_the_token_is_not_shown_either(
    look: Look, home: Home, platform: Platform, telegram: Callable[[str], None]
) -> None:
    put(home.config, f'telegram:\n  token: "{TOKEN}"\n  api: http://127.0.0.1:1\n')

    (finding,) = await look(CHECK)

    assert finding.id == "accounts.unreachable"
    assert "test-token" not in repr(finding)


async def test_offline_nobody_is_asked_and_that_is_said(look: Look, telegram: object, platform: Platform) -> None:
    (finding,) = await look(CHECK, is_offline=True)

    assert (finding.id, platform.asked) == ("accounts.not_asked", [])
    assert "not known" in finding.message


async def test_a_webhook_of_somebody_else_is_told(look: Look, telegram: object, platform: Platform) -> None:
    platform.webhook = {"url": "https://other.example.org/secret-path"}

    (finding,) = wrong(await look(CHECK))

    assert finding.id == "accounts.webhook"
    assert "other.example.org" in finding.message
    assert "secret-path" not in finding.message


async def test_what_telegram_cannot_deliver_is_told(
    look: Look, telegram: Callable[[str], None], platform: Platform
) -> None:
    telegram("  webhook: {url: https://bot.example.org/hook}\n")
    platform.webhook = {"url": "https://bot.example.org/hook/1", "last_error_message": "SSL error"}
    after_it_got_through = wrong(await look(CHECK))  # Telegram keeps naming the last error
    platform.webhook["pending_update_count"] = 1

    (finding,) = wrong(await look(CHECK))

    assert "SSL error" in finding.message
    assert after_it_got_through == []


async def test_privacy_mode_is_told_only_where_all_is_to_be_heard(
    look: Look, telegram: Callable[[str], None], platform: Platform
) -> None:
    assert wrong(await look(CHECK)) == []
    telegram("access:\n  only_addressed: false\n")
    (finding,) = wrong(await look(CHECK))
    platform.reads_all = True
    allowed = wrong(await look(CHECK))

    assert (finding.id, allowed) == ("accounts.privacy", [])


async def test_an_intent_that_is_not_granted_is_an_error_unless_it_is_not_asked_for(
    look: Look, home: Home, platform: Platform
) -> None:
    platform.flags = 0
    put(home.config, f'discord:\n  token: "{DISCORD}"\n  api: {platform.url}\n')
    (finding,) = wrong(await look(CHECK))
    put(home.config, f'discord:\n  token: "{DISCORD}"\n  api: {platform.url}\n  message_content: false\n')

    assert (finding.id, finding.severity) == ("accounts.intent", Severity.ERROR)
    assert wrong(await look(CHECK)) == []


async def test_an_account_that_the_running_service_has_lost_is_told(
    look: Look, telegram: object, home: Home, clock: FrozenClock
) -> None:
    async def statuses(_: str) -> dict[str, Any]:
        return {"accounts": {"telegram.7000000001": "no route to host", "discord.1": "running"}}

    async def silent(_: str) -> dict[str, Any]:
        raise Unreachable("It does not answer.")

    home.prepare()
    with instance.hold(home, command="run", clock=clock):
        (finding,) = wrong(await look(CHECK, ask=statuses))
        assert wrong(await look(CHECK, ask=silent)) == []

    assert (finding.id, finding.place) == ("accounts.lost", "telegram.7000000001")
