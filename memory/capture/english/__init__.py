"""English: all that the rules know about it."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.english.manners import MANNERS
from memory.capture.english.marks import MARKS
from memory.capture.english.orders import ORDERS
from memory.capture.english.questions import QUESTIONS

LANGUAGE = Language(MANNERS, ORDERS, QUESTIONS, MARKS)
