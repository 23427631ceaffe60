"""`scrubjay dashboard` as a person starts it: alone, beside what runs already, and when it cannot be served."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.servers.telegram import client as telegram
from tests.support.cli_process import TerminalProcess, run, start

QUIET = "memory:\n  watch: off\n  embedder:\n    kind: none\n"


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Serve it where nothing else runs; the address that it printed."""
    home.mkdir()
    (home / "config.yaml").write_text(QUIET, encoding="utf-8")
    process = start(home, "dashboard", "--json")
    with process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) in {0, 130}


def open_browser(url: str) -> httpx.Client:
    """A client with the cookie that a link brings."""
    parts = urlsplit(url)
    client = httpx.Client(base_url=f"{parts.scheme}://{parts.netloc}", trust_env=False)
    answer = client.get(url)
    assert answer.status_code == 200, answer.text
    return client


def test_alone_it_serves_one_browser_for_each_link_and_gives_more_links_beside(tmp_path: Path) -> None:
    with served(tmp_path / "home") as url:
        with closing(open_browser(url)) as client:
            assert client.get("/home").status_code == 200
            assert client.get("/chat.json", params={"agent": "work"}).status_code == 200
            assert httpx.get(url, trust_env=False).status_code == 403, "a link works once"

            other = run(tmp_path / "home", "dashboard", "--no-open", "--agent", "work", "--only")
            nobody = run(tmp_path / "home", "dashboard", "--no-open", "--agent", "nobody")

        link = other.out.strip()
        assert other.code == 0, other.err
        assert "It lets one browser in, once" in other.err
        assert (urlsplit(link).netloc, nobody.code) == (urlsplit(url).netloc, 4)
        assert "nobody" in nobody.err
        with closing(open_browser(link)) as client:
            assert "work" in client.get("/home").text
            assert client.get("/home", params={"agent": "personal"}).status_code == 404
            assert client.get("/people").status_code == 403


def test_beside_a_chat_it_shows_what_is_said_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(QUIET, encoding="utf-8")
    with TerminalProcess(home, "chat") as chat:
        chat.ask("/remember The tent is green.", until="Noted in")
        given = run(home, "dashboard", "--no-open")
        assert given.code == 0, given.err
        with closing(open_browser(given.out.strip())) as client:
            assert "The tent is green." in client.get("/home").text


def test_beside_the_service_it_is_at_the_port_of_the_configuration_from_the_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with telegram.running(patience_s=0.2) as platform, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        config = {
            "telegram": {"token": platform.token, "api": platform.url},
            "memory": {"watch": "off", "embedder": {"kind": "none"}},
            "dashboard": {"port": port},
        }
        (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        with start(home, "run") as service:
            assert service.stderr
            assert any(b"service.started" in line for line in service.stderr)
            assert httpx.get(f"http://127.0.0.1:{port}/home", trust_env=False).status_code == 401
            url = json.loads(run(home, "dashboard", "--json").out)["url"]
            assert urlsplit(url).netloc == f"127.0.0.1:{port}"
            with closing(open_browser(url)) as client:
                bars = client.get("/home.json").json()["health"]
            assert "telegram" in " ".join(bar["now"]["name"] for bar in bars)
            service.send_signal(signal.SIGTERM)
            assert service.wait(60) == 0


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (home / "config.yaml").write_text(f"{QUIET}dashboard:\n  port: {port}\n", encoding="utf-8")
        refused = run(home, "dashboard", "--no-open")

    assert refused.code == 3
    assert f"The dashboard cannot be served at 127.0.0.1, port {port}" in refused.err
    assert "Set dashboard.port to a free one" in refused.err
