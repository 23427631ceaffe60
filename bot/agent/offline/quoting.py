"""Answers that quote memory, without a model: what is looked up, what is shown first, and what has ended it since."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import zip_longest

from bot.agent.offline.closest import heading
from bot.agent.offline.own import OWED, with_own
from bot.agent.offline.timeline import by_day, each_once, instants_of, named_days, read_ahead, read_repeating, read_told
from bot.agent.offline.words import CLAUSE_END, asks_for_plans, is_calculation, trimmed, without_fillers, word_list
from bot.reminders import FAR, REMINDER, coming_reminders, due_on
from bot.texts.catalogue import tr
from bot.texts.receipts import incomplete, quoted
from bot.turn import Reply, Turn
from memory import Filter, Hit, Kind, Recall, RecallForm
from memory.capture import contradicts
from memory.capture.corrections import beginning, fulfils, without_negation
from memory.capture.grammar import grammar_patterns
from memory.capture.wishes.reminders import LANGUAGES, read_when
from memory.capture.wishes.wishes import MAX_WISH_CHARS
from memory.index.terms import terms_of, tokens
from memory.knowledge.about import of_others
from memory.knowledge.reflection.stance import Stance, base_of, is_new_base, left_base, role_of, stance, without_role
from memory.knowledge.timeline import Span, read_coming, read_span
from memory.language.answer_forms import days_asked_of
from memory.language.detect import HAN_SIGN, stop_words
from memory.language.time import dates
from memory.language.time.instants import as_local, repeated_weekdays, weekday_names
from memory.language.words import ALL_STOP_WORDS, alternatives
from memory.life.intentions import find_intention, intentions

MAX_PASSAGES = 3
"""Passages in an answer: two or three are read, more are skimmed."""

MAX_COMPARED_FACTS = 8
"""Facts that a statement is held against: the newest, and as many that are like it."""

MAX_COMPARED_CHARS = 400
"""Characters of a statement that is read for whether it corrects or contradicts another."""

MAX_TOLD_SPAN = timedelta(days=62)
"""Between the first and the last of the days of which it is listed what was told on them."""

MIN_PART_LETTERS = 5
"""Letters of a word that may be told for a longer one of which it is a part: "the date" for "the birthdate"."""

_SHORT_WORD = 2
"""Letters with which two statements begin that tell of the same person by name, and signs of a Chinese word."""

_FIGURES_AT_END = re.compile(r"[,:;] ?\d[^,;.!]*[.!]?$")
"""What a report of something done ends with that is no part of the task: "the meter is read, 1200 litres"."""

_LIGHT_SIGNS = re.compile("^(?:我们?|也|再|以后)+|[去打做上玩跳]")
"""Chinese signs that say of a plan but who goes there, or does it."""

_JOINED = re.compile(r"[,;&+]|(?<!\w)(?:and|und|y|et|и)(?!\w)")
"""What joins a further thing to one."""

NO_LONGER, INSTEAD, PAID, _WANTED_BACK, _WHO, _OWN_WEEK = (
    re.compile("|".join(word_list(name)), re.IGNORECASE)
    for name in ("no_longer", "instead", "paid", "wanted_back", "who", "own_week")
)
"""What says that something is no more, stands between what holds and what held, ends a debt: see `words.toml`."""


async def look_up(turn: Turn, text: str, asked: str) -> Reply:
    """Quote what answers a text, or else what answers the question in it; a calculation has no word to look for."""
    if is_calculation(asked):
        return Reply(tr("I know nothing about that."), is_open=True)
    span = read_span(trimmed(asked), turn.local.date())
    _, asks_for_told = days_asked_of(asked, turn.local.date()) or ("", False)
    if asks_for_told and span.last - span.first <= MAX_TOLD_SPAN:
        return await _list_told(turn, asked, span)
    found = await turn.agent.memory.recall(text, scope=turn.scope, limit=MAX_PASSAGES)
    if not found.answers and asked != text:
        found = await turn.agent.memory.recall(asked, scope=turn.scope, limit=MAX_PASSAGES)
    if not _WHO.search(asked):
        others = await turn.agent.memory.run(of_others, found.answers, asked, scope=turn.scope)
        found = replace(found, hits=tuple(hit for hit in found.hits if hit.id not in others))
    found = await with_own(turn, asked, found)
    plans = await _find_plans(turn, asked, found)
    if plans and not plans.hits:
        return Reply(tr("As far as I know, nothing is planned then.") + incomplete(plans), evidence=plans)
    if plans or found.answers:
        return await quote(turn, plans or found, asked, are_plans=plans is not None)
    return Reply(tr("I know nothing about that.") + incomplete(found), evidence=found, is_open=True)


async def quote(turn: Turn, found: Recall, asked: str, *, are_plans: bool = False) -> Reply:
    """Quote the answers to what is asked, at least one; plans have their times already, and are whosever they are."""
    if found.form is RecallForm.TIMELINE:
        passages = "\n".join([tr("From memory:"), *by_day(found.answers)])
        return Reply(f"{passages}{incomplete(found)}", evidence=found)
    found, memory = await _with_news(turn, found), turn.agent.memory
    shown = each_once(newest_first(found.answers, found.query))
    numbered = (*shown, *(hit for hit in found.hits if hit not in shown))
    opening = tr("From memory:") if are_plans else await heading(turn, asked, found, shown)
    reminders = () if are_plans else filter(instants_of, shown)
    known = [await memory.run(find_intention, hit.id, turn.scope) for hit in reminders]
    coming = await coming_reminders(turn, filter(None, known)) if known else ()
    dues = {one.id: as_local(due.astimezone(turn.agent.zone)) for due, one in coming if due < FAR}
    timed = (replace(hit, time=dues.get(hit.id, hit.time)) for hit in shown)
    passages = "\n".join([opening, *(quoted(hit, n) for n, hit in enumerate(timed, 1))])
    return Reply(f"{passages}{incomplete(found)}", evidence=replace(found, hits=numbered))


async def _list_told(turn: Turn, asked: str, span: Span) -> Reply:
    """List what was told on some days, and what else is of them."""
    told, others = await read_told(turn.agent.memory, span, scope=turn.scope)
    opening = tr("From memory:") if told.hits else tr("I know nothing about that.")
    shown = "\n".join([opening, *by_day(told.hits)])
    evidence, origins = replace(told, query=asked), frozenset(hit.origin for hit in others)
    reply = Reply(f"{shown}{incomplete(told)}", evidence=evidence, origins=origins, is_open=not (told.hits or others))
    listed = "\n".join([tr("Of these days, told on others:"), *by_day(others)])
    return reply.with_note(listed) if others else reply


def asks_of_further_days(turn: Turn, text: str) -> bool:
    """Return whether a text asks of days to come what was asked of others, in words that may be a mere greeting."""
    span = _read_days(turn, text)
    subject = without_fillers(span.subject) if span else None
    is_day = subject == "" and not any(map(str.isdecimal, text))  # "the 3rd" may choose one of several
    return is_day or subject in word_list("further_days")


def _read_days(turn: Turn, asked: str) -> Span | None:
    """Read the days to come that a question names, and the rest of it; one's own week are the next seven days."""
    asked = asked[:MAX_WISH_CHARS]
    if week := _OWN_WEEK.search(asked):
        today = turn.local.date()
        rest = f"{asked[: week.start()]} {asked[week.end() :]}"
        return Span(today, today + timedelta(days=6), " ".join(rest.split()))
    return read_coming(asked, turn.local)


