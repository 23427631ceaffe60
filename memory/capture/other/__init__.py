"""Other languages: their greetings, thanks and question words, without orders and kinds."""

from __future__ import annotations

from memory.capture.cues import Language
from memory.capture.other.manners import MANNERS
from memory.capture.other.marks import MARKS
from memory.capture.other.orders import ORDERS
from memory.capture.other.questions import QUESTIONS

LANGUAGE = Language(MANNERS, ORDERS, QUESTIONS, MARKS)
