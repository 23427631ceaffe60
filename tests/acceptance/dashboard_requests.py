"""Ways into the dashboard without the right to it, at a server that really listens, and none of them opens.

    python -m tests.acceptance.dashboard_requests --json

Two agents have facts, conversations and pages, each with a made-up word. Requests go over a socket as they are: without
a cookie, with a forged, an altered, an old one or that of a closed session; links used twice, fetched ahead, too late;
for another address, from pages of other sites, without the token of a form or with another session's; changes by GET,
smuggled requests, bodies that are too large; and whatever one agent's pages link to and send, asked for by a browser
that may see the other one alone. The addresses are those of the application: one that is new is tried without being
named here. A request has succeeded if it was answered although it had to be refused, if a browser was let in, if words
came out that it must not see, or if it leads elsewhere. In the end no file of the other agent may have changed.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from starlette.routing import Route

from bot.demo.home import Person
from bot.paths import Home
from bot.waiting import InstantPause
from bot.web.guard import COOKIE, MAX_BODY_BYTES
from bot.web.logins import SESSION_LIFETIME, Logins, Session, signing_key
from bot.web.page import Beside
from bot.web.routes import Routes, load_pages
from memory import FrozenClock
from tests.support.dashboard import Listening, listening, open_application
from tests.support.factories import NOON

WORDS = {"personal": "zeltobrim", "work": "quandivox"}
"""A word that stands in every text of an agent."""

OPEN = {"/login", "/static"}
"""What is answered without a login; any other address is not."""

TIMEOUT_S = 5
STATUS = re.compile(rb"^HTTP/1\.1 (\d{3})", re.MULTILINE)
LET_IN = re.compile(rb"^set-cookie: scrubjay_dashboard=(?!\"\"|;)", re.MULTILINE | re.IGNORECASE)
ELSEWHERE = re.compile(
    rb"^location: (?!/(?![/\\]))|http-equiv=\"refresh\" content=\"0; url=(?!/(?![/\\]))", re.MULTILINE | re.IGNORECASE
)
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes over the wire; `headers` are lines, and `None` for the host is for no such line."""

    path: str
    method: str = "GET"
    cookie: str = ""
    form: dict[str, str] | None = None
    host: str | None = ""
    origin: str | None = ""
    headers: tuple[str, ...] = ()
    body: bytes = b""
    below: bytes = b""

    def wire(self, here: str) -> bytes:
        """Return its bytes; `here` is the address of the server."""
        body = urlencode(self.form).encode() if self.form is not None else self.body
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        lines += [f"Host: {self.host or here}"] if self.host is not None else []
        lines += [f"Cookie: {COOKIE}={self.cookie}"] if self.cookie else []
        if self.method == "POST":
            lines += [f"Origin: {self.origin or f'http://{here}'}"] if self.origin is not None else []
            lines += (
                [] if any(one.lower().startswith("content-type") for one in self.headers) else [f"Content-Type: {FORM}"]
            )
            lines += (
                []
                if any(one.lower().startswith("content-length") for one in self.headers)
                else [f"Content-Length: {len(body)}"]
            )
        lines += [*self.headers, *([] if self.below else ["Connection: close"])]
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body + self.below


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that has no right.

    Attributes:
        kind: of what sort it is.
        request: itself.
        secret: a word that must not come back.
        is_answered: it may be answered with success, if only nothing comes of it.
    """

    kind: str
    request: Request
    secret: str = ""
    is_answered: bool = False

    def has_succeeded(self, answer: bytes) -> bool:
        """Whether an answer gives what it must not."""
        gives = bool(self.secret) and self.secret.encode() in answer
        is_done = not self.is_answered and any(
            code.startswith(b"2") or (code.startswith(b"3") and b"location: /login" not in answer.lower())
            for code in STATUS.findall(answer)
        )
        return gives or is_done or bool(LET_IN.search(answer)) or bool(ELSEWHERE.search(answer))


@dataclass
class Attacker:
    """Makes attempts on a dashboard.

    Attributes:
        dashboard: that is attacked.
        paths: the addresses of its application, each with its methods; named parts filled in.
    """

    dashboard: Listening
    paths: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        app = self.dashboard.app
        key = signing_key(app.home.dashboard_key)
        self.clock = FrozenClock(NOON)
        self.logins = Logins(key, token="", clock=self.clock)
        self.here = self.dashboard.address.removeprefix("http://")
        beside = Beside.of(app, self.dashboard.terminal, InstantPause())
        built = Routes(app, beside, self.logins, pause=InstantPause(), is_secure=False).build()
        for route in built.routes:
            path = re.sub(r"\{[^}]+\}", "x", getattr(route, "path", ""))
            assert path, "every route has a path"
            self.paths.setdefault(path, set()).update((route.methods or set()) if isinstance(route, Route) else {"GET"})
        self.everything, self.other = self.session(""), self.session("")
        self.worker = self.session("work")

    def session(self, agent: str) -> Session:
        """A session as a link would make it."""
        made = self.logins.redeem(self.logins.link(agent))
        assert made is not None
        return made

    def cookie(self, session: Session) -> str:
        return self.logins.cookie(session)

    def signed(self, session: Session, **fields: str) -> dict[str, str]:
        """A form of a session."""
        return {"csrf": self.logins.form_token(session), **fields}

    def ask(self, request: Request) -> bytes:
        """Send a request, and return what comes back."""
        host, _, port = self.here.rpartition(":")
        with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
            parts = []
            try:
                connection.sendall(request.wire(self.here))
                while part := connection.recv(65536):
                    parts.append(part)
                    if b"text/event-stream" in part:
                        break
            except (TimeoutError, ConnectionError):
                pass  # refused in the middle of what is sent
            return b"".join(parts)

    def page(self, path: str, session: Session) -> str:
        """The HTML of a page as a browser sees it that may."""
        answer = self.ask(Request(path, cookie=self.cookie(session), headers=("Accept: text/html",)))
        return answer.partition(b"\r\n\r\n")[2].decode(errors="replace")

    def attempts(self) -> Iterator[Attempt]:
        """Yield all."""
        yield from self.without_login()
        yield from self.cookies()
        yield from self.links()
        yield from self.addresses()
        yield from self.origins()
        yield from self.forms()
        yield from self.heads()
        yield from self.tricks()
        yield from self.redirects()
        yield from self.other_agent()

    def without_login(self) -> Iterator[Attempt]:
        for path, methods in self.paths.items():
            if path not in OPEN:
                for method in sorted(methods):
                    form = {"agent": "personal"} if method == "POST" else None
                    yield Attempt("no cookie", Request(path, method, form=form), WORDS["personal"])

    def cookies(self) -> Iterator[Attempt]:
        foreign = Logins(bytes(32), token="", clock=self.clock)
        old = Session("a", "", (NOON - timedelta(seconds=1)).isoformat())
        good = self.cookie(self.worker)
        payload, _, signature = good.rpartition(".")
        wider = self.cookie(Session(self.worker.id, "", self.worker.until)).rpartition(".")[0]
        ended = self.session("")
        form = self.signed(ended)
        assert b" 303 " in self.ask(Request("/logout", "POST", cookie=self.cookie(ended), form=form))
        for cookie in (
            "",
            "x",
            foreign.cookie(self.everything),
            self.cookie(old),
            self.cookie(ended),
            f"{wider}.{signature}",
            f"{payload}.",
            payload,
            f"{payload}.{signature[:-2]}",
            good.swapcase(),
            f'"{good}x"',
            "A" * 8000,
            self.logins.form_token(self.everything),
            self.logins.link(),
        ):
            for path in ("/home", "/home.json", "/events?page=home"):
                yield Attempt("forged or old cookie", Request(path, cookie=cookie), WORDS["personal"])
        yield Attempt("cookie in the address", Request(f"/home?{COOKIE}={good}"))
        yield Attempt("cookie in a header", Request("/home", headers=(f"Authorization: Bearer {good}",)))

    def links(self) -> Iterator[Attempt]:
        used, seen = self.dashboard.link(), self.dashboard.link()
        assert LET_IN.search(self.ask(Request(used.removeprefix(self.dashboard.address))))
        for link in (
            used,
            f"{self.dashboard.address}/login?link=",
            f"{self.dashboard.address}/login?link=x&link={self.logins.link()}",
            used.swapcase().replace("HTTP", "http").replace("LOGIN", "login"),
        ):
            request = Request(f"{urlsplit(link).path}?{urlsplit(link).query}")
            yield Attempt("link used twice or made up", request, is_answered="link=x" not in link and link != used)
        path = seen.removeprefix(self.dashboard.address)
        yield Attempt("link fetched ahead", Request(path, headers=("Sec-Purpose: prefetch",)), is_answered=True)
        yield Attempt("link fetched ahead", Request(path, method="HEAD"), is_answered=True)
        yield Attempt("link for another host", Request(path, host="evil.example"))
        yield Attempt("link from another site", Request(path, headers=("Origin: https://evil.example",)))
        yield Attempt("link as a form", Request("/login", "POST", form={"link": seen, "token": ""}))
        yield Attempt("guessed token", Request("/login", "POST", form={"token": "x" * 32}))
        late = self.dashboard.link().removeprefix(self.dashboard.address)
        clock = self.dashboard.app.clock
        assert isinstance(clock, FrozenClock)
        clock.advance(minutes=11)
        yield Attempt("link too late", Request(late))

    def addresses(self) -> Iterator[Attempt]:
        port = self.here.rpartition(":")[2]
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"127.0.0.1.evil.example:{port}",
            f"127.0.0.1:{port}@evil.example",
            f"127.0.0.1.nip.io:{port}",
            f"0.0.0.0:{port}",
            f"127.1:{port}",
            f"localhost.:{port}",
            f"{self.here}0",
            f"{self.here}, evil.example",
            None,
        ):
            request = Request("/home", host=host, cookie=self.cookie(self.everything))
            yield Attempt("another host", request, WORDS["personal"])
        for extra in (f"Host: {self.here}", "Host: evil.example"):
            request = Request("/home", cookie=self.cookie(self.everything), headers=(extra,))
            yield Attempt("two hosts", request, WORDS["personal"])
        request = Request("/home", host="evil.example", cookie=self.cookie(self.everything))
        for header in (f"X-Forwarded-Host: {self.here}", f"Forwarded: host={self.here}"):
            sent = Request("/home", host="evil.example", cookie=request.cookie, headers=(header,))
            yield Attempt("another host", sent, WORDS["personal"])

    def origins(self) -> Iterator[Attempt]:
        for path, methods in self.paths.items():
            if "POST" in methods:
                form, cookie = self.signed(self.everything, agent="personal"), self.cookie(self.everything)
                for origin in ("https://evil.example", "null", None):
                    yield Attempt(
                        "change from elsewhere", Request(path, "POST", cookie=cookie, form=form, origin=origin)
                    )
        for origin in ("https://evil.example", "null", "http://localhost", f"https://{self.here}", "file://"):
            for path in ("/home.json", "/events?page=home"):
                headers = (f"Origin: {origin}",)
                yield Attempt(
                    "read from elsewhere",
                    Request(path, cookie=self.cookie(self.everything), headers=headers),
                    WORDS["personal"],
                )

    def forms(self) -> Iterator[Attempt]:
        cookie = self.cookie(self.everything)
        right = self.logins.form_token(self.everything)
        for path, methods in self.paths.items():
            if "POST" not in methods or path == "/login":
                continue
            for form in ({}, {"csrf": ""}, {"csrf": right[:-1]}, self.signed(self.other), {"CSRF": right}):
                sent = {**form, "agent": "personal"}
                yield Attempt("form of no session", Request(path, "POST", cookie=cookie, form=sent))
            address = f"{path}?csrf={right}"
            yield Attempt("form of no session", Request(address, "POST", cookie=cookie, form={"agent": "personal"}))
            if "GET" not in methods:
                for method in ("GET", "HEAD"):
                    yield Attempt("change by reading", Request(address, method, cookie=cookie))
            for override in ("X-HTTP-Method-Override: POST", "X-Method-Override: POST", "X-HTTP-Method: POST"):
                if "GET" not in methods:
                    yield Attempt("change by reading", Request(address, cookie=cookie, headers=(override,)))
            yield Attempt("other method", Request(address, "PUT", cookie=cookie))

    def heads(self) -> Iterator[Attempt]:
        """Bodies that are not what their heads say, and second requests within the first."""
        cookie, form = self.cookie(self.everything), self.signed(self.everything, agent="personal")
        path = next(
            (path for path, methods in self.paths.items() if methods == {"POST"} and path != "/logout"), "/logout"
        )
        body = urlencode(form).encode()
        inner = Request("/home", cookie=cookie, headers=("Connection: close",)).wire(self.here)
        for headers in (
            (f"Content-Type: {FORM}", "Transfer-Encoding: chunked"),
            ("Transfer-Encoding: chunked", "Content-Length: 5"),
            ("Content-Length: -1",),
            (f"Content-Length: {MAX_BODY_BYTES + 1}",),
            ("Content-Length: 99999999999999999999",),
            ("Content-Length: 0x5",),
            (f"Content-Length: {len(body)}", f"Content-Length: {len(body) + 1}"),
            ("Content-Type: application/json",),
            ("Content-Type: text/plain",),
            ("Content-Type: multipart/form-data; boundary=x",),
            ("Sec-Fetch-Routes: cross-site",),
            ("Sec-Fetch-Routes: same-site",),
        ):
            yield Attempt("head of a form", Request(path, "POST", cookie=cookie, body=body, headers=headers))
        chunked = ("Transfer-Encoding: chunked",)
        outer = Request(
            "/login", "POST", body=b"0\r\n\r\n", headers=chunked, origin="https://evil.example", below=inner
        )
        yield Attempt("request within another", outer, is_answered=True)
        yield Attempt("line break in an address", Request(f"/home HTTP/1.1\r\nCookie: {COOKIE}=x\r\nX:"))
        yield Attempt("folded header", Request("/home", headers=("X-Note: a", f" Cookie: {COOKIE}={cookie}")))

    def tricks(self) -> Iterator[Attempt]:
        for path in (
            "//home",
            "/./home",
            "/login/../home",
            "/login/..%2fhome",
            "/login%2f..%2fhome",
            "/static/../home",
            "/static/%2e%2e/home",
            "/static/..%2f..%2fsite.py",
            "/static/%2e%2e%2f%2e%2e%2fsite.py",
            "/static/....//site.py",
            "/static//etc/passwd",
            "/static/%00",
            "/LOGIN",
            "/login;x/home",
            "/loginx",
            "/login/",
            "/home%3f/login",
            "/home#/login",
            "/home/.json",
            f"http://{self.here}/home",
            "*",
        ):
            yield Attempt("path", Request(path), WORDS["personal"])
        for upgrade in ("websocket", "h2c"):
            headers = (
                f"Upgrade: {upgrade}",
                "Connection: Upgrade",
                "Sec-WebSocket-Key: AAAA",
                "Sec-WebSocket-Version: 13",
            )
            yield Attempt("upgrade", Request("/events", headers=headers))

    def redirects(self) -> Iterator[Attempt]:
        cookie = self.cookie(self.everything)
        for to in (
            "https://evil.example/",
            "//evil.example",
            "////evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "javascript:alert(1)",
            "http://[",
            "/%0d%0aLocation: https://evil.example",
            "/x\r\nSet-Cookie: a=b",
        ):
            yield Attempt("redirect", Request(f"/login?{urlencode({'link': 'x', 'to': to})}"))
            form = self.signed(self.other, back=to)
            yield Attempt("redirect", Request("/logout", "POST", cookie=cookie, form=form))
            address = f"/nothing?{urlencode({'back': to})}"
            headers = (f"Referer: {to.split(chr(13))[0]}", "Accept: text/html")
            yield Attempt("redirect", Request(address, cookie=cookie, headers=headers))

    def other_agent(self) -> Iterator[Attempt]:
        """Everything that the pages of one agent lead to and send, for a browser that may see the other one alone."""
        worker = self.cookie(self.worker)
        shared = [page for page in load_pages().values() if page.is_shared]
        for page in shared:
            for path in (page.path, f"{page.path}.json", f"/events?page={page.path[1:]}"):
                yield Attempt("shared page", Request(re.sub(r"\{[^}]+\}", "x", path), cookie=worker))
            for name in page.actions:
                path = f"{re.sub(r'{[^}]+}', 'x', page.path)}/{name}"
                yield Attempt("shared page", Request(path, "POST", cookie=worker, form=self.signed(self.worker)))
        for name, page in load_pages().items():
            if not page.is_shared:
                yield Attempt("other agent", Request(f"/events?page={name}&agent=personal", cookie=worker))
        links, forms = self.seen()
        for link in links:
            yield from self.as_other(link, worker)
        for action, fields in forms:
            given = {name: value for name, value in fields.items() if name not in {"csrf", "agent"}}
            for agent in ("personal", "work"):
                sent = self.signed(self.worker, **given, agent=agent)
                request = Request(action, "POST", cookie=worker, form=sent)
                yield Attempt("other agent's form", request, self._secret(action), is_answered=agent == "work")

    def as_other(self, link: str, worker: str) -> Iterator[Attempt]:
        """An address of one agent: as it is, and as one of the other agent's."""
        path, _, query = link.partition("?")
        fields = dict(parse_qsl(query))
        if fields.get("agent") != "personal":
            return
        renamed = urlencode({**fields, "agent": "work"})
        yield Attempt("other agent", Request(link, cookie=worker), WORDS["personal"])
        yield Attempt("other agent", Request(f"{path}.json?{query}", cookie=worker), WORDS["personal"])
        for cookie in (worker, self.cookie(self.everything)):
            for where in (path, f"{path}.json"):
                request = Request(f"{where}?{renamed}", cookie=cookie)
                yield Attempt("other agent's id", request, self._secret(link), is_answered=True)

    @staticmethod
    def _secret(address: str) -> str:
        """The word of the other agent, unless it is part of what is asked, and so part of the answer."""
        return "" if WORDS["personal"] in unquote(address).lower() else WORDS["personal"]

    def seen(self, *, pages: int = 60) -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
        """The links and forms of one agent's pages, at most three of each sort."""
        waiting = [f"{page.path}?agent=personal" for page in load_pages().values() if page.group]
        links, forms, sorts = dict.fromkeys(waiting), dict[str, tuple[str, dict[str, str]]](), Counter[str]()
        opened = 0
        while waiting and opened < pages:
            html = self.page(waiting.pop(0), self.everything)
            opened += 1
            for link in map(unescape, re.findall(r'href="(/[^"]*agent=personal[^"]*)"', html)):
                sort = _sort(link)
                if link not in links and sorts[sort] < 3:
                    sorts[sort] += 1
                    links[link] = None
                    waiting.append(link)
            for action, inner in re.findall(r'<form method="post" action="([^"]*)"[^>]*>(.*?)</form>', html, re.DOTALL):
                fields = re.findall(r'<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"', inner)
                areas = re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>(.*?)</textarea>', inner, re.DOTALL)
                given = {unescape(name): unescape(value) for name, value in [*fields, *areas]}
                if "logout" not in action:
                    forms.setdefault(_sort(unescape(action)), (unescape(action), given))
        return [*links], [*forms.values()]


