"""Check: no token of the configuration, and nothing that looks like a password, stands in a workspace."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection
from itertools import accumulate
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.memories import unwritable_secrets
from bot.texts.catalogue import mark, tr
from memory.privacy.secrets import find_secrets

MAX_BYTES = 8 * 1024 * 1024
"""Of each workspace, so that the search takes seconds; the newest files come first."""

MAX_FILE_BYTES = 256 * 1024
"""Bytes that are read of one file."""

MAX_FINDINGS = 20

FACT = re.compile(r"^\s*- .*\^[A-Za-z0-9-]+\s*$")
"""A fact that was written down by Scrubjay: a secret in it was asked about, and is to be kept."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Read the notes of each agent, the newest first, up to some megabytes."""
    configured = unwritable_secrets(context.config())
    for name in context.agents:
        folder = context.workspace(name)
        files = await asyncio.to_thread(_notes, folder)
        findings = list[Finding]()
        for path in files:
            findings += await asyncio.to_thread(_secrets_in, path, configured)
            if len(findings) >= MAX_FINDINGS:
                break
        for finding in findings[:MAX_FINDINGS]:
            yield finding
        if not findings:
            message = tr("{agent}: nothing that looks like a secret in {count} files", agent=name, count=len(files))
            yield Finding("secrets.none", Severity.NOTE, str(folder), message)


def _notes(folder: Path) -> list[Path]:
    """The Markdown files of a workspace that are searched, the newest first."""
    sizes: list[tuple[int, int, Path]] = []
    for path in folder.rglob("*.md"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            stat = path.stat()
            sizes.append((stat.st_mtime_ns, min(stat.st_size, MAX_FILE_BYTES), path))
    newest = sorted(sizes, reverse=True)
    totals = accumulate(size for _, size, _ in newest)
    return [path for (_, _, path), total in zip(newest, totals, strict=True) if total <= MAX_BYTES]


def _secrets_in(path: Path, configured: Collection[str]) -> list[Finding]:
    findings = list[Finding]()
    with path.open("rb") as file:
        text = file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
    for secret in configured:
        if secret in text:
            line = text[: text.index(secret)].count("\n") + 1
            message = tr("a token or key of config.yaml stands here")
            hint = tr("Remove it, and have a new one made: agents and their model could read it.")
            findings.append(Finding("secrets.configured", Severity.ERROR, f"{path}:{line}", message, hint))
    lines = text.splitlines()
    for number in sorted({text[: secret.start].count("\n") + 1 for secret in find_secrets(text)}):
        line_text = lines[number - 1] if number <= len(lines) else ""
        if not FACT.match(line_text) and not any(secret in line_text for secret in configured):
            message = tr("this looks like a password, key or card number")
            hint = tr("If it is one, keep it in a password manager and remove it here: models are shown notes.")
            findings.append(Finding("secrets.found", Severity.WARNING, f"{path}:{number}", message, hint))
    return findings


CHECK = Check(
    mark("secrets in notes"),
    detect,
    {
        "none": "Nothing in the searched notes looks like a secret.",
        "configured": "A token or key that config.yaml uses stands in a note, where agents and their model can read "
        "it. Remove it, and have the provider make a new one.",
        "found": "A note that was written by hand holds what looks like a password, a key or a card number. Facts "
        "that you told an agent to keep all the same are not meant.",
    },
)
