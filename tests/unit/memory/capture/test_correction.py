"""What a correction makes of a fact, what contradicts it, and what is the same again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.correction import contradicts, correct, same

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
        given_words = set(re.findall(r"\w", old + said))
        assert set(re.findall(r"\w", new)) <= given_words
        assert new != old


@given(TEXTS, TEXTS)
def test_contradiction_and_sameness_are_symmetric_and_exclude_each_other(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)
    assert same(one, other) == same(other, one)
    assert same(one, one)
    assert not (same(one, other) and contradicts(one, other))
