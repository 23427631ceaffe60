"""Sessions and Session: what was said, in pages, with what happened beside it, and to be taken along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from bot.llm.types import Payer, Usage
from bot.storage.keys import SessionKey
from bot.storage.port import Effects, EntryKind, TranscriptEntry
from tests.support.dashboard import OpenSite, open_site
from tests.support.factories import HOME, NOON, OWNER
from tests.support.facts import MARTA, note
from tests.unit.bot.web.pages.test_chat import say

SESSION = SessionKey("personal", HOME)


def exchange(number: int) -> tuple[TranscriptEntry, ...]:
    """What one turn leaves behind."""
    at, turn = NOON + timedelta(seconds=number), f"t{number}"
    said = {"text": f"Question {number}", "name": "Ada", "sender": OWNER.id, "is_owner": True, "is_foreign": False}
    return (
        TranscriptEntry(EntryKind.MESSAGE, turn, at, json.dumps(said)),
        TranscriptEntry(EntryKind.REPLY, turn, at, json.dumps({"text": f"Answer {number}"})),
    )


async def record(site: OpenSite, entries: Iterator[TranscriptEntry] | tuple[TranscriptEntry, ...], turn: str) -> None:
    """Put entries into the transcript of one conversation."""
    (grant,) = await site.app.coordinator.claim("test", ["personal"])
    await site.app.coordinator.commit(grant, Effects(SESSION, (), entries=tuple(entries), turn=turn))
    await site.app.coordinator.release(grant)


async def test_a_conversation_is_listed_shown_and_taken_along(tmp_path: Path) -> None:
    async with open_site(tmp_path, runs=True) as site:
        key, *_ = await note(site.app.context.agents, *MARTA)
        assert "There is no conversation with personal yet" in await site.page("/sessions")

        await say(site, "Where is the spare key?")
        await say(site, "/remember The tent is green.")
        (listed,) = (await site.data("/sessions"))["sessions"]
        page = await site.page(f"/session/{listed['id']}")

        assert (listed["place"]["platform"], listed["messages"]) == ("Browser", 2)
        assert "Where is the spare key?" in page
        assert f'href="/fact/{key}?agent=personal&amp;q=Where+is+the+spare+key%3F"' in page
        exported = await site.client.get(f"/session/{listed['id']}/export.md")
        lines = (await site.client.get(f"/session/{listed['id']}/export.jsonl")).text.splitlines()
        assert "**: Where is the spare key?" in exported.text
        assert exported.headers["content-disposition"] == f"attachment; filename*=UTF-8''{listed['id']}.md"
        assert [json.loads(line)["type"] for line in lines[:4]] == ["session", "message", "reply", "recall"]
        for suffix in ("", ".json", "/export.md"):
            refused = await site.client.get(f"/session/{listed['id']}{suffix}", params={"agent": "work"})
            assert refused.status_code == 404


async def test_a_long_conversation_is_shown_in_parts_of_whole_turns(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        await record(site, (entry for number in range(10_000) for entry in exchange(number)), "t")
        (listed,) = (await site.data("/sessions"))["sessions"]

        newest = await site.data(f"/session/{listed['id']}")
        earlier = await site.data(f"/session/{listed['id']}", before=newest["earlier"])
        middle = await site.data(f"/session/{listed['id']}", around=10_001)
        first = await site.data(f"/session/{listed['id']}", around=1)

        def shown(data: dict[str, list[dict[str, object]]]) -> list[object]:
            return [turn["id"] for turn in data["turns"]]

        assert (listed["messages"], shown(newest)[-1]) == (10_000, "t9999")
        assert shown(earlier)[-1] == f"t{9999 - len(shown(newest))}"
        assert "t5000" in shown(middle)
        assert (shown(first)[0], first["earlier"], bool(first["later"])) == ("t0", 0, True)
        assert all(len(turn["said"]) == 2 for data in (newest, earlier, middle, first) for turn in data["turns"])


async def test_what_happened_beside_and_what_it_took_is_marked(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        question, answer = exchange(1)
        marks = [TranscriptEntry(kind, "t1", NOON, '{"facts": 2}') for kind in (EntryKind.FLUSH, EntryKind.COMPACTION)]
        await record(site, (*marks, question, answer, TranscriptEntry(EntryKind.RESET, "t1", NOON, "{}")), "t1")
        ledger = site.app.context.usage
        await ledger.add("personal", "small", Payer("t1", SESSION, OWNER), Usage(1000, 234), estimate=0)
        (listed,) = (await site.data("/sessions"))["sessions"]

        page = await site.page(f"/session/{listed['id']}")

        assert listed["is_over"]
        assert (
            page.index("noted before the model") < page.index("Question 1") < page.index("Here the conversation ended")
        )
        assert "1,234 tokens" in page
