"""The normal form in which the model was taught to read: close to NFKC, with every kind of space made one."""

from __future__ import annotations

from collections.abc import Mapping
from unicodedata import normalize

_FIRST_MARK = "\u0300"  # nothing before it joins the character in front of it


def normal_form(text: str, characters: Mapping[int, str]) -> str:
    """Replace single characters by the model's own table, then join letters with the marks that follow them.

    `unicodedata.normalize` on the whole text would sort the marks, which takes time in the square of their number:
    a message of 160,000 marks kept a core busy for 20 s. Here each is looked at once.

    Args:
        text: anything, lone surrogates included: they are unreadable, which the table turns into a space.
        characters: replacement by code point.
    """
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(characters)
    return text if text.isascii() else _composed(text)


def _composed(text: str) -> str:
    """Join only what is spelled out in full (`e` + acute), as the model's rules do: not a mark to a joined letter."""
    letters: list[str] = []
    spelled = ""
    for character in text:
        joined = normalize("NFC", letters[-1] + character) if letters and character >= _FIRST_MARK else ""
        if len(joined) == 1 and normalize("NFD", joined) == spelled + character:
            letters[-1] = joined
            spelled += character
        else:
            letters.append(character)
            spelled = character
    return "".join(letters)
