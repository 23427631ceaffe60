"""Check: the ports on which the service is to listen are free, or its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import closing

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.paths import reason
from bot.system import instance
from bot.texts.catalogue import mark, tr

PATIENCE_S = 2.0


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Try each port as the service would; while one runs, ask whether it is the one that answers."""
    config = context.config()
    wanted = [("health.port", config.health.host, config.health.port)] if config.health.port else []
    webhook = config.telegram.webhook
    if webhook.url and config.telegram.tokens:
        wanted.append(("telegram.webhook.port", webhook.host, webhook.port))
    holder = instance.holder(context.home)
    serves = holder is not None and holder.command == "run"
    for option, host, port in wanted:
        place = f"{host}:{port}"
        if serves:
            if option == "health.port" and not await _is_ours(host, port):
                message = tr("the service runs, and something else, or nothing, answers here ({option})", option=option)
                hint = tr("Set {option} to a free port, or to 0, and start the service again.", option=option)
                yield Finding("ports.not_ours", Severity.WARNING, place, message, hint)
        elif why := _taken(host, port):
            message = tr("the port of {option} cannot be used: {why}", option=option, why=why)
            hint = tr("Set {option} to a free port, or end the program that has it.", option=option)
            yield Finding("ports.taken", Severity.WARNING, place, message, hint)
        else:
            yield Finding("ports.free", Severity.NOTE, place, tr("free for {option}", option=option))


def _taken(host: str, port: int) -> str:
    """Say why a port cannot be listened on; empty if it can."""
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what just ended is no hindrance to the service
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            return reason(error)
    return ""


async def _is_ours(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(host, port)
            with closing(writer):
                writer.write(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = await reader.read(1000)
    except (OSError, TimeoutError):
        return False
    return b'"status": "alive"' in answer


CHECK = Check(
    mark("ports"),
    detect,
    {
        "free": "The port can be listened on.",
        "taken": "Another program has the port, or the address is not one of this machine. Without the health port "
        "the service runs and nobody can ask how it is; without the webhook's it gets no messages.",
        "not_ours": "The service runs, but its health port is answered by something else: it was taken when the "
        "service started. Choose another one and start it again.",
    },
)
