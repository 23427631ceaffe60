from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from bot.storage.objects import SharedFiles
from tests.servers.s3 import Bucket
from tests.servers.serving import listening

NAME = "personal/telegram.1_5/Plan_für_März.txt"
LONG_AGO, LATER = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


@pytest.fixture
async def bucket(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bucket]:
    made = Bucket("files")
    async with listening(made.application) as endpoint:
        for name, value in {
            "ENDPOINT": endpoint,
            "ACCESS_KEY_ID": "a",
            "SECRET_ACCESS_KEY": "b",
            "REGION": "x",
        }.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        yield made


@pytest.fixture(params=["folder", "s3"])
def shared(request: pytest.FixtureRequest, tmp_path: Path, bucket: Bucket) -> SharedFiles:
    return SharedFiles("s3://files/jay" if request.param == "s3" else (tmp_path / "a folder").as_uri())


@pytest.fixture
def came(tmp_path: Path) -> Path:
    path = tmp_path / "came"
    path.write_bytes(b"hello")
    return path


async def test_what_one_machine_has_put_another_one_gets_under_its_name(shared: SharedFiles, came: Path) -> None:
    await shared.put(NAME, came)
    await shared.put(NAME, came)
    await shared.put("personal/telegram.1_5/.sent-1/answer.ogg", came)

    assert await shared.get(NAME) == b"hello"
    assert await shared.get("personal/telegram.1_5/.sent-1/answer.ogg") == b"hello"
    assert await shared.get("personal/telegram.1_5/answer.ogg") is None
    assert await shared.get("work/telegram.1_5/Plan_für_März.txt") is None


async def test_of_several_under_one_name_the_newest_counts(tmp_path: Path, came: Path) -> None:
    shared = SharedFiles(tmp_path.as_uri())
    await shared.put(NAME, came)
    first = next(tmp_path.rglob("Plan*"))
    os.utime(first, (1, 1))
    came.write_bytes(b"changed")
    await shared.put(NAME, came)

    assert await shared.get(NAME) == b"changed"


async def test_the_files_of_a_turn_are_removed_and_no_others(shared: SharedFiles, came: Path) -> None:
    for name in (NAME, "personal/telegram.1_5/b.txt", "personal/telegram.1_55/b.txt", "work/telegram.1_5/b.txt"):
        await shared.put(name, came)

    await shared.remove("personal", "telegram.1_5")
    await shared.remove("personal", "nothing")

    assert await shared.get(NAME) is None
    assert await shared.get("personal/telegram.1_55/b.txt") == b"hello"
    assert await shared.get("work/telegram.1_5/b.txt") == b"hello"


async def test_what_is_old_goes_unless_its_turn_waits(shared: SharedFiles, came: Path) -> None:
    await shared.put("personal/old/a", came)
    await shared.put("personal/waits/a", came)

    await shared.sweep(LONG_AGO, kept=())
    assert await shared.get("personal/old/a") == b"hello"
    await shared.sweep(LATER, kept={"waits"})

    assert await shared.get("personal/old/a") is None
    assert await shared.get("personal/waits/a") == b"hello"


async def test_what_is_not_whole_is_not_handed_out(tmp_path: Path, came: Path) -> None:
    shared = SharedFiles((tmp_path / "shared").as_uri())
    await shared.put(NAME, came)
    (kept,) = (tmp_path / "shared").rglob("Plan*")
    assert kept.parent.name == sha256(b"hello").hexdigest()
    kept.write_bytes(b"hell")

    assert await shared.get(NAME) is None
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o700


async def test_a_refusal_is_an_os_error_in_one_line(bucket: Bucket, came: Path) -> None:
    shared = SharedFiles("s3://files")
    bucket.is_broken = True

    with pytest.raises(OSError, match=r"^[^\n]+$") as caught:
        await shared.put(NAME, came)
    with pytest.raises(OSError, match=r"^[^\n]+$"):
        await shared.get(NAME)
    assert "secret" not in str(caught.value).lower()
