"""The offline mode's own words, in the languages that it speaks; the texts stand in `phrases.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from memory.capture.lexicon import language_patterns
from memory.capture.sentences import fold
from memory.language.detect import language


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's sentences.

    `presence`, the answer to "who are you?", takes the agent's name, `secret` the kinds of secrets that a message
    holds, `kept` a file and its place, `too_large` a file, and the most bytes of one and of all; `refused` and `failed`
    take a file. `found`, `known`, `contradiction`, `correction` and `replacement` introduce quoted passages. `yes` and
    `no` are on buttons; `kinds` names what `memory.secrets` finds.
    """

    greeting: str
    farewell: str
    welcome: str
    not_noted: str
    presence: str
    request: str
    reminder: str
    found: str
    nothing: str
    known: str
    contradiction: str
    correction: str
    replacement: str
    nothing_corrected: str
    secret: str
    secret_refused: str
    not_owner: str
    no_model: str
    forwarded: str
    kept: str
    too_large: str
    refused: str
    failed: str
    yes: str
    no: str
    kinds: Mapping[str, str]


@cache
def all_phrases() -> dict[str, Phrases]:
    """The phrases of every language, by its ISO 639-1 code."""
    text = resources.files("bot.agent").joinpath("phrases.toml").read_text(encoding="utf-8")
    return {code: Phrases(**own) for code, own in tomllib.loads(text).items()}


def phrases_for(text: str) -> Phrases:
    """The phrases in the language of a message; English for those that have none."""
    shown = language(text)
    if shown == "en":  # which is also said of words that show nothing, as those of a greeting do
        shown = _courteous(fold(text)) or shown
    spoken = all_phrases()
    return spoken.get(shown, spoken["en"])


def _courteous(text: str) -> str:
    """The language whose greeting, farewell or thanks a folded text begins with; empty if it begins with none."""
    courtesies = {code: language_patterns(code).small_talk for code in ("en", "de")}
    return next(
        (
            code
            for code, own in courtesies.items()
            if any(known.match(text) for known in (own.greeting, own.farewell, own.thanks))
        ),
        "",
    )