async def _find_plans(turn: Turn, asked: str, found: Recall) -> Recall | None:
    """List what is planned for days to come if a question asks for that: "what do I have tomorrow"; else None.

    "And on Friday?" may ask for something else of that day: None if nothing is planned, and a word of it was found.
    """
    span = _read_days(turn, asked)
    subject = without_fillers(span.subject) if span else ""
    is_further = subject in word_list("further_days") | {""}
    if span is None or not (is_further or asks_for_plans(subject, names_days=True)):
        return None
    memory, zone, today = turn.agent.memory, turn.agent.zone, turn.local.date()
    is_today = span.first == span.last == today
    known, later = await memory.run(intentions, turn.scope), await turn.effects.due(REMINDER)
    coming = ((due_on(one, span.first, span.last, zone, now=turn.local, later=later), one.id) for one in known)
    dues = sorted(((due, name) for due, name in coming if due), key=lambda one: one[0].timestamp())
    reminders = [replace(await memory.find(name, scope=turn.scope), time=as_local(due)) for due, name in dues]
    repeated = await read_repeating(memory, span.first, span.last, scope=turn.scope)
    ahead, again = await list_ahead(turn, also=(*found.answers, *repeated)), {one.content for one in repeated}

    def is_then(plan: Hit) -> bool:
        days = named_days(plan, today)
        is_open = is_today and plan.kind is Kind.INTENTION and all(one.last < today for one in days)  # late, too
        return is_open or plan.content in again or any(one.distance(span.first, span.last) == 0 for one in days)

    planned = [one for told in ahead for one in (told if any(map(is_then, told[:1])) else filter(is_then, told))]
    hits = tuple(replace(hit, score=0.0, relevance=1.0) for hit in each_once((*reminders, *planned)))
    words = content_terms(asked) - ALL_STOP_WORDS
    is_told = any(words & content_terms(hit.content) for hit in found.answers)
    days = " – ".join(dict.fromkeys(map(str, (span.first, span.last))))
    listed = replace(found, hits=hits, near=(), reason=tr("Listed: reminders and plans of {days}.", days=days))
    return None if is_further and not hits and is_told else listed


