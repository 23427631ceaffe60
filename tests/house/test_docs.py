"""Links resolve, generated pages are up to date, and what the README tells to type exists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from bot.cli.main import build
from docs import generate
from tests.house.tree import ROOT, texts

PAGES = [path for path in texts() if path.suffix == ".md" and not str(path).startswith(("tests/", "bot/starter/"))]
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)(?:::(?P<name>test_\w+))?`")
MODULE = re.compile(r"`((?:adapters|benchmarks|bot|docs|memory|tests)/[\w/]+\.py)`")
COMMAND = re.compile(r"^\s*(?:\$ )?(?:\w+=\S+ )*(?P<line>(?:scrubjay|make) .*?)(?:\s{2,}.*|\s+#.*)?$")


def anchors(page: Path) -> set[str]:
    """The places that a link into a page can name, as the usual Markdown hosts make them."""
    titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
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


def commands(page: Path) -> list[str]:
    """The lines inside code blocks that call scrubjay or make."""
    blocks = re.findall(
        r"^```(?:\w*)\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    inside = (line for block in blocks for line in block.splitlines())
    return [found["line"] for line in inside if (found := COMMAND.match(line))]


def is_there(line: str, targets: set[str]) -> bool:
    """Whether a line calls a target of the Makefile, or a command of scrubjay."""
    tool, *words = shlex.split(re.split(r" [|<>&]+ ", line)[0], comments=True)
    if tool == "make":
        return words[0] in targets
    chain, _, _ = build().parse_commands([word for word in words if word.islower()])
    return bool(chain) or words[0] in {"--help", "--version"}


def test_what_a_page_tells_to_type_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    typed = [(page, line) for page in PAGES if page != Path("docs/cli.md") for line in commands(page)]

    assert len(typed) > 30
    assert [f"{page}: {line}" for page, line in typed if not is_there(line, targets)] == []


def is_named_rightly(found: re.Match[str]) -> bool:
    """Whether a test that a page names is there."""
    path = ROOT / found["file"]
    return path.exists() and (not found["name"] or f"def {found['name']}(" in path.read_text(encoding="utf-8"))


def test_the_tests_that_pages_name_exist() -> None:
    named = [(place, found) for page in PAGES for place, line in lines(page) for found in TEST.finditer(line)]

    assert named
    assert [f"{place} {found[0]}" for place, found in named if not is_named_rightly(found)] == []
