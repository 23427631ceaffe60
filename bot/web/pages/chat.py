"""Chat: talk to an agent, and see what its model was asked: every part of the request with its size."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

from adapters.port import typed_choices
from bot.agent.context.context_log import Context as Seen
from bot.errors import UsageError
from bot.llm.types import Role
from bot.pipeline.intake import too_long
from bot.sessions.turns import decode_turns
from bot.texts.catalogue import mark, tr
from bot.web.page import Changed, Group, Page, View
from bot.web.rendering import markdown
from bot.web.scores import COLOURS, score_of

SHOWN = 20
"""Turns; the page of the session has all of them."""

PROGRESS_S = 0.1
"""How often a growing answer is sent, at most; each time it is sent whole."""

FILES, RULES, TOOLS, EARLIER, ASKED = "files", "rules", "tools", "conversation", "question"
PARTS: Mapping[str, str] = {
    RULES: mark("how to behave, and where it is"),
    FILES: mark("your files: who it is, who you are, what it knows by heart, the last days"),
    TOOLS: mark("what it may call"),
    EARLIER: mark("the conversation so far"),
    ASKED: mark("your message with what was recalled for it, and what its tools returned"),
}
"""Of a request, in the order of their colours, each with what it stands for."""


async def context(view: View) -> Mapping[str, Any]:
    """Collect the newest turns, what is under way, and the last request."""
    service, chat = view.app.context, view.beside.chats.visit(view.agent.name)
    recorded = await service.transcript.newest(chat.session)
    spoken = [(turn.id, turn.said(view.agent.name)) for turn in decode_turns(recorded)]
    turns = [{"turn": name, "said": said} for name, said in spoken if said]
    models = await service.models(chat.session)
    seen = await service.seen(chat.session)
    choices = [] if chat.waiting else await service.transcript.last_choices(chat.session)
    current = await service.transcript.current(chat.session)
    evidence = await service.transcript.last_recall(chat.session) if turns else None
    return {
        "revision": chat.version,
        "session": current.id if current else "",
        "turns": turns[-SHOWN:],
        "is_cut": len(turns) > SHOWN,
        "waiting": chat.waiting,
        "so_far": chat.so_far(),
        "doing": chat.doing,
        "notices": [*chat.notices],
        "choices": [{"key": key, "label": label} for key, label in typed_choices(choices)],
        "models": [model.name for model in models],
        "last": _request(seen) if seen else None,
        "trial": chat.trial,
        "recalled": [{"hit": hit, "score": score_of(hit)} for hit in evidence.hits] if evidence else [],
        "recalled_for": evidence.query if evidence else "",
        "colours": COLOURS,
    }


def _request(seen: Seen) -> Mapping[str, Any]:
    """Return a request: its pieces, and how many tokens each part has."""
    asked = max((place for place, piece in enumerate(seen.pieces) if piece.what == Role.USER), default=0)
    parts = dict.fromkeys(PARTS, 0)
    for place, piece in enumerate(seen.pieces):
        if piece.what == Role.SYSTEM:
            part = RULES
        elif piece.what.startswith("tool "):
            part = TOOLS
        else:
            part = ASKED if place >= asked else EARLIER
        parts[part] += piece.tokens
    parts[FILES] = min(sum(file.tokens for file in seen.files), parts[RULES])
    parts[RULES] -= parts[FILES]
    return {
        "seen": seen,
        "parts": parts,
        "title": tr("{tokens:,} of {window:,} tokens", tokens=seen.tokens, window=seen.window),
        "colours": {name: place for place, name in enumerate(PARTS)},
        "legend": {name: tr(words) for name, words in PARTS.items()},
    }


async def send(view: View) -> Changed:
    """Say something to the agent; the answer comes in its time. Raises `UsageError` if it is too long."""
    chat, text = view.beside.chats.visit(view.agent.name), view.field("text").replace("\r\n", "\n")
    if refusal := too_long(text):  # the answer to it would stand in no transcript, and this page shows one
        raise UsageError(refusal)
    if text.strip():
        chat.say(text, is_confined=view.is_confined)
    return Changed()


async def again(view: View) -> Changed:
    """Send the last request once more, without writing anything."""
    chat = view.beside.chats.visit(view.agent.name)
    responder = await view.app.context.responder(chat.session)
    if responder is None:
        return Changed(tr("There is no language model here, so nothing was shown to one."))
    view.beside.background.begin(partial(chat.try_again, responder), "trial of a request")
    return Changed()


async def stream(view: View) -> AsyncIterator[dict[str, str]]:
    """Tell how an answer grows, and when something was said."""
    chat = view.beside.chats.visit(view.agent.name)
    with chat.reading():
        yield {"event": "open", "data": ""}
        version, so_far = view.number("since", 0), ("", "")  # what was said while the page was on its way is told, too
        while True:
            news = chat.news.subscribe()
            if chat.version != version:
                version = chat.version
                yield {"event": "changed", "data": ""}
            elif (now := (chat.so_far(), chat.doing)) != so_far:
                so_far = now
                yield {"event": "progress", "data": json.dumps({"html": markdown(so_far[0]), "doing": so_far[1]})}
                await view.beside.chats.pause(PROGRESS_S)
            else:
                await news.wait()


PAGE = Page(
    path="/chat",
    title=mark("Chat"),
    context=context,
    group=Group.OVERVIEW,
    place=1,
    key="c",
    stream=stream,
    actions={"send": send, "again": again},
    scripts=("chat.js",),
)
