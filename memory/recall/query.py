"""Parses questions: words, names, dates, and the form of answer that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cache

from memory.index.terms import LONGEST_NAME, fold, parts_of, token_terms, tokens
from memory.language.courses import course_subject
from memory.language.detect import HAN, HANGUL, KANA, UNSPACED, language
from memory.language.normalize import script_of_language
from memory.language.time import dates
from memory.language.time.dates import When
from memory.language.time.dates_european import is_calendar_word
from memory.language.words import ENDINGS, PHRASES, PRESENT, QUESTION_WORDS, STOP_WORDS, WEAK

MAX_QUESTION_CHARS = 4000
"""Characters that are read; the rest of a longer text is ignored."""

FUNCTION_WORDS = {code: words | QUESTION_WORDS.get(code, frozenset()) for code, words in STOP_WORDS.items()}
"""Function words and question words by language."""
_MAX_LANGUAGES = 4
_RUN = re.compile(rf"[{HAN}{KANA}{HANGUL}{UNSPACED}]")
_MAX_RUN_NAME_CHARS = 6
_UNCASED = f"{HAN}{KANA}{HANGUL}{UNSPACED}"
"""A name may stand between such letters without a space."""


@dataclass(frozen=True, slots=True)
class Word:
    """One thing to look for.

    Attributes:
        text: as it was asked.
        terms: that stand for it: its stem in each language that the notes are in, or all terms with a beginning (`*`).
    """

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks for.

    Attributes:
        text: the question.
        language: ISO 639-1, the likeliest.
        words: content words in order, each once; if there are only stop words, those, unless it names days.
        dropped: stop words that were left out.
        names: what may be the name of an entity, folded; up to four words each.
        when: the days it names.
        calendar: words that name them, as they may stand in a note.
        now: the asker's day, if it asks how things are now.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    dropped: tuple[str, ...]
    names: tuple[str, ...]
    when: tuple[When, ...]
    calendar: frozenset[str] = frozenset()
    now: date | None = None

    @property
    def is_common(self) -> bool:
        """Whether nothing but stop words is left to look for."""
        return bool(self.words) and {word.text for word in self.words} <= set(self.dropped)


def parse(text: str, *, languages: Sequence[str], today: date) -> Query:
    """Parse a question; no text makes it raise, and `yesterday` is counted from `today`.

    A word is looked for under its stem in each of the languages of the notes, which come commonest first.
    """
    read = text[:MAX_QUESTION_CHARS]
    code = language(read, languages[0] if languages else "")
    times = dates.find(read, today)
    asked = read
    calendar: set[str] = set()
    for time in reversed(times):
        # Of an expression of time, what a note may say as well is kept: a month, a weekday, a number.
        kept = [token for token in tokens(asked[time.start : time.end]) if is_calendar_word(token)]
        calendar.update(kept)
        asked = f"{asked[: time.start]} {' '.join(kept)} {asked[time.end :]}"
    if code in PHRASES:
        asked = re.sub("|".join(map(re.escape, PHRASES[code])), " ", asked)
    content = [token for token in tokens(asked) if not _is_stop(token, code)]
    attempts = [(content, False), (content, True)]
    if not times:
        attempts.append((tokens(read), True))
    same_script = (one for one in languages[:_MAX_LANGUAGES] if script_of_language(one) == script_of_language(code))
    spoken = tuple(dict.fromkeys([code, *same_script]))
    words: dict[tuple[str, ...], Word] = {}
    for found, keep in attempts:
        for token in found:
            for word in _words_of_run(token, code, keep=keep) if _RUN.match(token) else _words_of_token(token, spoken):
                words.setdefault(word.terms, word)
        if words:
            break
    return Query(
        text=text,
        language=code,
        words=tuple(words.values()),
        dropped=tuple(dict.fromkeys(token for token in tokens(read) if _is_stop(token, code))),
        names=tuple(_names(tokens(read))),
        when=times,
        calendar=frozenset(calendar),
        now=today if not times and PRESENT.search(read) else None,
    )


def meaning_of(text: str, speakers: Iterable[str]) -> str:
    """Return what of a question is embedded.

    Of a question for a course it is the subject. The names of speakers are left out: what they said of themselves does
    not have them.
    """
    asked = (course_subject(text) or text)[:MAX_QUESTION_CHARS]
    named = [re.escape(name) for name in sorted(speakers, key=len, reverse=True) if name in asked]
    if not named:
        return asked
    bare = re.sub(rf"(?<![^\W{_UNCASED}])(?:{'|'.join(named)})(?:['’]s)?(?![^\W{_UNCASED}])\s?", "", asked)
    return bare if bare.strip() else asked


def _is_stop(token: str, code: str) -> bool:
    """Return whether a token is made of function words and question words only."""
    stops = FUNCTION_WORDS.get(code, frozenset())
    lower = token.lower().replace("’", "'")
    return lower in stops or lower.replace("'", "") in stops or all(part in stops for part in parts_of(lower) or [""])


def _words_of_token(token: str, languages: Sequence[str]) -> Iterator[Word]:
    """Yield the words of a token, with their stems in each language; the first is the question's own."""
    stops = STOP_WORDS.get(languages[0], frozenset())
    by_language = [token_terms(token, one) for one in languages]
    length = len(by_language[0])
    for place, term in enumerate(by_language[0]):
        if length > 1 and term in stops:
            continue
        others = [terms[place] for terms in by_language if len(terms) == length]
        yield Word(token if length == 1 else term, tuple(dict.fromkeys([term, *others])))


