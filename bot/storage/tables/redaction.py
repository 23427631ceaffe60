"""Rewriting what was said: which parts of stored values are texts, and the same in all tables of the state file.

Only texts that people and models wrote are rewritten; ids, addresses, instants and other fields stay as they are. A
text that is JSON itself, as results of tools are, is rewritten inside.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from adapters.port import Inbound, Outbound
from bot.storage.keys import SessionKey
from bot.storage.port import Among, EntryKind, Envelope, PartState, Rewrite
from bot.storage.statements import ENVELOPES, OUTBOUNDS, Database
from bot.texts.formatting import well_formed

TEXT_FIELDS = frozenset(
    "text shown_as input told shown content query entities reason notice path extra arguments result problems "
    "summary".split()
)
"""The fields of a transcript entry whose strings, at any depth, are texts."""

SPOKEN = frozenset({EntryKind.MESSAGE, EntryKind.REPLY})
"""The entries that count as changed: what people said, and what was answered."""

PAGE = 500
"""Rows rewritten at a time."""


def redact_body(body: str, rewrite: Rewrite) -> str:
    """Rewrite the texts in the body of a transcript entry, a JSON object; anything else counts as one text."""
    try:
        fields = json.loads(body)
    except ValueError:
        return rewrite(body)
    new = redact_fields(fields, rewrite)
    return body if new == fields else to_json(new)


def body_texts(body: str) -> list[str]:
    """Return the texts in the body of a transcript entry."""
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    redact_body(body, collect)
    return texts


def redact_inbound(event: Inbound, rewrite: Rewrite) -> Inbound:
    """Rewrite what was said and quoted, and the names of files."""
    files = tuple(replace(file, name=rewrite(file.name)) for file in event.attachments)
    return replace(event, text=rewrite(event.text), quote=rewrite(event.quote), attachments=files)


def redact_envelope(envelope: Envelope, rewrite: Rewrite, *, is_waiting: bool) -> Envelope:
    """Rewrite what was said in the group before a message and, unless it only waits to be answered, the message."""
    before = tuple(replace(message, text=rewrite(message.text)) for message in envelope.before)
    inbound = envelope.inbound if is_waiting else redact_inbound(envelope.inbound, rewrite)
    return replace(envelope, inbound=inbound, before=before)


def redact_outbound(message: Outbound, rewrite: Rewrite) -> Outbound:
    """Rewrite the text and the buttons of a message."""
    buttons = tuple(replace(one, label=rewrite(one.label), data=rewrite(one.data)) for one in message.buttons)
    return replace(message, text=rewrite(message.text), buttons=buttons)


def redact_fields(value: Any, rewrite: Rewrite, *, within: str = "") -> Any:
    """Rewrite the texts in the JSON value of the field `within`, which is no text field itself.

    Names of files are texts; names of tools and people are not. The names of a score's parts contain words of the
    question.
    """
    if isinstance(value, list):
        return [redact_fields(inner, rewrite, within=within) for inner in value]
    if not isinstance(value, dict):
        return value
    result: dict[str, Any] = {}
    for name, inner in value.items():
        if name == "parts" and isinstance(inner, dict):
            scores: dict[str, Any] = {}
            for part, number in inner.items():
                scores[rewrite(part)] = scores.get(rewrite(part), 0) + number
            result[name] = scores
        elif name in TEXT_FIELDS or (within, name) == ("files", "name"):
            new = redact_strings(inner, rewrite)
            # What a provider wants back unchanged is of no use once it was changed.
            result[name] = {} if name == "extra" and new != inner else new
        else:
            result[name] = redact_fields(inner, rewrite, within=name)
    return result


def redact_strings(value: Any, rewrite: Rewrite) -> Any:
    """Rewrite all strings of a JSON value, also within strings that are JSON themselves."""
    if isinstance(value, dict):
        return {name: redact_strings(inner, rewrite) for name, inner in value.items()}
    if isinstance(value, list):
        return [redact_strings(inner, rewrite) for inner in value]
    if not isinstance(value, str):
        return value
    if value[:1] in {"{", "["} and value[-1:] in {"}", "]"}:
        try:
            parsed = json.loads(value)
            new = redact_strings(parsed, rewrite)
        except (ValueError, RecursionError):
            return rewrite(value)
        if isinstance(parsed, dict | list):
            return value if new == parsed else to_json(new)
    return rewrite(value)


def to_json(value: object) -> str:
    """Return a JSON value as bodies of entries are written."""
    return well_formed(json.dumps(value, ensure_ascii=False))


def redact_agent(db: Database, agent: str, rewrite: Rewrite, among: Among) -> int:
    """Rewrite the texts of one agent within a transaction; return how many messages and answers have changed."""
    _redact_turns_under_way(db, agent, rewrite, among)
    _redact_outbox(db, agent, rewrite, among)
    return _redact_transcripts(db, agent, rewrite, among)


def _redact_turns_under_way(db: Database, agent: str, rewrite: Rewrite, among: Among) -> None:
    """Rewrite messages with which a turn has begun or that were set aside, and what its tools have returned.

    Messages that only wait are still to be answered, and stay, but for what was said before them. So do the calls of
    tools: by them a repeated turn is recognised, and they are removed when it ends.
    """
    turns: set[str] = set()

    def redact_message(body: str, *, is_waiting: bool) -> str:
        try:
            envelope = ENVELOPES.validate_json(body)
        except ValueError:  # written by a newer version, or damaged
            return body if is_waiting else redact_body(body, rewrite)
        turns.add(envelope.turn)
        new = redact_envelope(envelope, rewrite, is_waiting=is_waiting)
        return body if new == envelope else ENVELOPES.dump_json(new).decode()

    sql = "SELECT seq, session, body, attempts = 0 AND state = 'waiting' FROM inbox WHERE agent = ?"
    messages = [
        (new, agent, seq)
        for seq, session, body, is_waiting in db.execute(sql, (agent,)).fetchall()
        if among(session) and (new := redact_message(body, is_waiting=is_waiting)) != body
    ]
    db.executemany("UPDATE inbox SET body = ? WHERE agent = ? AND seq = ?", messages)

    sql = "SELECT turn, number, result FROM effect WHERE agent = ? AND result IS NOT NULL"
    results = [
        (new, agent, turn, number)
        for turn, number, result in db.execute(sql, (agent,)).fetchall()
        if turn in turns and (new := redact_strings(result, rewrite)) != result
    ]
    db.executemany("UPDATE effect SET result = ? WHERE agent = ? AND turn = ? AND number = ?", results)


def _redact_outbox(db: Database, agent: str, rewrite: Rewrite, among: Among) -> None:
    """Rewrite parts of answers; of those that have arrived, which nobody reads here any more, no word is left.

    They may repeat a secret that nobody knows by now: whoever was told it was killed before it was masked.
    """

    def redact_part(body: str, *, has_arrived: bool) -> str:
        try:
            out = OUTBOUNDS.validate_json(body)
        except ValueError:  # written by a newer version, or damaged; for which chat is not known
            return redact_body(body, rewrite)
        how = (lambda _: "") if has_arrived else rewrite
        new = redact_outbound(out, how) if among(str(SessionKey(agent, out.to))) else out
        return body if new == out else OUTBOUNDS.dump_json(new).decode()

    query = "SELECT seq, body, state FROM outbox WHERE agent = ? AND seq > ? ORDER BY seq LIMIT ?"
    at = 0
    while rows := db.execute(query, (agent, at, PAGE)).fetchall():
        at = rows[-1][0]
        changed = [
            (new, agent, seq)
            for seq, body, state in rows
            if (new := redact_part(body, has_arrived=state == PartState.DELIVERED)) != body
        ]
        db.executemany("UPDATE outbox SET body = ? WHERE agent = ? AND seq = ?", changed)


def _redact_transcripts(db: Database, agent: str, rewrite: Rewrite, among: Among) -> int:
    query = """SELECT session, seq, kind, body FROM transcript
               WHERE agent = ? AND (session, seq) > (?, ?) ORDER BY session, seq LIMIT ?"""
    at, count = ("", 0), 0
    while rows := db.execute(query, (agent, *at, PAGE)).fetchall():
        at = (rows[-1][0], rows[-1][1])
        changed = list[tuple[str, str, str, int]]()
        for session, seq, kind, body in rows:
            if among(session) and (new := redact_body(body, rewrite)) != body:
                changed.append((new, agent, session, seq))
                count += kind in SPOKEN
        db.executemany("UPDATE transcript SET body = ? WHERE agent = ? AND session = ? AND seq = ?", changed)
    return count
