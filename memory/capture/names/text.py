"""The proper names in a text: persons, places, organisations, products."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.capture.languages import codes_for
from memory.capture.names.chinese import chinese_names
from memory.capture.names.latin import latin_names
from memory.capture.names.name import Name
from memory.capture.sentences import ends_of, folded
from memory.files.notation import distinct
from memory.language.scripts import script
from memory.language.stopwords import STOP_WORDS

_LONGEST_KNOWN = 4
"""Words of a known name."""

_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_OWNED = re.compile(r"['’]?s$|['’]$")
_MENTIONED = re.compile(r"(?<![\w.+%/@-])@(\w(?:[\w.-]*\w)?)|\[\[([^\[\]|#\n]{1,64})(?:[|#][^\[\]\n]{0,64})?\]\]")
_ADDRESS = re.compile(r"https?://\S+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+|`[^`\n]{1,80}`")
_EVERYDAY = STOP_WORDS["en"] | STOP_WORDS["de"]


def names_in(text: str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """The proper names in a text, each once, in order.

    Precision goes before recall: a capital letter alone is no evidence in German, nor where an English sentence begins.

    Args:
        text: as it was written.
        known: names that are recognised wherever they stand, in whatever case, and returned in their own spelling.
    """
    text = ends_of(text)
    codes = codes_for(folded(text))
    found: list[Name] = []
    _add(found, _mentioned(text))
    text = _ADDRESS.sub(lambda address: " " * len(address[0]), text)
    _add(found, _known(text, known))
    if "zh" in codes:
        _add(found, chinese_names(text))
    _add(found, latin_names(text, codes))
    return distinct(name.text for name in sorted(found, key=lambda name: name.start))


def _add(found: list[Name], names: Iterable[Name]) -> None:
    """Add the names that stand where no other does."""
    for name in names:
        if all(name.end <= other.start or other.end <= name.start for other in found):
            found.append(name)


def _mentioned(text: str) -> Iterator[Name]:
    for match in _MENTIONED.finditer(text):
        yield Name((match[1] or match[2]).strip(), match.start(), match.end())


def _known(text: str, known: Sequence[str]) -> Iterator[Name]:
    spaced = {_key(name): name for name in known if not _unspaced(name)}
    words = list(_WORD.finditer(text)) if spaced else []
    for at, first in enumerate(words):
        for last in reversed(words[at : at + _LONGEST_KNOWN]):
            written = text[first.start() : last.end()]
            name = spaced.get(_key(written)) or spaced.get(_key(_OWNED.sub("", written)))
            if name and _meant(name, written):
                yield Name(name, first.start(), last.end())
                break
    for name in sorted(filter(_unspaced, known), key=len, reverse=True):
        for match in re.finditer(re.escape(name), text):
            yield Name(name, match.start(), match.end())


def _key(name: str) -> str:
    return " ".join(name.replace("-", " ").casefold().split())


def _meant(name: str, written: str) -> bool:
    """Whether these words are the name and not everyday words that happen to be spelled like it."""
    everyday = len(name) < 3 or name.casefold() in _EVERYDAY
    return written[0].isupper() if everyday else True


def _unspaced(name: str) -> bool:
    """Whether a name is in Chinese characters, long enough to be found inside a run of them."""
    return len(name) > 1 and script(name[0]) in {"han", "kana"}
