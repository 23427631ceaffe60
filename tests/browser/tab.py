"""A tab of a real browser that was let in, and notes what goes wrong in it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

from bot.web.routes import load_pages
from tests.support.dashboard import Listening, page_of

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = (1280, 860)
PHONE = (390, 844)
PATIENCE_MS = 10_000

Scheme = Literal["light", "dark"]


def find_chromium() -> str | None:
    """Return where a Chromium of this machine is; None if there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@dataclass
class Tab:
    """One tab.

    Attributes:
        dashboard: what it looks at.
        page: the tab itself.
        problems: what the console said, requests to elsewhere, answers of errors, and mistakes of scripts.
    """

    dashboard: Listening
    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    @contextmanager
    def open(
        cls,
        browser: Browser,
        dashboard: Listening,
        *,
        scheme: Scheme = "light",
        size: tuple[int, int] = WIDE,
        only: str = "",
        **options: Any,
    ) -> Iterator[Tab]:
        """Open one in a fresh profile, let in by a link.

        Args:
            browser: of this machine.
            dashboard: what it looks at.
            scheme: whether the person likes it dark.
            size: width and height of the window.
            only: the one agent that it may see; empty for all.
            options: of `Browser.new_context`.
        """
        viewport: Any = {"width": size[0], "height": size[1]}
        with browser.new_context(viewport=viewport, color_scheme=scheme, locale="en-GB", **options) as context:
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            tab = cls(dashboard, page)
            page.on("console", tab._heard)
            page.on("pageerror", lambda error: tab.problems.append(f"{page.url}: {error}"))
            page.on("request", tab._asked)
            page.on("response", tab._answered)
            page.goto(dashboard.link(only=only))
            page.wait_for_url("**/home*")
            yield tab

    def go(self, address: str) -> None:
        """Open an address of the dashboard, and wait until all of it is there."""
        self.page.goto(f"{self.dashboard.address}{address}")

    @property
    def width_left_over(self) -> int:
        """How many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def links(self) -> list[str]:
        """Path and query of every link on the page that leads to the dashboard."""
        found: list[str] = self.page.eval_on_selector_all("a[href^='/']", "all => all.map(a => a.getAttribute('href'))")
        return found

    def tour(self) -> Iterator[str]:
        """Open every page once, those with named parts by a link that was seen; yield their names."""
        pages = load_pages()
        waiting = {name: page.path for name, page in pages.items() if page.group}
        seen = {*waiting}
        while waiting:
            name, address = next(iter(waiting.items()))
            del waiting[name]
            self.go(address)
            yield name
            for link in self.links():
                other = page_of(unquote(urlsplit(link).path), pages)
                if other and other not in seen:
                    seen.add(other)
                    waiting[other] = link
        unreached = {*pages} - seen
        assert unreached == set(), "each is reached by a link"

    def _heard(self, message: ConsoleMessage) -> None:
        self.problems.append(f"{self.page.url}: {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not re.match(rf"(data:|blob:)|{re.escape(self.dashboard.address)}/", request.url):
            self.problems.append(f"{self.page.url}: asked {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"{self.page.url}: {response.status} {response.url}")
