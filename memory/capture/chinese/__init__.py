"""Chinese: all that the rules know about it."""

from __future__ import annotations

from memory.capture.chinese.manners import MANNERS
from memory.capture.chinese.marks import MARKS
from memory.capture.chinese.orders import ORDERS
from memory.capture.chinese.questions import QUESTIONS
from memory.capture.cues import Language

LANGUAGE = Language(MANNERS, ORDERS, QUESTIONS, MARKS)
