from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.knowledge.reflection.stance import Stance, is_new_base, single_value, stance

SAME = [
    ("Peter prefers concise replies", "Peter asked again for short replies"),
    ("Anna likes tea", "Anna enjoys tea every morning"),
    ("Anna likes tea", "anna likes tea."),
    ("The roofer is reliable", "The roofer came on time; he is reliable"),
    ("Ana bevorzugt kurze Antworten", "Ana bat um knappe Antworten"),
    ("Ana mag Tee", "Ana mag Tee sehr gern"),
    ("小明喜欢喝茶", "小明很喜欢喝茶"),
    ("Isst keinen Fisch", "Ana isst keinen Fisch, auch keine Fischstäbchen."),
    ("Anna likes tea", "Anna likes tea, not coffee"),
    ("小明喜欢简短的回复", "小明要求简洁的回复"),
]
DENIED = [
    ("Peter prefers concise replies", "Peter wants long replies"),
    ("Prefers concise replies on WhatsApp", "Peter does not like concise replies on WhatsApp"),
    ("Anna likes tea", "Anna hates tea"),
    ("Anna likes tea", "Anna can't stand tea"),
    ("Anna likes tea", "Anna cannot stand tea"),
    ("Anna likes tea", "Anna can not stand tea"),
    ("Anna likes tea", "Anna doesn't like tea"),
    ("The roofer is reliable", "The roofer was late and unreliable again"),
    ("Ana bevorzugt kurze Antworten", "Ana möchte lange Antworten"),
    ("Ana mag Tee", "Ana mag keinen Tee"),
    ("Der Bäcker ist teuer", "Der Bäcker ist günstig"),
    ("Der Tee ist süß", "Der Tee ist bitter"),
    ("小明喜欢喝茶", "小明讨厌喝茶"),
    ("The roofer is reliable", "The roofer is not reliable, he did not come again"),
    ("Antwortet schnell", "Ana antwortet nicht schnell, seit zwei Wochen kein Wort"),
    ("小明喜欢早上开会", "小明不喜欢早上开会，他要下午"),
    ("The cellar is dry", "The cellar is wet"),
    ("小明喜欢喝茶", "小明不喜欢喝茶"),
    ("小明喜欢简短的回复", "小明想要详细的回复"),
]
APART = [
    ("Anna likes tea", "Anna likes coffee"),
    ("Anna likes short walks", "Anna likes long walks"),
    ("Peter met Anna on Monday", "Peter met Anna on Friday"),
    ("Peter trains for a marathon", "Peter trains for a triathlon"),
    ("Peter prefers concise replies", "Peter bought a new bicycle"),
    ("The kitchen is small", "The garden is big"),
    ("Peter was not at home", "Peter likes his home"),
    ("Ana mag Tee", "Ana mag Kaffee"),
    ("Der Termin war am Montag", "Der Termin beim Zahnarzt war am Freitag"),
    ("小明喜欢喝茶", "小明喜欢喝咖啡"),
    ("小明星期一去了北京", "小明星期五去了上海"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_statement_that_is_said_again_supports(one: str, other: str) -> None:
    assert stance(one, other, names=("Peter", "Anna", "Ana", "小明")) is Stance.SUPPORTS


@pytest.mark.parametrize(("one", "other"), DENIED)
def test_a_statement_that_is_denied_is_contradicted(one: str, other: str) -> None:
    assert stance(one, other, names=("Peter", "Anna", "Ana", "小明")) is Stance.CONTRADICTS


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_may_both_be_true_is_unrelated(one: str, other: str) -> None:
    assert stance(one, other, names=("Peter", "Anna", "Ana", "小明")) is Stance.UNRELATED


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Peter lives in Berlin", ("home", "", "berlin")),
        ("Peter moved to Lisbon in March.", ("home", "", "lisbon")),
        ("Ana wohnt in Köln.", ("home", "", "köln")),
        ("小明搬到了上海", ("home", "", "上海")),
        ("Meine Schuhgröße ist 42", ("other", "meine schuhgrösse ist", "42")),
        ("Her phone number is 030 123", ("other", "her phone number is", "030 123")),
        ("Works at Siemens since 2020", ("work", "", "siemens")),
        ("My favourite colour is blue", ("other", "my favourite colour is", "blue")),
        ("The price of the roof is 18,400 euros", ("other", "the price of the roof is", "18,400 euros")),
        ("The lead of Atlas is Sofia.", ("other", "the lead of atlas is", "sofia")),
        ("The house has 142 square metres.", ("other", "the house has square metres.", "142")),
        ("Tom is in Hamburg", ("place", "tom is in", "hamburg")),
        ("小明的公司在上海", ("place", "小明的公司在", "上海")),
        ("School is closed on 13. Februar", None),
        ("Peter doesn't live in Rome", None),
        ("Peter met Anna", None),
        ("Anna would like to live in Rome.", None),
        ("Anna used to live in Rome.", None),
        ("Anna might live in Rome next year", None),
        ("Anna lived in Rome as a child", None),
        ("If Anna lives in Rome, we meet", None),
        ("Does Anna live in Rome?", None),
        ("Ana würde gern in Rom wohnen", None),
        ("Ana wohnte früher in Rom", None),
        ("小明想住在上海", None),
        ("小明以前住在上海", None),
        ("Anna's sister lives in Rome.", ("home", "'s sister", "rome")),
        ("Anas Bruder wohnt in Rom", ("home", "bruder", "rom")),
        ("小明的妹妹住在上海。", ("home", "的妹妹", "上海")),
        ("Anna works as a nurse.", ("profession", "", "a nurse")),
        ("Anna works at Acme.", ("work", "", "acme")),
    ],
)
def test_what_one_has_one_of_at_a_time(text: str, given: tuple[str, str, str] | None) -> None:
    assert single_value(text, names=("Peter", "Ana", "Anna", "小明")) == given


