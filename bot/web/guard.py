"""Checks every request before a page sees it: where it goes, from where it comes, how large it is, who sends it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from http import HTTPStatus
from urllib.parse import quote, urlencode

import structlog
from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web.logins import Logins

COOKIE = "scrubjay_dashboard"
SESSION = "scrubjay.session"
"""Where in the scope of a request its `Session` stands. Only the guard puts it there."""

METHODS = frozenset({"GET", "HEAD", "POST"})
LOGIN = "/login"
STATIC = "/static/"
"""With `LOGIN`, what is answered without a login."""

DEFAULT_PORTS = {"http": 80, "https": 443}
"""Which browsers leave out of an address."""

MAX_BODY_BYTES = 4 * 1024 * 1024
HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""On every answer: nothing from elsewhere, nothing inline, in no frame."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def own_addresses(host: str, port: int, url: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what the headers Host and Origin of a request may say.

    `host` and `port` are listened on; under `url` a proxy passes requests on, if it is not empty.
    """
    addresses = [URL(f"http://{name}:{port}") for name in ("127.0.0.1", "localhost", "[::1]", host)]
    addresses += [URL(url.lower())] if url else []
    hosts, origins = set(), set()
    for address in addresses:
        for netloc in (address.netloc, address.netloc.removesuffix(f":{DEFAULT_PORTS[address.scheme]}")):
            hosts.add(netloc)
            origins.add(f"{address.scheme}://{netloc}")
    return frozenset(hosts), frozenset(origins)


class RequestGuard:
    """An ASGI application that passes on to the pages what may be passed on.

    `hosts` and `origins` are what these headers may say: another name that leads here is another site's.
    """

    def __init__(self, app: ASGIApp, logins: Logins, *, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._logins = logins
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if not scope["path"].startswith(STATIC):
                    headers["cache-control"] = "no-store"
            await send(message)

        answer = self._admit(scope)
        if answer is not None:
            await answer(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _admit(self, scope: Scope) -> Response | None:
        """Return how a request is refused; None if it is not, and then its session stands in the scope."""
        headers = Headers(scope=scope)
        if refused := self._check(scope["method"], headers):
            status, reason = refused
            log.warning("dashboard.refused", status=int(status), reason=reason)
            return PlainTextResponse(f"{reason}\n", status)
        cookie = cookie_parser("; ".join(headers.getlist("cookie"))).get(COOKIE, "")
        session = self._logins.read(cookie)
        scope[SESSION] = session
        if session is None and scope["path"] != LOGIN and not scope["path"].startswith(STATIC):
            is_page = "text/html" in headers.get("accept", "") and "hx-request" not in headers
            if is_page and scope["method"] == "GET":
                asked = f"{quote(scope['path'])}?{scope['query_string'].decode('latin-1')}".rstrip("?")
                return RedirectResponse(f"{LOGIN}?{urlencode({'to': asked})}", HTTPStatus.SEE_OTHER)
            if is_page and scope["method"] == "POST":
                scope["path"] = LOGIN  # which shows what was typed: a redirect, or the way back, would lose it
                return None
            return PlainTextResponse("Log in first: scrubjay dashboard\n", HTTPStatus.UNAUTHORIZED)
        return None

    def _check(self, method: str, headers: Headers) -> tuple[HTTPStatus, str] | None:
        """Return why a request is refused whoever sends it."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, "This is not the address of this dashboard."
        if method not in METHODS:
            return HTTPStatus.METHOD_NOT_ALLOWED, "This method is not used here."
        if any(origin.lower() not in self._origins for origin in origins) or len(origins) > 1:
            return HTTPStatus.FORBIDDEN, "Pages of other sites have no business here."
        return self._check_change(headers, origins) if method == "POST" else None

    def _check_change(self, headers: Headers, origins: Iterable[str]) -> tuple[HTTPStatus, str] | None:
        """Return why a request that changes something is refused: browsers say where its page is from."""
        if headers.get("sec-fetch-site", "same-origin") != "same-origin" or not origins:
            return HTTPStatus.FORBIDDEN, "A change has to come from a page of this dashboard."
        length = headers.get("content-length", "")
        if not length.isdecimal() or headers.get("transfer-encoding"):
            return HTTPStatus.LENGTH_REQUIRED, "The length of what is sent has to be said."
        if int(length) > MAX_BODY_BYTES:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {MAX_BODY_BYTES:,} bytes are taken."
        if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Only forms are taken."
        return None
