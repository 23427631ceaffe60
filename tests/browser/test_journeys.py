"""What people come for, from its beginning to its end, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.web.routes import load_pages
from memory import OWNER, FrozenClock, Origin
from memory.journal.records import Operation
from memory.knowledge.proposals import Change, propose
from tests.browser.tab import Tab
from tests.servers.openai_script import Fault, Kind, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.dashboard import Listening, Telegram, configured, listening
from tests.support.factories import NOON

pytestmark = pytest.mark.browser


@contextmanager
def opened(browser: Browser, dashboard: Listening) -> Iterator[Tab]:
    """A tab in which nothing goes wrong."""
    with Tab.open(browser, dashboard) as tab:
        yield tab
        assert tab.problems == []


def say(page: Page, text: str) -> None:
    """Say something on the page Chat, and wait for the answer."""
    answers = page.locator(".said-by.agent:not([aria-busy])").count()
    page.get_by_label("Message to").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".said-by.agent:not([aria-busy])")).to_have_count(answers + 1)


def answer(page: Page) -> str:
    """The last answer on the page Chat."""
    return page.locator(".said-by.agent").last.inner_text()


def test_why_did_it_say_lisbon(browser: Browser, tmp_path: Path) -> None:
    """From an answer to the fact, its score, its line and the message that it came from; corrected where it stands."""
    with listening(tmp_path) as dashboard, opened(browser, dashboard) as tab:
        page = tab.page
        tab.go("/chat")
        say(page, "/remember Marta lives in Lisbon.")
        say(page, "Where does Marta live?")
        assert "Marta lives in Lisbon." in answer(page)

        page.locator("aside .hits a").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Fact")
        expect(page.locator("main")).to_contain_text("Hit 1 of 1.")
        expect(page.locator("svg.score")).to_be_visible()
        expect(page.locator(".around .here")).to_contain_text("Marta lives in Lisbon.")
        source = page.locator("blockquote a")
        expect(page.locator("blockquote")).to_contain_text("/remember Marta lives in Lisbon.")
        source.click()
        expect(page.locator(".turn:target")).to_contain_text("/remember Marta lives in Lisbon.")

        page.go_back()
        page.get_by_text("Edit", exact=True).click()
        page.get_by_label("What is right").fill("Marta lives in Porto.")
        page.get_by_role("button", name="Write it in the place of this fact").click()
        expect(page.locator(".told")).to_contain_text("Changed.")

        tab.go("/chat")
        say(page, "Where does Marta live?")
        assert "Marta lives in Porto." in answer(page)
        assert "Lisbon" not in answer(page)


def test_what_was_not_taken_stays_in_the_field_and_the_page_as_it_was(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        page, field = tab.page, tab.page.get_by_label("Message to")
        tab.go("/chat")
        say(page, "/remember Marta lives in Lisbon.")
        expect(page.get_by_role("alert")).to_have_count(0)
        page.context.set_offline(True)
        field.fill("And nobody is there.")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(field).to_have_value("And nobody is there.")

        page.context.set_offline(False)
        say(page, "Where does Marta live?")
        expect(page.get_by_role("alert")).to_have_count(0)
        field.fill("quit")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("A chat in the browser is left by closing the page.")
        page.context.clear_cookies()
        field.fill("And the login is over.")
        field.press("Enter")
        expect(field).to_have_value("And the login is over.")
        assert "Marta lives in Lisbon." in answer(page)


def test_what_is_forgotten_is_gone_from_every_page_until_it_is_taken_back(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, opened(browser, dashboard) as tab:
        page = tab.page
        tab.go("/chat")
        say(page, "/remember Marta has a @Zeppelin in the shed.")
        tab.go("/memory?q=zeppelin")
        page.locator(".hits a").first.click()
        fact = page.url
        page.get_by_role("button", name="Forget …").click()
        expect(page.get_by_role("heading", name="This would be forgotten")).to_be_visible()
        expect(page.locator("section.card pre")).to_contain_text("Zeppelin")
        page.get_by_role("button", name="Forget it").click()
        expect(page.get_by_role("alert")).to_contain_text("This fact is forgotten.")

        for entry in load_pages().values():
            if entry.group:
                tab.go(entry.path)
                assert "eppelin" not in page.content(), entry.path
        page.goto(fact)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".around .here")).to_contain_text("Zeppelin")
        tab.go("/memory?q=zeppelin")
        expect(page.locator(".hits")).to_contain_text("Zeppelin")


def test_a_proposal_is_looked_at_edited_and_written_as_it_was_edited(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, opened(browser, dashboard) as tab:
        page, memory = tab.page, dashboard.app.context.agents["personal"].memory
        change = Change("USER.md", "", "- Prefers short answers in the evening.", "You said so three times.")
        operation = Operation("reflect", "reflection", Origin.AGENT, OWNER)
        tab.go("/inbox")
        dashboard.call(memory.run(propose, [change], operation))
        tab.go("/home")
        page.get_by_role("link", name="Inbox", exact=True).click()

        expect(page.locator(".diff ins")).to_contain_text("Prefers short answers in the evening.")
        page.get_by_text("Edit", exact=True).click()
        page.get_by_label("The line as it ought to be").fill("- Prefers short answers after eight.")
        page.get_by_role("button", name="Accept").click()

        expect(page.locator("main")).to_contain_text("Nothing waits for you.")
        text = (dashboard.app.home.workspace("personal") / "USER.md").read_text(encoding="utf-8")
        assert [line for line in text.splitlines() if "short answers" in line] == [
            "- Prefers short answers after eight."
        ]


def test_a_stranger_who_writes_is_seen_at_once_let_in_and_answered(browser: Browser, tmp_path: Path) -> None:
    telegram = Telegram(FrozenClock(NOON))
    with (
        listening(tmp_path, accounts=lambda terminal: [terminal, telegram]) as dashboard,
        opened(browser, dashboard) as tab,
    ):
        page = tab.page
        tab.go("/people")
        expect(page.locator("body")).to_have_attribute("data-connection", "open")
        asked = dashboard.call(telegram.ask("Hello?", sender="777", chat="777"))
        expect(page.locator("main")).to_contain_text("telegram:777")
        assert page.locator("main code").first.inner_text() in asked
        page.get_by_role("button", name="Let in as guest").click()
        expect(page.locator("table")).to_contain_text("telegram:777")

        answered = dashboard.call(telegram.answer())
        assert answered


def test_a_model_that_is_down_is_told_at_once_and_so_is_that_it_answers_again(browser: Browser, tmp_path: Path) -> None:
    is_down: list[bool] = []
    clock = FrozenClock(NOON)

    def mishap(_: Received) -> Fault | None:
        return Fault(kind=Kind.STATUS, status=503, headers={"Retry-After": "0"}) if is_down else None

    with OpenAIServer(lambda _: Step(text="Here I am."), mishap) as server:
        options = configured(model={"name": MODEL, "base_url": server.base_url, "api_key": KEY})
        with listening(tmp_path, options, clock=clock) as dashboard, opened(browser, dashboard) as tab:
            chat, home = tab.page.context.new_page(), tab.page
            chat.goto(f"{dashboard.address}/chat")
            say(chat, "Hello?")
            assert "Here I am." in answer(chat)
            is_down.append(True)
            say(chat, "Are you there?")
            home.bring_to_front()
            expect(home.locator(".attention")).to_contain_text("does not answer", timeout=5000)
            expect(home.locator(".attention")).to_contain_text("Memory, commands and reminders go on without it")

            is_down.clear()
            clock.advance(minutes=10)
            chat.bring_to_front()
            say(chat, "And now?")
            assert "Here I am." in answer(chat)
            home.bring_to_front()
            expect(home.locator(".attention")).to_have_count(0)
