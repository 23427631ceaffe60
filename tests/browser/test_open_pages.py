"""Pages that stay open while something happens: news, a login that ends, a service that is gone for a while."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from memory import OWNER, FrozenClock, Origin
from tests.browser.tab import PHONE, Tab
from tests.support.dashboard import Listening, Telegram, configured, listening
from tests.support.factories import NOON

pytestmark = pytest.mark.browser


def remember(dashboard: Listening, text: str) -> None:
    """Have something noted beside the pages."""
    memory = dashboard.app.context.agents["personal"].memory
    dashboard.call(memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="terminal:owner"))


def is_listening(page: Page) -> None:
    """Wait until a page is told of news."""
    expect(page.locator("body")).to_have_attribute("data-connection", "open")


def test_a_login_that_ends_leaves_no_page_empty_and_comes_back_to_it(browser: Browser, tmp_path: Path) -> None:
    options = configured(dashboard={"token": "a-token-that-is-long-enough"})
    with listening(tmp_path, options) as dashboard, Tab.open(browser, dashboard) as tab:
        page = tab.page
        tab.go("/memory?agent=work&q=key")
        is_listening(page)
        page.context.clear_cookies()
        page.locator("#search").fill("keys")

        page.wait_for_url("**/login*")
        page.get_by_label("Or type the token").fill("a-token-that-is-long-enough")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Memory")
        assert page.url.endswith("/memory?agent=work&q=keys")


def test_what_became_of_a_change_stays_in_sight_while_there_are_news(browser: Browser, tmp_path: Path) -> None:
    telegram = Telegram(FrozenClock(NOON))
    with (
        listening(tmp_path, accounts=lambda terminal: [terminal, telegram]) as dashboard,
        Tab.open(browser, dashboard) as tab,
    ):
        page = tab.page
        tab.go("/people")
        page.get_by_role("button", name="New code for").click()
        told = page.locator(".told").inner_text()
        is_listening(page)
        dashboard.call(telegram.ask("Hello?", sender="777", chat="777"))

        expect(page.locator("main")).to_contain_text("telegram:777")
        assert page.locator(".told").inner_text() == told


def test_what_somebody_has_unfolded_stays_open_while_there_are_news(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        page = tab.page
        remember(dashboard, "Marta lives in Lisbon.")
        tab.go("/memory")
        page.get_by_role("link", name="Marta lives").click()
        page.get_by_text("Edit", exact=True).click()
        is_listening(page)
        page.evaluate("htmx.on('htmx:after:swap', () => { document.body.dataset.swapped = 'yes' })")
        remember(dashboard, "Marta has a bicycle.")

        expect(page.locator("body")).to_have_attribute("data-swapped", "yes")
        expect(page.get_by_label("What is right")).to_be_visible()


def test_what_is_unfolded_goes_with_its_fact_when_others_come_before_it(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        page = tab.page
        remember(dashboard, "Marta lives in Lisbon, in the third house behind the church.")
        tab.go("/memory?q=Marta+Lisbon")
        page.locator(".hits summary").click()
        is_listening(page)
        remember(dashboard, "Marta: Lisbon.")

        expect(page.locator(".hits > li")).to_have_count(2)
        expect(page.locator(".hits > li", has=page.locator("details[open]"))).to_contain_text("behind the church")


def test_what_is_being_typed_in_the_chat_stays_while_it_is_shown_anew(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        page, field = tab.page, tab.page.get_by_label("Message to")
        tab.go("/chat")
        is_listening(page)
        field.fill("Where does")
        with page.context.new_page() as other:
            other.goto(page.url)
            other.get_by_label("Message to").fill("/remember Marta lives in Lisbon.")
            other.keyboard.press("Enter")
            expect(page.locator(".said-by.person")).to_have_count(1)
        expect(field).to_have_value("Where does")
        page.context.set_offline(True)
        with page.expect_event("requestfailed"):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

        expect(field).to_have_value("Where does")
        assert not any("of null" in one for one in tab.problems)


def test_a_form_that_is_on_its_way_is_not_sent_again(browser: Browser, tmp_path: Path) -> None:
    """As by a second click; an event that nobody prevents sends it."""
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        tab.go("/jobs")
        form = tab.page.locator("form[action='/jobs/run']").first
        prevented = form.evaluate("""form => [1, 2].map(() => {
            const event = new SubmitEvent("submit", {bubbles: true, cancelable: true});
            return !form.dispatchEvent(event);
        })""")

        assert prevented == [False, True]


def test_a_page_is_up_to_date_once_a_service_that_was_away_is_back(browser: Browser, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        options = configured(dashboard={"port": free.getsockname()[1]})
    with ExitStack() as stack:
        with listening(tmp_path, options) as dashboard:
            page = stack.enter_context(Tab.open(browser, dashboard)).page
            page.goto(f"{dashboard.address}/memory")
            is_listening(page)
        expect(page.locator("body")).to_have_attribute("data-connection", "lost")
        assert "⚠" in page.evaluate("getComputedStyle(document.querySelector('main'), '::before').content")
        with listening(tmp_path, options) as again:
            remember(again, "Marta lives in Lisbon.")
            expect(page.locator("main")).to_contain_text("Marta lives in Lisbon.", timeout=20_000)


def test_a_proxy_that_answers_for_a_service_is_asked_again_once_however_often_the_page_was_looked_at(
    browser: Browser, tmp_path: Path
) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard, bypass_csp=True) as tab:
        page = tab.page
        page.clock.install()
        page.route("**/events*", lambda route: route.fulfill(status=502))
        tab.go("/memory")
        for _ in range(3):
            page.wait_for_function("source === null")
            page.clock.run_for(3_000)
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_function("source === null")
        page.clock.run_for(9_000)
        assert page.evaluate("source === null")
        with page.expect_request("**/events*"):  # its answer may be there before the next line
            page.clock.run_for(1_000)


def test_the_link_that_let_a_browser_in_leads_it_in_again(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        link = dashboard.link("/memory")
        for _ in range(2):
            tab.page.goto(link)
            tab.page.wait_for_url("**/memory*")


def test_on_a_phone_the_words_of_a_table_are_not_cut_into_letters(browser: Browser, demo: Listening) -> None:
    with Tab.open(browser, demo, size=PHONE) as tab:
        for path in ("/memory", "/forgetting", "/sessions"):
            tab.go(path)
            cell = tab.page.locator("tbody td").first.bounding_box()
            assert cell
            assert cell["width"] >= 150, path
            assert tab.width_left_over == 0, path


def test_on_a_phone_the_newest_days_are_in_sight_and_months_begin_where_they_are_written(
    browser: Browser, demo: Listening
) -> None:
    with Tab.open(browser, demo, size=PHONE) as tab:
        tab.go("/timeline")
        shown, month = (tab.page.locator(f"svg.calendar {one} >> nth=-1").bounding_box() for one in ("rect", "text"))
        week = tab.page.locator("svg.calendar text").last.get_attribute("x")
        first = tab.page.locator(f"svg.calendar rect[x='{week}']").first.bounding_box()
        assert shown
        assert month
        assert first
        assert shown["x"] + shown["width"] <= PHONE[0]
        assert month["x"] == pytest.approx(first["x"], abs=2)


def test_numbers_are_sorted_as_numbers_in_german(browser: Browser, tmp_path: Path) -> None:
    with listening(tmp_path) as dashboard, Tab.open(browser, dashboard) as tab:
        values = "['1.234', '0,5', '12', '95 %'].map((text) => numberIn(text, 'de'))"
        assert tab.page.evaluate(values) == [1234, 0.5, 12, 95]
