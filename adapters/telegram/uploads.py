"""Files on their way out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from adapters.port import SendRefused

LIMIT = 50 * 2**20
PHOTO_LIMIT = 10 * 2**20
PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".webp"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A file's content; `is_photo` if it can be shown as a picture."""

    name: str
    content: bytes
    is_photo: bool


async def upload(path: Path) -> Upload:
    """Read a file.

    Raises:
        SendRefused: it is not there, empty, or too large.
    """
    try:
        content = await asyncio.to_thread(_read, path)
    except OSError as error:
        raise SendRefused(f"The file {path.name} cannot be sent: {error.strerror}.") from error
    if not 0 < len(content) <= LIMIT:
        raise SendRefused(f"The file {path.name} cannot be sent: Telegram takes 1 byte to 50 MB.")
    is_photo = path.suffix.lower() in PHOTOS and len(content) <= PHOTO_LIMIT
    return Upload(path.name, content, is_photo)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LIMIT + 1)
