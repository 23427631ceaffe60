"""German: all that the rules know about it."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.german.manners import MANNERS
from memory.capture.german.marks import MARKS
from memory.capture.german.orders import ORDERS
from memory.capture.german.questions import QUESTIONS

LANGUAGE = Language(MANNERS, ORDERS, QUESTIONS, MARKS)