@pytest.mark.parametrize(
    ("home", "new", "ends"),
    [
        ("I live in Vienna", "I moved to Salzburg yesterday", True),
        ("My sister lives in Rome", "My sister has moved to Oslo", True),
        ("I live in Vienna", "We moved to Linz in May", True),
        ("I live in Vienna", "I may move to Linz in June", False),
        ("I live in Vienna", "I may have moved to Linz in May", False),
        ("Ich wohne in Wien", "Ich bin gestern nach Salzburg gezogen", True),
        ("我住在维也纳", "我昨天搬到了萨尔茨堡", True),
        ("I live in Vienna", "I moved to the Netherlands", True),
        ("My name is Oliver and I live in Vienna", "I moved to Salzburg", True),
        ("Ich heiße Jana und wohne in Graz", "Ich bin nach Wien gezogen", True),
        ("My brother Ben lives in Oslo", "Ben moved to Bergen", True),
        ("Mein Bruder Jan wohnt in Köln", "Jan ist nach Bonn gezogen", True),
        ("Mein großer Bruder Jan wohnt in Köln", "Jan ist nach Bonn gezogen", True),
        ("Meine große Schwester wohnt in Köln", "Meine kleine Schwester ist nach Bonn gezogen", False),
        ("Mi hermano Javier vive en Sevilla", "Javier se ha mudado a Bilbao", True),
        ("Me llamo Lucía y vivo en Valencia", "Me he mudado a Alicante", True),
        ("Ma sœur Élodie habite à Nantes", "Élodie a déménagé à Bordeaux", True),
        ("Je m'appelle Camille et j'habite à Lyon", "J'ai déménagé à Paris", True),
        ("Мой брат Дима живёт в Перми", "Дима переехал в Москву", True),
        ("My sister Ana lives in Madrid", "Ana se ha mudado a París", True),
        ("La hermana de Javier vive en Roma", "Javier se ha mudado a Bilbao", False),
        ("Mi hermano Javier vive en Sevilla", "Ana se ha mudado a Bilbao", False),
        ("Javier vive en Sevilla", "Javier quiere mudarse a Bilbao", False),
        ("Mi hija vive en Sevilla", "Mi hija se ha mudado a un piso nuevo", False),
        ("Дима живёт в Перми", "Дима переехал в новую квартиру", False),
        ("Mein Freund Peter Müller wohnt in Köln", "Anna Müller zog nach Bonn", False),
        ("My brother Ben lives in Hamburg", "My friend Ben lives in Munich", False),
        ("Mein Bruder Ben wohnt in Hamburg", "Mein Freund Ben wohnt in München", False),
        ("My brother Ben lives in Hamburg", "My big brother Ben moved to Munich", True),
        ("I have a dog and my sister lives in Vienna", "I moved to Salzburg", False),
        ("I live in Vienna", "I moved to the sales team", False),
        ("I live in Vienna", "We moved to electronic charting at work", False),
        ("We live in Vienna", "we moved to salzburg", True),
        ("我们住在维也纳", "我们搬到Kubernetes上了", False),
        ("My wife Ana lives in Graz", "My girlfriend Ana moved to Vienna", True),
        ("Meine Frau Ana wohnt in Graz", "my partner Ana moved to Vienna", True),
        ("Großmann lives in Vienna", "Großmann moved to the sales team", False),
        ("I live in Vienna", "I moved to Vienna yesterday", False),
        ("Ich wohne in Wien", "Ich bin gestern nach Wien gezogen", False),
        ("I live in Vienna", "She moved to Salzburg", False),
        ("I live in Vienna", "Lena moved to Salzburg", False),
        ("I live in Vienna", "I hope to move to Salzburg", False),
        ("I work at Acme", "I moved to Salzburg", False),
        ("My sister Ana lives in Graz", "My colleague Ana moved to Vienna", False),
        ("My friend Ana lives in Graz", "My best friend Ana moved to Vienna", True),
        ("我姐姐安娜住在成都", "我同事安娜住在北京", False),
        ("我姐姐安娜住在成都", "安娜不住在成都了，她现在住在西安", True),
        ("我姐姐住在成都", "我不住在成都了", False),
        ("My sister Ana lives in Graz", "Ana no longer lives in Graz, she lives in Linz now", True),
        ("My sister Ana lives in Graz", "Ana doesn't live in Graz any more", True),
        ("My sister Ana lives in Graz", "Ana does not live in Vienna", False),
        ("I live in Graz", "Ana no longer lives in Graz", False),
        ("Meine Schwester Ana wohnt in Graz", "Ana wohnt nicht mehr in Graz, sondern in Linz", True),
        ("Mi hermana Ana vive en Granada", "Ana ya no vive en Granada, ahora vive en Sevilla", True),
        ("Ma sœur Claire habite à Lyon", "Claire n'habite plus à Lyon, elle habite à Nantes", True),
        ("Ma sœur Claire habite à Lyon", "Claire n'aime pas Lyon", False),
        ("Claire habite à Lyon", "Je ne savais pas que Claire habite à Lyon", False),
        ("Ana lives in Graz", "I did not know that Ana lives in Graz", False),
        ("Ana lives in Graz", "Don't tell anyone that Ana lives in Graz", False),
        ("Ana lives in Graz", "Ana not only lives in Graz, she works there, too", False),
        ("安娜住在成都", "我不知道安娜住在成都", False),
        ("I live in Graz", "He moved from Graz to Linz", False),
        ("Vito lives in Graz", "Vito: Moved to Linz", True),
        ("**Rafael** (brother): lives in Graz", "Rafael: Moved from Graz to Linz in September 2026", True),
        ("**Rafael** (brother): lives in Graz", "My brother Rafael moved to Linz", True),
        ("**Rafael** (brother): lives in Graz", "My colleague Rafael moved to Linz", False),
        ("Lena (partner) — lives in Graz", "Lena lives in Rome", True),
        ("Ana lives in Graz", "Note: Tom moved to Rome", False),
        ("Tom lives in Graz", "Tom moved to Rome", True),
        ("Ana lives in Graz", "Ana moved from Graz to Linz", True),
        ("Ana lives in Graz", "Ana moved from Vienna to Linz", False),
        ("We live in Rome", "We moved from Slack to Teams", False),
        ("Ana wohnt in Graz", "Ana zog von Graz nach Linz", True),
        ("Ana vive en Granada", "Ana se mudó de Granada a Sevilla", True),
        ("Claire habite à Lyon", "Claire a déménagé de Lyon à Nantes", True),
        ("Аня живёт в Казани", "Аня переехала из Казани в Самару", True),
        ("安娜住在成都", "安娜上个月从成都搬到了北京", True),
        ("Моя сестра Аня живёт в Казани", "Аня больше не живёт в Казани, она живёт в Самаре", True),
        ("我叫林晓雯，住在杭州", "我们搬到南京了", True),
        ("我住在杭州", "我们公司搬到南京了", False),
        ("我弟弟住在杭州", "我们搬到南京了", False),
        ("Меня зовут Артём, я живу в Казани", "Мы переехали в Самару", True),
        ("Я живу в Казани", "Они переехали в Самару", False),
        ("Я живу в Казани", "Мы переехали на Slack", False),
        ("Я живу в Казани", "Мы переехали в мае", False),
        ("Я живу в Казани", "Мы переехали в понедельник", False),
        ("Я живу в Казани", "Мы переехали на второй этаж", False),
        ("Я живу в Казани", "Мы переехали в Майкоп", True),
        ("我住在杭州", "我们搬到会议室了", False),
        ("我住在杭州", "我们搬到三楼了", False),
        ("我住在杭州", "我们搬到外面吃饭", False),
        ("我住在杭州", "我们搬到周口了", True),
        ("Моя сестра живёт в Казани", "Мы переехали в Самару", False),
        ("J'habite à Nantes", "Nous avons déménagé à Angers", True),
        ("Ma sœur habite à Nantes", "Nous avons déménagé à Angers", False),
        ("I live in Bath", "We moved to Slack", False),
        ("I live in Bath", "We moved to Ward 6 at work", False),
        ("I live in Bath", "We moved to Java", True),
        ("Home office rent is 65 euros", "Home office rent is 80 euros", False),
    ],
)
def test_a_move_of_the_same_person_gives_a_new_home(home: str, new: str, *, ends: bool) -> None:
    assert is_new_base(home, new, year="2026") is ends


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_makes_it_fail(one: str, other: str) -> None:
    stance(one, other)
    single_value(one)


