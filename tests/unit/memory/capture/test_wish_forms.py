"""Wishes in the many forms in which people put them, and what becomes of the facts that they mean."""

from __future__ import annotations

import pytest

from memory.capture.act import Act
from memory.capture.contradiction import contradicts
from memory.capture.correction import correct
from memory.capture.message import act_of
from memory.capture.wishes import WishKind, wish

PUT_NEGATIVELY = """
I'd rather you didn't keep anything on my knee surgery -> my knee surgery
I'd rather you did not remember my weight. -> my weight
I don't want you to keep the code of the safe -> the code of the safe
We don't want you to know anything about our tax return -> our tax return
I wouldn't want you to keep my ring size -> my ring size
I'd prefer you not to store my licence plate -> my licence plate
Nothing about the inheritance should be remembered -> the inheritance
There's no need to keep the hotel code any more -> the hotel code
Please don't keep anything about my neighbour -> my neighbour
You don't need to know my blood type anymore -> my blood type
Ich möchte nicht, dass du meine Diagnose behältst -> meine Diagnose
Ich will nicht dass du weißt, wo ich arbeite -> wo ich arbeite
Mir wäre es lieber, wenn du nichts über meine Scheidung speicherst -> meine Scheidung
Du musst dir meine Schuhgröße nicht mehr merken -> meine Schuhgröße
Bitte behalte nichts über meinen Nachbarn -> meinen Nachbarn
Über die Erbschaft sollst du nichts behalten -> die Erbschaft
Speicher meine Kontonummer bitte nicht mehr -> meine Kontonummer
No quiero que guardes mi número de cuenta -> mi número de cuenta
No quiero que sepas dónde trabajo -> dónde trabajo
Preferiría que no recordaras nada de mi operación -> mi operación
Ya no tienes que recordar mi talla -> mi talla
No guardes nada sobre mi vecino -> mi vecino
Je préfère que tu ne gardes rien sur ma fille -> ma fille
Je ne veux plus que tu retiennes mon poids -> mon poids
Je veux pas que tu saches où je travaille -> où je travaille
Ne garde rien sur mon opération -> mon opération
Tu n'as plus besoin de retenir le code de l'hôtel -> le code de l'hôtel
Я не хочу, чтобы ты хранил мой адрес -> мой адрес
Не хочу, чтобы ты помнила, где я работаю -> где я работаю
Я бы предпочёл, чтобы ты ничего не хранил о моей операции -> моей операции
Не храни ничего про моего соседа -> моего соседа
Тебе больше не нужно помнить код от сейфа -> код от сейфа
请不要保留我的病历 -> 我的病历
我不希望你记住我的生日 -> 我的生日
酒店的密码不用再记了 -> 酒店的密码
我的地址不需要保存了 -> 我的地址
请别保存关于我女儿的任何信息 -> 我女儿
别留着我的体检结果 -> 我的体检结果
私の体重を覚えておかないで -> 私の体重
Non voglio che tu ricordi il mio peso -> il mio peso
Não quero que guardes a minha morada -> a minha morada
"""

