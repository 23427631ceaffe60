"""German: all that the rules know about it."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.german.cues import CUES
from memory.capture.german.manners import MANNERS
from memory.capture.german.marks import MARKS

LANGUAGE = Language(MANNERS, CUES, MARKS)
