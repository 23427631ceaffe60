"""Takes the pictures of the dashboard that the documentation shows, from the demo home.

    python -m tests.browser.pictures docs/pictures

It is the home that `scrubjay demo` makes, on a fixed day, with a model that says what a script has.
"""

from __future__ import annotations

import argparse
import random
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.agent.context import untrusted
from memory.journal import writer
from tests.browser.tab import ARGUMENTS, Scheme, Tab, find_chromium
from tests.servers.openai_script import Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.dashboard import Listening, configured, demo_home, listening

DAYS = 180
SIZE = (1180, 760)
TALL, TALLER = 1000, 1290
"""Of the chat, whose request is below what was recalled, and of the fact, whose curve is below its line."""
COLOURS = 256
USUAL_PORT = "one => { one.textContent = one.textContent.replace(/127.0.0.1:[0-9]+/, '127.0.0.1:11434') }"
"""The fake endpoint has another one each time."""
QUESTION = "Where is the spare key?"
ANSWER = "It hangs **behind the meter box** in the cellar (`memory/2026-05-26.md`), and Frau Zumstein has one, too."


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as it is shown: the name of the file, the address, whether it is dark, and what to wait for."""

    name: str
    address: str
    scheme: Scheme = "light"
    wait: str = "h1"


PICTURES = (
    Picture("home", "/home"),
    Picture("memory", "/memory?q=spare+key", wait=".hits"),
    Picture("timeline", "/timeline", "dark"),
    Picture("entity", "/entity?name=Tobiasz&depth=2", wait=".graph canvas"),
    Picture("forgetting", "/forgetting", "dark"),
    Picture("opinions", "/opinions"),
)


@contextmanager
def new_folder() -> Iterator[Path]:
    """Make a folder that is called the same each time, and remove it: its name is in the request, which is counted."""
    folder = Path(tempfile.gettempdir()) / "scrubjay-pictures"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class Drawn(random.Random):
    """Draws what `secrets` draws, alike each time."""

    def token_hex(self, count: int) -> str:
        return self.randbytes(count).hex()


@contextmanager
def drawn_alike() -> Iterator[None]:
    """Have ids and marks drawn alike each time, until the block ends: a picture differs only where a page does."""
    for module in (writer, untrusted):
        vars(module)["secrets"] = Drawn(1)
    try:
        yield
    finally:
        for module in (writer, untrusted):
            vars(module)["secrets"] = secrets


def take(page: Page, folder: Path, name: str) -> None:
    """Save what the window shows, with few colours: the repository keeps every version of these files."""
    path = folder / f"dashboard-{name}.png"
    with Image.open(BytesIO(page.screenshot(animations="disabled", caret="hide"))) as shot:
        shot.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path} {path.stat().st_size / 1000:.0f} KB")


def take_all(browser: Browser, dashboard: Listening, folder: Path) -> None:
    """Take every picture, the chat and the fact that it leads to at first."""
    with Tab.open(browser, dashboard, size=SIZE) as tab:
        page = tab.page
        tab.go("/chat")
        page.get_by_label("Message to").fill(QUESTION)
        page.keyboard.press("Enter")
        expect(page.locator(".said-by.agent:not([aria-busy])")).to_have_count(1)
        expect(page.locator("aside .hits").first).to_be_visible()
        page.set_viewport_size({"width": SIZE[0], "height": TALL})
        page.get_by_text("127.0.0.1").last.evaluate(USUAL_PORT)
        take(page, folder, "chat")
        page.locator("aside .hits a").first.click()
        expect(page.locator(".u-over, svg.sparkline").first).to_be_visible()
        page.set_viewport_size({"width": SIZE[0], "height": TALLER})
        take(page, folder, "fact")
    for picture in PICTURES:
        with Tab.open(browser, dashboard, size=SIZE, scheme=picture.scheme) as tab:
            tab.go(picture.address)
            expect(tab.page.locator(picture.wait).first).to_be_visible()
            tab.page.locator(picture.wait).first.scroll_into_view_if_needed()
            take(tab.page, folder, picture.name)


def main() -> None:
    """Take them into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        sys.exit("No pictures: install Chromium (apt-get install chromium).")
    with (
        new_folder() as folder,
        drawn_alike(),
        OpenAIServer(lambda _: Step(text=ANSWER)) as server,
        sync_playwright() as playwright,
    ):
        home = folder / "home"
        options = configured(model={"name": MODEL, "base_url": server.base_url, "api_key": KEY})
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        with listening(home, options, prepare=lambda: demo_home(home, days=DAYS)) as dashboard:
            take_all(browser, dashboard, given.folder)
        browser.close()


if __name__ == "__main__":
    main()
