from __future__ import annotations

from pathlib import Path

import pytest

from adapters.marks_file import REWRITTEN_AFTER, MarksFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "discord.marks"


async def test_marks_are_known_again_in_the_next_process_each_to_its_account(path: Path) -> None:
    before = MarksFile(path)
    assert await before.load("discord.1") == {}
    await before.save("discord.1", "channel/7", "100")
    await before.save("discord.2", "channel/7", "5")
    await before.save("discord.1", "channel/7", "101")

    after = MarksFile(path)
    assert await after.load("discord.1") == {"channel/7": "101"}
    assert await after.load("discord.2") == {"channel/7": "5"}


@pytest.mark.parametrize("torn", ['["discord.1", "channel/7", "10', "\x00\x00\x00", '["discord.1"]', "7"])
async def test_a_line_that_was_torn_leaves_the_mark_before_it_and_room_for_the_next(
    path: Path, torn: str, caplog: pytest.LogCaptureFixture
) -> None:
    await MarksFile(path).save("discord.1", "channel/7", "100")
    with path.open("a", encoding="utf-8") as file:
        file.write(torn)

    marks = MarksFile(path)
    assert await marks.load("discord.1") == {"channel/7": "100"}
    await marks.save("discord.1", "channel/8", "200")
    assert await MarksFile(path).load("discord.1") == {"channel/7": "100", "channel/8": "200"}
    assert "line 2 is torn" in caplog.text


async def test_the_file_does_not_grow_for_ever(path: Path) -> None:
    marks = MarksFile(path)
    for number in range(REWRITTEN_AFTER + 2):
        await marks.save("discord.1", "channel/7", str(number))

    assert len(path.read_text(encoding="utf-8").splitlines()) == 2
    assert await MarksFile(path).load("discord.1") == {"channel/7": str(REWRITTEN_AFTER + 1)}


async def test_a_disk_that_refuses_costs_no_more_than_a_warning(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    marks = MarksFile(path)
    await marks.load("discord.1")
    path.unlink()
    path.mkdir()
    await marks.save("discord.1", "channel/7", "100")

    assert "a mark could not be written" in caplog.text
    assert await marks.load("discord.1") == {"channel/7": "100"}


async def test_a_file_that_cannot_be_read_is_not_taken_for_an_empty_one(path: Path) -> None:
    path.mkdir()
    with pytest.raises(OSError, match=r"discord\.marks"):
        await MarksFile(path).load("discord.1")
