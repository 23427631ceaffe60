"""Whether two facts are the same or cannot both hold, and the fact that a correction leads to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import dropwhile, islice

from memory.capture.exchange import (
    CLAUSE_LINK,
    SOFT,
    apply_contrast,
    are_forms,
    exchange_values,
    may_stand_for,
    read_contrast,
    read_named_contrast,
)
from memory.capture.grammar import (
    CLOSING,
    COUNT,
    FUNCTION_WORDS,
    MAX_VALUE_CHARS,
    SIGN,
    SIGNS,
    WAS,
    WHEN,
    WORD,
    Shape,
    Value,
    are_like,
    content,
    grammar_patterns,
    link_of,
    read_lead,
    values,
)
from memory.capture.intent import Act, act_of
from memory.capture.lexicon import read_toml
from memory.capture.sentences import fold, sentences
from memory.language.detect import language
from memory.language.normalize import normalize, stem
from memory.language.patterns import Pattern

MAX_FACT_CHARS = 400
"""Characters of a fact that is compared; what is longer tells more than one thing."""
MAX_CORRECTION_CHARS = 400
"""Characters of a correction; what is longer is a statement of its own."""

_PATTERNS = {name: Pattern(str(text)) for name, text in read_toml("statements").items()}
RENEWED = _PATTERNS["renewed"]
"""What has taken the place of another, which is said without "new": "my new number"; replaced by its groups."""
_STATEMENTS = 4
"""Sentences of a fact that are compared."""
_SPELLED_ALIKE = 0.75
"""The share of their letters that two spellings of a name have in common at least (`difflib`)."""
_MIN_STEM, _MAX_ENDING = 4, 2
"""Letters that the forms of a word share at least, and at its end those that they may have otherwise: "pancakes"."""
_MAX_NAME_WORDS = 4
"""Words of a name with what goes before it."""
_BETWEEN_SIGNS = Pattern(rf"(?<=[{SIGN}]) | (?=[{SIGN}])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": "'", "´": "'"})
_PUNCTUATION = Pattern(
    r"(?<!\d)[.,;:!?…。、！？；：\"()\[\]–—]|[.,;:!?…。、！？；：\"()\[\]–—](?!\d)|(?<!\w)['-](?!\w)|(?<!\w)'|'(?!\w)"
)
_AGE = Pattern("[岁歲歳]")
_CONTACT = frozenset({Shape.PHONE, Shape.EMAIL, Shape.URL})
_ADDRESS = Pattern(r"[A-ZÀ-ÞА-Я][\w-]{2,}\.? \d{1,4}[a-z]?$|\d[a-z]? [A-ZÀ-ÞА-Я]\w{2,}|[路街道巷]\d+号")
_LISTED = Pattern(r"(?:[,;] |[，；])[^,;，；]+")
_ARTICLE = frozenset("the der die das den dem el la los le les il lo gli o a os as".split())
_WORD_BETWEEN = Pattern(r"\w+")
_PREDICATE_END = Pattern(
    r"(?<![A-Z]r)(?<!Mrs)(?<!St)[.!?](?=\s|$)|[。！？\n;；，]| [(–—]|,(?=\s)| (?=(?:and|und|y|et|и|e) )"
)


def contradicts(old: str, new: str) -> bool:
    """Check whether two facts cannot both hold: the same statement but for one value, for a negation, or the other way
    round ("I prefer tea to coffee").

    Statements about events do not contradict each other: two appointments may be on two days.
    """
    if max(len(old), len(new)) > MAX_FACT_CHARS or same(old, new):
        return False
    (old_negated, old_words), (new_negated, new_words) = without_negation(old), without_negation(new)
    negated = old_negated != new_negated and old_words == new_words and len("".join(old_words)) >= 3
    is_turned = old_negated == new_negated and _is_reversed(old, new)
    if negated or is_turned or _gives_another_value(old, new):
        return True
    return any(
        not same(one, other) and (_gives_another_value(one, other) or _names_another(one, other))
        for one in _statements(old)
        for other in _statements(new)
    )


def _is_reversed(old: str, new: str) -> bool:
    """Check whether two statements compare the same things, but the second of one is the first of the other."""
    compared = [(text, mark) for text in (old, new) if (mark := _PATTERNS["compared_to"].search(text))]
    if len(compared) < 2:
        return False
    code = language(f"{old} {new}", "en")
    words = [content(grammar_patterns().filler.sub(" ", text), code) for text, _ in compared]
    seconds = [content(text[mark.end() :], code)[:1] for text, mark in compared]
    keys = [[key for key, _, _ in found] for found in (*words, *seconds)]
    return sorted(keys[0]) == sorted(keys[1]) and all(keys[2:]) and keys[2] != keys[3]


def same(old: str, new: str) -> bool:
    """Check whether two texts are the same fact: case, width, punctuation and white space aside."""
    return _plain(old) == _plain(new)


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    simple = normalize("NFKC", text.translate(_QUOTES)).casefold()
    bare = " ".join(_PUNCTUATION.sub(" ", simple).split())
    return _BETWEEN_SIGNS.sub("", bare) or " ".join(simple.split())


def _statements(text: str) -> list[str]:
    """Return the sentences of a fact that name their subject, without since when they hold, and that it is new."""
    beginning = islice(sentences(fold(text)), _STATEMENTS)
    statements = (text[sentence.start : sentence.end].strip() for sentence in beginning)
    grammar = grammar_patterns()
    return [
        RENEWED.sub(r"\1\2", _PATTERNS["since"].sub("", statement))
        for statement in statements
        if not grammar.pronoun.match(statement) and not grammar.person.match(statement)
    ]


def _names_another(old: str, new: str) -> bool:
    """Check whether two Chinese statements, which show no names, give one subject two homes or two names."""
    before, after = _PATTERNS["placed"].fullmatch(old), _PATTERNS["placed"].fullmatch(new)
    if not before or not after or before.group("subject", "link") != after.group("subject", "link"):
        return False
    return before["what"] not in after["what"] and after["what"] not in before["what"]


@lru_cache(maxsize=4096)
def without_negation(text: str) -> tuple[bool, tuple[str, ...]]:
    """Check whether a statement is negated, and its words without the negation and what comes with one."""
    grammar = grammar_patterns()
    simple = _plain(text)
    positive = grammar.negation.sub(lambda negation: "" if SIGNS.match(negation[0]) else " ", simple)
    bare = grammar.with_negation.sub(" ", positive.removesuffix("了"))
    return grammar.negation.search(simple) is not None, tuple(stem(word, "en") for word in WORD.findall(bare))


def fulfils(task: str, said: str) -> bool:
    """Check whether a statement tells all of a task as done, and no more: "I called the bank", of "call the bank".

    More, as in "I called the bank but nobody answered", or that somebody else did it, may leave it to be done.
    """
    told = read_toml("tasks")
    if SIGNS.match(task):  # what is done, and to what, in any order: "物业费交了", of "交物业费"
        bare, done = (re.sub(str(told[name]), "", text) for name, text in (("duty_signs", task), ("done_signs", said)))
        turned = bare * (1 if re.match(str(told["of_people"]), bare) else 2)
        return len(bare) == len(done) > 1 and done in turned and "了" in said
    pasts, duties = (frozenset(str(told[name]).split()) for name in ("past_forms", "duties"))
    words = {word for word in map(str.casefold, WORD.findall(task)) if word not in FUNCTION_WORDS | duties}
    named, marked = set[str](), list[str]()
    for word in map(str.casefold, WORD.findall(said)):
        bare = re.sub(r"^(\w{0,4}?)ge(?=\w{4})", r"\1", word)  # "angerufen", of "anrufen"
        alike = [one for one in words if one == word or (beginning(one) and bare.startswith(beginning(one)))]
        others = [one for one in words if f"{one}/{word}" in pasts]
        is_told = word not in words and word.removesuffix("é") not in words  # nor "llamaré", of "llamar"
        is_done = others or (is_told and re.fullmatch(str(told["participles"]), word))
        named.update(alike or others)
        marked.append(("=" if is_done else "#") + word if alike or others else word)
    said_in_all = " ".join(marked)
    if named and len(words) <= len(named) + 1 and re.fullmatch(str(told["finished"]), said_in_all):
        return True  # whatever the verb is
    return len(words) > 1 and named == words and re.fullmatch(str(told["done"]), said_in_all) is not None


def beginning(word: str) -> str:
    """Return what the forms of a word have in common; nothing of a short word, and of one with a digit."""
    if SIGNS.match(word):
        return word
    if len(word) < _MIN_STEM or not word.isalpha():
        return ""
    return word[: max(_MIN_STEM, len(word) - _MAX_ENDING)]


def _gives_another_value(old: str, new: str) -> bool:
    """Check whether two statements are the same but for one value that a copula or a verb of state gives."""
    old_values, new_values = values(old), values(new)
    if len(old_values) != len(new_values) or _around(old, old_values) != _around(new, new_values):
        return False
    apart = [pair for pair in zip(old_values, new_values, strict=True) if _plain(pair[0].text) != _plain(pair[1].text)]
    if len(apart) != 1:
        return False
    before, after = apart[0]
    return are_like(before, after) and _holds_always(old, before) and _holds_always(new, after)


def _around(text: str, given: Sequence[Value]) -> list[str]:
    """Return what stands around the values of a text, simplified."""
    ends = [0, *(value.end for value in given)]
    starts = [*(value.start for value in given), len(text)]
    parts = (grammar_patterns().filler.sub(" ", text[end:start]) for end, start in zip(ends, starts, strict=True))
    return [_plain(part).strip(" .!?") for part in parts]


def _holds_always(text: str, value: Value) -> bool:
    """Check whether a statement gives the value to a certain subject, and not to one event of several."""
    if value.shape is Shape.MEASURE and _AGE.search(value.text):
        return True
    link = link_of(text)
    if link is None or link.end() > value.start or _PATTERNS["indefinite"].match(text) or WAS.fullmatch(link[0]):
        return False  # also of a day of several: "we were in Rome"
    if value.shape not in WHEN and value.shape is not Shape.TIME:
        return True
    between = text[link.end() : value.start]
    for other in values(between):
        between = between.replace(other.text, " ")
    is_all = _ARTICLE.issuperset(_WORD_BETWEEN.findall(grammar_patterns().preposition.sub(" ", between.casefold())))
    is_given = value.shape is Shape.TIME or grammar_patterns().copula.fullmatch(link[0]) is not None
    return is_all and is_given and not grammar_patterns().first.match(text)


def correct(old: str, said: str) -> str | None:
    """Return the text that replaces the fact `old` when `said` corrects it; None if it does not.

    The subject of `old` stays, and every word is from one of the two; the first keeps its capital letter. `said` is a
    correction without its opening ("it is 030 7654321", "Platz 43", "8 not 7"), as in `Wish.what`.
    """
    said = _PATTERNS["spelled"].sub("", said.strip(CLOSING))
    if not said or len(said) > MAX_CORRECTION_CHARS or len(old) > MAX_VALUE_CHARS:
        return None
    if (nth := _PATTERNS["not_nth"].fullmatch(said)) and said[nth.end("number") - 1 :] not in old:
        said = said[: nth.end("number")]
    if changed := read_renewal(said):
        noun, said = changed
        if not _names(old, noun):
            return None
    grammar = grammar_patterns()
    said = grammar.filler.sub(lambda filler: filler[0] if filler[0].isalpha() else "", said)  # "en realidad"
    is_mine, was_mine = grammar.first.match(said), grammar.first.match(old)
    # "I am 42" says nothing about Peter, and "she is 42" nothing about me.
    agrees = was_mine if is_mine else not (grammar.person.match(said) and was_mine and not SIGNS.match(old))
    if not agrees:
        new = exchange_values(old, said) if _shares_thing(old, said) else None
    elif pair := read_contrast(said) or read_named_contrast(old, said):
        new = apply_contrast(old, said, pair)
    else:
        new = respell(old, said) or exchange_values(old, said)
        new = new or _replace_beside(old, said) or _replace_predicate(old, said)
        link, end = link_of(old), read_lead(said)[0]
        place = grammar.preposition.match(old[link.end() :].lstrip()) if link and changed else None
        if changed and not new:  # a new address goes with the preposition of the old one
            new = _replace_predicate(old, f"{said[:end]}{place[0]} {said[end:]}" if place else said)
        new = new if new or changed else _restate(old, said)
        new = _without_contact(old, new, said) if new and new != respell(old, said) else new
    return None if new is None or same(old, new) else new


def _without_contact(old: str, new: str, said: str) -> str:
    """Return a new text without the telephone number or address of somebody else, who was the person before."""
    link = link_of(old)
    if link is None or not grammar_patterns().copula.fullmatch(link[0]) or not new.startswith(old[: link.end()]):
        return new
    was, now = (_LISTED.sub("", text[link.end() :]) for text in (old, new))
    is_other = was not in now and not any(value.shape not in SOFT for value in values(f"– {was}{now}"))

    def kept(clause: re.Match[str]) -> str:
        shapes = {value.shape for value in values(clause[0])}
        is_contact = not shapes.isdisjoint(_CONTACT) or _ADDRESS.search(clause[0])
        return "" if is_contact and clause[0] in old and clause[0].strip(" ,;") not in said else clause[0]

    return _LISTED.sub(kept, new) if is_other else new


def respell(old: str, said: str) -> str | None:
    """Return the fact with the one name in it that is spelled like the name that is said: "Oliver" for "Olivr"."""
    start = read_lead(said)[0]
    place = grammar_patterns().preposition.match(said, start)
    name = said[place.end() if place else start :].strip(CLOSING)
    if not WORD.fullmatch(name) or [value.shape for value in values(name)] != [Shape.NAME]:
        return None
    words = [word for word in WORD.finditer(old) if word[0][0].isupper()]
    near = get_close_matches(name, [word[0] for word in words], n=2, cutoff=_SPELLED_ALIKE)
    if len(near) != 1 or name in near:
        return None
    start, end = next(word.span() for word in words if word[0] == near[0])
    return old[:start] + name + old[end:]


def read_renewal(said: str) -> tuple[str, str] | None:
    """Return what has changed and what holds now, of "the code changed, it's 9988"; None if nothing is said to."""
    for pattern in grammar_patterns().renewed:
        renewal = pattern.fullmatch(said.strip(CLOSING))
        if renewal and (values(renewal["what"]) or read_lead(renewal["what"])[1]):
            return renewal["noun"], renewal["what"].strip(CLOSING)
    return None


def stands_alone(said: str) -> bool:
    """Check whether a correction tells by itself what it is about: "I live in Bonn", not "it's 8" or "4 cups of it"."""
    if read_renewal(said):
        return True
    end, linked = read_lead(said)
    if linked or act_of(said) is not Act.NOTE:
        return False
    words = content(said, language(said, "en"))
    given = values(said)
    own = [start for _, start, _ in words if not any(value.start <= start < value.end for value in given)]
    if link := link_of(said[end:]):  # "父は医者です" has but one word of two signs
        return len(words) > 1 or (bool(words) and SIGNS.match(link[0]) is not None)
    if grammar_patterns().first.match(said):
        return bool(own)
    first = {0, *(start for _, start, _ in words[:1])}
    attributes = [one for one in given if one.start == 0 or (one.shape is Shape.COLOUR and one.start in first)]
    return not end and len(words) > 2 and len(own) > 1 and not attributes  # "the red house on the hill" tells nothing


def _names(old: str, noun: str) -> bool:
    """Check whether a fact is about such a thing; an address is where somebody lives."""
    code = language(old, "en")
    wanted, known = content(noun, code), content(old, code)
    if all(any(are_forms(key, other) or other.endswith(key) for other, _, _ in known) for key, _, _ in wanted):
        return True
    link = link_of(old)
    is_home = link is not None and not grammar_patterns().copula.fullmatch(link[0])
    return is_home and _PATTERNS["address"].fullmatch(noun.strip()) is not None


def _shares_thing(old: str, said: str) -> bool:
    """Check whether "we pay 840 euros rent" may be about a fact that begins with "our rent"."""
    if not (grammar_patterns().first.match(said) and _PATTERNS["mine"].match(old)):
        return False
    code = language(f"{old} {said}", "en")
    known, taken = {key for key, _, _ in content(old, code)}, {value.text.casefold() for value in values(said)}
    shared = (said[start:end] for key, start, end in content(said, code) if key in known)
    return any(word.casefold() not in taken and not grammar_patterns().giving.fullmatch(word) for word in shared)


def _replace_beside(old: str, said: str) -> str | None:
    """Return the fact with another name beside the same words: "rue des Tilleuls" for "rue des Tulipes"."""
    words = [*dropwhile(grammar_patterns().preposition.fullmatch, said[read_lead(said)[0] :].split())]
    if not 2 <= len(words) <= _MAX_NAME_WORDS or not any(word[:1].isupper() for word in words):
        return None
    for count in range(len(words) - 1, 0, -1):
        head, tail = " ".join(words[:count]), " ".join(words[count:])
        name = r" ((?:[^\W\d_][\w'’-]*)(?: [A-ZÀ-ÝА-Я][\w'’-]*)*)"
        replaced = _name_beside(old, _whole(head) + name, tail) if tail[:1].isupper() else None
        if not replaced:
            name = r"((?:[A-ZÀ-ÝА-Я][\w'’-]* )+)"
            head, tail = " ".join(words[-count:]), " ".join(words[:-count])
            replaced = _name_beside(old, name + f"(?={_whole(head)})", f"{tail} ") if tail[:1].isupper() else None
        if replaced:
            return replaced
    return None


def _whole(words: str) -> str:
    return rf"(?<!\w){re.escape(words)}(?!\w)"


def _name_beside(old: str, pattern: str, name: str) -> str | None:
    """Replace the only capitalised name that the pattern finds in the fact; None if there is none, or several."""
    matches = [match for match in re.finditer(pattern, old) if match[1][:1].isupper()]
    if len(matches) != 1:
        return None
    place = matches[0]
    # A name goes with "rue des", not with "in the".
    beside = WORD.findall(place[0].replace(place[1], "").casefold())
    return None if FUNCTION_WORDS.issuperset(beside) else old[: place.start(1)] + name + old[place.end(1) :]


def _end_of_predicate(old: str, start: int) -> int:
    """Find where a predicate ends: before the next sentence or clause, not before the next item of a list."""
    for mark in _PREDICATE_END.finditer(old, start):
        if mark[0] not in {",", " "}:
            return mark.start()
        following, joined = old[mark.end() :].lstrip(), _PATTERNS["and"].match(old, mark.start())
        is_joined = joined and (link_of(following) or grammar_patterns().giving.match(old, joined.end()))
        if is_joined or grammar_patterns().clause.match(following):
            return mark.start()
    return len(old)


def _replace_predicate(old: str, said: str) -> str | None:
    """Return the subject and copula of a fact with another predicate; None if the correction gives none of its sort."""
    end, linked = read_lead(said)
    link = link_of(old)
    predicate = said[end:].strip()
    if link is None or not predicate:
        return None
    state = grammar_patterns().links[1].match(predicate)
    if end and not linked and state and state[0].casefold() == link[0].casefold():
        linked, predicate = True, predicate[state.end() :].strip()
    given = values(said)
    is_value = bool(given) and given[0].start == 0 and given[-1].end == len(said)
    if not predicate or not (linked or (end == 0 and (is_value or grammar_patterns().preposition.match(said)))):
        return None
    grammar, start = grammar_patterns(), link.end()
    filler = grammar.filler.match(old, start + 1)
    if filler and grammar.preposition.match(old[filler.end() :].lstrip()):  # "is now in the drawer"
        start = filler.end()
    stop = _end_of_predicate(old, start)
    before = old[start:stop]
    gap = before[: len(before) - len(before.lstrip())]
    first = _first_value(before.strip())
    is_name = grammar.naming.fullmatch(link[0]) is not None or (first is not None and first.shape is Shape.NAME)
    if grammar.naming.search(said, 0, end) and not is_name:
        return None
    is_place = [bool(grammar.preposition.match(text)) for text in (before.strip(), predicate)]
    is_like = is_place[0] == is_place[1] or grammar.copula.fullmatch(link[0])
    return (
        old[:start] + gap + predicate + old[stop:] if is_like and _is_of_same_sort(before.strip(), predicate) else None
    )


def _first_value(predicate: str) -> Value | None:
    """Return the value that a predicate begins with, after prepositions and articles; None without one."""
    for value in values(f"– {predicate}"):
        words = WORD.findall(predicate[: max(0, value.start - 2)].casefold())
        return value if FUNCTION_WORDS.issuperset(words) else None
    return None


def _is_of_same_sort(old: str, new: str) -> bool:
    """Check whether one predicate may replace another: a place no number, a weekday no colour."""
    first, second = _first_value(old), _first_value(new)
    was, now = (value.shape if value else None for value in (first, second))
    if first is None or second is None or SOFT.issuperset({was, now}):
        whole = was is not None and was not in SOFT and values(f"– {old}")[-1].end == len(old) + 2
        places = [bool(grammar_patterns().preposition.match(predicate)) for predicate in (old, new)]
        hard = now is Shape.TIME or (now is not None and now not in SOFT and now not in COUNT)
        return not (whole or hard or (places[1] and not places[0]))
    is_alike = are_like(first, second) and may_stand_for(second, first, f"– {old}")
    return is_alike or {was, now} <= {Shape.CODE, Shape.NAME} or ({was, now} <= COUNT and now is not Shape.TIME)


def _tells_more(old: str, shared: set[str], code: str) -> bool:
    """Check whether a clause of a fact tells nothing of what a correction speaks of: that would be lost."""
    clauses = (content(clause, code) for clause in CLAUSE_LINK.split(old))
    return any(words and shared.isdisjoint(key for key, _, _ in words) for words in clauses)


def _tells_the_same(old: str, said: str, known: set[str], code: str) -> bool:
    """Check whether a statement tells of a subject what the fact tells of it: of her job, not of her birthday."""
    was, link = link_of(old), link_of(said)
    subject = said[: link.start()] if link else ""
    named, told = ({key for key, _, _ in content(part, code)} for part in (subject, said[len(subject) :]))
    if not was or not link or was[0].casefold() != link[0].casefold():
        return named <= known and not known.isdisjoint(told - named)
    predicates = old[was.end() :].strip(), said[link.end() :].strip()
    firsts = [value for value in map(_first_value, predicates) if value]
    is_place = [grammar_patterns().preposition.match(predicate) is not None for predicate in predicates]
    if len(firsts) == 2:
        is_alike = are_like(*firsts) or {value.shape for value in firsts} == {Shape.CODE, Shape.NAME}
    else:  # "with Anna", of "under the mat"
        is_alike = not firsts or (all(is_place) and firsts[0].shape in SOFT)
    is_hard = len(firsts) == 2 and firsts[0].shape not in SOFT
    return named <= known and is_alike and (is_hard or is_place[0] == is_place[1])


def _restate(old: str, said: str) -> str | None:
    """Return what a correction says of the subject of a fact, if it shares a word with it."""
    code = language(f"{old} {said}", "en")
    end, linked = read_lead(said)
    known, added = content(old, code), content(said[end:], code)
    shared = {key for key, _, _ in added}.intersection(key for key, _, _ in known)
    at = next((start for key, start, _ in known if key in shared), None)
    if at is None:
        return None
    link = link_of(old)
    subject = old[: min(at, link.start()) if link else at].strip(CLOSING)
    if end == 0:
        is_whole = grammar_patterns().first.match(said) or (link_of(said) and added[0][0] in shared)
        is_whole = is_whole and _tells_the_same(old, said, {key for key, _, _ in known}, code)
        return said if is_whole and not _tells_more(old[len(subject) :], shared, code) else None
    if not subject:
        return None
    if not linked and added[0][0] == next(key for key, start, _ in known if start == at) and added[0][1] == 0:
        return old[:at] + said[end:] + old[_end_of_predicate(old, at) :]
    return None if _tells_more(old[len(subject) :], shared, code) else f"{subject}: {said}"
