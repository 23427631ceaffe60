"""The proper names in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture import draft, statement
from memory.capture.draft import names_in, reword
from memory.files.notation import format_fact, parse_fact
from memory.types import CATEGORIES, Fact, Kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The spare key hangs behind the boiler", Kind.WORLD),
        ("My train leaves at 7:40", Kind.WORLD),
        ("I lost my umbrella on the tram yesterday", Kind.EXPERIENCE),
        ("We've moved into the new flat", Kind.EXPERIENCE),
        ("I prefer tea to coffee", Kind.OPINION),
        ("That restaurant was overpriced", Kind.OPINION),
        ("Ben can't stand coriander", Kind.OPINION),
        ("To restart the pump, hold the red switch for ten seconds", Kind.PROCEDURE),
        ("First boil the water, then add the rice", Kind.PROCEDURE),
        ("Remind me to call the bank", Kind.INTENTION),
        ("The library books are due on Friday", Kind.INTENTION),
        ("rent's 870, due on the 3rd each month", Kind.WORLD),
        ("Die Miete ist jeden Monat am 3. fällig", Kind.WORLD),
        ("I need to renew my passport", Kind.INTENTION),
        ("buy oat milk", Kind.INTENTION),
        ("Oat milk", Kind.OBSERVATION),
        ("Der Ersatzschlüssel hängt hinter dem Boiler", Kind.WORLD),
        ("Gestern habe ich meinen Schirm verloren", Kind.EXPERIENCE),
        ("Ich trinke lieber Tee als Kaffee", Kind.OPINION),
        ("Das Restaurant war überteuert", Kind.OPINION),
        ("Erst das Wasser kochen, dann den Reis dazugeben", Kind.PROCEDURE),
        ("Zum Entlüften den Schlüssel eine halbe Umdrehung drehen", Kind.PROCEDURE),
        ("Erinnere mich an den Zahnarzt", Kind.INTENTION),
        ("Ich muss noch den Pass verlängern", Kind.INTENTION),
        ("Hafermilch kaufen", Kind.INTENTION),
        ("Ich möchte nicht, dass mir jemand Blumen schenkt", Kind.WORLD),
        ("Ich möchte nicht vergessen, die Miete zu zahlen", Kind.INTENTION),
        ("Ich muss nicht zum Arzt, aber zur Apotheke", Kind.INTENTION),
        ("我不想去健身房", Kind.OPINION),
        ("Hafermilch", Kind.OBSERVATION),
        ("备用钥匙在热水器后面", Kind.WORLD),
        ("我昨天把雨伞丢了", Kind.EXPERIENCE),
        ("我更喜欢喝茶", Kind.OPINION),
        ("还有个表弟，他住在上海", Kind.WORLD),
        ("还有两份作业没交", Kind.INTENTION),
        ("还书给小李", Kind.INTENTION),
        ("先烧水，再放米", Kind.PROCEDURE),
        ("提醒我给银行打电话", Kind.INTENTION),
        ("Ma sœur habite à Lyon", Kind.WORLD),
    ],
)
def test_the_kind_is_told_from_the_words(text: str, kind: Kind) -> None:
    assert draft(text).kind is kind


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Always answer in Spanish", "rule"),
        ("Call me Anna", "rule"),
        ("my name is Anna", "fact"),
        ("Mein Name ist Anna", "fact"),
        ("Never call me before nine", "rule"),
        ("We decided to paint the hallway green", "decision"),
        ("Lesson learned: test the backup", "lesson"),
        ("My sister works as a nurse", "person"),
        ("The concert is on Friday", "event"),
        ("I like the blue one", "preference"),
        ("My goal is to run a marathon", "goal"),
        ("First boil the water, then add the rice", "workflow"),
        ("Lunova is a small company in Graz", "entity"),
        ("The spare key hangs behind the boiler", "fact"),
        ("Antworte immer auf Spanisch", "rule"),
        ("Wir haben beschlossen, den Flur zu streichen", "decision"),
        ("Gelernt: Backups testen, nie wieder ohne", "lesson"),
        ("Meine Schwester arbeitet als Krankenpflegerin", "person"),
        ("Das Konzert ist am Freitag", "event"),
        ("Ich mag das blaue lieber", "preference"),
        ("Mein Ziel ist ein Marathon", "goal"),
        ("Der Ersatzschlüssel hängt hinter dem Boiler", "fact"),
        ("以后请用中文回答", "rule"),
        ("我们决定把走廊刷成绿色", "decision"),
        ("我妹妹在医院工作", "person"),
        ("演唱会在周五", "event"),
        ("我喜欢蓝色", "preference"),
        ("我的目标是跑马拉松", "goal"),
        ("Oat milk", None),
    ],
)
def test_the_category_is_told_from_the_words(text: str, category: str | None) -> None:
    assert draft(text).category == category


def test_a_draft_has_the_message_and_the_names_in_it() -> None:
    fact = draft("Hi! remember that Lena prefers tea")

    assert fact == Fact("Hi! remember that Lena prefers tea", Kind.OPINION, ("Lena",), "preference")


def test_known_names_are_recognised_in_any_case_and_returned_as_they_are_known() -> None:
    assert draft("lunova's office moved, ask bernds sister", known=("Lunova", "Bernd")).entities == ("Lunova", "Bernd")
    assert draft("我在星河餐厅吃饭", known=("星河餐厅",)).entities == ("星河餐厅",)


@given(st.text(min_size=1, max_size=200).filter(lambda text: text.strip(" \t\n\r\x00\x0b\x0c\x1c\x1d\x1e\x1f\x85")))
def test_any_message_gives_a_fact_to_the_letter(text: str) -> None:
    fact = draft(text)

    assert fact.text == text
    assert fact.kind in Kind
    assert fact.category is None or fact.category in CATEGORIES
    assert fact.id is None


@pytest.mark.parametrize(
    "text", ["Hi! Lena's dog is called Bello", "Dr. Weber kommt am 3. Mai", "我妹妹叫陈悦", "@Peter likes tea"]
)
def test_a_draft_can_be_written_in_the_retain_notation(text: str) -> None:
    fact = draft(text)

    assert parse_fact(format_fact(fact)).text == fact.text


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("remember that my flight is at 7:40", "my flight is at 7:40"),
        ("Please note that  the gate code is 4711.", "the gate code is 4711."),
        ("Remember: iPhone 15 is what Mia wants", "iPhone 15 is what Mia wants"),
        ("Merk dir bitte, dass Olga Linkshänderin ist", "Olga Linkshänderin ist"),
        ("merk dir: der Code ist 4711", "der Code ist 4711"),
        ("记住我的鞋码是43", "我的鞋码是43"),
        ("请记住：我的鞋码是43", "我的鞋码是43"),
        ("Recuerda que mi vuelo sale a las 7:40", "mi vuelo sale a las 7:40"),
        ("Retiens que le code est 4711", "le code est 4711"),
        ("запомни, что код 4711", "код 4711"),
        ("Can you remember that I'm allergic to penicillin?", "I'm allergic to penicillin"),
        ("can you note that my locker is 14?", "my locker is 14"),
        ("Could you please make a note that Ben is 7, please?", "Ben is 7"),
        ("Kannst du dir merken, dass mein Spind 14 ist?", "mein Spind 14 ist"),
        ("Können Sie sich bitte notieren: der Code ist 4711?", "der Code ist 4711"),
        ("¿Puedes anotar que mi taquilla es la 14?", "mi taquilla es la 14"),
        ("Peux-tu noter que mon casier est le 14 ?", "mon casier est le 14"),
        ("Est-ce que tu peux retenir qu'Anne aime le thé ?", "Anne aime le thé"),
        ("你能记住我的柜子是14号吗？", "我的柜子是14号"),
        ("你能不能帮我记一下我的车牌是123，好吗？", "我的车牌是123"),
        ("你能记住他身体很好吗？", "他身体很好"),
        ("你能记住带钥匙就行吗？", "带钥匙就行"),
        ("can you remember that the magic word is please?", "the magic word is please"),
        ("¿Me puedes anotar que mi talla es la 43, por favor?", "mi talla es la 43"),
        ("Please note that the gate code is 4711, please.", "the gate code is 4711"),
        ("can you note that the gate code is 4711 please", "the gate code is 4711"),
        ("Hey, can you note that the gate code is 4711, please?", "the gate code is 4711"),
        ("ok please remember that the code is 4711, thanks!", "the code is 4711"),
        ("note that the magic word is please", "the magic word is please"),
        ("remember that I owe Tom thanks", "I owe Tom thanks"),
        ("Merk dir, dass das Kennwort Danke lautet, danke", "das Kennwort Danke lautet"),
        ("Retiens que Paul ne dit jamais merci", "Paul ne dit jamais merci"),
        ("Can you remember the gate code is 4711?", "the gate code is 4711"),
        ("remember my locker is 12", "my locker is 12"),
        ("Merk dir bitte, dass der Code 4711 ist, danke", "der Code 4711 ist"),
        ("Anota que el código es 4711, por favor", "el código es 4711"),
        ("Peux-tu noter que le code est 4711 s'il te plaît ?", "le code est 4711"),
    ],
)
def test_an_order_to_remember_is_taken_off_a_single_sentence(message: str, kept: str) -> None:
    assert statement(message) == kept


@pytest.mark.parametrize(
    "message",
    [
        "Hi! remember that my flight is at 7:40",
        "My locker is number 12. Please remember that.",
        "Remember that the key is under the mat. The neighbour knows.",
        "remember that:\n- milk\n- eggs",
        "Remember the milk",
        "remember that, please",
        "Can you remember the film that is about bees?",
        "Can you remember that movie we saw?",
        "Can you remember that?",
        "can you remember that film?",
        "¿Puedes recordar que te dije?",
        "¿Me puedes recordar que compre leche esta tarde?",
        "¿Me podrías por favor recordar que compre leche esta tarde?",
        "Kannst du dir das merken?",
        "¿Puedes recordar cuándo es mi cita?",
        "Peux-tu noter ça ?",
        "你能记住什么？",
        "  thanks! the parcel came today  ",
        "Write this down: locker 214",
        "记住了吗",
        "remember that",
        "Ade\u0301le came",
        "remember that " + "x" * 2_000,
        "",
    ],
)
def test_any_other_message_is_kept_as_it_is(message: str) -> None:
    assert statement(message) == message


@given(st.text(max_size=200) | st.text(max_size=50).map("remember that ".__add__))
def test_what_is_kept_stands_in_the_message(text: str) -> None:
    assert statement(text) in text
    assert bool(statement(text)) == bool(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lena's dog is called Bello", ("Lena", "Bello")),
        ("Dinner with Anna and Tom at Luigi's on Friday", ("Anna", "Tom", "Luigi")),
        ("The parcel for Mr. Novak is at the bakery", ("Novak",)),
        ("We flew from New York to Lisbon in May", ("New York", "Lisbon")),
        ("My new laptop is a MacBook, bought at IKEA", ("MacBook", "IKEA")),
        ("I met Sarah Connor at the station", ("Sarah Connor",)),
        ("Remember the milk. Coffee is out. I like German bread", ()),
        ("THE MEETING IS ON MONDAY AND I AM LATE", ()),
        ("Will the PIN and the USB stick do? OK", ()),
        ("@Peter likes [[Green Tea|tea]], see a@b.example", ("Peter", "Green Tea")),
    ],
)
def test_english_names_are_told_by_capitals_inside_a_sentence(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Meine Schwester heißt Charlotte und wohnt in Leipzig", ("Charlotte", "Leipzig")),
        ("Der Termin bei Frau Schulz ist am Montag", ("Schulz",)),
        ("Lenas Geburtstag feiern wir mit Klaus", ("Lena", "Klaus")),
        ("Anna Müller arbeitet bei der Deutschen Post", ("Anna Müller",)),
        ("Unser Hund Bello mag Leberwurst", ("Bello",)),
        ("Der Kuchen steht im Kühlschrank neben der Milch", ()),
        ("Im Urlaub lese ich gern Krimis auf dem Balkon", ()),
        ("Bitte denk an das WLAN und die PIN", ()),
        ("Ich arbeite seit Mai bei Siemens in München", ("Siemens", "München")),
    ],
)
def test_german_names_need_more_than_a_capital(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Tom Berger lives in Linz.", ("Tom Berger",)),
        ("Peter Miller moved to Rome.", ("Peter Miller", "Rome")),
        ("I met Tom Berger in Linz.", ("Tom Berger",)),
        ("Dass Mia Nüsse mag, weiß ich.", ("Mia",)),
        ("Ich war mit Anna Kaffee trinken.", ("Anna",)),
        ("Tom Kuchen bringen", ("Tom",)),
        ("Anna Plätzchen abends bringen", ("Anna",)),
        ("Tom Geschenk nächstes Jahr", ("Tom",)),
        ("Mia Nüsse niemals geben", ("Mia",)),
        ("Anna Tee nichts Süßes", ("Anna",)),
        ("Tom Football boots", ("Tom",)),
    ],
)
def test_two_people_with_one_first_name_keep_their_second(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


def test_the_italian_my_is_no_woman() -> None:
    assert names_in("Mia madre si chiama Lucia.") == ("Lucia",)
    assert names_in("Mia lives in Rome.") == ("Mia", "Rome")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("我妹妹叫陈悦，住在成都", ("陈悦", "成都")),
        ("小王和老李在上海开会", ("小王", "老李", "上海")),
        ("今天跟王医生约了复查", ("王医生",)),
        ("小雨的班主任是王老师", ("王老师",)),
        ("昨天见到了阿明", ("阿明",)),
        ("王伟人很靠谱", ("王伟",)),
        ("把伞借给张三了", ("张三",)),
        ("书还给王小明了", ("王小明",)),
        ("昨天和王伟看了电影", ()),
        ("王伟走了", ()),
        ("和王小明吃饭", ("王小明",)),
        ("和王伟明天吃饭", ("王伟",)),
        ("我用iPhone上Netflix", ("iPhone", "Netflix")),
        ("Anna下周去Siemens上班", ("Anna", "Siemens")),
        ("我今天很高兴，马上去买黄瓜", ()),
        ("周末去马路对面的超市", ()),
        ("我在学西班牙语", ()),
    ],
)
def test_chinese_names_are_told_by_family_name_prefix_and_title(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


def test_known_names_are_found_in_any_spelling_and_given_in_their_own() -> None:
    known = ("New-York", "Bernd", "Mia", "Will", "星河餐厅")

    assert names_in("new york is loud", known) == ("New-York",)
    assert names_in("bernds auto und mia's rad", known) == ("Bernd", "Mia")
    assert names_in("he will come", known) == ()
    assert names_in("so Will came", known) == ("Will",)
    assert names_in("我们在星河餐厅见", known) == ("星河餐厅",)


def test_a_name_is_given_once() -> None:
    assert names_in("Anna met Anna's sister") == ("Anna",)


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_has_some_names_or_none(text: str, known: list[str]) -> None:
    names = names_in(text, known)

    assert len({name.casefold() for name in names}) == len(names)


def test_other_words_leave_a_fact_what_it_is_and_change_whom_it_names() -> None:
    fact = Fact("Marta lives in Lisbon.", Kind.WORLD, ("me", "Marta", "Lisbon"), "person", "k3f9a2mq", (("c", "0.8"),))

    found = reword(fact, "Marta lives in Porto.")

    assert found == Fact("Marta lives in Porto.", Kind.WORLD, ("me", "Marta", "Porto"), "person", None, (("c", "0.8"),))
    assert reword(fact, "Marta decided it. #decision").category == "decision"
    assert reword(fact, "O @Ana: Ana likes tea.") == Fact("Ana likes tea.", Kind.OPINION, ("Ana",))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my locker is 214, I got it yesterday", Kind.WORLD),
        ("I live in Leeds. We moved there in May.", Kind.WORLD),
        ("my sister is allergic to nuts, she told me on sunday", Kind.WORLD),
        ("I bought a car, it is red", Kind.EXPERIENCE),
        ("today, we met my sister", Kind.EXPERIENCE),
        ("Ana, who is my sister, visited us yesterday", Kind.EXPERIENCE),
        ("How cool is that! I passed the driving test", Kind.EXPERIENCE),
        ("打排球的时候，我的脚踝崴了。", Kind.EXPERIENCE),
    ],
)
def test_what_a_message_begins_with_tells_what_holds_from_what_happened(text: str, kind: Kind) -> None:
    assert draft(text).kind is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Am 11. November um 9:15 habe ich Termin beim Kardiologen", Kind.WORLD),
        ("Morgen habe ich Zahnarzt", Kind.WORLD),
        ("Am Montag habe ich den Arzt getroffen", Kind.EXPERIENCE),
        ("Gestern bin ich nach Bonn gefahren", Kind.EXPERIENCE),
    ],
)
def test_what_one_has_is_not_what_one_has_done(text: str, kind: Kind) -> None:
    assert draft(text).kind is kind


def test_a_part_of_an_identifier_is_no_name() -> None:
    assert names_in("The wifi is called CASA_HUGO and Hugo knows it", known=["Hugo"]) == ("Hugo",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Today __Anna__ came with _Max Klein_", ("Anna", "Max Klein")),
        ("I met john_doe and MAX_POWER", ("john_doe",)),
        ("Ich habe john_doe in Köln getroffen", ("john_doe", "Köln")),
        ("王芳的无线网叫HOME_MAX", ("王芳",)),
    ],
)
def test_a_name_that_is_stressed_or_is_an_identifier_as_a_whole_is_one(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text, known=["john_doe", "Max"]) == names
