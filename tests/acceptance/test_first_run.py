"""A fresh machine, no key, no network: two commands from nothing to the first answer."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.support.cli_process import run


def test_init_and_chat_answer_without_a_question_a_key_or_a_warning(tmp_path: Path) -> None:
    home = tmp_path / "home"

    made = run(home, "init", "--yes")
    is_known = "--plain" in run(home, "chat", "--help").out
    answered = run(home, "chat", *(["--plain"] if is_known else []), stdin="hi\n")

    assert (made.code, answered.code) == (0, 0)
    assert (made.err, answered.err) == ("", "")
    assert "Tell me something and I note it" in answered.out
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600
