"""Secrets in what people tell: keys by their shape, cards and IBANs by checksum, passwords by the words around them.

Every search here takes time linear in the text: what may repeat is bounded, possessive, or begins only where the
character before it does not belong to it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from itertools import filterfalse

from memory.language.patterns import Pattern
from memory.language.words import read_lists
from memory.privacy import passwords

MARK = "••••"
"""What a secret is replaced by; never found as one."""
_WORTH_REPEATING = 6
"""Characters that a password has at least when it is looked for in the rest of the text as well."""
_UNMISTAKABLE = 16
"""Characters of a secret that is found within other words, too."""
_GROUPED = 12
"""Digits of a number that people write in groups, one way or another."""
_LETTER = r"[^\W_\u0e00-\u0e7f\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]"
_AROUND_OTHERS = (re.compile(rf"(?<!{_LETTER})"), re.compile(rf"(?!{_LETTER})"))
_AROUND_COMMON = (re.compile(rf"(?<!{_LETTER})(?<!\w[/_-])"), re.compile(rf"(?!{_LETTER})(?![/_-]\w)"))
"""What is true before a string that is no part of a longer one, and behind it."""
_GAPS = " \u00a0\u202f-"
_GAP = f"[{_GAPS}]"


class SecretKind(StrEnum):
    """What a secret opens."""

    API_KEY = auto()
    AWS = auto()
    CARD = auto()
    DISCORD = auto()
    GITHUB = auto()
    GOOGLE = auto()
    IBAN = auto()
    JWT = auto()
    PASSWORD = auto()
    PRIVATE_KEY = auto()
    SEED_PHRASE = auto()
    SLACK = auto()
    STRIPE = auto()
    TELEGRAM = auto()
    URL = auto()

    @property
    def group(self) -> str:
        """What it is to a person: `password`, `key`, `card`, `account` or `seed`."""
        return _GROUPS.get(self, "key")


_GROUPS = {
    SecretKind.PASSWORD: "password",
    SecretKind.URL: "password",
    SecretKind.CARD: "card",
    SecretKind.IBAN: "account",
    SecretKind.SEED_PHRASE: "seed",
}


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: `text[start:end]` is the secret itself, without the words around it."""

    kind: SecretKind
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order, none overlapping another.

    Two that overlap are reported as one, with the kind whose shape is the surer one. A password that the text names as
    one is also found where it is repeated.
    """
    named = []
    for phrase in passwords.find_passwords(text):
        kind = SecretKind.API_KEY if phrase.noun is passwords.Noun.KEY else SecretKind.PASSWORD
        named.append(Secret(kind, phrase.start, phrase.end))
    repeated = _repetitions(text, [secret for secret in named if secret.kind is SecretKind.PASSWORD])
    sure = [secret for search in _SEARCHES for secret in search(text)]
    return _united([*sure, *named, *repeated])


def mask(text: str, secrets: Iterable[Secret]) -> str:
    """Return a text with a mark in the place of each secret; `secrets` are what `find_secrets` says of this text."""
    kept, end = [], 0
    for secret in secrets:
        kept += [text[end : secret.start], MARK]
        end = secret.end
    return "".join([*kept, text[end:]])


def values_in(text: str) -> tuple[str, ...]:
    """Return the secrets in a text themselves, each once."""
    return tuple(dict.fromkeys(text[secret.start : secret.end] for secret in find_secrets(text)))


def holds_secrets(text: str) -> bool:
    """Return whether a text tells a secret, or has a mark in the place of one: nobody notes that unasked."""
    return MARK in text or bool(find_secrets(text))


def mask_values(text: str, values: Iterable[str], *, told: bool = False) -> str:
    """Return a text with a mark in the place of each of these strings, wherever it stands as a whole.

    `told`: a year, or a word, only where the text tells it as a secret.
    """
    given = {value for value in values if value}
    if told:
        common = {value for value in given if _is_common(value) and value in text}
        secrets = find_secrets(text) if common else ()
        text = mask(text, (secret for secret in secrets if text[secret.start : secret.end] in common))
        given = set(filterfalse(_is_common, given))
    return mask(text, _united([Secret(SecretKind.PASSWORD, *place) for place in _places(text, given)]))


def _is_common(value: str) -> bool:
    """Return whether something that is no secret may well look the same."""
    return len(value) < _WORTH_REPEATING or value.isalpha()


def _places(text: str, values: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where these strings stand, not within a longer word; nor, if it is a common one, in a date or a path.

    Long numbers are also found where they are grouped otherwise. The work grows by a plain search for each string.
    """
    digits = {value: sum(map(str.isdigit, value)) for value in values}
    numbers = {value for value in values if digits[value] >= _GROUPED and _dense(value)[0].isalnum()}
    dense, kept = _dense(text) if numbers else (text, range(len(text)))
    for value in values:
        within, sought = (dense, _dense(value)[0]) if value in numbers else (text, value)
        before, after = _AROUND_COMMON if _is_common(value) else _AROUND_OTHERS
        at = within.find(sought)
        while at >= 0:
            last = at + len(sought) - 1
            start, end = (kept[at], kept[last] + 1) if value in numbers else (at, last + 1)
            if len(value) >= _UNMISTAKABLE or (before.match(text, start) and after.match(text, end)):
                yield start, end
            at = within.find(sought, at + 1)


