"""How one statement stands to another: says the same, denies it, or gives a relation another value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from memory.capture.corrections import RENEWED, contradicts, same
from memory.capture.grammar import grammar_patterns
from memory.capture.lexicon import read_vocabulary
from memory.index.terms import terms
from memory.language.answer_forms import YEAR
from memory.language.detect import HAN_SIGN, clear_language
from memory.language.normalize import normalize, stem
from memory.language.words import ALL_STOP_WORDS, STOP_WORDS, WEAK, alternatives, read_lists

MAX_CHARS = 400
"""Characters of a statement that is compared; what is longer tells more than one thing."""
MIN_HELD = 0.67
"""The share of a statement's content words that another has to hold to speak of the same."""
MAX_BESIDE = 2
"""Content words of a statement that has a single one in common with another of a single word."""
MIN_ALIKE = 0.5
"""The share of the content words of both that they have in common if one denies the other."""
HOME, WORK, WORKPLACE = "home", "work", "workplace"
"""Where somebody lives, for whom they work, and in which town: bases, which one leaves for others."""
PLACE = "place"
"""Where somebody is: in one place at a time, but often in another a day later."""
OTHER = "other"
"""What the subject of a statement tells by itself: "her phone number is"."""
_COMPARED = ("en", "de", "zh")  # of others, there are words for homes alone
_NO_WORDS = dict.fromkeys("liked disliked prefers being measured opposites".split(), "") | {"placed": "(?!)"}
_OWN = {"je", "nous", "yo", "я", "мы", "我", "我们", "咱们"}  # who moves with others, moves
_STOPS = STOP_WORDS["en"] | STOP_WORDS["de"] | _OWN
PATTERNS = {
    name: re.compile("|".join(pieces))
    for name, pieces in read_lists("memory.knowledge", "lexicon", "homes.toml").items()
}
"""Who somebody is to the speaker, and what is said of bases besides where they are, as the lexicon explains it."""
_CLAUSE = re.compile(r"[,;.!?]\s|[，；。！？]|\s[–—]\s")
_RELATIONS = (
    (HOME, re.compile("live|wohn|moved|zog|住在|搬|vive|mud|habit|ménag|жив|переех")),
    ("profession", re.compile(r"\)\?as\(|\)\?als\(")),
    (WORK, re.compile(r"\bwork\||arbeitet|上班|trabaj|travaill|работа")),
)


class Stance(Enum):
    """What a statement does to another one."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class _Reading:
    """A statement without its polarity.

    Attributes:
        content: the terms of its content words, and the numbers of its pairs of opposites.
        is_denied: whether it is negated, or says that somebody dislikes what the content is.
        sides: for each pair of opposites whether it has the second side.
        excludes: whether one of two opposites is all that can be meant.
        finds: whether it says how somebody finds something.
    """

    content: frozenset[str]
    is_denied: bool
    sides: Mapping[str, bool]
    excludes: bool
    finds: bool


class SingleValue(NamedTuple):
    """A value that a statement gives to a relation which has one value at a time.

    Attributes:
        relation: `HOME`, `WORK`, `WORKPLACE`, `PLACE`, "profession", or `OTHER`.
        whose: what the subject says besides the names of whom it is about ("'s sister"); of `PLACE` and `OTHER` all.
        value: in lower case.
    """

    relation: str
    whose: str
    value: str

    @property
    def held(self) -> tuple[str, str]:
        """What is equal of statements that can take each other's place."""
        return self.relation, self.whose

    @property
    def is_job(self) -> bool:
        """Whether it tells for whom, or where, somebody works."""
        return self.relation in {WORK, WORKPLACE}


class Judge(Protocol):
    """What judges as `stance` does."""

    def __call__(self, statement: str, new: str, *, names: tuple[str, ...] = ()) -> Stance: ...


def stance(statement: str, new: str, *, names: tuple[str, ...] = ()) -> Stance:
    """Judge by rules what a new statement does to an earlier one; `names` of those whom both are about tell nothing.

    It takes a millisecond, and any thread may ask.
    """
    if max(len(statement), len(new)) > MAX_CHARS:
        return Stance.UNRELATED
    if same(statement, new):
        return Stance.SUPPORTS
    return Stance.CONTRADICTS if contradicts(statement, new) else polarity(statement, new, names=names)


