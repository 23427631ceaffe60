"""The offline mode's own words, in the languages that it speaks."""

from __future__ import annotations

from dataclasses import dataclass

from memory.capture.languages import language_of
from memory.capture.sentences import folded
from memory.language.detect import language


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's sentences.

    `found` and `unsure` introduce quoted passages; `presence`, the answer to "who are you?", takes the agent's name.
    The rest stand alone.
    """

    greeting: str
    welcome: str
    fine: str
    presence: str
    request: str
    found: str
    unsure: str
    nothing: str
    not_owner: str
    no_model: str


ENGLISH = Phrases(
    greeting="Hello. Tell me something and I note it; ask and I look it up.",
    welcome="You're welcome.",
    fine="All right.",
    presence="I am {agent}. Tell me something and I note it; ask and I look it up.",
    request="I cannot do that without a language model. I can note what you tell me and look up what you have told me.",
    found="From memory:",
    unsure="I have nothing certain about that. The closest I remember:",
    nothing="I remember nothing about that.",
    not_owner="I note only what my owner tells me. `/remember TEXT` keeps something for this chat.",
    no_model=(
        "(I am in offline mode: no language model is configured, so I note what you say and answer with quotes from "
        "memory. `scrubjay init` shows how to add a model.)"
    ),
)

GERMAN = Phrases(
    greeting="Hallo. Erzähl mir etwas, und ich notiere es; frag, und ich schlage es nach.",
    welcome="Gern geschehen.",
    fine="Alles klar.",
    presence="Ich bin {agent}. Erzähl mir etwas, und ich notiere es; frag, und ich schlage es nach.",
    request="Das kann ich ohne Sprachmodell nicht. Ich kann notieren und nachschlagen, was du mir sagst.",
    found="Aus dem Gedächtnis:",
    unsure="Dazu weiß ich nichts Sicheres. Am nächsten kommt:",
    nothing="Dazu weiß ich nichts.",
    not_owner="Ich notiere nur, was mein Besitzer sagt. `/remember TEXT` behält etwas für diesen Chat.",
    no_model=(
        "(Ich bin im Offline-Modus: Kein Sprachmodell ist eingerichtet, also notiere ich, was du sagst, und antworte "
        "mit Zitaten aus dem Gedächtnis. `scrubjay init` zeigt, wie man ein Modell hinzufügt.)"
    ),
)

CHINESE = Phrases(
    greeting="你好。告诉我的事我会记下来;问我,我就去查。",
    welcome="不客气。",
    fine="好的。",
    presence="我是 {agent}。告诉我的事我会记下来;问我,我就去查。",
    request="没有语言模型,这件事我做不了。我可以记下你说的话,也可以查找你说过的话。",
    found="记忆里有:",
    unsure="这件事我没有确切的记录。最接近的是:",
    nothing="关于这件事,我什么都没记下。",
    not_owner="我只记主人说的话。用 `/remember 内容` 可以为本聊天记一条。",
    no_model=(
        "(我处于离线模式:没有配置语言模型,所以我会记下你说的话,并引用记忆来回答。`scrubjay init` 会说明如何添加模型。)"
    ),
)

_PHRASES = {"de": GERMAN, "zh": CHINESE}


def phrases_for(text: str) -> Phrases:
    """The phrases in the language of a message; English for those that have none."""
    shown = language(text)
    if shown == "en":  # which is also said of words that show nothing, as those of a greeting do
        shown = _courteous(folded(text)) or shown
    return _PHRASES.get(shown, ENGLISH)


def _courteous(text: str) -> str:
    """The language whose greeting or thanks a folded text begins with; empty if it begins with neither."""
    spoken = {code: language_of(code).manners for code in ("en", "de")}
    return next((code for code, own in spoken.items() if own.greeting.match(text) or own.thanks.match(text)), "")