def _dense(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without the gaps of grouped numbers, and where each of its characters stood."""
    kept = [at for at, each in enumerate(text) if each not in _GAPS]
    return "".join(map(text.__getitem__, kept)), kept


def _united(secrets: Sequence[Secret]) -> tuple[Secret, ...]:
    """Return the same characters as spans apart from each other; the first in `secrets` gives an overlap its kind."""
    united: list[tuple[int, Secret]] = []
    for rank, secret in sorted(enumerate(secrets), key=lambda pair: (pair[1].start, pair[0])):
        before, last = united[-1] if united else (rank, None)
        if last is None or secret.start >= last.end:
            united.append((rank, secret))
        else:
            kind = secret.kind if rank < before else last.kind
            united[-1] = (min(rank, before), Secret(kind, last.start, max(last.end, secret.end)))
    return tuple(secret for _, secret in united)


def _repetitions(text: str, told: Sequence[Secret]) -> Iterator[Secret]:
    """Yield the words that are a password which was told elsewhere in the text."""
    values = {text[secret.start : secret.end].strip(_AROUND) for secret in told}
    values = {value for value in values if not _is_common(value)}
    if not values:
        return
    for word_match in _WORD.finditer(text):
        word = word_match[0].strip(_AROUND)
        if word in values:
            start = word_match.start() + word_match[0].index(word)
            yield Secret(SecretKind.PASSWORD, start, start + len(word))


_AROUND = passwords.CLOSING + "([{!"
_WORD = re.compile(passwords.RUN + "++")

# --- keys by their shape ---

_BODY = "[A-Za-z0-9_-]"
_SHAPES = tuple(
    (kind, re.compile(shape))
    for kind, shape in (
        (SecretKind.GITHUB, r"(?<![A-Za-z0-9])(?:gh[opsur]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{40,}+)"),
        (SecretKind.SLACK, rf"(?<![A-Za-z0-9])(?:xox[abeoprs]-|xapp-){_BODY}{{16,}}+"),
        (SecretKind.SLACK, r"(?<=hooks\.slack\.com/services/)[A-Z0-9]{6,20}/[A-Z0-9]{6,20}/[A-Za-z0-9]{16,}+"),
        (SecretKind.GOOGLE, rf"(?<![A-Za-z0-9])(?:AIza{_BODY}{{35}}|GOCSPX-{_BODY}{{28}})(?!{_BODY})"),
        (SecretKind.GOOGLE, rf"(?<![A-Za-z0-9])ya29\.{_BODY}{{30,}}+"),
        (SecretKind.STRIPE, r"(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}+"),
        (SecretKind.TELEGRAM, rf"(?<!\d)[0-9]{{8,10}}:{_BODY}{{35}}(?!{_BODY})"),
        (SecretKind.DISCORD, r"(?<=/api/webhooks/)[0-9]{17,20}/[\w-]{60,80}(?![\w-])"),
        (SecretKind.JWT, rf"(?<![A-Za-z0-9_-])eyJ{_BODY}{{8,}}+\.eyJ{_BODY}{{8,}}+\.{_BODY}{{16,}}+"),
        (SecretKind.AWS, r"(?<![A-Za-z0-9])A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])"),
        (SecretKind.API_KEY, r"(?<![A-Za-z0-9])(?:hf_|gsk_|npm_|xai-)[A-Za-z0-9]{30,}+"),
        (
            SecretKind.API_KEY,
            rf"(?<![A-Za-z0-9])(?:glpat-{_BODY}{{20,}}+|pypi-{_BODY}{{50,}}+|SG\.{_BODY}{{22}}\.{_BODY}{{43}})",
        ),
    )
)
"""Kinds, and the patterns that are enough to know them."""


def _known_shapes(text: str) -> Iterator[Secret]:
    for kind, pattern in _SHAPES:
        for match in pattern.finditer(text):
            yield Secret(kind, match.start(), match.end())


_SK = re.compile(rf"(?<![A-Za-z0-9_-])sk-{_BODY}{{20,}}+")
_PIECE = re.compile(r"[A-Za-z0-9]{16,}+")


_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
_ABOUT_AWS = Pattern(r"aws|amazon|secret|A[KS]IA[A-Z2-7]{16}", re.IGNORECASE)


def _ambiguous_keys(text: str) -> Iterator[Secret]:
    """Yield keys whose shape is not enough to know them.

    Keys of OpenAI, Anthropic and others: an address in Slovak may begin like one, and is words. And forty characters
    that could be anything, where the words before them are about AWS.
    """
    for match in _SK.finditer(text):
        if any(passwords.is_mixed(piece[0]) for piece in _PIECE.finditer(match[0])):
            yield Secret(SecretKind.API_KEY, match.start(), match.end())
    for match in _AWS_SECRET.finditer(text):
        before = text[max(0, match.start() - 120) : match.start()]
        if passwords.is_mixed(match[0]) and not match[0].islower() and _ABOUT_AWS.search(before):
            yield Secret(SecretKind.AWS, match.start(), match.end())


_DISCORD = re.compile(rf"(?<![A-Za-z0-9_.-])([MNO]{_BODY}{{23,27}})\.{_BODY}{{6}}\.{_BODY}{{27,38}}(?!{_BODY})")


def _discord_tokens(text: str) -> Iterator[Secret]:
    """Yield tokens of three parts, the first of which is the bot's number in base64."""
    for match in _DISCORD.finditer(text):
        try:
            number = base64.urlsafe_b64decode(match[1] + "=" * (-len(match[1]) % 4))
        except binascii.Error:
            continue
        if number.isdigit():
            yield Secret(SecretKind.DISCORD, match.start(), match.end())


_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_KEY_END = Pattern(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ROW = Pattern(r"[A-Za-z0-9+/=]{16}")


def _private_keys(text: str) -> Iterator[Secret]:
    """Yield PEM blocks with their first and last lines; one that was cut off is secret to the end of the text."""
    for match in _PRIVATE_KEY.finditer(text):
        stop = text.find("-----", match.end())
        stop = len(text) if stop < 0 else stop
        if _KEY_ROW.search(text, match.end(), stop):
            end = _PRIVATE_KEY_END.match(text, stop)
            yield Secret(SecretKind.PRIVATE_KEY, match.start(), end.end() if end else stop)


_URL = Pattern(
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}://[^\s/:@?#]{0,128}:(?P<password>[^\s/?#]{1,256})@(?=[\w\[])",
    re.IGNORECASE,
)
_PLACEHOLDER = Pattern(r"pass(?:word|wd)?|passwort|pwd?|secret|token|x{3,}|\W*", re.IGNORECASE)


def _url_passwords(text: str) -> Iterator[Secret]:
    """Yield what stands between the user's name and the host of an address."""
    for match in _URL.finditer(text):
        password = match["password"]
        if not _PLACEHOLDER.fullmatch(password) and password[0] not in "<[{$":
            yield Secret(SecretKind.URL, *match.span("password"))


# --- numbers by checksum ---

_CARD = Pattern(
    rf"(?<![A-Za-z\d_.+])(?:\d{{14,19}}(?![A-Za-z\d_])|(?<!\d{{4}}{_GAP})"
    rf"(?:\d{{4}}(?:{_GAP}\d{{4}}){{3}}|\d{{4}}{_GAP}\d{{6}}{_GAP}\d{{4,5}})(?![A-Za-z\d_]|{_GAP}\d{{4}}(?!\d)))"
)
_ISSUERS = (
    (r"4", {16, 19}),  # Visa; its old numbers of 13 digits look like the EAN on every German product
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", {16}),  # Mastercard
    (r"3[47]", {15}),  # American Express
    (r"6011|64[4-9]|65", {16, 19}),  # Discover
    (r"30[0-5]|309|36|38|39", {14, 16}),  # Diners Club
    (r"35(?:2[89]|[3-8])", {16}),  # JCB
    (r"62|81", {16, 17, 18, 19}),  # UnionPay
    (r"50(?:18|20|38)|5893|6304|6759|676[123]", {16, 17, 18, 19}),  # Maestro
    (r"220[0-4]|508|60|82|9792", {16}),  # Mir, RuPay, Troy
)
"""How the numbers of an issuer begin, and how many digits they have."""


def _cards(text: str) -> Iterator[Secret]:
    for match in _CARD.finditer(text):
        digits = "".join(str(int(each)) for each in match[0] if each.isdigit())
        is_issued = any(re.match(prefix, digits) and len(digits) in lengths for prefix, lengths in _ISSUERS)
        # The last digit is the check digit of the others (ISO/IEC 7812-1, annex B).
        values = [int(each) for each in reversed(digits)]
        doubled = (sum(divmod(2 * value, 10)) for value in values[1::2])
        if is_issued and (sum(values[::2]) + sum(doubled)) % 10 == 0:
            yield Secret(SecretKind.CARD, match.start(), match.end())


_IBAN = Pattern(rf"(?<![A-Za-z0-9])(?=([A-Za-z]{{2}}\d{{2}}(?:{_GAP}?[A-Za-z0-9]){{11,30}}))", re.ASCII)
"""Where one may begin, with what may belong to it: another one may follow at once."""
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in read_lists("memory.privacy", "lists.toml")["iban"].items()
    for country in countries.split()
}
"""Characters of an IBAN by country, as the registry of ISO 13616 has them."""


