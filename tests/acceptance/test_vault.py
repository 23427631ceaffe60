"""A conversation that was written down becomes a vault that opens and answers."""

from __future__ import annotations

from pathlib import Path

from bot.paths import Home
from tests.acceptance.vault import run

FIRST = """# Nora and Elif, 2026-01-05

Nora: Hi Elif! How are you?

Elif: Good, thanks! I moved to Porto last week.

Nora: Lovely, Elif! I decided on Monday to sell the blue van. [shows 2 pictures]

Elif: See you on Friday!
"""
SECOND = """# Nora and Elif, 2026-01-09

Nora: Hello Elif!

Elif: Hi Nora! I prefer short walks in the morning, please remember that.

Nora: I sold the blue van yesterday for 4,000 euros.

Elif: Great, Nora!
"""


async def test_a_conversation_becomes_pages_whose_links_lead_somewhere_and_answers_with_places(tmp_path: Path) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    (talk / "2026-01-05-session-1.md").write_text(FIRST, encoding="utf-8")
    (talk / "2026-01-09-session-2.md").write_text(SECOND, encoding="utf-8")

    figures = await run(talk, Home.at(tmp_path / "home"))

    page = (tmp_path / "home" / "workspaces" / "personal" / "bank" / "entities" / "Nora.md").read_text(encoding="utf-8")
    assert figures["days"] == 2
    assert figures["facts"] >= 3
    assert figures["dangling"] == 0
    assert figures["answered"] == figures["questions"] > 0
    assert "sold the blue van yesterday" in page
    assert "pictures" not in page
