from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

import memory
from bot.errors import BotError, Locked, Refused, UsageError
from bot.web import routes as routes_module
from bot.web.guard import COOKIE
from bot.web.page import Changed, Group, Page, View
from bot.web.routes import HOME, MAX_FIELDS, load_pages
from memory import FrozenClock
from memory.errors import Conflict, Expired, NotFound, NotUndoable, SecretFound, Unparsable, WriteFailed
from tests.support.dashboard import BASE, OpenSite, configured, open_site
from tests.support.factories import NOON

TOKEN = "a-token-that-is-long-enough"
FAILURES: Mapping[str, tuple[Exception, int]] = {
    "usage": (UsageError("Wrong words."), 400),
    "missing": (NotFound("There is nothing."), 404),
    "locked": (Locked("Somebody else.", hint="Wait."), 409),
    "conflict": (Conflict("It has changed."), 409),
    "refused": (Refused("No."), 403),
    "secret": (SecretFound.of(["password"], ["hunter2"]), 400),
    "empty": (Unparsable("there is nothing to write down.", hint="Say what is to be remembered."), 400),
    "stale": (Expired("There is no preview."), 409),
    "undone": (NotUndoable("There is nothing to undo."), 409),
    "disk": (WriteFailed("The disk is full."), 500),
    "other": (BotError("<script>alert(1)</script>", hint="<b>"), 500),
}


async def context(view: View) -> Mapping[str, Any]:
    if fails := view.query.get("fails"):
        raise FAILURES[fails][0]
    return {"error": {"message": "Nothing is wrong.", "hint": ""}, "typed": "", "back": view.address}


async def note(view: View) -> Changed:
    if fails := view.form.get("fails"):
        raise FAILURES[fails][0]
    return Changed(f"Noted for {view.agent.name}: {view.field('text')}", view.form.get("go", ""))


PROBE = Page(path="/home", title="Probe", context=context, group=Group.OVERVIEW, actions={"note": note}, live=("x.",))
SHARED = Page(path="/shared", title="Shared", context=context, is_shared=True, actions={"note": note}, live=("x.",))
PAGES = {"error": PROBE, "shared": SHARED}
"""By the names of their templates: that of errors stays as it is whatever becomes of the pages."""


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
async def site(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenSite]:
    """A site of a page that fails as it is told, and one about the whole service."""
    monkeypatch.setattr(routes_module, "load_pages", lambda: PAGES)
    async with open_site(tmp_path / "home", configured(dashboard={"token": TOKEN}), clock=clock) as opened:
        yield opened


@pytest.fixture
async def restricted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenSite]:
    """The same site as a browser sees it that was let in for one agent."""
    monkeypatch.setattr(routes_module, "load_pages", lambda: PAGES)
    async with open_site(tmp_path / "home", only="work") as opened:
        yield opened


async def fresh(site: OpenSite, path: str, **options: Any) -> httpx.Response:
    """An answer to another browser, which has no cookie but those given."""
    cookies = options.pop("cookies", {})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site.guard), base_url=BASE, cookies=cookies) as client:
        return await client.request(options.pop("method", "GET"), path, **options)


def test_pages_are_in_the_order_of_the_navigation_and_differ() -> None:
    pages = load_pages()
    groups = [*Group, None]
    places = [(groups.index(page.group), page.place) for page in pages.values()]
    keys = [page.key for page in pages.values() if page.key]

    assert places == sorted(places)
    assert len({page.path for page in pages.values()}) == len(pages)
    assert len(set(keys)) == len(keys)
    assert all(page.group for page in pages.values() if page.key)
    assert all(page.path.startswith("/") and not page.path.startswith(("/login", "/static")) for page in pages.values())


async def test_the_first_address_leads_to_the_first_page(site: OpenSite) -> None:
    answer = await site.client.get("/")

    assert (answer.status_code, answer.headers["location"]) == (303, HOME)


async def test_a_link_lets_a_browser_in_once(site: OpenSite) -> None:
    link = f"/login?link={site.logins.link()}&to=/home%3Fagent%3Dwork"
    first, again = await fresh(site, link), await fresh(site, link)

    assert first.status_code == 200
    assert 'content="0; url=/home?agent=work"' in first.text
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {*first.headers["set-cookie"].split("; ")}
    assert again.status_code == 403
    assert "set-cookie" not in again.headers
    assert "used already" in again.text
    cookie = {COOKIE: first.cookies[COOKIE]}
    assert (await fresh(site, "/home", cookies=cookie)).status_code == 200


