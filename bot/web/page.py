"""What a page of the dashboard is, what it may ask of the service, and what a change comes to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from operator import itemgetter
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from adapters.terminal import TerminalAdapter
from bot.app import Application
from bot.errors import Missing, UsageError
from bot.service.health import HealthHistory
from bot.supervision import Background
from bot.texts.catalogue import mark, tr
from bot.turn import Agent
from bot.waiting import Pause
from bot.web.chats import Chats
from bot.web.examiner import Examiner
from memory import OWNER, Scope

ACTOR = "terminal:owner"
"""Who makes changes, for the journal: whoever can log in is the owner, as at a terminal of this machine."""


class Group(Enum):
    """The parts of the navigation, in order; a page without one is reached from another page."""

    OVERVIEW = mark("Overview")
    MEMORY = mark("Memory")
    SERVICE = mark("Service")


@dataclass(frozen=True, slots=True)
class Beside:
    """What goes on in the dashboard beside the requests for pages.

    Attributes:
        background: does what nobody waits for.
        chats: those in the browser.
        examiner: carries the doctor's checks out.
        health: how the parts of the service are, and were lately.
    """

    background: Background
    chats: Chats
    examiner: Examiner
    health: HealthHistory

    @classmethod
    def of(cls, app: Application, terminal: TerminalAdapter, pause: Pause) -> Beside:
        background = Background()
        chats = Chats(terminal, app.context.routing, background, clock=app.clock, pause=pause)
        return cls(background, chats, Examiner(app, background), HealthHistory(app, pause))


@dataclass(frozen=True, slots=True)
class View:
    """One request for a page, or for a change that it offers.

    Attributes:
        agent: whose page it is; nothing of another agent may be shown.
        agents: those that may be switched to.
        is_confined: the browser was let in for one of them alone.
        path: the parts of the address that are named in `Page.path`.
        query: what follows `?` in the address.
        form: what was sent with a change; empty for a page.
        address: path and query of this request, to be shown again after a change.
    """

    app: Application
    beside: Beside
    agent: Agent
    agents: Sequence[str]
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    is_confined: bool = False

    @property
    def scope(self) -> Scope:
        """Which part of the memory is shown: the owner's."""
        return OWNER

    def number(self, name: str, default: int, *, least: int = 0, most: int = 1_000_000) -> int:
        """Return a number of the query, within bounds; the default where there is none. Raises `UsageError`."""
        given = self.query.get(name, "").strip()
        if not given:
            return default
        try:
            return min(max(int(given), least), most)
        except ValueError as error:
            raise UsageError(tr("{name} takes a number, not {given}.", name=name, given=given[:40])) from error

    @property
    def today(self) -> date:
        """The day on the owner's clock."""
        return self.app.clock.now().astimezone(self.agent.zone).date()

    def day(self, text: str) -> date:
        """Read an ISO day that was asked for; an empty text is today. Raises `UsageError` for any other."""
        if not text:
            return self.today
        try:
            return date.fromisoformat(text)
        except ValueError as error:
            raise UsageError(tr("{text} is no day; days are written like 2026-11-23.", text=text[:40])) from error

    def choice(self, name: str, allowed: Iterable[str], default: str = "") -> str:
        """Return a value of the query; the default where there is none. Raises `UsageError` if it is not allowed."""
        given = self.query.get(name, "")
        if given and given not in allowed:
            message = tr("{given} is no value of {name}.", given=given[:40], name=name)
            raise UsageError(message, hint=tr("Choose one of: {names}", names=", ".join(sorted(allowed))))
        return given or default

    def sort(self, rows: Iterable[dict[str, Any]], columns: Iterable[str], default: str) -> list[dict[str, Any]]:
        """Return rows by the column that the query asks for, `-` before it for descending. Raises as `choice` does."""
        order = self.choice("order", {*columns, *(f"-{column}" for column in columns)}, default)
        return sorted(rows, key=itemgetter(order.removeprefix("-")), reverse=order.startswith("-"))

    def field(self, name: str) -> str:
        """Return what was sent of a form under a name; raises `UsageError` if it was not sent."""
        if name not in self.form:
            raise UsageError(tr("The form lacks {name}.", name=name), hint=tr("Load the page again."))
        return self.form[name]

    @property
    def op_id(self) -> str:
        """The id of the operation that a form asks for: the same if it is sent twice."""
        return self.form.get("op", "") or new_operation()

    def link(self, path: str, /, **query: object) -> str:
        """Return the address of a page of the same agent; what is None or empty is left out of the query."""
        given = {name: value for name, value in query.items() if value is not None and value != ""}
        return f"{path}?{urlencode({'agent': self.agent.name, **given})}"

    def part(self, name: str) -> str:
        """Return a named part of the path; raises `Missing` if it is empty."""
        if not self.path.get(name):
            raise Missing(tr("There is no such page."))
        return self.path[name]


def new_operation() -> str:
    """Return an id for one operation, for a form that is to be carried out once."""
    return f"web:{uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change comes to: a sentence that is shown once, on the page at `to`, or else where it was asked for."""

    told: str = ""
    to: str = ""


Context = Callable[[View], Awaitable[Mapping[str, Any]]]
"""Collects what a page shows, as plain data: its template and its `.json` are made of the same. Raises `BotError`,
`memory.Error`."""

Action = Callable[[View], Awaitable[Changed]]
"""Carries a change out; raises as a `Context` does."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that a page gives: its name and type, and its text."""

    name: str
    media_type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        path: its address, with named parts as Starlette writes them: `/fact/{id}`.
        title: in English; for the navigation and the heading.
        context: collects what it shows.
        group: where it stands in the navigation; None if it does not.
        place: where it stands within the group.
        key: pressed after `g`, leads to it.
        live: beginnings of the names of events (`bot.events`) after which it is shown anew.
        stream: tells it more, as server-sent events in the place of those; at `changed` it is shown anew.
        actions: changes that it offers: `POST path/name` carries one out.
        downloads: files that it gives: `GET path/name` is one.
        is_shared: it is about the whole service; who may see one agent only is not shown it.
        scripts: files in `static/` that it needs beside what all pages have; a `.css` is a style sheet.
    """

    path: str
    title: str
    context: Context
    group: Group | None = None
    place: int = 0
    key: str = ""
    live: tuple[str, ...] = ()
    stream: Callable[[View], AsyncIterator[dict[str, str]]] | None = None
    actions: Mapping[str, Action] = field(default_factory=dict)
    downloads: Mapping[str, Callable[[View], Awaitable[Download]]] = field(default_factory=dict)
    is_shared: bool = False
    scripts: tuple[str, ...] = ()
