"""Chinese: the parts that phrases are made of."""

from __future__ import annotations

from memory.capture.phrases import Pattern, signs

PARTS = {
    "wh": """
        什么 | 啥(?!都) | 谁 | (?<!天)哪(?!怕) | (?<![十百千好])几(点|号|月|岁|楼|路|时|站|排)
        (周|星期|礼拜|第)几 | (?<!没)多少(?!年没) | (?<![没不])多(大|久|长|远|高|重|深|宽|厚|快|晚|早|贵)
        (?<![没再不])怎么 | 怎样 | (?<!论)如何 | 为何 | 何(时|地|人|处|种|以) | 咋""",
    "secret": "密码 | 名字 | 地址 | 号码 | 电话 | 生日 | 日期 | 时间 | 账号 | 验证码 | 尺码 | 门牌",
    "tone": "[呀啊哦哟呢嘛吧啦了的喔噢诶咯喽哈~]*",
    "you_can": """
        你?(能不能|可不可以|可以不可以|能否) | 你(能|可以) | 你会(?=提醒|帮) | (能|可以)(?=[^,]{0,8}提醒我)
        (能|可以)(?=帮|请|给|把|替|麻烦|提醒|记|告诉|再|说说|讲讲|列|总结|找(一下|找|出)|查|看(一下|看))""",
    "tongue": "中文 | 英文 | 英语 | 德语 | 德文 | 法语 | 日语 | 汉语 | 普通话 | 粤语 | 繁体 | 简体",
    "order": "一下 | 我 | 你 | 您 | 再 | 都 | 也 | 先 | 快 | 赶紧 | 马上 | 现在 | 直接",
    "done": "(了|啦|过)",
}


def chinese(block: str, /, **own: str) -> Pattern:
    """Chinese phrases, made of the parts above and of some of their own."""
    return signs(block, PARTS | own)
