"""The whole service on Telegram: what changes something needs a name and a place, and guests have limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.port import Adapter
from adapters.telegram.adapter import TelegramAdapter
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.coordinator import Coordinator
from memory import FrozenClock
from tests.integration.telegram.stage import Time, opened
from tests.servers.telegram.client import Person, Telegram
from tests.support.factories import NOON

WORDS_ALONE = {"memory": {"embedder": {"kind": "none"}}}


@asynccontextmanager
async def serving(
    folder: Path, telegram: Telegram, *, groups: Sequence[int] = (), **more: object
) -> AsyncIterator[None]:
    """The service of an owner, 7, and a guest, 8, until the block ends."""
    home = Home.find({"SCRUBJAY_HOME": str(folder / "home")})
    home.prepare()

    @asynccontextmanager
    async def opening(_: Coordinator) -> AsyncIterator[Sequence[Adapter]]:
        async with opened(telegram, folder, time=Time()) as adapter:
            assert isinstance(adapter, TelegramAdapter)
            yield [adapter]

    access = AccessRules(
        frozenset({"telegram:7"}), frozenset({"telegram:8"}), frozenset(f"telegram:{group}" for group in groups)
    )
    config = Config.model_validate(WORDS_ALONE | more)
    async with (
        build(
            home,
            config,
            clock=FrozenClock(NOON),
            opening=opening,
            default_agent="personal",
            access=access,
            is_service=True,
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(list(config.agents), owner="test"))
        yield
        built.service.stop()


async def said(telegram: Telegram, chat: int, fits: Callable[[str], bool]) -> str:
    """The bot's message in a chat that fits; waits for it."""
    found = await telegram.until(
        lambda entry: (
            entry["kind"] in {"message", "edit"}
            and (entry["by"], entry["chat"]) == ("bot", str(chat))
            and fits(entry["text"])
        )
    )
    return str(found["text"])


async def test_a_code_for_linking_is_shown_and_taken_in_private_only(telegram: Telegram, tmp_path: Path) -> None:
    owner, mallory = telegram.user(7, "Owner"), telegram.user(8, "Mallory")
    team = telegram.group("Team", [owner, mallory])
    async with serving(tmp_path, telegram, groups=[team.id]):
        owner.says("/link@scrubjay_bot", chat=team.id)
        assert not re.search(r"/link \w{8}", await said(telegram, team.id, lambda text: "private" in text))

        owner.says("/link")
        code = re.search(r"/link (\w{8})", await said(telegram, 7, lambda text: "Within" in text))
        assert code
        mallory.says(f"/link {code[1]}")
        await said(telegram, 8, lambda text: "confirm it" in text)
        owner.says("/link yes")
        question = await said(telegram, 7, lambda text: "has sent your code" in text)
        owner.says("/link yes telegram:8")
        refused = await said(telegram, 7, lambda text: "You have an account there already" in text)

    assert 'The Telegram account 8, called "Mallory",' in question
    assert "telegram:7" in refused


async def test_a_guests_flood_is_told_once_and_the_owner_is_answered(telegram: Telegram, tmp_path: Path) -> None:
    owner, guest = telegram.user(7, "Owner"), telegram.user(8, "Guest")
    async with serving(tmp_path, telegram, limits={"guest_turns": 2}):
        flood(guest, 40)
        owner.says("/whoami")
        await said(telegram, 7, lambda text: "You are my owner" in text)
        owner.says("/status")
        status = await said(telegram, 7, lambda text: "above a limit" in text)
        await said(telegram, 8, lambda text: "I go on" in text)

    told = [message for message in telegram.history(8) if "I go on" in message["text"]]
    answers = [message for message in telegram.history(8) if message["from"]["is_bot"]]
    assert len(told) == 1
    assert len(answers) == 3
    assert "today: 38 (telegram:8 38)" in status


def flood(guest: Person, count: int) -> None:
    for number in range(count):
        guest.says(f"What is the key number {number}?")


async def test_a_button_is_the_agents_whose_message_it_is_under(telegram: Telegram, tmp_path: Path) -> None:
    ana = telegram.user(7, "Ana")
    async with serving(tmp_path, telegram):
        ana.says("/remind tomorrow at 9 call Ana")
        await said(telegram, 7, lambda text: "call Ana" in text)
        ana.says("/reminders")
        await said(telegram, 7, lambda text: text.startswith("1."))
        listed = telegram.history(7)[-1]["message_id"]
        ana.says("/agent work")
        await said(telegram, 7, lambda text: "work answers here" in text)
        ana.taps(listed, "✗ call Ana")
        cancelled = await said(telegram, 7, lambda text: "brings it back" in text or "no reminder" in text)

    assert "no reminder" not in cancelled
