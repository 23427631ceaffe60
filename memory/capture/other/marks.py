"""Other languages: the marks that do not depend on words."""

from __future__ import annotations

from memory.capture.cues import Marks
from memory.capture.phrases import NOTHING, signs
from memory.model import Kind

MARKS = Marks(
    kinds={Kind.WORLD: signs("\\w+\\W+\\w+\\W+\\w+ | \\w{8,}")},
    categories=(("event", signs("\\d{1,2}:\\d\\d | \\d{1,2}[./]\\d{1,2}[./]\\d{2,4} | \\d{1,2} ?h(\\d\\d)?(?!\\w)")),),
    before_name=NOTHING,
    after_name=NOTHING,
)
