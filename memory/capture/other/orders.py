"""Other languages: orders, to the agent and to oneself."""

from __future__ import annotations

from memory.capture.cues import Orders
from memory.capture.phrases import NOTHING, phrases

ORDERS = Orders(
    polite=NOTHING,
    tag=NOTHING,
    clause=NOTHING,
    keep=phrases(
        """
        (souviens-toi|rappelle-toi|note|retiens)( bien)?( que| :|:) | recuerda que | apunta( que|:) | anota( que|:)
        ricorda(ti)? che | lembra( que)? | onthoud( dat)? | запомни(,? что)?[:,]? | запиши(,? что)?[:,]?
        zapamiętaj(,? że)?
        """
    ),
    keep_bare=NOTHING,
    kept=NOTHING,
    reminder=phrases(
        """
        rappelle-moi | recuérdame | ricordami | lembre-me | me lembre | herinner me | напомни( мне)? | przypomnij mi
        """
    ),
    errand=NOTHING,
    rule=NOTHING,
    request=phrases(
        """
        (écris|dessine|traduis|raconte|chante|génère|explique)(-moi)?
        (escribe|dibuja|traduce|cuéntame|canta|genera|explica)(me)?
        (scrivi|disegna|traduci|raccontami|canta|spiega)(mi)? | (escreva|desenhe|traduza|conte|cante)(-me)?
        (schrijf|teken|vertaal|zing) | напиши | нарисуй | переведи | расскажи (анекдот|сказку|шутку|историю) | спой
        объясни | napisz | narysuj | przetłumacz
        """
    ),
)
