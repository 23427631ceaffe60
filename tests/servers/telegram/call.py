"""One call of a Bot API method: its arguments, its uploaded files, and which of them the method has looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

from tests.servers.telegram.refusals import Refused

UNHEEDED = frozenset(
    {"disable_notification", "protect_content", "link_preview_options", "allow_paid_broadcast", "is_big"}
)
"""Arguments that change nothing which a test could see here; they are in the ledger."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a request."""

    name: str
    mime: str
    data: bytes

    @property
    def summary(self) -> dict[str, Any]:
        """What the ledger keeps of it."""
        return {"name": self.name, "size": len(self.data), "sha256": hashlib.sha256(self.data).hexdigest()}


class Call:
    """A judged request. Arguments are looked up by name; what a method never looks at, it does not model."""

    def __init__(self, method: str, arguments: Mapping[str, Any], uploads: Mapping[str, Upload]) -> None:
        self.method = method
        self._arguments = arguments
        self._uploads = uploads
        self._seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._seen.add(name)
        return self._arguments[name]

    def get(self, name: str, default: Any = None) -> Any:
        self._seen.add(name)
        return self._arguments.get(name, default)

    def has(self, name: str) -> bool:
        return name in self._arguments

    def upload(self, reference: str) -> Upload | None:
        """The file that `attach://<part>` means."""
        return self._uploads.get(reference.removeprefix("attach://")) if reference.startswith("attach://") else None

    @property
    def unlooked(self) -> list[str]:
        """The arguments that this server ignored."""
        return sorted(self._arguments.keys() - self._seen - UNHEEDED)


async def read(request: web.Request) -> tuple[dict[str, Any], dict[str, Upload]]:
    """The raw arguments, from the query and the body (form, multipart or JSON), and the files.

    A file in the place of an argument leaves `attach://<part>` there.

    Raises:
        Refused: it is too large.
    """
    raw: dict[str, Any] = dict(request.query)
    uploads: dict[str, Upload] = {}
    if request.content_type == "application/json":
        raw |= await request.json()
        return raw, uploads
    try:
        form = await request.post()
    except web.HTTPRequestEntityTooLarge:
        raise Refused(413, "Request Entity Too Large") from None
    for name, value in form.items():
        if isinstance(value, FileField):
            uploads[name] = Upload(value.filename, value.content_type, value.file.read())
        else:
            raw[name] = value
    mentioned = set(_attached(raw))
    return raw | {name: f"attach://{name}" for name in uploads if name not in mentioned}, uploads


def _attached(raw: Mapping[str, Any]) -> Iterator[str]:
    """The parts that some argument refers to."""
    for value in raw.values():
        for piece in str(value).split("attach://")[1:]:
            yield piece.partition('"')[0]
