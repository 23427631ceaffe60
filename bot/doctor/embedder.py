"""Check: what turns text into vectors works, by its self-test; without it words are searched alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity
from memory import Embedder, Error

WORDS = "To leave it at words, set memory.embedder.kind: none"


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Each embedder once, with those whom it serves."""
    served: dict[Embedder | None, list[str]] = {}
    for name in context.config().agents:
        embedding = context.embedding(name)
        served.setdefault(embedding.embedder if embedding else None, []).append(name)
    for embedder, names in served.items():
        place = ", ".join(names)
        if embedder is None:
            yield Finding("embedder.none", Severity.NOTE, place, "switched off, words are searched alone")
            continue
        try:
            await embedder.probe()
        except Error as error:
            hint = f"{error.hint} {WORDS}".lstrip()
            yield Finding("embedder.unusable", Severity.WARNING, place, error.message, hint)
        else:
            yield Finding("embedder.works", Severity.NOTE, place, f"{embedder.identity} passes its self-test")


CHECK = Check("embedder", "embedder", detect)
