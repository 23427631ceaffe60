"""Every page with its data and its changes, logging in, and the stream that says what has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import structlog
from pydantic_core import to_jsonable_python
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import bot.web.pages
from adapters.support import LimitedDict
from bot import __version__, plugins
from bot.app import Application
from bot.errors import BotError, ConfigError, Locked, Missing, Refused, UsageError
from bot.events import Event
from bot.sessions.language import AUTO
from bot.texts.catalogue import LANGUAGES, current_language, in_language, tr
from bot.texts.memory import of_memory
from bot.waiting import Pause
from bot.web.guard import COOKIE, SESSION
from bot.web.logins import SESSION_LIFETIME, Logins, Session
from bot.web.page import Action, Beside, Download, Group, Page, View
from bot.web.rendering import STATIC, environment
from memory import Error, errors

HOME = "/home"
COLOURS = 6
"""How many colours tell agents apart."""

GATHER_S = 0.3
"""How long further events are gathered before a page is told, once, that it is out of date."""

REST_S = 2.0
"""How long a page that was told so is left alone: loading it anew costs the service more than telling it."""

MAX_FIELDS = 10_000
"""Of one form."""

MAX_NOTES = 1000
"""Browsers for which a sentence is kept until their next page."""

STATUSES: Mapping[type[Exception], HTTPStatus] = {
    **dict.fromkeys((UsageError, ConfigError, errors.Unparsable, errors.TooLarge), HTTPStatus.BAD_REQUEST),
    **dict.fromkeys((errors.SecretFound, errors.FilterRefused), HTTPStatus.BAD_REQUEST),
    **dict.fromkeys((Missing, errors.NotFound), HTTPStatus.NOT_FOUND),
    **dict.fromkeys((Locked, errors.Busy, errors.Conflict), HTTPStatus.CONFLICT),
    **dict.fromkeys((errors.Expired, errors.Undecided, errors.NotUndoable), HTTPStatus.CONFLICT),
    **dict.fromkeys((Refused, errors.NotYours, errors.PathRefused), HTTPStatus.FORBIDDEN),
}
"""How a failure is answered; any other is the server's."""

Work = Callable[[Request], Awaitable[Response]]
"""Answers a request."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def load_pages() -> dict[str, Page]:
    """Return every page by the name of its module, which is its template's, too; in the order of the navigation."""
    groups, pages = [*Group, None], plugins.load_all(bot.web.pages, "PAGE", Page)
    names = sorted(pages, key=lambda name: (groups.index(pages[name].group), pages[name].place, name))
    return {name: pages[name] for name in names}


