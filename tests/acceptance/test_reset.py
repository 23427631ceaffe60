"""Conversations that end by themselves: what the person sees the next morning, and what is kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.fakes.scrubjay import MORNING
from tests.support.cli_process import PROMPT, TerminalProcess, collapse_whitespace

NIGHT = MORNING + timedelta(days=1)
CONFIG = "session:\n  reset:\n    daily: 4\nmemory:\n  embedder:\n    kind: none\n"
CTRL_D = "\x04"


def leave(window: TerminalProcess) -> None:
    window.press(CTRL_D)
    assert window.ended() == 0


def test_a_conversation_that_was_to_end_while_nobody_ran_ends_at_the_next_start_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIG, encoding="utf-8")
    with TerminalProcess(home, "chat") as window:
        window.ask("The spare key is with Mrs Okafor.", until="Noted")
        window.ask("When does the chimney sweep come?", until="nothing about that")  # is left open, and saved as that
        leave(window)

    with TerminalProcess(home, "chat", at=NIGHT) as window:
        shown = collapse_whitespace("\n".join(window.until(lambda lines: "comes late" in "\n".join(lines))))
        assert "this conversation is over" in shown
        assert "I saved it as memory/2026-11-" in shown
        window.until(lambda lines: lines[-1:] == [PROMPT])
        assert "Okafor" in window.ask("Who has the spare key?", until="Okafor")
        leave(window)
    with TerminalProcess(home, "chat", at=NIGHT + timedelta(hours=1)) as window:
        window.until(lambda lines: lines[-1:] == [PROMPT])
        assert "is over" not in window.ask("/status", until="Model:")
        leave(window)

    assert len(list((home / "workspaces" / "personal" / "memory").glob("2026-11-2?-*.md"))) == 1
