"""English: all that the rules know about it."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.english.cues import CUES
from memory.capture.english.manners import MANNERS
from memory.capture.english.marks import MARKS

LANGUAGE = Language(MANNERS, CUES, MARKS)
