"""Every page in a real browser: once for `make test`, in all themes and widths for `make browser`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot.web.routes import load_pages
from tests.browser.tab import PHONE, WIDE, Scheme, Tab
from tests.support.dashboard import Listening, hostile_home, listening

PICTURES = Path(__file__).parents[2] / "figures" / "dashboard"
LOOKS: dict[str, tuple[Scheme, tuple[int, int]]] = {
    "light": ("light", WIDE),
    "dark": ("dark", WIDE),
    "phone": ("light", PHONE),
    "narrow": ("dark", (360, 740)),
}
FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
FOCUS = """selector => [...document.querySelectorAll(selector)]
    .filter(one => one.checkVisibility() && !one.disabled).map((one, place) => (one.dataset.place = place, place))"""

IS_SEEN = """document.activeElement.matches("input[type=date], input[type=time]")
    || getComputedStyle(document.activeElement).outlineStyle !== 'none'"""
"""Whether the element that has the focus is outlined; parts of a date are in a way of the browser's own."""


def test_every_page_opens_and_the_console_is_silent(tab: Tab) -> None:
    for name in tab.tour():
        assert tab.page.locator("h1").count() == 1, name
        assert tab.problems == [], name
        assert tab.width_left_over == 0, name


@pytest.mark.browser
@pytest.mark.parametrize("look", LOOKS)
def test_every_page_in_every_look_is_accessible_to_everybody(browser: Browser, demo: Listening, look: str) -> None:
    """Nothing that axe-core minds, nothing beyond the edge of the window; a picture of each is left in figures/."""
    scheme, size = LOOKS[look]
    PICTURES.mkdir(parents=True, exist_ok=True)
    minded: list[str] = []
    with Tab.open(browser, demo, scheme=scheme, size=size) as tab:
        for name in tab.tour():
            tab.page.screenshot(path=PICTURES / f"{name}-{look}.png", full_page=True)
            minded += [f"{name}: {one}" for one in violations(tab.page)]
            minded += [f"{name}: {tab.width_left_over} px too wide"] if tab.width_left_over else []
        minded += tab.problems
    assert minded == [], "\n".join(minded)


def violations(page: Page) -> list[str]:
    """What axe-core minds: the rule, and where."""
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}" for one in found for node in one["nodes"]
    ]


@pytest.mark.browser
def test_everything_is_reached_with_the_keyboard_and_shows_that_it_is(tab: Tab) -> None:
    for name in tab.tour():
        there = {*tab.page.evaluate(FOCUS, FOCUSABLE)}
        reached, unseen = set[int](), set[str]()
        for _ in range(4 * len(there)):  # a field for a date is several stops
            if there <= reached:
                break
            tab.page.keyboard.press("Tab")
            place = int(tab.page.evaluate("document.activeElement?.dataset.place ?? -1"))
            reached.add(place)
            if place >= 0 and not tab.page.evaluate(IS_SEEN):
                unseen.add(element(tab.page, place))
        assert there <= reached, (name, [element(tab.page, place) for place in there - reached])
        assert unseen == set(), name


def element(page: Page, place: int) -> str:
    """The beginning of an element."""
    return str(page.evaluate("place => document.querySelector(`[data-place='${place}']`).outerHTML", str(place)))[:200]


@pytest.mark.browser
def test_a_phone_comes_to_the_other_pages_from_the_top_of_a_long_one(browser: Browser, demo: Listening) -> None:
    """There the list of pages stands below all that a page has."""
    with Tab.open(browser, demo, size=PHONE) as tab:
        tab.go("/config")
        pages = tab.page.get_by_role("navigation", name="Pages")
        expect(pages.get_by_role("link", name="People")).not_to_be_in_viewport()
        tab.page.get_by_role("banner").get_by_role("link", name="Pages").click()

        expect(pages.get_by_role("link", name="People")).to_be_in_viewport()
        tab.page.keyboard.press("Tab")
        expect(pages.get_by_role("link", name="Home")).to_be_focused()


@pytest.mark.browser
@pytest.mark.parametrize("path", ["/doctor", "/logs", "/memory", "/forgetting", "/entities", "/sessions", "/home"])
def test_on_a_phone_nothing_of_a_table_is_beyond_the_edge(browser: Browser, demo: Listening, path: str) -> None:
    with Tab.open(browser, demo, size=PHONE) as tab:
        tab.go(path)
        expect(tab.page.locator("main tbody td").first).to_be_visible()
        edges = tab.page.eval_on_selector_all("main td", "all => all.map(one => one.getBoundingClientRect().right)")

        assert max(edges) <= PHONE[0]


