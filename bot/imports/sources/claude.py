"""Claude's export: `conversations.json` or `.jsonl`, `memories.json`, and the documents of projects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import (
    NO_OBJECT,
    NO_TEXT,
    Content,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    as_list,
    as_object,
    as_objects,
    as_text,
    conversation,
    parse_instant,
    text_at,
)
from bot.imports.sources.places import Source
from bot.texts.catalogue import mark

FILES = ("conversations.json", "conversations.jsonl", "memories.json", "projects.json")
SPEAKERS = {"human": "Me", "user": "Me", "assistant": "Claude"}


def names(source: Source) -> Sequence[str]:
    """The files that it writes, as far as they are there; one `.jsonl` may be called otherwise."""
    alone = source.names if len(source.names) == 1 else ()
    return [name for name in source.names if name in FILES or (name in alone and name.endswith(".jsonl"))]


def detect(source: Source) -> float:
    """Sure of flat messages at the beginning of the chats."""
    heads = [source.beginning(name, 1 << 16) for name in names(source)]
    if any('"chat_messages"' in head for head in heads):
        return 0.95
    return 0.7 if any('"conversations_memory"' in head or '"project_memories"' in head for head in heads) else 0.0


def read(source: Source) -> Iterator[Content]:
    """Yield each chat, what is kept as memory, and the documents of projects."""
    for name in names(source):
        if name.endswith(".jsonl"):
            for number, row in source.rows(name):
                yield read_chat(as_object(row), f"{name}:{number}")
        elif name == "conversations.json":
            for number, chat in enumerate(source.elements(name)):
                yield read_chat(as_object(chat), f"{name}[{number}]")
        elif name == "memories.json":
            yield from read_memories(source.document(name))
        else:
            for number, project in enumerate(source.elements(name)):
                yield from read_project(as_object(project), f"{name}[{number}]")


def read_chat(chat: dict[str, Any], place: str) -> Content:
    """Read a chat; files that were handed over are named."""
    if "chat_messages" not in chat:
        return Skipped(place, NO_OBJECT)
    messages = []
    for row in as_objects(chat["chat_messages"]):
        who = SPEAKERS.get(text_at(row, "sender"))
        parts = as_objects(row.get("content"))  # `text` has thinking and calls of tools, too
        words = [text_at(part, "text") for part in parts if part.get("type") == "text"]
        text = "\n\n".join(filter(None, words)) if parts else text_at(row, "text")
        handed = [*as_list(row.get("attachments")), *as_list(row.get("files"))]
        files = dict.fromkeys(text_at(file, "file_name") for file in handed)
        text = "\n\n".join([text, *(f"[a file: {file}]" for file in files if file)]).strip("\n")
        if who and text.strip():
            messages.append(Message(who, parse_instant(row.get("created_at")), text))
    title = text_at(chat, "name")
    if not messages:
        return Skipped(title or place, NO_TEXT)
    return conversation(text_at(chat, "uuid") or place, title, messages, began=parse_instant(chat.get("created_at")))


def read_memories(document: Any) -> Iterator[Content]:
    """Yield what it keeps of all chats, and of each project: texts of several paragraphs, so notes."""
    for number, row in enumerate(as_list(document) or [document]):
        fields = as_object(row)
        texts = {"memory": text_at(fields, "conversations_memory", "memory")}
        texts |= {f"project-{key}": as_text(text) for key, text in as_object(fields.get("project_memories")).items()}
        when = parse_instant(fields.get("updated_at") or fields.get("created_at"))
        for name, text in texts.items():
            place = f"memories/{name}{f'-{number + 1}' if number else ''}.md"
            if text.strip():
                yield Item(ItemSort.NOTE, place, text, place=place, at=when)


def read_project(project: dict[str, Any], place: str) -> Iterator[Content]:
    """Yield what was told to a project, and its documents."""
    name = text_at(project, "name", "uuid") or "project"
    about = {"about.md": text_at(project, "description"), "instructions.md": text_at(project, "prompt_template")}
    texts = [(key, text, project.get("created_at")) for key, text in about.items()]
    taken = set[str]()
    documents = as_objects(project.get("docs"))
    texts += [
        (text_at(document, "filename"), text_at(document, "content"), document.get("created_at"))
        for document in documents
    ]
    for number, (file, text, when) in enumerate(texts):
        if text.strip():
            key = f"{text_at(project, 'uuid') or place}/{file or number}"
            key = f"{key}/{number}" if key in taken else key  # several documents may have the same name
            taken.add(key)
            where = f"projects/{name}/{file or number}"
            yield Item(ItemSort.NOTE, key, text, place=where, at=parse_instant(when))


IMPORTER = Importer("claude", mark("Claude's data export (ZIP, conversations.json or .jsonl)"), detect, read, names)
