"""Offline mode: answers without a language model. It notes what the owner states and quotes memory for questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace

from adapters.port import Button
from bot.agent.notes import Phrases, Proposal, Proposals, note, phrases_for, quoted_fact
from bot.receipts import incomplete, quoted
from bot.storage.keys import SessionKey
from bot.turn import Reply, Turn
from memory import Hit, Kind, Origin
from memory.capture import Act, Wish, WishKind, act_of, contradicts, correct, same, statement, wish
from memory.index.terms import terms_of, tokens
from memory.language.detect import clear_language

SHOWN = 3
"""Passages in an answer: two or three are read, more are skimmed."""

COMPARED = 8
"""Facts that a statement is held against: the newest, and as many that are like it."""

LONGEST_COMPARED = 400
"""Characters of a statement that is read for whether it corrects or contradicts another."""


Quoted = Callable[[SessionKey], Awaitable[Sequence[Hit]]]


class OfflineResponder:
    """The responder for times without a model.

    A statement by the owner is noted; a question is answered with the best passages; courtesy is returned. A wish to
    forget becomes the preview of `/forget`, a correction an offer to replace the fact that it corrects.

    Args:
        commands: slash commands, without the slash: one that is typed without it is no statement.
        offers: what has been proposed and waits for a yes or no.
        quoted: the facts with which a conversation's last message was answered; a correction means those first.
    """

    def __init__(self, commands: Collection[str], offers: Proposals, quoted: Quoted) -> None:
        self._commands = commands
        self._offers = offers
        self._quoted = quoted

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn; raises the memory library's errors when a write fails."""
        said = turn.text or turn.quote or " ".join(file.name.replace("_", " ") for file in turn.files)
        phrases = phrases_for(said)
        if _is_quote_meant(turn):
            reply = await note(turn, quoted_fact(turn), self._offers)
        else:
            reply = await self._said(turn, phrases) if turn.text.strip() else _silent(turn, phrases)
        for file in turn.files:
            reply = reply.with_note(phrases.kept.format(file=file, place=file.place)) if file.path else reply
        return reply

    async def _said(self, turn: Turn, phrases: Phrases) -> Reply:
        word = turn.text.strip(" .!?").lower()
        if word == "help":
            return Reply("", instead="/help")
        if word in self._commands:
            return Reply(f"Do you mean `/{word}`? Commands begin with a slash. Nothing was noted.")
        wished = wish(turn.text) if turn.origin is Origin.OWNER else None
        if wished is None:
            return await self._done(turn, act_of(turn.text), phrases)
        match wished.kind:
            case WishKind.FORGET:
                return Reply("", instead=await self._forget(turn, wished))
            case WishKind.REMIND:
                return Reply(phrases.reminder)
            case WishKind.CORRECT:
                return await self._correct(turn, wished.what, phrases)

    async def _done(self, turn: Turn, act: Act, phrases: Phrases) -> Reply:
        is_asked = turn.text.rstrip().endswith(("?", "？", "؟"))
        match act:
            case Act.NOTE if turn.origin is Origin.OWNER:
                return await self._note(turn, phrases)
            case Act.NOTE:
                return Reply(phrases.not_owner)
            case Act.QUESTION:
                return await self._answer(turn, phrases)
            case Act.SMALL_TALK if is_asked:
                return Reply(phrases.presence.format(agent=turn.agent.name))
        courtesies = {
            Act.GREETING: phrases.greeting,
            Act.FAREWELL: phrases.farewell,
            Act.THANKS: phrases.welcome,
            Act.REQUEST: phrases.request,
        }
        return Reply(courtesies.get(act, phrases.not_noted))

    async def _forget(self, turn: Turn, wished: Wish) -> str:
        """The command for a wish to forget; "that last note" and "it" mean the newest fact."""
        if all(word in _POINTING for word in wished.what.casefold().split()):
            newest = await turn.agent.memory.recent(1, scope=turn.scope)
            return f"/forget ^{newest[0].id}" if newest else f"/forget {wished.what}"
        return f"/forget {'--all ' if wished.everything else ''}{wished.what}"

    async def _correct(self, turn: Turn, said: str, phrases: Phrases) -> Reply:
        """The offer to replace what a statement corrects: the fact most like it, of equals the last spoken of."""
        told = set(_terms(said))
        newest, like = await self._facts_like(turn, said)
        quoted = await self._quoted(turn.session)
        facts = {hit.id: hit for hit in (*quoted, *newest, *like) if len(hit.content) <= LONGEST_COMPARED}
        offers = [(hit, new) for hit in facts.values() if (new := correct(hit.content, said))]
        if not offers:
            return Reply(phrases.nothing_corrected)
        hit, new = max(offers, key=lambda offer: len(told.intersection(_terms(offer[0].content))))
        if not clear_language(turn.text):  # "no, seat 43" is said in the language of what it corrects
            phrases = phrases_for(hit.content)
        return self._offer_to_replace(turn, hit, new, phrases)

    def _offer_to_replace(self, turn: Turn, hit: Hit, text: str, phrases: Phrases) -> Reply:
        offer = Proposal(text, Origin.worst([turn.origin, hit.origin]), replaces=hit.id)
        token = self._offers.make(turn, offer)
        by = "\n".join(f"   > {line}" for line in text.split("\n"))
        buttons = (Button(phrases.yes, f"/replace yes {token}"), Button(phrases.no, f"/replace no {token}"))
        asked = f"{phrases.correction}\n{quoted(hit, 1)}\n\n{phrases.replacement}\n{by}"
        return Reply(asked, buttons=buttons, origins=frozenset({offer.origin}))

    async def _note(self, turn: Turn, phrases: Phrases) -> Reply:
        """Note a statement, unless it is known; one that contradicts a fact is noted, and the fact is shown."""
        text = statement(turn.text)
        offer = Proposal(text, turn.origin)
        if await turn.agent.memory.is_done(turn.op_id(0)):  # the turn is repeated after a crash
            return await note(turn, offer, self._offers)
        newest, like = await self._facts_like(turn, text)
        known = next((hit for hit in (*newest, *like) if same(hit.content, text)), None)
        if known:
            return Reply(f"{phrases.known}\n{quoted(known, 1)}", origins=frozenset({known.origin}))
        reply = await note(turn, offer, self._offers)
        short = [hit for hit in like if len(text) + len(hit.content) <= LONGEST_COMPARED]
        against = next((hit for hit in short if contradicts(hit.content, text)), None)
        if against is None or reply.buttons:
            return reply
        reply = reply.with_note(f"{phrases.contradiction}\n{quoted(against, 1)}\n\n`/forget ^{against.id}`")
        return replace(reply, origins=reply.origins | {against.origin})

    async def _facts_like(self, turn: Turn, text: str) -> tuple[Sequence[Hit], Sequence[Hit]]:
        """The newest facts, and those that are most like a text."""
        memory, scope = turn.agent.memory, turn.scope
        newest = await memory.recent(COMPARED, scope=scope)
        found = await memory.recall(text, scope=scope, limit=COMPARED)
        return newest, [hit for hit in found.hits if hit.kind is not Kind.NOTE]

    async def _answer(self, turn: Turn, phrases: Phrases) -> Reply:
        found = await turn.agent.memory.recall(turn.text, scope=turn.scope, limit=SHOWN)
        if not found.answers:
            return Reply(f"{phrases.nothing}{incomplete(found)}", evidence=found)
        passages = "\n".join(quoted(hit, n) for n, hit in enumerate(_newest_first(found.answers), 1))
        return Reply(f"{phrases.found}\n{passages}{incomplete(found)}", evidence=found)


