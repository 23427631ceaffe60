"""A hundred wishes and corrections in six languages, said to the offline bot after a few facts.

`python -m tests.acceptance.wishes --json` prints each that was not understood, and as its last line `{"wishes",
"right", "stored"}`: how many did or offered the right thing, and how many became a fact of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.acceptance.hundred import offline_bot
from tests.support.factories import NOON
from tests.support.texts import ENGLISH

WISHES = Path(__file__).parents[1] / "data" / "wishes.jsonl"
QUOTED = re.compile(r"^(?:\d+\.)? *> (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Result:
    """A wish, what was answered, whether that is right, and whether the wish was stored as a fact."""

    wish: dict[str, Any]
    answer: str
    is_right: bool
    is_stored: bool


async def try_all(folder: Path, wishes: list[dict[str, Any]]) -> list[Result]:
    """Each wish in a home of its own."""
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}, "owner": {"language": "en"}})
    results = []
    for number, wish in enumerate(wishes):
        clock = FrozenClock(NOON)
        async with offline_bot(Home.at(folder / str(number)), config, clock) as people:
            for fact in wish["before"]:
                clock.advance(minutes=1)
                await people.ask(f"/remember {fact}")
            answer = await people.ask(wish["text"])
        results.append(Result(wish, answer, _is_right(wish, answer), "Noted in " in answer))
    return results


def _is_right(wish: dict[str, Any], answer: str) -> bool:
    quoted = QUOTED.findall(answer)
    if wish["kind"] == "remind":
        return answer == ENGLISH.reminder or re.search(r"[(（]memory/[^)）]+#L\d+[)）]$", answer) is not None
    if wish["kind"] == "forget":
        meant = [fact for fact in wish["before"] if wish["about"] in fact]
        others = [fact for fact in wish["before"] if wish["about"] not in fact]
        text = "\n".join(quoted)
        is_choice = "Which of these" in answer  # several are offered, and none is taken before one is chosen
        return all(map(text.__contains__, meant)) and (is_choice or not any(map(text.__contains__, others)))
    return len(quoted) == 2 and wish["about"] in quoted[0] and wish["new"] in quoted[1]


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wishes = [json.loads(line) for line in WISHES.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        results = asyncio.run(try_all(Path(folder), wishes))
    for one in results:
        if not one.is_right:
            print(
                f"{one.wish['lang']} {one.wish['kind']}: {one.wish['before']} | {one.wish['text']}\n    {one.answer!r}"
            )
    for lang, count in Counter(one.wish["lang"] for one in results).items():
        right = sum(one.is_right for one in results if one.wish["lang"] == lang)
        print(f"{lang}: {right} of {count}")
    figures = {
        "wishes": len(results),
        "right": sum(one.is_right for one in results),
        "stored": sum(one.is_stored for one in results),
    }
    print(json.dumps(figures) if options.json else figures)


if __name__ == "__main__":
    main()
