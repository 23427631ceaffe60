"""What carries no content in languages written without spaces: whole phrases, and single characters."""

from __future__ import annotations

import re

PHRASES: dict[str, tuple[str, ...]] = {
    code: tuple(sorted(phrases.split(), key=len, reverse=True))
    for code, phrases in {
        "zh": "什么时候 什麼時候 什么 什麼 甚麼 为什么 為什麼 为何 怎么样 怎麼樣 怎么 怎麼 怎样 如何 哪里 哪裡 哪儿 "
        "哪个 哪個 哪些 哪天 哪年 几点 多少 多久 多大 几个 幾個 是不是 有没有 有沒有 能不能 可不可以 是否 "
        "请问 請問 告诉我 告訴我 知道吗 记得吗 我们 我們 你们 你們 他们 他們 她们 它们 咱们 自己 这个 這個 "
        "那个 那個 这些 這些 那些 这里 這裡 那里 那裡 这样 這樣 那样 因为 因為 所以 但是 如果 还是 還是 或者 "
        "而且 以及 关于 關於 对于 對於 可以",
        "ja": "いつですか いつ どこですか どこ だれ 誰 なに 何ですか なぜ どうして どう どの どんな どれ いくら "
        "いくつ 何時 何日 何 ですか でしたか ますか ましたか ません でした ました です ます ください について "
        "これ それ あれ この その あの ここ そこ わたし 私 あなた 彼女 彼 している していた しました という "
        "ている ていた",
        "ko": "언제 어디서 어디에 어디 누가 누구 무엇을 무엇 뭐 왜 어떻게 어떤 어느 얼마 몇 무슨 입니까 습니까 "
        "합니까 했습니까 나는 내가 나의 저는 제가 우리 그는 그녀 그것 이것 저것 있는 있어 있습니까 인가요 "
        "했나요 하나요 나요",
        "th": "เมื่อไหร่ เมื่อไร ที่ไหน อะไร ใคร ทำไม อย่างไร เท่าไหร่ ไหน ของ และ ที่ เป็น อยู่ ครับ ค่ะ คะ หรือ ไหม",
    }.items()
}
"""Question words, pronouns and endings, longest first: cut out of a question before it is split into pieces."""

WEAK: dict[str, frozenset[str]] = {
    "zh": frozenset(
        "的了吗嗎呢吧啊呀嘛么着是在有和与與及或也都就很又被把给給从從对對为為我你您他她它这這那谁誰哪几幾啥不没沒会會要请請跟到于於上里裡"
    ),
    "ja": frozenset("のはがをにでともかへやねよただないるしれてすまさせんくうえ"),
    "ko": frozenset("은는이가을를에의로와과도만고요서"),
}
"""Characters of grammar: pieces made of them are left out of a question that has others."""

ENDINGS = re.compile(
    "(?:에서는|에서의|에서|에게서|에게|한테|으로|로|까지|부터|처럼|보다|이라고|라고|이랑|하고|은|는|이|가|을|를|에|의|와|과|도|만)$"
)
"""Korean particles that end a noun."""
