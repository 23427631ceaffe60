"""Messages through the REST API, as fields; every failure comes out as one of the port's errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import discord
from discord.http import Route

from adapters.discord.failures import failures
from adapters.discord.ticket import Ticket

ORIGINAL = "@original"
"""The message that answers an interaction first, or that holds the button which was pressed."""


class Wire:
    """Writes and changes messages."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def write(self, channel: int, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Send a message to a channel; its id. The same nonce again, within minutes, gives the same message."""
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        return await self._message(route, fields, files, what=f"Sending to channel {channel}")

    async def change(self, channel: int, message: str, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Replace what a message of the bot's shows."""
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=channel, message_id=int(message))
        return await self._message(route, fields, files, what=f"Editing message {message}")

    async def complete(
        self, ticket: Ticket, fields: Mapping[str, Any], files: Sequence[Path] = (), *, message: str = ORIGINAL
    ) -> str:
        """Fill the message that a deferred interaction has left open, or change one of its later messages."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message}"
        route = Route("PATCH", path, **self._right(ticket), message=message)
        if message == ORIGINAL:  # the quoting of a path parameter would spoil the sign in front of it
            route.url = route.url.replace("%40original", ORIGINAL)
        return await self._message(route, fields, files, what=f"Answering interaction {ticket.interaction}")

    async def follow(self, ticket: Ticket, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Send one more message after an interaction's first. There is no nonce: sent again, it is there twice."""
        route = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", **self._right(ticket))
        return await self._message(route, fields, files, what=f"Following interaction {ticket.interaction}")

    def _right(self, ticket: Ticket) -> dict[str, Any]:
        return {"webhook_id": self._client.application_id, "webhook_token": ticket.token}

    async def _message(self, route: Route, fields: Mapping[str, Any], files: Sequence[Path], *, what: str) -> str:
        with failures(what):
            answer = await self._request(route, fields, files)
        return str(answer["id"])

    async def _request(self, route: Route, fields: Mapping[str, Any], files: Sequence[Path]) -> Any:
        if not files:
            return await self._client.http.request(route, json=fields)
        opened = [discord.File(path) for path in files]
        try:
            return await self._client.http.request(route, form=_form(fields, opened), files=opened)
        finally:
            for file in opened:
                file.close()


def _form(fields: Mapping[str, Any], files: Sequence[discord.File]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(fields)}]
    for number, file in enumerate(files):
        parts.append(
            {
                "name": f"files[{number}]",
                "value": file.fp,
                "filename": file.filename,
                "content_type": "application/octet-stream",
            }
        )
    return parts
