"""What form of answer a question asks for (a time, a number, an amount, a telephone number, a name), and which texts
have nothing of that form: "what does she charge?" is not answered by "she is closed on Wednesdays".

The cues are those of English, German, Spanish, French, Russian, Greek, Arabic, Hindi, Thai, Chinese, Japanese and
Korean. A question without one of them asks for no form, and no text lacks it.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum

from memory.language.words import STOP_WORDS
from memory.recall import dates


class Form(Enum):
    """A form of answer that can be told without understanding it; the first that a question has a cue for counts."""

    TIME = "a time"
    CALL = "a number to call"
    AMOUNT = "an amount"
    NUMBER = "a number"
    NAME = "a name"


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
_NUMBER = _pattern(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w*teen|twenty|thirty|forty|fifty|sixty|seventy",
    r"eighty|ninety|ninetieth|hundred|thousand|million|dozen|half|twice|once|first|second|third|fourth",
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf|\w*zehn|\w*zig(?:ste\w*)?|hundert|tausend|halbe?n?|\w+mal",
    r"zweite[nrs]?|dritte[nrs]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cien|mil",
    r"media|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille",
    r"два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|двадцать|тридцать|сорок|пятьдесят|сто|тысяч\w*)\b",
    r"[一二三四五六七八九十百千万两零半]",
)
_CLOCK = _pattern(
    r"\b\d{1,2}[:.h]\s?\d\d\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b|o'clock|half past|\b(?:19|20)\d\d\b",
    r"\b(?:noon|midnight|morning|evening|afternoon|month|week|year|day|winter|summer|spring|autumn|easter|christmas)",
    r"mittags?\b|abends?\b|morgens\b|tags?\b|sommer|winter|frühling|herbst|ostern|weihnachten|\bwoche|\bmonat|\bjahr",
    r"вечера|утра|кажд(?:ый|ую)|недел|点|點|时|時|周|星期|月|号|每天|年|曜|日|[春夏秋冬]",
)
_CALENDAR = _pattern(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:mon|diens|donners|frei|sams|sonn)tags?\b|mittwochs?\b",
    r"\b(?:jan|febr)uary\b|\b(?:march|april|may|june|july|august|(?:sept|nov|dec)ember|october)\b",
    r"\b(?:januar|februar|märz|mai|juni|juli|oktober|dezember)\b|\b(?:lunes|martes|miércoles|jueves|viernes|sábado)\b",
    r"\bdomingo\b|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|(?:sept|nov|dic)iembre|octubre)\b",
    r"\b(?:lun|mar|mercre|jeu|vendre|same)di\b|\bdimanche\b|\b(?:janvier|février|mars|avril|mai|juin|juillet|août)\b",
    r"\b(?:septembre|octobre|novembre|décembre)\b|понедельник|вторник|\bсред[ау]|четверг|пятниц|суббот|воскресен",
    r"январ|феврал|\bмарт|апрел|\bма[яй]\b|\bиюн|\bиюл|август|сентябр|октябр|ноябр|декабр",
)
_SHORT = re.compile(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?!\d|\w)")
_TIMES = (_CLOCK, _CALENDAR, _NUMBER, _SHORT)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}:\d\d|[\d一二三四五六七八九十两半]+[月号日点點時时年]")
_CASED = re.compile(r"[A-Za-zÀ-ɏΑ-ωА-яЁё]")
_KIN = _pattern(
    r"\b(?:mother|father|mum|dad|sister|brother|son|daughter|aunt|uncle|cousin|wife|husband|friend|neighbou?rs?|boss)\b",
    r"\b(?:madre|padre|herman[ao]|hij[ao]|t[ií][ao]|prim[ao]|abuel[ao]|amig[ao]|vecin[ao]s?|jef[ae])\b",
    r"\b(?:mère|père|sœur|frère|fils|fille|tante|oncle|cousine?|femme|mari|amie?|voisine?s?)\b",
    r"\b(?:мать|мам[аеыу]|пап[аеыу]|отец|сестр\w+|брат\w*|сын\w*|доч\w+|т[её]т\w+|дяд\w+|бабушк\w+|друг\w*|сосед\w*)\b",
)
_CAPITAL = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][^\W\d_]+")
_OPENING = frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "es", "fr", "ru", "el")))


class Wanted:
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
        """Whether the question asks for a form that nothing in this text has."""
        match self.form:
            case None:
                return False
            case Form.CALL:
                return not _CALL.search(text)
            case Form.NAME:
                return not self._names(text)
            case Form.TIME:
                return not (any(one.search(text) for one in _TIMES) or dates.find(text, self._today))
            case Form.NUMBER if _YEAR.search(text):
                return False
            case _:
                return not self._counts(text)

    def _counts(self, text: str) -> bool:
        """Whether a number stands in the text that is no date and no time of day."""
        if not (_DIGIT.search(text) or _NUMBER.search(text)):  # spares most texts the look for expressions of time
            return False
        for one in reversed(dates.find(text, self._today)):
            text = f"{text[: one.start]} {text[one.end :]}"
        bare = _DATED.sub(" ", text)
        return bool(_DIGIT.search(bare) or _NUMBER.search(bare))

    def _names(self, text: str) -> bool:
        """Whether somebody or something is named that the question has not; true for scripts without capitals."""
        if not _CASED.search(text) or any(kin[0].casefold() not in self._question for kin in _KIN.finditer(text)):
            return True
        for place, word in enumerate(_CAPITAL.findall(_CALENDAR.sub(" ", text))):
            said = word.casefold()
            if said not in self._question and not (place == 0 and said in _OPENING):
                return True
        return False
