"""A bucket as S3's clients see it, in memory: put, get, list, delete several; for it, it is always the same day."""

from __future__ import annotations

from hashlib import md5
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from aiohttp import web

SPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class Bucket:
    """The bucket, and its application; the keys of its `objects` are without its name."""

    def __init__(self, name: str) -> None:
        self.objects: dict[str, bytes] = {}
        self.is_broken = False
        self._name = name
        self.application = web.Application(client_max_size=64 * 2**20)
        self.application.router.add_route("*", f"/{name}", self._bucket)
        self.application.router.add_route("*", f"/{name}/{{key:.*}}", self._object)

    async def _object(self, request: web.Request) -> web.Response:
        key = request.match_info["key"]
        if not key:
            return await self._bucket(request)
        if self.is_broken:
            return web.Response(status=403, text="<Error><Code>AccessDenied</Code></Error>")
        if request.method == "PUT":
            self.objects[key] = await request.read()
        if key not in self.objects:
            return web.Response(status=404, text="<Error><Code>NoSuchKey</Code></Error>")
        headers = {"ETag": _tag(self.objects[key]), "Last-Modified": "Sat, 21 Nov 2026 12:00:00 GMT"}
        return web.Response(body=b"" if request.method == "PUT" else self.objects[key], headers=headers)

    async def _bucket(self, request: web.Request) -> web.Response:
        if self.is_broken:
            return web.Response(status=403, text="<Error><Code>AccessDenied</Code></Error>")
        if request.method == "POST":
            asked = ET.fromstring(await request.text())
            keys = [one.text or "" for one in asked.iter() if one.tag.rpartition("}")[2] == "Key"]
            for key in keys:
                self.objects.pop(key, None)
            gone = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
            return web.Response(text=f'<DeleteResult xmlns="{SPACE[1:-1]}">{gone}</DeleteResult>')
        prefix = request.query.get("prefix", "")
        found = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-11-21T12:00:00.000Z</LastModified>"
            f"<ETag>{escape(_tag(content))}</ETag><Size>{len(content)}</Size></Contents>"
            for key, content in sorted(self.objects.items())
            if key.startswith(prefix)
        )
        head = f"<Name>{self._name}</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>"
        return web.Response(text=f'<ListBucketResult xmlns="{SPACE[1:-1]}">{head}{found}</ListBucketResult>')


def _tag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'
