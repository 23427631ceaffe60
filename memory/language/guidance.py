"""What a text shows besides its words: standing instructions, preferences, who speaks and who is spoken to.

A sentence that says how something should always be done, or what the speaker likes, shares few words with the request
that it is meant for, so it is told by how it is put. The cues are closed-class words and the commonest verbs of general
language, by language; where a language is missing, nothing is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntFlag


class TextFlags(IntFlag):
    """What a text shows besides its words."""

    NONE = 0
    STANDING = 1
    """A sentence says how something should always, or never, be done."""
    PREFERENCE = 2
    """A sentence says what the speaker prefers, likes or avoids."""
    FIRST_PERSON = 4
    """The speaker speaks of themself."""


GUIDING = TextFlags.STANDING | TextFlags.PREFERENCE


def _any(*alternatives: str) -> str:
    return "|".join(alternatives)


# At the beginning of a sentence, in lower case.
_STANDING = re.compile(
    _any(
        # English
        r"(?:(?:please|and|but|also|so|ok|okay|then),?\s+){0,3}(?:always|never|from now on|in (?:the )?future|"
        r"going forward|whenever|every time|each time|by default|as a rule|remember to|"
        r"make sure (?:to|you|that you)|(?:do not|don['’]t) ever|under no circumstances)\b",
        # German
        r"(?:bitte\s+)?(?:immer|nie|niemals|ab (?:jetzt|sofort|heute)|künftig|in zukunft|von nun an|jedes mal wenn|"
        r"denk daran|achte (?:immer )?darauf|grundsätzlich|standardmäßig)\b",
        r"(?:verwende|benutze?|nutze|antworte|schreib\w*|nenne?|gib|zeig\w*|sag\w*)\s+(?:bitte\s+)?(?:mir\s+)?"
        r"(?:\w+\s+)?(?:immer|nie|niemals|stets)\b",
        r"bitte\b[^.!?]{0,60}\b(?:immer|nie|niemals|stets)\b",
        # French, Spanish, Italian, Portuguese, Dutch
        r"(?:s['’]il te plaît,?\s+)?(?:toujours|jamais|désormais|à partir de maintenant|dorénavant|à l['’]avenir)\b",
        r"(?:por favor,?\s+)?(?:siempre|nunca|jamás|de ahora en adelante|a partir de ahora|en el futuro|"
        r"cada vez que)\b",
        r"(?:per favore,?\s+)?(?:sempre|mai|d['’]ora in poi|in futuro|ogni volta che)\b",
        r"(?:por favor,?\s+)?(?:de agora em diante|a partir de agora|no futuro|toda vez que|sempre que)\b",
        r"(?:altijd|nooit|vanaf nu|voortaan|in het vervolg)\b",
        # Russian, Arabic
        r"(?:пожалуйста,?\s+)?(?:всегда|никогда|впредь|отныне|с этого момента|каждый раз|в будущем|не забывай)\b",
        r"(?:من فضلك،?\s+)?(?:دائما|دائماً|أبدا|أبداً|لا \S+ أبدا|من الآن فصاعدا|من الآن فصاعداً|في المستقبل|كلما)\b",
        # Chinese
        r"(?:请|請)?(?:你|您)?(?:总是|總是|始终|始終|一律|务必|務必|永远|永遠|以后|以後|今后|今後|从现在起|從現在起|"
        r"每次|每当|每當|不要再|绝不|絕不|切勿)",
        r"(?:请|請).{0,20}(?:一律|总是|總是|始终|始終|务必|務必|都要|不要)",
        # Japanese, Korean
        r"(?:いつも|必ず|今後は?|これからは?|決して|絶対に|毎回)",
        r"(?:항상|언제나|절대|앞으로는?|반드시|매번|이제부터)(?:\s|$)",
    )
)

# Anywhere in a sentence of a language with spaces between words. Each begins with a word, and is for lower case: the
# engine then passes over most places at once.
_PREFERENCE = re.compile(
    r"(?<!\w)(?:"
    + _any(
        # English
        r"i(?:['’]d| would|['’]ve always| have always| usually| generally| really| always| also| do| still){0,2} "
        r"(?:prefer|rather|favou?r)\b",
        r"we(?:['’]d| would| usually| always| also){0,2} (?:prefer|rather|favou?r)\b",
        r"my (?:preference|preferred|favou?rite|go-to)\b",
        r"i(?:['’]d| would) (?:rather|like (?:it|you|to (?:avoid|keep|use|stick)))\b",
        r"i(?:['’]m| am)(?: not)?(?: really| more| most| much more){0,2} (?:a (?:big )?fan of|comfortable|happier|"
        r"partial to|into|keen on)\b",
        r"i (?:tend to|lean towards?|enjoy|value|opt for|always use|usually use|"
        r"find it (?:easier|better|helpful|more))\b",
        r"(?:works?|suits?) (?:best |better )?(?:for )?me\b",
        r"i(?:['’]d| would)? (?:want|like|love|need)\b[^.!?]{0,120}\b(?:rather than|instead of|over)\b",
        r"i (?:don['’]t|do not) (?:like|want you)\b",
        r"i (?:like|love|hate|dislike|avoid|can['’]t stand)\b",
        # German
        r"ich (?:bevorzuge|mag|hasse|liebe|vermeide)\b",
        r"ich ziehe\b[^.!?]{0,80}\bvor\b",
        r"(?:ich|mir)\b[^.!?]{0,40}\b(?:lieber|am liebsten)\b",
        r"mein\w{0,2} (?:liebling|bevorzugt|vorliebe)",
        # French, Spanish, Italian, Portuguese, Dutch
        r"je (?:préfère|n['’]aime pas|déteste)\b",
        r"j['’](?:aime|adore)\b",
        r"mon \w+ préféré",
        r"(?:prefiero|odio|me (?:gusta|encanta|molesta)|mi \w+ (?:favorit|preferid)[oa])\b",
        r"(?:preferisco|mi (?:piace|piacciono)|adoro|il mio \w+ preferito)\b",
        r"(?:prefiro|odeio|eu (?:gosto|adoro)|não gosto|meu \w+ (?:favorito|preferido))\b",
        r"ik (?:hou (?:niet )?van|haat|verkies)\b",
        r"ik\b[^.!?]{0,40}\b(?:liever|het liefst)\b",
        # Russian, Arabic
        r"я (?:предпочитаю|люблю|не люблю|ненавижу|обожаю)\b",
        r"мне (?:больше |не )?нравится\b",
        r"мо\w{1,2} любим",
        r"(?:أفضل أن|أفضّل|أحب|لا أحب|أكره|المفضل|المفضلة)\b",
    )
    + ")"
)

_PREFERENCE_UNSPACED = re.compile(
    _any(
        # Chinese, Japanese, Korean
        r"我(?:更|比较|比較|最|一直|通常|不|很|挺)?(?:喜欢|喜歡|爱|愛|偏好|偏爱|偏愛|讨厌|討厭|倾向|傾向|习惯|習慣|希望你|宁愿|寧願)",
        r"(?:の方が|のほうが|が|は)(?:大)?好き|が(?:嫌い|苦手)",
        r"(?:좋아|싫어|선호)(?:해|합니다|한다|하는)|더 좋(?:아|습니다)|이 좋(?:아|습니다)",
    )
)

_SENTENCE_END = re.compile(r"[.!?؟]+(?=\s)|[。！？]+|\n")
_LABEL = re.compile(r"(?:[-*+>#]+\s+)*(?:\*\*|__)?[^\W\d_][^:：\n.!?]{0,39}[:：](?:\*\*|__)?\s*")
_EDGES = " -*_>#\t\n\"'“”„«»「」（("


def text_flags(text: str) -> TextFlags:
    """What a text shows; labels such as `Anna:` before a line are passed over."""
    lower = text.lower()
    found = TextFlags.FIRST_PERSON if is_first_person(lower) else TextFlags.NONE
    if _says_preference(lower):
        found |= TextFlags.PREFERENCE
    if any(map(_STANDING.match, _sentences(lower))):
        found |= TextFlags.STANDING
    return found


def guiding_sentences(text: str) -> list[str]:
    """The sentences of a text that are guidance, in order."""
    return [one for one in _sentences(text) if _STANDING.match(one.lower()) or _says_preference(one.lower())]


def _says_preference(lower: str) -> bool:
    return bool(_PREFERENCE.search(lower) or (not lower.isascii() and _PREFERENCE_UNSPACED.search(lower)))


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end].strip(_EDGES)
        start = end
        label = _LABEL.match(sentence)
        if bare := sentence[label.end() :] if label else sentence:
            yield bare


_FIRST_PERSON = re.compile(
    r"(?<!\w)(?:"
    r"i|me|my|mine|myself|"  # English
    r"ich|mich|mir|mein(?:e[mnrs]?)?|"  # German
    r"je|j['’]|moi|mon|ma|mes|"  # French
    r"yo|mí|mi|mis|conmigo|"  # Spanish, and Italian "mi"
    r"io|mio|mia|miei|mie|eu|meu|minha|meus|minhas|"  # Italian, Portuguese
    r"ik|mij|mijn|"  # Dutch
    r"я|меня|мне|мной|мой|моя|моё|мое|мои|моего|моей|моих|"  # Russian
    r"أنا|انا|لدي|عندي"  # Arabic; its endings cannot be told apart without a dictionary
    r")\b"
    r"|我|俺|私|僕|わたし|ぼく"  # Chinese, Japanese
    r"|(?<![가-힣])(?:나는|나의|내가|내|저는|제가|제|저의|나를|저를)(?![가-힣])"  # Korean
)

_TURNS_TO_AGENT = re.compile(
    r"(?<!\w)(?:"
    r"you|your|yours|(?:should|could|can|may) i|help me|recommend|suggest|advise|"
    r"du|dir|dich|dein(?:e[mnrs]?)?|ihnen|(?:soll|sollte|kann|könnte) ich|hilf mir|empfiehl|empfehlen|rate mir|"
    r"vous|toi|ton|ta|tes|puis-je|dois-je|conseille[sz]?|recommande[sz]?|"
    r"tú|usted|tu|puedo|debo|debería|recomienda[sn]?|aconsej\w{1,4}|"
    r"você|posso|devo|ti|lei|consigli\w?|"
    r"jij|jou|jouw|kan ik|moet ik|"
    r"ты|тебя|тебе|вы|вас|вам|посоветуй(?:те)?|порекомендуй(?:те)?|помоги(?:те)?|"
    r"أنت|هل يمكنك|انصحني|اقترح"
    r")\b"
    r"|你|您|我(?:应该|應該|该|該|可以|怎么|怎麼|怎样|怎樣|如何)|推荐|推薦|建议|建議"
    r"|あなた|ください|すべき|おすすめ|教えて|당신|추천|알려|도와|어떻게 해야"
)


def is_first_person(text: str) -> bool:
    """Whether somebody speaks of themself."""
    return _FIRST_PERSON.search(text.lower()) is not None


def turns_to_agent(question: str) -> bool:
    """Whether a question addresses whoever answers it, or asks for advice: then it matters how the asker likes it."""
    return _TURNS_TO_AGENT.search(question.lower()) is not None
