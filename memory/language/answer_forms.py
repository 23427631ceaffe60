"""Forms of answer that questions ask for, such as a time or a number, and whether a text has something of that form.

Both are read by patterns, as good as the languages that are in them: a form that is not recognised is asked for by no
question, and a script without capitals may always hold a name.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from functools import cache

from memory.language.time import dates
from memory.language.words import STOP_WORDS, Phrases


class Form(Enum):
    """Forms of answer that patterns recognise; the first that a question has a cue for counts."""

    TIME = "a time"
    CALL = "a number to call"
    AMOUNT = "an amount"
    NUMBER = "a number"
    NAME = "a name"


@cache  # patterns that only some questions need are compiled by the first of these
def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_CUES = {
    Form.TIME: Phrases(
        r"^\W*(?:\w+\W+){0,2}when\b",
        r"\b(?:(?:until|by|since|know|remember) when|when's|wann|quand)\b",
        r"what time|(?:which|what) (?:day|month|year|date|weekday)\b",
        r"wie spät|um wie ?viel uhr|welche[mnr]? (?:tag|monat|jahr|datum|wochentag)",
        r"cuándo|qué (?:día|hora|fecha|mes|año)|quel(?:le)? (?:jour|heure|date|mois|année)",
        r"когда|во сколько|как(?:ой|ого|ое) (?:день|дня|числ\w+|месяц\w*|год\w*)|πότε|متى|कब|เมื่อ|กี่โมง",
        r"什么时候|什麼時候|几点|哪天|哪年|哪月|何时|几号|几月|什么时间|いつ|何時|何日|何曜日|何年|何月",
        r"언제|몇 시|며칠",
    ),
    Form.CALL: Phrases(
        r"(?:phone|mobile|cell) number|telefonnummer|(?:handy|ruf)nummer|teléfono de|téléphone d",
        r"телефон|τηλέφων|هاتف|फ़ोन|फोन|โทรศัพท์|电话是|电话号码|手机号|電話番号|전화번호",
    ),
    Form.AMOUNT: Phrases(
        r"\b(?:costs?|price|salary|budget|(?:the|our|my|his|her|their|your) rent)\b",
        r"\bwhat (?:\w+ ){1,6}(?:charge|charges|earn|earns|pay|paid|worth)\b",
        r"how expensive|how much money|how much (?:\w+ ){1,6}(?:pay|paid|worth)\b",
        r"\b(?:kostet|wie teuer|verdien|(?:kosten|(?:die|unsere|meine|eure) miete|wert|verlangt|preis)\b)",
        r"gekostet|gehalt\b|wie viel geld|cuesta|costó\b|precio|sueldo|salaire",
        r"\b(?:co[ûu]t|(?:cobra|gan[oa]|prix|vaut)\b)",
        r"сто(?:ит|ил)|зарплат|цена|бер[её]т|κοστίζ|τιμή|كم (?:سعر|ثمن|يكلف)|कीमत|ราคา|เท่าไ",
        r"多少钱|价格|工资|预算|いくら|値段|料金|給料|予算|얼마|가격",
    ),
    Form.NUMBER: Phrases(
        r"how (?:many|old|tall|far|fast|large|big|long|high|heavy|wide|deep|warm|cold|often|much)\b",
        r"\b(?:what|which|'s|is)(?: \w+){0,4} (?:size|number|age|height|weight|port|digits|dose|score)\b",
        r"wie ?viele?|wie (?:alt|hoch|groß|gross|weit|lang|schnell|schwer|breit|tief|warm|kalt|oft)\b",
        r"(?:nummer|größe|kennzeichen)\b|cuánt|qué (?:talla|número|edad|altura)",
        r"combien|quel âge|quelle (?:taille|pointure|hauteur)|numéro",
        r"сколько|как(?:ой|ого) (?:\w+ )*(?:номер|размер|код)",
        r"πόσ|كم|कितन|กี่|多少|几[个岁度只条把次位人天斤]|多[大高长远重久]|号码|尺码",
        r"何歳|何人|何番|何個|いくつ|番号|サイズ|몇|나이|번호",
    ),
    Form.NAME: Phrases(
        r"\b(?:who(?:se|m)?|names?|called|we[rmn]|wessen|hei(?:ß|ss)(?:t|en)|quién(?:es)?|qui|nom)\b",
        r"\b(?:кто|кого|кому|кем)\b",
        r"se llaman?\b|nombre|s'appelle|зовут|ποιος|ποια|όνομα|λένε",
    ),
}
_PHONE_NUMBER = re.compile(r"\d(?:[ /\-]?\d){4,}")
_DIGIT = re.compile(r"\d")
_NUMBER_WORDS = (
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w*teen|twenty|thirty|forty|fifty|sixty|seventy",
    r"eighty|ninety|ninetieth|hundred|thousand|million|dozen|half|twice|once|first|second|third|fourth",
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf|\w*zehn|\w*zig(?:ste\w*)?|hundert|tausend|halbe?n?|\w+mal",
    r"zweite[nrs]?|dritte[nrs]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil",
    r"media|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille",
    r"два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сорок|пятьдесят|сто|тысяч\w*)\b",
    r"[一二三四五六七八九十百千万两零半]",
)
_TIME_OF_DAY = (
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
_SHORT_NUMBER = re.compile(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?!\d|\w)")
_TIMES = (_TIME_OF_DAY, _CALENDAR, _NUMBER_WORDS)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATE_OR_CLOCK = re.compile(_YEAR.pattern + r"|\d{1,2}:\d\d|[\d一二三四五六七八九十两半]+[月号日点點時时年]")
_LETTER_WITH_CASE = re.compile(r"[A-Za-zÀ-ɏΑ-ωА-яЁё]")
_KIN = (
    r"\b(?:mother|father|mum|dad|sister|brother|son|daughter|aunt|uncle|cousin|wife|husband|friend|neighbou?rs?|boss)\b",
    r"\b(?:madre|padre|herman[ao]|hij[ao]|t[ií][ao]|prim[ao]|abuel[ao]|amig[ao]|vecin[ao]s?|jef[ae])\b",
    r"\b(?:mère|père|sœur|frère|fils|fille|tante|oncle|cousine?|femme|mari|amie?|voisine?s?)\b",
    r"\b(?:мать|мам[аеыу]|пап[аеыу]|отец|сестр\w+|брат\w*|сын\w*|доч\w+|т[её]т\w+|дяд\w+|бабушк\w+|друг\w*|сосед\w*)\b",
)
_CAPITALISED = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][^\W\d_]+")
_OPENING_WORDS = frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "es", "fr", "ru", "el")))


class AnswerForm:
    """The form of answer that one question asks for.

    Attributes:
        form: None if it asks for none.
    """

    def __init__(self, question: str, today: date) -> None:
        """Look for cues; `today` is what expressions of time in a text are counted from."""
        self.form = next((form for form, cues in _CUES.items() if cues.are_in(question)), None)
        self._question = question.casefold()
        self._today = today

    def is_missing(self, text: str) -> bool:
        """Return whether the question asks for a form that nothing in this text has."""
        match self.form:
            case None:
                return False
            case Form.CALL:
                return not _PHONE_NUMBER.search(text)
            case Form.NAME:
                return not self._has_name(text)
            case Form.TIME:
                has_time = _SHORT_NUMBER.search(text) or any(_pattern(*parts).search(text) for parts in _TIMES)
                return not (has_time or dates.find(text, self._today))
            case Form.NUMBER if _YEAR.search(text):
                return False
            case _:
                return not self._has_number(text)

    def _has_number(self, text: str) -> bool:
        """Return whether the text has a number that is no date and no time of day."""
        numbers = _pattern(*_NUMBER_WORDS)
        if not (_DIGIT.search(text) or numbers.search(text)):  # spares most texts the look for expressions of time
            return False
        for time in reversed(dates.find(text, self._today)):
            text = f"{text[: time.start]} {text[time.end :]}"
        bare = _DATE_OR_CLOCK.sub(" ", text)
        return bool(_DIGIT.search(bare) or numbers.search(bare))

    def _has_name(self, text: str) -> bool:
        """Return whether the text has a name that the question has not; true for scripts without capitals."""
        relations = (match[0].casefold() for match in _pattern(*_KIN).finditer(text))
        if not _LETTER_WITH_CASE.search(text) or any(word not in self._question for word in relations):
            return True
        for place, word in enumerate(_CAPITALISED.findall(_pattern(*_CALENDAR).sub(" ", text))):
            folded = word.casefold()
            if folded not in self._question and not (place == 0 and folded in _OPENING_WORDS):
                return True
        return False
