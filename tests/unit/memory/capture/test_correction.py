"""What a correction makes of a fact, what contradicts it, and what is the same again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.contradiction import contradicts, same
from memory.capture.correction import correct
from memory.capture.wishes import WishKind, wish

CORRECTED = """
The plumber's number is 030 1234567 | it is 030 7654321 | The plumber's number is 030 7654321
The plumber's number is 030 1234567 | 030 7654321 | The plumber's number is 030 7654321
The plumber's number is 030 1234567 | the plumber's number to 030 7654321 | The plumber's number is 030 7654321
The plumber's number is 030 1234567. Ask for Jim. | it's 030 7654321 | The plumber's number is 030 7654321. Ask for Jim.
Dinner starts at 7 | 8 not 7 | Dinner starts at 8
Dinner starts at 7 pm | 8 not 7 | Dinner starts at 8 pm
Dinner starts at 7 pm | it's 8 pm | Dinner starts at 8 pm
Dinner starts at 7 pm | 8 | Dinner starts at 8 pm
The meeting is on Monday at 10:30 | it's on Tuesday | The meeting is on Tuesday at 10:30
The meeting is on Monday at 10:30 | 11:15 | The meeting is on Monday at 11:15
The meeting is on Monday at 10:30 | Not Monday, Tuesday | The meeting is on Tuesday at 10:30
The meeting is on Monday | on Tuesday at 5 pm | The meeting is on Tuesday at 5 pm
The meeting is on Monday | it's Tuesday, not Monday | The meeting is on Tuesday
Peter's birthday is 3 May | 4 May | Peter's birthday is 4 May
Peter's birthday is 3 May | it's in June | Peter's birthday is in June
Peter's birthday is on May 3rd | it's May 4th | Peter's birthday is on May 4th
The rent is €900 | it is €950 | The rent is €950
The ticket costs 12 euros | it costs 14 euros | The ticket costs 14 euros
I parked on level 3, spot 42 | spot 43 | I parked on level 3, spot 43
I parked on level 3, spot 42 | level 4, spot 43 | I parked on level 4, spot 43
Anna's email is anna@example.org | it's anna@example.com | Anna's email is anna@example.com
The blog is at https://old.example.org | https://new.example.org | The blog is at https://new.example.org
The wifi password is Tiger77 | it's Lion88 | The wifi password is Lion88
The new car is red | it's blue | The new car is blue
My sister's name is Anna | Hannah | My sister's name is Hannah
My sister's name is Anna | her name is Hannah | My sister's name is Hannah
Peter lives in Hamburg | Berlin | Peter lives in Berlin
Peter lives in Hamburg | he lives in Berlin | Peter lives in Berlin
My cat is three years old | she is four | My cat is four years old
My cat is three | she is four years old | My cat is four years old
The spare key is under the mat | it's in the garage | The spare key is in the garage
The key is under the mat, but the code is 4711 | it's in the car | The key is in the car, but the code is 4711
Peter likes tea | he likes coffee | Peter likes coffee
Peter is a plumber | he's an electrician | Peter is an electrician
I like tea | I don't like tea anymore | I don't like tea anymore
Der Klempner hat die Nummer 030 1234567 | es ist 030 7654321 | Der Klempner hat die Nummer 030 7654321
Ich parke auf Ebene 3, Platz 42 | Platz 43 | Ich parke auf Ebene 3, Platz 43
Ich parke auf Ebene 3, Platz 42 | es ist Platz 43 | Ich parke auf Ebene 3, Platz 43
Der Termin ist am Freitag um 9 Uhr | Donnerstag, nicht Freitag | Der Termin ist am Donnerstag um 9 Uhr
Der Termin ist am Freitag um 9 Uhr | um 10 Uhr | Der Termin ist am Freitag um 10 Uhr
Der Termin ist am Freitag | Nicht Freitag, sondern Samstag | Der Termin ist am Samstag
Omas Geburtstag ist am 3. Mai | am 4. Mai | Omas Geburtstag ist am 4. Mai
Meine Schwester heißt Anna | sie heißt Hanna | Meine Schwester heißt Hanna
Meine Schwester wohnt in Hamburg | in Bremen | Meine Schwester wohnt in Bremen
Das Auto ist rot | es ist blau | Das Auto ist blau
Mein Sohn ist sieben | er ist doch acht | Mein Sohn ist acht
Der Code ist 4711 | ist es 4712 | Der Code ist 4712
Der Schlüssel liegt unter der Matte | er liegt in der Garage | Der Schlüssel liegt in der Garage
我的猫咪咪三岁了 | 它四岁了 | 我的猫咪咪四岁了
我的猫咪咪三岁了 | 四岁 | 我的猫咪咪四岁了
会议在周三下午三点 | 不是周三，是周四 | 会议在周四下午三点
会议在周三下午三点 | 是周四 | 会议在周四下午三点
车库密码是5519 | 是5520 | 车库密码是5520
我妹妹叫陈悦 | 她叫陈月 | 我妹妹叫陈月
备用钥匙在门垫下面 | 它在车库里 | 备用钥匙在车库里
晚饭七点开始 | 是8点不是七点 | 晚饭8点开始
我的座位是42号 | 43号 | 我的座位是43号
我喜欢喝茶 | 我不喜欢喝茶 | 我不喜欢喝茶
El código es 4711 | es 4712 | El código es 4712
La reunión es el miércoles a las 5 | es el jueves | La reunión es el jueves a las 5
Mi hermana se llama Ana | se llama Eva | Mi hermana se llama Eva
La llave está debajo de la alfombra | está en el garaje | La llave está en el garaje
La cena es a las 7 | 8 no 7 | La cena es a las 8
Le code est 4711 | c'est 4712 | Le code est 4712
La réunion est mercredi à 14h30 | c'est jeudi | La réunion est jeudi à 14h30
Mon chat s'appelle Minou | il s'appelle Filou | Mon chat s'appelle Filou
Le dîner est à 7 heures | 8 pas 7 | Le dîner est à 8 heures
La voiture est rouge | elle est bleue | La voiture est bleue
Код 4711 | 4712 | Код 4712
Встреча в среду в 10:30 | в четверг | Встреча в четверг в 10:30
Моему сыну 7 лет | ему 8 лет | Моему сыну 8 лет
Ужин в 7 | 8, а не 7 | Ужин в 8
Мою сестру зовут Анна | её зовут Ева | Мою сестру зовут Ева
Ключ под ковриком | он в гараже | -
会議は水曜日です | 木曜日です | 会議は木曜日です
会議は水曜日の3時です | 水曜日じゃなくて木曜日 | 会議は木曜日の3時です
La riunione è mercoledì | è giovedì | La riunione è giovedì
Mia sorella si chiama Anna | si chiama Eva | Mia sorella si chiama Eva
A reunião é na quarta-feira | é na quinta-feira | A reunião é na quinta-feira
The plumber's number is 030 1234567 | my dentist's number is 030 7654321 | -
The plumber's number is 030 1234567 | it's Thursday | -
The plumber's number is 030 1234567 | it is fun | -
The plumber's number is 030 1234567 | it is 030 1234567 | -
The meeting is on Monday | 8 not 7 | -
Peter is 41 | I am 42 | -
I like tea | Berlin | -
Ich parke auf Ebene 3 | Platz 43 | -
Anna is allergic to nuts | we had a lovely day | -
我喜欢喝茶 | 她叫陈月 | -
Der Code ist 4711 | sie heißt Hanna | -
The wifi password is Sunflower22 | it's Sunflower23 | The wifi password is Sunflower23
The dentist appointment is on 5 June at 14:00 | no, 15:00 | The dentist appointment is on 5 June at 15:00
Anna's flight lands at 6 pm | it lands at 7 pm | Anna's flight lands at 7 pm
My shoe size is 43 | 44 | My shoe size is 44
My sister lives in Vienna | she lives in Graz | My sister lives in Graz
Our anniversary is June 12 | it's June 13 | Our anniversary is June 13
The gym code is 1234 | 1243 | The gym code is 1243
Karl's favourite tea is Earl Grey | it's Assam | Karl's favourite tea is Assam
I parked in row C, spot 17 | row D | I parked in row D, spot 17
The rent is due on the 1st | it's the 3rd | The rent is due on the 3rd
The locker is number 214 | it's 241 | The locker is number 241
Peter works at Siemens | he works at Bosch | Peter works at Bosch
Tom is allergic to nuts | he is allergic to eggs | Tom is allergic to eggs
The spare key is with Mrs. Miller | it's with Anna | The spare key is with Anna
I have two cats | three | I have three cats
I have two cats | I have three cats | I have three cats
We meet at the station at 5 | at 6 | We meet at the station at 6
My boss is called Karen | her name is Carol | My boss is called Carol
Anna moved to Berlin in 2019 | it was 2020 | Anna moved to Berlin in 2020
The plumber comes on Tuesday | Wednesday | The plumber comes on Wednesday
Meine Schuhgröße ist 43 | 44 | Meine Schuhgröße ist 44
Der Zahnarzttermin ist am 5. Juni um 14 Uhr | um 15 Uhr | Der Zahnarzttermin ist am 5. Juni um 15 Uhr
Peter arbeitet bei Siemens | er arbeitet bei Bosch | Peter arbeitet bei Bosch
Der Klempner kommt am Dienstag | Mittwoch | Der Klempner kommt am Mittwoch
Mein Spind hat die Nummer 214 | 241 | Mein Spind hat die Nummer 241
Annas Hund heißt Bello | er heißt Rex | Annas Hund heißt Rex
Ich habe zwei Katzen | drei | Ich habe drei Katzen
Mein Auto steht auf Ebene 3 | auf Ebene 4 | Mein Auto steht auf Ebene 4
Die Miete beträgt 900 Euro | 950 Euro | Die Miete beträgt 950 Euro
Opa ist 80 | er ist 81 | Opa ist 81
Das Treffen ist in Raum B12 | B13 | Das Treffen ist in Raum B13
我的鞋码是43 | 44 | 我的鞋码是44
牙医预约在6月5号下午两点 | 是下午三点 | 牙医预约在6月5号下午三点
小陈住在上海 | 他住在北京 | 小陈住在北京
我有两只猫 | 三只 | 我有三只猫
水管工周二来 | 周三 | 水管工周三来
停在3层42号车位 | 43号 | 停在3层43号车位
我最喜欢的颜色是蓝色 | 是绿色 | 我最喜欢的颜色是绿色
爷爷八十岁 | 他八十一岁 | 爷爷八十一岁
Mi talla es 43 | 44 | Mi talla es 44
Mi hermana vive en Madrid | vive en Sevilla | Mi hermana vive en Sevilla
Mi hijo tiene siete años | tiene ocho años | Mi hijo tiene ocho años
El fontanero viene el martes | el miércoles | El fontanero viene el miércoles
El coche es rojo | es azul | El coche es azul
Ma sœur habite à Paris | elle habite à Lyon | Ma sœur habite à Lyon
Mon fils a sept ans | il a huit ans | Mon fils a huit ans
Le plombier vient mardi | mercredi | Le plombier vient mercredi
Le rendez-vous est le 5 juin | c'est le 6 juin | Le rendez-vous est le 6 juin
Моя сестра живёт в Москве | она живёт в Казани | Моя сестра живёт в Казани
Сантехник придёт во вторник | в среду | Сантехник придёт в среду
Мой размер обуви 43 | 44 | Мой размер обуви 44
Машина красная | она синяя | Машина синяя
Встреча 5 июня | 6 июня | Встреча 6 июня
The plumber comes on Tuesday | blue | -
I have two cats | he is 41 | -
The gym code is 1234 | Anna's birthday is 4 May | -
Peter works at Siemens | Thursday | -
Ich habe zwei Katzen | Donnerstag | -
我有两只猫 | 是周四 | -
The gate is B12 | gate B14 | The gate is B14
Our hotel is in Bonn | I meant Berlin | -
Our hotel is in Bonn | Berlin, not Bonn | Our hotel is in Berlin
The class is in room 10 at 9:15 | room 12 | The class is in room 12 at 9:15
The class is in room 10 at 9:15 | at 9:45 | The class is in room 10 at 9:45
Tickets cost £25 | it's £30 | Tickets cost £30
My aunt is 70 | she's 71 | My aunt is 71
Dad's car is a blue Volvo | it's a red Volvo | Dad's car is a red Volvo
The party is on Saturday at Anna's place | it's on Sunday | The party is on Sunday at Anna's place
The shop opens at 8 | it opens at 9 | The shop opens at 9
Unser Hotel ist in Bonn | Berlin, nicht Bonn | Unser Hotel ist in Berlin
Der Kurs ist in Raum 10 um 9:15 Uhr | Raum 12 | Der Kurs ist in Raum 12 um 9:15 Uhr
Meine Tante ist 70 | sie ist 71 | Meine Tante ist 71
Der Laden öffnet um 8 | um 9 | Der Laden öffnet um 9
Die Karten kosten 25 Euro | 30 Euro | Die Karten kosten 30 Euro
酒店在波恩 | 柏林，不是波恩 | 酒店在柏林
课在10号教室 | 12号教室 | 课在12号教室
我阿姨70岁 | 她71岁 | 我阿姨71岁
商店八点开门 | 九点 | 商店九点开门
票价25元 | 是30元 | 票价30元
El hotel está en Bonn | Berlín, no Bonn | El hotel está en Berlín
Mi tía tiene 70 años | tiene 71 | Mi tía tiene 71 años
La tienda abre a las 8 | a las 9 | La tienda abre a las 9
L'hôtel est à Bonn | Berlin, pas Bonn | L'hôtel est à Berlin
Ma tante a 70 ans | elle a 71 ans | Ma tante a 71 ans
Le magasin ouvre à 8 heures | à 9 heures | Le magasin ouvre à 9 heures
Отель в Бонне | в Берлине | Отель в Берлине
Магазин открывается в 8 | в 9 | Магазин открывается в 9
My aunt is 70 | it's on Sunday | -
The shop opens at 8 | Anna is 9 | -
酒店在波恩 | 她71岁 | -
"""

MESSAGES = """
The plumber's number is 030 1234567 | Actually it is 030 7654321 | The plumber's number is 030 7654321
The plumber's number is 030 1234567 | Change the plumber's number to 030 7654321 | The plumber's number is 030 7654321
Dinner starts at 7 | sorry, 8 not 7 | Dinner starts at 8
The meeting is on Tuesday at 9 | I meant Thursday | The meeting is on Thursday at 9
The meeting is on Tuesday at 9 | No, that's wrong. It's on Thursday. | The meeting is on Thursday at 9
My sister's name is Anna | Thursday, I meant | -
My sister's name is Anna | Actually she is called Hannah. | My sister's name is Hannah
My cat is three | My cat is actually four | My cat is four
Ich parke auf Ebene 3, Platz 42 | Nein, Platz 43 | Ich parke auf Ebene 3, Platz 43
Der Code ist 4711 | Eigentlich ist es 4712 | Der Code ist 4712
Mein Sohn ist sieben | Er ist doch acht | Mein Sohn ist acht
Das Treffen ist am Freitag | Doch nicht Freitag, sondern Samstag | Das Treffen ist am Samstag
我的猫咪咪三岁了 | 其实它四岁了 | 我的猫咪咪四岁了
我的猫咪咪三岁了 | 不对，应该是四岁 | 我的猫咪咪四岁了
会议在周三 | 不是周三，是周四 | 会议在周四
车库密码是5519 | 请把车库密码改成5520 | 车库密码是5520
我妹妹叫安娜 | 不是安娜，是汉娜 | 我妹妹叫汉娜
La reunión es el miércoles | No, es el jueves | La reunión es el jueves
El código es 4711 | Cambia el código a 4712 | El código es 4712
Le code est 4711 | En fait c'est 4712 | Le code est 4712
Le dîner est à 7 heures | Pardon, 8 pas 7 | Le dîner est à 8 heures
Встреча в среду | Нет, в четверг | Встреча в четверг
Моему сыну 7 лет | На самом деле ему 8 | Моему сыну 8 лет
会議は水曜日です | いや、木曜日です | 会議は木曜日です
La riunione è mercoledì | No, è giovedì | La riunione è giovedì
A reunião é na quarta-feira | Na verdade é na quinta-feira | A reunião é na quinta-feira
"""

CONTRADICTING = """
Peter's birthday is 3 May | Peter's birthday is 4 May
Der Code ist 4711 | Der Code ist 4712
The code is 4711. | the code is 4712
The meeting is on Monday | The meeting is on Tuesday
My sister lives in Berlin | My sister lives in Hamburg
My cat is three years old | My cat is four years old
I like tea | I don't like tea
Peter is vegetarian | Peter isn't vegetarian
Peter likes fish | Peter doesn't like fish
Anna can swim | Anna can't swim
The car is red | The car is blue
The rent is €900 | The rent is €950
I live in Berlin | I live in Hamburg
Anna ist Vegetarierin | Anna ist keine Vegetarierin
Ich mag Tee | Ich mag keinen Tee
Peter wohnt in Ulm | Peter wohnt in Bonn
Peter wohnt in Ulm | Peter wohnt nicht in Ulm
我喜欢喝茶 | 我不喜欢喝茶
我的猫三岁了 | 我的猫四岁了
车库密码是5519 | 车库密码是5520
会议在周三 | 会议在周四
El código es 4711 | El código es 4712
Me gusta el té | No me gusta el té
Le code est 4711 | Le code est 4712
Анна любит чай | Анна не любит чай
Её зовут Анна | Её зовут Ева
Anna's phone number is 030 1234567 | Anna's phone number is 030 7654321
The spare key is under the mat | The spare key is not under the mat
My dog is called Rex | My dog is called Max
The train leaves at 8:05 | The train leaves at 8:15
The wifi password is Tiger77 | The wifi password is Lion88
Peter drinks coffee | Peter doesn't drink coffee
Die Miete ist 900 Euro | Die Miete ist 950 Euro
Peter isst Fleisch | Peter isst kein Fleisch
Omas Geburtstag ist am 3. Mai | Omas Geburtstag ist am 4. Mai
Der Hund heißt Rex | Der Hund heißt Max
小陈住在上海三楼 | 小陈住在上海四楼
我的血型是A型 | 我的血型是B型
他不吃辣 | 他吃辣
Mi hermana vive en Madrid | Mi hermana vive en Sevilla
Pedro come carne | Pedro no come carne
Ma sœur habite à Paris | Ma sœur habite à Lyon
Paul mange de la viande | Paul ne mange pas de viande
Пётр ест мясо | Пётр не ест мясо
"""

COMPATIBLE = """
I have a dentist appointment on 3 May | I have a dentist appointment on 4 May
Dentist on Monday at 9 | Dentist on Tuesday at 9
I bought 2 apples | I bought 3 apples
We flew to Rome on Monday | We flew to Paris on Monday
Peter's birthday is 3 May | Anna's birthday is 3 May
Peter's birthday is 3 May | Peter's birthday is in spring
The code is 4711 | The code is 4711
The garage code is 4711 | The door code is 4712
I didn't buy milk | I bought bread
Peter is allergic to nuts | Peter is allergic to eggs
A friend is 30 | A friend is 40
Mein Zahnarzttermin am Montag um 9 | Mein Zahnarzttermin am Dienstag um 9
Ich war am Montag im Kino | Ich war am Dienstag im Kino
我周三去看牙医 | 我周四去看牙医
我买了三个苹果 | 我买了四个苹果
Anna is from Berlin | Peter is from Berlin
We are in Rome on Monday | We are in Paris on Tuesday
 | I like tea
