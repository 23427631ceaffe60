"""Wishes about what is remembered, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.wishes import LONGEST, Wish, WishKind, wish

FORGET = """
forget that I like tea -> I like tea
Forget I like tea. -> I like tea
please forget the bike key -> the bike key
Please forget my bike code, thanks! -> my bike code
Hi! Could you please forget my old address? -> my old address
can you forget that Anna is vegan? -> Anna is vegan
I want you to forget my shoe size -> my shoe size
I'd like you to forget where the spare key is -> where the spare key is
You can forget the plumber's number -> the plumber's number
You should forget what I told you about the wifi password -> the wifi password
Forget about the dentist -> the dentist
forget what I said about the garage code -> the garage code
Forget the fact that I am allergic to nuts -> I am allergic to nuts
Delete the note about the boiler -> the boiler
delete the note that the boiler was serviced in May -> the boiler was serviced in May
Erase my passport number from your memory -> my passport number
Remove the entry on the vet, please -> the vet
Please remove Peter's birthday from your notes -> Peter's birthday
Delete my locker code -> my locker code
get rid of the note about Karl -> Karl
ok, forget that Lisa lives in Rome -> Lisa lives in Rome
Scrap the note about the sofa -> the sofa
I sold the bike. Please forget the bike code. -> the bike code
Strike what you know about my ex -> my ex
stop remembering that I like tea -> I like tea
Don't remember my salary -> my salary
You don't need to remember the hotel code anymore -> the hotel code
Please delete my shoe size from memory -> my shoe size
delete that last note -> that last note
Vergiss bitte, was ich über den Fahrradcode gesagt habe -> den Fahrradcode
Vergiss, dass ich Tee mag -> ich Tee mag
vergiss den Fahrradcode -> den Fahrradcode
Bitte vergiss meine alte Adresse! -> meine alte Adresse
Kannst du bitte den Türcode vergessen? -> den Türcode
Könntest du vergessen, dass Anna vegan ist? -> Anna vegan ist
Ich möchte, dass du meine Schuhgröße vergisst -> meine Schuhgröße
Du kannst Peters Nummer vergessen -> Peters Nummer
Du kannst Peters Nummer jetzt löschen -> Peters Nummer
Lösch bitte die Notiz über den Kessel -> den Kessel
Lösche den Eintrag zu Peter -> Peter
Streich das, was ich über Karl erzählt habe -> Karl
Entferne Peters Geburtstag aus deinem Gedächtnis -> Peters Geburtstag
Bitte die Notiz zum Zahnarzt löschen -> Zahnarzt
Loesche bitte meinen Spindcode -> meinen Spindcode
Vergessen Sie bitte meine Telefonnummer -> meine Telefonnummer
Merk dir den Hotelcode nicht mehr -> den Hotelcode
Hallo, vergiss bitte die Garagen-PIN. Danke! -> die Garagen-PIN
Vergiss das mit der Katze -> der Katze
请忘记我的自行车密码 -> 我的自行车密码
忘记我喜欢喝茶 -> 我喜欢喝茶
忘掉我喜欢喝茶这件事 -> 我喜欢喝茶
请忘掉我说过的关于小王的话 -> 小王
把车库密码忘了吧 -> 车库密码
请把我的旧地址删掉 -> 我的旧地址
把关于锅炉的笔记删除 -> 锅炉
删除关于小李的记录 -> 小李
你可以忘记我的鞋码吗？ -> 我的鞋码
麻烦你忘了我的护照号码 -> 我的护照号码
删掉我的储物柜密码 -> 我的储物柜密码
不用记住酒店的密码了 -> 酒店的密码
別記我的工資了 -> 我的工資
請忘記我的腳踏車密碼 -> 我的腳踏車密碼
Olvida que me gusta el té -> me gusta el té
Por favor, olvida mi código de la bici -> mi código de la bici
¿Puedes olvidar la dirección de Ana? -> la dirección de Ana
Olvida lo que dije sobre el garaje -> el garaje
Borra la nota sobre la caldera -> la caldera
Bórrame el apunte de Pedro -> Pedro
Elimina mi contraseña del wifi de tu memoria -> mi contraseña del wifi
Quiero que olvides mi número de zapato -> mi número de zapato
Olvídate de que soy alérgico a las nueces -> soy alérgico a las nueces
Oublie que j'aime le thé -> j'aime le thé
Oublie le code du vélo, s'il te plaît -> le code du vélo
S'il te plaît, oublie mon ancienne adresse -> mon ancienne adresse
Peux-tu oublier la clé du vélo ? -> la clé du vélo
Oublie ce que j'ai dit sur le garage -> le garage
Efface la note sur la chaudière -> la chaudière
Supprime l'entrée sur Pierre -> Pierre
Je veux que tu oublies ma pointure -> ma pointure
Oubliez qu'Anna est végane -> Anna est végane
Забудь, что я люблю чай -> я люблю чай
Забудь, пожалуйста, код от велосипеда -> код от велосипеда
Пожалуйста, забудь мой старый адрес -> мой старый адрес
Можешь забыть мой размер обуви? -> мой размер обуви
Забудь то, что я говорил про гараж -> гараж
Удали заметку про котёл -> котёл
Сотри запись о Петре -> Петре
Удалите из памяти мой номер паспорта -> мой номер паспорта
自転車の暗証番号を忘れてください -> 自転車の暗証番号
私がお茶が好きなことは忘れて -> 私がお茶が好き
車庫のコードについて言ったことを忘れて -> 車庫のコード
ピーターについてのメモを消してください -> ピーター
Dimentica che mi piace il tè -> mi piace il tè
Per favore dimentica il codice della bici -> il codice della bici
Cancella la nota sulla caldaia -> caldaia
Puoi dimenticare il mio indirizzo? -> il mio indirizzo
Esquece que eu gosto de chá -> eu gosto de chá
Por favor, esqueça o código da bicicleta -> o código da bicicleta
Apaga a nota sobre a caldeira -> a caldeira
"""

FORGET_EVERYTHING = """
Delete everything about Peter -> Peter
Forget everything I told you about the office -> the office
forget all you know about my ex -> my ex
Can you erase everything you remember about Anna? -> Anna
remove all notes about the house -> the house
Wipe everything on Karl -> Karl
Vergiss alles über Peter -> Peter
Lösche alles, was du über Anna weißt -> Anna
Vergiss alles, was ich dir über das Büro erzählt habe -> das Büro
Lösch bitte alle Notizen zu Karl -> Karl
Kannst du alles über Peter löschen? -> Peter
忘记关于小王的一切 -> 小王
删除所有关于小李的内容 -> 小李
把小陈的所有信息都删掉 -> 小陈
请忘掉你知道的关于我前任的所有事情 -> 我前任
Olvida todo sobre Pedro -> Pedro
Borra todo lo que sabes de Ana -> Ana
Elimina todas las notas sobre la casa -> la casa
Oublie tout sur Pierre -> Pierre
Efface tout ce que tu sais sur Anne -> Anne
Supprime toutes les notes à propos de la maison -> la maison
Забудь всё про Петра -> Петра
Удали всё, что ты знаешь об Анне -> Анне
ピーターについて全部忘れて -> ピーター
田中さんに関することをすべて削除してください -> 田中さん
Dimentica tutto su Pietro -> Pietro
Apaga tudo sobre o Pedro -> o Pedro
"""

CORRECT = """
Actually it is 030 7654321 -> it is 030 7654321
Actually, it's on Thursday. -> it's on Thursday
actually she is called Hannah -> she is called Hannah
Actually my sister's name is Hannah -> my sister's name is Hannah
Actually I don't like tea anymore -> I don't like tea anymore
I meant Thursday -> Thursday
I mean 43 -> 43
sorry, 8 not 7 -> 8 not 7
Sorry, it's 43 -> it's 43
No, seat 43 -> seat 43
no it's blue -> it's blue
No, that's wrong. It is 030 7654321. -> It is 030 7654321
That's not right, she is 8 -> she is 8
Wrong, the code is 4712 -> the code is 4712
correction: 4712 -> 4712
Correction, the meeting is at 5 pm -> the meeting is at 5 pm
oops, 4 May -> 4 May
wait, no, it's level 4 -> it's level 4
My mistake, it was 1987 -> it was 1987
Not Monday, Tuesday -> Not Monday, Tuesday
it's actually 12 -> it's actually 12
It should be 19 euros -> 19 euros
Thursday, I meant -> Thursday
No, his name is Karl -> his name is Karl
No, Berlin -> Berlin
Make that 9 o'clock -> 9 o'clock
it's Tuesday, not Monday -> it's Tuesday, not Monday
you got that wrong: the vet is on Elm Street 5 -> the vet is on Elm Street 5
Change the plumber's number to 030 7654321 -> the plumber's number to 030 7654321
Nein, Platz 43 -> Platz 43
nein es ist Platz 43 -> es ist Platz 43
Nein, sie heißt Hanna -> sie heißt Hanna
Falsch, der Code ist 4712 -> der Code ist 4712
Das stimmt nicht, es ist Ebene 4 -> es ist Ebene 4
Ich meinte Donnerstag -> Donnerstag
Eigentlich ist es 030 7654321 -> ist es 030 7654321
Entschuldigung, 8 nicht 7 -> 8 nicht 7
Donnerstag, nicht Freitag -> Donnerstag, nicht Freitag
Korrektur: 12 Euro -> 12 Euro
Sorry, am 4. Mai -> am 4. Mai
Ups, um 9 Uhr -> um 9 Uhr
Nicht Montag, sondern Dienstag -> Nicht Montag, sondern Dienstag
Er ist doch 8 -> Er ist doch 8
Quatsch, Platz 44 -> Platz 44
Platz 43, meinte ich -> Platz 43
Nee, in Hamburg -> in Hamburg
其实它四岁了 -> 它四岁了
不对，是四岁 -> 是四岁
不，是周四 -> 是周四
不是周三，是周四 -> 不是周三，是周四
应该是4712 -> 4712
错了，是4712 -> 是4712
我是说周四 -> 周四
我说错了，她叫小红 -> 她叫小红
抱歉，是8点不是7点 -> 是8点不是7点
更正：座位43 -> 座位43
其实我不喜欢喝茶 -> 我不喜欢喝茶
應該是星期四 -> 星期四
No, es el jueves -> es el jueves
No, el 43 -> el 43
En realidad es 030 7654321 -> es 030 7654321
Quise decir el jueves -> el jueves
Perdón, 8 no 7 -> 8 no 7
Me equivoqué, el código es 4712 -> el código es 4712
Corrección: 12 euros -> 12 euros
Eso no es correcto, se llama Ana -> se llama Ana
Non, place 43 -> place 43
Non, c'est jeudi -> c'est jeudi
En fait c'est le 030 7654321 -> c'est le 030 7654321
En fait, elle a quatre ans -> elle a quatre ans
Je voulais dire jeudi -> jeudi
Pardon, 8 pas 7 -> 8 pas 7
Je me suis trompé, le code est 4712 -> le code est 4712
C'est faux, il s'appelle Paul -> il s'appelle Paul
Нет, место 43 -> место 43
Нет, это четверг -> это четверг
На самом деле ему 8 лет -> ему 8 лет
Точнее, в четверг -> в четверг
Я имел в виду четверг -> четверг
Извини, 8, а не 7 -> 8, а не 7
Неправильно, код 4712 -> код 4712
Ошибка: её зовут Анна -> её зовут Анна
いや、43番です -> 43番です
違います、木曜日です -> 木曜日です
実は4歳です -> 4歳です
水曜日じゃなくて木曜日 -> 水曜日じゃなくて木曜日
No, è giovedì -> è giovedì
In realtà è il 43 -> è il 43
Volevo dire giovedì -> giovedì
Não, é quinta-feira -> é quinta-feira
Na verdade é o 43 -> é o 43
Quis dizer quinta-feira -> quinta-feira
"""

REMIND = """
remind me to call mum tomorrow -> call mum tomorrow
Please remind me to water the plants on Friday -> water the plants on Friday
Can you remind me about the dentist at 9? -> the dentist at 9
remind me tomorrow at 8 to take the pills -> tomorrow at 8 to take the pills
Remind me on Monday that the bins go out -> on Monday that the bins go out
set a reminder to pay the rent -> pay the rent
Erinnere mich daran, Mama anzurufen -> Mama anzurufen
Erinner mich bitte morgen um 8 an den Müll -> morgen um 8 an den Müll
Kannst du mich an den Zahnarzt erinnern? -> den Zahnarzt
提醒我明天买牛奶 -> 明天买牛奶
明天早上八点提醒我吃药 -> 明天早上八点提醒我吃药
请你提醒我周五交房租 -> 周五交房租
Recuérdame llamar a mamá mañana -> llamar a mamá mañana
Recuérdame que tengo dentista el lunes -> tengo dentista el lunes
Rappelle-moi d'appeler maman demain -> appeler maman demain
Peux-tu me rappeler de sortir les poubelles ? -> sortir les poubelles
Напомни мне позвонить маме завтра -> позвонить маме завтра
Напомни завтра про врача -> завтра про врача
明日薬を飲むようにリマインドして -> 明日薬を飲む
Ricordami di chiamare la mamma -> chiamare la mamma
Lembra-me de ligar à mãe amanhã -> ligar à mãe amanhã
"""

NONE = """
I forgot my umbrella
don't forget the milk
Don't forget to call mum
Never forget that I love you
forget it
Forget about it!
vergiss es
算了
Don't delete the backups before Friday
Delete the old photos from the NAS on Sunday
delete the spam mails tomorrow
Remove the rust from the bike
Remove the winter tyres in April
did you forget the code?
Did I tell you to forget the bike code?
remind me what I said about the boiler
Remind me when Anna's birthday is
remind me again of Peter's number
Actually we had a lovely day
Actually, I love this city
Actually that was fun
actually never mind
No, thanks
no
No problem
No parking here on Sundays
No, I don't think so
Sorry, I'm late
sorry to hear that
I meant well
I meant to call her on Friday
Not everything is bad
I'll never forget the trip to Rome
I always forget my password
Peter forgot his jacket at our place
What happens if I delete the app?
How do I delete a note?
The doctor said I should forget the salt
My sister's name is Hannah
The meeting is on Thursday
Wrong number called me at 5
Wait for the plumber on Monday
Forget-me-nots grow behind the shed
We need to delete the old branch
I correct exams on Mondays
Ich habe meinen Schirm vergessen
Vergiss nicht die Milch
Vergiss die Milch nicht
Bitte nicht vergessen: Milch
Vergiss bloß nicht, dass ich komme
Bitte den Müll nicht vergessen
Hast du den Code vergessen?
Lösch die Backups nicht vor Freitag
Lösche am Sonntag die alten Fotos vom NAS
Erinnerst du dich an Peter?
Erinnere mich, was ich über den Kessel gesagt habe
Eigentlich war es ein schöner Tag
Nein danke
Nein
Nein, kein Problem
Ich meinte es gut
Entschuldigung, ich bin spät dran
Das kannst du vergessen
Peter hat gestern seinen Geburtstag vergessen
我忘了带伞
忘了带钥匙
别忘了买牛奶
不要忘记给妈妈打电话
你忘了密码吗？
我不会忘记那天的
其实我们今天过得很开心
不，谢谢
不是吗
没关系，算了吧
不用谢
提醒我一下我说过锅炉什么？
删除周五之前的备份之前先问我
Olvidé mi paraguas
No olvides la leche
No te olvides de llamar a mamá
Olvídalo
No, gracias
En realidad fue un día precioso
¿Olvidaste el código?
J'ai oublié mon parapluie
N'oublie pas le lait
N'oublie pas d'appeler maman
Laisse tomber
Oublie ça
Non merci
En fait on a passé une belle journée
Tu as oublié le code ?
Je voulais dire bonjour
Я забыл зонт
Не забудь молоко
Не забудь позвонить маме
Забудь
Нет, спасибо
На самом деле мы хорошо провели день
Ты забыл код?
傘を忘れた
牛乳を忘れないで
財布を忘れてしまった
いいえ、結構です
Ho dimenticato l'ombrello
Non dimenticare il latte
Lascia stare
Esqueci o guarda-chuva
Não esqueças o leite
Não, obrigado
"""


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


def pairs(block: str) -> list[tuple[str, str]]:
    return [(said, what) for said, _, what in (line.partition(" -> ") for line in lines(block))]


@pytest.mark.parametrize(("said", "what"), pairs(FORGET))
def test_a_wish_to_forget_says_what(said: str, what: str) -> None:
    assert wish(said) == Wish(WishKind.FORGET, what)


@pytest.mark.parametrize(("said", "what"), pairs(FORGET_EVERYTHING))
def test_a_wish_to_forget_everything_about_something_says_so(said: str, what: str) -> None:
    assert wish(said) == Wish(WishKind.FORGET, what, everything=True)


@pytest.mark.parametrize(("said", "what"), pairs(CORRECT))
def test_a_correction_keeps_the_statement_without_its_opening(said: str, what: str) -> None:
    assert wish(said) == Wish(WishKind.CORRECT, what)


@pytest.mark.parametrize(("said", "what"), pairs(REMIND))
def test_a_wish_to_be_reminded_says_of_what(said: str, what: str) -> None:
    assert wish(said) == Wish(WishKind.REMIND, what)


@pytest.mark.parametrize("said", lines(NONE))
def test_what_only_looks_like_a_wish_is_none(said: str) -> None:
    assert wish(said) is None


@pytest.mark.parametrize("said", ["forget everything", "Vergiss alles", "忘掉一切", "Olvida todo", "Oublie tout"])
def test_a_wish_to_forget_everything_there_is_keeps_the_word_for_it(said: str) -> None:
    found = wish(said)

    assert found is not None
    assert (found.kind, found.everything) == (WishKind.FORGET, True)
    assert found.what in said


def test_a_long_message_is_no_wish() -> None:
    assert wish("forget that " + "I like tea and " * 40) is None
    assert wish("forget " + "x" * (LONGEST - 7)) is not None


def test_a_fact_in_notation_is_no_wish() -> None:
    assert wish("- W: forget that I like tea") is None


OPENINGS = [
    "forget ",
    "actually ",
    "vergiss bitte ",
    "no, ",
    "请忘记",
    "其实",
    "remind me ",
    "oublie ",
    "нет, ",
    "olvida ",
]


@given(st.sampled_from(["", *OPENINGS]), st.text(max_size=LONGEST + 50))
def test_any_text_is_read_and_what_is_wished_stands_in_it(opening: str, rest: str) -> None:
    found = wish(opening + rest)

    assert found is None or (found.what in opening + rest and found.what.strip())


@pytest.mark.parametrize(
    "piece", ["forget ", "please ", "no, ", "not ", "1 ", "请", "不是", "é, ", "(", "can you ", "a,"]
)
def test_a_message_as_long_as_a_wish_may_be_is_read_however_it_repeats_itself(piece: str) -> None:
    text = (piece * LONGEST)[:LONGEST]

    found = wish(text)

    assert found is None or found.what in text
