from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.tokens import CHARS_PER_TOKEN, MAX_RATIO, MIN_RATIO, TokenCounter, Window, estimate
from bot.llm.types import Message, Request, Role, ToolCall, Usage
from tests.support.factories import ADD_TOOL, make_request

O200K = [  # counted with OpenAI's own vocabulary
    ("The spare key to the shed hangs behind the blue door, and nobody has used it since last summer.", 21),
    ("Der Ersatzschlüssel für den Schuppen hängt hinter der blauen Tür, und niemand hat ihn benutzt.", 21),
    ("La clé de rechange de la remise est derrière la porte bleue, et personne ne s'en est servi.", 23),
    ("La llave de repuesto del cobertizo cuelga detrás de la puerta azul y nadie la ha usado.", 23),
    ("Zapasowy klucz do szopy wisi za niebieskimi drzwiami i nikt go nie używał.", 26),
    ("Kulübenin yedek anahtarı mavi kapının arkasında asılı duruyor ve onu kimse kullanmadı.", 29),
    ("Запасной ключ от сарая висит за синей дверью, и никто им не пользовался с прошлого лета.", 26),
    ("Το εφεδρικό κλειδί της αποθήκης κρέμεται πίσω από τη γαλάζια πόρτα και κανείς δεν το έχει.", 37),
    ("المفتاح الاحتياطي للمخزن معلق خلف الباب الأزرق، ولم يستخدمه أحد منذ الصيف الماضي.", 24),
    ("המפתח הרזרבי למחסן תלוי מאחורי הדלת הכחולה, ואף אחד לא השתמש בו מאז הקיץ שעבר.", 30),
    ("शेड की अतिरिक्त चाबी नीले दरवाज़े के पीछे लटकी है, और किसी ने उसका इस्तेमाल नहीं किया।", 27),
    ("กุญแจสำรองของโรงเก็บของแขวนอยู่หลังประตูสีน้ำเงิน และไม่มีใครใช้มันเลย", 28),
    ("棚子的备用钥匙挂在蓝色的门后面,自从邻居去年夏天搬走以后就没有人用过它。", 31),
    ("物置の予備の鍵は青いドアの裏に掛かっていて、去年の夏から誰も使っていません。", 31),
    ("창고의 여분 열쇠는 파란 문 뒤에 걸려 있고, 지난여름부터 아무도 사용하지 않았다.", 28),
    ("def keys(shed: Shed) -> list[Key]:\n    return [key for hook in shed.hooks if (key := hook.key)]\n", 29),
    ('{"name": "memory_search", "arguments": {"query": "spare key", "limit": 6, "scope": null}}', 29),
    ("- [ ] **Ask** Ann for the `shed` key (see [notes](memory/2026-11-21.md#L4))\n- [x] oil the lock\n", 39),
    ("2026-11-21T09:30:00.123Z INFO  pipeline.turn  agent=personal turn=01J9Z8 took_ms=183 tokens=2,417", 39),
]
CALLING = Message(Role.ASSISTANT, "", (ToolCall("c1", "add", {"a": 1}),))


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(("text", "tokens"), O200K)
def test_a_text_has_about_as_many_tokens_as_a_tokenizer_cuts_it_into(text: str, tokens: int) -> None:
    assert 0.7 * tokens < estimate(text) < 1.3 * tokens


def test_most_texts_are_within_a_fifth_and_all_together_within_a_twentieth() -> None:
    close = [text for text, tokens in O200K if abs(estimate(text) - tokens) <= tokens / 5]
    assert len(close) >= 0.75 * len(O200K)
    assert sum(estimate(text) for text, _ in O200K) == pytest.approx(sum(tokens for _, tokens in O200K), rel=0.05)


def test_where_accents_stand_on_most_words_more_is_counted_than_there_is() -> None:
    vietnamese = "Chìa khóa dự phòng của nhà kho treo sau cánh cửa màu xanh, và không ai dùng nó từ mùa hè."
    assert 27 < estimate(vietnamese) < 2 * 27