async def _with_news(turn: Turn, found: Recall) -> Recall:
    """Put before each answer what has ended it since: a move, what has called a plan off, the contrary."""
    for answer in newest_first(found.answers, found.query):
        newest, shown = await _find_news(turn, found, answer), [hit.id for hit in found.answers]
        if newest and newest.id not in shown[: shown.index(answer.id)]:
            hits = [hit for hit in found.hits if hit.id != newest.id]
            place = next(place for place, hit in enumerate(hits) if hit.id == answer.id)
            hits.insert(place, replace(newest, relevance=hits[place].relevance))
            found = replace(found, hits=tuple(hits))
    return found


async def _find_news(turn: Turn, found: Recall, answer: Hit) -> Hit | None:
    """Find the newest of what has ended an answer; None if nothing has."""
    memory, opening = turn.agent.memory, answer.content[:MAX_WISH_CHARS]
    plan = read_when(opening, turn.local)[0].rest
    asked = content_terms(found.query) - (ALL_STOP_WORDS - content_terms(" ".join(answer.entities)))  # "Ben", "Tom"
    shared = {term for term in content_terms(plan) & asked if len(term) > 1}  # a Chinese sign by itself tells little
    if base := _base_asked_for(answer, asked, is_named=bool(shared)):
        known = answer.content if base_of(answer.content) == base_of(base) else base
        words = sorted(asked | content_terms(base) | word_list("moved"))
        moved = await memory.recall(" ".join(words), scope=turn.scope, by_words=True)
        hits = (*moved.hits, *found.hits)
        news: Sequence[Hit] = [hit for hit in hits if is_new_base(known, hit.content, year=hit.noted[0][:4])]
    else:  # a plan has a time
        news = await find_cancellations(turn, answer, shared) if shared and plan != opening else ()
        alike = await memory.recall(answer.content, scope=turn.scope, limit=MAX_COMPARED_FACTS, by_words=True)
        later = (hit for hit in alike.hits if hit.noted > answer.noted)
        news = news or [hit for hit in later if _ends(turn, answer, hit, asked)]
        met = {hit.id: len(asked & content_terms(hit.content)) for hit in news}  # of several ended things, that one
        news = [hit for hit in news if met[hit.id] == max(met.values())]
    return max((hit for hit in news if hit.noted > answer.noted), key=lambda hit: hit.noted, default=None)