def _words_of_run(run: str, code: str, *, keep: bool) -> Iterator[Word]:
    """Yield pairs or triples of characters of a script without spaces; one character alone is searched as a prefix.

    Pieces that are only grammar are left out, unless they are to be kept.
    """
    bare = (ENDINGS.sub("", run) or run) if code == "ko" else run
    terms = list(dict.fromkeys(token_terms(bare, code)))
    if len(bare) == 1:
        yield Word(bare, (f"{bare}*",))
        return
    terms = [term for term in terms if len(term) > 1 or code == "ja"]
    weak = WEAK.get(code, frozenset())
    test = any if code == "zh" else all
    strong = [term for term in terms if not test(character in weak for character in term)]
    yield from (Word(term, (term,)) for term in (terms if keep else strong))


def _names(found: Sequence[str]) -> Iterator[str]:
    """Yield what may be a name: up to four words that follow one another, or a part of a run of characters."""
    words: list[str] = []
    for token in found:
        if _RUN.match(token):
            run = fold(token)  # letter by letter, in these scripts
            lengths = range(2, _MAX_RUN_NAME_CHARS + 1)
            yield from (run[i : i + n] for n in lengths for i in range(min(100, len(run) - n + 1)))
        words += map(fold, parts_of(token))
    for size in range(1, LONGEST_NAME + 1):
        yield from (" ".join(words[i : i + size]) for i in range(min(200, len(words) - size + 1)))


class Form(Enum):
    """Forms of answer that patterns recognise; the first that a question has a cue for counts."""

    TIME = "a time"
    CALL = "a number to call"
    AMOUNT = "an amount"
    NUMBER = "a number"
    NAME = "a name"


