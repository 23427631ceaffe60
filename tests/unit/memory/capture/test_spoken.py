"""What people say in a chat, class by class, in twelve languages."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memory.capture import Act, act_of

CLASSES = tomllib.loads((Path(__file__).parents[3] / "data" / "capture" / "spoken.toml").read_text(encoding="utf-8"))
CALLED = {Act.NOTE: "note", Act.QUESTION: "answer"}


@pytest.mark.parametrize(
    ("kind", "lang"), [(kind, lang) for kind, sayings in CLASSES.items() for lang in sayings if lang != "act"]
)
def test_a_saying_is_taken_for_what_its_class_says(kind: str, lang: str) -> None:
    wanted = CLASSES[kind]["act"]
    sayings = CLASSES[kind][lang].strip().splitlines()

    misread = [f"{text}: {got}" for text in sayings if (got := CALLED.get(act_of(text), "neither")) != wanted]

    assert len(sayings) > 1
    assert misread == []
