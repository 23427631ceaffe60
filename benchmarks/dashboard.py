"""What the dashboard costs: every page over a large memory, search as one types, the first page, and many open tabs.

    python -m benchmarks.dashboard --facts 100000 --json

A real application over generated notes, with vectors drawn at random as in `benchmarks.recall_speed`, served at a port
of this machine; each page is asked for over one connection, so that the milliseconds hold all that the server does.
Messages come in beside tabs that listen to what happens, as many a second as is said; one tab is seen, and loads the
page anew whenever it is told to, the others are behind it. What is compared is measured in the same run, in turns. The
figures also go to `figures/dashboard.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from html import unescape
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import unquote

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks import figures
from benchmarks.rebuild import Words
from bot.paths import Home
from bot.web.routes import load_pages
from memory import FrozenClock
from memory.embed import lazy
from memory.embed.lazy import LazyEmbedder
from memory.ports import Vectors
from tests.browser.tab import ARGUMENTS, Tab, find_chromium
from tests.support.dashboard import TELEGRAM_OWNER, Listening, Telegram, configured, listening, page_of
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

DIMS = 384
PER_DAY = 50
TODAY = date(2026, 11, 21)
TYPED = ("where is the spare key", "what does mor like", "when does lan go to dover")
BOOT_S = 3600
START_S = 8.0
"""Until a process is there that has so many tabs open; its start is not measured."""
NAMES = 2000
"""Entities among the notes."""


class DrawnEmbedder:
    """Gives every text a vector that was drawn: what it means does not matter to how long it takes to be found."""

    identity = "drawn-384"
    dims: int | None = DIMS

    def __init__(self, seed: int) -> None:
        self._draw = np.random.default_rng(seed)
        self._common = self._draw.standard_normal(DIMS).astype(np.float32)

    def _rows(self, count: int) -> Vectors:
        rows = self._draw.standard_normal((count, DIMS)).astype(np.float32) + 1.8 * self._common
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    async def probe(self) -> None:
        """See `Embedder.probe`."""

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`."""
        assert text
        row: Vectors = self._rows(1)[0]
        return row

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`."""
        for start in range(0, len(texts), 256):
            yield self._rows(len(texts[start : start + 256]))

    async def close(self) -> None:
        """See `Embedder.close`."""


@contextmanager
def drawn_vectors(seed: int) -> Iterator[None]:
    """Have the built-in model stood in for by `DrawnEmbedder`, until the block ends."""

    async def opening() -> DrawnEmbedder:
        return DrawnEmbedder(seed)

    replaced = vars(lazy)["builtin"]
    vars(lazy)["builtin"] = lambda _cache, **_options: LazyEmbedder(DrawnEmbedder.identity, opening, dims=DIMS)
    try:
        yield
    finally:
        vars(lazy)["builtin"] = replaced


def write_notes(home: Home, count: int, seed: int) -> None:
    """Write so many facts, fifty a day, about two thousand names; before the clock stands, else each look reads all."""
    words = Words(seed)
    names = sorted({words.sentence().split()[0].title() + words.sentence().split()[1].title() for _ in range(NAMES)})
    folder, before = home.workspace("personal") / "memory", (NOON - timedelta(days=1)).timestamp()
    folder.mkdir(parents=True)
    for number in range(0, count, PER_DAY):
        day = TODAY - timedelta(days=number // PER_DAY)
        facts = []
        for place in range(number, min(count, number + PER_DAY)):
            kind = "O(c=0.7)" if place % 10 == 0 else "W"
            facts.append(f"- {kind} @{names[place * 7919 % len(names)]}: {words.sentence()}")
        path = folder / f"{day}.md"
        path.write_text("\n".join([f"# {day}", "", "## Retain", *facts, ""]), encoding="utf-8")
        os.utime(path, (before, before))


def wait_for_index(dashboard: Listening) -> float:
    """Wait until every fact is found by words and by meaning; return the seconds that it took."""
    began = time.monotonic()
    memory = dashboard.app.context.agents["personal"].memory
    while time.monotonic() - began < BOOT_S:
        status = dashboard.call(memory.status())
        if status.state == "ready" and not status.pending and not status.unembedded and status.embedded:
            break
        dashboard.call(asyncio.sleep(1))
    return time.monotonic() - began


def wait_for_doctor(dashboard: Listening, client: httpx.Client) -> None:
    """Have its examination over: it takes seconds, and slows the other pages meanwhile."""
    while client.get("/doctor.json").json()["is_running"]:
        dashboard.call(asyncio.sleep(1))


def spread(took: Sequence[float]) -> dict[str, float]:
    """The middle and the end of some milliseconds."""
    return {"p50_ms": median(took), "p95_ms": quantiles(took, n=20)[-1] if len(took) > 1 else took[0]}


def ask(client: httpx.Client, address: str) -> tuple[float, httpx.Response]:
    """Milliseconds of one request, and what it brought."""
    began = time.perf_counter()
    answer = client.get(address)
    took = 1000 * (time.perf_counter() - began)
    answer.raise_for_status()
    return took, answer


def addresses(client: httpx.Client) -> dict[str, str]:
    """An address of each page, by links from those of the navigation."""
    pages = load_pages()
    found = {name: page.path for name, page in pages.items() if page.group}
    waiting = [*found.values()]
    while waiting:
        for link in map(unescape, re.findall(r'href="(/[^"]*)"', ask(client, waiting.pop())[1].text)):
            name = page_of(unquote(link.partition("?")[0]), pages)
            if name and name not in found:
                found[name] = link
                waiting.append(link)
    return found


def measure_pages(client: httpx.Client, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of every page, and its bytes."""
    found: dict[str, dict[str, float]] = {}
    for name, address in addresses(client).items():
        ask(client, address)
        asked = [ask(client, address) for _ in range(rounds)]
        found[name] = {**spread([took for took, _ in asked]), "bytes": len(asked[0][1].content)}
    return found


def measure_typing(client: httpx.Client) -> dict[str, float]:
    """Milliseconds of the memory's page for every letter that somebody types."""
    took = [
        ask(client, str(httpx.URL("/memory", params={"q": text[:length]})))[0]
        for text in TYPED
        for length in range(1, len(text) + 1)
        if not text[:length].endswith(" ")
    ]
    return {**spread(took), "letters": len(took)}


def measure_first_page(client: httpx.Client, page: str = "/home") -> dict[str, float]:
    """Bytes over the wire of a page and all that it loads, heads included."""
    html = client.get(page)
    files = dict.fromkeys(re.findall(r'(?:src|href)="(/static/[^"]+)"', html.text))
    answers = [html, *(client.get(unescape(name)) for name in files)]
    heads = sum(len(f"{name}: {value}\r\n") for answer in answers for name, value in answer.headers.items())
    return {"requests": len(answers), "bytes": heads + sum(answer.num_bytes_downloaded for answer in answers)}


def measure_in_browser(dashboard: Listening, rounds: int) -> dict[str, float]:
    """Milliseconds until Home can be used in Chromium, its cache empty; nothing where there is none."""
    chromium = find_chromium()
    if chromium is None:
        return {}
    took = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for _ in range(rounds):
            with Tab.open(browser, dashboard) as tab:
                tab.page.wait_for_load_state("load")
                took.append(tab.page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))
        browser.close()
    return spread(took)


async def listen(client: httpx.AsyncClient, *, is_seen: bool) -> None:
    """Be a tab: wait for what happens, and load the page anew when it does, if it is seen."""
    async with client.stream("GET", "/events?page=home&agent=personal") as stream:
        async for line in stream.aiter_lines():
            if is_seen and line == "event: changed":
                await client.get("/home")


async def listen_in_tabs(address: str, cookies: dict[str, str], count: int) -> None:
    """Be so many tabs, until cancelled."""
    limits = httpx.Limits(max_connections=None)
    async with (
        httpx.AsyncClient(base_url=address, cookies=cookies, timeout=None, limits=limits) as client,
        asyncio.TaskGroup() as group,
    ):
        for number in range(count):
            group.create_task(listen(client, is_seen=number == 0))


def run_tabs(address: str, cookies: dict[str, str], count: int) -> None:
    asyncio.run(listen_in_tabs(address, cookies, count))


@contextmanager
def open_tabs(address: str, cookies: dict[str, str], count: int) -> Iterator[None]:
    """Have so many tabs in a process of their own, until the block ends."""
    process = get_context("spawn").Process(target=run_tabs, args=(address, cookies, count))
    process.start()
    process.join(START_S)  # until then they are open
    try:
        yield
    finally:
        process.terminate()
        process.join()


async def converse(people: PeopleAdapter, count: int, rate: float) -> list[float]:
    """Say so many things, so many a second, and return the milliseconds until each was answered."""
    sent: dict[str, float] = {}
    took: list[float] = []

    async def receive() -> None:
        while len(took) < count:
            out = await people.answers.get()
            if out.last:
                took.append(1000 * (time.perf_counter() - sent[out.to.chat]))

    async with asyncio.TaskGroup() as group:
        group.create_task(receive())
        began = time.perf_counter()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            chat = f"{began}-{number}"
            sent[chat] = time.perf_counter()
            people.say("hello", chat=chat, sender=TELEGRAM_OWNER)
    return took


def measure_tabs(
    dashboard: Listening, people: PeopleAdapter, cookies: dict[str, str], *, tabs: int, rate: float, seconds: float
) -> dict[str, float]:
    """Milliseconds to an answer with open tabs and without, in turns, each half of the time."""
    with_tabs, without = list[float](), list[float]()

    count = int(rate * seconds / 4)
    for _ in range(2):
        gc.collect()
        without += dashboard.call(converse(people, count, rate))
        with open_tabs(dashboard.address, cookies, tabs):
            with_tabs += dashboard.call(converse(people, count, rate))
    return {
        "tabs": tabs,
        "messages_per_s": rate,
        "without_p50_ms": median(without),
        "with_p50_ms": median(with_tabs),
        "with_p95_ms": quantiles(with_tabs, n=20)[-1],
        "ratio": median(with_tabs) / median(without),
    }


def run(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Measure everything in one home."""
    home, clock = Home.at(folder / "home"), FrozenClock(NOON)
    home.prepare()
    write_notes(home, options.facts, options.seed)
    people = Telegram(clock)
    config = configured(memory={"embedder": {"kind": "built-in"}}, access={"owners": [f"telegram:{TELEGRAM_OWNER}"]})
    with (
        drawn_vectors(options.seed),
        listening(folder / "home", config, clock=clock, accounts=lambda terminal: [terminal, people]) as dashboard,
        httpx.Client(base_url=dashboard.address, headers={"accept": "text/html"}, timeout=120) as client,
    ):
        indexed_s = wait_for_index(dashboard)
        client.get(dashboard.link())
        wait_for_doctor(dashboard, client)
        return {
            "facts": options.facts,
            "indexed_s": indexed_s,
            "pages": measure_pages(client, options.rounds),
            "typing": measure_typing(client),
            "first_page": measure_first_page(client),
            "graph_page": measure_first_page(client, addresses(client)["entity"]),
            "usable": measure_in_browser(dashboard, 10),
            "tabs": measure_tabs(
                dashboard, people, dict(client.cookies), tabs=options.tabs, rate=options.rate, seconds=options.seconds
            ),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = figures.command_line((__doc__ or "").split("\n", maxsplit=1)[0], seed=1)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20, help="how often each page is asked for")
    parser.add_argument("--tabs", type=int, default=50)
    parser.add_argument("--rate", type=float, default=40, help="messages a second")
    parser.add_argument("--seconds", type=float, default=20, help="of messages, half of them with the tabs")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = run(options, Path(folder))
    figures.write("dashboard", found, seed=options.seed)
    if options.json:
        print(json.dumps(found))
    else:
        print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
