"""Texts for people in their language: the English text stands in the code and is the key of one catalogue (gettext)."""

from __future__ import annotations

import gettext
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

LANGUAGES = ("en", "de", "zh")
"""ISO 639-1 codes of the languages that have every text. A few more have what is said most; their rest is English."""

COMMA_LANGUAGES = frozenset({"de", "es", "fr", "ru", "el"})
"""Languages that write a comma before the decimals, and a point between thousands, where English does the opposite."""

FOLDER = Path(__file__).with_name("locale")
"""Where `<language>/LC_MESSAGES/scrubjay.po` and the compiled `scrubjay.mo` stand."""

_SWAPPED = str.maketrans(",.", ".,")

_language: ContextVar[str] = ContextVar("language", default="en")


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Until the block ends, texts are in this language (ISO 639-1); what the catalogue lacks in it is English."""
    token = _language.set(language or "en")
    try:
        yield
    finally:
        _language.reset(token)


def set_language(language: str) -> None:
    """Have texts in this language, as for `in_language`, until the block of that around this ends."""
    _language.set(language or "en")


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
    return _filled(translated, values) if values else translated


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """Return a text that counts in the language of now; `{count}` in it is the number, and other names are filled in.

    Args:
        one: English for one.
        many: English for any other number.
        count: how many there are.
        values: by the names in the texts.
    """
    return _filled(_catalogue(_language.get()).ngettext(one, many, count), {"count": count, **values})


def mark(text: str, /) -> str:
    """Return a literal as it is, and have it in the catalogue: for texts that `tr` is handed later."""
    return text


def localized(number: float, spec: str) -> str:
    """Return a number as the language of now writes it; `spec` is Python's format, such as ",.1f"."""
    return _numbers.format_field(number, spec)


class _Numbers(Formatter):
    """Fills in numbers as the language of now writes them: 1,200.5 is 1.200,5 in German."""

    def format_field(self, value: Any, format_spec: str) -> str:
        written: str = super().format_field(value, format_spec)
        is_number = isinstance(value, int | float) and format_spec
        return written.translate(_SWAPPED) if is_number and _language.get() in COMMA_LANGUAGES else written


_numbers = _Numbers()


def _filled(text: str, values: Mapping[str, object]) -> str:
    return _numbers.vformat(text, (), values)


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation("scrubjay", FOLDER, [language], fallback=True)