def _base_asked_for(fact: Hit, asked: Collection[str], *, is_named: bool) -> str:
    """Return the clause of a fact that tells of a home or a job which a question asks for; empty if there is none.

    A fact that tells of nothing else is also meant if no word of it `is_named`. One lives where one's address is. A
    clause that does not say whose it is tells of who is named before it: "Ana is a nurse and lives in Rome".
    """
    whole = fact.content.rstrip(" .!。！")
    if not base_of(whole) and whole.lower().startswith(tuple(word_list("own_homes"))):
        return "I live in it"
    clauses, known = list[str](), ""
    for clause in CLAUSE_END.split(whole):
        known += clause
        if base := base_of(clause):
            is_whose = bool(base.whose) or any(map(grammar_patterns().first.match, (whole, clause)))
            who = "" if is_whose else min((name for name in fact.entities if name in known), key=known.find, default="")
            clauses.append(f"{who} {clause}".strip())
    begun = tuple(beginning(term) or term for term in asked)  # "work", of "works"
    meant = max(clauses, key=lambda clause: sum(term.startswith(begun) for term in content_terms(clause)), default="")
    is_asked_for = not content_terms(meant).isdisjoint(asked)
    return meant if is_asked_for else whole if clauses == [whole] and not is_named else ""


async def find_cancellations(turn: Turn, plan: Hit, shared: Collection[str]) -> Sequence[Hit]:
    """Find what calls a plan off, or moves it, unless it holds again; `shared` are its terms that have to be in it."""
    words = word_list("called_off")
    lists = (words, word_list("holds_again"))  # "Lisbon after all" has no "on after all"
    off, on = (rf"(?<![^\W\u3040-\u9fff])(?:{alternatives(some)})[^\W\u3040-\u9fff]*" for some in lists)
    terms = content_terms(plan.content)
    query = " ".join(sorted({*(shared or terms), *words}))
    found = await turn.agent.memory.recall(query, scope=turn.scope, by_words=True)
    later = [hit for hit in found.hits if hit.noted > plan.noted]

    def says(hit: Hit, news: str, *, is_negated: bool) -> bool:
        clauses = (clause for clause in CLAUSE_END.split(hit.content.lower()) if re.search(news, clause))
        said = (clause for clause in clauses if without_negation(clause)[0] == is_negated)
        rests = (read_when(re.sub(news, " ", clause), turn.local)[0].rest for clause in said)
        whose = content_terms(" ".join(hit.entities))
        return any(_tells_only_of(rest, terms, shared, whose) for rest in rests)

    holds = [hit.noted for hit in later if says(hit, on, is_negated=False) or says(hit, off, is_negated=True)]
    ended = [hit for hit in later if says(hit, off, is_negated=False) or says(hit, on, is_negated=True)]
    for hit in (hit for hit in later if _denies(turn, plan, hit, shared)):  # "no dinner" without a day ends no plan
        days, named = (named_days(one, turn.local.date()) for one in (plan, hit))
        is_other = days and named and all(one.distance(day.first, day.last) for one in days for day in named)
        is_day = read_when(hit.content[:MAX_WISH_CHARS], turn.local)[0].is_day
        ended += [hit] if _ends_for_good(turn, plan, hit) or (is_day and not is_other) else []
    return [hit for hit in ended if all(hit.noted > since for since in holds)]


