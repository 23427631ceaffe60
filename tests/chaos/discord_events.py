"""Malformed and foreign events of Discord's gateway, each made from a seed's chance and a number."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from tests.chaos.mutations import ODD_VALUES, odd, text

FOREIGN = 10**17
"""Ids from here on are of nobody and nothing that the bot knows."""

AS_THEY_ARE = 0.2
"""The share of events that are well formed, and merely foreign."""

FRAMES_SPOILED = 0.03
"""The share of frames whose very name or body is something else."""


def frame(number: int, chance: Random, *, person: int, room: int) -> tuple[Any, Any]:
    """Return the name and the body of one odd event.

    Args:
        number: makes the ids in it its own.
        chance: what is drawn from.
        person: somebody whom the bot listens to; or 0.
        room: a channel of theirs.
    """
    bodies = _bodies(number, chance, person=person, room=room)
    name: Any = chance.choice(sorted(bodies))
    body: Any = bodies[name] if chance.random() < AS_THEY_ARE else odd(bodies[name], chance)
    if chance.random() < FRAMES_SPOILED:
        return (chance.choice(ODD_VALUES), body) if chance.random() < 0.5 else (name, chance.choice(ODD_VALUES))
    return name, body


def _bodies(number: int, chance: Random, *, person: int, room: int) -> Mapping[str, Any]:
    foreign = FOREIGN + 10 * number
    sender = person if person and chance.random() < 0.3 else foreign + 1
    place = room if room and chance.random() < 0.3 else foreign + 2
    user: dict[str, Any] = {
        "id": str(sender),
        "username": "eve",
        "discriminator": "0",
        "avatar": None,
        "global_name": "Eve",
    }
    member: dict[str, Any] = {
        "user": user,
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
    }
    message: dict[str, Any] = {
        "id": str(10**18 + number), "channel_id": str(place), "author": user, "type": chance.choice((0, 19, 7, 99)),
        "content": chance.choice(("hello", "", text(chance, largest=3000)[0])), "tts": False, "pinned": False,
        "timestamp": "2026-11-21T12:00:00+00:00",
        "edited_timestamp": chance.choice((None, "2026-11-21T12:01:00+00:00")),
        "mention_everyone": False, "mentions": [user], "mention_roles": [], "embeds": [], "flags": 0,
        "attachments": [{"id": "1", "filename": "a.txt", "size": 3, "url": "http://127.0.0.1:9/a", "proxy_url": "x"}],
        "message_snapshots": [{"message": {"content": "forwarded", "attachments": []}}],
    }  # fmt: skip
    guild: dict[str, Any] = {
        "id": str(foreign + 3), "name": "Elsewhere", "owner_id": user["id"], "roles": [], "emojis": [], "features": [],
        "channels": [{"id": str(foreign + 4), "type": 0, "name": "x", "position": 0, "permission_overwrites": []}],
        "threads": [], "members": [member], "member_count": 1, "large": False, "unavailable": False,
    }  # fmt: skip
    channel: dict[str, Any] = {
        "id": str(foreign + 4),
        "guild_id": guild["id"],
        "type": chance.choice((0, 2, 5, 13, 15, 77)),
        "name": "x",
    }
    thread: dict[str, Any] = channel | {"type": 11, "parent_id": str(place), "owner_id": user["id"], "message_count": 1}
    thread |= {"thread_metadata": {"archived": False, "locked": False, "auto_archive_duration": 60}}
    parts = [{"type": chance.choice((1, 2, 3)), "name": "add", "options": [{"type": 1, "name": "one"}]}]
    data: dict[str, Any] = {
        "id": "1", "type": chance.choice((1, 2, 3)), "name": chance.choice(("recall", "remember", "nobody", "ask")),
        "options": chance.choice(([], parts, [{"type": 3, "name": "words", "value": "lamp"}])),
        "custom_id": chance.choice(("sj:f:x", "other", "")), "component_type": 2, "components": [],
        "resolved": {"messages": {"5": message}}, "target_id": "5",
    }  # fmt: skip
    interaction: dict[str, Any] = {
        "id": str(10**18 + number), "application_id": "1", "type": chance.choice((1, 2, 3, 4, 5)),
        "token": f"t{number}",
        "version": 1, "user": user, "channel_id": str(place), "channel": {"id": str(place), "type": 1}, "data": data,
        "message": message, "entitlements": [], "authorizing_integration_owners": {}, "attachment_size_limit": 1,
    }  # fmt: skip
    gone: dict[str, Any] = {"id": message["id"], "channel_id": message["channel_id"], "guild_id": guild["id"]}
    return {
        "MESSAGE_CREATE": message,
        "MESSAGE_UPDATE": message,
        "INTERACTION_CREATE": interaction,
        "MESSAGE_DELETE": gone,
        "MESSAGE_REACTION_ADD": gone | {"user_id": user["id"], "message_id": message["id"], "emoji": {"name": "x"}},
        "TYPING_START": gone | {"user_id": user["id"], "timestamp": 1_795_000_000},
        "GUILD_CREATE": guild,
        "GUILD_UPDATE": guild,
        "GUILD_DELETE": {"id": guild["id"], "unavailable": chance.choice((True, False))},
        "GUILD_ROLE_CREATE": {"guild_id": guild["id"], "role": {"id": "5", "name": "r", "permissions": "0"}},
        "GUILD_MEMBER_ADD": member | {"guild_id": guild["id"]},
        "GUILD_MEMBERS_CHUNK": {"guild_id": guild["id"], "members": [member], "chunk_index": 0, "chunk_count": 1},
        "CHANNEL_CREATE": channel,
        "CHANNEL_UPDATE": channel,
        "CHANNEL_DELETE": channel,
        "THREAD_CREATE": thread,
        "THREAD_LIST_SYNC": {"guild_id": guild["id"], "threads": [thread], "members": []},
        "VOICE_STATE_UPDATE": {"guild_id": guild["id"], "user_id": user["id"], "session_id": "x", "channel_id": None},
        "PRESENCE_UPDATE": {"user": user, "guild_id": guild["id"], "status": "online", "activities": []},
        "WEBHOOKS_UPDATE": gone,
        "FROM_THE_FUTURE": message,
    }
