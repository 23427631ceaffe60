"""A conversation in German, and one in Chinese: not a sentence of the program in English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.app import commands
from bot.config.model import Config
from bot.paths import Home
from docs.texts import translations
from memory import FrozenClock
from tests.acceptance.hundred import offline_bot
from tests.support.factories import NOON

GERMAN = (
    "Hallo",
    "Meine Schwester Miriam mag keine Walnüsse.",
    "Was mag Miriam nicht?",
    "/recall Walnüsse",
    "/why",
    "/recall Einhorn",
    "Vergiss, dass Miriam keine Walnüsse mag.",
    "ja",
    "/undo",
    "/undo 99",
    "Erinnere mich morgen um 9 an den Zahnarzt.",
    "/reminders",
    "/help",
    "/stauts",
    "/pin ^zzzzzzzz",
    "/recall --kind foo x",
    f"/remember {'lang ' * 50_000}",
)
CHINESE = (
    "你好",
    "我妹妹李雷不喜欢核桃。",
    "谁不喜欢核桃？",
    "/recall 核桃",
    "/why",
    "/recall 独角兽",
    "忘掉李雷不喜欢核桃这件事。",
    "是",
    "/undo",
    "/undo 99",
    "明天早上9点提醒我看牙医",
    "/reminders",
    "/help",
    "/stauts",
    "/pin ^zzzzzzzz",
    "/recall --kind foo x",
    f"/remember {'长' * 200_000}",
)
COMMANDS = (
    "/today", "/memory", "/whoami", "/status", "/start", "/settings", "/queue", "/model", "/usage", "/jobs", "/journal",
    "/dead", "/decisions", "/opinions", "/due", "/surprises", "/timeline", "/guests", "/context", "/review", "/restore",
    "/compact", "/stop", "/about Nobody", "/wander", "/link", "/verbose on", "/new", "/forget --purge",
)  # fmt: skip

_FILLED_IN = re.compile(r"\{[^}]*\}|`[^`]*`")
_SENTENCE = re.compile(r"[A-Z][a-z]+ [a-z]+ [a-z]+")


def english(language: str) -> set[str]:
    """Return what an untranslated text would hold: of each that differs, the longest part between what is filled in."""
    pairs = ((one.id, one.string) for one in translations(language) if one.id)
    texts = [(text, str(said)) if isinstance(text, str) else (text[0], "".join(said or ())) for text, said in pairs]
    parts = ((max(_FILLED_IN.split(text), key=len).strip(), said) for text, said in texts)
    return {part for part, said in parts if len(part) > 12 and " " in part and part not in said}


@pytest.mark.parametrize(("language", "said"), [("de", GERMAN), ("zh", CHINESE)])
async def test_a_conversation_in_another_language_shows_no_english_sentence(
    tmp_path: Path, language: str, said: tuple[str, ...]
) -> None:
    config = Config.model_validate(
        {"memory": {"embedder": {"kind": "none"}}, "agents": {"personal": {"about": ""}}, "owner": {"name": "Robin"}}
    )
    clock, wanted = FrozenClock(NOON), english(language)
    details = [f"/help {name}" for name in commands()]
    shown = []
    async with offline_bot(Home.at(tmp_path), config, clock) as people:
        for text in (*said, *COMMANDS, *details):
            clock.advance(minutes=1)
            answer = await people.ask(text)
            shown += [f"{text[:40]}: {part}" for part in wanted if part in answer]
            plain = _FILLED_IN.sub("", answer)
            shown += [f"{text[:40]}: {found}" for found in _SENTENCE.findall(plain) if said is CHINESE]

    assert shown == []
