"""Chinese messages and what they do."""

from __future__ import annotations

import pytest

from memory.capture import Act, act_of

NOTES = """
我妹妹叫陈悦，住在成都
备用钥匙挂在热水器后面
今天上午拔了智齿
我们决定把走廊刷成绿色
小刘不吃香菜
我的血型是A型
车险三月三号到期
我六月要搬家
嗨！水管工周四八点到十点来
你好，我今天开始新工作了
谢谢！对了，包裹到了
好的，会议改到下午三点了
对了，奥尔加是左撇子
记住，垃圾周二要拿出去
请记住我的鞋码是43
你能记住我对青霉素过敏吗？
帮我记一下，锅炉五月份检修过
备忘：柜子214，密码7229
别忘了奶奶不喜欢惊喜
记得给番茄浇水
记得明天九点给银行打电话
提醒我给冰箱除霜
明天提醒我去看牙医
你可以提醒我晚上八点吃药吗？
买燕麦奶和香蕉
我得在夏天之前换护照
还要交报税表
今年我想学帆船
我的目标是不停地跑十公里
周五之前把发票发给凯伦
以后都用英文回答我
十点以前不要给我安排会议
请不要用感叹号
叫我船长就行
回答尽量简短
别在半夜给我发消息
能不能以后都用法语回复我？
我小时候住在采石场旁边
下雨的时候地下室会进水
重启水泵的方法：按住红色开关十秒
保险箱在楼梯下面，大衣后面
我把雨伞忘在办公室了
我觉得新窗帘太暗了
我更喜欢蓝色的那个
牙医明天九点半
护照号码：E12345678
兽医的预约改到周一了
车库密码是5519
妈妈问我什么时候回家
我们家不吃猪肉
米尔街那家餐厅太贵了
实验室没有证件不能进
小王下个月去Siemens上班
我住在上海，老家在西安
周五晚上八点去姑姑家吃饭
我不知道为什么今天特别累
我昨天买了几本书
什么都不想吃，胃不舒服
老师教我怎么修水管了
我學會了怎麼換輪胎
記得買牛奶
WiFi密码是hunter22
我女儿的班主任姓周
今天跟王医生约了复查
昨天在咖啡馆见到了阿明
我最讨厌堵车
我爸的生日是农历八月初三
我们下周不上班
房租每个月15号交
"""

QUESTIONS = """
那个水管工叫什么来着
车险什么时候到期？
我把备用钥匙放哪儿了
谁住在成都
小刘吃素吗？
包裹到了吗
电费我交了没有
我们还有油漆吗
我去过挪威吗
陈悦多大了
沙发花了多少钱
哪个柜子是我的
我的血型是什么
妈妈的生日是几号
那车库密码呢
告诉我你知道的关于奥尔加的事
跟我说说我的保险
查一下锅炉的检修记录
提醒我一下密码是什么
你能告诉我水管工什么时候来吗？
帮我查一下我的鞋码
找一下我关于假期的笔记
列出我所有的预约
我想知道我的眼镜在哪
我忘了房东说了什么
我不记得我们选了哪家银行
不知道学校几点开始
你还记得那家酒店的名字吗
你知道走廊是谁刷的吗
你好！兽医预约是什么时候？
早上好，今天有什么安排？
谢谢！保险箱在哪里？
好的，那是谁打来的电话
我今天开始新工作了。我以前工资多少？
我的火车是九点，对吧？
会议是周三，没错吧？
我在门口，密码是多少
我们是哪年买的车
蓝色的礼物是给谁的
我们为什么取消了旅行
汉娜吃不吃鱼
是周二还是周三？
去实验室要带什么
药要饭后吃吗？
是谁跟我说过采石场的事
护照哪天过期
游泳馆几点开门
水泵怎么重启
有没有关于窗帘的记录
我圣诞节说想要什么
我上次看牙医是什么时候
能不能告诉我房东的电话
学校门口可以停车吗
请问老李住几楼
我是不是约了周五的牙医
記不記得我的鞋碼
密碼是什麼
誰喜歡吃魚
我的护照放在哪里了呢
想不起来那个导演叫什么名字了
老板说的截止日期是哪天
周末去谁家吃饭
我對什麼過敏來著
小王在哪家公司
明天要见谁
"""

GREETINGS = """
你好
您好！
早上好
晚上好呀
嗨
哈喽
早安 😊
再见
拜拜
晚安
大家好
"""

THANKED = """
谢谢
非常感谢！
谢谢你，帮大忙了
谢谢提醒
好的谢谢
太好了，谢谢你的帮助
多谢啦 🙏
辛苦了
感谢！
太感谢了
"""

SMALL_TALK = """
好的
哈哈哈
嗯嗯
不错
你好吗？
你是谁
你会做什么？
你是机器人吗？
你喜欢音乐吗？
今天天气真好
天气不错，对吧？
你真有意思
没事
做得好！
原来如此
👍
没关系
是的
开玩笑的
好无聊啊
真的吗？
好主意！
对啊
知道了
太棒了！
"""

REQUESTS = """
给我写一首关于企鹅的诗
你能画一只狐狸吗？
把这句话翻译成法语：房子着火了
帮我订今晚四个人的位子
唱首歌给我听
放点爵士乐
把厨房的灯关掉
帮我点一份披萨
给我解释一下量子计算
设一个六点的闹钟
帮我写封求职信
你可以帮我给餐厅打电话吗？
总结一下这篇文章
给我三个晚餐的建议
帮我找一家里斯本的便宜酒店
请帮我给老板写封邮件
推荐一部好电影
我们来下棋吧
算一下240的百分之十五
麻烦你帮我修改作文
画一座城堡
逗我笑
打开空调
来首诗
"""


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


@pytest.mark.parametrize("text", lines(NOTES))
def test_a_statement_is_noted(text: str) -> None:
    assert act_of(text) is Act.NOTE


@pytest.mark.parametrize("text", lines(QUESTIONS))
def test_a_question_is_answered_with_and_without_a_question_mark(text: str) -> None:
    assert act_of(text) is Act.QUESTION


@pytest.mark.parametrize("text", lines(GREETINGS))
def test_a_greeting_is_a_greeting(text: str) -> None:
    assert act_of(text) is Act.GREETING


@pytest.mark.parametrize("text", lines(THANKED))
def test_thanks_are_thanks(text: str) -> None:
    assert act_of(text) is Act.THANKS


@pytest.mark.parametrize("text", lines(SMALL_TALK))
def test_small_talk_is_neither_noted_nor_answered(text: str) -> None:
    assert act_of(text) is Act.SMALL_TALK


@pytest.mark.parametrize("text", lines(REQUESTS))
def test_an_order_that_takes_a_doer_is_a_request(text: str) -> None:
    assert act_of(text) is Act.REQUEST
