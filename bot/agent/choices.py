"""Reading a plain "yes", "no" or number as the answer to a question that was asked with choices."""

from __future__ import annotations

from enum import Enum

_YES = frozenset(
    "y yes yep yeah yup sure j ja jo jawohl klar gerne s si sí claro vale sim o oui ouais да ага конечно ναι נעם نعم "
    "हाँ हां ใช่ はい うん ええ お願いします 네 예 응 是 是的 对 对的 好 好的 可以 行 嗯 要".split()
) | {"do it", "please do", "mach das", "d'accord"}
_NO = frozenset(
    "n no nope nah nein ne nö não nao non нет όχι لا नहीं ไม่ いいえ いや やめて 아니요 아니 아뇨 "
    "不 不是 不要 不用 否 别 不行".split()
) | {"keep it", "leave it", "lass es", "не надо"}


class Choice(Enum):
    """A yes takes the first choice, a no the last; the value is its place."""

    YES = 0
    NO = -1


def choice_in(text: str) -> Choice | int | None:
    """What a message picks: yes, no, or a number from 1; None for any other message."""
    said = text.strip(" \n.!。！,，").casefold().replace("’", "'")
    if said in _YES:
        return Choice.YES
    if said in _NO:
        return Choice.NO
    return int(said) if said.isdecimal() and len(said) <= 2 and int(said) > 0 else None
