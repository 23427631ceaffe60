"""English: the parts that phrases are made of."""

from __future__ import annotations

from memory.capture.names.lexicon import GIVEN_NAMES
from memory.capture.phrases import Pattern, phrases

PARTS = {
    "wh": "what | when | where | who | whom | whose | which | why | how",
    "is": "is | are | was | were | am | isn'?t | aren'?t | wasn'?t | weren'?t",
    "does": "do | does | did | don'?t | doesn'?t | didn'?t | have | has | had | haven'?t | hasn'?t",
    "may": """
        can | could | will | would | should | shall | may | might | must | can'?t | couldn'?t | won'?t
        shouldn'?t""",
    "aux": "<is> | <does> | <may>",
    "pronoun": "i | you | he | she | it | we | they | this | that | these | those | there",
    "mine": "my | our | the | his | her | their | your | \\w+'s",
    "subject": "<pronoun> | <mine> | a | an | any | some | every | no | (any|some|every)(one|body|thing)",
    "name": " | ".join(sorted(map(str.lower, GIVEN_NAMES))) + " | mom | mum | dad | grandma | grandpa",
    "day": "(mon|tues|wednes|thurs|fri|satur|sun)day",
    "month": """
        january | february | march | april | may | june | july | august | september | october | november
        december""",
    "time": """
        (this |next |on |by |before |until |till )?(<day>)s? | tomorrow | tonight | today | later
        (this|next) (morning|afternoon|evening|weekend|week|month|year)
        (at|by|before|until) (\\d.{0,6}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past)
        in (an?|two|three|\\d+) (minute|hour|day|week|month)s? | (by|before|until) (the|noon|midnight|<month>)""",
    "good": """
        good | great | nice | cool | awesome | amazing | perfect | excellent | lovely | wonderful | fantastic
        brilliant | funny | sweet | neat | fine | ok | okay | bad | sad | crazy | hilarious | interesting
        helpful | useful | right | true | wrong | kind | smart | clever | fun | impressive | weird | strange
        terrible | awful | enough | annoying | the best | useless | beautiful | gorgeous | hot | cold | sunny
        rainy""",
    "very": """
        so | very | really | super | extremely | totally | pretty | just | too | quite | such | not | a | an | how
        what""",
    "secret": """
        password | passcode | pin | code | name | address | number | date | birthday | time | title | username
        login | combination | size | iban | blood type | phone | e-?mail | recipe | license plate""",
    "end": "<stop> | (?= and (thanks|thank|bye|good|see|sweet|have|take|sleep|talk|cheers)(?!\\w))",
    "weather": "day | weather | morning | evening | night | week | outside",
}


def english(block: str, /, **own: str) -> Pattern:
    """English phrases, made of the parts above and of some of their own."""
    return phrases(block, PARTS | own)