TOPIC_FIRST = """
Das mit dem Motorrad kannst du vergessen, das ist verkauft -> dem Motorrad
Die Nummer vom Klempner kannst du vergessen, wir haben einen neuen -> Die Nummer vom Klempner
Meinen alten Spind kannst du streichen, ich hab gekündigt -> Meinen alten Spind
Was ich über Sabine erzählt habe, kannst du löschen, das war vertraulich -> Sabine
Die Sache mit der Garage bitte vergessen, die ist vermietet -> der Garage
The stuff about the caravan you can drop, it's sold -> the caravan
What I told you about Omar wasn't mine to tell, please take it out again -> Omar
The parking permit? you can drop that -> The parking permit
The gym locker, you can forget about that one, I left -> The gym locker
My old office address: please forget it -> My old office address
About the piano: forget it, we gave it away -> the piano
The wifi code I gave you can be deleted, we changed it -> The wifi code
游泳卡的事可以忘了，我已经退卡了 -> 游泳卡
公司的门禁码可以删了，我辞职了 -> 公司的门禁码
小李的电话你可以忘掉了，他换号了 -> 小李的电话
我跟你说的小张的事，别记了，他不想让人知道 -> 小张
Про мотоцикл можешь забыть, я его продал -> мотоцикл
Номер сантехника можешь удалить, он больше не работает -> Номер сантехника
О том, что я рассказывал про Олю, забудь, пожалуйста, это секрет -> Олю
Историю с гаражом можно забыть, мы его сдали -> гаражом
Абонемент в бассейн забудь, он закончился -> Абонемент в бассейн
Lo de la moto ya puedes olvidarlo, la vendí -> la moto
Lo que te dije de Rosa no era asunto mío, bórralo -> Rosa
El código del hotel ya lo puedes borrar -> El código del hotel
De la piscina te puedes olvidar, ya no vamos -> la piscina
Le truc sur la moto, tu peux l'oublier, je l'ai vendue -> la moto
Ce que je t'ai raconté sur Hugo, efface-le s'il te plaît -> Hugo
L'abonnement de piscine, tu peux l'effacer, il est fini -> L'abonnement de piscine
プールの会員番号はもう忘れていいよ、退会したから -> プールの会員番号
"""

REMOVED = """
Remove the optician's appointment, it's been cancelled -> the optician's appointment
Take the plumber's number off -> the plumber's number off
Take my old address out again -> my old address out
Drop the thing about the canoe -> the canoe
Remove the bit on the landlord, that's settled -> the landlord
Delete the one about the tax office -> the tax office
Cross out the dance class, we quit -> the dance class
Streich das mit dem Kanu -> dem Kanu
Wirf den Termin beim Optiker raus, der ist abgesagt -> den Termin beim Optiker
Nimm die Nummer vom Klempner wieder raus -> die Nummer vom Klempner
Entferne das über den Vermieter -> den Vermieter
Streich den Tanzkurs, wir haben aufgehört -> den Tanzkurs
Lösch das mit dem Finanzamt -> dem Finanzamt
删除房东那条 -> 房东
删掉关于皮划艇那条 -> 皮划艇
把眼镜店的预约去掉，已经取消了 -> 眼镜店的预约
划掉舞蹈课，我们不学了 -> 舞蹈课
Borra lo de la canoa -> la canoa
Quita la cita del oculista, la cancelaron -> la cita del oculista
Elimina lo del casero -> casero
Saca lo del curso de baile -> curso de baile
Enlève le truc sur le canoë -> le canoë
Retire le rendez-vous chez l'opticien, il est annulé -> le rendez-vous chez l'opticien
Supprime l'histoire avec le proprio -> le proprio
Enlève ce qui concerne le cours de danse -> le cours de danse
Убери про каноэ -> каноэ
Удали приём у окулиста, его отменили -> приём у окулиста
Убери то, что про хозяина квартиры -> хозяина квартиры
Вычеркни танцы, мы бросили -> танцы
Выкинь запись про налоговую -> налоговую
"""

NOT_ABOUT_MEMORY = """
Delete the old photos from the NAS on Sunday
Remove the leaves from the gutter
Take the cake out at five
Take the dog to the vet
Drop the kids at grandma's
Drop the parcel off at the post office
Wirf den Müll raus
Nimm das Huhn aus dem Kühlschrank
Nimm die Wäsche raus
Streich die Wand im Flur
把垃圾扔掉
去掉西瓜的籽
Saca la basura
Saca al perro esta noche
Quita el polvo del salón
Enlève tes chaussures
Sors le chien à 8 heures
Retire le gâteau du four
Убери кухню вечером
Выкинь мусор
Убери игрушки
Take out the trash
I'd rather you didn't call me boss
I don't want you to answer in English
I don't want to keep the sofa
You don't need to bring anything
Nothing about this is easy
Ich möchte nicht, dass du mich duzt
Ich will nicht behalten, was kaputt ist
No quiero que llueva el sábado
Je ne veux pas que tu m'attendes
Я не хочу, чтобы шёл дождь
我不想让他知道我的工资
My boss doesn't want me to keep the car
Lena will nicht, dass ich das weiß
I forgot the gym card, I left it at home
The movie? You can skip that
Was ich über Sabine erzählt habe, war lustig
I'll let you know tomorrow
Let me know what you think
Anna wakes me up at 7
Sag mir Bescheid, wenn du was weißt
叫我小王
告诉我密码
Call me Ishmael
Mi madre me avisa a las cinco
Préviens-moi si tu sais quelque chose
"""