@pytest.mark.parametrize("sign", ["a", "A", "貓", " ", "\n", "!", "<|endoftext|>", "\u0301", "👩‍👧"])
def test_a_long_run_of_one_sign_is_counted_in_no_time(sign: str) -> None:
    assert estimate(sign * 200_000) > 0  # a counter in quadratic time would take hours


@given(st.text(alphabet=st.characters(codec=None)))
def test_every_text_with_anything_in_it_has_tokens_and_more_text_has_no_fewer(text: str) -> None:
    assert (estimate(text) > 0) or not text.strip(" ")
    assert estimate(text) <= estimate(f"{text}. And more.")


def test_a_text_of_many_megabytes_is_counted_without_a_list_of_all_that_is_in_it() -> None:
    text = "\x00" * 2_000_000
    tracemalloc.start()
    counted = estimate(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert counted == len(text)
    assert most < len(text)


def test_a_request_is_its_messages_its_tools_and_what_surrounds_them() -> None:
    counter = TokenCounter(words)
    said = Message(Role.USER, "one two three")

    assert counter.text("one two") == 2
    assert counter.message(said) == 4 + 3
    assert counter.message(CALLING) == 4 + (4 + 2)
    assert counter.message(replace(CALLING, extra={"reasoning_content": "a b"})) == 4 + (4 + 2) + 2
    assert counter.tool(ADD_TOOL) > 8
    assert counter.request(Request(history=(said,), tools=(ADD_TOOL,)), model="m") == 3 + 7 + counter.tool(ADD_TOOL)


def test_a_text_is_counted_once_however_often_it_is_sent() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 1

    counter = TokenCounter(count)
    for _ in range(3):
        counter.request(make_request("hello"), model="m")

    assert counted == ["hello"]


def test_what_a_model_reports_corrects_its_next_count_and_no_other_models() -> None:
    counter = TokenCounter(words)
    request = make_request("word " * 93)
    assert counter.request(request, model="m") == 100
    counter.learn(request, Usage(150, 9), model="m")

    assert counter.request(request, model="m") == 150
    assert counter.request(request, model="other") == 100


def test_newer_reports_weigh_more_and_larger_requests_too() -> None:
    counter = TokenCounter(words)
    small, large = make_request("word " * 3), make_request("word " * 993)
    counter.learn(small, Usage(30, 1), model="m")
    counter.learn(large, Usage(1000, 1), model="m")

    assert counter.ratio("m") == pytest.approx((0.8 * 30 + 1000) / (0.8 * 10 + 1000))


@pytest.mark.parametrize(("reported", "ratio"), [(1_000_000, MAX_RATIO), (1, MIN_RATIO), (0, 1.0), (-5, 1.0)])
def test_reports_that_cannot_be_true_are_kept_within_bounds(reported: int, ratio: float) -> None:
    counter = TokenCounter(words)
    counter.learn(make_request("word " * 93), Usage(reported, 0), model="m")

    assert counter.ratio("m") == ratio


@given(st.integers(2_000, 10_000_000), st.integers(0, 1_000_000))
def test_every_share_fits_into_the_window(tokens: int, output: int) -> None:
    window = Window(tokens, output)

    assert window.request + window.reserve == tokens
    assert window.bootstrap + window.recalled // CHARS_PER_TOKEN < window.request
    assert 0 < window.bootstrap_file <= window.bootstrap
    assert window.tool_result // CHARS_PER_TOKEN < window.reserve


def test_the_longest_answer_fits_in_beside_a_full_request_unless_it_takes_half_the_window() -> None:
    assert Window(128_000, 32_000).request == 128_000 - 32_000
    assert Window(16_000, 64_000).request == 16_000 // 2
    assert Window(128_000, 4_000) == replace(Window(128_000), output=4_000)
    assert Window(128_000, 4_000).reserve == Window(128_000).reserve


def test_large_windows_have_fixed_shares() -> None:
    assert (Window(200_000).reserve, Window(2_000_000).reserve) == (20_000, 20_000)
    assert Window(4_096).reserve == 1_024
