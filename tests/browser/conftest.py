"""A real browser, and what it is shown: the dashboard of the demo home, served from a thread."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.tab import ARGUMENTS, Tab, find_chromium
from tests.support.dashboard import Listening, demo_home, listening


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of one module: while its loop is there, no asynchronous test can run in this process."""
    path = find_chromium()
    if path is None:
        pytest.skip("NO BROWSER IS TESTED: install Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """The dashboard of the demo home's last weeks, with a service that answers."""
    folder = tmp_path_factory.mktemp("demo") / "home"
    with listening(folder, prepare=lambda: demo_home(folder, days=45)) as dashboard:
        yield dashboard


@pytest.fixture
def tab(browser: Browser, demo: Listening) -> Iterator[Tab]:
    """A tab that was let in to the demo home."""
    with Tab.open(browser, demo) as opened:
        yield opened
        assert opened.problems == []
