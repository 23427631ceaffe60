"""Updates that nothing can be made of: kept as they came, so that whoever wrote can still be answered one day."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST = 100
"""Files that are kept. Strangers can cause them, so there must be an end."""

log = logging.getLogger(__name__)


class Unreadable:
    """A folder of updates as JSON files, named by their ids."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, update: Mapping[str, Any], error: Exception) -> None:
        """Put an update aside and say so."""
        path = self._folder / f"{update['update_id']}.json"
        is_kept = await asyncio.to_thread(self._write, path, json.dumps(update, ensure_ascii=False))
        place = str(path) if is_kept else f"nowhere, since {self._folder} holds {MOST} others"
        log.error("Telegram sent an update that cannot be read (%r). It is set aside in %s.", error, place)

    def _write(self, path: Path, text: str) -> bool:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_free = path.exists() or sum(1 for _ in self._folder.iterdir()) < MOST
        if is_free:
            path.write_text(text, encoding="utf-8", errors="replace")
        return is_free
