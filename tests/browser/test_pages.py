"""Every page in a real browser: once for `make test`, in all themes and widths for `make browser`."""

from __future__ import annotations

from tests.browser.tab import Tab


def test_every_page_opens_and_the_console_is_silent(tab: Tab) -> None:
    for name in tab.tour():
        assert tab.page.locator("h1").count() == 1, name
        assert tab.problems == [], name
        assert tab.width_left_over == 0, name