def _ibans(text: str) -> Iterator[Secret]:
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match[1][:2].upper(), 0)
        places = [match.start() + n for n, each in enumerate(match[1]) if each.isalnum()][:length]
        if not length or len(places) < length or text[places[-1] + 1 : places[-1] + 2].isalnum():
            continue
        account = "".join(text[place] for place in places)
        if int("".join(str(int(each, 36)) for each in account[4:] + account[:4])) % 97 == 1:
            yield Secret(SecretKind.IBAN, match.start(), places[-1] + 1)


# --- seed phrases ---

_ABOUT_WALLET = Pattern(
    r"mnemonic|(?:seed|recovery|backup|wallet)[ -]?(?:phrase|words|seed)|wiederherstellungsphrase"
    r"|(?:words|wörter|palabras|mots|parole|слов)\b[^.\n]{0,30}(?:wallet|ledger|trezor|metamask|bitcoin)"
    r"|frase (?:semilla|de recuperaci[oó]n)|phrase (?:de récupération|secrète)|frase (?:seed|di recupero)"
    r"|сид-?фраз|мнемоник|助记词|助記詞|シードフレーズ|リカバリーフレーズ|시드 ?구문|복구 ?구문|عبارة الاسترداد",
    re.IGNORECASE,
)
_SEED_WORD = Pattern(r"[^\W\d_]++")
_BETWEEN_WORDS = Pattern(r"[\s,;.:)\d-]{1,6}")
_NO_SEED_WORDS = frozenset(
    """and are been but did does for from gives had has her his how its not our she shown shows should than the their
    there these those was were which who why with words would write your phrase seed wallet backup recovery""".split()
)
"""Common in sentences of English and in no list of seed words, which has 2,048 others."""
_SEED_COUNTS = (24, 21, 18, 15, 12)
_REACHES = 600
"""Characters after the words about a wallet in which a phrase is looked for: 24 words of 8 letters, numbered."""