def _ends_for_good(turn: Turn, plan: Hit, news: Hit) -> bool:
    """Return whether news say that a plan is no more, and not only at some time: "no longer on Thursdays"."""
    if not NO_LONGER.search(news.content) or dates.find(news.content, turn.local.date()):
        return False
    is_timeless = read_when(news.content[:MAX_WISH_CHARS], turn.local)[0].rest == news.content
    once = frozenset() if repeated_weekdays(plan.content, LANGUAGES) else content_terms(plan.content)
    said = word_list("called_plans") | word_list("asides")  # who plays football no more may watch the final
    is_named = once & said <= content_terms(news.content)
    is_every = is_timeless and not repeated_weekdays(news.content, LANGUAGES)
    return is_named and is_every and _is_whole(turn, plan, news)


def _is_whole(turn: Turn, plan: Hit, news: Hit) -> bool:
    """Return whether news tell of all that a plan tells of, and not of one of several who come, or of how it is liked.

    Who is in the plan need not be named again: "no yoga on Thursday", of yoga with Ana.
    """
    if news.category == "preference":
        return False
    known = ALL_STOP_WORDS | word_list("called_plans") | word_list("asides")
    known |= content_terms("" if news.entities else " ".join(plan.entities))
    told = [beginning(term) or term for term in content_terms(news.content)]
    begun = (*told, *(day for day in weekday_names(range(7), LANGUAGES) if len(day) >= MIN_PART_LETTERS))
    rest = re.sub("['’]", " ", read_when(plan.content[:MAX_WISH_CHARS], turn.local)[0].rest)
    place = next(grammar_patterns().preposition.finditer(rest, 1), None)
    kept = content_terms(rest[: place.start()]) if place else frozenset()
    is_theirs = kept & content_terms(" ".join(plan.entities)) <= content_terms(news.content)  # not "I", of Ida's riding
    if place and kept - known and is_theirs and repeated_weekdays(plan.content, LANGUAGES):
        rest = rest if _JOINED.search(rest, place.end()) else rest[: place.start()]  # of riding at some farm each week
    is_chinese = HAN_SIGN.search(plan.content) is not None  # compared sign by sign in `_denies`
    return is_chinese or all(term.startswith(begun) for term in content_terms(rest) - known)


def _denies(turn: Turn, known: Hit, news: Hit, shared: Collection[str]) -> bool:
    """Return whether a clause of the news is negated, and tells of nothing but what is known: "we do not eat out"."""
    rests = [read_when(clause, turn.local)[0].rest for clause in CLAUSE_END.split(news.content.lower())]
    read = ((rest, *without_negation(rest)) for rest in rests)
    denied = [spelled for rest, is_negated, words in read if is_negated for spelled in (rest, " ".join(words))]
    terms, whose = content_terms(known.content), content_terms(" ".join(news.entities))
    bare = (_LIGHT_SIGNS.sub("", rest) for rest in denied if HAN_SIGN.match(rest))
    held = [rest for rest in bare if len(rest) > 1 and set(rest) <= {*known.content}]
    named = {pair for rest in held for link in "和跟与、" for pair in (f"{link}{rest[:2]}", f"{rest[:2]}{link}")}
    is_one = any(pair in known.content for pair in named)  # of several
    return not is_one and (bool(held) or any(_tells_only_of(rest, terms, shared, whose) for rest in denied))


def _ends(turn: Turn, known: Hit, news: Hit, asked: frozenset[str]) -> bool:
    """Return whether news contradict what is known, or say that it holds no longer, or what holds in its place."""
    is_own = grammar_patterns().first.match(news.content) is not None
    if is_contradicted(known.content, news.content, known.noted[0][:4]):
        return True
    if not {*news.entities} <= {*known.entities} or (is_own and known.entities and not news.entities):
        return False  # of somebody else
    if _is_returned(known, news, asked) or (NO_LONGER.search(news.content) and _denies(turn, known, news, ())):
        return True
    terms, left = content_terms(known.content), left_base(news.content)
    left_terms = content_terms(left.value if left else "")
    new, *old = INSTEAD.split(news.content, maxsplit=1)
    is_replaced = bool(old) and not any(terms.isdisjoint(content_terms(part)) for part in (new, old[0]))
    return is_replaced or (bool(left_terms) and left_terms <= terms)  # "I left the ward", of what was told of it


