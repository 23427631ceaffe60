"""Every page, whatever the home holds: nothing, half a month, or what somebody wrote who means harm."""

from __future__ import annotations

import asyncio
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bot.paths import Home
from bot.web.page import Group
from bot.web.routes import load_pages
from memory import FrozenClock
from tests.support.dashboard import OpenSite, addresses, demo_home, hostile_home, open_site
from tests.support.factories import NOON
from tests.support.facts import MARTA, note

VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr", "source"}
FOCUSABLE = {"input", "select", "textarea"}


class Document(HTMLParser):
    """A page: every element is closed where it should be, and what only scripts of strangers have is noted."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.odd: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.labelled: set[str] = set()
        self.fields: list[dict[str, str | None]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.odd += [f"{tag} stays open" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.odd += _odd(tag, attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "label" and given.get("for"):
            self.labelled.add(given["for"] or "")
        if tag in FOCUSABLE and given.get("type") not in {"hidden", "submit"}:
            self.fields.append({**given, "inside": "label" if "label" in self._open else None})
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.odd.append(f"/{tag} closes something else")
            self._open = []

    @property
    def unlabelled(self) -> list[object]:
        """Fields that nobody says what they are for."""
        return [
            one.get("name")
            for one in self.fields
            if not (
                one["inside"] or one.get("aria-label") or one.get("aria-labelledby") or one.get("id") in self.labelled
            )
        ]


def _odd(tag: str, attrs: list[tuple[str, str | None]]) -> list[str]:
    """What an element has that none of ours has."""
    given = dict(attrs)
    odd = [f"{tag} says something twice"] if len(given) != len(attrs) else []
    odd += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
    odd += [
        f"{tag} {name}={given[name]}"
        for name in ("href", "src", "action")
        if re.match(r"\s*(javascript|data|vbscript):", given.get(name) or "", re.IGNORECASE)
    ]
    is_own = tag == "script" and not (given.get("src") or "").startswith("/static/")
    return odd + ([tag] if is_own or tag in {"iframe", "object", "embed", "base", "img"} else [])


async def check(site: OpenSite, found: dict[str, str]) -> None:
    """Every page at these addresses is sound, and its data is there."""
    problems: list[str] = []
    for name, address in found.items():
        for agent in site.app.context.agents if "?" not in address else ("",):
            where = f"{address}?agent={agent}" if agent else address
            html = await site.page(where)
            document = Document(html)
            odd = [*document.odd, *(f"no label: {field}" for field in document.unlabelled)]
            odd += [f"id twice: {one}" for one in {*document.ids} if document.ids.count(one) > 1]
            odd += ["h1 is not there once"] if document.headings.count(1) != 1 else []
            odd += [] if '<html lang="' in html and "<title>" in html else ["no language or title"]
            shown = re.sub(r"<textarea.*?</textarea>|value=\"[^\"]*\"", "", html, flags=re.DOTALL)
            odd += [f"sign {ord(sign):#x}" for sign in "\0\x1b\u202e\u2066" if sign in shown]
            problems += [f"{where}: {one}" for one in odd]
        path, _, query = address.partition("?")
        answer = await site.client.get(f"{path}.json{'?' if query else ''}{query}")
        assert answer.status_code == 200, (name, answer.text[:1000])
        assert answer.headers["content-type"].startswith("application/json")
        assert answer.json()["agent"] in site.app.context.agents
    assert problems == []


async def test_every_page_opens_in_an_empty_home(tmp_path: Path) -> None:
    async with open_site(tmp_path / "home") as site:
        found = {name: page.path for name, page in load_pages().items() if page.group}
        await check(site, found)


async def test_every_page_opens_in_the_demo_home_and_is_reached_by_a_link(tmp_path: Path) -> None:
    await demo_home(tmp_path / "home")
    async with open_site(tmp_path / "home", clock=FrozenClock(NOON)) as site:
        found = await addresses(site)
        assert list(found) == list(load_pages()), "each is reached by a link"
        await check(site, found)


async def test_hostile_texts_break_no_page_and_are_shown(tmp_path: Path) -> None:
    await hostile_home(tmp_path / "home")
    async with open_site(tmp_path / "home") as site:
        await check(site, await addresses(site))


@pytest.mark.parametrize("query", ["q=%3Cscript%3E&order=x&offset=-1", "offset=999999999&limit=0", "q=" + "a" * 4000])
async def test_every_page_bears_any_query(tmp_path: Path, query: str) -> None:
    async with open_site(tmp_path / "home") as site:
        for page in load_pages().values():
            if page.group:
                for suffix in ("", ".json"):
                    answer = await site.client.get(f"{page.path}{suffix}?{query}", headers={"accept": "text/html"})
                    assert answer.status_code in {200, 400}, (page.path, answer.text[:1000])
                    assert "<script>" not in answer.text or suffix


async def test_what_does_not_exist_is_missing_and_no_mistake(tmp_path: Path) -> None:
    """Ids that nobody gave: of a page with named parts, each part is made up."""
    async with open_site(tmp_path / "home") as site:
        for page in load_pages().values():
            for made_up in (
                "nothing",
                "%3Cscript%3E",
                "..%2f..%2fetc",
                "2026-02-30",
                "0",
                "a" * 300,
                "%00",
                "%F0%9F%90%A6",
            ):
                if "{" in page.path:
                    path = re.sub(r"\{[^}]+\}", made_up, page.path)
                    answer = await site.client.get(path, headers={"accept": "text/html"})
                    assert answer.status_code in {200, 400, 404}, (path, answer.status_code, answer.text[:1000])
                    assert "<script>" not in answer.text


MANY = 10_001
IN_ONE_FILE = 500
MOST_HTML = 200_000
"""Characters of a page, whatever the home holds."""


def write_much(home: Home) -> None:
    """Write facts about so many entities, two of them and Hub in each, and one fact that is nearly the longest."""
    folder = home.workspace("personal") / "memory"
    folder.mkdir(parents=True)
    for day, first in enumerate(range(1, MANY, 2 * IN_ONE_FILE), 1):
        numbers = range(first, min(MANY, first + 2 * IN_ONE_FILE), 2)
        lines = [f"- W @Name{n} @Hub: Name{n} met @Name{n + 1} at the hub." for n in numbers]
        (folder / f"2026-11-{day:02}.md").write_text("\n".join(["## Retain", *lines, ""]), encoding="utf-8")
    (folder / "2026-11-21.md").write_text(f"## Retain\n- W @Name7: {'word ' * 39_000}\n", encoding="utf-8")


async def begin_rebuild(site: OpenSite, group: asyncio.TaskGroup) -> None:
    """Begin to build the index anew, and return when the first files are read."""
    has_begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def told(_done: int, _total: int) -> None:
        loop.call_soon_threadsafe(has_begun.set)

    group.create_task(site.app.context.agents["personal"].memory.rebuild(progress=told))
    await has_begun.wait()


async def test_much_is_shown_in_parts_also_while_the_index_is_built_anew(tmp_path: Path) -> None:
    write_much(Home.at(tmp_path))
    async with open_site(tmp_path) as site:
        async with asyncio.TaskGroup() as group:
            await begin_rebuild(site, group)
            (fact,) = [one["hit"]["id"] for one in (await site.data("/memory", q="word"))["hits"]]
            addresses = [page.path for page in load_pages().values() if page.group]
            for address in (*addresses, f"/fact/{fact}", "/day/2026-11-21", "/entity?name=Hub&depth=3"):
                html = await site.page(address)
                assert len(html) < MOST_HTML, address
                assert Document(html).odd == [], address

        listed = await site.data("/entities", order="name", offset=50)
        assert (listed["total"], len(listed["entities"])) == (MANY, 50)
        assert "more characters" in await site.page(f"/fact/{fact}")


async def test_a_journal_that_does_not_verify_is_told_on_every_page_of_the_memory(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        fact, *_ = await note(site.app.context.agents, *MARTA)
    (journal,) = Home.at(tmp_path).workspace("personal").glob(".memory/journal/*.jsonl")
    first, second, *others = journal.read_bytes().split(b"\n")
    altered = [first.replace(b"meter box", b"metal box"), second.replace(b'"v"', b"'v'"), *others]
    journal.write_bytes(b"\n".join(altered))

    async with open_site(tmp_path) as site:
        of_memory = [page.path for page in load_pages().values() if page.group is Group.MEMORY]
        for address in (*of_memory, "/home", f"/fact/{fact}", "/entity?name=Marta", "/day/2026-11-21"):
            assert "1 line of the journal cannot be read" in await site.page(address), address
        (index,) = [one for one in (await site.data("/home"))["health"] if one["now"]["name"] == "index"]
        assert index["now"]["state"] == "degraded"


async def test_a_home_without_a_model_says_what_there_is_without_one(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        (warning,) = (await site.data("/home"))["warnings"]
        assert warning["text"] == "No language model is set up: answers are quotes from memory."


async def test_the_timeline_begins_with_the_first_day_there_is(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        assert "0001-01-01: 0" in await site.page("/timeline", until="0001-01-05")


async def test_beyond_the_end_of_a_list_a_way_back_stands(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        await note(site.app.context.agents, *MARTA)
        for path in ("/memory", "/entities", "/sessions", "/forgetting", f"/day/{NOON:%Y-%m-%d}"):
            page = await site.page(path, offset=100)

            assert 'aria-label="Further pages"' in page, path
            assert not re.search('class="empty">(No fact names|There is no conversation|Nothing)', page), path
