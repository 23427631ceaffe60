"""Which language a conversation is held in: the owner's option, or what the person writes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import lru_cache

from adapters.port import Address, ChatKind, Happening, Inbound
from bot.access.access import identity
from bot.storage.coordinator import Coordinator
from bot.storage.port import EntryKind, Envelope
from bot.texts.catalogue import current_language
from bot.texts.formatting import split_command
from bot.waiting import Pause
from memory.capture import act_of, draft, wish
from memory.capture.languages import CHINESE, compile_latin
from memory.capture.lexicon import language_patterns
from memory.capture.sentences import fold
from memory.index.terms import tokens
from memory.language.detect import clear_language, likeliest_language

AUTO = "auto"
"""The option that takes the language that is written."""

COURTEOUS = ("en", "de")
"""Languages that a greeting shows, although its few words are no clear sign."""

OPENING = (*COURTEOUS, "es", "fr")
"""Languages that the greeting, or a few words, at a conversation's beginning show."""

SAYING = frozenset({"ask", "recall", "remember", "remind"})
"""Commands whose argument is what the person says; of the others it is a name, an id, a value."""

LOOKED_BACK = 40
"""Messages of a conversation among which the last clear one is looked for."""

SETTLED_AFTER_S = 3.0
"""Seconds after which a start is done: until then, what is compiled ahead would keep the first answer waiting."""

FIRST_WORDS = {
    "en": "Hello, how are you? Please remember that I like tea.",
    "de": "Hallo, wie geht es dir? Merk dir bitte, dass ich Tee mag.",
    "zh": "你好，你好吗？请记住我喜欢茶。",
}
"""A message in each language of the program: once one is classified, the phrase lists that it needs are compiled."""


@lru_cache(maxsize=64)  # a message is asked about when it comes, and when it is answered
def written_language(text: str, spoken: str = "") -> str:
    """Return the ISO 639-1 code of the language that a text is clearly in, also of a greeting; empty for any other.

    A greeting of several languages is one of the spoken one; Chinese characters alone are Japanese to who speaks it.
    """
    if code := clear_language(text):
        return spoken if (code, spoken) == ("zh", "ja") and not CHINESE.search(text) else code
    opening, nearest = fold(text), tuple(code for code in OPENING if code == spoken)
    shown = next((code for code in ((*nearest, *COURTEOUS) if spoken else OPENING) if _is_said(code, opening)), "")
    if shown != "de" or spoken == "de":
        return shown
    others = ("es", "fr") if spoken in {"", *COURTEOUS} else ("es", "fr", "")  # Germans say "ciao" and "merci", too
    return "" if any(_is_said(code, opening) for code in others) else shown


def _is_said(code: str, opening: str) -> bool:
    known = language_patterns(code).small_talk
    return any(pattern.match(opening) for pattern in (known.greeting, known.farewell, known.thanks))


class Languages:
    """Knows what language each person is answered in: their own, there or else elsewhere, or the last in their chat.

    The option is `owner.language`: one for all, or "auto" for the one that is written; after a restart, the transcripts
    have the last clear message. `principal` tells by whose id somebody acts whose accounts are linked.
    """

    def __init__(self, option: str, coordinator: Coordinator, principal: Callable[[str], str] = str) -> None:
        self._chosen = "" if option == AUTO else option
        self._coordinator = coordinator
        self._principal = principal
        self._otherwise = current_language()
        self._last: dict[tuple[str, ...], str] = {}
        self._owners_chat: tuple[str, ...] = ()

    def owners(self) -> str:
        """Return the language in which the owner is told what nobody asked for: the one they wrote in last."""
        return self._chosen or self._last.get(self._owners_chat, self._otherwise)

    def of_event(self, inbound: Inbound) -> str:
        """Return the language that an event is answered in: its own if it shows one, else that which messages have."""
        return self._of_event(inbound, self._principal(identity(inbound)))

    def _of_event(self, inbound: Inbound, by: str) -> str:
        if self._chosen:
            return self._chosen
        is_command = bool(words := _words(inbound)) and split_command(inbound.text) is not None
        return self._of_words(words, _places(inbound.address, by), is_command=is_command)

    def of_speech(self, to: Address, by: str, said: str) -> str:
        """Return the language that a person, by their id, is answered in who has said something in a voice message."""
        return self._chosen or self._of_words(said, _places(to, by))

    def _of_words(self, words: str, places: Sequence[tuple[str, ...]], *, is_command: bool = False) -> str:
        """Return the language that words are answered in, and keep the one they show, where people are heard."""
        spoken = next((self._last[place] for place in places[:2] if place in self._last), "")
        if (written := written_language(words, spoken)) and not (spoken and is_command):
            self._last |= dict.fromkeys(places, written)
        return written or spoken or self._last.get(places[-1], self._otherwise)

    async def of_turn(self, envelopes: Sequence[Envelope]) -> str:
        """Return the language of a turn's answer: what its messages, at least one, show, or the conversation's."""
        newest = envelopes[-1]
        inbound, by = newest.inbound, newest.principal.id  # of a job, who has ordered it
        for envelope in envelopes:
            self._of_event(envelope.inbound, by)
        own, person, chat = _places(inbound.address, by)
        if not self._chosen and own not in self._last and (own == chat or person not in self._last):
            likely = likeliest_language(_words(inbound), OPENING)  # of what may be no clear sign
            before = self._last.get(chat) or await self._look_back(newest) or self._last.get(person)
            self._last[chat] = before or likely or self._otherwise
            if likely and own != chat:
                self._last[own] = likely
        if newest.principal.is_owner and own == chat:
            self._owners_chat = chat
        return self._of_event(inbound, by)

    async def _look_back(self, envelope: Envelope) -> str:
        """Return the language of the last message of a conversation that shows one; empty if none does."""
        said = await self._coordinator.newest(envelope.session, after=0, limit=LOOKED_BACK, kinds=(EntryKind.MESSAGE,))
        texts = (json.loads(one.entry.body).get("text", "") for one in reversed(said))
        spoken = (written_language(text) for text in texts if isinstance(text, str) and not split_command(text))
        return next(filter(None, spoken), "")


def _words(inbound: Inbound) -> str:
    """Return what the person says, else quotes, or calls a file; nothing of taps, jobs, and most commands."""
    if inbound.happening in {Happening.BUTTON, Happening.JOB}:
        return ""
    command = split_command(inbound.text)
    if command is None:
        names = " ".join(file.name.replace("_", " ") for file in inbound.attachments)
        return inbound.text or inbound.quote or names
    return command[1] if command[0] in SAYING else ""


def _places(to: Address, by: str) -> tuple[tuple[str, ...], ...]:
    """Return for what a language is kept: a person's part of a chat, the person wherever they are, the whole chat."""
    chat = to.account, to.chat
    return chat if to.kind is ChatKind.PRIVATE else (*chat, by), (by,), chat


async def prepare_phrases(pause: Pause) -> None:
    """Have phrases compiled in a thread once the start is done; a process that ends before compiles what it needs."""
    await pause(SETTLED_AFTER_S)
    await asyncio.to_thread(compile_phrases)


def compile_phrases() -> None:
    """Compile the phrase lists that messages would have to wait for; it takes half a second."""
    compile_latin()
    for text in FIRST_WORDS.values():
        act_of(text)
        wish(text)
        draft(text)
        tokens(text)
