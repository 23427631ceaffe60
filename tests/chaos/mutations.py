"""Hostile inputs of a running service, each made from a seed and a number: the same two give the same input.

An input is of one kind: a `file` in a folder of notes, a `record` of a file that the service itself keeps, an `update`
of a platform, or a `config`. What is known only where it is applied (the bytes of the file that is damaged) is mutated
there, by the same means, with `Input.chance`.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

KINDS = {"file": 50, "record": 10, "update": 25, "config": 15}
"""Of a hundred inputs, so many are of each kind."""
SIZES = {200: 60, 5_000: 33, 100_000: 5.5, 1_000_000: 1.5}
"""How many characters a construct is repeated to, and how often."""
RECORDS = ("journal", "journal", "transcript", "index", "sessions")
STRANGER, GUEST, OWNER, GROUP = 9001, 61, 51, -1001
"""Who sends updates: nobody's probe is among them."""

CONSTRUCTS: Mapping[str, str] = {
    "comment": "<!--\n",
    "comments in a line": "<!-- ",
    "closed comments": "<!-- a --> b\n",
    "forgotten": "<!-- scrubjay:forgotten ^abc -->\n",
    "fence": "```\n",
    "fences of both kinds": "```a\n~~~b\n",
    "indented fence": "    ```\n",
    "table": "| a | b |\n|---|---|\n| c | d |\n\n",
    "pipes": "|",
    "table rows": "|a|b|c|d\n",
    "frontmatter": "---\na: b\n---\n",
    "frontmatter aliases": "a: &a [x, x]\nb: &b [*a, *a]\n",
    "frontmatter blanks": " ",
    "bullets": "- a\n",
    "numbered": "1. a\n",
    "indented bullets": "  - a\n",
    "empty bullets": "-\n",
    "quote in a line": "> ",
    "quotes": ">\n",
    "emphasis": "*a **b _c __d ",
    "stars": "*",
    "underscores": "_",
    "brackets": "[",
    "links": "[a](",
    "images": "![a](<",
    "wiki links": "[[a",
    "backslashes": "\\",
    "backticks": "`",
    "odd backticks": "`a``b```c",
    "headings": "# a\n",
    "underlined headings": "a\n===\n",
    "retain headings": "## Retain\n",
    "retain": "## Retain\n- W(from=untrusted, at=2026-01-01) @Ann: a fact #goal ^abcd1234\n",
    "same id": "- W: a fact ^abcd1234\n",
    "open attributes": "- W(a=(",
    "attributes": "a=b, ",
    "entities": "@Ann [[Bob]] ",
    "ids": "^abcd1234 ",
    "id lines": "^abcd1234\n",
    "categories": "#goal ",
    "html": "<div><b>",
    "html entities": "&amp;&#x0;",
    "speakers": "Ann: hi\n\nBob: ho\n\n",
    "dates": "2026-02-30 next Tuesday at 25:61 ",
    "begin marks": "<!-- scrubjay:begin a -->\n",
    "json": '{"a":[',
    "words": "word ",
    "one word": "a",
    "lines": "\n",
    "returns": "\r",
    "mixed line ends": "a\r\nb\rc\x85d\u2028e\n",
    "paragraphs": "a fact\n\n",
    "NUL": "\x00",
    "C1": "\x80\x9b31m\x9d",
    "escapes": "\x1b[31m\x1b]0;a\x07",
    "bidi": "\u202e\u2066a\u2069\u202d",
    "zero width": "\u200b\u200d\ufeff",
    "combining": "e\u0301\u0302\u0303",
    "emoji": "👨‍👩‍👧‍👦",
    "han": "記憶の鍵はどこですか",
    "arabic": "أين المفتاح؟ ",
    "digits": "9",
    "ligatures": "\ufdfa",
    "template tokens": "<|im_start|>system\n[INST] <think> ",
}
OPENINGS = ("", "", "", "\ufeff", "---\n", "---\na", "# Title\n\n", "## Retain\n", "- W: a\n", "<!--", "```\n", "> ")
ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 2**63, -(2**70), 10**400, "", "x", "\ud83d", "\x00", "\u202e", [], {}, [[]],
    {"a": None}, "9" * 400, ["\udfff"], "../../etc/passwd", "a" * 5000, "{}", "%s%n", "2026-13-45T99:99:99Z",
)  # fmt: skip
COMMANDS = ("/remember ", "/recall ", "/why ", "/forget ", "/new ", "/link ", "/undo ", "/secret ", "/replace ", "/")
LONE = ("\ud83d", "\udfff", "Eve\ud83d", "\udcff.txt")
FILE_NAMES = (
    b"a\nb.md", b"\x1b[31mred.md", b"\xff\xfe.md", "\u202egnp.md".encode(), b"-rf.md", b"a" * 250 + b".md", b" .md",
    b"a\\b.md", b"%2e%2e.md", "\u200b.md".encode(), b"CON.md", b"MEMORY.MD", b"..md", b"...md", "e\u0301.md".encode(),
    "é.md".encode(), b"a:b.md", b"#.md", b"~.md", b"\x7f.md", b"memory.md", b"\xc0\xaf.md", b"\xed\xa0\xbd.md",
)  # fmt: skip
SPECIAL = ("fifo", "symlink", "hard link", "folder", "deep", "changing", "unreadable", "sparse")


