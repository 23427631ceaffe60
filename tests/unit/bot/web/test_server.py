from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import httpx
import pytest

from bot.errors import ConfigError
from bot.paths import Home
from bot.web.dashboard import open_dashboard
from bot.web.server import Server
from tests.support.dashboard import configured, listening, open_application

TOKEN = "a-token-that-is-long-enough"


def test_a_link_opens_the_pages_of_the_dashboard_that_is_served(tmp_path: Path) -> None:
    with listening(tmp_path / "home", runs=False) as dashboard, httpx.Client() as client:
        assert dashboard.address.startswith("http://127.0.0.1:")
        assert client.get(f"{dashboard.address}/home").status_code == 401
        assert "set-cookie" in client.get(dashboard.link("/home?agent=work")).headers
        answer = client.get(f"{dashboard.address}/home")

        assert answer.status_code == 200
        assert "server" not in answer.headers


def test_the_key_of_the_cookies_outlives_the_service(tmp_path: Path) -> None:
    with httpx.Client() as client:
        with listening(tmp_path / "home", runs=False) as first:
            client.get(first.link())
        with listening(tmp_path / "home", runs=False) as second:
            assert client.get(f"{second.address}/home").status_code == 200


async def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        config = configured(dashboard={"port": other.getsockname()[1]})
        async with open_application(Home.at(tmp_path), config) as (app, terminal):
            with pytest.raises(ConfigError, match=r"cannot be served at 127\.0\.0\.1") as refused:
                Server(app, terminal)
            assert "dashboard.port" in refused.value.hint
            async with open_dashboard(app, terminal) as make_link:  # the service runs nevertheless
                with pytest.raises(ConfigError):
                    make_link("", "")


async def test_it_is_served_from_the_first_time_that_it_is_wanted(tmp_path: Path) -> None:
    async with (
        open_application(Home.at(tmp_path)) as (app, terminal),
        open_dashboard(app, terminal) as make_link,
        httpx.AsyncClient() as client,
    ):
        link = make_link("work", "/home?agent=work")
        opened = await client.get(link)

        assert opened.status_code == 200
        assert make_link("work", "").partition("?")[0] == link.partition("?")[0]
        assert (await client.get(str(opened.url.join("/home.json?agent=personal")))).status_code == 404


async def test_behind_a_proxy_links_lead_to_its_address_and_cookies_need_tls(tmp_path: Path) -> None:
    config = configured(dashboard={"url": "https://jay.example.org", "token": TOKEN})
    async with open_application(Home.at(tmp_path), config) as (app, terminal), asyncio.TaskGroup() as group:
        server = Server(app, terminal)
        group.create_task(server.serve())
        link = server.link("", "")
        assert link.startswith("https://jay.example.org/login?link=")
        port = server._listening.getsockname()[1]
        passed_on = link.replace("https://jay.example.org", f"http://127.0.0.1:{port}")
        async with httpx.AsyncClient(headers={"host": "jay.example.org"}) as client:
            assert "Secure" in (await client.get(passed_on)).headers["set-cookie"]
        server.stop()
