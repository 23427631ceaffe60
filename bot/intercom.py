"""The local socket through which commands of this machine reach a running service.

A TCP port on 127.0.0.1 that the system chooses; the port and a key stand in a file that only the owner may read. A
request is one line, an object with the key, and the answer is one line.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hmac import compare_digest
from pathlib import Path
from typing import Any

from bot.counter import Answer, Counter
from bot.errors import BotError, Missing, Refused, Unreachable, UsageError
from bot.files import create
from bot.sockets import listen

LONGEST = 64 * 1024
PATIENCE_S = 10
KINDS: dict[int, type[BotError]] = {kind.exit_code: kind for kind in (UsageError, Missing, Refused)}
"""What the service may answer with, by exit code."""


@asynccontextmanager
async def listening(card: Path, counter: Counter) -> AsyncIterator[None]:
    """Answer requests until the block ends; `card` is the file with port and key."""
    key = secrets.token_hex(16)

    async def answer(reader: asyncio.StreamReader) -> bytes:
        return json.dumps(await _answered(counter, key, await reader.readline())).encode() + b"\n"

    server = await listen(answer, 0, longest=LONGEST, patience_s=PATIENCE_S)
    port = server.sockets[0].getsockname()[1]
    card.unlink(missing_ok=True)
    create(card, json.dumps({"port": port, "key": key}))
    try:
        yield
    finally:
        card.unlink(missing_ok=True)
        server.close()


async def ask(card: Path, what: str, **about: Any) -> Answer:
    """Ask a running service.

    Raises:
        Unreachable: none answers.
        BotError: it refuses; code and words are its own.
    """
    try:
        told = json.loads(card.read_text(encoding="utf-8"))
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", told["port"], limit=LONGEST * 64)
            writer.write(json.dumps({"key": told["key"], "what": what, "about": about}).encode() + b"\n")
            answer = json.loads(await reader.readline())
            writer.close()
    except (OSError, ValueError, KeyError, TypeError, RecursionError, TimeoutError) as error:
        raise Unreachable(
            "The running service does not answer.", hint="Is it just starting? If not, see its log (scrubjay paths)."
        ) from error
    if "refused" in answer:
        raise KINDS.get(answer["code"], BotError)(answer["refused"], hint=answer["hint"])
    return dict(answer["told"])


async def _answered(counter: Counter, key: str, line: bytes) -> Answer:
    try:
        request = json.loads(line)
        if not compare_digest(str(request.get("key")), key):
            raise Refused("This is not the key of the running service.")
        return {"told": await counter.ask(str(request["what"]), **request["about"])}
    except BotError as error:
        return {"refused": error.message, "hint": error.hint, "code": error.exit_code}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {"refused": "The service does not understand this request.", "hint": "", "code": UsageError.exit_code}