def polarity(statement: str, new: str, *, names: tuple[str, ...] = ()) -> Stance:
    """Judge as `stance`, by what both deny, like or call by opposite words; values such as days may be others."""
    clauses = [clause for clause in _CLAUSE.split(new) if clause.strip()]  # each is denied, or not, by itself
    stances = (
        _compare(_read(statement, code, names), _read(said, code, names))
        for code in _codes(f"{statement}\n{new}")
        if code in _COMPARED
        for said in (*(clauses if len(clauses) > 1 else ()), new)
    )
    return next((found for found in stances if found is not Stance.UNRELATED), Stance.UNRELATED)


def telling_words(text: str, names: Collection[str]) -> frozenset[str]:
    """Return the words of a statement that tell something, without the names of whom it is about.

    Two statements without any in common say nothing of each other.
    """
    about = set[str]().union(*(terms(name, "") for name in names))
    telling = [word for word in terms(text, "") if word not in ALL_STOP_WORDS and word not in about]
    return frozenset(stem(word, code) for word in telling for code in ("en", "de"))  # a few words do not show which


def _compare(one: _Reading, other: _Reading) -> Stance:
    common = one.content & other.content
    subjects = [reading.content - reading.sides.keys() for reading in (one, other)]
    if not common or (any(subjects) and subjects[0].isdisjoint(subjects[1])):
        return Stance.UNRELATED
    if len(common) == 1 and one.finds != other.finds:  # "was not at home", "likes his home"
        return Stance.UNRELATED
    is_opposed = any(other.sides.get(pair, side) != side for pair, side in one.sides.items())
    if is_opposed and not (one.excludes or other.excludes):
        return Stance.UNRELATED
    if (one.is_denied != other.is_denied) != is_opposed:
        alike = len(common) / min(len(one.content), len(other.content))
        return Stance.CONTRADICTS if alike >= MIN_ALIKE and len(common) >= len(one.content) / 2 else Stance.UNRELATED
    is_bare = len(one.content) == 1 and len(other.content) > MAX_BESIDE
    return Stance.SUPPORTS if len(common) / len(one.content) >= MIN_HELD and not is_bare else Stance.UNRELATED


def single_value(statement: str, *, names: Collection[str] = ()) -> SingleValue | None:
    """Return the value that a statement about these `names` gives to a relation which has one value at a time.

    None for other statements, such as wishes, questions, and what was or may be.
    """
    written = normalize("NFKC", statement).replace("ß", "ss")  # as long as in lower case
    lower = written.casefold()
    if grammar_patterns().negation.search(lower) or lower.rstrip().endswith("?"):
        return None
    for code in _codes(statement):
        if _tables(code).unsure.search(PATTERNS["in_may"].sub(" ", lower)):
            continue
        for relation, pattern in _tables(code).single:
            match = pattern.search(lower)
            if match is None or (relation == HOME and _tells_no_home(written, match.end())):
                continue
            if value := " ".join(PATTERNS["value_end"].split(lower[match.end() :], maxsplit=1)[0].split()):
                if relation == OTHER:
                    subject = grammar_patterns().filler.sub(" ", RENEWED.sub(r"\1\2", lower[: match.end()]))
                    return SingleValue(OTHER, " ".join(subject.split()), value)
                is_town = value in _places() or PATTERNS["town"].match(value)  # that employs nobody
                actual = WORKPLACE if relation == WORK and is_town else relation
                return SingleValue(actual, _whose(written[: match.start()], names), value)
        if match := _tables(code).placed.search(lower):
            value = PATTERNS["value_end"].split(lower[match.end() :], maxsplit=1)[0].strip()
            return SingleValue(PLACE, " ".join(lower[: match.end()].split()), value) if value else None
        if (match := _tables(code).measured.search(lower)) and not PATTERNS["dated"].search(lower):
            subject = " ".join(f"{lower[: match.start('n')]}{match['unit']}".split())
            return SingleValue(OTHER, subject, match["n"].rstrip(".,"))
    return None


def _tells_no_home(written: str, end: int) -> bool:
    """Return whether a statement whose verb ends there tells of a move, but to no home: "moved to the sales team"."""
    is_unnamed = PATTERNS["unnamed"].match(written, end - len("to")) is not None
    return is_unnamed or PATTERNS["unnamed_together"].match(written) is not None


@cache
def _places() -> frozenset[str]:
    return frozenset(name.casefold() for code in ("latin", "chinese") for name in read_vocabulary(code, "places"))


