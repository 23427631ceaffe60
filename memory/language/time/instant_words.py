"""Words and patterns of instants to come, by language, and the places where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from memory.language.patterns import Pattern
from memory.language.time.dates_european import EUROPE, numbered
from memory.language.words import alternatives, read_lists

_NUMBERS = frozenset("n n2 h min past to d mn y halfto halfpast threeto dom".split())
"""Groups that match a number."""
_LEADING_ZERO = re.compile(r"0\d")
_RATES = {"minute", "hour", "hourly"}
_SUBJECTS = dict.fromkeys("clock named part".split(), "time") | dict.fromkeys("day weekday date every".split(), "day")


@dataclass(frozen=True, slots=True)
class Piece:
    """One expression: its place, the kind of its rule, and what its groups matched."""

    start: int
    end: int
    kind: str
    groups: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Expressions that stand together."""

    pieces: tuple[Piece, ...]

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return max(piece.end for piece in self.pieces)

    @property
    def says(self) -> frozenset[str]:
        """What is said: a day, a time, or what is neither, as "every two hours" is."""
        subjects = {_SUBJECTS.get(piece.kind, "") for piece in self.pieces}
        subjects |= {"day" for piece in self.pieces if "today" in piece.groups}
        subjects |= {"" for piece in self.pieces if _RATES & {*piece.groups, *map(str, piece.groups.values())}}
        return frozenset(subjects)

    def completes(self, other: Cluster) -> bool:
        """Return whether the other one says what this one leaves open, and nothing that it says."""
        return self.says | other.says <= {"day", "time"} and self.says.isdisjoint(other.says)


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str, lists: Mapping[str, Any]) -> None:
        self.numbers: Mapping[str, int] = lists["numbers"]
        self.ordinals: Mapping[str, int] = lists["ordinals"]
        self.units: Mapping[str, str] = lists["units"]
        self.spans: Mapping[str, int] = lists["spans"]
        self.parts: Mapping[str, str] = {name: text for name, text in lists["parts"].items() if name != "today"}
        self.is_spaced = code in EUROPE
        self.joins = re.compile(lists["joins"], re.IGNORECASE)
        self.occasion = re.compile(lists["occasion"], re.IGNORECASE)
        self.order, self.closing = (re.compile(lists[name], re.IGNORECASE) for name in ("order", "closing"))
        self._exact = re.compile(lists.get("exact", "(?!)"))
        self._today = re.compile(lists["parts"]["today"], re.IGNORECASE)
        words = EUROPE.get(code)
        self.weekdays = (numbered(words.weekdays) if words else {}) | numbered(lists.get("weekdays", ""))
        self.months = numbered(words.months, 1) if words else {}
        self.listed = self.weekdays | numbered(lists.get("signs", ""))
        number = lists.get("number") or _any(self.numbers)
        latest = 12 if code in {"en", "de"} else 24
        hour = rf"\d{{1,2}}|{lists.get('hour') or _any(word for word, n in self.numbers.items() if n <= latest)}"
        days = (day for day in self.weekdays if len(day) > 2 or code != "de")
        fill = {
            "{n}": number,
            "{ord}": _any(self.ordinals) or "(?!)",
            "{hour}": hour,
            "{u}": "|".join(self.units.values()),
            "{w}": "|".join(filter(None, (lists.get("short"), _any(days)))),
            "{m}": _any(self.months) or "(?!)",
            "{span}": "|".join(sorted(self.spans, key=len, reverse=True)),
            "{part}": "|".join(f"(?:{text})" for text in self.parts.values()),
        }
        kinds = ("odd", "exception", "every", "past", "relative", "date", "weekday", "period", "clock", "vague")
        texts = [(kind, text) for kind in kinds for text in lists[kind]]
        texts.append(("day", f"(?P<day>{_any(lists['days'])})"))
        texts += [("part", f"(?P<{name}>{text})") for name, text in self.parts.items()]
        texts += [("named", f"(?P<at{value.replace(':', '')}>{text})") for text, value in lists["named"].items()]
        texts.append(("date", r"(?:on |am )?(?P<y>\d{4})-(?P<mn>\d\d)-(?P<d>\d\d)T?"))
        self.rules = [(kind, self._pattern(text, fill)) for kind, text in texts]
        self.days: Mapping[str, int] = lists["days"]

    def _pattern(self, pattern: str, fill: Mapping[str, str]) -> Pattern:
        for name, value in fill.items():
            pattern = pattern.replace(name, f"(?:{value})")
        edges = (r"(?<![\w/])", r"(?!\w)") if self.is_spaced else (r"(?:(?<!\d)|(?!\d))", r"(?:(?!\d)|(?<!\d))")
        return Pattern(
            f"{edges[0]}(?:{pattern}){edges[1]}".replace(" ", r"\s+").replace(r"\s+?", r"\s*"), re.IGNORECASE
        )

    def pieces(self, text: str) -> Iterator[Piece]:
        """Find expressions; they may overlap."""
        for kind, pattern in self.rules:
            for match in pattern.finditer(text):
                groups = {name: self._value(name, said) for name, said in match.groupdict().items() if said}
                if kind == "clock" and _LEADING_ZERO.match(match["h"] if "h" in groups else groups.get("hs", "")):
                    groups["exact"] = "always"
                elif kind == "clock" and self._exact.search(match[0]):
                    groups["exact"] = "dated"
                if kind in {"part", "every"} and self._today.match(match[0]):
                    groups["today"] = True
                if match.end() > match.start():
                    yield Piece(match.start(), match.end(), kind, groups)

    def _value(self, name: str, said: str) -> Any:
        said = " ".join(said.lower().split())  # "dreißig" keeps its letters
        if name in _NUMBERS:
            return self._number(said)
        if name in {"w", "m", "day"}:
            return {"w": self.weekdays, "m": self.months, "day": self.days}[name][said]
        if name == "ws":
            edges = (r"(?<!\w)", r"s?(?!\w)") if self.is_spaced else ("", "")
            return [self.listed[word] for word in re.findall(f"{edges[0]}({_any(self.listed)}){edges[1]}", said)]
        if name in {"u", "u2", "part"}:
            patterns = self.parts if name == "part" else self.units
            return next(known for known, text in patterns.items() if re.fullmatch(text, said))
        if name == "span":
            return next(minutes for text, minutes in self.spans.items() if re.fullmatch(text, said))
        return {"一": 15, "三": 45}[said] if name == "quarter" else said

    def _number(self, said: str) -> float:
        if said in {"quarter", "viertel", "一刻"}:
            return 15
        if said == "half":
            return 30
        if day := self.ordinals.get(said) or self.ordinals.get(said.rstrip("nrs")):
            return day
        said = said.lstrip("零") or "0"
        if said in self.numbers:
            return self.numbers[said]
        if "十" in said:
            tens, _, ones = said.partition("十")
            return 10 * self.numbers.get(tens, 1) + self.numbers.get(ones, 0)
        return float(said.replace(",", ".")) if re.fullmatch(r"\d+(?:[.,]\d+)?", said) else -1


def _any(words: Iterable[str]) -> str:
    return alternatives(words).replace(r"\ ", " ")


@cache
def grammar(code: str) -> Grammar:
    """Return the patterns of one language: `en`, `de`, `es`, `fr`, `ru`, `zh`, `ja` or `ko`."""
    return Grammar(code, read_lists("memory.language", "lexicon", "instants.toml")[code])


@lru_cache(maxsize=512)  # who lists plans looks at each for its days, its hours and what has become of it
def clusters(words: Grammar, text: str) -> Sequence[Cluster]:
    """Return the expressions in a text, the longest of those that overlap, those that belong together as one."""
    kept: list[Piece] = []
    for piece in sorted(words.pieces(text), key=lambda piece: (piece.start - piece.end, piece.start)):
        if all(piece.end <= other.start or piece.start >= other.end for other in kept):
            kept.append(piece)
    joined: list[Cluster] = []
    for piece in sorted(kept, key=lambda piece: piece.start):
        if joined and words.joins.fullmatch(text, joined[-1].end, piece.start):
            joined[-1] = Cluster((*joined[-1].pieces, piece))
        else:
            joined.append(Cluster((piece,)))
    return joined