@pytest.mark.parametrize("how", [{"method": "HEAD"}, {"headers": {"sec-purpose": "prefetch;prerender"}}])
async def test_a_link_that_is_only_looked_at_is_not_used(site: OpenSite, how: dict[str, Any]) -> None:
    link = f"/login?link={site.logins.link()}"
    looked = await fresh(site, link, **how)

    assert "set-cookie" not in looked.headers
    assert "set-cookie" in (await fresh(site, link)).headers


ELSEWHERE = {
    "/home?agent=work": "/home?agent=work",
    "https://evil.example/x": "/x",
    "//evil.example": HOME,
    "////evil.example": HOME,
    "/\\evil.example": HOME,
    "\\\\evil.example": HOME,
    "javascript:alert(1)": HOME,
    "http://[": HOME,
    "/\t/evil.example": HOME,
    "": HOME,
    "0;url=//evil.example": HOME,
}


async def test_a_link_leads_nowhere_else(site: OpenSite) -> None:
    for to, leads in ELSEWHERE.items():
        answer = await fresh(site, "/login", params={"link": site.logins.link(), "to": to})
        assert f'content="0; url={leads}"' in answer.text


async def test_the_token_lets_in_and_no_other_text(site: OpenSite) -> None:
    headers = {"origin": BASE}
    wrong = await fresh(site, "/login", method="POST", headers=headers, data={"token": f"{TOKEN}x"})
    right = await fresh(site, "/login", method="POST", headers=headers, data={"token": TOKEN})
    empty = await fresh(site, "/login", method="POST", headers=headers, data={"token": ""})

    assert [wrong.status_code, right.status_code, empty.status_code] == [403, 200, 403]
    assert "set-cookie" in right.headers
    assert "set-cookie" not in wrong.headers
    assert 'type="password"' in (await fresh(site, "/login")).text


async def test_without_a_token_none_is_asked_for(restricted: OpenSite) -> None:
    assert 'type="password"' not in (await fresh(restricted, "/login")).text


async def test_whoever_logs_out_is_out(site: OpenSite) -> None:
    form = {"csrf": site.logins.form_token(site.session)}
    wrong = await site.client.post("/logout", data={"csrf": "x"}, headers={"origin": BASE})
    assert wrong.status_code == 403
    assert (await site.client.get("/home")).status_code == 200

    answer = await site.client.post("/logout", data=form, headers={"origin": BASE})

    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert 'scrubjay_dashboard=""' in answer.headers["set-cookie"]
    cookie = {COOKIE: site.logins.cookie(site.session)}
    assert (await fresh(site, "/home", cookies=cookie)).status_code == 401, "the cookie of before is worth nothing"


async def test_what_was_typed_when_the_login_had_ended_is_shown_until_and_after_the_next(site: OpenSite) -> None:
    typed, browser = "The <b>key</b>\r\nis in the shed.", {"origin": BASE, "accept": "text/html"}
    shown = "The &lt;b&gt;key&lt;/b&gt;\r\nis in the shed.</textarea>"
    form = {"csrf": "old", "back": "/fact/k3f9a2mq?q=key", "text": typed}

    asked = await fresh(site, "/fact/k3f9a2mq/edit", method="POST", headers=browser, data=form)
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text))
    sent = {name: html.unescape(value) for name, value in hidden.items()}
    wrong = await fresh(site, "/login", method="POST", headers=browser, data={**sent, "token": "x"})
    right = await fresh(site, "/login", method="POST", headers=browser, data={**sent, "token": TOKEN})

    assert [asked.status_code, wrong.status_code, right.status_code] == [401, 403, 200]
    assert all(shown in answer.text for answer in (asked, wrong, right))
    assert 'href="/fact/k3f9a2mq?q=key"' in right.text
    assert "refresh" not in right.text
    assert "was used already" not in asked.text
    elsewhere = await site.client.post("/login", headers=browser, data={**sent, "token": "x"})
    assert (elsewhere.status_code, shown in elsewhere.text) == (403, True), "another tab has logged in meanwhile"


async def test_what_was_typed_into_a_form_that_is_refused_is_shown_with_the_reason(site: OpenSite) -> None:
    form = {"csrf": "of the session before", "value": "debug"}

    answer = await site.client.post("/home/note", data=form, headers={"origin": BASE, "accept": "text/html"})

    assert answer.status_code == 403
    assert "This form is not of your session." in answer.text
    assert "debug</textarea>" in answer.text


@pytest.mark.parametrize("path", ["/login", "/home?fails=missing"])
async def test_of_what_is_no_form_no_body_is_waited_for(site: OpenSite, path: str) -> None:
    async def never() -> AsyncIterator[bytes]:
        asked.append(path)
        yield b""

    asked = list[str]()
    answer = await site.client.request("GET", path, content=never(), headers={"content-length": "1000000000"})

    assert answer.status_code in {303, 404}
    assert not asked


