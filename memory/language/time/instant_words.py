"""Words and patterns of instants to come, by language, and the places where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from memory.language.patterns import Pattern
from memory.language.time.found import longest
from memory.language.time.words import EUROPE, PATTERNS, UNITS, WORDS, number_of, number_pattern, numbered, weekdays_of
from memory.language.words import alternatives, read_lists

_NUMBERS = frozenset("n n2 h min past to d mn y halfto halfpast threeto dom".split())
"""Groups that match a number."""
_FIGURES = re.compile(r"\d+(?:[.,]\d+)?")
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
        words, ago = WORDS[code], PATTERNS[code]["ago"]
        self.numbers = words["numbers"] | numbered(lists.get("numbers", ""))
        self.ordinals, self.months = words["ordinals"], words["months"]
        own, known = lists["units"], words["units"].items()
        self.units = {
            unit: "|".join([*(word for word, number in known if UNITS[number] == unit), *own.get(unit, "").split()])
            for unit in (*own, *UNITS)
        }
        self.spans = numbered(lists.get("spans", ""))
        self.parts: Mapping[str, str] = {name: text for name, text in lists["parts"].items() if name != "today"}
        self.is_spaced = code in EUROPE
        self.joins = re.compile(lists["joins"], re.IGNORECASE)
        self.occasion = re.compile(lists["occasion"], re.IGNORECASE)
        self.order, self.closing = (re.compile(lists[name], re.IGNORECASE) for name in ("order", "closing"))
        self._exact = re.compile(lists.get("exact", "(?!)"))
        self._today = re.compile(lists["parts"]["today"], re.IGNORECASE)
        self.weekdays = weekdays_of(code) | numbered(lists.get("weekdays", ""))
        self.listed = self.weekdays | words["weekdays"]
        days = {day: n for day, n in words["days"].items() if n >= 0 and day not in words["daytimes"]}
        self.days = days | numbered(lists.get("days", ""))
        names = (name for name in self.weekdays if len(name) > 2 or not lists.get("short"))
        latest = 12 if code in {"en", "de"} else 24
        hours = [word for word, number in self.numbers.items() if number <= latest]
        fill = {
            "{n}": number_pattern(self.numbers),
            "{ord}": alternatives(self.ordinals) or "(?!)",
            "{hour}": rf"\d{{1,2}}|{number_pattern(hours, tens='二')}",
            "{u}": "|".join(self.units.values()),
            "{w}": "|".join(filter(None, (lists.get("short"), alternatives(names)))),
            "{m}": alternatives(self.months) or "(?!)",
            "{over}": alternatives(day for day, n in words["days"].items() if n < 0),
            "{span}": "|".join(sorted(self.spans, key=len, reverse=True)),
            "{part}": "|".join(f"(?:{text})" for text in self.parts.values()),
        }
        past = "|".join(filter(None, (*lists["past"], ago.replace("{n}", r"(?:{n}|\d+)"))))
        kinds = ("odd", "exception", "every", "relative", "date", "weekday", "period", "clock", "vague")
        texts = [("past", past), *((kind, text) for kind in kinds for text in lists[kind])]
        texts.append(("day", f"(?P<day>{alternatives(self.days)})"))
        texts += [("part", f"(?P<{name}>{text})") for name, text in self.parts.items()]
        texts += [("named", f"(?P<at{value.replace(':', '')}>{text})") for text, value in lists["named"].items()]
        texts.append(("date", r"(?:on |am )?(?P<y>\d{4})-(?P<mn>\d\d)-(?P<d>\d\d)T?"))
        self.rules = [(kind, self._pattern(text, fill)) for kind, text in texts]

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
            return [
                self.listed[word] for word in re.findall(f"{edges[0]}({alternatives(self.listed)}){edges[1]}", said)
            ]
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
        if _FIGURES.fullmatch(said):
            return float(said.replace(",", "."))
        return number_of(said.lstrip("零"), self.numbers)


@cache
def grammar(code: str) -> Grammar:
    """Return the patterns of one language: `en`, `de`, `es`, `fr`, `ru`, `zh`, `ja` or `ko`."""
    return Grammar(code, read_lists("memory.language", "lexicon", "instants.toml")[code])


@lru_cache(maxsize=512)  # who lists plans looks at each for its days, its hours and what has become of it
def clusters(words: Grammar, text: str) -> Sequence[Cluster]:
    """Return the expressions in a text, the longest of those that overlap, those that belong together as one."""
    joined: list[Cluster] = []
    for *_, piece in longest((piece.start, piece.end, piece) for piece in words.pieces(text)):
        if joined and words.joins.fullmatch(text, joined[-1].end, piece.start):
            joined[-1] = Cluster((*joined[-1].pieces, piece))
        else:
            joined.append(Cluster((piece,)))
    return joined