CONTRASTS = """
晚会晚上7点开始 | 是8点不是7点 | 晚会晚上8点开始
我的房间是302 | 不是302，是320 | 我的房间是320
停车在B区 | 说错了，是D区不是B区 | 停车在D区
妹妹的生日是5月3号 | 不是5月3号，是5月8号 | 妹妹的生日是5月8号
文件在蓝色的盒子里 | 是红色，不是蓝色 | 文件在红色的盒子里
票价25元 | 不是25，是35 | 票价35元
Спектакль в семь | не в семь, а в восемь | Спектакль в восемь
Паспорта в синей папке на полке | в зелёной, а не в синей | Паспорта в зелёной папке на полке
Врач принимает в среду | ошибся, не в среду, а в четверг | Врач принимает в четверг
Билет стоит 500 рублей | извини, 600, а не 500 | Билет стоит 600 рублей
Mein Büro ist im Stock 3 | nicht Stock 3, sondern 4 | Mein Büro ist im Stock 4
Der Kurs beginnt um sieben | um acht, nicht um sieben | Der Kurs beginnt um acht
Die Impfpässe liegen in der blauen Mappe | in der grünen, nicht in der blauen | Die Impfpässe liegen in der grünen Mappe
Das Paket wiegt 3 kg | nicht 3, sondern 5 kg | Das Paket wiegt 5 kg
The seeds are in the blue tin | not the blue, the red one | The seeds are in the red tin
The seeds are in the blue tin | the red one, not the blue one | The seeds are in the red tin
Practice is at seven | not at seven, at eight | Practice is at eight
The parcel weighs 3 kg | 5 kg, not 3 | The parcel weighs 5 kg
My doctor is on the second floor | sorry, it's the third floor, not the second | My doctor is on the third floor
La clase es a las siete | a las ocho, no a las siete | La clase es a las ocho
Las semillas están en la caja azul | no la azul, la roja | Las semillas están en la caja roja
El piso es el 3 | no es el 3, es el 4 | El piso es el 4
Le spectacle est à vingt heures | pas à vingt heures, à dix-neuf heures | Le spectacle est à dix-neuf heures
Les graines sont dans la boîte bleue | la rouge, pas la bleue | Les graines sont dans la boîte rouge
Mon bureau est au 3e étage | au 4e, pas au 3e | Mon bureau est au 4e étage
会議は3時です | 3時じゃなくて4時です | 会議は4時です
"""

