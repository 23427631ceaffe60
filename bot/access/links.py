"""Links in a model's answers: whoever got foreign text before it could have it put data into a target.

A link to a host that the owner has not named shows its whole target instead of other words. Once foreign text was read,
it is code as well, which nobody opens by accident. Addresses of other kinds than the web's are always code.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache

from adapters.markdown import fences

_TARGET = (
    r"\(\s*+<?(?P<target>[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?P<title>\s++(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*+\)"
)
_LINK = re.compile(rf"!?\[(?P<words>[^\[\]\n]*)\]{_TARGET}")
_NESTED = re.compile(r"\]\((?=\s*<?(?P<target>[^\s<>()]*))")
_LOCAL = re.compile(r"(?!//)[\w./#~-]*")
"""A target that leads to no other host."""

_ADDRESS = (
    r"(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s<>`|]+|(?<!\w)(?:javascript|vbscript|data|file|intent|tg|discord):[^\s<>`|]+"
)
_HOST = r"(?:(?:[\w-]+\.)+[^\W\d_]{2,}+|(?:\d{1,3}\.){3}\d{1,3})(?![\w@-])"
_DOMAIN = rf"(?:(?<![\w@./-])|(?<=//)){_HOST}(?::\d+)?(?:[/?#][^\s<>`|]*)?"
_CODE = r"(?<![\\`])(?P<ticks>`+)(?!`)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"
_PIECE = re.compile(rf"{_CODE}|(?P<stray>\\*`+)|(?P<url>{_ADDRESS}|{_DOMAIN})", re.IGNORECASE)
_WEB = re.compile(r"(?:https?://)?([\w.-]+)(?::\d+)?(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
_OTHER = re.compile(r"(?!https?:|mailto:)[a-z0-9+.-]+:", re.IGNORECASE)
_TRAILING = ".,;:!?)]}\"'*_~|"


@lru_cache(maxsize=256)  # with every request the same conversation is read again
def hosts(text: str) -> frozenset[str]:
    """The hosts that somebody has named.

    >>> sorted(hosts("Look at https://www.Example.org/a?b and jays.example, not at me@mail.example."))
    ['example.org', 'jays.example']
    """
    found = (piece["url"] for piece in _PIECE.finditer(text) if piece["url"])
    return frozenset(filter(None, map(_host, found)))


def readable(markdown: str, *, known: AbstractSet[str], is_foreign: bool) -> str:
    """An answer whose links are what they look like; no word is lost.

    Args:
        markdown: what the model says.
        known: hosts that the owner has named.
        is_foreign: other people's words were read before it was said.

    >>> readable("[Docs](https://a.example/x) or [more](https://b.example/?q=1)", known={"a.example"}, is_foreign=False)
    '[Docs](https://a.example/x) or more (https://b.example/?q=1)'
    >>> readable("[more](https://b.example/?q=1).", known=set(), is_foreign=True)
    'more (`https://b.example/?q=1`).'
    """
    guard = _Guard(known, is_foreign=is_foreign)
    parts, done = [], 0
    # where blocks of code are, if all who read Markdown agree on it
    found = [] if "\r" in markdown else fences(markdown)
    plain = [one for one in found if one.mark == "```" and not one.prefix and not one.is_open]
    is_plain = markdown.count("```") == 2 * len(plain) == 2 * len(found)
    for start, end in [(one.start, one.end) for one in plain] if is_plain else []:
        parts += [guard.text(markdown[done:start]), markdown[start:end]]
        done = end
    return "".join([*parts, guard.text(markdown[done:])])


class _Guard:
    def __init__(self, known: AbstractSet[str], *, is_foreign: bool) -> None:
        self._known = known
        self._is_foreign = is_foreign

    def text(self, text: str) -> str:
        """Text outside of blocks of code."""
        text = _LINK.sub(self._link, text)
        text = _NESTED.sub(lambda found: found[0] if self._may_hide(found["target"]) else "] (", text)
        if any(self._is_code(found["url"]) for found in _PIECE.finditer(text) if found["url"]):
            text = _PIECE.sub(self._piece, text)
        return text

    def _link(self, found: re.Match[str]) -> str:
        words, target = found["words"], found["target"]
        if self._may_hide(target):
            return found[0]
        shown = target + (found["title"] or "")
        return shown if words == target else f"{words} ({shown})".lstrip()

    def _piece(self, found: re.Match[str]) -> str:
        """Backticks that belong to no code are escaped, or they would take the power from those around an address."""
        if found["stray"]:
            slashes = found["stray"].rstrip("`")
            count = len(found["stray"]) - len(slashes)
            return slashes + ("`" + "\\`" * (count - 1) if len(slashes) % 2 else "\\`" * count)
        if not found["url"] or not self._is_code(found["url"]):
            return found[0]
        url = found["url"].rstrip(_TRAILING)
        tail = found["url"][len(url) :]
        url += ")" * min(url.count("(") - url.count(")"), len(tail) - len(tail.lstrip(")")))
        after = found["url"][len(url) :]
        before = " " if found.string[max(0, found.start() - 1) : found.start()] in {"\\", "`"} else ""
        return f"{before}`{url}`{after}" + (
            " " if not after and found.string[found.end() : found.end() + 1] == "`" else ""
        )

    def _may_hide(self, target: str) -> bool:
        return _LOCAL.fullmatch(target) is not None or ("://" in target and _host(target) in self._known)

    def _is_code(self, url: str) -> bool:
        return _OTHER.match(url) is not None or (self._is_foreign and _host(url.rstrip(_TRAILING)) not in self._known)


def _host(url: str) -> str | None:
    """The host of an address of the web; None if it is none, or says who asks (`https://bank.example@evil.example`)."""
    found = _WEB.fullmatch(url.rstrip(_TRAILING))
    return found[1].lower().removeprefix("www.").rstrip(".") if found else None
