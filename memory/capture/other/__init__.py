"""Other languages: their greetings, thanks and question words, without orders and kinds."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.other.cues import CUES
from memory.capture.other.manners import MANNERS
from memory.capture.other.marks import MARKS

LANGUAGE = Language(MANNERS, CUES, MARKS)
