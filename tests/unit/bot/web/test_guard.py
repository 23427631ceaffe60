from __future__ import annotations

import json
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from bot.web.guard import COOKIE, HEADERS, MAX_BODY_BYTES, SESSION, RequestGuard, own_addresses
from bot.web.logins import Logins
from memory import FrozenClock
from tests.support.factories import NOON

BASE = "http://127.0.0.1:8789"
FORM = {"content-type": "application/x-www-form-urlencoded", "origin": BASE}


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with what came through: the agent of the session, and the length of the body."""
    request = Request(scope, receive)
    session = scope[SESSION]
    answer: Response = JSONResponse(
        {"agent": session.agent if session else None, "length": len(await request.body()), "path": scope["path"]}
    )
    await answer(scope, receive, send)


@pytest.fixture
def logins() -> Logins:
    return Logins(bytes(32), token="", clock=FrozenClock(NOON))


@pytest.fixture
async def client(logins: Logins) -> AsyncIterator[httpx.AsyncClient]:
    hosts, origins = own_addresses("127.0.0.1", 8789, "https://jay.example.org")
    session = logins.redeem(logins.link("work"))
    assert session is not None
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(RequestGuard(behind, logins, hosts=hosts, origins=origins)),
        base_url=BASE,
        cookies={COOKIE: logins.cookie(session)},
    ) as opened:
        yield opened


def test_own_addresses_are_those_of_this_machine_and_of_the_proxy() -> None:
    hosts, origins = own_addresses("192.168.1.20", 8080, "https://jay.example.org")

    assert hosts == {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "192.168.1.20:8080", "jay.example.org"}
    assert "https://jay.example.org" in origins
    assert "http://jay.example.org" not in origins
    assert origins - {"https://jay.example.org"} == {f"http://{host}" for host in hosts - {"jay.example.org"}}


@pytest.mark.parametrize(
    ("port", "url", "host", "origin"),
    [
        (8789, "https://Jay.Example.org", "jay.example.org", "https://jay.example.org"),
        (8789, "https://jay.example.org:443", "jay.example.org", "https://jay.example.org"),
        (8789, "http://jay.example.org:80", "jay.example.org", "http://jay.example.org"),
        (8789, "https://jay.example.org:8443", "jay.example.org:8443", "https://jay.example.org:8443"),
        (80, "", "127.0.0.1", "http://localhost"),
    ],
)
def test_an_own_address_is_known_as_browsers_write_it(port: int, url: str, host: str, origin: str) -> None:
    hosts, origins = own_addresses("127.0.0.1", port, url)

    assert host in hosts
    assert origin in origins


@pytest.mark.parametrize("host", ["127.0.0.1:8789", "LOCALHOST:8789", "[::1]:8789", "jay.example.org"])
async def test_requests_for_an_own_address_pass_with_their_session(client: httpx.AsyncClient, host: str) -> None:
    answer = await client.get("/home", headers={"host": host})

    assert answer.json() == {"agent": "work", "length": 0, "path": "/home"}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8789.evil.example", "localhost:8789:8789", "", "0:8789"],
)
async def test_a_name_that_only_leads_here_is_not_answered(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.get("/home", headers={"host": host})).status_code == 421
    assert (await client.get("/static/style.css", headers={"host": host})).status_code == 421


async def test_two_names_are_none(client: httpx.AsyncClient) -> None:
    twice = [("host", "127.0.0.1:8789"), ("host", "evil.example")]

    assert (await client.get("/home", headers=twice)).status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "http://127.0.0.1:8788", "http://localhost"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_pages_of_other_sites_get_nothing(client: httpx.AsyncClient, origin: str, method: str) -> None:
    answer = await client.request(method, "/home", headers=FORM | {"origin": origin})

    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"origin": "https://jay.example.org"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"content-type": "application/json"}, 415),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"content-type": "application/x-www-form-urlencoded; charset=utf-8"}, 200),
        ({"content-length": str(MAX_BODY_BYTES + 1)}, 413),
        ({"content-length": "-1"}, 411),
        ({"content-length": "many"}, 411),
        ({"content-length": "²"}, 411),
        ({"transfer-encoding": "chunked"}, 411),
    ],
)
async def test_a_change_comes_from_a_form_of_a_page_here(
    client: httpx.AsyncClient, changed: dict[str, str], status: int
) -> None:
    headers = [(name.encode(), value.encode()) for name, value in (FORM | changed).items()]

    assert (await client.post("/home/change", content=b"a=1", headers=headers)).status_code == status


async def test_a_change_without_origin_or_length_is_refused(client: httpx.AsyncClient) -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"a=1"

    without = {"content-type": FORM["content-type"]}

    assert (await client.post("/home/change", content=b"a=1", headers=without)).status_code == 403
    assert (await client.post("/home/change", content=parts(), headers=FORM)).status_code == 411


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "post", "BREW"])
async def test_other_methods_are_not_used(client: httpx.AsyncClient, method: str) -> None:
    headers = {"x-http-method-override": "POST"}
    answer = await client.request(method, "/home", headers=headers)

    assert answer.status_code == 405 or method == "post", "httpx writes it large"


@pytest.mark.parametrize("path", ["/home", "/home.json", "/events", "/", "/logins", "/login/x", "/logout", "/static"])
async def test_without_a_login_only_the_way_in_is_open(client: httpx.AsyncClient, path: str) -> None:
    client.cookies.clear()

    page = await client.get(path, headers={"accept": "text/html"})
    data = await client.get(path, headers={"accept": "*/*"})

    anew = await client.get(path, headers={"accept": "text/html", "hx-request": "true"})

    assert (page.status_code, page.headers["location"]) == (303, f"/login?{urlencode({'to': path})}")
    assert (data.status_code, anew.status_code) == (401, 401), "of a page of the login no part is shown in another"
    assert [(await client.get(opened)).json()["agent"] for opened in ("/login", "/static/style.css")] == [None, None]


async def test_every_answer_says_what_a_browser_may_do_with_it(client: httpx.AsyncClient) -> None:
    answers = [
        await client.get("/home"),
        await client.get("/home", headers={"host": "evil.example"}),
        await client.get("/home", headers={"origin": "null"}),
        await client.get("/home", headers={"cookie": ""}),
    ]

    assert len({answer.status_code for answer in answers}) >= 3
    for answer in answers:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert answer.headers["cache-control"] == "no-store"
    assert "cache-control" not in (await client.get("/static/style.css")).headers
    assert "unsafe" not in json.dumps(HEADERS)


async def test_of_several_cookies_a_forged_one_lets_nobody_in(client: httpx.AsyncClient) -> None:
    client.cookies.clear()
    twice = [("cookie", f"{COOKIE}=forged"), ("cookie", f"{COOKIE}=forged.too"), ("cookie", 'x="; a=b')]

    assert (await client.get("/home", headers=twice)).status_code == 401


async def test_what_is_no_http_is_not_answered(logins: Logins) -> None:
    sent: list[object] = []

    async def never() -> dict[str, object]:
        raise AssertionError

    async def note(message: object) -> None:
        sent.append(message)

    await RequestGuard(behind, logins, hosts=(), origins=())({"type": "websocket"}, never, note)

    assert sent == []


async def test_of_what_is_sent_without_a_login_only_a_form_of_a_page_is_shown_again(client: httpx.AsyncClient) -> None:
    client.cookies.clear()
    plain = {**FORM, "accept": "text/html"}

    answers = [
        await client.post("/home/change", content=b"text=a", headers=headers)
        for headers in (plain, {**plain, "hx-request": "true"}, {**FORM, "accept": "*/*"})
    ]

    assert [answer.status_code for answer in answers] == [200, 401, 401]
    assert answers[0].json()["agent"] is None
