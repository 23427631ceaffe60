"""The tokens of bots that `scrubjay init` is given: kept in files of their own, so that config.yaml can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bot.errors import UsageError
from bot.files import create
from bot.paths import Home

UNSET = '  #token: ""'
"""The line of a platform's section that stands for no token."""


def content(file: Path | None) -> str | None:
    """The token in a file.

    Raises:
        UsageError: the file cannot be read.
    """
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The token cannot be read from {file}: {error}.", hint="Name a file with one line."
        ) from error


def keep(home: Home, text: str, tokens: Mapping[str, str]) -> str:
    """Write each platform's token into a file beside the configuration; its text with references to them."""
    for name, token in tokens.items():
        file = home.config.with_name(f"{name}.token")
        file.unlink(missing_ok=True)
        create(file, f"{token}\n")
        head, section, rest = text.partition(f"\n{name}:\n")
        text = head + section + rest.replace(UNSET, f'  token: "${{file:{file.name}}}"', 1)
    return text
