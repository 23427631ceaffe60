"""Discord's REST API over HTTP: what the front adds to simcord, and what people do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.control import ControlError
from tests.servers.discord.client import Discord, Guild, Person, running
from tests.servers.discord.conftest import Api
from tests.servers.ledger import read


@pytest.fixture
def alice(server: Discord) -> Person:
    return server.user("alice")


@pytest.fixture
def guild(server: Discord, alice: Person) -> Guild:
    return server.guild("Team", [alice])


@pytest.fixture
def room(guild: Guild) -> int:
    return guild.channel("general")


def write(api: Api, room: int, text: str, *, status: int = 200, **fields: Any) -> Any:
    return api("POST", f"/channels/{room}/messages", json={"content": text, **fields}, status=status)


def texts(server: Discord, room: int) -> list[str]:
    return [message["content"] for message in server.history(room)]


def test_a_message_is_written_edited_and_deleted(server: Discord, api: Api, room: int) -> None:
    message = write(api, room, "one")
    path = f"/channels/{room}/messages/{message['id']}"

    assert api("PATCH", path, json={"content": "two"})["content"] == "two"
    assert texts(server, room) == ["two"]
    api("DELETE", path, status=204)
    api("GET", path, status=404)

    story = [(entry["kind"], entry["text"]) for entry in server.entries() if entry["kind"] in {"message", "edit"}]
    assert story == [("message", "one"), ("edit", "two")]
    assert server.entries("delete")[0]["id"] == message["id"]
    assert server.violations() == []


def test_json_comes_with_the_exact_content_type_and_limits_with_headers(server: Discord, room: int) -> None:
    headers = {"Authorization": f"Bot {server.token}"}

    response = httpx.get(f"{server.api_url}/channels/{room}", headers=headers, trust_env=False)

    assert response.headers["Content-Type"] == "application/json"
    assert {"Via", "X-RateLimit-Bucket", "X-RateLimit-Remaining", "X-RateLimit-Reset-After"} <= {
        name.title().replace("Ratelimit", "RateLimit") for name in response.headers
    }


def test_the_same_nonce_is_the_same_message_for_some_minutes(server: Discord, api: Api, room: int) -> None:
    once = write(api, room, "hi", nonce="7", enforce_nonce=True)
    again = write(api, room, "hi", nonce="7", enforce_nonce=True)
    careless = write(api, room, "hi", nonce="7")
    server.call("forget_nonces")
    later = write(api, room, "hi", nonce="7", enforce_nonce=True)

    assert once["id"] == again["id"]
    assert once["nonce"] == again["nonce"] == "7"
    assert len({once["id"], careless["id"], later["id"]}) == 3
    assert len(server.entries("repetition")) == 1


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"content": "x" * 2001}, 400, 50035),
        ({"content": ""}, 400, 50006),
        ({"content": "x", "nonce": "n" * 26}, 400, 50035),
    ],
)
def test_a_wrong_message_is_refused_with_discords_codes(
    api: Api, room: int, fields: dict[str, Any], status: int, code: int
) -> None:
    body = api("POST", f"/channels/{room}/messages", json=fields, status=status)

    assert body["code"] == code


def test_the_error_for_a_long_text_names_the_field(api: Api, room: int) -> None:
    body = write(api, room, "x" * 2001, status=400)

    assert body["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"


def test_other_refusals_have_their_codes(server: Discord, api: Api, alice: Person, room: int) -> None:
    theirs = alice.says(room, "mine")
    server.call("closes_direct_messages", user=alice.id)

    codes = [
        api("GET", "/channels/1", status=404)["code"],
        api("GET", f"/channels/{room}/messages/1", status=404)["code"],
        api("PATCH", f"/channels/{room}/messages/{theirs}", json={"content": "x"}, status=403)["code"],
        write(api, alice.direct, "hi", status=403)["code"],
        api("POST", f"/channels/{room}/messages", content=b"{", status=400)["code"],
        api("GET", f"/channels/{room}/messages?limit=101", status=400)["code"],
        api("POST", "/interactions/1/none/callback", json={"type": 5}, status=404)["code"],
    ]

    assert codes == [10003, 10008, 50005, 50007, 50109, 50035, 10062]


def test_a_wrong_token_is_refused(server: Discord, api: Api) -> None:
    api("GET", "/users/@me")
    server.call("revoke_token")
    assert api("GET", "/users/@me", status=401) == {"message": "401: Unauthorized", "code": 0}
    server.call("restore_token")
    api("GET", "/users/@me")


def test_what_simcord_does_not_model_is_a_violation(server: Discord, api: Api, room: int) -> None:
    api("GET", "/no/such/route", status=501)
    write(api, room, "x", status=501, colour="red")

    assert len(server.violations()) == 2
    assert "colour" in server.violations()[1]


def test_files_go_up_and_come_down(server: Discord, api: Api, alice: Person, room: int) -> None:
    alice.says(room, "look", files=[("a.txt", b"hello")])
    seen = api("GET", f"/channels/{room}/messages")[0]["attachments"][0]
    payload = {"payload_json": json.dumps({"content": "back"})}

    sent = api("POST", f"/channels/{room}/messages", data=payload, files={"files[0]": ("b.txt", b"bytes")})

    server.fault("GET /cdn/*", "status", status=503)
    assert httpx.get(seen["url"], trust_env=False).status_code == 503
    assert httpx.get(seen["url"], trust_env=False).content == b"hello"
    assert httpx.get(sent["attachments"][0]["url"], trust_env=False).content == b"bytes"
    assert httpx.get(f"{seen['url']}x", trust_env=False).status_code == 404
    assert server.entries("message")[-1]["files"] == ["b.txt"]


def test_a_file_above_ten_mebibytes_is_refused(api: Api, room: int) -> None:
    big = {"files[0]": ("big.bin", b"x" * (10 * 2**20 + 1))}

    assert api("POST", f"/channels/{room}/messages", files=big, status=413)["code"] == 40005
    huge = {f"files[{index}]": (f"{index}.bin", b"x" * (9 * 2**20)) for index in range(3)}
    assert api("POST", f"/channels/{room}/messages", files=huge, status=413)["code"] == 40005


def test_history_after_a_message_begins_with_the_oldest(server: Discord, api: Api, alice: Person, room: int) -> None:
    first = alice.says(room, "0")
    for number in range(1, 8):
        alice.says(room, str(number))

    page = api("GET", f"/channels/{room}/messages?after={first}&limit=3")

    assert [message["content"] for message in page] == ["3", "2", "1"]
    assert [message["content"] for message in api("GET", f"/channels/{room}/messages?limit=2")] == ["7", "6"]
    assert server.violations() == []


def test_limits_are_announced_and_enforced_per_channel(server: Discord, api: Api, guild: Guild, room: int) -> None:
    server.call("limit", on="POST /channels/*/messages", count=2, window_s=60)
    other = guild.channel("other")
    write(api, room, "1")
    write(api, room, "2")

    body = write(api, room, "3", status=429)

    assert body["message"] == "You are being rate limited."
    assert 59 < body["retry_after"] <= 60
    write(api, other, "1")
    assert texts(server, room) == ["1", "2"]


def test_a_fault_strikes_before_or_after_the_effect(server: Discord, api: Api, room: int) -> None:
    messages = "POST /channels/*/messages"
    server.fault(messages, "reset")
    server.fault(messages, "reset", effect=True)
    server.fault(messages, "status", status=502, effect=True)
    server.fault(messages, "status", status=503)
    server.fault(messages, "status", status=429, seconds=0.5)
    server.fault(messages, "delay", seconds=0.01)

    for text in ("never", "doubtful"):
        with pytest.raises(httpx.TransportError):
            write(api, room, text)
    write(api, room, "done", status=502)
    write(api, room, "no", status=503)
    assert write(api, room, "later", status=429)["retry_after"] == 0.5
    write(api, room, "now")

    assert texts(server, room) == ["doubtful", "done", "now"]
    assert server.call("unused_faults") == []


def test_people_reply_open_threads_and_write_directly(server: Discord, api: Api, alice: Person, room: int) -> None:
    first = alice.says(room, f"hi {server.mention}")
    alice.says(room, "again", reply_to=first)
    alice.edits(room, first, "hello")
    alice.reacts(room, first, "👍")
    thread = alice.thread(room, "Plans", first)
    alice.says(thread, "in the thread")
    alice.says(alice.direct, "only you")
    alice.says(room, files=[("voice-message.ogg", b"Ogg")], is_voice=True)

    history = server.history(room)
    assert history[0]["content"] == "hello"
    assert history[1]["message_reference"]["message_id"] == str(first)
    assert history[-1]["flags"] == 1 << 13
    assert history[-1]["attachments"][0]["duration_secs"] == 3.0
    assert texts(server, thread) == ["in the thread"]
    assert api("GET", f"/channels/{thread}")["parent_id"] == str(room)
    assert texts(server, alice.direct) == ["only you"]


def test_what_people_cannot_do_is_told_to_the_test(server: Discord, alice: Person, room: int) -> None:
    stranger = server.user("mallory")
    message = alice.says(room, "hi")

    with pytest.raises(ControlError, match="Missing Access"):
        stranger.says(room, "hello")
    with pytest.raises(ControlError, match="is not from user"):
        stranger.edits(room, message, "no")
    with pytest.raises(ControlError, match="no button 'Yes'"):
        server.call("clicks", user=alice.id, channel=room, message=message, wanted="Yes")
    with pytest.raises(ControlError, match="no command 'ask'"):
        server.call("slash", user=alice.id, channel=room, command="ask", options={})
    with pytest.raises(ControlError, match="no verb dance"):
        server.call("dance")


def test_the_story_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "discord.jsonl"
    with running(ledger=path) as server:
        alice = server.user("alice")
        room = server.guild("Team", [alice]).channel("general")
        alice.says(room, "hi")

    assert [(entry["kind"], entry["by"], entry["text"]) for entry in read(path)] == [("message", "user", "hi")]
