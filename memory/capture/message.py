"""What a message does, from what its sentences do."""

from __future__ import annotations

import re

from memory.capture.act import COURTESIES, Act
from memory.capture.languages import languages_for
from memory.capture.notation import is_notation
from memory.capture.sentence import act_of_sentence
from memory.capture.sentences import ends_of, folded, sentences, simplified

_LISTED = re.compile(r"(?:^|\n) *(?:[-*•・]|\d{1,2}[.)]) *\w[^\n]*\n *(?:[-*•・]|\d{1,2}[.)]) *\w")
"""Two lines of a list: however short they are, they are more than small talk."""


def act_of(text: str) -> Act:
    """What a message does. A question outweighs a statement beside it, and both outweigh courtesies."""
    if is_notation(text):
        return Act.NOTE
    message = folded(simplified(ends_of(text)))
    languages = languages_for(message)
    acts = [act_of_sentence(sentence, languages) for sentence in sentences(message)]
    if Act.QUESTION in acts:
        return Act.QUESTION
    # What follows a request is its material: "Write a card for her. She turns 60."
    matter = next((act for act in acts if act not in COURTESIES), None)
    if matter is None and _LISTED.search(message):
        return Act.NOTE
    return matter or next((act for act in COURTESIES if act in acts), Act.SMALL_TALK)
