"""What is to be kept of a chat message: all of it, to the letter, without an opening "remember that"."""

from __future__ import annotations

import re

from memory.capture.sentences import folded, sentences

LONGEST_SENTENCE = 1_000
"""Characters of a message from which an opening is taken off; a longer one is no single sentence."""

_ORDERS = (
    r"(?:please )?(?:remember|note|(?:keep|bear) in mind|make a note|write down|jot down|don't forget)(?: that\b|:)",
    r"(?:bitte )?(?:merke? dir|notiere?(?: dir)?|vergiss nicht|denk daran)(?: bitte)?(?:,? dass\b|,? daß\b|:)",
    r"(?:请)?(?:你)?(?:帮我)?(?:记住|记下来?|记一下|记着|記住|記下來?|記一下)(?:[,:]|(?=[^\s,:.!?了吗没]))",
    r"(?:por favor,? )?(?:recuerda|acu[ée]rdate(?: de)?|anota|apunta)(?: que\b|:)",
    r"(?:s'il te pla[îi]t,? )?(?:retiens|souviens-toi|rappelle-toi|note)(?: bien)?(?: que\b| qu'|:)",
    r"(?:per favore,? )?(?:ricorda|ricordati|annota|segna)(?: che\b|:)",
    r"(?:por favor,? )?(?:lembre?-?(?:te|se)?(?: de)?|anote?)(?: que\b|:)",
    r"(?:пожалуйста,? )?(?:запомни|запиши|заметь|имей в виду)(?:те)?(?:,? пожалуйста)?(?:,? что\b|:)",
    r"(?:παρακαλώ,? )?(?:θυμήσου|να θυμάσαι|σημείωσε)(?: ότι\b| πως\b|:)",
    r"(?:من فضلك,? )?(?:تذكر|تذكري|سجل|سجلي)(?: أن\b| ان\b|:)",
    r"(?:कृपया )?(?:याद रखो|याद रखना|याद रखिए|नोट करो|नोट कर लो)(?: कि\b|:)",
    r"(?:ช่วย)?(?:จำไว้|จดไว้|บันทึกไว้)(?:นะ|หน่อย)?(?:ว่า|:)",
    r"(?:覚えておいて|覚えといて|メモして)(?:ね)?[:,、。]",
    r"(?:기억해 ?줘|기억해|메모해 ?줘)[:,.]",
)
_KEEP = re.compile(rf" *(?:{'|'.join(_ORDERS)}) *")


def statement(text: str) -> str:
    """What is to be kept of a message: "remember that the key is in the shed" gives "the key is in the shed".

    The order is taken off only where it opens a single sentence; any other message comes back as it is.
    """
    if len(text) > LONGEST_SENTENCE or "\n" in text.strip():
        return text
    simple = folded(text)
    found = _KEEP.match(simple)
    if found is None or len(list(sentences(simple[found.end() :]))) != 1:
        return text
    return text[found.end() :]