@cache  # those that only some questions need are compiled by the first of these
def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_CUES = {
    Form.TIME: _pattern(
        r"^\W*(?:\w+\W+){0,2}when\b|\b(?:until|by|since|know|remember) when\b|\bwhen's\b|what time",
        r"(?:which|what) (?:day|month|year|date|weekday)\b",
        r"\bwann\b|wie spät|um wie ?viel uhr|welche[mnr]? (?:tag|monat|jahr|datum|wochentag)",
        r"cuándo|qué (?:día|hora|fecha|mes|año)|\bquand\b|quel(?:le)? (?:jour|heure|date|mois|année)",
        r"когда|во сколько|как(?:ой|ого|ое) (?:день|дня|числ\w+|месяц\w*|год\w*)|πότε|متى|कब|เมื่อ|กี่โมง",
        r"什么时候|什麼時候|几点|哪天|哪年|哪月|何时|几号|几月|什么时间|いつ|何時|何日|何曜日|何年|何月",
        r"언제|몇 시|며칠",
    ),
    Form.CALL: _pattern(
        r"(?:phone|mobile|cell) number|telefonnummer|(?:handy|ruf)nummer|teléfono de|téléphone d",
        r"телефон|τηλέφων|هاتف|फ़ोन|फोन|โทรศัพท์|电话是|电话号码|手机号|電話番号|전화번호",
    ),
    Form.AMOUNT: _pattern(
        r"\bcosts?\b|how expensive|how much money|\b(?:price|salary|budget)\b",
        r"\b(?:the|our|my|his|her|their|your) rent\b|how much (?:\w+ ){1,6}(?:pay|paid|worth)\b",
        r"\bwhat (?:\w+ ){1,6}(?:charge|charges|earn|earns|pay|paid|worth)\b",
        r"\bkostet|gekostet|\bkosten\b|\bwie teuer|\bverdien|gehalt\b|\b(?:die|unsere|meine|eure) miete\b|\bwert\b",
        r"wie viel geld|\bverlangt\b|\bpreis\b|cuesta|costó\b|\bcobra\b|precio|sueldo|\bgan[oa]\b|\bco[ûu]t",
        r"\bprix\b|salaire|\bvaut\b|сто(?:ит|ил)|зарплат|цена|бер[её]т|κοστίζ|τιμή|كم (?:سعر|ثمن|يكلف)|कीमत|ราคา|เท่าไ",
        r"多少钱|价格|工资|预算|いくら|値段|料金|給料|予算|얼마|가격",
    ),
    Form.NUMBER: _pattern(
        r"how (?:many|old|tall|far|fast|large|big|long|high|heavy|wide|deep|warm|cold|often|much)\b",
        r"\b(?:what|which|'s|is)(?: \w+){0,4} (?:size|number|age|height|weight|port|digits|dose|score)\b",
        r"wie ?viele?|wie (?:alt|hoch|groß|gross|weit|lang|schnell|schwer|breit|tief|warm|kalt|oft)\b",
        r"(?:nummer|größe|kennzeichen)\b|cuánt|qué (?:talla|número|edad|altura)",
        r"combien|quel âge|quelle (?:taille|pointure|hauteur)|numéro",
        r"сколько|как(?:ой|ого) (?:\w+ )*(?:номер|размер|код)",
        r"πόσ|كم|कितन|กี่|多少|几[个岁度只条把次位人天斤]|多[大高长远重久]|号码|尺码",
        r"何歳|何人|何番|何個|いくつ|番号|サイズ|몇|나이|번호",
    ),
    Form.NAME: _pattern(
        r"\bwho(?:se|m)?\b|\bnames?\b|\bcalled\b|\bwe[rmn]\b|\bwessen\b|\bhei(?:ß|ss)(?:t|en)\b|\bquién(?:es)?\b",
        r"se llaman?\b|nombre|\bqui\b|s'appelle|\bnom\b|\bкто\b|\bкого\b|\bкому\b|\bкем\b|зовут|ποιος|ποια|όνομα|λένε",
    ),
}
_CALL = re.compile(r"\d(?:[ /\-]?\d){4,}")
_DIGIT = re.compile(r"\d")
_NUMBER = (
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w*teen|twenty|thirty|forty|fifty|sixty|seventy",
    r"eighty|ninety|ninetieth|hundred|thousand|million|dozen|half|twice|once|first|second|third|fourth",
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf|\w*zehn|\w*zig(?:ste\w*)?|hundert|tausend|halbe?n?|\w+mal",
    r"zweite[nrs]?|dritte[nrs]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil",
    r"media|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille",
    r"два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сорок|пятьдесят|сто|тысяч\w*)\b",
    r"[一二三四五六七八九十百千万两零半]",
)
_CLOCK = (
    r"\b\d{1,2}[:.h]\s?\d\d\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b|o'clock|half past|\b(?:19|20)\d\d\b",
    r"\b(?:noon|midnight|morning|evening|afternoon|month|week|year|day|winter|summer|spring|autumn|easter|christmas)",
    r"mittags?\b|abends?\b|morgens\b|tags?\b|sommer|winter|frühling|herbst|ostern|weihnachten|\bwoche|\bmonat|\bjahr",
    r"вечера|утра|кажд(?:ый|ую)|недел|点|點|时|時|周|星期|月|号|每天|年|曜|日|[春夏秋冬]",
)
_CALENDAR = (
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:mon|diens|donners|frei|sams|sonn)tags?\b|mittwochs?\b",
    r"\b(?:jan|febr)uary\b|\b(?:march|april|may|june|july|august|(?:sept|nov|dec)ember|october)\b",
    r"\b(?:januar|februar|märz|mai|juni|juli|oktober|dezember)\b|\b(?:lunes|martes|miércoles|jueves|viernes|sábado)\b",
    r"\bdomingo\b|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|(?:sept|nov|dic)iembre|octubre)\b",
    r"\b(?:lun|mar|mercre|jeu|vendre|same)di\b|\bdimanche\b|\b(?:janvier|février|mars|avril|mai|juin|juillet|août)\b",
    r"\b(?:septembre|octobre|novembre|décembre)\b|понедельник|вторник|\bсред[ау]|четверг|пятниц|суббот|воскресен",
    r"январ|феврал|\bмарт|апрел|\bма[яй]\b|\bиюн|\bиюл|август|сентябр|октябр|ноябр|декабр",
)
_SHORT = re.compile(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?!\d|\w)")
_TIMES = (_CLOCK, _CALENDAR, _NUMBER)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}:\d\d|[\d一二三四五六七八九十两半]+[月号日点點時时年]")
_CASED = re.compile(r"[A-Za-zÀ-ɏΑ-ωА-яЁё]")
_KIN = (
    r"\b(?:mother|father|mum|dad|sister|brother|son|daughter|aunt|uncle|cousin|wife|husband|friend|neighbou?rs?|boss)\b",
    r"\b(?:madre|padre|herman[ao]|hij[ao]|t[ií][ao]|prim[ao]|abuel[ao]|amig[ao]|vecin[ao]s?|jef[ae])\b",
    r"\b(?:mère|père|sœur|frère|fils|fille|tante|oncle|cousine?|femme|mari|amie?|voisine?s?)\b",
    r"\b(?:мать|мам[аеыу]|пап[аеыу]|отец|сестр\w+|брат\w*|сын\w*|доч\w+|т[её]т\w+|дяд\w+|бабушк\w+|друг\w*|сосед\w*)\b",
)
_CAPITAL = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][^\W\d_]+")
_OPENING = frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "es", "fr", "ru", "el")))


