"""`scrubjay run` against the server: what becomes of the photos, documents, forwards and edits that people send."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from bot.config.model import Config
from bot.paths import Home
from bot.service.probes import Supervisor
from bot.service.run import run_service
from memory import SystemClock
from tests.integration.discord.life import serving
from tests.servers.ledger import bot_message
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram.client import TOKEN, File, Person, Telegram


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "home")
    home.prepare()
    return home


@pytest.fixture
def alice(telegram: Telegram) -> Person:
    return telegram.user(7)


@asynccontextmanager
async def scrubjay(telegram: Telegram, home: Home, **more: object) -> AsyncIterator[None]:
    options = {"telegram": {"token": TOKEN, "api": telegram.url}, "access": {"owners": ["telegram:7"]}, **more}
    config = Config.model_validate(options)
    async with serving(run_service(home, config, clock=SystemClock(), supervisor=Supervisor(""))):
        yield


def kept(home: Home) -> list[bytes]:
    return [path.read_bytes() for path in sorted(home.files.rglob("*")) if path.is_file()]


def asked(telegram: Telegram, method: str) -> int:
    return len([entry for entry in telegram.entries("request") if entry["method"] == method])


async def test_a_photo_alone_is_kept_and_that_is_said(telegram: Telegram, home: Home, alice: Person) -> None:
    alice.sends(File("beet.jpg", b"beet", kind="photo"))
    async with scrubjay(telegram, home):
        await telegram.until(bot_message(kind="edit", text="is kept in"))

    (said,) = [message["text"] for message in telegram.history(7) if message["from"]["is_bot"]]
    assert said.startswith("photo-")
    assert ".jpg (4 B) is kept in files/personal/telegram.7000000001_" in said
    assert "I cannot look into files without a model." in said
    assert kept(home) == [b"beet"]


async def test_a_caption_is_noted_beside_the_photo(telegram: Telegram, home: Home, alice: Person) -> None:
    alice.sends(File("beet.jpg", b"beet", kind="photo"), caption="The spare key is under the blue pot.")
    async with scrubjay(telegram, home):
        await telegram.until(bot_message(kind="edit", text="is kept in"))
        alice.says("Where is the spare key?")
        await telegram.until(bot_message(kind="edit", text="under the blue pot"))

    noted, _ = [message["text"] for message in telegram.history(7) if message["from"]["is_bot"]]
    assert noted.startswith("Noted in memory/")
    assert kept(home) == [b"beet"]


async def test_a_document_that_is_too_large_is_not_asked_for_and_its_caption_noted(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    alice.sends(File("film.mkv", size=20 * 2**20 + 1), caption="The spare key is under the blue pot.")
    async with scrubjay(telegram, home):
        await telegram.until(bot_message(kind="edit", text="film.mkv (20 MB) was not fetched: I take 20 MB a file"))

    (said,) = [message["text"] for message in telegram.history(7) if message["from"]["is_bot"]]
    assert said.startswith("Noted in memory/")
    assert asked(telegram, "getFile") == 0
    assert kept(home) == []


async def test_a_stranger_gets_a_code_and_a_command_its_answer_and_nothing_of_theirs_is_fetched(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    stranger = telegram.user(8)
    stranger.sends(File("plan.txt", b"x"), caption="Look.")
    for kind in ("photo", "voice", "document"):
        stranger.sends(File(f"{kind}.pdf", b"x", kind=kind))
    alice.sends(File("plan.txt", b"x"), caption="/whoami")
    async with scrubjay(telegram, home):
        await telegram.until(bot_message(kind="edit", chat=8, text="I do not know you yet"))
        await telegram.until(bot_message(kind="edit", chat=7, text="telegram:7"))

    assert asked(telegram, "getFile") == 0
    assert not home.files.exists()


async def test_a_forward_alone_is_not_noted_and_that_is_said(telegram: Telegram, home: Home, alice: Person) -> None:
    alice.says("The spare key is in the river.", forwarded_from="Bob")
    async with scrubjay(telegram, home):
        await telegram.until(bot_message(kind="edit", text="Nothing was noted: what others wrote"))

    journal = b"".join(path.read_bytes() for path in home.workspaces.rglob("*") if path.is_file())
    assert b"river" not in journal


async def test_a_model_sees_a_photo_and_sends_it_back_with_a_page_of_the_workspace(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    written = BytesIO()
    Image.new("RGB", (30, 20), "green").save(written, "JPEG")

    def answer(received: Received) -> Step:
        if received.tool_results:
            return Step(text="It is green.")
        (picture,) = [part for part in received.messages[-1]["content"] if part["type"] == "image_url"]
        assert picture["image_url"]["url"].startswith("data:image/jpeg;base64,")
        name = re.search(r"photo-\S+\.jpg", received.user_text)
        assert name
        return Step(calls=(Call("send_file", {"path": name[0]}), Call("send_file", {"path": "list.md"})))

    page = home.workspace("personal") / "list.md"
    page.parent.mkdir(parents=True)
    page.write_text("- beets\n")
    alice.sends(File("beet.jpg", written.getvalue(), kind="photo"), caption="What is this?")
    with OpenAIServer(answer) as server:
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY, "sees": "yes"}
        async with scrubjay(telegram, home, model=model, memory={"embedder": {"kind": "none"}}):
            await telegram.until(lambda entry: entry.get("files") == ["document"])

    said = [message for message in telegram.history(7) if message["from"]["is_bot"]]
    assert [message.get("text") for message in said] == ["It is green.", None, None]
    assert [("photo" in message, "document" in message) for message in said[1:]] == [(True, False), (False, True)]
    assert said[2]["document"]["file_name"] == "list.md"


async def test_a_model_reads_the_document_that_is_replied_to(telegram: Telegram, home: Home, alice: Person) -> None:
    def answer(received: Received) -> Step:
        is_read = "The alarm rings at seven." in received.user_text
        return Step(text="At seven." if "What does this say?" in received.user_text and is_read else "I see nothing.")

    telegram.call("privacy", on=False)
    team = telegram.group("Team", [alice, bob := telegram.user(8)])
    (plan,) = bob.sends(File("plan.txt", b"The alarm rings at seven."), chat=team.id)
    with OpenAIServer(answer) as server:
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
        access = {"owners": ["telegram:7"], "groups": [f"telegram:{team.id}"]}
        async with scrubjay(telegram, home, model=model, memory={"embedder": {"kind": "none"}}, access=access):
            alice.says("@scrubjay_bot What does this say?", chat=team.id, reply_to=plan)
            said = await telegram.until(bot_message(chat=team.id))

    assert said["text"].startswith("At seven.")


async def test_what_was_noted_of_a_message_is_taken_back_when_it_is_edited(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    async with scrubjay(telegram, home, memory={"embedder": {"kind": "none"}}):
        told = alice.says("My sister Ana livs in Graz.")
        await telegram.until(bot_message(kind="edit", text="Noted in"))
        alice.edits(told, "My sister Ana lives in Graz.")
        await telegram.until(bot_message(kind="edit", text="My sister Ana livs in Graz."))
        wished = alice.says("Remind me to water the plants tomorrow at 9")
        await telegram.until(bot_message(kind="edit", text="at 09:00"))
        alice.edits(wished, "Remind me to water the plants tomorrow at 10")
        await telegram.until(bot_message(kind="edit", text="at 10:00"))
        moved = alice.says("Remind me at 11 instead")
        await telegram.until(bot_message(kind="edit", text="at 11:00"))
        alice.edits(moved, "Remind me at 12 instead")
        await telegram.until(bot_message(kind="edit", text="at 12:00"))
        moved = alice.says("no, at 13:00")
        await telegram.until(bot_message(kind="edit", text="at 13:00"))
        alice.edits(moved, "no, at 14:00")
        await telegram.until(bot_message(kind="edit", text="at 14:00"))
        alice.says("/reminders")
        await telegram.until(bot_message(kind="edit", text="1. "))

    first, second, *_, reminders = [one["text"] for one in telegram.history(7) if one["from"]["is_bot"]]
    assert "Taken out of memory/" in first
    assert "Taken out of memory/" in second
    assert ("14:00" in reminders, "\n2." in reminders) == (True, False)
    notes = "".join(path.read_text() for path in home.workspace("personal").glob("memory/*.md"))
    assert "Ana lives in Graz" in notes
    assert "livs" not in notes


async def test_what_a_message_noted_before_it_was_edited_to_look_different_is_taken_back_by_the_edit_after(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    async with scrubjay(telegram, home, memory={"embedder": {"kind": "none"}}):
        told = alice.says("My sister Ana livs in Graz.")
        await telegram.until(bot_message(kind="edit", text="Noted in"))
        alice.edits(told, "My sister Ana livs in Graz.")
        await telegram.until(bot_message(kind="edit", text="I know that already"))
        alice.edits(told, "My sister Ana lives in Graz.")
        await telegram.until(bot_message(kind="edit", text="Taken out of memory/"))

    notes = "".join(path.read_text() for path in home.workspace("personal").glob("memory/*.md"))
    assert "Ana lives in Graz" in notes
    assert "livs" not in notes


async def test_an_edited_yes_leaves_forgotten_what_it_had_forgotten_and_replaced_what_it_had_replaced(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    async with scrubjay(telegram, home, memory={"embedder": {"kind": "none"}}):
        alice.says("The spare key is under the blue pot.")
        await telegram.until(bot_message(kind="edit", text="Noted in"))
        alice.says("My dentist is Dr. Weber.")
        await telegram.until(bot_message(kind="edit", text="Weber"))
        alice.says("/forget blue pot")
        await telegram.until(bot_message(kind="edit", text="Confirm within ten minutes"))
        agreed = alice.says("yes")
        await telegram.until(bot_message(kind="edit", text="Forgotten:"))
        alice.edits(agreed, "yes, please")
        await telegram.until(bot_message(kind="edit", text="Nothing was noted"))
        alice.says("No, my dentist is Dr. Huber.")
        await telegram.until(bot_message(kind="edit", text="Shall I replace this?"))
        agreed = alice.says("yes")
        await telegram.until(bot_message(kind="edit", text="It replaces"))
        alice.edits(agreed, "Yes!")
        await telegram.until(bot_message(kind="edit", text="Nothing was noted"))

    notes = "".join(path.read_text() for path in home.workspace("personal").glob("memory/*.md"))
    assert "blue pot" not in notes
    assert ("Huber" in notes, "Weber" in notes) == (True, False)


async def test_a_message_that_is_edited_to_undo_takes_back_what_it_noted_and_nothing_more(
    telegram: Telegram, home: Home, alice: Person
) -> None:
    async with scrubjay(telegram, home, memory={"embedder": {"kind": "none"}}):
        alice.says("The spare key is under the blue pot.")
        await telegram.until(bot_message(kind="edit", text="Noted in"))
        told = alice.says("My dentist is Dr. Weber.")
        await telegram.until(bot_message(kind="edit", text="Weber"))
        alice.edits(told, "/undo")
        await telegram.until(bot_message(kind="edit", text="Taken out of memory/"))

    notes = "".join(path.read_text() for path in home.workspace("personal").glob("memory/*.md"))
    assert ("blue pot" in notes, "Weber" in notes) == (True, False)


async def test_a_command_for_another_bot_is_not_carried_out(telegram: Telegram, home: Home, alice: Person) -> None:
    telegram.call("privacy", on=False)
    team = telegram.group("Team", [alice])
    access = {"owners": ["telegram:7"], "groups": [f"telegram:{team.id}"], "only_addressed": False}
    async with scrubjay(telegram, home, memory={"embedder": {"kind": "none"}}, access=access):
        alice.says("/remember@other_bot The plan is on the wall.", chat=team.id)
        alice.says("/recall@scrubjay_bot plan", chat=team.id)
        await telegram.until(bot_message(chat=team.id, text="Nothing found"))

    assert len([one for one in telegram.history(team.id) if one["from"]["is_bot"]]) == 1
