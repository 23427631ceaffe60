"""Texts for people in their language: the English text stands in the code and is the key of one catalogue (gettext)."""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de", "zh")
"""ISO 639-1 codes of the languages that the catalogue has; a text for anybody else is English."""

FOLDER = Path(__file__).with_name("locale")
"""Where `<language>/LC_MESSAGES/scrubjay.po` and the compiled `scrubjay.mo` stand."""

_language: ContextVar[str] = ContextVar("language", default="en")


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Until the block ends, texts are in this language, English if the catalogue lacks it.

    Args:
        language: an ISO 639-1 code; empty or unknown means English.
    """
    token = _language.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _language.reset(token)


def current_language() -> str:
    """Return the ISO 639-1 code of the language that texts are in now."""
    return _language.get()


def tr(text: str, /, **values: object) -> str:
    """Return a text in the language of now, with its `{names}` filled in.

    Args:
        text: English, a literal, so that it is found for the catalogue.
        values: by the names in it. Without any, the text is returned as it is, braces and all.
    """
    translated = _catalogue(_language.get()).gettext(text) if text else ""
    return translated.format(**values) if values else translated


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """Return a text that counts in the language of now; `{count}` in it is the number, and other names are filled in.

    Args:
        one: English for one.
        many: English for any other number.
        count: how many there are.
        values: by the names in the texts.
    """
    return _catalogue(_language.get()).ngettext(one, many, count).format(count=count, **values)


def mark(text: str, /) -> str:
    """Return a literal as it is, and have it in the catalogue: for texts that `tr` is handed later."""
    return text


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation("scrubjay", FOLDER, [language], fallback=True)
