"""Links and pictures are there, generated pages are up to date, and what a page tells to type can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cyclopts import CycloptsError
from ruamel.yaml import YAML

from bot.cli.main import build
from bot.config.loader import examine
from bot.errors import BotError
from bot.paths import Home
from docs import generate
from tests.house.tree import ROOT, texts

PAGES = [path for path in texts() if path.suffix == ".md" and not str(path).startswith(("tests/", "bot/starter/"))]
LINK = re.compile(r"\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")
"""A link, or with a `!` before it a picture."""

PICTURES = [path for path in texts() if path.suffix == ".svg"]
MOST_BYTES = 200_000
TOKENS = {"DISCORD_TOKEN": f"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{'A' * 30}", "TELEGRAM_TOKEN": f"123456789:{'A' * 35}"}
TYPED = re.compile(r"`(?P<line>scrubjay [^`\n]+)`")
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)(?:::(?P<name>test_\w+))?`")
MODULE = re.compile(r"`((?:adapters|benchmarks|bot|docs|memory|tests)/[\w/]+\.py)`")
PROGRAM = re.compile(r"python -m ((?:benchmarks|tests)(?:\.\w+)+)")
PARSER = re.compile(r"(ArgumentParser|command_line)\(")
COMMAND = re.compile(r"^\s*(?:\$ )?(?:\w+=\S+ )*(?P<line>(?:scrubjay|make) .*?)(?:\s{2,}.*|\s+#.*)?$")


def anchors(page: Path) -> set[str]:
    """The places that a link into a page can name, as the usual Markdown hosts make them."""
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))  # where `#` begins a remark
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def lines(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each line of a page with its place."""
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        yield f"{page}:{number}", line


def leads_nowhere(page: Path, link: str) -> bool:
    """Whether a link on a page names a file or a heading that is not there; addresses elsewhere are not asked."""
    target, _, anchor = link.partition("#")
    if "://" in target or target.startswith("mailto:"):
        return False
    path = (ROOT / page).parent / target if target else ROOT / page
    if not path.exists():
        return True
    return bool(anchor) and path.suffix == ".md" and anchor not in anchors(path.resolve().relative_to(ROOT))


def test_links_lead_somewhere() -> None:
    links = [(page, place, found) for page in PAGES for place, line in lines(page) for found in LINK.finditer(line)]

    assert len(links) > 50
    assert [f"{place} {found['target']}" for page, place, found in links if leads_nowhere(page, found["target"])] == []


def test_generated_pages_are_up_to_date() -> None:
    now = {name: (ROOT / name).read_text(encoding="utf-8") for name in generate.PAGES}

    stale = [name for name, made in generate.PAGES.items() if made(now[name]) != now[name]]
    assert stale == [], "run: python -m docs.generate"


