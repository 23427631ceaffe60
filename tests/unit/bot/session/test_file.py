from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from bot.session.file import SessionFile
from bot.session.split import summed_up
from tests.talks import KEY, Talk

TALK = Talk().turn("eins", "1").turn("zwei 🐦", "2")
SESSION = summed_up("personal", KEY, TALK.recorded)


def whole(path: Path) -> bytes:
    SessionFile(path).add(SESSION, TALK.recorded)
    return path.read_bytes()


@pytest.mark.parametrize("damage", ["[" * 5_000, '{"seq": ' + "[" * 5_000 + "]" * 5_000 + "}", "\0", "[]"])
def test_a_line_that_is_none_of_ours_is_cut_off_and_what_was_behind_it_written_again(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "s.jsonl"
    undamaged = whole(path)
    first = undamaged.splitlines(keepends=True)[0]
    path.write_bytes(first + damage.encode() + b"\n")

    assert SessionFile(path).last() == 0
    assert whole(path) == undamaged


def test_a_file_is_a_heading_and_a_line_for_each_entry(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in whole(tmp_path / "a" / "s.jsonl").splitlines()]

    assert lines[0] == {
        "type": "session",
        "id": SESSION.id,
        "agent": "personal",
        "key": KEY,
        "began": "2026-11-21T12:00:00+00:00",
    }
    assert [(line["type"], line["seq"], line["body"]["text"]) for line in lines[1:]] == [
        ("message", 1, "eins"),
        ("reply", 2, "1"),
        ("message", 5, "zwei 🐦"),
        ("reply", 6, "2"),
    ]
    assert stat.S_IMODE((tmp_path / "a" / "s.jsonl").stat().st_mode) == 0o600


def test_what_is_there_is_not_written_twice(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    SessionFile(file).add(SESSION, TALK.recorded[:2])
    assert SessionFile(file).last() == 2

    assert whole(file) == whole(tmp_path / "other.jsonl") == whole(file)
    assert SessionFile(file).last() == 6


def test_a_file_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    assert SessionFile(tmp_path / "none.jsonl").last() == 0


def test_wherever_a_crash_cut_it_off_the_file_is_made_whole(tmp_path: Path) -> None:
    complete = whole(tmp_path / "whole.jsonl")
    for length in range(len(complete)):
        file = tmp_path / "cut.jsonl"
        file.write_bytes(complete[:length])

        assert whole(file) == complete


@pytest.mark.parametrize("junk", [b"\0" * 100, b"{}\n", b"[1]\n", b'{"type": "reply"', b"\xff\xfe\n"])
def test_what_is_no_line_of_ours_at_its_end_is_cut_off(tmp_path: Path, junk: bytes) -> None:
    complete = whole(tmp_path / "s.jsonl")
    (tmp_path / "s.jsonl").write_bytes(complete + junk)

    assert SessionFile(tmp_path / "s.jsonl").last() == 6
    assert (tmp_path / "s.jsonl").read_bytes() == complete


def test_a_line_that_is_longer_than_what_is_read_at_once_is_found(tmp_path: Path) -> None:
    talk = Talk().turn("x" * 300_000, "y" * 300_000)
    session = summed_up("personal", KEY, talk.recorded)

    SessionFile(tmp_path / "s.jsonl").add(session, talk.recorded)

    assert SessionFile(tmp_path / "s.jsonl").last() == 2
