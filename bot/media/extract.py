"""The program that opens a file of somebody's: as a picture made anew, or as the text of a document.

    python -I extract.py picture FILE MAX_SIDE          "WIDTH HEIGHT\\n" and a JPEG without anything else in it
    python -I extract.py pdf|docx|html FILE CHARACTERS     its text, or the beginning of it, in UTF-8

It runs in a process of its own, in which a file that is made to do harm can take neither much memory nor much time, nor
write anything; it imports nothing of Scrubjay. What it cannot read ends it with an error. Only POSIX systems have the
limits, so elsewhere no file is read.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from html.parser import HTMLParser
from io import BytesIO
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

MEMORY_BYTES = 2**30
CPU_S = 20
NICENESS = 10
"""Whoever waits for an answer comes first."""
MAX_PIXELS = 50_000_000
"""A decompression bomb has more; a telephone's largest picture has as many."""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
QUALITY = 85
MAX_XML_BYTES = 64 * 2**20
"""Of a document's text when it is unpacked."""
MAX_HTML_BYTES = 2**20

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def limit_process() -> None:
    """Take from this process what a file could misuse; a system may not know one of the limits."""
    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CPU: CPU_S,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))
    os.nice(NICENESS)


def picture(path: Path, longest: int) -> bytes:
    """Decode a picture and encode it anew: the right way up, no side longer than so many pixels, without metadata.

    Of a moving one the first frame is taken.
    """
    from PIL import Image, ImageOps

    with Image.open(path, formats=FORMATS) as opened:
        if opened.width * opened.height > MAX_PIXELS:
            raise ValueError("too many pixels")
        opened.draft("RGB", (longest, longest))  # a JPEG is decoded at about the size that is needed
        shown = ImageOps.exif_transpose(opened)
        shown.thumbnail((longest, longest))
        seen = shown.convert("RGBA")
    plain = Image.new("RGB", seen.size, "white")  # a new one holds neither a place nor a camera
    plain.paste(seen, mask=seen)
    encoded = BytesIO()
    plain.save(encoded, "JPEG", quality=QUALITY)
    return f"{plain.width} {plain.height}\n".encode() + encoded.getvalue()


def pdf(path: Path) -> Iterator[str]:
    """Yield the text of a PDF, page by page."""
    from pypdf import PdfReader

    for number, page in enumerate(PdfReader(path).pages, 1):
        yield f"[page {number}]\n{page.extract_text().strip()}\n\n"


def docx(path: Path) -> Iterator[str]:
    """Yield the text of a Word document, paragraph by paragraph."""
    from defusedxml.ElementTree import iterparse

    with ZipFile(path) as packed, packed.open("word/document.xml") as xml:
        if packed.getinfo("word/document.xml").file_size > MAX_XML_BYTES:
            raise ValueError("too much text")
        for _, node in iterparse(xml):
            if node.tag == f"{_WORD}t":
                yield node.text or ""
            elif node.tag in {f"{_WORD}tab", f"{_WORD}tc"}:
                yield "\t"
            elif node.tag in {f"{_WORD}p", f"{_WORD}br", f"{_WORD}tr"}:
                yield "\n"
            if node.tag == f"{_WORD}p":
                node.clear()


class TextOfPage(HTMLParser):
    """Collects what a web page says, a block a line."""

    UNSEEN = frozenset({"script", "style", "template", "noscript", "svg"})
    BLOCKS = frozenset("address article blockquote br dd div dt footer h1 h2 h3 h4 h5 h6 header li p pre td tr".split())

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self._unseen += tag in self.UNSEEN
        self.said += ["\n"] if tag in self.BLOCKS else []

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in self.UNSEEN and self._unseen > 0
        self.said += ["\n"] if tag in self.BLOCKS else []

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.said.append(" ".join(data.split()) or " ")


def html(path: Path) -> Iterator[str]:
    """Yield the text of a web page, or of its beginning."""
    page = TextOfPage()
    with path.open("rb") as opened:
        page.feed(opened.read(MAX_HTML_BYTES).decode("utf-8", "replace"))
        goes_on = opened.read(1)
    page.close()
    lines = (" ".join(line.split()) for line in " ".join(page.said).split("\n"))
    yield "\n".join(filter(None, lines))
    if goes_on:
        yield "\n[The page goes on; the rest was not read.]"


DOCUMENTS: dict[str, Callable[[Path], Iterator[str]]] = {"pdf": pdf, "docx": docx, "html": html}


def text(kind: str, path: Path, characters: int) -> bytes:
    """Return the text of a document, or its first so many characters and one more."""
    signs = chain.from_iterable(DOCUMENTS[kind](path))
    taken = "".join(sign for sign, _ in zip(signs, range(characters + 1), strict=False))
    return taken.encode("utf-8", "replace")


def main(kind: str, path: str, most: str) -> None:
    """Read one file, as the command line says."""
    limit_process()
    content = picture(Path(path), int(most)) if kind == "picture" else text(kind, Path(path), int(most))
    sys.stdout.buffer.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
