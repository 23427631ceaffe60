"""A dashboard for tests: a real application, with the real guard and pages, for a client here or at a real port.

`open_site` is for tests that run in an event loop; `listening` serves from a thread, for a browser or raw sockets.
"""

from __future__ import annotations

import asyncio
import html
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx

from adapters.port import Adapter
from adapters.terminal import TerminalAdapter
from bot import log, starter
from bot.app import Application, build
from bot.chat.server import OWNER
from bot.config.model import Config
from bot.demo.home import OWNER_OPTIONS, Person, make
from bot.paths import Home
from bot.service.run import access_rules, routes
from bot.waiting import InstantPause
from bot.web.guard import COOKIE, RequestGuard, own_addresses
from bot.web.logins import Logins, Session
from bot.web.page import Beside, Page
from bot.web.routes import Routes, load_pages
from bot.web.server import Server
from memory import Clock, FrozenClock
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

T = TypeVar("T")

BASE = "http://127.0.0.1:8789"
KEY = bytes(range(32))
AGENTS = ("personal", "work")
SMALL_DEMO_DAYS = 20


class Telegram(PeopleAdapter):
    """People on Telegram, without Telegram: the owner and whoever else writes."""

    platform = "telegram"


TELEGRAM_OWNER = "12345"


def configured(**options: Any) -> Config:
    """Two agents that search by words alone, and whatever else is given; no job comes by itself."""
    off = {name: {"enabled": False} for name in type(Config().jobs).model_fields}
    given = {"owner": OWNER_OPTIONS, "memory": {"embedder": {"kind": "none"}}, "jobs": off}
    return Config.model_validate({**given, **options})


@dataclass(frozen=True, slots=True)
class OpenSite:
    """The site, and a client that was let in.

    Attributes:
        app: the application; its service does not run unless it was asked for.
        terminal: holds the chats of this machine.
        beside: what goes on beside the requests.
        logins: lets browsers in.
        guard: the whole as an ASGI application.
        session: of the client.
        client: with its cookie; it follows no redirects.
    """

    app: Application
    terminal: TerminalAdapter
    beside: Beside
    logins: Logins
    guard: RequestGuard
    session: Session
    client: httpx.AsyncClient

    async def page(self, path: str, **query: str | int) -> str:
        """Return the HTML of a page."""
        answer = await self.client.get(path, params=query or None, headers={"accept": "text/html"})
        assert answer.status_code == 200, (answer.status_code, path, answer.text[:2000])
        return answer.text

    async def data(self, path: str, **query: str | int) -> Any:
        """Return what a page is made of: `path` without `.json`."""
        answer = await self.client.get(f"{path}.json", params=query or None)
        assert answer.status_code == 200, (answer.status_code, path, answer.text[:2000])
        return answer.json()

    async def change(self, path: str, **fields: str) -> httpx.Response:
        """Send a form as a page of this session would; what comes is a redirect, or an error as JSON."""
        form = {"csrf": self.logins.form_token(self.session), "agent": self.session.agent or AGENTS[0], **fields}
        return await self.client.post(path, data=form, headers={"origin": BASE})

    async def changed(self, path: str, **fields: str) -> str:
        """Send a form, and return the page that is shown then."""
        answer = await self.change(path, **fields)
        assert answer.status_code == 303, (answer.status_code, answer.text)
        return await self.page(answer.headers["location"])


@asynccontextmanager
async def open_application(
    home: Home,
    config: Config | None = None,
    *,
    clock: Clock | None = None,
    accounts: Callable[[TerminalAdapter], list[Adapter]] = lambda terminal: [terminal],
    runs: bool = False,
) -> AsyncIterator[tuple[Application, TerminalAdapter]]:
    """Build what `scrubjay dashboard` builds where nothing else runs.

    Args:
        home: where everything lives.
        config: the options.
        clock: source of time; one that stands still if left out.
        accounts: the bot accounts, beside the chats of this machine.
        runs: messages are answered, too.
    """
    options, at = config or configured(), clock or FrozenClock(NOON)
    home.prepare()
    for name, agent in options.agents.items():
        starter.write_templates(home.workspace(name, agent.workspace), name, about=agent.about, owner=options.owner)
    terminal, rules = TerminalAdapter(None, run="", now=at.now, person=options.owner.name), access_rules(options)
    async with (
        build(
            home,
            options,
            clock=at,
            opening=lambda _: nullcontext(accounts(terminal)),
            default_agent=options.default_agent,
            access=replace(rules, owners=rules.owners | {OWNER}),
            routes=routes(options),
            is_service=True,
        ) as app,
        asyncio.TaskGroup() as group,
    ):
        running = group.create_task(app.service.run(tuple(options.agents), owner="test")) if runs else None
        yield app, terminal
        if running:
            app.service.stop()
            await running


