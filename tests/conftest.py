"""What holds for all tests: none of them depends on how fast the machine is at this moment."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