_POINTING = frozenset(
    "it that this the last latest note notes fact one thing just now said told you i me my "
    "das dies diese dieser die der den letzte letzten notiz eben gerade gesagt habe ich was dir es "
    "eso esto lo la el última último nota dicho acabo de decir te que "
    "ça cela la le dernière dernier note que je viens de dire t'ai dit "
    "это эту последнюю последнее заметку запись что я сказал только 这个 那个 上一条 刚才那条 刚才说的 最后一条".split()
)
"""Words that name nothing and point back to what was noted last."""


def _is_quote_meant(turn: Turn) -> bool:
    """Whether the owner asks to remember something and leaves it to the quote to say what, as in "remember this"."""
    words = turn.text.strip(" .!。！").split() if turn.quote and turn.origin is Origin.OWNER else []
    while words and statement(f"{' '.join(words)}: x") != "x":
        if words.pop().casefold() not in _POINTING:
            return False
    return bool(words)


def _newest_first(answers: Sequence[Hit]) -> Sequence[Hit]:
    """The same answers; one that the first contradicts and that is newer comes before it."""
    first = answers[0]
    for hit in answers[1:]:
        is_short = len(first.content) + len(hit.content) <= LONGEST_COMPARED
        if is_short and _age(hit) > _age(first) and contradicts(first.content, hit.content):
            return [hit, *(other for other in answers if other is not hit)]
    return answers


def _age(hit: Hit) -> tuple[str, str, int]:
    """Greater for what was noted later: by its day, then as it stands in the log."""
    return hit.time or "", hit.source.path, hit.source.start


def _terms(text: str) -> Iterator[str]:
    return iter(terms_of(tokens(text), "").split())


def _silent(turn: Turn, phrases: Phrases) -> Reply:
    """The answer to a message without words of its own: a file, something forwarded, or nothing at all."""
    if turn.quote:
        return Reply(phrases.forwarded)
    return Reply("" if turn.files else phrases.not_noted)