@asynccontextmanager
async def open_site(
    folder: Path, config: Config | None = None, *, clock: Clock | None = None, only: str = "", runs: bool = False
) -> AsyncIterator[OpenSite]:
    """Open the site over a home (made if it is not there), with a client that was let in.

    Args:
        folder: the home.
        config: the options; `configured()` if left out.
        clock: source of time; one that stands still if left out.
        only: the one agent that the client may see; empty for all.
        runs: messages are answered, too.
    """
    at = clock or FrozenClock(NOON)
    async with (
        open_application(Home.at(folder), config, clock=at, runs=runs) as (app, terminal),
        asyncio.TaskGroup() as group,
    ):
        token = app.config.dashboard.token.get_secret_value()
        logins = Logins(KEY, token=token, clock=at)
        beside = Beside.of(app, terminal, InstantPause())
        await beside.health.sample()
        working = group.create_task(beside.background.run())
        routes = Routes(app, beside, logins, pause=InstantPause(), is_secure=False)
        hosts, origins = own_addresses("127.0.0.1", 8789, "")
        guard = RequestGuard(routes.build(), logins, hosts=hosts, origins=origins)
        session = logins.redeem(logins.link(only))
        assert session is not None
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(guard, raise_app_exceptions=True),
            base_url=BASE,
            cookies={COOKIE: logins.cookie(session)},
        ) as client:
            yield OpenSite(app, terminal, beside, logins, guard, session, client)
        working.cancel()


@dataclass(frozen=True, slots=True)
class Listening:
    """A dashboard at a real port, served from a thread.

    Attributes:
        app: the application, whose calls belong into that thread: `call`.
        terminal: holds the chats of this machine.
        server: the web server.
        loop: of the thread.
    """

    app: Application
    terminal: TerminalAdapter
    server: Server
    loop: asyncio.AbstractEventLoop

    @property
    def address(self) -> str:
        """Where it is served."""
        return self.server.address

    def link(self, page: str = "", only: str = "") -> str:
        """Return an address that lets one browser in, once."""
        return self.server.link(only, page)

    def call(self, work: Awaitable[T]) -> T:
        """Do something in the thread of the application, and return what it came to."""

        async def done() -> T:
            return await work

        return asyncio.run_coroutine_threadsafe(done(), self.loop).result(60)


@contextmanager
def listening(
    folder: Path,
    config: Config | None = None,
    *,
    clock: Clock | None = None,
    accounts: Callable[[TerminalAdapter], list[Adapter]] = lambda terminal: [terminal],
    runs: bool = True,
    prepare: Callable[[], Awaitable[object]] | None = None,
) -> Iterator[Listening]:
    """Serve the dashboard of a home from a thread, at a port of this machine that is free, until the block ends.

    Args:
        folder: the home.
        config: the options.
        clock: source of time; one that stands still if left out.
        accounts: the bot accounts.
        runs: messages are answered, too.
        prepare: fills the home before.
    """
    opened: list[Listening] = []
    is_ready, ended = threading.Event(), threading.Event()

    async def serve() -> None:
        if prepare:
            await prepare()
        home, at = Home.at(folder), clock or FrozenClock(NOON)
        home.prepare()
        with log.to_file(home.log_file, level="info", clock=at, mask=log.Mask(())):
            await open_and_serve(home, at)

    async def open_and_serve(home: Home, at: Clock) -> None:
        async with (
            open_application(home, config, clock=at, accounts=accounts, runs=runs) as (app, terminal),
            asyncio.TaskGroup() as group,
        ):
            server = Server(app, terminal)
            group.create_task(server.serve())
            opened.append(Listening(app, terminal, server, asyncio.get_running_loop()))
            is_ready.set()
            await asyncio.to_thread(ended.wait)
            server.stop()

    with ThreadPoolExecutor(1, thread_name_prefix="dashboard") as pool:
        running = pool.submit(lambda: asyncio.run(serve()))
        running.add_done_callback(lambda _: is_ready.set())
        is_ready.wait()
        try:
            if opened:
                yield opened[0]
        finally:
            ended.set()
            running.result()


