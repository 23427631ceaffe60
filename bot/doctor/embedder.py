"""Check: what turns text into vectors works, by its self-test; without it words are searched alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity
from bot.errors import distribution
from bot.memories import VECTORS
from bot.texts.catalogue import mark, tr
from memory import Embedder, Error
from memory.embed.cache import damage_of
from memory.embed.e5 import TESTED
from memory.embed.lazy import has_builtin


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Each embedder once, with those whom it serves; then what was embedded before."""
    with suppress(OSError):  # whatever was found before, it is tested anew, if the folder is ours
        (context.home.cache / TESTED).unlink()
    config = context.examined.config
    if config is None:  # which one is meant is not known; the check of the configuration says why
        return
    served: dict[Embedder | None, list[str]] = {}
    for name in config.agents:
        served.setdefault(getattr(context.embedding(name), "embedder", None), []).append(name)
    for embedder, names in served.items():
        place = ", ".join(names)
        if embedder is None:
            yield _without(place, is_wanted=config.memory_of(names[0]).embedder.kind != "none")
        elif context.is_offline and config.memory_of(names[0]).embedder.kind == "endpoint":
            message = tr("not asked (--offline): whether it answers is not known")
            yield Finding("embedder.not_asked", Severity.NOTE, place, message)
        else:
            try:
                await embedder.probe()
            except Error as error:
                hint = f"{error.hint} {tr('To leave it at words, set memory.embedder.kind: none')}".lstrip()
                yield Finding("embedder.unusable", Severity.WARNING, place, error.message, hint)
            else:
                message = tr("{embedder} passes its self-test", embedder=embedder.identity)
                yield Finding("embedder.works", Severity.NOTE, place, message)
    vectors = context.home.cache / VECTORS
    if damage := await asyncio.to_thread(damage_of, vectors):

        async def remove() -> None:
            files = [vectors.with_name(f"{VECTORS}{suffix}") for suffix in ("", "-wal", "-shm")]
            await asyncio.gather(*(asyncio.to_thread(file.unlink, missing_ok=True) for file in files))

        message = tr("what was embedded before cannot be read: {damage}", damage=damage)
        hint = tr("It is computed again when it is needed. Delete the file while Scrubjay is stopped.")
        fix = Fix(tr("delete {path}, which is computed again", path=vectors), remove)
        yield Finding("embedder.cache_damaged", Severity.WARNING, str(vectors), message, hint, fix)


def _without(place: str, *, is_wanted: bool) -> Finding:
    """What there is to say where words are searched alone."""
    if not is_wanted or has_builtin():
        return Finding("embedder.none", Severity.NOTE, place, tr("switched off, words are searched alone"))
    hint = "" if distribution() == "scrubjay" else tr("To search by meaning, too: pip install scrubjay")
    return Finding("embedder.absent", Severity.NOTE, place, tr("not installed, words are searched alone"), hint)


CHECK = Check(
    mark("embedder"),
    detect,
    {
        "none": "`memory.embedder.kind` is `none`: memory is searched by words alone.",
        "absent": "`scrubjay-words` is installed, or this system has no built-in embedder: words are searched alone.",
        "not_asked": "With `--offline` no endpoint is asked.",
        "works": "The embedder knows which of two sentences answers a question.",
        "unusable": "The embedder is configured and cannot be used, so words are searched alone: its files are "
        "missing, its endpoint does not answer, or its vectors mean nothing. The message says which.",
        "cache_damaged": "The file of vectors that were computed before is damaged. It costs nothing but time: "
        "`scrubjay doctor --fix` deletes it, and they are computed again.",
    },
)