async def test_an_old_browser_has_to_log_in_again(site: OpenSite, clock: FrozenClock) -> None:
    clock.advance(days=31)

    assert (await site.client.get("/home", headers={"accept": "text/html"})).headers["location"] == "/login?to=%2Fhome"


async def test_after_a_login_the_page_is_shown_that_was_asked_for(site: OpenSite) -> None:
    wanted = "/fact/%C3%BC%231?agent=work&q=a+b"
    asked = await fresh(site, wanted, headers={"accept": "text/html"})
    login = await fresh(site, asked.headers["location"])
    back = re.search(r'name="back" value="([^"]*)"', login.text)
    assert back
    data = {"token": TOKEN, "back": html.unescape(back[1])}
    answer = await fresh(site, "/login", method="POST", headers={"origin": BASE}, data=data)

    assert f'content="0; url={html.escape(wanted)}"' in answer.text


async def test_who_is_in_is_led_on_by_a_link_that_was_used_and_by_the_login_page(site: OpenSite) -> None:
    link = f"/login?link={site.logins.link()}&to=/home%3Fagent%3Dwork"
    await fresh(site, link)
    answers = [await site.client.get(address) for address in (link, "/login", "/login?to=//evil.example")]

    assert [answer.headers["location"] for answer in answers] == ["/home?agent=work", HOME, HOME]
    assert not any("set-cookie" in answer.headers for answer in answers)


async def test_a_page_and_its_data_are_of_one_agent(site: OpenSite) -> None:
    assert (await site.data("/home"))["agent"] == "personal"
    assert (await site.data("/home", agent="work"))["agent"] == "work"
    html = await site.page("/home", agent="work")
    assert 'data-agent="work"' in html
    assert "/home.json?agent=work" in html
    for unknown in ("nobody", "../work", "<script>", "personal\0"):
        answer = await site.client.get("/home", params={"agent": unknown}, headers={"accept": "text/html"})
        assert answer.status_code == 404
        assert "<script>" not in answer.text


async def test_who_was_let_in_for_one_agent_sees_that_one(restricted: OpenSite) -> None:
    get = restricted.client.get

    assert (await restricted.data("/home"))["agent"] == "work"
    html = await restricted.page("/home")
    assert "personal" not in html
    assert "Shared" not in html
    assert (await get("/home.json?agent=personal")).status_code == 404
    assert (await get("/home?agent=personal")).status_code == 404
    assert (await get("/shared")).status_code == 403
    assert (await get("/shared.json")).status_code == 403
    assert (await get("/events?page=shared")).status_code == 404
    assert (await get("/events?page=error&agent=personal")).status_code == 404
    assert (await restricted.change("/home/note", text="x", agent="personal")).status_code == 404
    assert (await restricted.change("/home/note?agent=personal", text="x")).status_code == 404
    assert (await restricted.change("/shared/note", text="x")).status_code == 403
    assert (await restricted.change("/home/note", text="x")).status_code == 303


async def test_of_two_agents_named_the_one_in_the_address_holds(site: OpenSite) -> None:
    await site.change("/home/note?agent=work", text="x", agent="personal")

    assert "Noted for work: x" in await site.page("/home")


async def test_who_was_let_in_for_an_agent_that_is_gone_is_told_to_log_in(site: OpenSite) -> None:
    session = site.logins.redeem(site.logins.link("gone"))
    assert session is not None
    options = {"cookies": {COOKIE: site.logins.cookie(session)}, "headers": {"accept": "text/html"}}
    login = await fresh(site, "/login", **options)
    answer = await fresh(site, login.headers["location"], **options)

    assert answer.status_code == 403
    assert "scrubjay dashboard" in answer.text
    assert 'name="token"' in answer.text, "the login page leads here: no other one takes the token"


async def test_a_change_is_told_once_where_it_was_asked_for(site: OpenSite) -> None:
    html = await site.changed("/home/note", text="<i>milk</i>", back="/home?agent=personal&q=1")

    assert "Noted for personal: &lt;i&gt;milk&lt;/i&gt;" in html
    assert "Noted" not in await site.page("/home")


async def test_what_became_of_a_change_is_not_told_to_a_page_that_only_shows_itself_anew(site: OpenSite) -> None:
    await site.change("/home/note", text="milk")
    anew = await site.client.get("/home", headers={"accept": "text/html", "hx-request": "true"})

    assert "Noted" not in anew.text
    assert "Noted for personal: milk" in await site.page("/home")


async def test_after_a_change_nobody_is_led_elsewhere(site: OpenSite) -> None:
    for back in ELSEWHERE:
        answer = await site.change("/home/note", text="x", back=back)
        assert answer.headers["location"] in {"/x", "/home/note", "/home?agent=work"}


