from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from bot.media import reader as module
from bot.media.reader import FileUnreadable, MediaReader, ReadingTime, is_picture, longest_side
from bot.turn import File
from tests.support.documents import docx, pdf


def kept(folder: Path, name: str, data: bytes, mime: str = "") -> File:
    path = folder / name
    path.write_bytes(data)
    return File(name, "document", mime, len(data), path)


def encoded(form: str, *, size: tuple[int, int] = (40, 20), mode: str = "RGB", **options: object) -> bytes:
    written = BytesIO()
    Image.new(mode, size, "red").save(written, form, **options)
    return written.getvalue()


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF"])
async def test_a_picture_becomes_a_jpeg_within_the_size(tmp_path: Path, form: str) -> None:
    shown = await MediaReader().picture(
        kept(tmp_path, "a", encoded(form, size=(3000, 1500))), longest=1568, within=ReadingTime()
    )

    assert (shown.mime, shown.width, shown.height) == ("image/jpeg", 1568, 784)
    with Image.open(BytesIO(shown.content)) as opened:
        assert (opened.format, opened.size) == ("JPEG", (1568, 784))


async def test_a_small_picture_keeps_its_size_the_right_way_up_and_tells_neither_place_nor_camera(
    tmp_path: Path,
) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera of Alice"  # turned by a quarter
    data = encoded("JPEG", exif=exif, comment=b"at home")

    shown = await MediaReader().picture(kept(tmp_path, "a.jpg", data), longest=1568, within=ReadingTime())

    assert (shown.width, shown.height) == (20, 40)
    assert b"Alice" in data
    assert b"Alice" not in shown.content
    assert b"at home" not in shown.content
    with Image.open(BytesIO(shown.content)) as opened:
        assert not opened.getexif()


async def test_what_is_transparent_becomes_white_and_of_frames_the_first_is_taken(tmp_path: Path) -> None:
    frames, written = [Image.new("RGBA", (9, 9), colour) for colour in ((0, 0, 0, 0), (255, 0, 0, 255))], BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:])

    shown = await MediaReader().picture(kept(tmp_path, "a.gif", written.getvalue()), longest=99, within=ReadingTime())

    with Image.open(BytesIO(shown.content)) as opened:
        assert opened.getpixel((4, 4)) == (255, 255, 255)


def bomb() -> bytes:
    """A PNG of a hundred thousand times a hundred thousand pixels, in a few bytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(9999))) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("data", [b"x", b"", b"\xff\xd8\xff" * 9, bomb(), encoded("BMP"), encoded("TIFF")])
async def test_what_is_no_picture_or_far_too_large_is_said_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FileUnreadable, match="damaged, protected by a password, or too large"):
        await MediaReader().picture(kept(tmp_path, "a.png", data), longest=99, within=ReadingTime())


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.pdf", pdf("The oven is new.", "It bakes."), "[page 1]\nThe oven is new.\n\n[page 2]\nIt bakes."),
        ("a.docx", docx("The oven", "is new."), "The oven\nis new."),
        (
            "a.html",
            b"<title>Ovens</title><style>p {}</style><script>alert(1)</script><p>The <b>oven</b></p><p>is&nbsp;new.",
            "Ovens\nThe oven\nis new.",
        ),
        ("a.md", b"# Oven\n", "# Oven"),
        ("a.bin", b"\1\2", ""),
    ],
)
async def test_the_text_of_a_document(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    assert await MediaReader().text(kept(tmp_path, name, data), limit=999, within=ReadingTime()) == text


@pytest.mark.parametrize("make", [pdf, docx, lambda line: f"<p>{line}</p>".encode()])
async def test_of_a_long_document_the_beginning_and_a_sign_more_is_read(
    tmp_path: Path, make: Callable[[str], bytes]
) -> None:
    name = {b"%PD": "a.pdf", b"PK\3": "a.docx"}.get(make("x")[:3], "a.html")

    found = await MediaReader().text(kept(tmp_path, name, make("oven" * 999)), limit=40, within=ReadingTime())

    assert len(found) == 41


LAUGHS = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
XML_BOMB = f'<!DOCTYPE w:document [<!ENTITY a "ha">{LAUGHS}]>'


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.pdf", b"%PDF-1.4 and nothing"), ("a.docx", b"no archive"), ("a.docx", docx("&m;", before=XML_BOMB))],
)
async def test_a_document_that_is_damaged_or_grows_is_said_so(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(FileUnreadable):
        await MediaReader().text(kept(tmp_path, name, data), limit=999, within=ReadingTime())


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import sys\nwhile True: sys.stdout.write('x' * 9999)",
        "[0] * 10**10",
        "open('made', 'w').write('x' * 9999)",
    ],
)
async def test_a_file_takes_no_more_time_room_or_memory_than_is_given(tmp_path: Path, body: str) -> None:
    program = tmp_path / "hostile.py"
    lines = Path(module.PROGRAM).read_text(encoding="utf-8").partition("if __name__")[0]
    program.write_text(f"{lines}\nlimit_process()\nimport os\nos.chdir({str(tmp_path)!r})\n{body}\n", encoding="utf-8")

    with pytest.raises(FileUnreadable):
        await MediaReader(program=program).text(kept(tmp_path, "a.pdf", b"x"), limit=9, within=ReadingTime(1.0))

    assert not (tmp_path / "made").exists() or not (tmp_path / "made").read_bytes()


async def test_it_is_read_behind_what_others_wait_for(tmp_path: Path) -> None:
    program = tmp_path / "telling.py"
    lines = Path(module.PROGRAM).read_text(encoding="utf-8").partition("if __name__")[0]
    program.write_text(f"{lines}\nlimit_process()\nprint(os.nice(0))\n", encoding="utf-8")

    told = await MediaReader(program=program).text(kept(tmp_path, "a.pdf", b"x"), limit=9, within=ReadingTime())

    assert int(told) == min(19, os.nice(0) + 10)


async def test_of_a_huge_web_page_the_first_mebibyte_is_read(tmp_path: Path) -> None:
    page = b"<p>Ovens</p><script>" + b" " * 2**20 + b"</script><p>Sheds</p>"

    found = await MediaReader().text(kept(tmp_path, "a.html", page), limit=999, within=ReadingTime())

    assert found == "Ovens\n[The page goes on; the rest was not read.]"


def test_what_counts_as_a_picture_and_how_large_it_may_be() -> None:
    path = Path("a")

    assert is_picture(File("a.png", "photo", "image/png", 1, path))
    assert not is_picture(File("a.svg", "document", "image/svg+xml", 1, path))
    assert not is_picture(File("a.png", "photo", "image/png", 1))
    assert (longest_side(4_096), longest_side(32_000)) == (768, 1568)