def base_of(statement: str, *, names: Collection[str] = ()) -> SingleValue | None:
    """Return a home or an employer that a statement names, as `single_value` does; None for another statement."""
    given = single_value(PATTERNS["beside_home"].sub("", statement, count=1), names=names)
    return given if given and (given.relation == HOME or given.is_job) else None


def is_new_base(base: str, new: str, *, year: str) -> bool:
    """Return whether a statement says that whoever has a base, by an earlier one, has it no longer: "I moved to Rome".

    With another year than the one in which it was said, it tells of one move of several.
    """
    base, new = (PATTERNS["beside_home"].sub("", text, count=1) for text in (base, new))
    had, has, left = base_of(base), base_of(new), left_base(new)
    if not had or len({role_of(base), role_of(new), ""}) > 2:
        return False
    if not had.whose and not all(map(_is_own, (base, new))):  # it is not said of whom
        return False
    if left and had.held in ended_by(left) and left.value in {had.value, ""}:
        return True
    if not has or had.held != has.held or {*YEAR.findall(new)} - {year}:
        return False
    if had.is_job and not grammar_patterns().filler.search(new):  # one may work for several
        return False
    return not (had.value.startswith(has.value) or has.value.startswith(had.value))


def ended_by(left: SingleValue) -> list[tuple[str, str]]:
    """Return what is no longer `held` by whoever has left a base: who has no job, works nowhere."""
    relations = (WORK, WORKPLACE) if left.relation == WORK else (left.relation,)
    return [(relation, left.whose) for relation in relations]


def _is_own(statement: str) -> bool:
    """Return whether somebody speaks of themself, be it after "no longer", or of what was done to them."""
    bare = grammar_patterns().with_negation.sub(" ", grammar_patterns().negation.sub(" ", statement))
    is_first = any(map(grammar_patterns().first.match, (statement, bare.lstrip())))
    return is_first or PATTERNS["done_to_me"].match(statement) is not None


def left_base(statement: str, *, names: Collection[str] = ()) -> SingleValue | None:
    """Return the base that somebody has no longer, by the first clause of a statement, as `base_of` does.

    Its value is empty where it is not named: "I quit my job".
    """
    first = _CLAUSE.split(statement, maxsplit=1)[0]
    if moved := PATTERNS["moved_from"].search(first):  # to where may be none: "from Slack to Teams"
        return base_of(f"{first[: moved.start()]}moved to {moved['base']}", names=names)
    positive = grammar_patterns().negation.sub(lambda found: "" if HAN_SIGN.match(found[0]) else " ", first)
    bare = " ".join(PATTERNS["beside_denial"].sub("", positive).split())
    denials = [*grammar_patterns().negation.finditer(first)]
    is_unsure = any(_tables(code).unsure.search(first.casefold()) for code in _codes(first))
    if not denials and not is_unsure and (ended := PATTERNS["quit"].search(first)):
        employer = next(filter(None, ended.groups()), "").casefold().strip()
        return SingleValue(WORK, _whose(first[: ended.start()], names), employer)
    after = first[denials[-1].end() :] if denials else ""
    other = base_of(after)  # "I did not know that Tom lives in Graz"
    is_denied = denials and not PATTERNS["otherwise"].match(after) and (other is None or not other.whose)
    return base_of(bare, names=names) if is_denied else None


def role_of(statement: str) -> str:
    """Return what somebody named is to the speaker: "sister" of "My sister Ana lives in Graz"; empty if unsaid."""
    named = PATTERNS["mine_in_signs"].match(statement) or PATTERNS["listed"].match(statement)
    roles = [named["role"].casefold()] if named and named["role"] else []
    if named := PATTERNS["mine_named"].match(statement):
        roles = named["role"].casefold().split()[1:]
    role = roles[-1] if roles and _STOPS.isdisjoint(roles) else ""
    return "partner" if PATTERNS["partner"].fullmatch(role) else role


def without_role(statement: str) -> str:
    """Return a statement about somebody named without what they are to the speaker: "my sister Ana" is Ana."""
    named = PATTERNS["mine_named"].match(statement)
    is_role = named and _STOPS.isdisjoint(named["role"].casefold().split()[1:])
    return statement[named.start("name") :] if named and is_role else PATTERNS["mine_in_signs"].sub("", statement)