SAID_IN_OTHER_GRAMMAR = """
Lena hat am 5. Mai Geburtstag. | Korrektur: Lenas Geburtstag ist am 6. Mai | Lena hat am 6. Mai Geburtstag.
Lenas Geburtstag ist am 5. Mai | Korrektur: Lena hat am 6. Mai Geburtstag | Lenas Geburtstag ist am 6. Mai
Der Müll wird dienstags abgeholt | Korrektur: die Müllabfuhr kommt mittwochs | -
Unsere Miete beträgt 720 Euro | Korrektur: wir zahlen 740 Euro Miete | Unsere Miete beträgt 740 Euro
Das WLAN-Passwort lautet Kranich12 | Korrektur: das Passwort vom WLAN ist Kranich13 | Das WLAN-Passwort lautet Kranich13
Oma wird am 4. April 80 | Korrektur: Omas Geburtstag ist am 5. April | -
The bins are collected on Tuesday | Correction: bin collection is Wednesday | The bins are collected on Wednesday
Mia's birthday is on 5 May | Correction: Mia has her birthday on 6 May | Mia's birthday is on 6 May
The rent we pay is 820 euros | Correction: our rent is 840 euros | The rent we pay is 840 euros
Karl takes shoe size 44 | Correction: Karl's shoe size is 45 | Karl takes shoe size 45
The dentist's number is 555 0142 | Correction: the number of the dentist is 555 0124 | The dentist's number is 555 0124
El santo de Ana es el 5 de mayo | Corrección: Ana tiene su santo el 6 de mayo | El santo de Ana es el 6 de mayo
El alquiler es de 700 euros | Corrección: pagamos 720 euros de alquiler | El alquiler es de 720 euros
L'anniversaire de Zoé est le 5 mai | Correction : Zoé a son anniversaire le 6 mai | L'anniversaire de Zoé est le 6 mai
Notre loyer est de 700 euros | Correction : on paie 720 euros de loyer | Notre loyer est de 720 euros
У Маши день рождения 5 мая | Поправка: день рождения Маши 6 мая | У Маши день рождения 6 мая
День рождения Антона 5 мая | Поправка: у Антона день рождения 7 мая | День рождения Антона 7 мая
Мы платим за квартиру 30000 рублей | Поправка: квартира стоит 32000 рублей | Мы платим за квартиру 32000 рублей
小陈的生日是5月5日 | 更正：小陈5月6日过生日 | 小陈的生日是5月6日
我们的房租每月3000元 | 更正：每个月房租是3200元 | 我们的房租每月3200元
"""

VALUES_OF_ONE_SHAPE = """
Ma tante habite rue des Tulipes | rue des Tilleuls | Ma tante habite rue des Tilleuls
La clé jaune ouvre la cave | la rouge | La clé rouge ouvre la cave
La llave azul abre el trastero | la roja | La llave roja abre el trastero
Der blaue Schlüssel ist für den Keller | der rote | Der rote Schlüssel ist für den Keller
Синий ключ от подвала | красный | Красный ключ от подвала
The blue bin is for paper | I meant the green one | The green bin is for paper
Our pediatrician is Dr. Brand | Dr. Brandt | Our pediatrician is Dr. Brandt
Our cleaner comes on Tuesday | Thursday | Our cleaner comes on Thursday
El ferry sale a las nueve | mejor dicho, a las nueve y media | El ferry sale a las nueve y media
El ferry sale del muelle viejo | mejor dicho, a las nueve y media | -
Vivo en Cádiz desde 2019 | a las nueve y media | -
猫三岁了 | 四岁 | 猫四岁了
她2019年毕业 | 四岁 | -
公司在2019年成立 | 八点半 | -
The office is in Room 12 | half past nine | -
I live in Hull | half past nine | -
Meine Tante wohnt in der Tulpenstraße | nein, in der Rosenstraße | Meine Tante wohnt in der Rosenstraße
My aunt lives on Tulip Street | no, Linden Street | My aunt lives on Linden Street
Mi tía vive en la calle Mayor | no, en la calle Menor | Mi tía vive en la calle Menor
Тётя живёт на улице Ленина | нет, на улице Мира | Тётя живёт на улице Мира
Le vétérinaire s'appelle Duval | plutôt Duvel | Le vétérinaire s'appelle Duvel
Der Zug geht um acht | besser gesagt um halb neun | Der Zug geht um halb neun
The train leaves at eight | I mean half past eight | The train leaves at half past eight
Поезд уходит в восемь | точнее, в половине девятого | Поезд уходит в половине девятого
Le train part à huit heures | plutôt à huit heures et demie | Le train part à huit heures et demie
火车八点开 | 应该是八点半 | 火车八点半开
"""

