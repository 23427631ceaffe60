"""Files that several machines share, in a folder or at S3: by agent and turn, and there by the hash of what is in them.

An object is never changed. Its key is `AGENT/TURN/SHA256/NAME`: so one turn's files can be listed and removed, no agent
sees another one's, and whoever fetches one sees whether it is whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

from bot.errors import from_extra
from bot.paths import make_private

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

TIMEOUT_S = 60.0
"""How long one request, with all tries, may take."""


class SharedFiles:
    """Files of turns in an object store; what it refuses raises OSError.

    Args:
        url: `file:///FOLDER` or `s3://BUCKET/PREFIX`; for S3, the environment has keys and endpoint (`AWS_...`).

    Raises:
        ConfigError: the library is not installed.
        OSError: the folder cannot be made.
    """

    def __init__(self, url: str) -> None:
        with from_extra("objects", "store.objects"):
            import obstore
            from obstore import store

        self._api, parts = obstore, urlsplit(url)
        self._store: ObjectStore
        with self._refusals():
            if parts.scheme == "file":
                make_private(Path(unquote(parts.path)))
                self._store = store.LocalStore(unquote(parts.path), automatic_cleanup=True)
            else:
                limits: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=TIMEOUT_S)}
                self._store = store.S3Store.from_url(url, client_options={"allow_http": True}, retry_config=limits)

    @classmethod
    def at(cls, url: str) -> Self | None:
        """Open them at an address; None without one."""
        return cls(url) if url else None

    async def put(self, name: str, path: Path) -> None:
        """Keep a file under a name, `AGENT/TURN/NAME`; the same again changes nothing."""

        def digest_of_file() -> str:
            with path.open("rb") as file:
                return file_digest(file, "sha256").hexdigest()

        agent, turn, rest = name.split("/", 2)
        digest = await asyncio.to_thread(digest_of_file)
        with self._refusals():
            async with asyncio.timeout(TIMEOUT_S):
                await self._api.put_async(self._store, f"{agent}/{turn}/{digest}/{rest}", path)

    async def get(self, name: str) -> bytes | None:
        """Return what was kept under a name last; None if nothing was, or if it is not whole."""
        agent, turn, rest = name.split("/", 2)
        candidates = []
        with self._refusals():
            async with asyncio.timeout(TIMEOUT_S):
                for kept in await self._api.list(self._store, f"{agent}/{turn}/").collect_async():
                    digest, _, kept_name = kept["path"].removeprefix(f"{agent}/{turn}/").partition("/")
                    if kept_name == rest:
                        candidates.append((kept["last_modified"], digest, kept["path"]))
                if not candidates:
                    return None
                _, digest, key = max(candidates)
                content = bytes(await (await self._api.get_async(self._store, key)).bytes_async())
        return content if sha256(content).hexdigest() == digest else None

    async def remove(self, agent: str, turn: str) -> None:
        """Remove all files of a turn."""
        with self._refusals():
            listed = await self._api.list(self._store, f"{agent}/{turn}/").collect_async()
            await self._api.delete_async(self._store, [kept["path"] for kept in listed])

    async def sweep(self, before: datetime, *, kept: Collection[str]) -> None:
        """Remove files kept before an instant, but those of the turns `kept`."""
        with self._refusals():
            async for page in self._api.list(self._store):
                old = [listed["path"] for listed in page if listed["last_modified"] < before]
                gone = [path for path in old if path.count("/") > 2 and path.split("/")[1] not in kept]
                await self._api.delete_async(self._store, gone)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except self._api.exceptions.BaseError as error:
            raise OSError(str(error).partition("\n")[0]) from error
