"""Was everything answered, once, in order? Read off a platform's ledger after the bot was killed and came back.

Questions and answers are told by keys in their texts: somebody writes `ask-17`, the scripted model answers `ans-17`, a
fact to remember is called `fact-3`, and the bot's line about it says "remembered". What was asked counts if the
platform handed it over (Telegram says so in its ledger) or simply stands in a channel (Discord, where history can be
read later). What was answered is judged by the messages' last texts, edits included; a message that was deleted
later was seen all the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.servers.ledger import Entry

Place = tuple[str, str]
"""A chat and the thread in it."""


def pattern(regex: str) -> Callable[[str], list[str]]:
    """The keys that a pattern's one group finds in a text, in order."""
    return re.compile(regex).findall


QUESTIONS = pattern(r"\bask-(\w+)")
ANSWERS = pattern(r"\bans-(\w+)")
FACTS = pattern(r"\bfact-(\w+)")


def remembered(text: str) -> list[str]:
    """The facts that a bot's text says were remembered, line by line."""
    lines = [line for line in text.splitlines() if "remembered" in line.lower()]
    return [key for line in lines for key in FACTS(line)]


@dataclass(frozen=True, slots=True)
class Keys:
    """How keys are found in texts, and what a placeholder looks like."""

    asked: Callable[[str], list[str]] = QUESTIONS
    answered: Callable[[str], list[str]] = ANSWERS
    acknowledged: Callable[[str], list[str]] = remembered
    stored: Callable[[str], list[str]] = FACTS
    placeholders: tuple[str, ...] = ("…",)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What went wrong, by key or message id; everything is empty if nothing did.

    Attributes:
        lost: handed over, never answered in its chat.
        doubled: answered by more than one message.
        misordered: answered before something that was asked earlier in the same place.
        unasked: answered in a chat in which nobody asked.
        orphans: placeholders that were left behind.
        memory_lost: said to be remembered, not in the workspace.
        memory_doubled: in the workspace more than once.
        waiting: never handed over by the platform; no fault of the bot's.
    """

    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    misordered: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    memory_lost: tuple[str, ...] = ()
    memory_doubled: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def figures(self) -> dict[str, int]:
        return {name: len(keys) for name, keys in asdict(self).items()}

    @property
    def is_clean(self) -> bool:
        """Nothing lost, doubled, out of order or made up; orphans are ugly but allowed."""
        return not any(count for name, count in self.figures.items() if name not in {"orphans", "waiting"})


@dataclass(slots=True)
class _Message:
    """A bot's message as it was last seen."""

    id: str
    place: Place
    text: str = ""
    is_empty: bool = True
    is_loading: bool = False
    is_deleted: bool = False


@dataclass(slots=True)
class _Story:
    """The ledger, folded."""

    asked: dict[str, Place] = field(default_factory=dict)
    messages: dict[tuple[str, str], _Message] = field(default_factory=dict)
    waiting: dict[str, Place] = field(default_factory=dict)


def check(entries: Sequence[Entry], *, workspace: Path | None = None, keys: Keys | None = None) -> Verdict:
    """Judge a whole run. `workspace` is the folder whose Markdown must hold what was said to be remembered."""
    keys = keys or Keys()
    story = _fold(entries, keys)
    chats = {key: chat for key, (chat, _) in (story.waiting | story.asked).items()}
    everywhere = _answers(story, keys)
    answers = [(message, key) for message, key in everywhere if chats.get(key) == message.place[0]]
    times = Counter(key for _, key in answers)
    facts = Counter(_facts(workspace, keys)) if workspace else Counter[str]()
    acknowledged = {key for message in story.messages.values() for key in keys.acknowledged(message.text)}
    return Verdict(
        lost=tuple(key for key in story.asked if key not in times),
        doubled=tuple(key for key, count in times.items() if count > 1),
        misordered=tuple(_misordered(story.asked, answers)),
        unasked=tuple(dict.fromkeys(key for message, key in everywhere if chats.get(key) != message.place[0])),
        orphans=tuple(_orphans(story.messages.values(), keys)),
        memory_lost=tuple(sorted(acknowledged - facts.keys())) if workspace else (),
        memory_doubled=tuple(key for key, count in facts.items() if count > 1),
        waiting=tuple(story.waiting),
    )


def _fold(entries: Sequence[Entry], keys: Keys) -> _Story:
    story, handed = _Story(), _handed(entries)
    for entry in entries:
        where = (entry.get("chat", ""), entry.get("id", ""))
        if entry["kind"] == "message" and entry["by"] == "user":
            for key in keys.asked(entry["text"]):
                is_handed = handed is None or where in handed
                (story.asked if is_handed else story.waiting).setdefault(key, (entry["chat"], entry["thread"]))
        elif entry["kind"] in {"message", "edit"} and entry["by"] == "bot":
            known = story.messages.setdefault(where, _Message(entry["id"], (entry["chat"], entry["thread"])))
            known.text, known.is_loading = entry["text"], entry.get("loading", False)
            known.is_empty = not entry["text"] and not entry.get("files")
        elif entry["kind"] == "delete" and where in story.messages:
            story.messages[where].is_deleted = True
    return story


def _handed(entries: Iterable[Entry]) -> set[tuple[str, str]] | None:
    """The messages that came in an update which a bot has fetched; None if the platform has no updates."""
    updates: dict[int, Entry] = {}
    fetched: set[int] = set()
    for entry in entries:
        if entry["kind"] == "update":
            updates[entry["update_id"]] = entry["update"].get("message") or {}
        elif entry["kind"] == "handed":
            fetched.update(entry["updates"])
        elif entry["kind"] == "posted" and 200 <= entry["status"] < 300:
            fetched.add(entry["update"])
    if not updates:
        return None
    messages = [updates[number] for number in fetched if updates[number].get("chat")]
    return {(str(message["chat"]["id"]), str(message["message_id"])) for message in messages}


def _answers(story: _Story, keys: Keys) -> list[tuple[_Message, str]]:
    """Every answer with its message, in the order in which the messages appeared."""
    return [(message, key) for message in story.messages.values() for key in dict.fromkeys(keys.answered(message.text))]


def _misordered(asked: dict[str, Place], answers: Iterable[tuple[_Message, str]]) -> Iterator[str]:
    order = {key: number for number, key in enumerate(asked)}
    furthest: dict[Place, int] = defaultdict(lambda: -1)
    seen: set[str] = set()
    for _, key in answers:
        if key in seen or key not in asked:
            continue
        seen.add(key)
        place = asked[key]
        if order[key] < furthest[place]:
            yield key
        furthest[place] = max(furthest[place], order[key])


def _orphans(messages: Iterable[_Message], keys: Keys) -> Iterator[str]:
    for message in messages:
        is_placeholder = message.is_loading or message.is_empty or message.text in keys.placeholders
        if is_placeholder and not message.is_deleted:
            yield message.id


def _facts(workspace: Path, keys: Keys) -> Iterator[str]:
    """The facts in the workspace's bullets, one for each line that holds them."""
    for path in sorted(workspace.rglob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.lstrip().startswith("- "):
                yield from dict.fromkeys(keys.stored(line))