OPENINGS = """
Le code de l'immeuble est 3391 | Après vérification, c'est le 3319 | Le code de l'immeuble est 3319
The locker code is 3391 | I checked: it's 3319 | The locker code is 3319
The locker code is 3391 | I just looked it up, it's 3319 | The locker code is 3319
The locker code is 3391 | the code changed, it's 9988 now | The locker code is 9988
The locker code is 3391 | They changed the code, now it's 9988 | The locker code is 9988
My address is 4 Elm Road | That's my old address, the new one is 9 Oak Road | My address is 9 Oak Road
I like tea best | Actually I prefer coffee | -
Der Türcode ist 3391 | bei näherem Hinsehen ist es 3319 | Der Türcode ist 3319
Der Türcode ist 3391 | Ich habe nachgeschaut: es ist 3319 | Der Türcode ist 3319
Der Türcode ist 3391 | Der Code hat sich geändert, er ist jetzt 9988 | Der Türcode ist 9988
Meine Adresse ist Elmweg 4 | Das ist meine alte Adresse, die neue ist Eichweg 9 | Meine Adresse ist Eichweg 9
El código es 3391 | Lo he mirado: es 3319 | El código es 3319
El código es 3391 | El código cambió, ahora es 9988 | El código es 9988
La boda es el viernes | más bien el sábado | La boda es el sábado
Le mariage est vendredi | ou plutôt samedi | Le mariage est samedi
Le mariage est vendredi | j'ai vérifié, c'est samedi | Le mariage est samedi
Le code est 3391 | Le code a changé, c'est 9988 maintenant | Le code est 9988
Код от двери 3391 | Я проверил: 3319 | Код от двери 3319
Код от двери 3391 | Код поменяли, теперь 9988 | Код от двери 9988
Свадьба в пятницу | вернее, в субботу | Свадьба в субботу
门的密码是3391 | 我查过了，是3319 | 门的密码是3319
门的密码是3391 | 密码换了，现在是9988 | 门的密码是9988
The wedding is on Friday | or rather Saturday | The wedding is on Saturday
The wedding is on Friday | rather, Saturday | The wedding is on Saturday
I prefer tea | Actually I prefer coffee | I prefer coffee
"""

REMINDERS = """
can you ping me in 40 minutes so the lasagne doesn't burn?
ping me at 5
nudge me tomorrow about the rent
wake me up at 7
give me a shout in ten minutes
Could you let me know in an hour that the bread is done?
don't let me forget to water the fern
Make sure I don't forget the dentist on Monday
Sag mir in einer Stunde Bescheid, dass der Kuchen fertig ist
weck mich um 7
Stups mich morgen an wegen der Miete
Lass mich nicht vergessen, den Farn zu gießen
Gib mir um 5 Bescheid
下周一叫我交房租
别让我忘了浇花
提醒一下，周三有牙医
早上六点叫醒我
一小时后告诉我面包好了
avísame en una hora de que el pan está listo
Despiértame mañana a las siete
No dejes que me olvide de regar las plantas
¿Me avisas a las cinco?
préviens-moi dans une heure
Réveille-moi à sept heures
Ne me laisse pas oublier d'arroser la fougère
Fais-moi signe à 17h
дай знать через час
Разбуди меня в 7
Не дай мне забыть полить цветы
Сообщи мне в пять, что хлеб готов
7時に起こして
Avvisami tra un'ora
Avisa-me daqui a uma hora
"""

DROPPED_SUBJECTS = """
forget it
Forget that!
forget about it
oh forget that then
vergiss es
vergiss das
ach, vergiss das einfach
算了
算了算了
忘了它吧
laisse tomber
oublie ça
oublie
забудь
забудь это
olvídalo
olvida eso
lascia stare
deixa pra lá
気にしないで
忘れて
"""