@pytest.mark.parametrize(
    "said",
    [
        "I don't just live in Vienna.",
        "I didn't always live in Vienna.",
        "I don't like living in Vienna.",
        "I do not have to live in Vienna.",
    ],
)
def test_who_denies_something_else_than_a_home_has_not_left_it(said: str) -> None:
    assert not is_new_base("I live in Vienna.", said, year="2026")


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("I work at Siemens", "I was laid off"),
        ("Ich arbeite bei Siemens", "Mir wurde gekündigt"),
        ("Ich arbeite bei Siemens", "Ich wurde gestern entlassen"),
        ("Ich arbeite in München", "Mir wurde gekündigt"),
        ("Trabajo en Telefónica", "Me han despedido"),
        ("Je travaille chez Renault", "J'ai été licenciée"),
        ("Я работаю в Яндексе", "Меня уволили"),
        ("我在腾讯上班", "我失业了"),
    ],
)
def test_who_lost_their_job_works_there_no_more(job: str, said: str) -> None:
    assert is_new_base(job, said, year="2026")


@pytest.mark.parametrize(
    "said", ["Mir wurde die Wohnung gekündigt", "Anna wurde entlassen", "Ich wurde aus dem Krankenhaus entlassen"]
)
def test_what_else_ends_is_no_job(said: str) -> None:
    assert not is_new_base("Ich arbeite bei Siemens", said, year="2026")


@pytest.mark.parametrize(
    ("employer", "town"),
    [
        ("Анна работает в Сбербанке", "Анна работает в Москве"),
        ("Ana trabaja en Telefónica", "Ana trabaja en Madrid"),
        ("Anna arbeitet bei Siemens", "Anna arbeitet in Berlin"),
    ],
)
def test_a_town_where_somebody_works_is_another_relation_than_for_whom(employer: str, town: str) -> None:
    given = [single_value(text, names=["Anna", "Ana", "Анна"]) for text in (employer, town)]

    assert [one and one.relation for one in given] == ["work", "workplace"]


@pytest.mark.parametrize(
    "employer", ["итальянском ресторане", "Казанском университете", "Санкт-Петербургской опере", "китайских ресторанах"]
)
def test_who_is_called_after_a_town_is_an_employer(employer: str) -> None:
    given = [single_value(f"Анна работает в {name}", names=["Анна"]) for name in (employer, "Сбербанке", "Казани")]

    assert [one and one.relation for one in given] == ["work", "work", "workplace"]
