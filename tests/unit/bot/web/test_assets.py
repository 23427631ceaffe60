"""The files that browsers load: each is the one that was looked at, and none leads elsewhere."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from bot.web.rendering import FOLDER, STATIC

HASHES = Path("tests/data/dashboard_assets.sha256")
ROOT = Path(__file__).parents[4]
KNOWN = (
    "http://www.w3.org/",  # names of XML namespaces, which nobody fetches
    "http://{",  # the own address is put together
    "https://github.com/leeoniya/uPlot",  # in comments and licences
    "http://en.wikipedia.org/wiki/MIT_License",
    "http://engelschall.com",
    "http://opensource.org/licenses/MIT",
)
VENDORED = re.compile(r"[a-z]+-[0-9.]+\.min\.(js|css)")


def test_every_file_is_the_one_whose_hash_is_known() -> None:
    known = {
        name: digest
        for digest, name in (line.split("  ") for line in (ROOT / HASHES).read_text(encoding="utf-8").splitlines())
    }
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in STATIC.iterdir()}
    differ = sorted(name for name in {*known, *found} if known.get(name) != found.get(name))

    assert differ == [], f"look at them, then: (cd bot/web/static && sha256sum *) > {HASHES}"


def test_no_file_of_the_dashboard_has_an_address_elsewhere() -> None:
    outside = {
        (path.name, address)
        for path in FOLDER.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
        for address in re.findall(r"(?:https?:|wss?:)//[^\s\"'<>)`]*", path.read_text(encoding="utf-8"))
        if not address.startswith(KNOWN)
    }

    assert outside == set()


def test_templates_have_no_script_style_or_handler_of_their_own() -> None:
    """The browser would refuse them, by the policy that every answer carries."""
    refused = re.compile(
        r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|<iframe|<base|<object", re.IGNORECASE
    )
    found = {
        (path.name, match[0])
        for path in (FOLDER / "templates").glob("*.html")
        for match in refused.finditer(path.read_text(encoding="utf-8"))
    }

    assert found == set()


def test_templates_say_nowhere_that_a_text_is_safe() -> None:
    found = [
        path.name
        for path in (FOLDER / "templates").glob("*.html")
        if re.search(r"\|\s*safe\b|autoescape false|Markup\(", path.read_text(encoding="utf-8"))
    ]

    assert found == []


def test_what_others_wrote_comes_with_its_licence() -> None:
    licences = (STATIC / "LICENSES.txt").read_text(encoding="utf-8").lower()
    vendored = {path.name.split("-")[0] for path in STATIC.iterdir() if VENDORED.fullmatch(path.name)}

    assert vendored == {"htmx", "uplot", "cytoscape"}
    assert all(name in licences for name in vendored)
