"""What known models want in front of a question and of a text to be found. Without it they search badly."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.ports import Purpose


@dataclass(frozen=True, slots=True)
class Prefixes:
    """One model family's habits, as its authors describe them; `name` becomes part of the embedder's identity."""

    name: str
    query: str = ""
    passage: str = ""

    def written(self, text: str, purpose: Purpose) -> str:
        """The text as the model is to see it."""
        return (self.query if purpose is Purpose.QUERY else self.passage) + text


NONE = Prefixes("none")

_TASK = "Instruct: Given a question, retrieve notes and facts that answer it\nQuery:"
_KNOWN = (
    (r"e5-.*instruct", Prefixes("e5-instruct", query=_TASK)),
    (r"\be5-|multilingual-e5", Prefixes("e5", query="query: ", passage="passage: ")),
    (r"nomic-embed", Prefixes("nomic", query="search_query: ", passage="search_document: ")),
    (r"qwen3-embed", Prefixes("qwen3", query=_TASK)),
    (r"embeddinggemma", Prefixes("gemma", query="task: search result | query: ", passage="title: none | text: ")),
    (r"bge-m3", NONE),
)


def prefixes_for(model: str) -> Prefixes:
    """The habits of a model, told by its name with or without an owner and a tag (`nomic-ai/...`, `...:latest`)."""
    name = model.lower().replace("_", "-")
    return next((known for pattern, known in _KNOWN if re.search(pattern, name)), NONE)
