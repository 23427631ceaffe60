"""Which facts the words of a wish to forget mean."""

from __future__ import annotations

from collections.abc import Sequence

from memory.index.port import Stored
from memory.index.terms import token_terms
from memory.index.tokens import tokens
from memory.index.unit import Unit
from memory.language.detect import language, main_script
from memory.language.words import STOP_WORDS, WEAK
from memory.traces import phrase

_PAIRED = frozenset(("han", "kana", "hangul"))
_WEAK = frozenset().union(*WEAK.values())


def clearly_meant(found: Sequence[Stored], wanted: str) -> Stored | None:
    """The only one that has all content words of a wish, or the only one that was found; None if it is not clear."""
    if len(found) == 1:
        return found[0]
    full = [one for one in found if _has_all(one.unit, wanted)]
    return full[0] if len(full) == 1 else None


def is_about(stored: Stored, name: str) -> bool:
    """Whether a fact has a name, or all content words of a subject."""
    unit = stored.unit
    said = phrase(f"{' , '.join(unit.entities)} , {unit.statement}")
    return (bool(phrase(name)) and phrase(name) in said) or _has_all(unit, name)


def _has_all(unit: Unit, wanted: str) -> bool:
    """Whether a unit has every content word of a text, as search compares words."""
    spoken, found = unit.searched()
    terms = f" {found} "
    content = _content(wanted)
    return bool(content) and all(_has(terms, token_terms(word, spoken)) for word in content)


def _content(text: str) -> list[str]:
    stops = STOP_WORDS.get("en", frozenset()) | STOP_WORDS.get(language(text), frozenset())
    return [token for token in tokens(text) if token.casefold() not in stops]


def _has(terms: str, forms: Sequence[str]) -> bool:
    """Whether one token is found: by any of its forms; as a run of characters by all pairs that are not of grammar."""
    if main_script(forms[0] if forms else "") in _PAIRED:
        pairs = [form for form in forms if len(form) > 1 and _WEAK.isdisjoint(form)]
        return all(f" {pair} " in terms for pair in pairs or forms)
    return any(f" {form} " in terms for form in forms)
