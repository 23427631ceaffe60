"""Tests for which language a conversation is held in."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from adapters.port import ChatKind, Happening, Inbound
from bot.access.access import identity
from bot.sessions.language import FIRST_WORDS, Languages, written_language
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import Effects, EntryKind, Envelope, TranscriptEntry
from bot.texts.catalogue import in_language
from bot.turn import job_event
from tests.support.factories import HOME, NOON, OWNER, chat, inbound, session

GERMAN = "Wo ist denn der Schlüssel?"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Where is the spare key?", "en"),
        (GERMAN, "de"),
        ("钥匙在哪里？", "zh"),
        ("Où est la clé de la maison ?", "fr"),
        ("hi", "en"),
        ("Hallo", "de"),
        ("Guten Morgen!", "de"),
        ("Danke!", "de"),
        ("hola", "es"),
        ("salut", "fr"),
        ("ciao", ""),
        ("merci", ""),
        ("Thank you, wo ist denn der Schlüssel?", "de"),
        ("你好", "zh"),
        ("", ""),
        ("42", ""),
        ("ok", ""),
    ],
)
def test_a_text_shows_its_language_or_none(text: str, code: str) -> None:
    assert written_language(text) == code


@pytest.mark.parametrize(
    ("text", "spoken", "code"),
    [
        ("Ciao", "it", ""),
        ("Ciao!", "en", ""),
        ("Ciao", "de", "de"),
        ("Merci", "fr", "fr"),
        ("Hallo", "nl", ""),
        ("Hallo", "en", "de"),
        ("Tschüss", "en", "de"),
    ],
)
def test_a_greeting_that_several_languages_share_changes_no_language(text: str, spoken: str, code: str) -> None:
    assert written_language(text, spoken) == code


def test_phrases_are_compiled_by_a_message_in_each_language() -> None:
    assert {code: written_language(text) for code, text in FIRST_WORDS.items()} == {"en": "en", "de": "de", "zh": "zh"}


def test_once_the_start_is_done_all_is_compiled_that_a_message_in_latin_letters_would_wait_for() -> None:
    """In a new process: a message that shows no language is held against the phrases of five."""
    code = (
        "import asyncio\n"
        "from bot.sessions.language import prepare_phrases\n"
        "from memory.capture import act_of\n"
        "from memory.capture.lexicon import language_patterns\n"
        "def compiled():\n"
        "    known = [language_patterns(code) for code in ('en', 'de', 'es', 'fr', '')]\n"
        "    groups = [group for one in known for group in (one.small_talk, one.imperatives, one.questions)]\n"
        "    patterns = [getattr(group, name) for group in groups for name in group.__slots__]\n"
        "    return sum(pattern._compiled is not None for pattern in patterns), len(patterns)\n"
        "act_of('Bamo derlu, la was so is.')\n"
        "async def pause(seconds):\n"
        "    print(*compiled())\n"
        "asyncio.run(prepare_phrases(pause))\n"
        "print(*compiled())"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    some, count, *after = map(int, ran.stdout.split())
    assert 0 < some < count
    assert after == [count, count]


def said(text: str, *, happening: Happening = Happening.MESSAGE) -> Envelope:
    return Envelope("personal", OWNER, replace(inbound(text, update="1"), happening=happening))


def came(event: Inbound) -> Envelope:
    return Envelope("personal", Principal(identity(event), event.sender.name, is_owner=True), event)


async def spoken(languages: Languages, *messages: Envelope) -> list[str]:
    return [await languages.of_turn([message]) for message in messages]


async def test_what_shows_no_language_keeps_the_one_before() -> None:
    languages = Languages("auto", InMemoryCoordinator())

    assert await spoken(languages, said("ok"), said(GERMAN), said("ok"), said("/undo"), said("Where is the key?")) == [
        "en", "de", "de", "de", "en",
    ]  # fmt: skip
    assert languages.owners() == "en"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (said("/remember The key is under the mat."), "en"),
        (said("/timeline what was there last month"), "de"),
        (said("Where is the key?", happening=Happening.BUTTON), "de"),
        (said("Where is the key?", happening=Happening.JOB), "de"),
    ],
)
async def test_only_what_a_person_says_changes_it(message: Envelope, code: str) -> None:
    assert await spoken(Languages("auto", InMemoryCoordinator()), said(GERMAN), message) == ["de", code]


async def test_a_note_in_another_language_is_answered_in_it_and_leaves_that_of_the_chat() -> None:
    messages = said("Where is the key?"), said("/remember Der Schlüssel liegt unter der Matte."), said("ok")

    assert await spoken(Languages("auto", InMemoryCoordinator()), *messages) == ["en", "de", "en"]


async def test_in_a_group_each_is_answered_in_their_own_language_and_a_newcomer_in_the_last_one() -> None:
    group, languages = chat("-5", kind=ChatKind.GROUP), Languages("auto", InMemoryCoordinator())
    said_there = [("7", GERMAN), ("8", "Where is the key?"), ("7", "ok"), ("8", "/undo"), ("9", "ok")]
    said_there += [("7", "钥匙在哪里？"), ("9", "ok"), ("10", "remind me tomorrow at 9 to call Bob"), ("11", "Hallo")]
    events = [inbound(text, update=str(n), at=group, sender=who) for n, (who, text) in enumerate(said_there)]

    codes = await spoken(languages, *map(came, events))

    assert codes == ["de", "en", "de", "en", "en", "zh", "zh", "en", "de"]
    assert languages.of_event(inbound("ok", update="j", at=group, sender="schedule")) == "de"


async def test_in_a_group_what_is_heard_is_the_speakers_and_what_somebody_has_ordered_is_said_in_theirs() -> None:
    group, languages = chat("-5", kind=ChatKind.GROUP), Languages("auto", InMemoryCoordinator())
    ada, bo = came(inbound("Where is the key?", update="1", at=group)), Principal("volatile:8", "Bo", is_owner=False)
    await languages.of_turn([ada])
    assert languages.of_speech(group, bo.id, GERMAN) == "de"

    jobs = [Envelope("personal", by, job_event(group, "reminder x", at=NOON)) for by in (ada.principal, bo)]
    assert await spoken(languages, *jobs) == ["en", "de"]
    assert languages.of_event(inbound("ok", update="2", at=group)) == "en"


async def test_who_comes_to_a_chat_brings_the_language_that_they_have_shown_elsewhere() -> None:
    group, languages = chat("-5", kind=ChatKind.GROUP), Languages("auto", InMemoryCoordinator())
    events = [inbound("Where is the key?", update="1", at=chat("7"), sender="7")]
    events += [inbound(GERMAN, update="2", at=group, sender="8"), inbound("ok", update="3", at=group, sender="7")]
    events += [inbound("ok", update="4", at=chat("8"), sender="8"), inbound("ok", update="5", at=group, sender="9")]

    codes = await spoken(languages, *map(came, events))

    assert codes == ["en", "de", "en", "de", "de"]


async def test_whose_accounts_are_linked_is_one_person_in_all_chats() -> None:
    group, chats = chat("-5", kind=ChatKind.GROUP), (chat("-6", kind=ChatKind.GROUP), chat("-5", kind=ChatKind.GROUP))
    bo = Principal("elsewhere:1", "Bo", is_owner=False)
    languages = Languages("auto", InMemoryCoordinator(), lambda who: bo.id if who == "volatile:8" else who)
    await languages.of_turn([Envelope("personal", OWNER, inbound("Where is the key?", update="1", at=group))])
    languages.of_speech(group, bo.id, GERMAN)

    for place in chats:
        assert languages.of_event(inbound("ok", update="2", at=place, sender="8")) == "de"
        assert await spoken(languages, Envelope("personal", bo, job_event(place, "reminder x", at=NOON))) == ["de"]


async def test_after_a_restart_a_private_chat_goes_on_in_its_language_whatever_was_said_elsewhere() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("test", ["personal"])
    entry = TranscriptEntry(EntryKind.MESSAGE, "t1", NOON, f'{{"text": "{GERMAN}"}}')
    await coordinator.commit(grant, Effects(session(), (), entries=(entry,), turn="t1"))
    group = replace(HOME, chat="-5", kind=ChatKind.GROUP)

    languages = Languages("auto", coordinator)
    there = came(inbound("Where is the key?", update="2", at=group))
    assert await spoken(languages, there, said("ok")) == ["en", "de"]
    assert languages.owners() == "de"
    languages = Languages("auto", InMemoryCoordinator())
    assert await spoken(languages, came(inbound(GERMAN, update="3", at=group)), said("ok")) == ["de", "de"]
    assert languages.owners() == "de"


async def test_the_owners_option_goes_before_all() -> None:
    languages = Languages("zh", InMemoryCoordinator())

    assert await spoken(languages, said(GERMAN), said("hello")) == ["zh", "zh"]
    assert languages.of_event(inbound(GERMAN, update="1")) == languages.owners() == "zh"


@pytest.mark.parametrize(("option", "codes"), [("auto", ["en", "de", "de", "de"]), ("zh", ["zh"] * 4)])
async def test_what_is_heard_changes_it_as_what_is_written_does(option: str, codes: list[str]) -> None:
    languages = Languages(option, InMemoryCoordinator())
    before, voice = await languages.of_turn([said("ok")]), said("").inbound.address

    heard = [languages.of_speech(voice, OWNER.id, GERMAN), languages.of_speech(voice, OWNER.id, "Ok.")]

    assert [before, *heard, languages.owners()] == codes


async def test_after_a_restart_the_transcript_shows_it() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("test", ["personal"])
    bodies = [f'{{"text": "{GERMAN}"}}', '{"text": "ok"}', '{"text": "/recall where is the key"}']
    entries = tuple(TranscriptEntry(EntryKind.MESSAGE, "t1", NOON, body) for body in bodies)
    await coordinator.commit(grant, Effects(session(), (), entries=entries, turn="t1"))

    assert await spoken(Languages("auto", coordinator), said("ok")) == ["de"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Morgen um 15 Uhr kommt der Klempner", "de"),
        ("Mi hermana vive en Lima", "es"),
        ("Demain le plombier vient à 15h", "fr"),
        ("My sister lives in Bonn", "en"),
        ("Die Hard is on TV", "en"),
    ],
)
async def test_a_few_words_show_the_language_of_a_conversation_that_begins(text: str, code: str) -> None:
    assert await spoken(Languages("auto", InMemoryCoordinator()), said(text)) == [code]


async def test_who_has_shown_none_gets_that_of_the_machine() -> None:
    with in_language("de"):
        languages = Languages("auto", InMemoryCoordinator())

    assert await spoken(languages, said("ok")) == ["de"]
    assert languages.of_event(inbound("ok", update="2")) == "de"


@pytest.mark.parametrize(
    ("opening", "message", "code"),
    [
        ("salut", "merci", "fr"),
        ("Where is the key?", "cool thx", "en"),
        ("鍵はどこですか。", "新幹線何時", "ja"),
        ("鍵はどこですか。", "我的钥匙在哪里？", "zh"),
    ],
)
async def test_a_short_message_of_several_languages_is_one_of_the_language_spoken(
    opening: str, message: str, code: str
) -> None:
    assert (await spoken(Languages("auto", InMemoryCoordinator()), said(opening), said(message)))[-1] == code


def test_what_a_button_brings_is_not_looked_into() -> None:  # it may be anything, and is checked afterwards
    odd: Any = {"odd": 1}
    tapped = replace(inbound("x", update="1"), happening=Happening.BUTTON, text=odd)

    assert Languages("auto", InMemoryCoordinator()).of_event(tapped) == "en"
