"""Chat: talking in the browser, and what the model was asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.web.chats import BrowserChat
from tests.support.dashboard import OpenSite, open_site
from tests.support.facts import MARTA, note


async def answered(chat: BrowserChat) -> None:
    """Wait until everything that was said has its answer."""
    while True:
        news = chat.news.subscribe()
        if not chat.waiting:
            return
        await news.wait()


async def say(site: OpenSite, text: str, agent: str = "personal") -> None:
    """Say something in the browser, and wait for the answer."""
    answer = await site.change("/chat/send", text=text, agent=agent)
    assert answer.status_code == 303, answer.text
    await answered(site.beside.chats.visit(agent))


async def test_what_is_said_is_answered_and_led_to_the_facts_that_were_recalled(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        assert "Nothing has been said here yet" in await site.page("/chat")

        await say(site, "Where is the spare key?")
        data, page = await site.data("/chat"), await site.page("/chat")

        question, answer = data["turns"][-1]["said"]
        assert (question["text"], question["by_agent"], answer["by_agent"]) == ("Where is the spare key?", False, True)
        assert (data["waiting"], data["recalled"][0]["hit"]["id"]) == ([], key)
        assert f'href="/fact/{key}?agent=personal&amp;q=Where+is+the+spare+key%3F"' in page
        assert "There is no language model here" in page


async def test_two_pages_that_are_opened_at_the_same_moment_are_one_chat(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        await asyncio.gather(site.page("/chat"), site.page("/chat"))
        assert site.beside.chats.visit("personal") is site.beside.chats.visit("personal")


async def test_what_is_too_long_is_refused_and_not_cut(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        answer = await site.change("/chat/send", text="x" * 200_001, agent="personal")

        assert (answer.status_code, "this one has 200,001" in answer.text) == (400, True)
        assert (await site.data("/chat"))["waiting"] == []


async def test_what_was_offered_is_answered_with_a_button(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        await note(site.app.context.agents, *MARTA)
        await say(site, "/forget spare key")
        choices = (await site.data("/chat"))["choices"]
        assert [one["key"] for one in choices] == ["y", "n"]

        await say(site, "y")

        assert (await site.data("/chat"))["choices"] == []
        assert "spare key" not in str(await site.data("/memory"))


async def test_a_button_that_answers_no_question_sends_its_number(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        await say(site, "remind me tomorrow at 9 to call the vet")
        (cancel,) = (await site.data("/chat"))["choices"]
        assert cancel == {"key": "1", "label": "Cancel"}

        await say(site, cancel["key"])
        await say(site, "/reminders")

        assert "call the vet" not in str((await site.data("/chat"))["turns"][-1])


async def test_each_agent_has_a_conversation_of_its_own_and_who_sees_one_sees_that_one(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True, only="work") as site:
        await say(site, "/remember The stove is red.", "work")

        assert "The stove is red." in await site.page("/chat")
        assert (await site.client.get("/chat", params={"agent": "personal"})).status_code == 404
        assert (await site.change("/chat/send", text="/today", agent="personal")).status_code == 404


async def test_who_sees_one_agent_has_no_other_one_put_into_its_place_by_a_command(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True, only="work") as site:
        await note(site.app.context.agents, *MARTA)
        await say(site, "/agent personal", "work")
        await say(site, "/remember The stove is red.", "work")

        assert "is about all agents; you were let in for work." in (page := await site.page("/chat"))
        assert "The stove is red." in page
        assert "The stove is red." in str(await site.data("/memory"))


@pytest.mark.parametrize("command", ["/guests off", "/link", "/dead retry all", "/queue steer"])
@pytest.mark.parametrize("only", ["work", ""])
async def test_who_sees_one_agent_reaches_no_more_by_commands_than_by_pages(
    tmp_path: Path, command: str, only: str
) -> None:
    async with open_site(tmp_path, runs=True, only=only) as site:
        await say(site, command, "work")

        page = await site.page("/chat?agent=work")
        assert ("is about all agents; you were let in for work." in page) is bool(only)
        assert site.app.context.register.is_closed is (command == "/guests off" and not only)


async def test_words_with_which_one_leaves_and_nothing_at_all_are_not_said(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        left = await site.change("/chat/send", text=" Exit ")
        empty = await site.change("/chat/send", text=" \r\n ")

        assert (left.status_code, empty.status_code) == (400, 303)
        assert (await site.data("/chat"))["turns"] == []
        assert "no language model" in await site.changed("/chat/again", back="/chat")