async def demo_home(folder: Path, days: int = SMALL_DEMO_DAYS, *, clock: Clock | None = None) -> Home:
    """Make a demo home; `days` of it, the last of which is today."""
    return await make(folder, clock=clock or FrozenClock(NOON), days=days)


def page_of(path: str, pages: Mapping[str, Page]) -> str:
    """Return the name of the page at an address, without its query; empty if there is none."""
    return next(
        (name for name, page in pages.items() if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", page.path), path)), ""
    )


async def addresses(site: OpenSite, *, clicks: int = 2) -> dict[str, str]:
    """Return an address of every page by its name; those with named parts are found by the links that lead to them.

    Args:
        site: with a home in which something is.
        clicks: how far from a page of the navigation is looked.
    """
    pages = load_pages()
    found = {name: page.path for name, page in pages.items() if page.group}
    latest = list(found.values())
    for _ in range(clicks):
        links = [link for address in latest for link in re.findall(r'href="(/[^"]*)"', await site.page(address))]
        latest = []
        for link in map(html.unescape, links):
            name = page_of(unquote(link.partition("?")[0]), pages)
            if name and name not in found:
                found[name] = link
                latest.append(link)
    return {name: found[name] for name in pages if name in found}


HOSTILE = (
    "<script>document.title = 'broken'; fetch('/logout', {method: 'POST'})</script>",
    '"><img src=x onerror="document.title = \'broken\'">',
    "'-alert(1)-' onmouseover='alert(1)",
    "[click](javascript:document.title='broken') ![x](https://evil.example/seen.png)",
    "</textarea></title></main></table><style>* { display: none }</style>",
    "{{ 7 * 7 }} {% raw %} ${7*7} <!-- ]]> --> &lt;b&gt;",
    "\u202egnp.exe\u202c \u2066left\u2069 z\u0301\u0301\u0301\u0301algo \U000e0041",
    "\x1b[2Jcleared\x07 bell",
    "W" * 3000,
    "宽" * 500,
)
"""Texts that mean harm, or are only odd."""


async def hostile_home(folder: Path, *, long_line: int = 1_000_000) -> Home:
    """Make a home whose every text means harm: notes, names of entities and people, opinions, messages, reviews.

    Args:
        folder: where it goes.
        long_line: characters of the longest line.
    """
    home, clock = Home.at(folder), FrozenClock(NOON)
    home.prepare()
    for number, agent in enumerate(AGENTS):
        notes = home.workspace(agent) / "memory"
        notes.mkdir(parents=True)
        bullets = [f"- W @{text[:40]}: {text}" for text in HOSTILE] + [f"- O(c=0.5) @Evil: {text}" for text in HOSTILE]
        longest = [f"- {'x' * long_line}", f"- W @Long: {'word ' * (long_line // 50)}"] if number == 0 else []
        (notes / "2026-11-20.md").write_text("\n".join(["## Retain", *bullets, *longest]) + "\n", encoding="utf-8")
        pages = home.workspace(agent) / "bank" / "entities"
        pages.mkdir(parents=True)
        for place, text in enumerate(HOSTILE[:5]):
            name = f"{text[:20].replace('/', '')}{place}"
            (pages / f"{name}.md").write_text(f"# {text}\n\n{text}\n", encoding="utf-8")
    owner, strangers = Person(clock), PeopleAdapter(clock)
    async with open_application(home, clock=clock, accounts=lambda _: [owner, strangers], runs=True):
        for text in HOSTILE:
            await owner.ask(text)
        for text in HOSTILE[:3]:
            await strangers.ask(text, sender=text[:60], chat=text[:60])
    return home
