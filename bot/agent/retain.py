"""Retain for one agent: what the owner told in private on a day, and the facts that are made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime, tzinfo

import structlog

from bot.sessions.archive import is_private, session_pages
from bot.sessions.transcript import DecodedTurn, decode_turns
from bot.storage.port import Session
from bot.storage.transcripts import Transcripts
from memory import Memory, Written
from memory.knowledge.composing import compose
from memory.knowledge.retain import RetainedFact, Statement, choose, keep, pending
from memory.ports import Writer

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
