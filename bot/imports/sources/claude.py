"""Claude's export: `conversations.json` or `.jsonl`, `memories.json`, and the documents of projects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.imports.sources.base import (
    NO_OBJECT,
    NO_TEXT,
    Content,
    Fields,
    Importer,
    Item,
    ItemSort,
    Message,
    Skipped,
    conversation,
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
                yield read_chat(Fields.of(row), f"{name}:{number}")
        elif name == "conversations.json":
            for number, chat in enumerate(source.elements(name)):
                yield read_chat(Fields.of(chat), f"{name}[{number}]")
        elif name == "memories.json":
            yield from read_memories(source.document(name))
        else:
            for number, project in enumerate(source.elements(name)):
                yield from read_project(Fields.of(project), f"{name}[{number}]")


def read_chat(chat: Fields, place: str) -> Content:
    """Read a chat; files that were handed over are named."""
    if "chat_messages" not in chat:
        return Skipped(place, NO_OBJECT)
    messages = []
    for row in chat.objects("chat_messages"):
        who = SPEAKERS.get(row.text("sender"))
        parts = row.objects("content")  # `text` has thinking and calls of tools, too
        words = [part.text("text") for part in parts if part.get("type") == "text"]
        text = "\n\n".join(filter(None, words)) if parts else row.text("text")
        files = dict.fromkeys(file.text("file_name") for file in row.objects("attachments") + row.objects("files"))
        text = "\n\n".join([text, *(f"[a file: {file}]" for file in files if file)]).strip("\n")
        if who and text.strip():
            messages.append(Message(who, row.instant("created_at"), text))
    title = chat.text("name")
    if not messages:
        return Skipped(title or place, NO_TEXT)
    return conversation(chat.text("uuid") or place, title, messages, began=chat.instant("created_at"))


def read_memories(document: Any) -> Iterator[Content]:
    """Yield what it keeps of all chats, and of each project: texts of several paragraphs, so notes."""
    for number, row in enumerate(document if isinstance(document, list) else [document]):
        fields = Fields.of(row)
        projects, when = fields.inner("project_memories"), fields.instant("updated_at", "created_at")
        texts = {"memory": fields.text("conversations_memory", "memory")}
        texts |= {f"project-{key}": projects.text(key) for key in projects}
        for name, text in texts.items():
            place = f"memories/{name}{f'-{number + 1}' if number else ''}.md"
            if text.strip():
                yield Item(ItemSort.NOTE, place, text, place=place, at=when)


def read_project(project: Fields, place: str) -> Iterator[Content]:
    """Yield what was told to a project, and its documents."""
    name, made = project.text("name", "uuid") or "project", project.instant("created_at")
    about = {"about.md": project.text("description"), "instructions.md": project.text("prompt_template")}
    texts = [(file, text, made) for file, text in about.items()]
    texts += [(doc.text("filename"), doc.text("content"), doc.instant("created_at")) for doc in project.objects("docs")]
    taken = set[str]()
    for number, (file, text, when) in enumerate(texts):
        if text.strip():
            key = f"{project.text('uuid') or place}/{file or number}"
            key = f"{key}/{number}" if key in taken else key  # several documents may have the same name
            taken.add(key)
            yield Item(ItemSort.NOTE, key, text, place=f"projects/{name}/{file or number}", at=when)


IMPORTER = Importer("claude", mark("Claude's data export (ZIP, conversations.json or .jsonl)"), detect, read, names)
