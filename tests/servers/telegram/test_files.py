"""Files up and down."""

from __future__ import annotations

import json
from typing import Any

import httpx

from tests.servers.telegram.client import File, Telegram
from tests.servers.telegram.conftest import Api, updates


def test_files_go_up_and_come_down(telegram: Telegram, api: Api) -> None:
    alice = telegram.user(7)
    alice.sends(File("notes.txt", b"hello"), caption="mine")
    document = updates(api)[-1]["message"]["document"]

    file = api("getFile", file_id=document["file_id"])["result"]
    content = httpx.get(f"{telegram.base_file_url}{telegram.token}/{file['file_path']}", trust_env=False)
    again = api("sendDocument", chat_id=7, document=document["file_id"])["result"]
    up = api("sendDocument", chat_id=7, files={"document": ("b.txt", b"bytes")}, caption="c")["result"]

    assert (document["file_name"], document["mime_type"], document["file_size"]) == ("notes.txt", "text/plain", 5)
    assert content.content == b"hello"
    assert again["document"] == document
    assert telegram.call("file", id=up["document"]["file_id"])["data"] == "bytes"
    assert telegram.violations() == []


def test_files_that_are_too_big_unknown_or_missing_are_refused(telegram: Telegram, api: Api) -> None:
    telegram.user(7).sends(File("film.mp4", kind="video", size=20 * 2**20 + 1))
    big = updates(api)[-1]["message"]["video"]["file_id"]

    refusals = [
        api("getFile", file_id=big),
        api("getFile", file_id="nothing"),
        api("sendDocument", chat_id=7, document="nothing"),
        api("sendDocument", chat_id=7, document="https://a.example/file"),
        api("sendPhoto", chat_id=7, photo="attach://part"),
        api("sendPhoto", chat_id=7, files={"photo": ("a.jpg", b"")}),
        api("sendPhoto", chat_id=7, files={"photo": ("a.jpg", b"a")}, caption="x" * 1025),
    ]

    assert [refusal["description"].removeprefix("Bad Request: ") for refusal in refusals] == [
        "file is too big",
        "wrong file_id or the file is temporarily unavailable",
        "wrong file identifier/HTTP URL specified",
        "failed to get HTTP URL content",
        "there is no photo in the request",
        "file must be non-empty",
        "message caption is too long",
    ]


def test_an_upload_above_fifty_mebibytes_is_refused(telegram: Telegram, api: Api) -> None:
    telegram.user(7)

    body = api("sendDocument", chat_id=7, files={"document": ("big.bin", bytes(50 * 2**20 + 1))})

    assert (body["error_code"], body["description"]) == (413, "Request Entity Too Large")


def test_albums_share_an_id_in_both_directions(telegram: Telegram, api: Api) -> None:
    telegram.user(7).sends(File("a.jpg", kind="photo"), File("b.jpg", kind="photo"), caption="both")
    arrived = [update["message"] for update in updates(api)]
    media = '[{"type": "document", "media": "attach://a"}, {"type": "document", "media": "attach://b", "caption": "c"}]'

    parts = {"a": ("a.txt", b"a"), "b": ("b.txt", b"b")}
    album = api("sendMediaGroup", chat_id=7, media=media, files=parts)["result"]

    assert arrived[0]["caption"] == "both"
    assert arrived[0]["media_group_id"] == arrived[1]["media_group_id"] == "1"
    assert album[0]["media_group_id"] == album[1]["media_group_id"] != "1"
    assert [message["document"]["file_name"] for message in album] == ["a.txt", "b.txt"]
    lonely = '[{"type": "document", "media": "attach://a"}]'
    assert not api("sendMediaGroup", chat_id=7, media=lonely, files={"a": parts["a"]})["ok"]


def test_other_media_copies_and_drafts_are_taken(telegram: Telegram, api: Api, sent: dict[str, Any]) -> None:
    voice = api("sendVoice", chat_id=7, files={"voice": ("v.ogg", b"v")}, duration=3)["result"]["voice"]
    assert (voice["duration"], voice["mime_type"]) == (3, "audio/ogg")
    assert "audio" in api("sendAudio", chat_id=7, files={"audio": ("a.mp3", b"a")})["result"]
    assert "video" in api("sendVideo", chat_id=7, files={"video": ("a.mp4", b"a")})["result"]
    copy = api("copyMessage", chat_id=7, from_chat_id=7, message_id=sent["message_id"])["result"]["message_id"]
    assert telegram.history(7)[-1]["text"] == "one"
    assert copy == telegram.history(7)[-1]["message_id"]
    assert api("sendMessageDraft", chat_id=7, draft_id=1, text="thin")["ok"]
    assert not api("sendMessageDraft", chat_id=7, draft_id=0, text="thin")["ok"]
    assert telegram.entries("draft")[0]["text"] == "thin"
    assert telegram.violations() == []


def test_a_file_takes_the_place_of_a_text_and_of_another_file(telegram: Telegram, api: Api) -> None:
    telegram.user(7).says("hello")
    text = api("sendMessage", chat_id=7, text="…")["result"]["message_id"]
    item = {"type": "document", "media": "attach://part", "caption": "done"}

    first = api(
        "editMessageMedia", chat_id=7, message_id=text, media=json.dumps(item), files={"part": ("a.txt", b"one")}
    )["result"]
    nothing = api("editMessageMedia", chat_id=7, message_id=text, media={"type": "photo", "media": "attach://x"})
    second = api(
        "editMessageMedia",
        chat_id=7,
        message_id=text,
        media={"type": "document", "media": first["document"]["file_id"]},
    )["result"]

    assert (first["document"]["file_name"], first["caption"], first.get("text")) == ("a.txt", "done", None)
    assert nothing["description"] == "Bad Request: there is no photo in the request"
    assert (second["document"], second.get("caption")) == (first["document"], None)
    assert telegram.violations() == []
