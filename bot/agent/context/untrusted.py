"""Fences around untrusted text: it can neither end its fence nor hold a token of a chat template."""

from __future__ import annotations

import re
import secrets
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

_IGNORED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]+"
)
"""What nobody sees (Unicode's Default_Ignorable_Code_Point, controls): a token can be spelled with it inside."""

_WIDE = (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800))
"""Other shapes of ASCII, which some tokenizers make plain before they look for tokens (Unicode's NFKC)."""

_ALIKE = {code: plain for code in _WIDE if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1}
_ALIKE |= dict.fromkeys(map(ord, "∣│ǀ❘⏐￨｜"), "|") | {ord("﹤"): "<", ord("﹥"): ">", ord("‹"): "<", ord("›"): ">"}

TOKENS = (
    r"</?\|[^\s|<>]+\|[^\s|<>]*>",  # <|im_start|>, <|eot_id|>, <｜User｜>, <｜DSML｜invoke>
    r"<\|[\w/\"]+>|<\w+\|>",  # <|turn>, <tool_call|>
    r"<</?SYS>>",
    r"</?(?:s|[bes]o[sp]|unk|pad)>",
    r"</?(?:start|end|begin)_of_\w+>",
    r"</?(?:[\w-]+:)?(?:think|thinking|tool_\w+|function_\w+|arg_key|arg_value|invoke|bos|eos)>",
    r"</?(?:function|parameter|invoke)(?:=|\sname=)[^<>\n]*>",
    r"</?(?:unused|reserved_|TOKENS_UNUSED_)\d+>",
    r"(?-i:\[/?(?:INST|TOOL_(?:CALLS|RESULTS|CONTENT)|AVAILABLE_TOOLS|SYSTEM_PROMPT|MODEL_SETTINGS)\])",
    r"(?-i:\[/?(?:THINK|ARGS|CALL_ID)\])",
    r"(?-i:\[[gs]MASK\])|\]~!?b[\[\]]|\[e~\[",
    r"(?-i:(?:\A|\n)[^\S\n]*\n[^\S\n]*(?:Human|Assistant):)",
    r"(?-i:(?<![^\n])#{2,3}[^\S\n]?(?:Instruction|Input|Response|System|User|Human|Assistant):)",
)
"""The shapes of what separates speakers, tools and thoughts in the templates of models, as regular expressions."""

_ANY_TOKEN = re.compile("|".join(TOKENS), re.IGNORECASE)
_SIGN_OF_TOKEN = re.compile(r"[<\[\]#\n]")
"""One of these is in every token."""


def boundary() -> str:
    """Return a random word for the marks of a fence."""
    return secrets.token_hex(4)


def fence(text: str, *, label: str, mark: str) -> str:
    """Put a text between marks; templates' tokens, and the mark itself if it occurs, are taken apart in it."""
    if mark.casefold() in _IGNORED.sub("", text.translate(_ALIKE)).casefold():  # almost never, and each mark is new
        text = _apart(text, re.compile(re.escape(mark), re.IGNORECASE))
    return f"<<{label} {mark}>>\n{neutralize(text)}\n<<end {label} {mark}>>"


def neutralize(text: str) -> str:
    """Take the tokens of templates apart by a space, however they are spelled; everything else stays."""
    return _apart(text, _ANY_TOKEN) if _SIGN_OF_TOKEN.search(text.translate(_ALIKE)) else text


def one_line(text: str) -> str:
    """Return a name that can stand in a heading: neutralized, visible, on one line, without brackets."""
    return neutralize(" ".join(_IGNORED.sub("", text).split()).replace("[", "(").replace("]", ")"))


@lru_cache(maxsize=256)  # with every request the same files and the same conversation are read again
def _apart(text: str, pattern: re.Pattern[str]) -> str:
    """Put a space into whatever the pattern finds in a text, invisible characters ignored; linear in its length."""
    plain = text.translate(_ALIKE)
    hidden = [found.span() for found in _IGNORED.finditer(plain)]
    removed = [0, *accumulate(end - start for start, end in hidden)]
    starts = [start - gone for (start, _), gone in zip(hidden, removed, strict=False)]

    def place(at: int) -> int:
        """Map a place in the text without the hidden spans to its place in the text."""
        return at + removed[bisect_right(starts, at)]

    parts, done = [], 0
    for found in pattern.finditer(_IGNORED.sub("", plain)):
        start, end = place(found.start()), place(found.end() - 1) + 1
        parts += [text[done:start], split_token(_IGNORED.sub("", text[start:end]))]
        done = end
    return "".join([*parts, text[done:]])


def split_token(token: str) -> str:
    """Split a token by a space behind its first sign and before its last one, where it still reads well.

    >>> split_token("<|im_start|>"), split_token("[INST]"), split_token("Human:"), split_token("a1b2c3d4")
    ('< |im_start| >', '[ INST ]', 'Human :', 'a1b2 c3d4')
    """
    if token.endswith(":"):
        return f"{token[:-1]} :"
    if token.isalnum():
        return f"{token[: len(token) // 2]} {token[len(token) // 2 :]}"
    return f"{token[0]} {token[1:-1]} {token[-1]}"
