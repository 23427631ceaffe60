"""Links resolve, generated pages are up to date, and what the README tells to type exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bot.cli.main import build
from docs import generate
from tests.house.tree import ROOT, texts

PAGES = [path for path in texts() if path.suffix == ".md" and not str(path).startswith(("tests/", "bot/starter/"))]
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)(?:::(?P<name>test_\w+))?`")
COMMAND = re.compile(r"^\s*(?:\$ )?(?:\w+=\S+ )*(?P<line>(?:scrubjay|make) .*?)(?:\s{2,}.*|\s+#.*)?$")


def anchors(page: Path) -> set[str]:
    """The places that a link into a page can name, as the usual Markdown hosts make them."""
    titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for found in LINK.finditer((ROOT / page).read_text(encoding="utf-8")):
        target, _, anchor = found["target"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        path = (ROOT / page).parent / target if target else ROOT / page
        assert path.exists(), f"{page} links to {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path.resolve().relative_to(ROOT)), f"{page} links to {target}#{anchor}"


@pytest.mark.parametrize("name", generate.PAGES)
def test_generated_pages_are_up_to_date(name: str) -> None:
    path = ROOT / name

    assert path.read_text(encoding="utf-8") == generate.PAGES[name](path.read_text(encoding="utf-8")), (
        "run: python -m docs.generate"
    )


def commands(page: Path) -> list[str]:
    """The lines inside code blocks that call scrubjay or make."""
    blocks = re.findall(
        r"^```(?:\w*)\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    lines = (line for block in blocks for line in block.splitlines())
    return [found["line"] for line in lines if (found := COMMAND.match(line))]


@pytest.mark.parametrize("page", [page for page in PAGES if page != Path("docs/cli.md")], ids=str)
def test_what_a_page_tells_to_type_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for line in commands(page):
        tool, *words = shlex.split(re.split(r" [|<>&]+ ", line)[0], comments=True)
        if tool == "make":
            assert words[0] in targets, f"{page}: {line}"
            continue
        chain, _, _ = build().parse_commands([word for word in words if word.islower()])
        assert chain or words[0] in {"--help", "--version"}, f"{page}: {line}"


def test_the_tests_that_pages_name_exist() -> None:
    named = [(page, found) for page in PAGES for found in TEST.finditer((ROOT / page).read_text(encoding="utf-8"))]

    assert named
    for page, found in named:
        path = ROOT / found["file"]
        assert path.exists(), f"{page} names {found[0]}"
        assert not found["name"] or f"def {found['name']}(" in path.read_text(encoding="utf-8"), (
            f"{page} names {found[0]}"
        )