def _sort(link: str) -> str:
    """What addresses of one kind have in common: the page, and what is asked of it."""
    path, _, query = link.partition("?")
    page = next(
        (
            page.path
            for page in load_pages().values()
            if re.match(re.sub(r"\{[^}]+\}", "[^/]+", page.path) + "(/|$)", path)
        ),
        path,
    )
    rest = path.rpartition("/")[2] if path.count("/") > page.count("/") else ""
    return f"{page} {rest} {sorted(name for name, _ in parse_qsl(query))}"


async def fill(home: Home) -> None:
    """Give each agent notes, a page, an opinion and a conversation, with its word in all of them."""
    home.prepare()
    for agent, word in WORDS.items():
        notes = home.workspace(agent) / "memory"
        notes.mkdir(parents=True)
        lines = [f"- W @{word.title()}: The {word} {thing} is blue." for thing in ("kettle", "bicycle", "door")]
        lines += [f"- O(c=0.8) @{word.title()}: The {word} tea is better. #preference"]
        (notes / "2026-11-20.md").write_text("\n".join(["## Retain", *lines, ""]), encoding="utf-8")
    person = Person(FrozenClock(NOON))
    async with open_application(home, clock=FrozenClock(NOON), accounts=lambda _: [person], runs=True):
        for agent, word in WORDS.items():
            await person.ask(f"/agent {agent}")
            await person.ask(f"/remember The {word} ladder stands in the cellar.")
            await person.ask(f"Where is the {word} ladder?")


