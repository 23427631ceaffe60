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
I'd rather you didn't keep anything on my blood pressure -> my blood pressure
I don't want you to store my passport number -> my passport number
I do not want you to know where my parents live -> where my parents live
I'd prefer that you don't remember my salary -> my salary
Nothing about the lawsuit should be stored -> the lawsuit
You shouldn't keep my ex's address -> my ex's address
Ich möchte nicht, dass du meine Kontonummer speicherst -> meine Kontonummer
Ich will nicht, dass du dir das mit der Therapie merkst -> der Therapie
Mir wäre lieber, du würdest nichts über meine Schulden behalten -> meine Schulden
Über meinen Chef soll nichts gespeichert bleiben -> meinen Chef
No quiero que recuerdes mi peso -> mi peso
Prefiero que no guardes nada sobre mi divorcio -> mi divorcio
No hace falta que guardes el código del hotel -> el código del hotel
Je ne veux pas que tu gardes mon adresse -> mon adresse
J'aimerais mieux que tu ne retiennes rien sur mon médecin -> mon médecin
Je préférerais que tu ne saches pas mon salaire -> mon salaire
Я не хочу, чтобы ты помнил мой вес -> мой вес
Мне бы не хотелось, чтобы ты хранил номер паспорта -> номер паспорта
Лучше не храни ничего о моём разводе -> моём разводе
我不想让你记住我的体重 -> 我的体重
请不要保存我的身份证号 -> 我的身份证号
我的工资不用再记了 -> 我的工资
关于我前任，什么都别留 -> 我前任，什么
I'd feel better if you didn't store my medication list -> my medication list
I would prefer you didn't know about my tattoo -> my tattoo
No need to remember the cabin code -> the cabin code
Don't hold on to my insurance number -> my insurance number
My bank details shouldn't be stored -> My bank details
Ich möchte nicht, dass du etwas über meine Eltern speicherst -> meine Eltern
Du brauchst dir den Namen der Katze nicht mehr zu merken -> den Namen der Katze
Merk dir bitte nichts über meinen Ex -> meinen Ex
Meine Adresse soll nicht gespeichert werden -> Meine Adresse
No quiero que sepas nada de mi jefe -> mi jefe
Preferiría que no guardases mi teléfono -> mi teléfono
Sobre mi hermano no guardes nada -> mi hermano
Je ne souhaite pas que tu retiennes le nom de mon chef -> le nom de mon chef
J'aimerais que tu ne gardes pas mon numéro de téléphone -> mon numéro de téléphone
Pas besoin de retenir le code du chalet -> le code du chalet
Мне не нужно, чтобы ты помнил мой рост -> мой рост
Не запоминай больше номер моей карты -> номер моей карты
Я предпочла бы, чтобы ты не хранил ничего про мою сестру -> мою сестру
我不想你记得我的工资 -> 我的工资
别保存我的护照号 -> 我的护照号
你不用记住我的鞋码了 -> 我的鞋码
我希望你别记我的体重 -> 我的体重
I'd rather you didn't know about my loan -> my loan
Ich will nicht, dass du dir meinen Kontostand merkst -> meinen Kontostand
No quiero que guardes nada de mi terapia -> mi terapia
Je ne veux pas que tu retiennes mon âge -> mon âge
Я не хочу, чтобы ты знал мою зарплату -> мою зарплату
请不要记住我的血型 -> 我的血型
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
Das mit dem Boot kannst du wieder vergessen, das haben wir verkauft -> dem Boot
Die Sache mit dem Kredit darfst du löschen, ist abbezahlt -> dem Kredit
Den Code vom Spind kannst du streichen, ich bin da nicht mehr -> Den Code vom Spind
The gym membership? You can forget that, I quit -> The gym membership
The thing about the allotment you can forget, we gave it up -> the allotment
What I said about Nora wasn't mine to share, please delete it -> Nora
My old landline number? Drop it -> My old landline number
健身房的密码可以忘了，我不去了 -> 健身房的密码
小王的事你忘了吧，他不想让人知道 -> 小王
那辆自行车的事就忘了吧，已经卖掉了 -> 那辆自行车
Про дачу забудь, мы её продали -> дачу
То, что я говорил про Игоря, лучше удали, это секрет -> Игоря
Номер старой квартиры можешь удалить, мы съехали -> Номер старой квартиры
Lo del gimnasio olvídalo, ya no voy -> gimnasio
La clave del trastero ya la puedes borrar, lo vendimos -> La clave del trastero
Lo que te conté de Marta bórralo, por favor, era un secreto -> Marta
Le code du garage, tu peux l'oublier, on a déménagé -> Le code du garage
Ce que je t'ai dit sur Léa, oublie-le, c'était un secret -> Léa
L'histoire du prêt, tu peux oublier, il est remboursé -> prêt
The storage unit, you can forget it, we emptied it -> The storage unit
That thing with the neighbours you can forget, we made up -> the neighbours
My Netflix password? Please delete that -> My Netflix password
Everything about the wedding can be forgotten, it's off -> the wedding
What I told you about Finn was meant to stay private, so please forget it -> Finn
Den Zahnarzttermin kannst du löschen, der ist vorbei -> Den Zahnarzttermin
Das mit Julia vergiss bitte, das hätte ich nicht sagen sollen -> Julia
Die Geheimzahl? Kannst du löschen -> Die Geheimzahl
Den alten WLAN-Schlüssel darfst du ruhig vergessen -> Den alten WLAN-Schlüssel
El número del fontanero lo puedes borrar, ya no trabaja -> El número del fontanero
Lo de mi ex, olvídalo por favor -> mi ex
La alarma vieja, bórrala, la cambiamos -> La alarma vieja
L'ancien code, tu peux l'effacer, il a changé -> L'ancien code
Ce que je t'ai confié sur Alice n'était pas à moi, oublie-le -> Alice
Le numéro du plombier, supprime-le, il est à la retraite -> Le numéro du plombier
Пароль от старого вайфая можно удалить, роутер поменяли -> Пароль от старого вайфая
Про Лёшу забудь, я не должен был этого говорить -> Лёшу
旧的门禁密码可以删掉了，已经换了 -> 旧的门禁密码
我跟你讲的小美的事，忘了吧 -> 小美
The cabin key stuff you can forget, we sold the cabin -> The cabin key stuff
Die Sache mit dem Anwalt kannst du vergessen, ist erledigt -> dem Anwalt
Lo del abogado ya lo puedes olvidar -> abogado
Le truc avec l'avocat, tu peux l'oublier -> l'avocat
Про адвоката можешь забыть, всё решено -> адвоката
律师的事可以忘了，已经解决了 -> 律师
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
Remove the plumber's appointment, he already came -> the plumber's appointment
Take the locker number off, I left the gym -> the locker number off
Please scratch the thing about Marco -> Marco
Lose the entry on the caravan, we sold it -> the caravan
Wirf das mit dem Wohnwagen raus -> dem Wohnwagen
Streich die Zahnärztin, der Termin ist abgesagt -> die Zahnärztin
Nimm Peters Adresse raus, er ist weggezogen -> Peters Adresse
删除健身房那条 -> 健身房
把牙医那条删了 -> 牙医
去掉关于房东的那条 -> 房东
Borra lo de la furgoneta -> la furgoneta
Quita lo del dentista, ya fui -> dentista
Elimina la cita del médico, la han cancelado -> la cita del médico
Enlève le truc sur la caravane -> la caravane
Retire le rendez-vous chez le coiffeur, il est annulé -> le rendez-vous chez le coiffeur
Vire l'histoire avec le voisin -> le voisin
Убери запись к зубному, её отменили -> запись к зубному
Выкинь то, что про караван -> караван
Удали про стоматолога, я уже сходил -> стоматолога
Strike the pottery class, it fell through -> the pottery class
Get rid of the thing about the boiler -> the boiler
Erase the bit about my cousin -> my cousin
Take the note about the vet out -> the vet out
Remove my old phone number -> my old phone number
Entferne bitte den Klavierlehrer, wir haben gewechselt -> den Klavierlehrer
Nimm das mit dem Umzug wieder raus -> dem Umzug
Schmeiß das über die Versicherung raus -> die Versicherung
Lösch den Friseurtermin, der wurde abgesagt -> den Friseurtermin
Borra la cita del dentista, ya fui -> la cita del dentista
Quita eso de la herencia -> la herencia
Elimina lo que dije del vecino -> vecino
Efface l'histoire de la voiture, elle est vendue -> la voiture
Supprime ce que j'ai dit sur le voisin -> le voisin
Retire mon ancien numéro -> mon ancien numéro
Удали то, что я говорил о соседе -> соседе
Убери историю про кредит, он выплачен -> кредит
Сотри мой старый номер -> мой старый номер
删掉保险那条 -> 保险
把搬家的事删了 -> 搬家
去掉钢琴课，已经取消了 -> 钢琴课
Remove the yoga class, I quit -> the yoga class
Streich den Yogakurs, ich habe gekündigt -> den Yogakurs
Quita lo del yoga -> yoga
Enlève le cours de yoga, j'ai arrêté -> le cours de yoga
Убери йогу, я бросила -> йогу
删掉瑜伽课那条 -> 瑜伽课
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
Remove the old tyres from the garage on Saturday
Delete the videos from the camera tonight
Nimm am Freitag den Müll raus
Wirf die alten Zeitungen am Montag weg
周末删掉手机里的旧照片
Borra las fotos del móvil el domingo
Enlève les vieux cartons du garage samedi
Убери в субботу старые коробки из гаража
Take the bins out on Tuesday
Streich den Zaun im Frühling
I don't want you to worry
Ich möchte nicht, dass du traurig bist
No quiero que te enfades
Take the laundry out of the machine at six
Remove the sticker from the window
Drop me a line when you're back
Get rid of the old sofa on Saturday
Nimm die Tabletten nach dem Essen
Streich Butter aufs Brot
Wirf den Ball
Quita los platos de la mesa
Borra la pizarra
Enlève la neige devant la porte
Retire de l'argent demain
Убери снег у дома
Удали вирус с ноутбука
把地扫了
去掉皮再吃
I don't want you to go
I'd rather you came on Monday
No quiero que vengas
Je ne veux pas que tu partes
我不想你担心
Don't keep the eggs in the fridge
No guardes la leche fuera
Не храни яйца в холодильнике
Don't save the leftovers, they're bad
My keys? I can't find them, forget it
The thing about love is you can forget it
Ich will nicht, dass du das vergisst
No quiero que olvides mi cumpleaños
Я не хочу, чтобы ты забыл мой день рождения
我不想让你忘记我的生日
别留下我一个人
Don't leave the dog alone
Nimm den Schirm mit
No quiero café
Убери посуду
别忘了关灯
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
晚饭晚上七点开始 | 说错了，是八点不是七点 | 晚饭晚上八点开始
我住在502室 | 不是502，是520 | 我住在520室
会议在三楼 | 是四楼不是三楼 | 会议在四楼
Ужин в семь у Марины | не в семь, а в восемь | Ужин в восемь у Марины
Документы лежат в синей папке | ошибся: в зелёной, а не в синей | Документы лежат в зелёной папке
Код от ворот 3391 | извини, не 3391, а 3319 | Код от ворот 3319
Meine Praxis ist im Stock 3 | nicht Stock 3, sondern 4 | Meine Praxis ist im Stock 4
Der Zug fährt von Gleis 7 | sorry, Gleis 8, nicht 7 | Der Zug fährt von Gleis 8
Das Training ist um sieben | nicht um sieben, sondern um acht | Das Training ist um acht
The spare key is in the blue box | not the blue, the red one | The spare key is in the red box
The bus leaves at 6:40 | 6:50, not 6:40 | The bus leaves at 6:50
My desk is on the third floor | the fourth floor, not the third | My desk is on the fourth floor
La cena es a las nueve | no a las nueve, sino a las diez | La cena es a las diez
El coche está en la plaza 12 | perdón, la 14, no la 12 | El coche está en la plaza 14
Le train part du quai 4 | pas du quai 4, du quai 6 | Le train part du quai 6
Le cours est à 18 heures | à 19 heures, pas à 18 | Le cours est à 19 heures
Der Schrank ist im blauen Zimmer | nicht im blauen, sondern im grünen Zimmer | Der Schrank ist im grünen Zimmer
Wir treffen uns am Gleis 9 | nein, Gleis 11, nicht 9 | Wir treffen uns am Gleis 11
Die Prüfung ist um zehn | sorry, um elf, nicht um zehn | Die Prüfung ist um elf
The flight is at gate C4 | C14, not C4 | The flight is at gate C14
Grandpa is in room 210 | not 210, 201 | Grandpa is in room 201
My appointment is on Friday at 3 | on Thursday, not on Friday | My appointment is on Thursday at 3
La reunión es en la sala verde | en la sala roja, no en la verde | La reunión es en la sala roja
El tren sale a las 8 | no a las 8, a las 9 | El tren sale a las 9
Le bureau est au deuxième étage | au troisième, pas au deuxième | Le bureau est au troisième étage
Mon vol est à 14h | à 15h, pas à 14h | Mon vol est à 15h
Собрание в среду в 10 | не в среду, а в пятницу | Собрание в пятницу в 10
Лекция в 305 аудитории | не в 305, а в 315 | Лекция в 315 аудитории
Поезд с третьего пути | с четвёртого, а не с третьего | Поезд с четвёртого пути
航班是下午三点 | 不是三点，是四点 | 航班是下午四点
我家在12楼 | 说错了，是21楼，不是12楼 | 我家在21楼
面试在周一 | 是周二，不是周一 | 面试在周二
The keys are in the top drawer | the bottom drawer, not the top | The keys are in the bottom drawer
Die Karten kosten 18 Euro | nicht 18, sondern 28 Euro | Die Karten kosten 28 Euro
La boda es en mayo | en junio, no en mayo | La boda es en junio
Le match est samedi | pas samedi, dimanche | Le match est dimanche
Экзамен в 9 | не в 9, а в 11 | Экзамен в 11
我的车位是A17 | 不是A17，是A71 | 我的车位是A71
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
Jonas hat am 2. März Geburtstag. | Korrektur: Jonas' Geburtstag ist am 3. März | Jonas hat am 3. März Geburtstag.
Mein Passwort fürs WLAN lautet Kran12 | Korrektur: das WLAN-Passwort ist Kran21 | Mein Passwort fürs WLAN lautet Kran21
We pay 820 euros rent | Correction: the rent is 840 euros | We pay 840 euros rent
Tom wears shoe size 42 | Correction: Tom's shoe size is 43 | Tom wears shoe size 43
El cumpleaños de Inés es el 3 de julio | Corrección: Inés cumple el 4 de julio | El cumpleaños de Inés es el 4 de julio
У Лены день рождения 5 мая | Поправка: день рождения Лены 6 мая | У Лены день рождения 6 мая
小林的生日是五月五日 | 更正：小林五月六日过生日 | 小林的生日是五月六日
Tim hat am 9. Juli Geburtstag | Korrektur: Tims Geburtstag ist am 10. Juli | Tim hat am 10. Juli Geburtstag
Die Nummer der Praxis ist 445566 | Korrektur: die Praxis hat die Nummer 445577 | Die Nummer der Praxis ist 445577
The code for the garage is 8812 | Correction: the garage code is 8821 | The code for the garage is 8821
Our train to Bonn leaves at 9:10 | Correction: the train to Bonn is at 9:20 | Our train to Bonn leaves at 9:20
El código del garaje es 8812 | Corrección: el garaje tiene el código 8821 | El código del garaje es 8821
Le code du garage est 8812 | Correction : le garage a le code 8821 | Le code du garage est 8821
Код гаража 8812 | Поправка: у гаража код 8821 | Код гаража 8821
Зарплату платят 5 числа | Поправка: зарплата 7 числа | Зарплату платят 7 числа
车库的密码是8812 | 更正：车库密码8821 | 车库的密码是8821
Ben hat am 1. Juni Geburtstag | Korrektur: Bens Geburtstag ist am 2. Juni | Ben hat am 2. Juni Geburtstag
The shed code is 3030 | Correction: the code of the shed is 3003 | The shed code is 3003
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
Nous habitons rue des Tulipes | rue des Tilleuls | Nous habitons rue des Tilleuls
C'est la clé jaune qui ouvre la cave | non, la rouge | C'est la clé rouge qui ouvre la cave
The yellow key opens the shed | no, the green one | The green key opens the shed
My dentist is Dr. Brand | I mean Dr. Brandt | My dentist is Dr. Brandt
La playa está cerca del puerto | mejor dicho, a las nueve y media | -
我儿子三岁 | 四岁 | 我儿子四岁
我2019年搬到这里 | 四岁 | -
Die Apotheke ist in der Lindenstraße | nein, in der Lindengasse | Die Apotheke ist in der Lindengasse
Der Hausarzt heißt Dr. Meier | genauer: Dr. Mayer | Der Hausarzt heißt Dr. Mayer
Врача зовут Смирнов | точнее, Семёнов | Врача зовут Семёнов
Choir practice is on Wednesday | rather Thursday | Choir practice is on Thursday
Mi profesora es la señora Gil | no, la señora Gal | Mi profesora es la señora Gal
Мы живём на улице Гоголя | нет, на улице Герцена | Мы живём на улице Герцена
My piano teacher is Mrs. Bell | rather Mrs. Ball | My piano teacher is Mrs. Ball
Our hotel is on Park Lane | I meant Park Street | Our hotel is on Park Street
Unser Hotel ist am Marktplatz | nein, am Schlossplatz | Unser Hotel ist am Schlossplatz
La carpeta roja es la del banco | quise decir la azul | La carpeta azul es la del banco
Le dossier rouge est pour la banque | je voulais dire le bleu | Le dossier bleu est pour la banque
El vuelo sale a las seis | más bien a las seis y cuarto | El vuelo sale a las seis y cuarto
Vivimos en Sevilla desde 2018 | más bien a las seis y cuarto | -
Le vol part à six heures | je voulais dire à six heures et quart | Le vol part à six heures et quart
Моего врача зовут Орлов | я имел в виду Осипов | Моего врача зовут Осипов
Гостиница на улице Чехова | точнее, на улице Толстого | Гостиница на улице Толстого
女儿五岁 | 其实六岁 | 女儿六岁
他2015年结婚 | 六岁 | -
课是三点 | 应该是三点半 | 课是三点半
Wir wohnen in der Gartenstraße | nein, in der Gartengasse | Wir wohnen in der Gartengasse
J'habite avenue des Roses | plutôt avenue des Lilas | J'habite avenue des Lilas
La reunión es a las cuatro | mejor dicho, a las cuatro y media | La reunión es a las cuatro y media
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
Le code du portail est 4471 | Après vérification, c'est 4417 | Le code du portail est 4417
The bike lock code is 2210 | I checked: it's 2201 | The bike lock code is 2201
Der Flug geht um 10:20 | Bei näherem Hinsehen um 10:40 | Der Flug geht um 10:40
The alarm code is 4455 | The code changed, it's 9988 now | The alarm code is 9988
I live at 12 Mill Lane | That's my old address, the new one is 5 Brook Street | I live at 5 Brook Street
我的座位是12排 | 应该是13排 | 我的座位是13排
Поезд в 9:15 | точнее, в 9:25 | Поезд в 9:25
El examen es el martes | lo he comprobado: es el jueves | El examen es el jueves
Lena hat Schuhgröße 37 | ich hab nachgesehen, es ist 38 | Lena hat Schuhgröße 38
La réunion est mardi | plutôt mercredi | La réunion est mercredi
我的航班是九点 | 我查了一下，是十点 | 我的航班是十点
My wifi password is Heron44 | I looked it up: it's Heron45 | My wifi password is Heron45
The gym is on Elm Street | On closer inspection it's on Oak Street | The gym is on Oak Street
My PIN is 4411 | My PIN has changed, it's 1144 now | My PIN is 1144
I drink tea in the morning | Actually I prefer coffee | -
Der Treffpunkt ist am Bahnhof | genauer gesagt am Rathaus | Der Treffpunkt ist am Rathaus
Mein Passwort ist Reiher44 | Mein Passwort wurde geändert, es ist jetzt Reiher45 | Mein Passwort ist Reiher45
La contraseña es garza44 | La contraseña ha cambiado, ahora es garza45 | La contraseña es garza45
Le cours est jeudi | en vérifiant, c'est vendredi | Le cours est vendredi
Le mot de passe est heron44 | j'ai vérifié : c'est heron45 | Le mot de passe est heron45
Урок в четверг | посмотрел: в пятницу | Урок в пятницу
密码是heron44 | 确认了一下，是heron45 | 密码是heron45
我的地址是长安街5号 | 那是我以前的地址，现在是和平路9号 | 我的地址是和平路9号
The door code is 5151 | I double-checked, it's 1515 | The door code is 1515
Le train part à 8h10 | Après vérification, il part à 8h20 | Le train part à 8h20
Концерт в среду | уточнил: в четверг | Концерт в четверг
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
can you ping me in 20 minutes about the oven?
Could you nudge me tomorrow to call the bank?
wake me at 6
don't let me forget to pay the electrician
Let me know at 5 that the laundry is done
Sag mir um drei Bescheid, dass ich losmuss
Weck mich morgen um halb sieben
Lass mich nicht vergessen, Opa anzurufen
Gib mir in 10 Minuten Bescheid
下周五叫我交水费
别让我忘了给妈妈打电话
提醒一下明天开会
明早七点叫我起床
Avísame mañana a las ocho para tomar la pastilla
No dejes que se me olvide comprar pan
Despiértame a las 7
Préviens-moi dans une heure pour le gâteau
Ne me laisse pas oublier le rendez-vous
Réveille-moi à 6h30
Дай знать через час, что пора выходить
Не дай мне забыть позвонить врачу
Разбуди меня в семь
Can you give me a nudge in half an hour?
Ping us on Friday about the bill
Notify me at noon
Please wake me tomorrow at six
Kannst du mir in 20 Minuten Bescheid geben?
Sag mir morgen früh Bescheid, dass ich zum Arzt muss
Wecken Sie mich um sechs
¿Puedes avisarme en media hora?
Despiértame a las seis y media
No me dejes olvidar el pago
Tu peux me prévenir dans dix minutes ?
Réveille-moi demain à six heures
Fais-moi penser à payer le loyer
Можешь разбудить меня в шесть?
Дай мне знать в три часа
Не давай мне забыть про оплату
半小时后叫我
明天六点叫醒我
千万别让我忘了交电费
到时候提醒一下我
poke me in an hour
Gib mir morgen um 8 Bescheid
avísame mañana temprano
préviens-moi à midi
дай знать вечером
一刻钟后叫我关火
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
forget that
just forget about it
vergiss das wieder
算了吧
忘了吧
laisse tomber, c'est rien
забудь об этом
забудь, ладно
déjalo
lascia perdere
Never mind, forget that
ok forget it then
Ach, vergiss es
vergiss das bitte
还是算了吧
bon, oublie
ладно, забудь
bueno, olvídalo
dimentica
esquece isso
forget it then
vergiss es einfach
забудь про это
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
My brother Jan lives in Ghent since 2015. He works at the port. | My brother Jan lives in Bruges.
Mein Hund heißt Balu. Er ist sechs. | Mein Hund heißt Rocky.
Моя тётя живёт в Омске. Она врач. | Моя тётя живёт в Томске.
Ma voisine s'appelle Odile. Elle a un chien. | Ma voisine s'appelle Odette.
我弟弟住在杭州。他是老师。 | 我弟弟住在南京。
Our vet is called Dr. Young. She is kind. | Our vet is called Dr. Jung.
The code is 4455. Ask Kim. | The code is 5544.
Our plumber is called Mr. Frost. He is cheap. | Our plumber is called Mr. Snow.
Mi primo Raúl vive en Lima. Es médico. | Mi primo Raúl vive en Quito.
Ma cousine Zoé habite à Lille depuis 2020. | Ma cousine Zoé habite à Lyon.
Моего кота зовут Барсик. Он рыжий. | Моего кота зовут Мурзик.
我表哥住在成都。他是医生。 | 我表哥住在重庆。
The alarm code is 8080. Don't share it. | The alarm code is 9090.
Onkel Max wohnt in Kiel. Er segelt. | Onkel Max wohnt in Bremen.
Our cat is called Minka. She is old. | Our cat is called Tinka.
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
My brother Jan lives in Ghent. He works at the port. | My brother Jan works at the bakery.
Mein Hund heißt Balu. Er ist sechs. | Mein Kater heißt Rocky.
I met Anna in Rome. She was fine. | I met Anna in Paris.
My cousin Lea lives in Bern. Her flat is big. | My cousin Max lives in Basel.
My aunt Ida lives in Oslo. She paints. | My aunt Ida lives in a big house.
My aunt Ida lives in Oslo. She paints. | My aunt Eva lives in Bergen.
Yesterday we were in Oslo. It rained. | Yesterday we were in Bergen.
Ich habe einen Hund. Er heißt Rex. | Ich habe einen Kater. Er heißt Max.
我表哥住在成都。他是医生。 | 我表姐住在重庆。
Our cat is called Minka. She is old. | Our dog is called Tinka.
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