@dataclass(frozen=True, slots=True)
class Input:
    """One hostile input.

    Attributes:
        seed, index: what it was made from.
        kind: one of `KINDS`.
        what: how it was made, in a few words.
        place: for a file its name and for a record the kind of file that is damaged; else empty.
        data: the bytes of a file or a configuration.
        event: the platform and the fields of an update.
    """

    seed: int
    index: int
    kind: str
    what: str
    place: bytes = b""
    data: bytes = b""
    event: tuple[str, Any] = ("", None)

    @property
    def chance(self) -> random.Random:
        """What is still to be decided where it is applied."""
        return random.Random(f"applied {self.seed} {self.index}")

    def __str__(self) -> str:
        return f"#{self.index} {self.kind}: {self.what}"


def hostile(seed: int, index: int) -> Input:
    """The input with that number."""
    chance = random.Random(f"{seed} {index}")
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    return MAKERS[kind](seed, index, chance)


def text(chance: random.Random, *, largest: int = 1_000_000) -> tuple[str, str]:
    """A hostile text and what it is: one construct over and over, two of them mixed, or nested."""
    name = chance.choice(list(CONSTRUCTS))
    size = min(chance.choices(list(SIZES), list(SIZES.values()))[0], largest)
    unit, opening = CONSTRUCTS[name], chance.choice(OPENINGS)
    how = chance.choices(("repeated", "mixed", "nested", "one line", "damaged"), (60, 15, 10, 5, 10))[0]
    match how:
        case "mixed":
            other = chance.choice(list(CONSTRUCTS))
            name, unit = f"{name} and {other}", unit + CONSTRUCTS[other]
        case "nested":
            unit = "".join(" " * depth + unit for depth in range(min(300, int((2 * size) ** 0.5))))
        case "one line":
            unit = unit.replace("\n", " ")
    body = opening + unit * max(1, size // len(unit))
    if how == "damaged":
        body = damaged(body.encode("utf-8", "surrogatepass"), chance).decode("utf-8", "replace")
    return body + chance.choice(("", "\n", "x", "---\n")), f"{name}, {how}, {len(body)} characters after {opening!r}"


def damaged(data: bytes, chance: random.Random) -> bytes:
    """These bytes, broken as disks, editors and adversaries break them."""
    at, until = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
    return chance.choice(
        (
            data[:at],
            data[at:],
            data[:at] + data[until:],
            data[:at] + bytes(until - at) + data[until:],
            data[:until] + data[at:until] + data[until:],
            data[:at] + chance.randbytes(chance.randint(1, 200)) + data[at:],
            data[:at] + chance.choice((b"\xed\xa0\xbd", b"\xff", b"\xc0\xaf", b"\xf5", b"\x00")) + data[at:],
            data[::-1],
            _flipped(data, chance, 1),
            _flipped(data, chance, 1),
            _flipped(data, chance, 100),
        )
    )


def _flipped(data: bytes, chance: random.Random, bits: int) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(bits):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def damaged_line(line: bytes, chance: random.Random) -> bytes:
    """A line of JSON, without its newline, as a newer version, a flipped bit or an adversary would have it."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return damaged(line, chance)
    newer = fields | {"a newer field": chance.choice(ODD_VALUES)} if isinstance(fields, dict) else [fields]
    return chance.choice(
        (
            _flipped(line, chance, 1),
            damaged(line, chance).replace(b"\n", b""),
            b"[" * 100_000,
            b'{"v":1}',
            line[:-1] + b"," + line[1:],
            *(json.dumps(value).encode() for value in (newer, chance.choice(ODD_VALUES))),
            *(json.dumps(odd(fields, chance)).encode() for _ in range(4)),
        )
    )


def odd(value: Any, chance: random.Random) -> Any:
    """A JSON value in which one to three things are odd: missing, of another type, doubled, unknown, endless."""
    for _ in range(chance.randint(1, 3)):
        value = _odd_once(value, chance)
    return value


def _odd_once(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        return _odd_field(value, chance.choice(sorted(value)), chance)
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        inner = [_odd_once(value[at], chance)]
        return chance.choice((value[:at] + inner + value[at + 1 :], value * 50, value + inner))
    if isinstance(value, str) and chance.random() < 0.7:
        return chance.choice((value + chance.choice(LONE), text(chance)[0], value[::-1], value * 100, f"\x00{value}"))
    return chance.choice(ODD_VALUES)


def _odd_field(fields: dict[str, Any], name: str, chance: random.Random) -> dict[str, Any]:
    draw = chance.random()
    if draw < 0.12:
        return {other: kept for other, kept in fields.items() if other != name}
    if draw < 0.24:
        return fields | {"".join(chance.choices(string.ascii_lowercase, k=6)): chance.choice(ODD_VALUES)}
    if draw < 0.45:
        return fields | {name: chance.choice(ODD_VALUES)}
    return fields | {name: _odd_once(fields[name], chance)}


def _file(seed: int, index: int, chance: random.Random) -> Input:
    name, what = f"hostile-{index}.md".encode(), ""
    draw = chance.random()
    if draw < 0.12:
        what, data = chance.choice(SPECIAL), text(chance, largest=100_000)[0].encode("utf-8", "replace")
        return Input(seed, index, "file", what, name, data)
    body, what = text(chance)
    data = body.encode(
        chance.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32")) if draw < 0.2 else "utf-8", "replace"
    )
    if draw > 0.75:
        data, what = damaged(data, chance), f"{what}, damaged"
    if draw > 0.95:
        data, what = chance.randbytes(chance.choice((10, 1000, 300_000))), "random bytes"
    if chance.random() < 0.1:
        name, what = chance.choice(FILE_NAMES), f"{what}, odd name"
    elif chance.random() < 0.3:
        name = chance.choice((b"memory/", b"memory/guests/", b"memory/2026-01-01/", b"a/b/c/")) + name
    return Input(seed, index, "file", what, name, data)


def _record(seed: int, index: int, chance: random.Random) -> Input:
    place = chance.choice(RECORDS)
    ways = ("append", "append", "change", "damage", "remove") if place in {"journal", "transcript"} else ("damage",)
    return Input(seed, index, "record", chance.choice(ways), place.encode())


def _update(seed: int, index: int, chance: random.Random) -> Input:
    platform = "discord" if chance.random() < 0.15 else "telegram"
    sender = chance.choice((OWNER, OWNER, GUEST, STRANGER, GROUP))
    event, what = (_discord if platform == "discord" else telegram_update)(index, chance, sender)
    return Input(seed, index, "update", f"{platform}, {what}", event=(platform, event))


def telegram_update(number: int, chance: random.Random, sender: int) -> tuple[dict[str, Any], str]:
    """Return an update of the Bot API in which one to three things are odd, and what it is."""
    message = _message(number, chance, sender)
    kind = chance.choices(
        ("message", "edited_message", "channel_post", "callback_query", "my_chat_member", "poll", "from_the_future"),
        (70, 8, 4, 8, 4, 3, 3),
    )[0]
    person = message["from"]
    payload: dict[str, Any] = message
    if kind == "callback_query":
        payload = {"id": str(number), "from": person, "chat_instance": "1", "data": "x", "message": message}
    elif kind == "my_chat_member":
        state = {"status": "member", "user": person}
        payload = {
            "chat": message["chat"],
            "from": person,
            "date": 1,
            "old_chat_member": state,
            "new_chat_member": state,
        }
    return {kind: odd(payload, chance)}, f"{kind} with {sorted(set(message) - {'from', 'chat', 'date'})} from {sender}"


def _message(number: int, chance: random.Random, sender: int) -> dict[str, Any]:
    """A message as the Bot API has it, of one of many sorts."""
    user = {"id": OWNER if sender == GROUP else sender, "is_bot": False, "first_name": "Eve", "username": "eve"}
    private = {"id": sender, "type": "private", "first_name": "Eve"}
    chat = {"id": GROUP, "type": "supergroup", "title": "Team"} if sender == GROUP else private
    base = {"message_id": 100_000 + number, "date": 1_795_000_000, "chat": chat, "from": user}
    said = {"text": "What do you know of the lamp?", "entities": [{"type": "bold", "offset": 0, "length": 4}]}
    file = {"file_id": "FILE1", "file_unique_id": "u1", "file_size": 3, "file_name": "a.txt", "mime_type": "text/plain"}
    link = {"type": "text_link", "length": 1, "url": "http://x"}
    sorts: tuple[dict[str, Any], ...] = (
        said,
        said | {"reply_to_message": base | said},
        said | {"forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Mallory"}},
        said | {"quote": {"text": "lamp", "position": 3}, "reply_to_message": base | said},
        {"text": text(chance)[0]},
        {"text": "x" * 4000, "entities": [link | {"offset": at} for at in range(3000)]},
        {"text": chance.choice(COMMANDS) + text(chance, largest=4000)[0]},
        {"document": file, "caption": "see"},
        {"photo": [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}]},
        {"location": {"latitude": 1.5, "longitude": 1e300}},
        {"contact": {"phone_number": "1", "first_name": "A"}, "venue": {"title": "x", "address": "y"}},
        {"poll": {"id": "1", "question": "?", "options": [{"text": "a", "voter_count": 0}], "type": "regular"}},
        {"new_chat_members": [user], "migrate_to_chat_id": -5},
        {"media_group_id": "7", "document": file},
    )  # fmt: skip
    return base | chance.choice(sorts)


def _discord(number: int, chance: random.Random, sender: int) -> tuple[dict[str, Any], str]:
    author = {
        "id": str(10**17 + abs(sender)),
        "username": "eve",
        "discriminator": "0",
        "avatar": None,
        "global_name": "Eve",
    }
    message = {
        "id": str(10**18 + number), "channel_id": str(10**17 + number), "author": author, "type": 0,
        "content": chance.choice(("hello", text(chance)[0])), "timestamp": "2026-11-21T12:00:00+00:00", "tts": False,
        "edited_timestamp": None, "mention_everyone": False, "mentions": [author], "mention_roles": [], "pinned": False,
        "attachments": [{"id": "1", "filename": "a.txt", "size": 3, "url": "http://127.0.0.1:9/a", "proxy_url": "x"}],
        "embeds": [], "flags": 0,
    }  # fmt: skip
    name = chance.choice(
        ("MESSAGE_CREATE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE", "FROM_THE_FUTURE")
    )
    payload = odd(message, chance)
    return {"event": name, "payload": payload if isinstance(payload, dict) else message}, name


def _config(seed: int, index: int, chance: random.Random) -> Input:
    lines = CONFIG.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    odd_line = f"{lines[at].partition(':')[0]}: {json.dumps(chance.choice(ODD_VALUES))}\n"
    body, said = text(chance, largest=5000)
    bomb = chance.choice(sorted(BOMBS))
    what, written = chance.choice(
        (
            ("odd value", "".join([*lines[:at], odd_line, *lines[at + 1 :]])),
            ("doubled lines", "".join([*lines, *lines[at:]])),
            ("unknown option", CONFIG + "surprise:\n  deep: [1, 2]\n"),
            (said, "".join([*lines[:at], body, *lines[at:]])),
            (bomb, BOMBS[bomb]),
            ("odd tree", json.dumps(odd(CONFIG_TREE, chance))),
            ("as it should be", CONFIG),
        )
    )
    data = written.encode("utf-8", "surrogatepass")
    if chance.random() < 0.1:
        what, data = (
            f"{what}, other encoding",
            written.encode(chance.choice(("utf-16", "utf-32", "latin-1")), "replace"),
        )
    if chance.random() < 0.3:
        what, data = f"{what}, damaged", damaged(data, chance)
    return Input(seed, index, "config", what, data=data)


CONFIG_TREE: dict[str, Any] = {
    "agents": {"personal": {"about": "Everyday life."}, "work": {"about": "Work.", "workspace": "work"}},
    "owner": {"name": "Robin", "timezone": "Europe/Berlin"},
    "memory": {
        "recall": {"limit": 6, "budget-chars": 8000},
        "embedder": {"kind": "none"},
        "extra-paths": {"handbook": "handbook"},
    },
    "model": {"name": "m", "base-url": "http://127.0.0.1:9/v1", "timeouts": {"total": 3.5}},
    "telegram": {"token": "7000000001:test-token", "agent": "work"},
    "access": {"owners": ["telegram:12345"], "groups": ["telegram:-100123"], "only-addressed": True},
    "routes": [{"agent": "work", "chat": "telegram:5"}],
    "health": {"port": 0},
    "log": {"level": "info"},
}
CONFIG = """\
agents:
  personal:
    about: "Everyday life."
  work:
    about: "Work."
    workspace: work
owner:
  name: Robin
  timezone: Europe/Berlin
memory:
  recall:
    limit: 6
    budget_chars: 8000
  embedder:
    kind: none
  extra_paths: {"handbook": "handbook"}
model:
  name: m
  base_url: "http://127.0.0.1:9/v1"
  api_key: "${KEY:-none}"
  timeouts:
    total: 3.5
access:
  owners: ["telegram:12345"]
routes: [{"agent": "work", "platform": "telegram"}]
health:
  port: 0
log:
  level: info
"""
BOMBS = {
    "aliases": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{after}: &{after} [{', '.join([f'*{name}'] * 9)}]\n" for name, after in pairwise("abcdefghi")),
    "nested": "owner: " + "[" * 3000,
    "anchors": "owner: &a {name: *a}\n",
    "tags": "owner: !!python/object/apply:os.system [ls]\nlog: !!binary x\nmodel: !!timestamp 2026-99-99\n",
    "long": "owner:\n  name: " + "a" * 1_100_000,
    "references": "owner:\n  name: ${A:-${B:-${C}}}${file:/dev/zero}${file:" + "x" * 3000 + "}\n",
    "merge": "x: &x {about: a}\nagents:\n  personal:\n    <<: *x\n    <<: [*x, *x]\n",
}  # fmt: skip

MAKERS: Mapping[str, Callable[[int, int, random.Random], Input]] = {
    "file": _file,
    "record": _record,
    "update": _update,
    "config": _config,
}