async def test_a_change_needs_the_token_of_its_session(site: OpenSite) -> None:
    other = site.logins.redeem(site.logins.link())
    assert other is not None
    for wrong in ("", "x", site.logins.form_token(other)):
        answer = await site.change("/home/note", text="x", csrf=wrong)
        assert answer.status_code == 403
        assert answer.json()["hint"] == "Load the page again."
    for method in ("GET", "HEAD"):
        assert (await site.client.request(method, "/home/note?text=x")).status_code == 405


async def test_a_form_of_very_many_fields_is_refused(site: OpenSite) -> None:
    body = "&".join(["a=1"] * (MAX_FIELDS + 1))
    headers = {"origin": BASE, "content-type": "application/x-www-form-urlencoded"}

    assert (await site.client.post("/home/note", content=body, headers=headers)).status_code == 400
    assert (await fresh(site, "/login", method="POST", content=body, headers=headers)).status_code == 400


@pytest.mark.parametrize("failure", FAILURES)
async def test_what_fails_says_so_with_the_right_status(site: OpenSite, failure: str) -> None:
    error, status = FAILURES[failure]
    assert isinstance(error, BotError | memory.Error)
    data = await site.client.get("/home.json", params={"fails": failure})
    page = await site.client.get("/home", params={"fails": failure})
    sent = await site.change("/home/note", fails=failure)

    assert [answer.status_code for answer in (data, page, sent)] == [status] * 3
    assert data.json() == {"error": error.message, "hint": error.hint}
    assert "<script>alert" not in page.text
    assert 'role="alert"' in page.text


async def test_what_the_memory_refuses_is_said_in_the_language_of_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes_module, "load_pages", lambda: PAGES)
    async with open_site(tmp_path / "german", configured(owner={"language": "auto"})) as site:
        html, german = {"accept": "text/html", "origin": BASE}, {"accept-language": "de-AT,en"}
        form = {"csrf": site.logins.form_token(site.session), "agent": "work", "fails": "undone"}

        sent = await site.client.post("/home/note", data=form, headers=html | german)

    assert "Es gibt nichts zurückzunehmen." in sent.text
    assert "There is nothing" not in sent.text


async def test_what_fails_for_an_agent_leads_back_to_that_one(site: OpenSite) -> None:
    html, failure = {"accept": "text/html", "origin": BASE}, next(iter(FAILURES))
    form = {"csrf": site.logins.form_token(site.session), "agent": "work", "fails": failure}
    page = await site.client.get("/home", params={"fails": failure, "agent": "work"}, headers=html)
    sent = await site.client.post("/home/note", data=form, headers=html | {"referer": f"{BASE}/home?agent=work"})

    for answer in (page, sent):
        assert 'data-agent="work"' in answer.text
        assert 'href="/home?agent=work"' in answer.text


async def test_a_page_that_is_not_there_says_so(site: OpenSite) -> None:
    page = await site.client.get("/<script>alert(1)</script>")

    assert page.status_code == 404
    assert "There is no page /&lt;script&gt;" in page.text
    assert (await site.client.get("/nothing.json")).json()["error"] == "There is no page /nothing.json."


async def test_a_mistake_in_the_program_is_told_without_its_insides(
    site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FAILURES, "bug", (KeyError("secret insides"), 500))
    transport = httpx.ASGITransport(site.guard, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=BASE, cookies=site.client.cookies) as client:
        page, data = await client.get("/home?fails=bug"), await client.get("/home.json?fails=bug")

    assert (page.status_code, data.status_code) == (500, 500)
    assert "there is a mistake in Scrubjay" in page.text
    assert "secret" not in page.text + data.text


async def test_the_page_speaks_the_language_of_the_browser_where_none_is_chosen(site: OpenSite) -> None:
    german = await site.client.get("/home", headers={"accept-language": "fr, de-CH;q=0.9", "accept": "text/html"})

    assert '<html lang="de">' in german.text
    other = await site.client.get("/home", headers={"accept-language": "x" * 5000})
    assert '<html lang="en">' in other.text


async def test_static_files_are_sent_and_nothing_beside_them(site: OpenSite) -> None:
    assert (await fresh(site, "/static/style.css")).status_code == 200
    for path in (
        "/static/../site.py",
        "/static/%2e%2e/site.py",
        "/static/..%2fsite.py",
        "/static/",
        "/static//etc/passwd",
    ):
        assert (await fresh(site, path)).status_code in {401, 404}


async def test_events_are_of_pages_that_are_there(site: OpenSite) -> None:
    assert (await site.client.get("/events")).status_code == 404
    assert (await site.client.get("/events?page=error&agent=nobody")).status_code == 404
