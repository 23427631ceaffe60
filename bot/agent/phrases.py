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
    `kept` takes a file and its place, `too_large` a file, and the most bytes of one and of all; `refused` and `failed`
    take a file. The rest stand alone.
    """

    greeting: str
    farewell: str
    welcome: str
    fine: str
    presence: str
    request: str
    found: str
    unsure: str
    nothing: str
    not_owner: str
    no_model: str
    forwarded: str
    kept: str
    too_large: str
    refused: str
    failed: str


ENGLISH = Phrases(
    greeting="Hello. Tell me something and I note it; ask and I look it up.",
    farewell="Goodbye. Until next time.",
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
    forwarded="Nothing was noted: what others wrote I keep only if you answer it with `/remember`.",
    kept="{file} is kept in `{place}`; I cannot look into files without a model.",
    too_large="{file} was not fetched: I take {each} a file, and {all} at once.",
    refused="{file} was not fetched: it is gone, or the platform does not hand over files so large.",
    failed="{file} could not be fetched; please send it once more.",
)

GERMAN = Phrases(
    greeting="Hallo. Erzähl mir etwas, und ich notiere es; frag, und ich schlage es nach.",
    farewell="Tschüss, bis zum nächsten Mal.",
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
    forwarded="Nichts wurde notiert: Was andere schreiben, behalte ich nur, wenn du mit `/remember` darauf antwortest.",
    kept="{file} liegt in `{place}`; ohne Sprachmodell kann ich nicht in Dateien hineinsehen.",
    too_large="{file} wurde nicht geholt: Ich nehme {each} je Datei und {all} auf einmal.",
    refused="{file} wurde nicht geholt: Es gibt die Datei nicht mehr, oder sie ist der Plattform zu groß.",
    failed="{file} ließ sich nicht holen; bitte schick die Datei noch einmal.",
)

CHINESE = Phrases(
    greeting="你好。告诉我的事我会记下来;问我,我就去查。",
    farewell="再见,下次聊。",
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
    forwarded="什么都没记下:别人写的话,只有你用 `/remember` 回复它,我才会保存。",
    kept="{file} 已存放在 `{place}`;没有语言模型,我看不了文件的内容。",
    too_large="{file} 没有下载:我最多接收每个文件 {each},一次共 {all}。",
    refused="{file} 没有下载:文件已不存在,或者平台不提供这么大的文件。",
    failed="{file} 下载失败,请再发一次。",
)

_PHRASES = {"de": GERMAN, "zh": CHINESE}


def phrases_for(text: str) -> Phrases:
    """The phrases in the language of a message; English for those that have none."""
    shown = language(text)
    if shown == "en":  # which is also said of words that show nothing, as those of a greeting do
        shown = _courteous(folded(text)) or shown
    return _PHRASES.get(shown, ENGLISH)


def _courteous(text: str) -> str:
    """The language whose greeting, goodbye or thanks a folded text begins with; empty if it begins with none."""
    spoken = {code: language_of(code).manners for code in ("en", "de")}
    begins = {code: (own.greeting, own.farewell, own.thanks) for code, own in spoken.items()}
    return next((code for code, said in begins.items() if any(pattern.match(text) for pattern in said)), "")
