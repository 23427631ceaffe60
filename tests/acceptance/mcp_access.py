"""Two hundred ways into the MCP server over HTTP without the right to it, and none of them opens.

    python -m tests.acceptance.mcp_access --tries 200 --seed 1 --json

The real program serves two agents, each with a fact in made-up words. Requests go over a socket as they are: without a
token, with a wrong, a removed or another agent's one, with one that may only read and wants to write, for another
address or from a page of another site, and with tricks in their heads. An attempt is admitted if a request that was to
be refused is answered with success, if a write is not refused, or if words come out that the token must not see. In the
end no file of a workspace may have changed. Between the attempts requests with the right token must be answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from bot.mcp.tokens import PREFIX, TokenFile
from bot.mcp.tools import ALIAS
from bot.paths import Home
from memory import OWNER, FrozenClock, Memory, Origin, chat_scope
from tests.fakes.scrubjay import MORNING
from tests.support.mcp import READER, WRITER, configure, http_server

CANARIES = {"personal": "zeltobrim", "office": "quandivox"}
WRITES: dict[str, dict[str, Any]] = {
    "remember": {"text": "I was here."},
    "observe": {"text": "I was here."},
    "checkpoint": {"text": "I was here."},
    "reflect": {},
    "forget": {"query": CANARIES["personal"]},
}
TIMEOUT_S = 30
STATUS = re.compile(rb"^HTTP/1\.1 (\d{3})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes over the wire.

    Attributes:
        token: in an `Authorization: Bearer` header; empty for none.
        body: a message of the protocol.
        host: the `Host` headers.
        extra: further lines of the head.
        method, path: of the first line.
        below: bytes behind the body.
    """

    token: str
    body: dict[str, Any]
    host: tuple[str, ...]
    extra: tuple[str, ...] = ()
    method: str = "POST"
    path: str = "/mcp"
    below: bytes = b""

    def wire(self) -> bytes:
        """Return its bytes."""
        content = json.dumps(self.body).encode()
        lines = [
            f"{self.method} {self.path} HTTP/1.1",
            *(f"Host: {host}" for host in self.host),
            *([f"Authorization: Bearer {self.token}"] if self.token else []),
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2025-11-25",
            f"Content-Length: {len(content)}",
            *self.extra,
            *([] if self.below else ["Connection: close"]),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + content + self.below


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that has no right; `secret` are words that must not come back; empty: any success is one too much."""

    kind: str
    request: Request
    secret: str = ""
    writes: bool = False

    def is_admitted(self, answer: bytes) -> bool:
        """Whether an answer gives what it must not."""
        if self.writes:
            return b'"isError":true' not in answer
        if self.secret:
            return self.secret.encode() in answer
        return any(code.startswith(b"2") for code in STATUS.findall(answer))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return the message that calls a tool."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def message(method: str, **parameters: Any) -> dict[str, Any]:
    """Return a message."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}


class Attacker:
    """Makes attempts.

    Args:
        home: what is attacked; its tokens are made here.
        port: of the server.
        chance: what differs between attempts.
    """

    def __init__(self, home: Home, port: int, chance: random.Random) -> None:
        self.chance, self.port, self.here = chance, port, f"127.0.0.1:{port}"
        tokens, clock = TokenFile(home.mcp_tokens), FrozenClock(MORNING)
        group = replace(WRITER, scope=chat_scope("telegram.1:-100"))
        self.right = tokens.add("right", WRITER, clock=clock)
        self.reads = tokens.add("reads", READER, clock=clock)
        self.group = tokens.add("group", group, clock=clock)
        self.office = tokens.add("office", replace(WRITER, agent="office"), clock=clock)
        self.ghost = tokens.add("ghost", replace(WRITER, agent="nobody"), clock=clock)
        self.removed = tokens.add("removed", WRITER, clock=clock)
        tokens.remove("removed")
        self.kinds: tuple[Callable[[], Attempt], ...] = (
            self.no_token,
            self.wrong_token,
            self.removed_token,
            self.other_agent,
            self.other_scope,
            self.read_and_write,
            self.wrong_host,
            self.foreign_origin,
            self.rebinding,
            self.tricks_without,
            self.tricks_with,
        )

    def attempt(self, number: int) -> Attempt:
        """Return the next attempt: the kinds in turn."""
        return self.kinds[number % len(self.kinds)]()

    def legitimate(self) -> Request:
        """Return a request with every right."""
        return Request(self.right, call("recall", query=CANARIES["personal"]), (self.here,))

    def no_token(self) -> Attempt:
        return Attempt("no token", Request("", self._anything(), (self.here,)))

    def wrong_token(self) -> Attempt:
        at = self.chance.randrange(len(PREFIX), len(self.right))
        letter = self.chance.choice([one for one in "abcXYZ019" if one != self.right[at]])
        wrong = self.chance.choice(
            [
                f"{self.right[:at]}{letter}{self.right[at + 1 :]}",
                self.right[:at],
                f"{self.right}{letter}",
                self.right.swapcase(),
                self.right.removeprefix(PREFIX),
                sha256(self.right.encode()).hexdigest(),
                f"{self.right},{self.right}",
                f"{self.right} {self.right}",
                f'"{self.right}"',
                "null",
                "*",
                "owner",
                PREFIX + f"{self.chance.getrandbits(256):x}",
                "A" * 5000,
                self.ghost,
            ]
        )
        return Attempt("wrong token", Request(wrong, self._anything(), (self.here,)))

    def removed_token(self) -> Attempt:
        return Attempt("removed token", Request(self.removed, self._anything(), (self.here,)))

    def other_agent(self) -> Attempt:
        asked = "who has left the deposit?"
        body = self.chance.choice(
            [
                call("recall", query=asked),
                call("recall", query=asked, agent="personal"),
                call("wake"),
                call("stats"),
                call("memory_get", path="../personal/memory/2026-11-21.md"),
                call("what_do_i_know", topic="deposit"),
                call("memory_get", path="/workspaces/personal/memory/2026-11-21.md"),
                message("resources/read", uri="scrubjay://personal/memory/2026-11-21.md"),
                message("resources/read", uri="scrubjay://office/../personal/memory/2026-11-21.md"),
                message("prompts/get", name="wake"),
                call("forget", query="deposit"),
            ]
        )
        extra = self.chance.choice([(), ("X-Agent: personal",), ("Mcp-Session-Id: personal",)])
        return Attempt("other agent's token", Request(self.office, body, (self.here,), extra), CANARIES["personal"])

    def other_scope(self) -> Attempt:
        asked = "who has left the deposit?"
        body = self.chance.choice(
            [
                call("recall", query=asked),
                call("recall", query=asked, scope="owner"),
                call("memory_search", query=asked),
                call("memory_get", path="memory/2026-11-21.md"),
                call("wake"),
                call("what_do_i_know", topic="deposit"),
                call("why_did_we", topic="deposit"),
                call("forget", query="deposit"),
                message("prompts/get", name="wake"),
                message("resources/read", uri="scrubjay://personal/memory/2026-11-21.md"),
                message("resources/list"),
            ]
        )
        return Attempt("other scope", Request(self.group, body, (self.here,)), CANARIES["personal"])

    def read_and_write(self) -> Attempt:
        name = self.chance.choice(list(WRITES))
        alias = self.chance.choice(["", ALIAS])
        return Attempt("read token writes", Request(self.reads, call(alias + name, **WRITES[name]), (self.here,)),
                       writes=True)  # fmt: skip

    def wrong_host(self) -> Attempt:
        hosts = self.chance.choice(
            [
                ("evil.example",),
                (f"evil.example:{self.port}",),
                ("127.0.0.1",),
                ("127.0.0.1:1",),
                (),
                (self.here, "evil.example"),
                (self.here, self.here),
                (f"127.0.0.1:{self.port}@evil.example",),
                (f"127.0.0.1.evil.example:{self.port}",),
                (f"localhost.:{self.port}",),
                (f"0.0.0.0:{self.port}",),
                (f"127.1:{self.port}",),
                (f"{self.here}, evil.example",),
                (f"{self.here}0",),
                (f"[::ffff:127.0.0.1]:{self.port}",),
                ("",),
            ]
        )
        return Attempt("wrong host", Request(self.right, self._anything(), hosts))

    def foreign_origin(self) -> Attempt:
        lines = self.chance.choice(
            [
                ("Origin: http://evil.example",),
                ("Origin: null",),
                (f"Origin: https://{self.here}",),
                ("Origin: http://localhost",),
                (f"Origin: http://{self.here}.evil.example",),
                (f"Origin: http://{self.here}@evil.example",),
                ("Origin: ",),
                (f"Origin: http://{self.here}", "Origin: http://evil.example"),
                (f"Origin: {self.here}/../evil",),
                ("Origin: http://localhost:3000",),
                ("Origin: file://",),
                ("Origin: chrome-extension://abcdef",),
            ]
        )
        return Attempt("foreign origin", Request(self.right, self._anything(), (self.here,), lines))

    def rebinding(self) -> Attempt:
        name = self.chance.choice(["evil.example", "127.0.0.1.nip.io", "localtest.me", "a" * 60 + ".example"])
        at = f"{name}:{self.port}"
        extra = self.chance.choice([(f"Origin: http://{at}",), (), (f"Origin: http://{at}", f"Referer: http://{at}/")])
        return Attempt("DNS rebinding", Request(self.right, self._anything(), (at,), extra))

    def tricks_without(self) -> Attempt:
        """A token where none belongs, other methods and paths, a second request in the body of the first."""
        base = Request("", self._anything(), (self.here,))
        inner = replace(base, extra=("Connection: close",)).wire()
        return Attempt(
            "head tricks",
            self.chance.choice(
                [
                    replace(base, path=f"/mcp?token={self.right}"),
                    replace(base, path=f"/mcp?access_token={self.right}"),
                    replace(base, extra=(f"Cookie: token={self.right}",)),
                    replace(base, extra=(f"X-Authorization: Bearer {self.right}",)),
                    replace(base, extra=(f"Proxy-Authorization: Bearer {self.right}",)),
                    replace(base, extra=(f"Authorization: Basic {self.right}",)),
                    replace(base, extra=(f"Authorization: {self.right}",)),
                    replace(base, extra=(f"Authorization:\tBearer{self.right}",)),
                    replace(base, extra=("X-Note: a", f" Authorization: Bearer {self.right}")),
                    replace(base, extra=(f"Authorization : Bearer {self.right}",)),
                    replace(base, extra=("X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1")),
                    replace(base, method="GET"),
                    replace(base, method="DELETE"),
                    replace(base, method="OPTIONS"),
                    replace(base, method="PUT"),
                    replace(base, method="HEAD"),
                    replace(base, path="/"),
                    replace(base, path="/mcp/"),
                    replace(base, path="//mcp"),
                    replace(base, path="/mcp%2f"),
                    replace(base, path="/x/../mcp"),
                    replace(base, path="/.well-known/oauth-protected-resource"),
                    replace(base, path=f"http://{self.here}/mcp"),
                    replace(base, extra=("Mcp-Session-Id: 1",)),
                    replace(base, extra=("X-HTTP-Method-Override: GET",)),
                    replace(base, extra=("Upgrade: h2c", "Connection: Upgrade")),
                    replace(
                        base,
                        extra=(
                            "Upgrade: websocket",
                            "Connection: Upgrade",
                            "Sec-WebSocket-Key: AAAA",
                            "Sec-WebSocket-Version: 13",
                        ),
                    ),
                    replace(base, below=inner),
                    replace(base, extra=("Transfer-Encoding: chunked",), below=b"0\r\n\r\n" + inner),
                ]
            ),
        )

    def tricks_with(self) -> Attempt:
        """The right token among others, for another address, or with more than may be sent."""
        base, large = Request(self.right, self._anything(), (self.here,)), call("remember", text="x" * (1 << 20))
        evil = f"evil.example:{self.port}"
        return Attempt(
            "head tricks",
            self.chance.choice(
                [
                    replace(base, extra=(f"Authorization: Bearer {self.reads}",)),
                    replace(base, extra=("Authorization: Bearer x",)),
                    replace(base, host=(evil,), extra=(f"X-Forwarded-Host: {self.here}",)),
                    replace(base, host=(evil,), extra=(f"Forwarded: host={self.here}",)),
                    replace(base, host=(evil,), path=f"http://{self.here}/mcp"),
                    replace(base, body=large),
                    replace(base, path="/mcp/../admin"),
                    replace(base, path="/mcp/office"),
                    replace(base, method="PATCH"),
                ]
            ),
        )

    def _anything(self) -> dict[str, Any]:
        return self.chance.choice(
            [
                call("recall", query="deposit"),
                call("remember", text="I was here."),
                call("forget", query="deposit"),
                call(f"{ALIAS}wake"),
                message("tools/list"),
                message("resources/list"),
                message(
                    "initialize",
                    protocolVersion="2025-11-25",
                    capabilities={},
                    clientInfo={"name": "x", "version": "1"},
                ),
            ]
        )


def exchange(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return b""
        parts = []
        try:
            while part := connection.recv(65536):
                parts.append(part)
                if b"Connection: close" not in data and len(STATUS.findall(b"".join(parts))) > 1:
                    break
        except ConnectionResetError:
            pass
        return b"".join(parts)


def fingerprint(home: Home) -> dict[str, str]:
    """Return what is in the workspaces, file by file."""
    files = (path for path in sorted(home.workspaces.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


async def remember_canaries(home: Home) -> None:
    """Have each agent know its fact."""
    for agent, canary in CANARIES.items():
        opened = await Memory.open(home.workspaces / agent, index=home.index(agent), clock=FrozenClock(MORNING))
        async with opened as memory:
            text = f"The deposit is in the box of {canary}."
            await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")


def run(folder: Path, *, tries: int, seed: int) -> dict[str, Any]:
    """Carry the attempts out; the figures."""
    home = configure(folder / "home")
    asyncio.run(remember_canaries(home))
    admitted: list[str] = []
    counted: Counter[str] = Counter()
    answered = controls = 0
    with http_server(folder / "home") as port:
        attacker = Attacker(home, port, random.Random(seed))
        before = fingerprint(home)
        for number in range(tries):
            attempt = attacker.attempt(number)
            counted[attempt.kind] += 1
            answer = exchange(port, attempt.request.wire())
            if attempt.is_admitted(answer):
                admitted.append(f"{attempt.kind}: {attempt.request} -> {answer[:500]!r}")
            if number % 10 == 0:
                controls += 1
                answered += CANARIES["personal"].encode() in exchange(port, attacker.legitimate().wire())
        changed = [path for path, content in fingerprint(home).items() if before.get(path) != content]
    return {
        "tries": tries, "seed": seed, "kinds": dict(counted), "admitted": len(admitted), "how": admitted,
        "files changed": changed, "controls": controls, "controls answered": answered,
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if anything was admitted, changed, or wrongly refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), tries=options.tries, seed=options.seed)
    if options.json:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name}: {value}" for name, value in found.items()))
    return int(bool(found["admitted"] or found["files changed"] or found["controls"] != found["controls answered"]))


if __name__ == "__main__":
    sys.exit(main())
