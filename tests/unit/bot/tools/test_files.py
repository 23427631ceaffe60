"""`read_file`, `write_file`, `edit_file`: within the workspace, and undone like everything."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.storage.keys import Principal
from bot.tools.base import Result, ToolError, Work
from bot.turn import File, Turn
from memory import OWNER, Origin
from tests.support.conversation import ToolHarness

OUTSIDE = ["../secrets.md", "/etc/hostname.md", "memory/../../x.md", "a/./b.md", ".memory/journal/x.md", "a\x00.md"]


async def write(
    at: ToolHarness, path: str, text: str, *, op_id: str = "w:1", hash: str = "", asked: str = "Write USER.md."
) -> Result:
    arguments = {"path": path, "text": text, "hash": hash}
    return await at.tool("write_file").call(Work(await at.turn(asked), op_id), arguments)


async def state(at: ToolHarness, path: str) -> str:
    found = json.loads((await at.call("read_file", path=path)).text)["hash"]
    assert isinstance(found, str)
    return found


async def test_text_is_added_at_the_end_of_a_file_that_is_made_if_it_is_missing(at: ToolHarness) -> None:
    first = await write(at, "bank/recipes.md", "# Recipes")
    second = await write(at, "bank/recipes.md", "- Soup\n", op_id="w:2")
    await write(at, "bank/recipes.md", "- Soup\n", op_id="w:2")

    assert at.read("bank/recipes.md") == "# Recipes\n- Soup\n"
    assert "bank/recipes.md#L1" in first.text
    assert second.told == ("Added to `bank/recipes.md#L2`. `/undo` takes it back.",)


async def test_a_file_is_rewritten_only_as_it_was_read(at: ToolHarness) -> None:
    at.write("USER.md", "The owner plays the cello.\n")
    seen = await state(at, "USER.md")
    at.write("USER.md", "The owner plays the viola.\n")

    with pytest.raises(ToolError, match="USER"):
        await write(at, "USER.md", "The owner plays the flute.\n", hash=seen)
    assert "viola" in at.read("USER.md")

    await write(at, "USER.md", "The owner plays the flute.\n", op_id="w:2", hash=await state(at, "USER.md"))
    assert "flute" in at.read("USER.md")
    await at.agent.memory.undo(op_id="u", scope=OWNER, actor="owner")
    assert "viola" in at.read("USER.md")


async def test_one_passage_is_replaced(at: ToolHarness) -> None:
    at.write("USER.md", "One cello. One bow.\n")
    seen, turn = await state(at, "USER.md"), await at.turn("Change it in user.md, please.")

    with pytest.raises(ToolError, match="occurs 2 times"):
        await at.call("edit_file", turn, path="USER.md", old="One", new="Two", hash=seen)
    with pytest.raises(ToolError, match="occurs 0 times"):
        await at.call("edit_file", turn, path="USER.md", old="Three", new="Two", hash=seen)
    with pytest.raises(ToolError):
        await at.call("edit_file", turn, path="USER.md", old="One bow", new="Two bows", hash="of another")
    await at.call("edit_file", turn, path="USER.md", old="One bow", new="Two bows", hash=seen)

    assert at.read("USER.md") == "One cello. Two bows.\n"


async def test_bytes_that_are_no_text_are_not_edited(at: ToolHarness) -> None:
    (at.folder / "notes.md").write_bytes(b"caf\xe9 and tea\n")
    seen = await state(at, "notes.md")

    with pytest.raises(ToolError, match="no text"):
        await at.call("edit_file", path="notes.md", old="tea", new="milk", hash=seen)
    assert (at.folder / "notes.md").read_bytes() == b"caf\xe9 and tea\n"


@pytest.mark.parametrize("path", OUTSIDE)
async def test_nothing_outside_is_read_or_written(at: ToolHarness, path: str) -> None:
    for name in ("read_file", "memory_get"):
        with pytest.raises(ToolError):
            await at.call(name, path=path)
    with pytest.raises(ToolError):
        await write(at, path, "x")
    with pytest.raises(ToolError):
        await at.call("edit_file", path=path, old="a", new="b", hash="h")
    assert not list(at.folder.parent.glob("*.md"))


@pytest.mark.parametrize("path", ["AGENTS.md", "agents.MD", "SOUL.md", "IDENTITY.md"])
async def test_the_rules_are_the_owners_own(at: ToolHarness, path: str) -> None:
    at.write(path, "Be kind.\n")

    with pytest.raises(ToolError, match="owner alone"):
        await write(at, path, "Be rude.")
    with pytest.raises(ToolError, match="owner alone"):
        await at.call("edit_file", path=path, old="kind", new="rude", hash=await state(at, path))
    assert at.read(path) == "Be kind.\n"


@pytest.mark.parametrize("path", ["MEMORY.md", "memory.md", "USER.md"])
async def test_what_stands_before_every_conversation_changes_when_the_owner_names_it(
    at: ToolHarness, path: str
) -> None:
    for asked in ("hello", "Remember that I moved to Lyon."):
        with pytest.raises(ToolError, match="the owner's own message names it"):
            await write(at, path, "- W: Lives in Lyon.", asked=asked)
    guest = await at.turn(f"Put it into {path}.", who=Principal("volatile:ana", "Ana", is_owner=False))
    with pytest.raises(ToolError, match="names it"):
        await at.call("write_file", guest, path=path, text="- W: Lives in Lyon.")

    await write(at, path, "- W: Lives in Lyon.", asked=f"Put it into {path.lower()}: I live in Lyon.")

    assert at.read(path) == "- W: Lives in Lyon.\n"


async def test_logs_are_only_added_to(at: ToolHarness) -> None:
    for path in ("memory/2026-11-21.md", "memory/2026-11-21-boiler.md", "memory/guests/2026-11-21.md"):
        await write(at, path, "one", op_id=path)
        seen = await state(at, path)

        with pytest.raises(ToolError, match="only added to"):
            await write(at, path, "two", hash=seen)
        with pytest.raises(ToolError, match="only added to"):
            await at.call("edit_file", path=path, old="one", new="two", hash=seen)
        assert at.read(path) == "one\n"


@pytest.mark.parametrize("path", ["run.sh", "memory/notes.txt", "notes.md.py"])
async def test_only_markdown_is_written(at: ToolHarness, path: str) -> None:
    with pytest.raises(ToolError, match=r"\.md"):
        await write(at, path, "x")


async def test_a_link_is_not_followed(at: ToolHarness) -> None:
    (at.folder.parent / "secret.txt").write_text("4711")
    (at.folder / "link.md").symlink_to(at.folder.parent / "secret.txt")

    with pytest.raises(ToolError):
        await at.call("read_file", path="link.md")
    with pytest.raises(ToolError):
        await write(at, "link.md", "x")
    assert (at.folder.parent / "secret.txt").read_text() == "4711"


async def test_a_long_file_is_read_in_pieces(at: ToolHarness) -> None:
    at.write("bank/long.md", "".join(f"line {n}\n" for n in range(5_000)))
    read = ""
    start: int | None = 0
    while start is not None:
        piece = json.loads((await at.call("read_file", path="bank/long.md", **{"from": start})).text)
        read, start = read + piece["text"], piece.get("next")

    assert read == at.read("bank/long.md")


async def test_whose_words_were_read_is_known(at: ToolHarness) -> None:
    await at.agent.memory.remember("Call me.", origin=Origin.UNTRUSTED, scope=OWNER, op_id="1", actor="web")

    for name in ("read_file", "memory_get"):
        assert Origin.UNTRUSTED in (await at.call(name, path="memory/2026-11-21.md")).origins


async def sending(at: ToolHarness, *files: File, limit: int = 99) -> Turn:
    """A turn in a chat that takes files."""
    return replace(await at.turn(), files=files, folder=at.folder.parent / "files" / "t1", file_limit=limit)


async def test_a_file_goes_out_as_it_is_now(at: ToolHarness) -> None:
    at.write("bank/chart.bin", "one")
    result = await at.call("send_file", await sending(at), path="bank/chart.bin")
    at.write("bank/chart.bin", "two")

    (sent,) = result.files
    assert (sent.name, sent.read_text()) == ("chart.bin", "one")
    assert "goes out with your answer" in result.text
    assert not result.told


async def test_files_of_one_name_go_out_both(at: ToolHarness) -> None:
    at.write("2025/plan.md", "one")
    at.write("2026/plan.md", "two")
    turn = await sending(at)

    files = [(await at.call("send_file", turn, path=f"{year}/plan.md")).files[0] for year in (2025, 2026)]

    assert [(file.name, file.read_text()) for file in files] == [("plan.md", "one"), ("plan.md", "two")]


async def test_a_file_that_came_goes_back(at: ToolHarness, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"JFIF")
    came = File("photo.jpg", "photo", "image/jpeg", 4, path)

    (sent,) = (await at.call("send_file", await sending(at, came), path="photo.jpg")).files

    assert sent.read_bytes() == b"JFIF"
    with pytest.raises(ToolError, match="larger than 3 B"):
        await at.call("send_file", await sending(at, came, limit=3), path="photo.jpg")


@pytest.mark.parametrize("path", [*OUTSIDE, "missing.md", "link.md", "..", "bank"])
async def test_nothing_outside_goes_out(at: ToolHarness, path: str) -> None:
    at.write("bank/a.md", "x")
    (at.folder / "link.md").symlink_to("/etc/hostname")

    with pytest.raises(ToolError):
        await at.call("send_file", await sending(at), path=path)


async def test_an_empty_file_is_not_promised(at: ToolHarness) -> None:
    at.write("empty.md", "")
    with pytest.raises(ToolError, match="empty"):
        await at.call("send_file", await sending(at), path="empty.md")


async def test_what_a_chat_does_not_take_is_not_sent(at: ToolHarness) -> None:
    at.write("long.md", "x" * 100)

    with pytest.raises(ToolError, match="No files can be sent in this chat"):
        await at.call("send_file", path="long.md")
    with pytest.raises(ToolError, match="larger than"):
        await at.call("send_file", await sending(at), path="long.md")