def digest(home: Home, agent: str) -> str:
    """A hash of all files of an agent."""
    files = sorted(path for path in home.workspace(agent).rglob("*") if path.is_file())
    return sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def run(folder: Path) -> dict[str, object]:
    """Try everything, and return what came of it."""
    home = Home.at(folder)
    with listening(folder, prepare=lambda: fill(home), clock=FrozenClock(NOON)) as dashboard:
        attacker = Attacker(dashboard)
        before = {agent: digest(home, agent) for agent in WORDS}
        seen = attacker.page("/home?agent=personal", attacker.everything)
        tried, how = Counter[str](), list[str]()
        for attempt in attacker.attempts():
            tried[attempt.kind] += 1
            answer = attacker.ask(attempt.request)
            if attempt.has_succeeded(answer):
                request = attempt.request
                how.append(f"{attempt.kind}: {request.method} {request.path} {request.form or ''}: {answer[:80]!r}")
        still = attacker.page("/home?agent=personal", attacker.everything)
        changed = digest(home, "personal") != before["personal"]
    return {
        "requests": tried.total(),
        "succeeded": len(how),
        "kinds": dict(tried),
        "addresses": len(attacker.paths),
        "how": how,
        "files changed": changed,
        "the right request was answered": "<h1>" in seen and "<h1>" in still,
        "sessions last": SESSION_LIFETIME.days,
    }


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args([*arguments] if arguments is not None else None)
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder) / "home")
    if options.json:
        print(json.dumps(found))
    else:
        print(f"{found['requests']} requests without the right to it, {found['succeeded']} succeeded")
        print("\n".join(map(str, found["how"])) if isinstance(found["how"], list) else "")
    return 1 if found["succeeded"] or found["files changed"] else 0


if __name__ == "__main__":
    sys.exit(main())