I went to the gym on Monday | I went to the gym on Tuesday
Lunch with Anna on 3 May | Lunch with Anna on 4 May
We have a meeting at 9 | We have a meeting at 10
I ran 5 km | I ran 6 km
I spent 20 euros | I spent 30 euros
Anna likes tea | Peter likes tea
Anna likes tea | Anna likes coffee
The red car is fast | The blue car is fast
Ich habe 5 km geschafft | Ich habe 6 km geschafft
Am Montag ist Training | Am Dienstag ist Training
I have an appointment at the vet on Monday | I have an appointment at the vet on Friday
There is a concert on 3 May | There is a concert on 4 May
周一有训练 | 周二有训练
El lunes hay clase | El martes hay clase
Lundi il y a cours | Mardi il y a cours
Peter read 3 books | Peter read 4 books
Anna is here on Monday | Anna is here on Tuesday
"""

SAME = """
I like tea | i like tea.
I like tea |   I like   tea!
I like tea | “I like tea”
Der Code ist 4711 | der Code ist 4711.
Straße 5 | STRASSE 5
我的猫三岁了 | 我的猫三岁了。
Ｔｅａ　is good | tea is good
我的血型是A型 | 我的血型是 A 型
Peter's code | Peter’s code
"""

DIFFERENT = """
I like tea | I like teas
The code is 1.5 | The code is 15
It starts at 10:30 | It starts at 1030
I write C | I write C++
It was 5 degrees | It was -5 degrees
!! | ??
tea |
"""


def rows(block: str) -> list[tuple[str, ...]]:
    return [tuple(cell.strip(" ") for cell in line.split("|")) for line in block.strip("\n").splitlines()]


@pytest.mark.parametrize(("old", "said", "new"), rows(CORRECTED))
def test_a_correction_replaces_what_it_corrects_and_keeps_the_rest(old: str, said: str, new: str) -> None:
    assert correct(old, said) == (None if new == "-" else new)


@pytest.mark.parametrize(("old", "new"), rows(CONTRADICTING))
def test_the_same_statement_with_another_value_contradicts(old: str, new: str) -> None:
    assert contradicts(old, new)
    assert contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), rows(COMPATIBLE))
def test_statements_that_may_both_be_true_do_not_contradict(old: str, new: str) -> None:
    assert not contradicts(old, new)
    assert not contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), rows(SAME))
def test_case_width_punctuation_and_spaces_make_no_other_fact(old: str, new: str) -> None:
    assert same(old, new)
    assert not contradicts(old, new)


@pytest.mark.parametrize(("old", "new"), rows(DIFFERENT))
def test_what_changes_the_meaning_makes_another_fact(old: str, new: str) -> None:
    assert not same(old, new)


@pytest.mark.parametrize(("old", "message", "new"), rows(MESSAGES))
def test_a_message_that_corrects_leads_to_the_new_fact(old: str, message: str, new: str) -> None:
    found = wish(message)

    assert found is not None
    assert found.kind is WishKind.CORRECT
    assert correct(old, found.what) == (None if new == "-" else new)


def test_the_line_breaks_of_a_fact_stay() -> None:
    assert correct("Wifi\n- name: Jay\n- code: 4711", "4712") == "Wifi\n- name: Jay\n- code: 4712"


PIECES = st.sampled_from(
    "Peter Anna is are not no it the on at in Monday Dienstag 7 8 pm 030-1234567 red blau ist nicht sondern , . "
    "es heißt 是 不是 周三 三岁 他 est pas c'est нет а не в среду".split()
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map(" ".join))


@given(TEXTS, TEXTS)
def test_a_correction_of_anything_by_anything_adds_no_word_of_its_own(old: str, said: str) -> None:
    new = correct(old, said)

    if new is not None:
        given_words = set(re.findall(r"\w", (old + said).casefold()))
        assert set(re.findall(r"\w", new.casefold())) <= given_words
        assert new != old


@given(TEXTS, TEXTS)
def test_contradiction_and_sameness_are_symmetric_and_exclude_each_other(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)
    assert same(one, other) == same(other, one)
    assert same(one, one)
    assert not (same(one, other) and contradicts(one, other))
