"""Chinese: all that the rules know about it."""

from __future__ import annotations

from memory.capture.chinese.cues import CUES
from memory.capture.chinese.manners import MANNERS
from memory.capture.chinese.marks import MARKS
from memory.capture.cues import Language

LANGUAGE = Language(MANNERS, CUES, MARKS)