def _whose(subject: str, names: Collection[str]) -> str:
    """Return what a subject says besides the names of whom a fact is about: "'s sister"; empty for these alone."""
    listed = PATTERNS["listed"].fullmatch(subject.strip())
    before = grammar_patterns().filler.sub(" ", (listed["name"] if listed else without_role(subject)).casefold())
    for name in sorted(names, key=len, reverse=True):
        before = before.replace(name.casefold().replace("-", " "), " ")
    return " ".join(word for word in before.split() if word.strip(".,:;") not in _STOPS)


def _codes(text: str) -> Sequence[str]:
    """Return the languages that a text may be in, of those that there are words for."""
    if HAN_SIGN.search(text):
        return ("zh",)
    code = clear_language(text)
    if code and code not in _lexicon():  # "Tom moved to Rome" begins with a word of Czech
        code = clear_language(text.partition(" ")[2])
    return (code,) if code in _lexicon() else tuple(_lexicon()) if not code else ()


@dataclass(frozen=True, slots=True)
class _Tables:
    denying: re.Pattern[str]
    liking: re.Pattern[str]
    excluding: re.Pattern[str]
    unsure: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    measured: re.Pattern[str]
    placed: re.Pattern[str]
    single: tuple[tuple[str, re.Pattern[str]], ...]


@cache
def _tables(code: str) -> _Tables:
    words = _NO_WORDS | _lexicon()[code]
    pairs = [line.split(" / ") for line in words["opposites"]]
    measured = _any_of(str(words["measured"]).split(), code).pattern
    single = []
    for pattern in words["single"]:
        text = str(pattern).replace("ß", "ss")  # as the text is in lower case
        # Where one lives and to where one moved is one relation; of others, all that stands before the value is.
        relation = next((name for name, shape in _RELATIONS if shape.search(text)), OTHER)
        single.append((relation, re.compile(text)))
    return _Tables(
        denying=_any_of(str(words["disliked"]).split(), code),
        liking=_any_of([*str(words["liked"]).split(), *str(words["prefers"]).split()], code),
        excluding=_any_of([*str(words["prefers"]).split(), *str(words["being"]).split()], code),
        unsure=_any_of(str(words["unsure"]).split(), code),
        opposites=tuple((_any_of(one.split(), code), _any_of(other.split(), code)) for one, other in pairs),
        measured=re.compile(rf"(?:{measured})\s?(?P<n>\d[\d.,]*)(?P<unit>\D+)\Z"),
        placed=re.compile(str(words["placed"])),
        single=tuple(single),
    )


def _lexicon() -> Mapping[str, dict[str, list[str]]]:
    return read_lists("memory.knowledge", "lexicon", "stance.toml")


def _any_of(words: Iterable[str], code: str) -> re.Pattern[str]:
    joined = alternatives(word.casefold().replace("_", " ") for word in words) or "(?!)"
    return re.compile(joined if code == "zh" else rf"(?<!\w)(?:{joined})(?!\w)")


@lru_cache(maxsize=8192)
def _read(text: str, code: str, names: tuple[str, ...]) -> _Reading:
    lower = normalize("NFKC", text).casefold().replace("’", "'")
    for name in sorted(names, key=len, reverse=True):
        lower = lower.replace(name.casefold().replace("-", " "), " ")
    tables = _tables(code)
    lower, denied = tables.denying.subn(" ", lower)  # before the "not" of "cannot stand" is taken out
    negations = sum(1 for _ in grammar_patterns().negation.finditer(lower))
    lower = grammar_patterns().negation.sub(" ", lower)
    excludes = tables.excluding.search(lower) is not None
    sides = {}
    for number, (one, other) in enumerate(tables.opposites):
        lower, first = one.subn(" ", lower)
        lower, second = other.subn(" ", lower)
        if first or second:
            sides[f"~{number}"] = second > first
    lower, liked = tables.liking.subn(" ", lower)
    weak = WEAK.get(code, frozenset())
    kept = " ".join(word for word in lower.split() if word.strip(".,;:!?\"'()") not in _STOPS)
    told = (term for term in terms(kept, code) if term not in _STOPS)
    content = {term for term in told if not (set(term) & weak and HAN_SIGN.search(term))}
    is_denied = (negations + denied) % 2 == 1
    return _Reading(frozenset(content | sides.keys()), is_denied, sides, excludes, bool(denied + liked))