def test_modules_that_a_page_names_exist() -> None:
    examples = set(
        re.findall(r"^# (\S+\.py)$", (ROOT / "docs/add-one-thing.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = [(place, found) for page in PAGES for place, line in lines(page) for found in MODULE.findall(line)]

    assert len(named) > 30
    assert [f"{place} {path}" for place, path in named if path not in examples and not (ROOT / path).exists()] == []


def test_modules_that_the_architecture_names_beside_a_package_are_in_it() -> None:
    rows = [re.split(r"(?<!\\)\|", line)[1:3] for _, line in lines(Path("docs/architecture.md")) if line[:3] == "| `"]
    named = [(re.findall(r"`([\w/]+/)`", where), re.findall(r"`([a-z_]+)`", what)) for where, what in rows]

    assert sum(len(names) for folders, names in named if folders) > 40
    there = {folder: {path.stem for path in (ROOT / folder).rglob("*")} for folders, _ in named for folder in folders}
    missing = [
        (folders, set(names).difference(*(there[one] for one in folders))) for folders, names in named if folders
    ]
    assert [f"{folders}: {names}" for folders, names in missing if names] == []


def test_programs_that_a_page_names_say_how_they_are_called() -> None:
    named = {found.replace(".", "/") for page in PAGES for _, line in lines(page) for found in PROGRAM.findall(line)}
    silent = [name for name in named if not PARSER.search((ROOT / f"{name}.py").read_text(encoding="utf-8"))]

    assert len(named) > 40
    assert silent == [], "`--help` would be taken for a value"


def commands(page: Path) -> Iterator[str]:
    """Yield the lines inside code blocks that call scrubjay or make, and what is told to type between the words."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        yield from (found["line"] for line in block.splitlines() if (found := COMMAND.match(line)))
    yield from (found["line"] for found in TYPED.finditer(BLOCK.sub("", text)))


def spelled_out(line: str) -> Iterator[list[str]]:
    """Yield the words of a line, once for each of the alternatives in it (`jobs list|run`), without what follows it."""
    words = shlex.split(re.split(r" [|<>&]+ |;| \u2026| \.\.\.", line)[0], comments=True)
    yield from ([*found] for found in product(*(word.split("|") if word.isascii() else [word] for word in words)))


def cannot_be_typed(words: Sequence[str], targets: set[str]) -> str:
    """Why the command line refuses a call, empty if it takes it; a command may be named without what it needs."""
    tool, *rest = words
    if tool == "make":
        return "" if rest[0] in targets else "no such target"
    chain, _, left = build().parse_commands(rest)
    if not left:
        return "" if chain else "no such command"
    try:
        build().parse_args(rest, print_error=False, exit_on_error=False)
    except (CycloptsError, BotError) as error:
        return str(error)
    return ""


def test_what_a_page_tells_to_type_is_taken_by_the_command_line_with_its_options() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    typed = [
        (page, words)
        for page in PAGES
        if page != Path("docs/cli.md")
        for line in commands(page)
        for words in spelled_out(line)
    ]

    assert len(typed) > 300
    refused = [(f"{page}: {' '.join(words)}", cannot_be_typed(words, targets)) for page, words in typed]
    assert [f"{line}: {why}" for line, why in refused if why] == []


def test_configurations_that_a_page_shows_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [(page, block) for page in PAGES for block in YAML_BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]
    for name in {name for _, block in shown for name in re.findall(r"\$\{(\w+)\}", block)}:
        monkeypatch.setenv(name, TOKENS.get(name, "sk-of-somebody"))
    home, problems = Home.at(tmp_path), []
    for page, block in shown:
        home.config.write_text(block, encoding="utf-8")
        problems += [f"{page}: {one.key} {one.message}" for one in examine(home).problems]

    assert len(shown) > 15
    assert problems == []


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    site = YAML(typ="safe").load(ROOT / "mkdocs.yml")
    named = re.findall(r"[\w/-]+\.md", str(site["nav"]))

    assert sorted(named) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


def test_the_site_takes_nothing_from_elsewhere() -> None:
    site = YAML(typ="safe").load(ROOT / "mkdocs.yml")

    assert site["theme"]["font"] is False
    assert site["extra"]["generator"] is False
    assert {"extra_css", "extra_javascript", "analytics"} & site.keys() == set()


def test_pictures_are_small_whole_and_show_nothing_from_elsewhere() -> None:
    drawn = {path: (ROOT / path).read_text(encoding="utf-8") for path in PICTURES}

    assert drawn
    assert [path for path, text in drawn.items() if len(text.encode()) > MOST_BYTES] == []
    for text in drawn.values():
        ET.fromstring(text)
        assert re.findall(r"(?:href|src)=|url\(|@import|<script", text) == []


def is_named_rightly(found: re.Match[str]) -> bool:
    """Whether a test that a page names is there."""
    path = ROOT / found["file"]
    return path.exists() and (not found["name"] or f"def {found['name']}(" in path.read_text(encoding="utf-8"))


def test_the_tests_that_pages_name_exist() -> None:
    named = [(place, found) for page in PAGES for place, line in lines(page) for found in TEST.finditer(line)]

    assert named
    assert [f"{place} {found[0]}" for place, found in named if not is_named_rightly(found)] == []
