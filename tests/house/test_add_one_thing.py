"""The files of docs/add-one-thing.md are whole, and do what the page says."""

from __future__ import annotations

import asyncio
import importlib
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import adapters
import bot.commands
import bot.doctor
import bot.jobs
import bot.tools
import bot.web.pages
from adapters.port import Adapter, Inbound, Outbound, Unreadable
from bot import plugins
from bot.access.permissions import CHANGE, FILES, LOOK, NOTE
from bot.commands.base import Command
from bot.config.loader import examine
from bot.doctor.base import Check, CheckContext, Finding
from bot.jobs.base import JobRunner, RecurringJob
from bot.paths import Home
from bot.tools.base import Tool, Work
from bot.web import rendering
from memory import FrozenClock
from tests.house.tree import ROOT
from tests.support.conversation import conversation, tool_harness
from tests.support.dashboard import open_site
from tests.support.facts import MARTA, note
from tests.support.jobs import Owner, job_context

BLOCK = re.compile(r"^```(?:python|html)\n# (?P<path>\S+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = {
    found["path"]: found["text"]
    for found in BLOCK.finditer((ROOT / "docs/add-one-thing.md").read_text(encoding="utf-8"))
}


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the files of the page, and whose packages continue ours."""
    for path, text in EXAMPLES.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for package in (bot.commands, bot.tools, bot.jobs, bot.doctor, bot.web.pages, adapters):
        monkeypatch.setattr(
            package, "__path__", [*package.__path__, str(tmp_path / package.__name__.replace(".", "/"))]
        )
    return tmp_path


async def test_the_command_is_listed_and_notes(added: Path) -> None:
    command = plugins.load_all(bot.commands, "COMMAND", Command)["mood"]
    assert command.example.startswith("/mood ")

    async with conversation(added) as here:
        assert "/mood" in await here.say("/help")
        assert (await here.say("/mood cheerful")).startswith("Noted in memory/")
        assert "cheerful" in await here.say("/mood")


async def test_the_tool_has_a_schema_and_answers_and_is_offered_once_it_is_permitted(added: Path) -> None:
    tool = plugins.load_all(bot.tools, "TOOL", Tool)["days_until"]
    assert tool.name not in LOOK | NOTE | FILES | CHANGE, "the page says that this line is to be added"

    assert tool.signature.offer.parameters["required"] == ["day"]
    async with tool_harness(added / "home") as at:
        result = await tool.call(Work(await at.turn(), "op"), {"day": "2026-12-24"})
    assert result.text == "33"


async def test_the_job_is_on_the_schedule_and_tells(added: Path) -> None:
    job, owner = plugins.load_all(bot.jobs, "JOB", RecurringJob)["count"], Owner()
    async with tool_harness(added / "home") as at:
        context = job_context({"personal": at.agent}, FrozenClock(datetime(2026, 11, 21, tzinfo=UTC)), owner=owner)
        jobs = JobRunner({job.name: job}, context)
        assert [one.repeats for one in jobs.standing("personal")] == ["0 8 1 * *"]
        await jobs.run(job.name, "personal", id="1", is_dry=True)
        await jobs.run(job.name, "personal", id="1")
    assert owner.heard == [("personal knows 0 facts.", "count:1")]


async def test_the_check_finds_a_workspace_without_git(added: Path) -> None:
    home = Home.at(added / "home")
    home.workspace("personal").mkdir(parents=True)
    examined = examine(home, environment={})
    clock = FrozenClock(datetime(2026, 11, 21, tzinfo=UTC))
    check = plugins.load_all(bot.doctor, "CHECK", Check)["git"]

    def unused(*_: object, **_about: object) -> Any:
        raise AssertionError("this check reads files alone")

    async def found() -> list[Finding]:
        context = CheckContext(home, clock, examined, unused, lambda _agent: None, ask=unused, rebuild=unused)
        return [finding async for finding in check.detect(context)]

    assert [finding.place for finding in await found()] == [str(home.workspace("personal"))]
    (home.workspace("personal") / ".git").mkdir()
    assert await found() == []


async def test_the_page_is_in_the_navigation_and_shows_what_its_data_is(
    added: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(rendering.FOLDER / "templates", added / "bot/web/templates", dirs_exist_ok=True)
    monkeypatch.setattr(rendering, "FOLDER", added / "bot/web")
    async with open_site(added / "home") as site:
        assert "Nothing is remembered yet." in await site.page("/kinds")
        await note(site.app.context.agents, *MARTA)

        assert (await site.data("/kinds"))["kinds"] == [["world", 2], ["opinion", 1]]
        assert '<p>world <span class="soft">2 facts</span></p>' in await site.page("/kinds")
        assert 'href="/kinds?agent=personal"' in await site.page("/home")


class Echo:
    """Answers every message at once, as the service does later."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    async def receive(self, inbound: Inbound) -> bool:
        await self._adapter.send(Outbound(id=inbound.update, to=inbound.address, text=f"You said: {inbound.text}"))
        return True

    async def unreadable(self, event: Unreadable) -> None:
        raise AssertionError(event.reason)


async def test_the_platform_carries_messages_both_ways(added: Path) -> None:
    module = importlib.import_module("adapters.socket_chat")
    adapter = module.SocketAdapter(0, now=lambda: datetime(2026, 11, 21, tzinfo=UTC))

    async with asyncio.TaskGroup() as group:
        running = group.create_task(adapter.run(Echo(adapter)))
        await adapter.listening.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", adapter.port)
        writer.write(b"hello\n")
        assert await reader.readline() == b"You said: hello\n"
        writer.close()
        running.cancel()
    assert (added / "adapters/socket_chat.py").exists()