class AnswerForm:
    """The form of answer that one question asks for.

    Attributes:
        form: None if it asks for none.
    """

    def __init__(self, question: str, today: date) -> None:
        """Look for cues; `today` is what expressions of time in a text are counted from."""
        self.form = next((form for form, cue in _CUES.items() if cue.search(question)), None)
        self._question = question.casefold()
        self._today = today

    def is_missing(self, text: str) -> bool:
        """Return whether the question asks for a form that nothing in this text has."""
        match self.form:
            case None:
                return False
            case Form.CALL:
                return not _CALL.search(text)
            case Form.NAME:
                return not self._has_name(text)
            case Form.TIME:
                has_time = _SHORT.search(text) or any(_pattern(*one).search(text) for one in _TIMES)
                return not (has_time or dates.find(text, self._today))
            case Form.NUMBER if _YEAR.search(text):
                return False
            case _:
                return not self._has_number(text)

    def _has_number(self, text: str) -> bool:
        """Return whether the text has a number that is no date and no time of day."""
        numbers = _pattern(*_NUMBER)
        if not (_DIGIT.search(text) or numbers.search(text)):  # spares most texts the look for expressions of time
            return False
        for one in reversed(dates.find(text, self._today)):
            text = f"{text[: one.start]} {text[one.end :]}"
        bare = _DATED.sub(" ", text)
        return bool(_DIGIT.search(bare) or numbers.search(bare))

    def _has_name(self, text: str) -> bool:
        """Return whether the text has a name that the question has not; true for scripts without capitals."""
        kin = (match[0].casefold() for match in _pattern(*_KIN).finditer(text))
        if not _CASED.search(text) or any(one not in self._question for one in kin):
            return True
        for place, word in enumerate(_CAPITAL.findall(_pattern(*_CALENDAR).sub(" ", text))):
            folded = word.casefold()
            if folded not in self._question and not (place == 0 and folded in _OPENING):
                return True
        return False
