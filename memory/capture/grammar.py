"""How a statement is put together: subject, what links it to what is said of it, the words that carry content."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memory.capture.values import values
from memory.language.scripts import HAN, KANA
from memory.language.stems import stem
from memory.language.stopwords import STOP_WORDS

SIGN = HAN + KANA
"""Characters of writing without spaces, for a class of a regular expression."""

FUNCTION_WORDS = frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "fr", "es", "it", "pt", "ru")))
WORD = re.compile(rf"[{SIGN}]+|(?:(?![{SIGN}])[^\W_])+")
CLOSING = " \t\n.!。！,，;；"
"""What a statement may begin and end with that says nothing."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Patterns for the parts of a statement, in all languages, as `lexicons/correction.toml` explains them.

    Attributes:
        lead: a pronoun, a copula or both, with fillers, at the beginning of a correction.
        naming: "is called" at the end of such a lead.
        links: copulas and verbs of state, the surest first.
        copula: copulas alone, also contracted.
        renewed: sentences that say that something changed, with its `noun` and `what` it is now.
        preferring: who says what they like better: "I prefer".
        giving: verbs that give a value to a thing: "we pay".
    """

    lead: re.Pattern[str]
    naming: re.Pattern[str]
    links: tuple[re.Pattern[str], ...]
    copula: re.Pattern[str]
    pronoun: re.Pattern[str]
    person: re.Pattern[str]
    first: re.Pattern[str]
    filler: re.Pattern[str]
    preposition: re.Pattern[str]
    clause: re.Pattern[str]
    negation: re.Pattern[str]
    with_negation: re.Pattern[str]
    contrasts: tuple[re.Pattern[str], ...]
    renewed: tuple[re.Pattern[str], ...]
    giving: re.Pattern[str]
    preferring: re.Pattern[str]


@cache
def parts() -> Parts:
    """The patterns, compiled on first use."""
    raw = files("memory.capture").joinpath("lexicons", "correction.toml").read_text(encoding="utf-8")
    read = tomllib.loads(raw)

    def words(*names: str) -> str:
        spaced = "|".join(one.replace("_", r"\s+") for name in names for one in read[name].split())
        signs = "|".join(one for name in names for one in read.get(f"{name}_signs", "").split())
        whole = rf"(?:(?<![\w'’])|(?<=\w)(?=['’]))(?:{spaced})(?!\w)"
        return f"(?:{whole}|{signs})" if signs else whole

    def compiled(*names: str) -> re.Pattern[str]:
        return re.compile(words(*names), re.IGNORECASE)

    link = words("naming", "copula", "copula_unsure", "contracted")
    filler = rf"(?:\s*{words('filler')})"
    pronoun = words("pronoun")
    begun = rf"(?:{link}\s+)?{pronoun}{filler}{{0,3}}(?:\s*{link}){{0,2}}|{link}"
    lead = rf"\s*{filler}{{0,3}}\s*(?:{begun}){filler}{{0,3}}[\s,:]*"
    return Parts(
        re.compile(lead, re.IGNORECASE),
        compiled("naming"),
        (compiled("naming"), compiled("copula", "state"), compiled("copula_unsure")),
        compiled("naming", "copula", "copula_unsure", "contracted"),
        compiled("pronoun"),
        compiled("person"),
        compiled("first"),
        compiled("filler"),
        compiled("preposition"),
        compiled("clause"),
        re.compile(words("negation") + r"|(?<!\bca)(?<=\w)n['’]t(?!\w)|(?<=\bcan)(?:['’]t|not)(?!\w)", re.IGNORECASE),
        compiled("with_negation"),
        _sentences(read["contrast"]),
        _sentences(read["renewed"]),
        compiled("giving"),
        compiled("preferring"),
    )


def _sentences(block: str) -> tuple[re.Pattern[str], ...]:
    """Patterns for whole sentences; between Chinese or Japanese words there may be spaces."""
    return tuple(
        re.compile(one.replace("_", r"\s*" if "是" in one or "な" in one else " "), re.IGNORECASE)
        for one in block.split()
    )


SIGNS = re.compile(rf"[{SIGN}]")
_PARTICLES = re.compile(r"[的了是在有吧呢啊就把给到为和这那我你他她它们号您]|[\u3041-\u309f]")


def content(text: str, code: str) -> list[tuple[str, int, int]]:
    """The words that carry content, as stem, start and end; of Chinese and Japanese each two characters."""
    found: list[tuple[str, int, int]] = []
    for word in WORD.finditer(text):
        if SIGNS.match(word[0]):
            pairs = range(word.start(), word.end() - 1)
            found += [(text[at : at + 2], at, at + 2) for at in pairs if not _PARTICLES.search(text, at, at + 2)]
        elif word[0].casefold() not in FUNCTION_WORDS and not (len(word[0]) == 1 and word[0].isalpha()):
            found.append((stem(word[0].casefold(), code), word.start(), word.end()))
    return found


def lead(said: str) -> tuple[int, bool]:
    """Where the pronoun and copula that a correction begins with end, and whether there is a copula."""
    found = parts().lead.match(said)
    if not found:
        return 0, False
    begun = found[0]
    linked = parts().copula.search(begun) is not None
    if not SIGNS.search(begun) and said[found.end() - 1 : found.end()].isalpha() and found.end() < len(said):
        return 0, False
    return found.end(), linked


def link_of(old: str) -> re.Match[str] | None:
    """What links the subject of a fact to its predicate; None without one, or without a subject before it."""
    line = old.partition("\n")[0]
    for pattern in parts().links:
        for found in pattern.finditer(line):
            if line[: found.start()].strip() and line[found.end() :].strip(CLOSING):
                return found
    return None


def says_what_is(said: str) -> bool:
    """Whether a correction begins with a value or like "it is", or says which value something is."""
    end, linked = lead(said)
    past = WAS.search(said, 0, end) is not None
    given = values(said)
    asked = parts().links[1].match(said)
    if asked and parts().pronoun.search(said, asked.end(), end) and not given:  # "ist das Wetter schön"
        return False
    if (linked or (end and parts().links[1].match(said, end))) and not past:
        return any(map(str.isalnum, said[end:]))
    if given and not content(said[end : given[0].start], "en"):
        return True
    if given and parts().links[1].match(said) and not WAS.match(said):
        return True
    link = link_of(said)
    if link is None or WAS.search(said, 0, link.end()):
        return False
    # Chinese shows no names: what is short says one.
    is_short = SIGNS.match(said) is not None and len(said) <= 12 and said[0] not in "我你您"
    return is_short or any(value.start >= link.end() for value in given)


WAS = re.compile(r"(?<!\w)(?:was|were|war|waren|était|étaient|был[аои]?|fue|era)(?!\w)", re.IGNORECASE)


def second_clause(text: str) -> int:
    """Where a text goes on with another statement after a comma: "my code, it is an old one"; else its end."""
    for comma in re.finditer(r"[,，]\s*", text):
        following = text[comma.end() :]
        pronoun = parts().pronoun.match(following)
        goes_on = pronoun is not None and any(map(str.isalnum, following[pronoun.end() :]))
        first = parts().first.match(following)
        goes_on |= first is not None and any(map(str.isalnum, following[first.end() :]))
        if goes_on or lead(following)[1] or parts().clause.match(following):
            return comma.start()
    return len(text)
