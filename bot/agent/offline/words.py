"""Words that rules go by, in all languages together: yes and no, numbers, and the other lists of `words.toml`."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from memory.capture.languages import small_talk_beside
from memory.language.detect import HAN, HANGUL, KANA
from memory.language.patterns import Pattern
from memory.language.words import alternatives, read_lists

MAX_CHOICE_CHARS = 40
"""Characters of a message that may be a choice among buttons, or of courtesies at the end of one."""

PLACES = "123456789"
"""The numbers of choices that there are words for; each is the name of its list."""

_DOES = {
    "/secret yes": "keep_it",
    "/captured keep": "keep_it",
    "/forget yes": "forget_it",
    "/replace yes": "replace_it",
}
"""The lists of what says that the command of a first choice is to be carried out, by how that begins."""

_TAKEN_BACK = ("/captured keep", "/replace yes")  # by `/undo`, and they do no harm: an "ok" is enough for them

_GAP = Pattern(rf"[ ,，]+|(?<=[{HAN}{KANA}{HANGUL}])")
"""Where a courtesy can begin."""
_SPACE = re.compile("[ ,，、]+")


@cache
def word_list(name: str) -> frozenset[str]:
    """Return one list of `words.toml`."""
    by_language = read_lists("bot.agent.offline", "words.toml")[name]
    return frozenset(word for words in by_language.values() for word in words)


_AGREED = re.compile(rf"^(?:{alternatives(word_list('agreed'))}){_SPACE.pattern}(?=.)")  # of "ok, no"
_NUMBERS = alternatives(word for place in PLACES for word in word_list(place))
CLAUSE_END = re.compile(
    rf"(?:[,;!，；。]|(?<!\d)\.) ?(?:(?:and|und) )?| (?:{alternatives(word_list('clause_links'))}) "
)
"""What stands between two clauses."""


_AGENDA = Pattern(lambda: "|".join(word_list("agenda")))
_PLANS_ASKED = (_AGENDA, Pattern(lambda: "|".join(word_list("plans_asked"))))


class Choice(Enum):
    """A yes takes the first choice, a no the last; the value is its place."""

    YES = 0
    NO = -1


def choice_in(text: str, offered: str = "", *, is_new: bool = False) -> Choice | int | None:
    """Read what a message chooses: yes, no, or a number from 1, in words or digits; None for any other message.

    Behind a yes there may be what the command does that is `offered` first: "yes, keep it" forgets nothing. If the
    offer `is_new`, that alone is a yes, too; and so is "ok", but not to what forgets something or lets somebody in.
    """
    if len(text) > MAX_CHOICE_CHARS or text.rstrip().endswith(("?", "？")):
        return None
    said, yes = _AGREED.sub("", without_courtesies(text)), word_list("yes")
    opening, *rest = _SPACE.split(said, maxsplit=1)
    does = frozenset[str]().union(*(word_list(name) for order, name in _DOES.items() if offered.startswith(order)))
    if rest and opening in yes and rest[0] in word_list("carry_on") | does:
        return Choice.YES
    if is_new:
        yes |= does - word_list("forget_it")  # which may mean "never mind"
        yes |= word_list("agreed") if offered.startswith(_TAKEN_BACK) else frozenset()
    for answer, words in ((Choice.YES, yes), (Choice.NO, word_list("no"))):
        if said in words or (said and words.issuperset(_SPACE.split(said))):
            return answer
    before, after = (alternatives(word_list(f"{side}_number")) for side in ("before", "after"))
    chosen = re.fullmatch(rf"(?:(?:{before}) ?)*(?P<number>\d\d?|{_NUMBERS})(?: ?(?:{after}))*", said)
    if chosen is None:
        return None
    number = next((place for place in PLACES if chosen["number"] in word_list(place)), chosen["number"])
    return int(number) or None


def is_calculation(text: str) -> bool:
    """Check whether a message asks for the result of a calculation and for nothing else: "what is 2+2"."""
    asking = alternatives(word_list("calculating"))
    calculation, asked = re.subn(rf"^(?:{asking}) *| *(?:{asking})$", "", trimmed(text))
    # Not part of a telephone number, and by itself "9 - 5" or "2 x 4" may be the name of something.
    number = rf"(?:(?:0|[1-9]\d{{0,3}})(?:[.,]\d{{1,4}})?(?!\d)|{_NUMBERS})"
    operator = " *[+*×÷^] *"
    if asked:
        operator = rf"(?:{operator}| +[-−/:x] +| *(?:{alternatives(word_list('operators'))}) *)"
    return re.fullmatch(rf"{number}(?:{operator}{number})+(?: *=)?", calculation) is not None


def without_courtesies(text: str) -> str:
    """Return a text in lower case, without "please", thanks and punctuation at its ends; they stay if they are all."""
    said = trimmed(text)
    polite = [pattern for talk in small_talk_beside(said) for pattern in (talk.please, talk.thanks)]
    begins = (match.end() for pattern in polite if (match := pattern.match(said)))
    said = trimmed(said[max(begins, default=0) :]) or said
    gaps = _GAP.finditer(said, max(0, len(said) - MAX_CHOICE_CHARS))
    ends = (gap.start() for gap in gaps if any(pattern.fullmatch(said, gap.end()) for pattern in polite))
    return trimmed(said[: next(ends, len(said))])


def trimmed(text: str) -> str:
    """Return a text in lower case, without punctuation at its ends."""
    return text.strip(" \n.,;!?。，？！¿¡").lower().replace("’", "'").replace("whats ", "what's ")


def without_fillers(text: str) -> str:
    """Return a text in lower case without what may stand in any question for plans: "still", "noch", "for"."""
    return " ".join(word for word in trimmed(text).split() if word not in word_list("plan_fillers"))


def asks_for_plans(text: str, *, names_days: bool = False) -> bool:
    """Check whether a text without fillers asks for what is planned and to be done, and for nothing else.

    If it `names_days`, which were taken out, less is needed to ask so: "what is there tomorrow?".
    """
    ways = _PLANS_ASKED if names_days else (_AGENDA,)
    # In Chinese, the day may have stood inside: "我 有什么安排".
    return any(one.fullmatch(said) for one in ways for said in (text, text.replace(" ", "")))
