from __future__ import annotations

from pathlib import Path

from prompt_toolkit.history import FileHistory

from adapters.line_editor import PromptHistory
from bot.sessions.redaction import rewrite_history


def loaded(path: Path) -> list[str]:
    """What was typed, newest first, as prompt_toolkit reads it."""
    return list(FileHistory(str(path)).load_history_strings())


def test_entries_are_rewritten_each_as_a_whole_and_stay_readable(tmp_path: Path) -> None:
    path = tmp_path / "history"
    history = FileHistory(str(path))
    for typed in ("hello", "the pin\nis 4711", "+4711", "bye"):
        history.store_string(typed)

    rewrite_history(path, lambda text: text.replace("pin\nis 4711", "[forgotten]").replace("+4711", "x"))

    assert loaded(path) == ["bye", "x", "the [forgotten]", "hello"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_in_which_nothing_changes_or_that_is_not_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "history"
    rewrite_history(path, str.upper)
    assert not path.exists()
    FileHistory(str(path)).store_string("HELLO")
    inode = path.stat().st_ino

    rewrite_history(path, str.upper)
    assert path.stat().st_ino == inode


async def test_a_prompt_that_is_open_brings_up_no_more_what_was_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "history"
    history = PromptHistory(path)
    history.append_string("the pin is 4711")
    assert [line async for line in history.load()] == ["the pin is 4711"]

    rewrite_history(path, lambda text: text.replace("4711", "[forgotten]"))

    assert [line async for line in history.load()] == ["the pin is [forgotten]"]
    history.append_string("next")
    assert [line async for line in history.load()] == ["next", "the pin is [forgotten]"]
