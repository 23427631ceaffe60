"""Collects the texts for people and brings the catalogue up to date: `python -m docs.texts`."""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment
from jinja2.ext import extract_from_ast

from bot.texts.catalogue import FOLDER, LANGUAGES

ROOT = Path(__file__).parent.parent

COUNTS = {"tr": 1, "trn": 2, "mark": 1}
"""Functions of `bot.texts.catalogue`, and how many of their first arguments are texts."""

WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
"""Stands in the files as the day of every change, so that only what is translated changes them."""


def collected() -> Catalog:
    """Return every text that the program shows to people, without a translation.

    Raises:
        ValueError: a text is not written out where it is used, so that it cannot be collected.
    """
    found = Catalog()
    for path in sorted((ROOT / "bot").rglob("*.py")):
        for text in texts_of(path):
            found.add(text)
    for path in sorted((ROOT / "bot").rglob("*.html")):
        for text in texts_of_template(path):
            found.add(text)
    return found


def texts_of_template(path: Path) -> Iterator[str | tuple[str, str]]:
    """Yield the texts of one page's template; one that counts is a pair."""
    source = path.read_text(encoding="utf-8")
    for _, name, given in extract_from_ast(Environment(autoescape=True).parse(source), ("tr", "trn")):
        texts = [text for text in ([given] if isinstance(given, str) else given or ()) if text is not None]
        if len(texts) == COUNTS[name]:
            yield texts[0] if len(texts) == 1 else (texts[0], texts[1])


def texts_of(path: Path) -> Iterator[str | tuple[str, str]]:
    """Yield the texts of one module, also those inside f-strings; one that counts is a pair.

    Raises:
        ValueError: `trn` or `mark` is given something else than texts, or `tr` an f-string or a concatenation.
    """
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in COUNTS:
            continue
        given = [one.value if isinstance(one, ast.Constant) else None for one in call.args[: COUNTS[call.func.id]]]
        texts = [text for text in given if isinstance(text, str)]
        if len(texts) == COUNTS[call.func.id]:
            yield texts[0] if len(texts) == 1 else (texts[0], texts[1])
        elif call.func.id != "tr" or isinstance(call.args[0], ast.JoinedStr | ast.BinOp):
            raise ValueError(f"{path}:{call.lineno}: {call.func.id} takes texts that are written out")


def languages() -> tuple[str, ...]:
    """Return the languages that have a file, the complete ones among them."""
    return tuple(
        sorted({path.parent.parent.name for path in FOLDER.glob("*/LC_MESSAGES/*.po")} | {*LANGUAGES} - {"en"})
    )


def po_file(language: str) -> Path:
    """Return where a language's translations are written."""
    return FOLDER / language / "LC_MESSAGES" / "scrubjay.po"


def translations(language: str) -> Catalog:
    """Return what is translated into a language."""
    path = po_file(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open(encoding="utf-8") as file:
        return read_po(file, locale=language)


def updated(language: str, texts: Catalog) -> Catalog:
    """Return the translations of these texts; of a language that need not be complete, only those that there are."""
    old = translations(language)
    made = Catalog(language, project="Scrubjay", version="1", fuzzy=False, creation_date=WRITTEN, revision_date=WRITTEN)
    made.last_translator = made.language_team = made.msgid_bugs_address = "none"
    made.header_comment = f"# Scrubjay's texts, translated ({language}). `python -m docs.texts` keeps their order."
    for message in _sorted(texts):
        known = old.get(message.id)
        if known or language in LANGUAGES:
            made.add(message.id, known.string if known else ("" if isinstance(message.id, str) else ("",)))
    return made


def as_po(catalog: Catalog) -> bytes:
    """Return translations as their file."""
    file = io.BytesIO()
    write_po(file, catalog, no_location=True, width=0)
    return file.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    """Return translations as the program reads them."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def files() -> Iterator[tuple[Path, bytes]]:
    """Yield every file of the catalogue as it should be."""
    texts = collected()
    for language in languages():
        catalog = updated(language, texts)
        yield po_file(language), as_po(catalog)
        yield po_file(language).with_suffix(".mo"), as_mo(catalog)


def main() -> int:
    """Write the files, and say what is not translated."""
    for path, content in files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    missing = [(language, one.id) for language in LANGUAGES[1:] for one in translations(language) if not _is_done(one)]
    for language, text in missing:
        sys.stderr.write(f"{language}: {text!r}\n")
    return 1 if missing else 0


def _sorted(catalog: Catalog) -> list[Message]:
    return sorted((one for one in catalog if one.id), key=lambda one: one.id if isinstance(one.id, str) else one.id[0])


def _is_done(message: Message) -> bool:
    return not message.id or all(message.string if isinstance(message.string, list | tuple) else [message.string])


if __name__ == "__main__":
    sys.exit(main())
