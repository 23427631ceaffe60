"""Moving house with a backup; the long way is `python -m tests.acceptance.backup`."""

from pathlib import Path

from tests.acceptance.backup import move


def test_a_restored_home_answers_as_before_and_doctor_finds_nothing(tmp_path: Path) -> None:
    came = move(tmp_path, questions=8, seed=3)

    assert (came["questions"], came["answered"], came["same"], came["findings"]) == (8, 8, 8, [])
