"""OpenClaw's options (`openclaw.json`, JSON5): what they would be here. They are shown, and never applied."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any

from bot.imports.sources.base import Content, Fields, Importer, Setting, Skipped
from bot.imports.sources.places import MAX_TEXT_BYTES, Source, damaged
from bot.texts.catalogue import mark
from bot.texts.formatting import flatten

FILES = ("openclaw.json", "openclaw.json5", "clawdbot.json", "clawdbot.json5", "moltbot.json")

_SEARCH = {
    "query.maxResults": "memory.recall.limit",
    "query.minScore": "memory.weights.min_score",
    "query.hybrid.vectorWeight": "memory.weights.meaning",
    "query.hybrid.textWeight": "memory.weights.words",
    "chunking.tokens": "memory.chunks.tokens",
    "chunking.overlap": "memory.chunks.overlap",
    "experimental.sessionMemory": "memory.sessions.index",
}
_SEARCHES = ("agents.defaults.memorySearch", "memory.search")
OPTIONS = {
    **{f"{at}.{theirs}": ours for at in _SEARCHES for theirs, ours in _SEARCH.items()},
    "agents.defaults.compaction.memoryFlush.enabled": "session.flush.enabled",
    "agents.defaults.compaction.memoryFlush.softThresholdTokens": "session.flush.soft_tokens",
    "agents.defaults.userTimezone": "owner.timezone",
    "session.reset.atHour": "session.reset.daily",
    "session.reset.idleMinutes": "session.reset.idle_minutes",
}
"""Their dotted name -> ours, where both mean the same."""

FOLDERS = (*(f"{at}.extraPaths" for at in _SEARCHES), "memory.qmd.paths")
"""Their dotted names of lists of folders that are searched beside memory."""

_SECRET = re.compile(r"key|token(?!s)|secret|password", re.IGNORECASE)


def names(source: Source) -> Sequence[str]:
    """The file of options."""
    return [name for name in source.names if name in FILES][:1]


def detect(source: Source) -> float:
    """Sure of the file's name where it stands alone; a folder with a workspace in it is taken for that."""
    return 0.9 if names(source) and len(source.names) == 1 else 0.5 if names(source) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield what has a counterpart here as settings, and name what has none."""
    for name in names(source):
        data = source.read(name, MAX_TEXT_BYTES)
        try:
            options = Fields.of(json.loads(plain_json(data.decode("utf-8-sig"))))
        except (ValueError, RecursionError) as error:
            raise damaged(name, str(error)) from error
        taken = dict[str, str]()
        for theirs, value in flatten(options):
            if theirs in OPTIONS:
                yield Setting(theirs, OPTIONS[theirs], json.dumps(value))
            elif theirs in FOLDERS:
                yield from read_folders(theirs, value, taken)
            else:
                is_secret = _SECRET.search(theirs)
                why = mark("a secret is not taken: enter it again") if is_secret else mark("it has no counterpart here")
                yield Skipped(theirs, why)


def read_folders(theirs: str, value: Any, taken: dict[str, str]) -> Iterator[Setting]:
    """Yield folders that are searched beside memory, as extra folders; `taken` has the names of those before."""
    for entry in value if isinstance(value, list) else ():
        fields = Fields.of(entry)
        folder = entry if isinstance(entry, str) else fields.text("path")
        called = fields.text("name") or folder.rstrip("/").rpartition("/")[2]
        name = re.sub(r"[^a-z0-9]+", "-", called.lower()).strip("-")[:30]
        names = chain([name] if name[:1].isalpha() else [], (f"folder-{n}" for n in count(len(taken) + 1)))
        if folder and folder not in taken:
            taken[folder] = next(unused for unused in names if unused not in taken.values())
            yield Setting(theirs, f"memory.extra_paths.{taken[folder]}", json.dumps(folder, ensure_ascii=False))


_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<gone>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<comma>,)(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])|(?P<key>[A-Za-z_$][\w$]*)(?=\s*:)""",
    re.DOTALL,
)


def plain_json(text: str) -> str:
    """Return JSON5 as people write it (comments, bare keys, single quotes, last commas) as JSON.

    >>> plain_json("{a: 'x', // note" + chr(10) + " b: [1,],}")
    '{"a": "x", \\n "b": [1]}'
    """

    def plain(token: re.Match[str]) -> str:
        if token["string"]:
            inner = token["string"][1:-1]
            return token["string"] if token[0][0] == '"' else json.dumps(inner.replace("\\'", "'"), ensure_ascii=False)
        return f'"{token["key"]}"' if token["key"] else ""

    return _TOKEN.sub(plain, text)


IMPORTER = Importer("openclaw-config", mark("OpenClaw's options (openclaw.json), shown only"), detect, read, names)