@pytest.mark.browser
def test_on_a_phone_a_cell_says_what_it_is(browser: Browser, demo: Listening) -> None:
    with Tab.open(browser, demo, size=PHONE) as tab:
        tab.go("/memory")
        cell = tab.page.locator("main tbody td").nth(1)
        expect(cell).to_have_attribute("data-heading", "Kind")

        assert cell.evaluate("one => getComputedStyle(one, '::before').content") == '"Kind "'


@pytest.mark.browser
def test_keys_lead_to_the_search_the_list_of_keys_and_every_page(tab: Tab) -> None:
    page = tab.page
    for entry in load_pages().values():
        if entry.key:
            tab.go("/logs" if entry.path == "/home" else "/home")
            page.keyboard.press("g")
            page.keyboard.press(entry.key)
            page.wait_for_url(re.compile(re.escape(entry.path)))
    tab.go("/home")
    page.keyboard.press("?")
    assert page.locator("dialog#help").is_visible()
    assert page.locator("dialog#help kbd").count() > 5
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()
    page.keyboard.press("/")
    page.keyboard.type("g?/ spare key")
    assert page.locator("#search").input_value() == "g?/ spare key", "keys are letters where one types"
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory?*q=*")


@pytest.mark.browser
def test_reading_needs_no_script(browser: Browser, demo: Listening) -> None:
    with Tab.open(browser, demo, java_script_enabled=False) as tab:
        for name in tab.tour():
            assert tab.page.locator("h1").inner_text(), name
            assert len(tab.page.locator("main").inner_text()) > 20, name
        assert tab.problems == []


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """The dashboard of a home whose every text means harm."""
    folder = tmp_path_factory.mktemp("hostile") / "home"
    with listening(folder, prepare=lambda: hostile_home(folder)) as dashboard:
        yield dashboard


@pytest.mark.browser
@pytest.mark.parametrize("look", ["light", "phone"])
def test_texts_that_mean_harm_are_texts(browser: Browser, hostile: Listening, look: str) -> None:
    scheme, size = LOOKS[look]
    with Tab.open(browser, hostile, scheme=scheme, size=size) as tab:
        tab.page.on("dialog", lambda dialog: tab.problems.append(f"dialog {dialog.message}"))
        for name in tab.tour():
            assert "broken" not in tab.page.title(), name
            assert tab.page.locator("footer").is_visible(), name
            assert tab.page.evaluate("getComputedStyle(document.querySelector('main')).display") == "block", name
            tab.page.screenshot(path=PICTURES / f"hostile-{name}-{look}.png")
            assert tab.width_left_over == 0, name
            assert tab.problems == [], name


@pytest.mark.browser
def test_a_table_is_sorted_by_the_heading_that_is_pressed(tab: Tab) -> None:
    """Also one that the server does not sort."""
    tab.go("/forgetting")
    heading = tab.page.get_by_role("columnheader", name="Strength")
    cells = tab.page.locator("tbody tr td:nth-child(2)")
    heading.get_by_role("button").press("Enter")
    upwards = [int(text.rstrip(" %")) for text in cells.all_inner_texts()]
    heading.get_by_role("button").press("Enter")
    downwards = [int(text.rstrip(" %")) for text in cells.all_inner_texts()]

    assert len({*upwards}) > 1
    assert (upwards, downwards) == (sorted(upwards), sorted(upwards, reverse=True))
    assert heading.get_attribute("aria-sort") == "descending"


@pytest.mark.browser
def test_the_graph_around_an_entity_looks_the_same_each_time(tab: Tab) -> None:
    pictures = []
    for _ in range(2):
        tab.go("/entity?name=Tobiasz&depth=2")
        tab.page.locator(".graph canvas").first.wait_for()
        pictures.append(drawn(tab.page.locator(".graph")))
    assert pictures[0] == pictures[1]


def drawn(part: Locator) -> bytes:
    """Take a picture of a part of a page once two in a row are the same; the browser draws when it has the time."""
    pictures = [part.screenshot()]
    while pictures[-1:] != pictures[-2:-1]:
        pictures.append(part.screenshot())
        assert len(pictures) < 20
    return pictures[-1]