CONTRADICTING = """
Mi hermana Lucía vive en Valencia desde 2019. Trabaja en el puerto. | Mi hermana Lucía vive en Bilbao.
My uncle Ben lives in Leeds since 2012. He drives a bus. | My uncle Ben lives in York.
Mein Onkel Ben wohnt in Trier. Er fährt Bus. | Mein Onkel Ben wohnt in Mainz.
Mein Kater heißt Moritz. Er ist schwarz. | Mein Kater heißt Max.
Mein Onkel Ben wohnt seit 2012 in Trier. | Mein Onkel Ben wohnt in Mainz.
Mon oncle Ben habite à Nantes depuis 2012. Il conduit un bus. | Mon oncle Ben habite à Brest.
Мой дядя Борис живёт в Твери. Он водит автобус. | Мой дядя Борис живёт в Туле.
Мою кошку зовут Муся. Ей два года. | Мою кошку зовут Буся.
我舅舅住在苏州。他开公交车。 | 我舅舅住在无锡。
我的猫叫咪咪。它三岁。 | 我的猫叫花花。
Our neighbour is called Mr. Hill. He has a dog. | Our neighbour is called Mr. Dale.
The gate code is 1212. It works until noon. | The gate code is 2121.
"""

COMPATIBLE = """
My uncle Ben lives in Leeds. He drives a bus. | My uncle Ben likes York.
My uncle Ben lives in Leeds. He drives a bus. | My uncle Tom lives in York.
My uncle Ben lives in Leeds. He drives a bus. | My uncle Ben lives in Leeds.
We ate in Leeds. It was good. | We ate in York.
I have a cat called Moritz. He is black. | I have a cat called Max.
Ich war in Trier. Es hat geregnet. | Ich war in Mainz.
Anna works at Bosch. She likes it. | Anna works at home.
My sister lives in a flat in Leeds. It is small. | My sister lives in a house.
Mein Kater heißt Moritz. Er ist schwarz. | Mein Hund heißt Max.
我舅舅住在苏州。他开公交车。 | 我叔叔住在无锡。
"""


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


def cells(*blocks: str, mark: str = "|") -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in line.split(mark)) for block in blocks for line in lines(block)]


@pytest.mark.parametrize(("said", "what"), cells(PUT_NEGATIVELY, TOPIC_FIRST, REMOVED, mark="->"))
def test_a_wish_to_forget_is_read_in_any_order_with_or_without_a_reason(said: str, what: str) -> None:
    found = wish(said)

    assert found is not None
    assert (found.kind, found.what) == (WishKind.FORGET, what)


@pytest.mark.parametrize("said", lines(NOT_ABOUT_MEMORY))
def test_an_order_about_things_and_people_is_no_wish(said: str) -> None:
    assert wish(said) is None


@pytest.mark.parametrize(
    ("old", "message", "new"), cells(CONTRASTS, SAID_IN_OTHER_GRAMMAR, VALUES_OF_ONE_SHAPE, OPENINGS)
)
def test_a_message_that_corrects_exchanges_one_value_and_keeps_the_rest(old: str, message: str, new: str) -> None:
    found = wish(message)

    assert correct(old, found.what if found else message) == (None if new == "-" else new)


@pytest.mark.parametrize("said", lines(REMINDERS))
def test_a_wish_to_be_told_later_is_one_to_be_reminded(said: str) -> None:
    found = wish(said)

    assert found is not None
    assert found.kind is WishKind.REMIND


@pytest.mark.parametrize("said", lines(DROPPED_SUBJECTS))
def test_letting_a_subject_drop_is_no_wish_and_nothing_to_note(said: str) -> None:
    assert wish(said) is None
    assert act_of(said) is Act.SMALL_TALK


@pytest.mark.parametrize(("old", "new"), cells(CONTRADICTING))
def test_a_fact_of_several_sentences_is_contradicted_by_another_value_of_one(old: str, new: str) -> None:
    assert contradicts(old, new)
    assert contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), cells(COMPATIBLE))
def test_facts_of_other_subjects_or_events_do_not_contradict(old: str, new: str) -> None:
    assert not contradicts(old, new)
    assert not contradicts(new, old)
