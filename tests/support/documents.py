"""Pictures, documents and recordings as people send them, the least that is one."""

from __future__ import annotations

import re
from html import escape
from io import BytesIO
from zipfile import ZipFile

from PIL import Image

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pdf(*lines: str) -> bytes:
    """The least that is a PDF with one page for each line."""
    pages = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(lines)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{pages}]/Count {len(lines)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at, line in enumerate(lines):
        plain = re.sub(r"([()\\\\])", r"\\\1", line.encode("ascii", "replace").decode())
        content = f"BT /F1 12 Tf 72 720 Td ({plain}) Tj ET"
        font = "/Resources<</Font<</F1 3 0 R>>>>"
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]{font}/Contents {5 + 2 * at} 0 R>>",
            f"<</Length {len(content)}>>\nstream\n{content}\nendstream",
        ]
    body, places = "%PDF-1.4\n", list[int]()
    for number, thing in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{thing}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()


def docx(*paragraphs: str, before: str = "") -> bytes:
    text = "".join(f"<w:p><w:r><w:t>{paragraph}</w:t></w:r></w:p>" for paragraph in paragraphs)
    written = BytesIO()
    with ZipFile(written, "w") as packed:
        packed.writestr("word/document.xml", f"{before}<w:document {WORD}><w:body>{text}</w:body></w:document>")
    return written.getvalue()


def html(text: str) -> bytes:
    return f"<title>x</title><p>{escape(text)}".encode()


BLOCK, WIDE = 8, 64
"""Pixels of one bit, and bits of one row: large enough for every picture that is drawn anew."""


def written_picture(text: str) -> bytes:
    """A picture with a text in it, for who can read black and white squares."""
    bits = "".join(f"{byte:08b}" for byte in text.encode() + b"\0")
    rows = -(-len(bits) // WIDE)
    squares = Image.new("L", (WIDE, rows), 255)
    squares.putdata([0 if bit == "1" else 255 for bit in bits.ljust(WIDE * rows, "0")])
    written = BytesIO()
    squares.resize((WIDE * BLOCK, rows * BLOCK), Image.Resampling.NEAREST).save(written, "PNG")
    return written.getvalue()


def read_picture(data: bytes) -> str:
    """The text in such a picture, however it was encoded since."""
    with Image.open(BytesIO(data)) as picture:
        rows = round(picture.height * WIDE / picture.width)
        squares = picture.convert("L").resize((WIDE, rows), Image.Resampling.BOX)
    bits = "".join("1" if level < 128 else "0" for level in squares.tobytes())
    return (
        bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))
        .partition(b"\0")[0]
        .decode("utf-8", "replace")
    )