def _seed_phrases(text: str) -> Iterator[Secret]:
    """Yield twelve to twenty-four short words in a row, where the words before them are about a wallet."""
    about = list(_ABOUT_WALLET.finditer(text))
    ends = [*(found.start() for found in about[1:]), len(text)] if about else []
    for found, end in zip(about, ends, strict=True):
        row: list[re.Match[str]] = []
        for word in _SEED_WORD.finditer(text, found.end(), min(end, found.end() + _REACHES)):
            is_next = not row or _BETWEEN_WORDS.fullmatch(text, row[-1].end(), word.start())
            is_short = 3 <= len(word[0]) <= 8 and word[0].isascii() and word[0][1:].islower()
            is_seed_word = is_short and word[0].lower() not in _NO_SEED_WORDS
            if not (is_next and is_seed_word) and len(row) >= _SEED_COUNTS[-1]:
                break
            row = [*(row if is_next else []), word] if is_seed_word else []
            if len(row) == _SEED_COUNTS[0]:
                break
        if count := next((count for count in _SEED_COUNTS if len(row) >= count), 0):
            yield Secret(SecretKind.SEED_PHRASE, row[0].start(), row[count - 1].end())


_SEARCHES: tuple[Callable[[str], Iterator[Secret]], ...] = (
    _private_keys,
    _known_shapes,
    _discord_tokens,
    _ambiguous_keys,
    _url_passwords,
    _ibans,
    _cards,
    _seed_phrases,
)
"""Searches by shape and checksum, in the order in which their kinds win."""
