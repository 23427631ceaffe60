"""Passwords, PINs and keys as people tell them in words: a noun ("wifi password"), a link ("is", ":"), and the secret.

What is after the link decides: "is Sonnenblume77" tells a password, "is expired" talks about one. A PIN beside a
word for a door, a gate or a heating is a code of the household, and no secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto

from memory.language.patterns import Pattern
from memory.language.words import read_lists

_LISTS: Mapping[str, str] = read_lists("memory.privacy", "lists.toml")


class Noun(StrEnum):
    """What a secret is called; the values are groups of `_NOUN`."""

    PASSPHRASE = auto()
    PIN = auto()
    KEY = auto()
    PASSWORD = auto()


@dataclass(frozen=True, slots=True)
class NamedSecret:
    """A secret that a text names as one, `text[start:end]`, and what it was called."""

    noun: Noun
    start: int
    end: int


def find_passwords(text: str) -> Iterator[NamedSecret]:
    """Yield the secrets that a text names, in order. Linear: a noun is read to the next one, or a bounded way."""
    end = 0
    for noun in _NOUN.finditer(text):
        before = text[max(0, noun.start() - 60) : noun.start()]
        if (
            noun.start() < end
            or (noun[0].lower() == "pass" and not _USER_BEFORE.search(before))
            or _OTHER_NUMBER_BEFORE.search(before)
            or _OTHER_NUMBER_AFTER.match(text, noun.end())
        ):  # a postal code, the number of a product, a pass of the bus
            continue
        found = _after(text, noun) or _before(text, noun, end)
        if found is not None and not (
            _SHORT_CODE.fullmatch(text, found.start, found.end) and _household(text, noun, found)
        ):
            yield found
            end = max(found.end, noun.end())


# --- what it is called ---

_NOUN = re.compile(_LISTS["noun"], re.IGNORECASE | re.VERBOSE)
_OTHER_NUMBER_BEFORE = Pattern(_LISTS["other_before"], re.IGNORECASE)
_OTHER_NUMBER_AFTER = Pattern(_LISTS["other_after"], re.IGNORECASE)
_USER_BEFORE = Pattern(r"\b(?:user|login|log in|benutzer|usuario|utilisateur|account|@)", re.IGNORECASE)


# --- from the noun to the secret ---

_REACHES = 100
"""Characters between a noun and its link at most."""
_BREAK = Pattern(
    r"""[;!?\n。！？；،؛।] | [.,，、](?=\s|$)
    | \s(?:and|but|or|because|that|which|und|aber|oder|weil|pero|mais|но)\s""",
    re.VERBOSE,
)
_LINK = Pattern(_LISTS["link"], re.IGNORECASE | re.VERBOSE)
_BELONGS = Pattern(_LISTS["belongs"], re.IGNORECASE | re.VERBOSE)


def _after(text: str, noun: re.Match[str]) -> NamedSecret | None:
    """Return the secret that follows a noun."""
    start = noun.end()
    following = _NOUN.search(text, start, start + _REACHES)
    limit = following.start() if following else min(len(text), start + _REACHES)
    stop = _BREAK.search(text, start, limit)
    limit = stop.start() if stop else limit
    for link in _LINK.finditer(text, start, limit):
        if _BELONGS.fullmatch(text, start, link.start()):
            found = _value(text, noun, link.end(), str(link.lastgroup))
            if found is not None:
                return found
    between = _JUST_BEFORE.match(text, start, min(limit + 1, len(text)))
    return _value(text, noun, between.end(), "none") if between else None


_JUST_BEFORE = Pattern(_LISTS["just_before"], re.VERBOSE)
_NAMED = Pattern(_LISTS["named"], re.IGNORECASE | re.VERBOSE)
_PIN_ALONE = Pattern(r"\d{4,8}")
_ENDS = Pattern(_LISTS["ends"], re.IGNORECASE)


def _before(text: str, noun: re.Match[str], start: int) -> NamedSecret | None:
    """Return the secret of which a noun is told: "hunter22 is my password"."""
    if not _ENDS.match(text, noun.end()):
        return None
    before = text[max(start, noun.start() - 100) : noun.start()]
    match = _NAMED.search(before)
    if match is None:
        return None
    value = match["value"].strip("\"'“”„«»" + CLOSING)
    offset = noun.start() - len(before) + before.index(value, match.start("value"))
    kind = Noun(str(noun.lastgroup))
    fits = _PIN_ALONE.fullmatch(value) if kind is Noun.PIN else is_mixed(value) and _strong(value)
    return NamedSecret(kind, offset, offset + len(value)) if fits and not _refused(value) else None


# --- what may be a secret ---

RUN = r"[^\s\u0e00-\u0e7f\u3000-\u9fff\uac00-\ud7af\uff00-\uffef।،؛؟\"“”„«»]"
"""A character of a secret told in words, as a class of characters: scripts without spaces end it."""
CLOSING = ".,;:?)]}'’`"
"""What may follow a secret at once and does not belong to it."""
_TOKEN = Pattern(RUN + "{1,128}+")
_REST = Pattern(RUN + "*+")
_QUOTED = Pattern(r"""["“”„«「'‘`](?P<value>[^"“”„«»」\n]{3,100}?)["“”»」'’`](?!\w)""")
_PHRASE_ENDS = Pattern(r"[.,;:!?\n]|$")
_LONG_KEY = Pattern(r"[A-Za-z0-9_+/=.~-]{16,}")
_NO_VALUE = Pattern(r"[<\[{].*|\$[{(].*|.*://.*|[A-Za-z_][\w.]*[(\[].*|\d{1,3}-?\D{4,}", re.DOTALL)
"""Placeholders, calls in programs, addresses, "12-stellig"."""
_MAIL = Pattern(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_YEAR = Pattern(r"(?:19|20)\d\d")
_SYMBOL_INSIDE = Pattern(r"\w[!@#$%^&*_+=~|\\/]+\w")
_CAPITAL_INSIDE = Pattern(r"[a-zß-ÿ][A-Z]")
_SENTENCE_ENDS = Pattern(
    r"""['’"”»)\]]{0,2}(?:[.!,;]?\s*$|[.!;]\s|,\s|\s*\n|\s+[(–—-]|\s*[\u0e00-\u9fff\uac00-\ud7af])"""
)
_COUNTS = Pattern(_LISTS["counts"], re.IGNORECASE)
_CHANGES = Pattern(_LISTS["changes"], re.IGNORECASE)
_TO_IS = {"hasło", "haslo"}
"""Polish, in which "to" is "is"."""
_OWNED = Pattern(_LISTS["owned"], re.IGNORECASE)


def _value(text: str, noun: re.Match[str], start: int, link: str) -> NamedSecret | None:
    """Return the secret at `start`, if what stands there can be one after such a link."""
    kind = Noun(str(noun.lastgroup))
    if quoted := _QUOTED.match(text, start):
        given = kind in {Noun.PASSWORD, Noun.PASSPHRASE} or _fits(text, noun, quoted.span("value"), link)
        words = quoted["value"].split()
        is_secret = given and not any(_refused(word) or word.lower() in _LINKING for word in words)
        return NamedSecret(kind, *quoted.span("value")) if is_secret else None
    if kind is Noun.PASSPHRASE and (end := _phrase(text, start)):
        return NamedSecret(kind, start, end)
    token = _TOKEN.match(text, start)
    if token is None:
        return None
    value = token[0].rstrip(CLOSING)
    end = start + len(value)
    if _refused(value) or _COUNTS.match(text, end) or not _fits(text, noun, (start, end), link):
        return None
    rest = _REST.match(text, token.end())
    return NamedSecret(kind, start, rest.end() if rest and rest[0] else end)


def _fits(text: str, noun: re.Match[str], span: tuple[int, int], link: str) -> bool:
    """Return whether a word is a secret of this noun's kind, after this link."""
    value = text[slice(*span)]
    kind = noun.lastgroup
    if kind == Noun.PIN:
        return _is_pin(text, noun, value, link)
    if kind == Noun.KEY:
        return bool(_LONG_KEY.fullmatch(value)) and is_mixed(value)
    if link in {"sign", "word"}:
        return _strong(value) or _is_plain(text, noun, span, link)
    if (
        link == "set"
        and noun[0].lower() not in _TO_IS
        and not _CHANGES.search(text, max(0, noun.start() - 60), min(len(text), span[1] + 40))
    ):
        return False
    if value.isdigit():
        return len(value) >= 4 and not _YEAR.fullmatch(value) and bool(_SENTENCE_ENDS.match(text, span[1]))
    return _strong(value) and not _MAIL.fullmatch(value) and (is_mixed(value) or bool(_SYMBOL_INSIDE.search(value)))


def _is_pin(text: str, noun: re.Match[str], value: str, link: str) -> bool:
    card = noun[0].lower() in {"cvv", "cvc"}
    if not value.isdecimal() or not (3 if card else 4) <= len(value) <= (4 if card else 8):
        return False
    if link != "none":
        return True
    if noun[0].lower() in {"pin code", "pincode"} and len(value) == 6:
        return False  # what India calls its postal codes
    return noun[0] != "pin" or bool(_OWNED.search(text[max(0, noun.start() - 10) : noun.start()]))  # "pin 2026 goals"


def _strong(value: str) -> bool:
    """Return whether no word of a language looks like this."""
    if len(value) < 4:
        return False
    if value.isdecimal() or is_mixed(value):
        return True
    inside = _SYMBOL_INSIDE.search(value) or _CAPITAL_INSIDE.search(value)
    # A date, a time or an amount has no letters and few digits.
    is_amount = all(not each.isalpha() for each in value) and sum(each.isdigit() for each in value) < 6
    return (inside is not None and not is_amount) or value.count("-") >= 3


def _is_plain(text: str, noun: re.Match[str], span: tuple[int, int], link: str) -> bool:
    """Return whether a plain word is the secret: it ends the sentence, and is nothing that is said of passwords."""
    value = text[slice(*span)]
    letters = value.replace("-", "").rstrip("!")
    if len(value) < 4 or not letters.isalpha() or text[span[1] : span[1] + 1] == "?":
        return False
    if not _SENTENCE_ENDS.match(text, span[1]) or _SAID_OF_ONE.search(letters):
        return False
    return link == "sign" or letters.isascii() or not noun[0].isascii()


def _phrase(text: str, start: int) -> int:
    """Return where a passphrase of four words or more ends that goes to the end of its sentence; 0 if there is none."""
    stop = _PHRASE_ENDS.search(text, start, start + 200)
    words = text[start : stop.start() if stop else start].split()
    telling = any(word.lower() in _LINKING for word in words)
    if stop is None or telling or len(words) < 4 or _refused(words[0]):
        return 0
    return start + len(text[start : stop.start()].rstrip())


def _refused(value: str) -> bool:
    plain = value.lower().rstrip("!")
    return not any(each.isalnum() for each in value) or plain in _REFUSED or _NO_VALUE.fullmatch(value) is not None


def is_mixed(value: str) -> bool:
    """Return whether there are letters and digits."""
    return any(each.isdigit() for each in value) and any(each.isalpha() for each in value)


_SAID_OF_ONE = Pattern(_LISTS["endings"], re.IGNORECASE)
_LINKING = frozenset("a an the of to in on at is are it for that this too very until since when if with from".split())
_REFUSED = frozenset(_LISTS["refused"].split())
"""What is said of passwords; nobody's password but the weakest is one of them."""

# --- codes of the household ---

_SHORT_CODE = Pattern(r"\d{3,8}[A-Za-z#*]?")
_HOUSEHOLD = Pattern(_LISTS["household"], re.IGNORECASE | re.VERBOSE)
_SENTENCE = re.compile(r"[.!?;。！？；।](?:\s|$)|\n")


def _household(text: str, noun: re.Match[str], secret: NamedSecret) -> bool:
    """Return whether the sentence names what such a code opens, and it is the household's."""
    start, end = min(noun.start(), secret.start), max(noun.end(), secret.end)
    before = _SENTENCE.split(text[max(0, start - 40) : start])[-1]
    after = _SENTENCE.split(text[end : end + 40])[0]
    return _HOUSEHOLD.search(f"{before}{text[start:end]}{after}") is not None
