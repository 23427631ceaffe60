from __future__ import annotations

from dataclasses import fields

import pytest

from bot.agent.phrases import Phrases, all_phrases, phrases_for
from memory.secrets import SecretKind

ENGLISH, GERMAN, CHINESE, FRENCH = (all_phrases()[code] for code in ("en", "de", "zh", "fr"))


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Where is the spare key?", ENGLISH),
        ("Wo ist denn der Schlüssel?", GERMAN),
        ("钥匙在哪里？", CHINESE),
        ("Où est la clé de la maison ?", FRENCH),
        ("Dove sono le chiavi della casa di mia madre?", ENGLISH),
        ("hi", ENGLISH),
        ("Hallo", GERMAN),
        ("Guten Morgen!", GERMAN),
        ("Danke!", GERMAN),
        ("Thank you, wo ist denn der Schlüssel?", GERMAN),
        ("你好", CHINESE),
        ("", ENGLISH),
        ("42", ENGLISH),
    ],
)
def test_people_are_answered_in_their_language_if_it_is_spoken_here(text: str, spoken: Phrases) -> None:
    assert phrases_for(text) is spoken


@pytest.mark.parametrize("spoken", all_phrases().values(), ids=all_phrases())
def test_every_language_has_every_phrase_and_a_name_in_one(spoken: Phrases) -> None:
    assert all(getattr(spoken, field.name) for field in fields(Phrases))
    assert set(spoken.kinds) == {kind.group for kind in SecretKind}
    assert "a b" in spoken.secret.format(kinds="a b")
    assert "a b" in spoken.secret_refused.format(kinds="a b")
    assert "work" in spoken.presence.format(agent="work")
    assert "`scrubjay init`" in spoken.no_model
    assert "`/remember " in spoken.not_owner
    assert spoken.kept.format(file="a.txt", place="files/a.txt").count("a.txt") == 2
    for lack in (spoken.too_large, spoken.refused, spoken.failed):
        assert lack.format(file="a.txt", each="1 MB", all="2 MB").count("a.txt") == 1