async def list_ahead(turn: Turn, also: Sequence[Hit] = ()) -> Sequence[Sequence[Hit]]:
    """List what is coming up and to be done, each with its news, without a plan of one day that was surely called off.

    What was found `also` is listed unless it was done or called off, too, or is a reminder.

    Where the news may be of several plans, or tells of another time or of what may be, both are listed.
    """
    memory, today, ended = turn.agent.memory, turn.local.date(), set[str]()
    doubts = re.compile(rf"(?<![^\W\u3040-\u9fff])(?:{alternatives(word_list('doubts'))})", re.IGNORECASE)
    others = [hit for hit in also if not instants_of(hit)]
    plans = each_once((*await read_ahead(memory, today, scope=turn.scope), *others))
    undone = [plan for plan in plans if not await _is_done(turn, plan)]
    found = [(plan, await find_cancellations(turn, plan, ())) for plan in undone]
    counts = Counter(one.id for _, news in found for one in news)
    for plan, news in found:
        is_weekly = bool(repeated_weekdays(plan.content, LANGUAGES))  # one day that is off does not end it
        days = {one.first for one in named_days(plan, today) if one.first >= today and not is_weekly}
        for one in (one for one in news if counts[one.id] == 1 and not doubts.search(one.content)):
            when, named = read_when(one.content[:MAX_WISH_CHARS], turn.local)[0], named_days(one, today)
            is_same = days == {one.first for one in named if one.first >= today} if named else when.rest == one.content
            is_off = is_same and len(days) == 1 and (when.is_day or when.rest == one.content)
            is_part = _JOINED.search(plan.content) or _denies(turn, plan, one, ())
            is_off = is_off and (_is_whole(turn, plan, one) or not is_part)
            if is_off or _ends_for_good(turn, plan, one):
                ended |= {plan.id, one.id}
    return [[one for one in (plan, *news) if one.id not in ended] for plan, news in found]


async def _is_done(turn: Turn, plan: Hit) -> bool:
    """Return whether what is to be done was told later as done, and of nobody else."""
    task = plan.content[:MAX_WISH_CHARS]
    if plan.kind is not Kind.INTENTION or read_when(task, turn.local)[0].every:
        return False
    undated = dates.without_times(task, turn.local.date())  # "before January" is no part of what is to be done
    task = read_when(undated, turn.local)[0].rest
    found = await turn.agent.memory.recall(task, scope=turn.scope, by_words=True)
    later = (hit for hit in found.hits if hit.noted > plan.noted and set(hit.entities) <= set(plan.entities))
    told = (hit.content for hit in later if hit.kind is not Kind.INTENTION)
    return any(fulfils(task, _FIGURES_AT_END.sub("", one)) for one in told)


def stands_for(term: str, word: str) -> bool:
    """Return whether a term is a word, or a part of it that may be told for it."""
    return term == word or (len(term) >= MIN_PART_LETTERS and term in word)


def _tells_only_of(text: str, plan: Collection[str], shared: Collection[str], whose: frozenset[str]) -> bool:
    """Return whether the terms of a text are all of a plan, at least one, and the shared ones among them.

    Those of `whose` count, too, where they are function words of some language, as "tom" is.
    """
    met, said = set[str](), content_terms(text)
    told = said - (ALL_STOP_WORDS - whose)
    for term in (term for term in told if len(term) > 1):
        of = {word for word in plan if stands_for(term, word)}
        if not of and term not in word_list("called_plans") | word_list("asides"):
            return False
        met |= of
    return bool(met) and met.issuperset(shared)


