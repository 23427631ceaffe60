"""Who is meant: whether a text speaks in the first person, and whether a question turns to whoever answers it.

Pronouns and the commonest turns of asking for advice, by language; where a language is missing, nothing is said.
"""

from __future__ import annotations

import re

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
