from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import discord as library
import httpx
import pytest

from bot.account_check import PERMISSIONS, TokenStatus, check_discord, check_telegram, invitation
from bot.config.options.platforms import DiscordSection, TelegramSection, WebhookSection
from tests.servers.discord.client import Discord
from tests.servers.discord.client import running as discord_running
from tests.servers.telegram.client import TOKEN, Telegram
from tests.servers.telegram.client import running as telegram_running

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def telegram_server() -> Iterator[Telegram]:
    with telegram_running(patience_s=0) as server:
        yield server


@pytest.fixture
def telegram(telegram_server: Telegram) -> Iterator[Telegram]:
    telegram_server.call("restore_token")
    telegram_server.call("privacy", on=True)
    yield telegram_server
    assert telegram_server.violations() == []
    telegram_server.call("clear_faults")


@pytest.fixture(scope="module")
def discord() -> Iterator[Discord]:
    with discord_running() as server:
        yield server


def at(server: Telegram) -> TelegramSection:
    return TelegramSection(api=server.url)


async def test_a_bot_on_telegram_is_named_with_its_link_and_what_it_will_not_hear(telegram: Telegram) -> None:
    found = await check_telegram(TOKEN, at(telegram))

    assert (found.status, found.name, found.bot, found.account) == (
        TokenStatus.FINE,
        "@scrubjay_bot",
        "7000000001",
        "telegram.7000000001",
    )
    assert found.link == "https://t.me/scrubjay_bot"
    assert "@scrubjay_bot" in found.told
    assert found.notes == (
        "In groups it hears only what is said to it. To change that, send /setprivacy to @BotFather.",
    )
    telegram.call("privacy", on=False)
    assert (await check_telegram(TOKEN, at(telegram))).notes == ()


async def test_a_webhook_of_another_program_is_told_and_one_of_ours_is_not(telegram: Telegram) -> None:
    telegram.call("privacy", on=False)
    async with httpx.AsyncClient(base_url=f"{telegram.base_url}{TOKEN}") as client:
        (await client.post("/setWebhook", json={"url": "https://other.example/hook"})).raise_for_status()

    (note,) = (await check_telegram(TOKEN, at(telegram))).notes
    assert "posted to other.example now" in note
    ours = TelegramSection(api=telegram.url, webhook=WebhookSection(url="https://other.example"))
    assert (await check_telegram(TOKEN, ours)).notes == ()
    async with httpx.AsyncClient(base_url=f"{telegram.base_url}{TOKEN}") as client:
        (await client.post("/deleteWebhook", json={})).raise_for_status()


async def test_a_token_that_telegram_does_not_take_is_refused_and_never_repeated(telegram: Telegram) -> None:
    telegram.call("revoke_token")
    for token, told in ((TOKEN, "does not accept this token"), ("secret-word", "It looks like 123456789:AAE")):
        found = await check_telegram(token, at(telegram))

        assert found.status is TokenStatus.REFUSED
        assert told in found.told
        assert token not in repr(found)


async def test_what_does_not_answer_is_unreachable_and_not_refused(telegram: Telegram) -> None:
    away = await check_telegram(TOKEN, TelegramSection(api=NOBODY))
    telegram.fault("getMe", "reset")
    broken = await check_telegram(TOKEN, at(telegram))

    for found in (away, broken):
        assert found.status is TokenStatus.UNREACHABLE
        assert TOKEN not in repr(found)
    assert "cannot be reached" in away.told


async def test_a_bot_on_discord_is_named_with_an_invitation_for_what_it_uses(discord: Discord) -> None:
    found = await check_discord(discord.token, DiscordSection(api=discord.url))

    assert found.status is TokenStatus.FINE
    assert found.name in found.told
    assert found.link.startswith("https://discord.com/oauth2/authorize?client_id=")
    assert found.notes == ()


async def test_a_missing_intent_is_told_unless_it_is_not_wanted(discord: Discord) -> None:
    discord.call("approve", message_content=False)

    wanted = await check_discord(discord.token, DiscordSection(api=discord.url))
    unwanted = await check_discord(discord.token, DiscordSection(api=discord.url, message_content=False))
    discord.call("approve", message_content=True)

    assert "Message Content Intent" in wanted.notes[0]
    assert unwanted.notes == ()


async def test_a_token_that_discord_does_not_take_is_refused_and_never_repeated(discord: Discord) -> None:
    other = f"{b64encode(b'12345678901234567').decode().rstrip('=')}.abcdef.{'x' * 27}"
    for token, told in ((other, "Reset Token"), ("secret-word", "three parts")):
        found = await check_discord(token, DiscordSection(api=discord.url))

        assert found.status is TokenStatus.REFUSED
        assert told in found.told
        assert token not in repr(found)
    away = await check_discord(discord.token, DiscordSection(api=NOBODY))
    discord.fault("GET /users/@me", "status", status=503)
    down = await check_discord(discord.token, DiscordSection(api=discord.url))
    assert (away.status, down.status) == (TokenStatus.UNREACHABLE, TokenStatus.UNREACHABLE)


def test_the_invitation_asks_for_what_the_library_calls_by_these_names() -> None:
    wanted = library.Permissions(**dict.fromkeys(PERMISSIONS, True))
    assert invitation("1").endswith(f"permissions={wanted.value}")