def newest_first(answers: Sequence[Hit], asked: str) -> Sequence[Hit]:
    """Put an answer that was noted later before the first one if it contradicts that, or tells of a return.

    What was returned has to be what is asked for: the first answer, the later one and the question share a word.
    """
    first, terms = answers[0], content_terms(asked)
    for hit in (hit for hit in answers[1:] if hit.noted > first.noted):
        if is_contradicted(first.content, hit.content, hit.noted[0][:4]) or _is_returned(first, hit, terms):
            return [hit, *(other for other in answers if other is not hit)]
    return answers


def _is_returned(known: Hit, news: Hit, asked: frozenset[str]) -> bool:
    """Return whether what is known to be lent or owed, and asked for if something certain is, is back."""
    lent = any(word in known.content.casefold() for word in word_list("lent"))
    terms, told = content_terms(known.content), content_terms(news.content)
    is_still_out = news.kind is Kind.INTENTION or _WANTED_BACK.search(news.content)
    if lent and not is_still_out and any(word in news.content.casefold() for word in word_list("returned")):
        if meant := terms & (asked - content_terms(" ".join(word_list("debts")))):
            return not meant.isdisjoint(told)
        who = content_terms(" ".join(known.entities))  # asked for all that is lent, it has to tell whose and of what
        return who <= told and not told.isdisjoint(terms - who)
    who = content_terms(" ".join(known.entities)) & asked
    if who and who.isdisjoint(told):
        return False
    said = PAID.sub(" ", news.content.casefold())
    is_paid = said != news.content.casefold() and OWED.search(known.content) is not None
    return is_paid and _tells_only_of(said, terms, (), content_terms(" ".join(news.entities)))


def is_contradicted(known: str, text: str, year: str) -> bool:
    """Return whether a text contradicts a fact ("I love tea", "I hate tea"); a move ends only one of a home alone."""
    if len(known) + len(text) > MAX_COMPARED_CHARS:
        return False
    base, *others = CLAUSE_END.split(known.rstrip(" .!。！"))
    is_base = base_of(base) is not None and all(other.istitle() for other in others)  # "in Vienna, Austria"
    if contradicts(known, text) or (is_base and is_new_base(known, text, year=year)):
        return True
    if len({role_of(known), role_of(text), ""}) > 2:
        return False
    gap = "" if HAN_SIGN.search(known) else " "  # where "now" and the like stood
    before, after = (without_role(grammar_patterns().filler.sub(gap, one).strip()) for one in (known, text))
    is_same = before[:_SHORT_WORD] == after[:_SHORT_WORD]  # "my sister Ana" and "Ana", not two sisters
    is_negated = without_negation(known)[0] or without_negation(text)[0]  # "it is not cheap", "it is loud"
    is_turned = not is_negated and _differ_in_a_word(before, after) and stance(before, after) is Stance.CONTRADICTS
    return is_turned or (is_same and contradicts(before, after))


def _differ_in_a_word(one: str, other: str) -> bool:
    if HAN_SIGN.search(one):
        return len([1 for sign, said in zip_longest(one, other) if sign != said]) <= _SHORT_WORD
    before, after = content_terms(one), content_terms(other)
    return max(len(before - after), len(after - before)) == 1


async def facts_like(turn: Turn, text: str) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Return the newest facts, and those that are most like a text."""
    newest = await turn.agent.memory.recent(MAX_COMPARED_FACTS, scope=turn.scope)
    found = await turn.agent.memory.recall(text, scope=turn.scope, limit=MAX_COMPARED_FACTS, where=Filter(faded=True))
    return newest, [hit for hit in found.hits if hit.kind is not Kind.NOTE]


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a text, without words that nearly every text has."""
    stops = stop_words(text)
    return frozenset(terms_of((word for word in tokens(text) if word.casefold() not in stops), "").split())
