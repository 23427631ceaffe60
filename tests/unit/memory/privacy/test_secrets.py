"""Secrets are found to the character, talk about them is left alone, and no text takes long."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.privacy.secrets import MARK, Secret, SecretKind, find_secrets, mask, mask_values
from tests.acceptance.secrets import Example, examples, found_exactly
from tests.support.measure import count_calls

SECRETS = examples("secrets.jsonl")
LOOKALIKES = examples("lookalikes.jsonl")
EXACT = [example for example in SECRETS if found_exactly(example)]
HALVES = ("seen", "held-out")
CARD, OTHER_CARD = "4111 1111 1111 1111", "5555555555554444"
IBAN, OTHER_IBAN = "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"
HOSTILE = (
    "password ",
    "password:",
    "password: a ",
    "password is hunter22 ",
    "hunter22 is my password. ",
    "password for the ",
    "passphrase a b c d ",
    'password "',
    "密码",
    "密码是",
    "пароль от ",
    "seed phrase abandon ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 20,
    "eyJaaaaaaaaa.",
    "sk-",
    "a://a:",
    "DE89 ",
    "4111 ",
    "1",
    "a",
    " ",
    "@",
)


def told(text: str) -> list[tuple[SecretKind, str]]:
    return [(secret.kind, text[secret.start : secret.end]) for secret in find_secrets(text)]


def test_there_are_enough_examples_of_each_kind() -> None:
    assert min(Counter(example.kind for example in SECRETS)[kind] for kind in SecretKind) >= 15
    assert len(LOOKALIKES) >= 500


@pytest.mark.parametrize("half", HALVES)
def test_nearly_every_secret_is_found(half: str) -> None:
    secrets = examples("secrets.jsonl", half)

    assert sum(bool(find_secrets(example.text)) for example in secrets) >= 0.95 * len(secrets)
    assert sum(found_exactly(example) for example in secrets) >= 0.95 * len(secrets)


@pytest.mark.parametrize("kind", SecretKind)
def test_most_secrets_of_each_kind_are_found_as_what_they_are(kind: SecretKind) -> None:
    secrets = [example for example in SECRETS if example.kind is kind]

    assert sum(found_exactly(example) for example in secrets) >= 0.9 * len(secrets)


@pytest.mark.parametrize("half", HALVES)
def test_hardly_anything_else_is_taken_for_a_secret(half: str) -> None:
    lookalikes = examples("lookalikes.jsonl", half)

    assert sum(bool(find_secrets(example.text)) for example in lookalikes) <= 0.01 * len(lookalikes)


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("My PIN is 4711, hers is the year we met.", ["4711"]),
        ("Passwort: Sonne77.", ["Sonne77"]),
        ("(password: Sonne77)", ["Sonne77"]),
        ("WiFi密码是hunter22。", ["hunter22"]),
        ("비밀번호는 gamja1234입니다", ["gamja1234"]),
        (f"from {IBAN} to {OTHER_IBAN}", [IBAN, OTHER_IBAN]),
        (f"{CARD} {OTHER_CARD}", [CARD, OTHER_CARD]),
        ("password hunter22 for mail, pw Tiger_99 for films", ["hunter22", "Tiger_99"]),
        ("The password is hunter22. Yes, hunter22!", ["hunter22", "hunter22"]),
        ("password is 'open sesame'", ["open sesame"]),
    ],
)
def test_a_secret_is_told_without_what_stands_around_it(text: str, secrets: list[str]) -> None:
    assert [value for _, value in told(text)] == secrets


@pytest.mark.parametrize(
    ("household", "private"),
    [
        ("The PIN of the garage is 4711", "The PIN of the card is 4711"),
        ("车库密码是5519", "手机密码是5519"),
        ("Die Haustür hat die PIN 4711", "Das Handy hat die PIN 4711"),
    ],
)
def test_a_code_of_the_household_is_no_secret(household: str, private: str) -> None:
    assert find_secrets(household) == ()
    assert len(find_secrets(private)) == 1


def test_a_household_in_another_sentence_excuses_nothing() -> None:
    assert len(find_secrets("The garage is red. My PIN is 4711.")) == 1


@pytest.mark.parametrize("said", ["required", "expired", "wrong", "********", "<password>", "see the note", MARK])
def test_what_is_said_of_a_password_is_none(said: str) -> None:
    assert find_secrets(f"password: {said}") == ()
    assert find_secrets(f"The password is {said}.") == ()


def test_where_two_overlap_the_surer_kind_is_told_once() -> None:
    token = "ghp" + "_" + "a1B2" * 9

    assert told(f"my password is {token}") == [(SecretKind.GITHUB, token)]
    assert told(f"https://{token}@github.com/a/b") == [(SecretKind.GITHUB, token)]


def test_a_private_key_that_was_cut_off_is_secret_to_its_end() -> None:
    key = "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"

    assert told(f"here: {key}") == [(SecretKind.PRIVATE_KEY, key)]
    assert find_secrets("-----BEGIN " + "PRIVATE KEY----- is how it begins") == ()


def test_a_masked_text_has_no_secret_left_and_the_words_around_it_untouched() -> None:
    for example in EXACT:
        masked = mask(example.text, find_secrets(example.text))

        assert masked == example.text.replace(example.value, MARK)
        assert find_secrets(masked) == ()


@given(st.integers(0, 15), st.integers(1, 9))
def test_a_card_with_one_wrong_digit_is_a_number_like_others(place: int, more: int) -> None:
    wrong = str((int(OTHER_CARD[place]) + more) % 10)

    assert told(f"card {OTHER_CARD}") == [(SecretKind.CARD, OTHER_CARD)]
    assert find_secrets(f"card {OTHER_CARD[:place]}{wrong}{OTHER_CARD[place + 1 :]}") == ()


@given(st.integers(2, 21), st.integers(1, 9))
def test_an_iban_with_one_wrong_digit_is_none(place: int, more: int) -> None:
    account = IBAN.replace(" ", "")
    wrong = str((int(account[place]) + more) % 10)

    assert told(account) == [(SecretKind.IBAN, account)]
    assert find_secrets(account[:place] + wrong + account[place + 1 :]) == ()


PIECES = st.one_of(
    st.sampled_from([example.text for example in SECRETS + LOOKALIKES]), st.sampled_from(HOSTILE), st.text(max_size=20)
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_secrets_are_in_order_and_apart_in_every_text(text: str) -> None:
    secrets = find_secrets(text)

    assert all(0 <= secret.start < secret.end <= len(text) for secret in secrets)
    assert all(one.end <= other.start for one, other in pairwise(secrets))
    assert len(mask(text, secrets)) == len(text) - sum(each.end - each.start - len(MARK) for each in secrets)


@given(st.lists(st.sampled_from(EXACT), min_size=1, max_size=4, unique=True))
def test_secrets_told_in_several_lines_are_all_masked(told_each: list[Example]) -> None:
    text = "\n\n".join(each.text for each in told_each)

    masked = mask(text, find_secrets(text))

    assert [each.text for each in told_each if each.value in masked] == []
    assert find_secrets(masked) == ()


def test_a_seed_phrase_ends_where_other_words_stand_behind_it_with_more_than_space_between() -> None:
    phrase = "abandon ability able about above absent absorb abstract absurd abuse access accident"
    text = f"my wallet seed phrase is {phrase}\n\ndatabase: postgres://pool.example.org"

    assert phrase not in mask(text, find_secrets(text))


def test_a_text_is_masked_where_it_is_told_to_be() -> None:
    assert mask("a secret b", [Secret(SecretKind.PASSWORD, 2, 8)]) == f"a {MARK} b"
    assert mask("nothing", []) == "nothing"


@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_the_text_is_at_most_twice_the_work(unit: str) -> None:
    small, large = (unit * (length // len(unit)) for length in (5_000, 10_000))
    find_secrets(large)  # compiles its patterns

    assert count_calls(partial(find_secrets, large)) <= 2.1 * count_calls(partial(find_secrets, small)) + 100


@pytest.mark.parametrize("unit", ["password:", "密码", "-----BEGIN PRIVATE KEY-----\n" + "A" * 20, "4111 ", "a://a:"])
def test_a_hundred_thousand_characters_that_begin_like_secrets_are_searched_to_their_end(unit: str) -> None:
    hostile = (unit * 100_000)[:100_000]

    assert told(f"{hostile}\n\nmy visa is {CARD}.")[-1] == (SecretKind.CARD, CARD)


def test_of_two_strings_that_are_masked_the_longer_leaves_nothing_and_an_empty_one_masks_nothing() -> None:
    assert mask_values("hunter2 and hunter2-Geheim", ["", "hunter2", "hunter2-Geheim"]) == f"{MARK} and {MARK}"


def test_a_string_is_masked_between_the_signs_of_markdown_and_a_number_however_it_is_grouped() -> None:
    dense = IBAN.replace(" ", "")
    assert (
        mask_values("_hunter22_ or **hunter22**, not xhunter22", ["hunter22"])
        == f"_{MARK}_ or **{MARK}**, not xhunter22"
    )
    assert (
        mask_values(f"{IBAN} or {dense}.", [dense])
        == mask_values(f"{IBAN} or {dense}.", [IBAN])
        == f"{MARK} or {MARK}."
    )
    assert mask_values("the welcome_letter", ["welcome"]) == "the welcome_letter"


def test_a_string_is_masked_as_a_whole_and_a_year_elsewhere_only_where_it_is_told_as_a_secret() -> None:
    said = "PIN 2026, not 12026, nor 2026-11-21; hunter22 and hunter223"

    assert mask_values(said, ["2026", "hunter22"]) == f"PIN {MARK}, not 12026, nor 2026-11-21; {MARK} and hunter223"
    assert mask_values("In 2026 my PIN is 2026.", ["2026"], told=True) == f"In 2026 my PIN is {MARK}."


@pytest.mark.parametrize(
    "text",
    [
        "wifi password home: SuperNova88",
        "WLAN Passwort zuhause: SuperNova88",
        "пароль вайфай дома: SuperNova88",
        "wifi密码家里：SuperNova88",
    ],
)
def test_the_place_of_a_password_may_stand_behind_it(text: str) -> None:
    assert told(text) == [(SecretKind.PASSWORD, "SuperNova88")]