class Routes:
    """Answers requests that the guard has let through; `is_secure`: browsers reach it over TLS only."""

    def __init__(self, app: Application, beside: Beside, logins: Logins, *, pause: Pause, is_secure: bool) -> None:
        self._app = app
        self._beside = beside
        self._logins = logins
        self._pause = pause
        self._is_secure = is_secure
        self._pages = load_pages()
        self._templates = environment()
        self._notes = LimitedDict[str, str](MAX_NOTES)

    def build(self) -> Starlette:
        routes = [
            Route("/", lambda _: RedirectResponse(HOME, HTTPStatus.SEE_OTHER)),
            Route("/login", self._answer(self._log_in, as_json=True), methods=["GET", "POST"]),
            Route("/logout", self._answer(self._log_out), methods=["POST"]),
            Route("/events", self._answer(self._events, as_json=True)),
            Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC))),
        ]
        for name, page in self._pages.items():
            for path, as_json in ((f"{page.path}.json", True), (page.path, False)):
                show = partial(self._show, name, page, as_json=as_json)
                routes.append(Route(path, self._answer(show, as_json=as_json)))
            for what, action in page.actions.items():
                change = partial(self._change, name, page, action)
                routes.append(Route(f"{page.path}/{what}", self._answer(change, as_json=None), methods=["POST"]))
            for what, make in page.downloads.items():
                routes.append(Route(f"{page.path}/{what}", self._answer(partial(self._send_download, page, make))))
        return Starlette(
            routes=routes, exception_handlers={HTTPStatus.NOT_FOUND: self._not_found, Exception: self._broken}
        )

    def _answer(self, work: Work, *, as_json: bool | None = False) -> Work:
        """Return what has a request answered in the reader's language, and tells what failed.

        That is told as JSON or as a page; with None, as what the browser accepts.
        """

        async def answer(request: Request) -> Response:
            with in_language(self._language(request)):
                try:
                    return await work(request)
                except (BotError, Error) as error:
                    takes_json = "text/html" not in request.headers.get("accept", "") if as_json is None else as_json
                    return self._failure(request, error, as_json=takes_json, typed=await _typed(request))

        return answer

    async def _show(self, name: str, page: Page, request: Request, *, as_json: bool) -> Response:
        view = self._view(request, page)
        data = await page.context(view)
        lacking = ""
        if page.group in {Group.MEMORY, None}:
            lacking = of_memory(await view.agent.memory.run(lambda context: context.index_manager.reason()))
        if as_json:
            return JSONResponse(to_jsonable_python({"agent": view.agent.name, **data}))
        return HTMLResponse(self._render(request, f"{name}.html", view, lacking, page=page, **data))

    async def _send_download(
        self, page: Page, make: Callable[[View], Awaitable[Download]], request: Request
    ) -> Response:
        file = await make(self._view(request, page))
        named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
        return Response(file.text, media_type=file.media_type, headers=named)

    async def _change(self, name: str, page: Page, action: Action, request: Request) -> Response:
        """Carry out a change; afterwards the page is shown, with what became of it."""
        view = self._view(request, page, await self._form(request))
        changed = await action(view)
        if changed.told:
            self._notes[request.scope[SESSION].id] = changed.told
        log.info("dashboard.changed", page=name, agent=view.agent.name, address=request.url.path)
        return RedirectResponse(changed.to or view.address, HTTPStatus.SEE_OTHER)

    def _view(self, request: Request, page: Page, form: Mapping[str, str] | None = None) -> View:
        """Return a request as pages see it; raises `BotError` if it asks for an agent that it may not see."""
        session: Session = request.scope[SESSION]
        agents = self._app.context.agents
        allowed = [name for name in agents if session.agent in {"", name}]
        wanted = request.query_params.get("agent") or (form or {}).get("agent") or session.agent
        if page.is_shared and session.agent:
            raise Refused(tr("This page is about all agents; you were let in for {agent}.", agent=session.agent))
        if wanted and wanted not in allowed:
            raise Missing(tr("There is no agent {agent} here.", agent=wanted[:80]))
        agent = agents[wanted or self._app.config.default_agent]
        back = _own_address((form or {}).get("back", "")) or str(request.url.path)
        query = dict(request.query_params)
        address = back if form is not None else f"{request.url.path}?{urlencode({**query, 'agent': agent.name})}"
        path = {name: str(value) for name, value in request.path_params.items()}
        return View(self._app, self._beside, agent, allowed, path, query, form or {}, address, bool(session.agent))

    async def _form(self, request: Request) -> dict[str, str]:
        """Return the fields of a form that was made for this session; raises `BotError` for any other."""
        fields = await _fields(request, most=MAX_FIELDS)
        if not self._logins.is_own_form(request.scope[SESSION], fields.pop("csrf", "")):
            raise Refused(tr("This form is not of your session."), hint=tr("Load the page again."))
        return fields

    async def _log_in(self, request: Request) -> Response:
        """Let a browser in by a link or by the token, or show how to.

        A form that was sent when the login had ended comes here, too; what was typed is shown until there is one.
        """
        typed = await _typed(request)
        if request.method == "POST":
            fields = await _fields(request, most=10)
            session, to = self._logins.enter(fields.get("token", "")), fields.get("back", HOME)
            is_wrong = session is None and "token" in fields
        else:
            secret, to = request.query_params.get("link", ""), request.query_params.get("to", HOME)
            is_fetched_ahead = request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")
            session = self._logins.redeem(secret) if secret and not is_fetched_ahead else None
            is_wrong = bool(secret) and session is None
        if session is None and request.scope[SESSION] and not typed:
            return RedirectResponse(_own_address(to) or HOME, HTTPStatus.SEE_OTHER)
        if session is None:
            status = HTTPStatus.UNAUTHORIZED if request.method == "POST" else HTTPStatus.OK
            return self._login_page(HTTPStatus.FORBIDDEN if is_wrong else status, is_wrong=is_wrong, typed=typed, to=to)
        log.info("dashboard.login", agent=session.agent or "all", until=session.until)
        # not a redirect: the browser would not send a strict cookie after a link in another program
        page = self._templates.get_template("welcome.html")
        answer = HTMLResponse(page.render(to=_own_address(to) or HOME, typed=typed, language=current_language()))
        answer.set_cookie(
            COOKIE,
            self._logins.cookie(session),
            max_age=int(SESSION_LIFETIME.total_seconds()),
            httponly=True,
            samesite="strict",
            secure=self._is_secure,
        )
        return answer

    def _login_page(self, status: HTTPStatus, *, is_wrong: bool, typed: str, to: str = HOME) -> HTMLResponse:
        by_token = bool(self._app.config.dashboard.token.get_secret_value())
        values = {"is_wrong": is_wrong, "by_token": by_token, "typed": typed, "to": to}
        page = self._templates.get_template("login.html")
        return HTMLResponse(page.render(**values, language=current_language()), status)

    async def _log_out(self, request: Request) -> Response:
        await self._form(request)
        self._logins.end(request.scope[SESSION])
        answer = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
        answer.delete_cookie(COOKIE)
        return answer

    async def _events(self, request: Request) -> Response:
        """Tell a page, as it happens, that it is out of date."""
        page = self._pages.get(request.query_params.get("page", ""))
        if page is None or (page.is_shared and request.scope[SESSION].agent):
            return Response(status_code=HTTPStatus.NOT_FOUND)
        view = self._view(request, page)
        news = page.stream(view) if page.stream else self._news(page, view.agent.name)
        return EventSourceResponse(news, ping=25)

    async def _news(self, page: Page, agent: str) -> AsyncIterator[dict[str, str]]:
        """Yield `changed` whenever something has happened that a page shows; several events at once are one."""

        def is_shown(event: Event) -> bool:
            return event.name.startswith(page.live) and event.fields.get("agent", agent) == agent

        with self._app.events.subscribe(is_shown) as subscription:
            yield {"event": "open", "data": ""}
            async for event in subscription:
                await self._pause(GATHER_S)
                subscription.waiting.clear()
                yield {"event": "changed", "data": event.name}
                await self._pause(REST_S)

    def _render(self, request: Request, template: str, view: View, lacking: str = "", **data: Any) -> str:
        """Return the HTML of a page with what surrounds it; `lacking`: why it may not have all that is in the files."""
        session: Session = request.scope[SESSION]
        agents = list(self._app.context.agents)
        pages = {name: page for name, page in self._pages.items() if not (page.is_shared and session.agent)}
        name = template.removesuffix(".html")
        surroundings = {
            "view": view,
            "page_name": name,
            "pages": pages,
            "groups": [group for group in Group if any(page.group is group for page in pages.values())],
            "colour": agents.index(view.agent.name) % COLOURS,
            "csrf": self._logins.form_token(session),
            "lacking": lacking,
            "told": "" if "hx-request" in request.headers else self._notes.pop(session.id, ""),
            "language": current_language(),
            "version": __version__,
            "data_address": f"{request.url.path}.json?{urlencode({**view.query, 'agent': view.agent.name})}",
            "zone": self._app.config.owner.zone,
            "now": self._app.clock.now(),
        }
        return self._templates.get_template(template).render(**surroundings, **data)

    def _failure(self, request: Request, error: BotError | Error, *, as_json: bool, typed: str = "") -> Response:
        """Answer that something could not be shown or done: what happened, what to do, and what was typed for it."""
        statuses = (STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
        status = next(statuses, HTTPStatus.INTERNAL_SERVER_ERROR)
        if isinstance(error, Error):
            error = BotError(of_memory(error.message), hint=of_memory(error.hint))
        if as_json or request.scope.get(SESSION) is None:
            return JSONResponse({"error": error.message, "hint": error.hint}, status)
        session: Session = request.scope[SESSION]
        agents = self._app.context.agents
        back = _own_address(request.headers.get("referer", "")) if request.method == "POST" else ""
        wanted = request.query_params.get("agent") or dict(parse_qsl(urlsplit(back).query)).get("agent", "")
        agent = agents.get(session.agent or (wanted if wanted in agents else self._app.config.default_agent))
        if agent is None:  # the only one that this browser may see is gone
            return self._login_page(HTTPStatus.FORBIDDEN, is_wrong=True, typed=typed)
        allowed = [session.agent] if session.agent else [*agents]
        view = View(self._app, self._beside, agent, allowed, address=HOME)
        page = Page(path="", title=tr("That did not work"), context=_no_context)
        shown = self._render(
            request, "error.html", view, page=page, error=error, typed=typed, back=back or view.link(HOME)
        )
        return HTMLResponse(shown, status)

    async def _not_found(self, request: Request, _error: Exception) -> Response:
        with in_language(self._language(request)):
            missing = Missing(tr("There is no page {path}.", path=request.url.path[:200]))
            return self._failure(request, missing, as_json=request.url.path.endswith(".json"))

    async def _broken(self, request: Request, _error: Exception) -> Response:
        """Answer after a mistake in the program, which the server logs."""
        with in_language(self._language(request)):
            broken = BotError(
                tr("This page cannot be shown: there is a mistake in Scrubjay."),
                hint=tr("The log tells more: scrubjay logs"),
            )
            return self._failure(request, broken, as_json=request.url.path.endswith(".json"))

    def _language(self, request: Request) -> str:
        """Return the owner's language, or else the first that the browser wants and that has every text."""
        chosen = self._app.config.owner.language
        if chosen != AUTO:
            return chosen
        wanted = [entry.strip()[:2].lower() for entry in request.headers.get("accept-language", "").split(",")]
        return next((language for language in wanted if language in LANGUAGES), current_language())


async def _fields(request: Request, *, most: int) -> dict[str, str]:
    """Return what a form sends; raises `BotError` if it has more than `most` fields."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=most))
    except ValueError as error:
        raise UsageError(tr("The form has more than {most:,} fields.", most=most)) from error


async def _typed(request: Request) -> str:
    """Return what a person has typed into the form that was sent; empty if it has no field for that."""
    if request.method != "POST":  # of which alone the guard has looked at the length
        return ""
    try:
        fields = await _fields(request, most=MAX_FIELDS)
    except UsageError:
        return ""
    return fields.get("text") or fields.get("value", "")


async def _no_context(_view: View) -> Mapping[str, Any]:
    return {}


def _own_address(address: str) -> str:
    """Return path and query of an address of this site; empty for any other text."""
    try:
        parts = urlsplit(address)
    except ValueError:  # such as a host in brackets that is no address
        return ""
    is_path = parts.path.startswith("/") and not parts.path.startswith(("//", "/\\"))
    return f"{parts.path}?{parts.query}".rstrip("?") if is_path else ""
