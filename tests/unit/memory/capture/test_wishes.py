"""Wishes about what is remembered, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

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

KINDS = {
    WishKind.FORGET: """
Would you forget my middle name, please?
Please forget that I have a twin brother
Delete everything you saved about my job
forget my doctor's appointment
Erase all the notes regarding the flat
forget where I parked
Bitte vergiss meinen zweiten Vornamen
Vergiss, dass ich einen Zwillingsbruder habe
Lösch alles, was du über meinen Job gespeichert hast
Vergiss bitte alles, was ich über die Wohnung erzählt habe
Könntest du meinen Arzttermin vergessen?
Lösche bitte die Notizen zur Wohnung
请忘记我有个双胞胎哥哥
忘掉关于我工作的一切
把停车位忘了吧
请删除有关公寓的笔记
请忘掉我的中间名
Olvida que tengo un hermano gemelo
Borra todo lo que guardaste sobre mi trabajo
Por favor olvida dónde aparqué
Elimina las notas sobre el piso
Oublie que j'ai un frère jumeau
Efface tout ce que tu as noté sur mon travail
S'il te plaît, oublie où je me suis garé
Supprime les notes sur l'appartement
Забудь, что у меня есть брат-близнец
Удали всё, что записал о моей работе
Пожалуйста, забудь, где я припарковался
Удали заметки о квартире
Hey, please forget what I said regarding my neighbour
can you please remove the note that says I'm allergic to cats
Forget my WiFi password!
Please delete Tom's phone number, he moved
could you wipe everything about my ex-husband from your memory?
forget that thing about the surprise party
You may forget my flight number now
erase that I ever lived in Paris
DELETE EVERYTHING ABOUT PETER
pls forget my pin
Forget the wifi password I told you
kannst du bitte vergessen dass ich allergisch gegen Katzen bin
bitte vergiss mein wlan passwort
Lösche Toms Nummer, er ist umgezogen
vergiss das mit der Überraschungsparty
Streich alles über meinen Exmann aus deinem Gedächtnis
ALLES ÜBER PETER LÖSCHEN
Alles über Peter vergessen bitte
Du darfst meine Flugnummer jetzt vergessen
请忘记我对猫过敏这件事
忘了我的wifi密码
删掉汤姆的电话
把我前夫的一切都忘了吧
麻烦把我的航班号删一下
olvida que soy alérgico a los gatos
borra el número de Tom, se mudó
olvida mi contraseña del wifi
bórrame todo lo que sepas de mi exmarido
ya puedes olvidar mi número de vuelo
oublie que je suis allergique aux chats
efface le numéro de Tom, il a déménagé
oublie mon mot de passe wifi stp
supprime tout sur mon ex-mari
tu peux oublier mon numéro de vol maintenant
забудь что у меня аллергия на кошек
удали номер Тома, он переехал
забудь мой пароль от вайфая
сотри всё о моём бывшем муже
теперь можешь забыть номер моего рейса
Could you forget my gym locker combination please
Forget my neighbour's phone number
I don't want you to remember where I work
Please erase all my medical notes
Please forget everything regarding my divorce
You can delete what I told you about Sam
Delete all about Peter
forget all about Karen
Please forget I ever mentioned the surprise party
Forget that I'm vegetarian
forget my birthday
Please wipe my address
remove the wifi password please
Scrub everything you know about my boss
Please forget the PIN for the garage.
Delete my note about the dentist
Forget Peter
hey, forget about my allergy, it was a misdiagnosis
I no longer live in Berlin, forget that address
Would you please delete the fact that I smoke?
erase Anna's birthday
Vergiss Peter
Vergiss meine PIN bitte
Bitte lösche alles über meine Ex
Kannst du vergessen, was ich über Tom gesagt habe?
Bitte vergiss alles, was mit der Firma zu tun hat
Vergiss das WLAN-Passwort
Vergiss, wo der Schlüssel liegt
lösche meine Adresse
Ich will, dass du alles über Peter vergisst
Streiche den Geburtstag von Oma
Kannst du die Notiz mit dem Türcode löschen?
Bitte meine Kontonummer vergessen
Das mit dem Fahrradcode kannst du vergessen
请删除我的地址
删除关于我前女友的一切
忘了我说过的密码吧
请不要再记得我的生日
能不能忘掉我住在北京？
把我的电话号码忘掉
忘记我对花生过敏
请你忘记所有关于小李的事
忘掉彼得
我想让你忘记我的工资
Por favor, olvida la clave de la bici
Olvida mi dirección antigua
Borra todo sobre mi ex
Elimina lo que sabes de Juan
Olvida que soy vegetariano
¿Podrías borrar mi número de teléfono?
Bórralo todo sobre Marta
Olvida todo lo relacionado con el trabajo
Olvídate del código del garaje
Oublie mon code de carte bleue
Supprime tout ce qui concerne Pierre
Efface tout sur mon ex
Oublie que je suis végétarien
Tu peux oublier le numéro du plombier
Pourrais-tu effacer mon adresse ?
Oublie où est la clé
N'enregistre plus mon poids
Oublie l'anniversaire de Paul
Забудь мой пин-код
Удали всё о Петре
Удали мой адрес
Пожалуйста, забудь всё, что я говорил о работе
Забудь, что у меня аллергия на орехи
Забудь про мой день рождения
Ты можешь забыть номер сантехника?
Сотри всё, что знаешь о Маше
Forget that my cat is called Miso
please delete that I am lactose intolerant
Could you erase what I said about my landlord?
Forget the thing about the neighbours
I'd rather you forgot my diagnosis
forget everything I said about moving to Spain
Please remove everything you have on Julia
Delete all notes on the car
Forget my mum's maiden name
can you delete my bank PIN
you don't have to remember my gym schedule any more
Please forget the code I gave you
forget what I told you yesterday about Max
Delete it, please
forget the last thing I said
Bitte vergiss, dass meine Katze Miso heißt
Lösche bitte alles zum Thema Umzug
Könntest du bitte alles löschen, was du über Julia weißt?
Vergiss die Sache mit dem Vermieter
Vergiss alles von Julia
Kannst du den Eintrag über das Auto entfernen?
Du sollst meine Bankdaten vergessen
Meine alte Handynummer bitte löschen
Vergiss Omas Geburtstag
lösch, was ich zum Garten gesagt hab
Vergiss, was ich vorhin gesagt habe
忘记我的猫叫咪咪
请删掉我的银行密码
把我说的关于房东的事忘了
删除你知道的关于朱莉的一切
别再记住我的体重了
请忘掉我妈妈的生日
忘掉之前说的WiFi密码
把有关搬家的所有笔记都删了
我的旧手机号可以删了
Olvida que mi gato se llama Miso
Borra lo que te conté sobre mi casero
Por favor elimina todo lo que sabes sobre Julia
Borra mi PIN del banco
Olvida el cumpleaños de la abuela
¿Puedes borrar la nota del coche?
Olvida lo de la mudanza
Oublie que mon chat s'appelle Miso
Efface ce que je t'ai raconté sur mon propriétaire
Supprime tout ce que tu sais sur Julie s'il te plaît
Efface mon code bancaire
Peux-tu supprimer la note sur la voiture ?
Oublie l'histoire du déménagement
J'aimerais que tu oublies mon poids
Забудь, что мою кошку зовут Мисо
Сотри то, что я рассказывал о хозяине квартиры
Пожалуйста, удали всё, что ты знаешь о Юле
Удали мой банковский пин-код
Можешь удалить заметку о машине?
Забудь историю с переездом
Забудь бабушкин день рождения
Я хочу, чтобы ты забыл мой вес
Please forget my car's licence plate
forget that we talked about the merger
You can remove my address now
Delete what you have about the accountant
Please delete my allergy note
Forget the birthday of my aunt
I'd like to delete my shoe size
Forget my favourite colour
erase the entry about the safe
Please don't keep my phone number
Clear everything about work
Vergiss bitte meine Lieblingsfarbe
Vergiss, dass wir über die Fusion gesprochen haben
Lösch den Geburtstag meiner Tante
Ich möchte meine Schuhgröße löschen
Bitte alles über die Arbeit löschen
Vergesse bitte den Tresorcode
Vergiss das Passwort von Netflix
Entferne den Eintrag zum Tresor
请忘掉我最喜欢的颜色
把保险箱的密码删掉吧
删除我对海鲜过敏的记录
忘记我阿姨的生日
请把所有跟工作有关的内容删除
我要你忘记我的体重
你能把我的鞋码忘了吗
Olvida mi color favorito
Borra el cumpleaños de mi tía
Olvida que hablamos de la fusión
Elimina la entrada sobre la caja fuerte
Quiero borrar mi talla de zapato
Por favor, borra todo sobre el trabajo
Oublie ma couleur préférée
Efface l'anniversaire de ma tante
Oublie qu'on a parlé de la fusion
Supprime la note concernant le coffre
Je voudrais effacer ma pointure
Oublie tout ce que je t'ai dit sur le travail
Забудь мой любимый цвет
Удали день рождения моей тёти
Забудь, что мы говорили о слиянии
Сотри запись про сейф
Я хочу удалить свой размер обуви
Забудь всё о работе
""",
    WishKind.CORRECT: """
Actually it's a quarter past nine
No, room 12
I meant Berlin, not Bonn
sorry, gate B14
that was wrong, it's £30
Nein, Raum 12
Ich meinte Berlin, nicht Bonn
sorry, Gate B14
das war falsch, es sind 30 Euro
Eigentlich um Viertel nach neun
不，12号房间
我是说柏林，不是波恩
抱歉，B14登机口
刚才错了，是30块
其实是九点一刻
No, la sala 12
Quise decir Berlín, no Bonn
perdón, puerta B14
En realidad son 30 euros
Non, salle 12
Je voulais dire Berlin, pas Bonn
pardon, porte B14
En fait c'est 30 euros
Нет, комната 12
Я имел в виду Берлин, а не Бонн
извини, выход B14
На самом деле это 30 евро
Actually it's not Tuesday, it's Wednesday
Nope, 42
no i meant blue
sorry, Wednesday!
Actually, his name is spelled Jon
Actually, Anna lives in Bonn now
wrong number, it's 030 555 1234
*Wednesday
I mean Wednesday, not Tuesday
it's 42 actually
Actually 42
Eigentlich 42
nein ich meinte blau
sorry, Mittwoch!
Eigentlich wohnt Anna jetzt in Bonn
Ich meine Mittwoch, nicht Dienstag
Falsche Nummer, es ist 030 555 1234
es ist eigentlich 42
Nein, das ist Platz 42
其实42
不是，我是说蓝色
抱歉，周三
其实安娜现在住在波恩
号码错了，是030 555 1234
是周三，不是周二
No, quise decir azul
perdón, miércoles
En realidad Ana vive ahora en Bonn
Es miércoles, no martes
En realidad 42
Non je voulais dire bleu
pardon, mercredi
En fait Anne habite maintenant à Bonn
C'est mercredi, pas mardi
En fait 42
Нет, я имел в виду синий
извини, среда
На самом деле Анна теперь живёт в Бонне
Это среда, а не вторник
Вообще-то 42
Actually the plumber's number is 030 7654321
Actually, make it 8 pm
No, it's 4712
no, on Friday
No no, it's Hannah with an h
Sorry, I meant level 4
that's wrong, it's 43
It's not 42, it's 43
Not 42 but 43
I was wrong, the meeting is on Thursday
Oops, the code is 4712
Small correction: his birthday is 4 May
Correction: his name is Carl
he's actually 9
Nope, it's green
Wait, it's 12 euros
Actually she lives in Hamburg
Sorry, typo: 030 7654321
My cat is actually four
Well actually it's Wednesday
Hmm no, seat 43
Ich meine Platz 43
Nein, am Donnerstag
Nein, sie ist vier
Stimmt nicht, er heißt Karl
Korrektur: Ebene 4
Ach nein, es war Gleis 7
Sorry, ich meinte den 4. Mai
Tatsächlich sind es 12 Euro
Nein, der Code ist 4712
Nicht 42, sondern 43
Es ist nicht Platz 42, sondern 43
Eigentlich heißt sie Hanna
Moment, es ist Freitag
Nein, grün
Doch nicht Montag, sondern Dienstag
不是42号，是43号
不对，应该是四岁
其实是周四
其实她叫小红
我说错了，是4712
更正一下，电话是030 7654321
不，是绿色
不好意思，是下午四点
其实密码是4712
应该是43座
No, es 4712
No, el viernes
No es 42, es 43
En realidad tiene cuatro años
En realidad se llama Ana
Perdón, quise decir el jueves
Corrección: el 4 de mayo
Me equivoqué, es el 43
Mejor dicho, el viernes
No, mi hermana se llama Ana
Non, c'est 4712
Non, vendredi
Ce n'est pas 42, c'est 43
En fait, c'est le 4 mai
En fait elle s'appelle Anna
Pardon, je voulais dire jeudi
Correction : place 43
Je me suis trompée, c'est 43
Plutôt vendredi
C'est pas 42 mais 43
Нет, 4712
Нет, в пятницу
Не 42, а 43
На самом деле её зовут Анна
На самом деле 030 7654321
Извини, я имел в виду четверг
Поправка: место 43
Я ошибся, это 43
Вообще-то ей четыре года
Это не так, код 4712
Нет, ему 8
No, it's in Munich
Actually he turned 8
Actually, not Tuesday but Wednesday
Sorry I meant the 5th
no wait, 030 7654321
That is wrong. The code is 9911.
Hold on, it's half past seven
That's incorrect, my sister is 34
It's Anna, not Hannah
Actually I'm 42
actually we moved to Munich
No, I said Thursday
it's spelled Meyer, not Meier
Not quite: it's 8:15
Nein, ich habe Donnerstag gesagt
Das ist falsch, sie ist 34
Nein, er wohnt in München
Eigentlich bin ich 42
Anna, nicht Hanna
Ich meinte natürlich den 5. Mai
Nein, um halb acht
Halt, es ist die 43
Das war falsch: der Code ist 9911
Quatsch, er heißt Paul
Nein nein, Ebene 5
不对，她三十四岁
不是安娜，是汉娜
其实我四十二岁
我的意思是5号
等等，是七点半
错，密码是9911
应该是慕尼黑
不，他住在慕尼黑
No, vive en Múnich
Eso está mal, tiene 34
En realidad tengo 42 años
Es Ana, no Hanna
No, dije jueves
Espera, es a las siete y media
No es correcto, el código es 9911
No, es verde
Non, il habite à Munich
C'est faux, elle a 34 ans
En fait j'ai 42 ans
C'est Anna, pas Hanna
Non, j'ai dit jeudi
Attends, c'est à 7h30
Ce n'est pas ça, le code est 9911
Non, c'est vert
Нет, он живёт в Мюнхене
Неверно, ей 34 года
На самом деле мне 42
Анна, а не Ханна
Нет, я сказал в четверг
Подожди, это в 7:30
Нет, зелёный
Код не 9910, а 9911
No, the plumber is called Jim
Actually it's 18 Oak Street
not the 3rd, the 4th
I meant the red one
It's Jim, not Tim
no, his birthday is in June
actually there are five of us
oh sorry, it's on Sunday
Update: the meeting is at 4
Nein, der Klempner heißt Jim
Eigentlich ist es die Eichenstraße 18
Ich meinte das rote
nicht am 3., sondern am 4.
Nein, im Juni
oh Entschuldigung, am Sonntag
Korrektur: das Treffen ist um 4
Jim, nicht Tim
Falsch! Sie ist 36.
不，水管工叫吉姆
其实是橡树街18号
我是说红色的那个
不是3号，是4号
不对，生日在六月
哦抱歉，是周日
更正：会议在4点
错了，她36岁
No, el fontanero se llama Jim
En realidad es la calle Roble 18
Quería decir el rojo
No el 3, sino el 4
No, en junio
Perdón, es el domingo
Corrección: la reunión es a las 4
Falso, tiene 36 años
Non, le plombier s'appelle Jim
En fait, c'est 18 rue du Chêne
Je voulais dire le rouge
Pas le 3 mais le 4
Non, en juin
Pardon, c'est dimanche
Correction : la réunion est à 4 heures
Faux, elle a 36 ans
Нет, сантехника зовут Джим
На самом деле это улица Дубовая 18
Я имел в виду красный
Не 3-го, а 4-го
Нет, в июне
Ой, извини, в воскресенье
Поправка: встреча в 4
Неправда, ей 36
""",
    WishKind.REMIND: """
Remind me to buy bread
could you remind me to call the bank tomorrow at 9?
Please remind me of the meeting on Tuesday
Set a reminder for the dentist on Friday
Erinnere mich bitte morgen daran, Brot zu kaufen
Kannst du mich morgen um 9 an die Bank erinnern?
Erinner mich an Brot
提醒我买面包
明天九点提醒我给银行打电话
可以提醒我周二开会吗
Recuérdame comprar pan
¿Puedes recordarme llamar al banco mañana?
Rappelle-moi d'acheter du pain
Tu peux me rappeler d'appeler la banque demain ?
Напомни купить хлеб
Можешь напомнить мне завтра позвонить в банк?
""",
    None: """
I always forget where I parked
Please never forget that I'm allergic to nuts
forgot to water the plants again
I should delete some photos
No, that would be silly
Actually the weather is nice
sorry for the long message
Vergiss bitte nie, dass ich gegen Nüsse allergisch bin
Schon wieder vergessen, die Blumen zu gießen
Ich sollte mal Fotos löschen
Nein, das wäre albern
Eigentlich ist das Wetter schön
我总是忘记停在哪里
千万别忘了我对坚果过敏
其实天气不错
不，那太傻了
Siempre olvido dónde aparco
Nunca olvides que soy alérgico
No, sería una tontería
J'oublie toujours où je me gare
N'oublie jamais que je suis allergique
Non, ce serait bête
Я всегда забываю, где припарковался
Никогда не забывай, что у меня аллергия
Нет, это было бы глупо
I totally forgot about the meeting on Monday
Let's forget about work for a while
You never forget anything, do you?
People forget 50% of what they read
Tell me a joke about forgetting
I deleted my Facebook account
The delete key is broken
Anna told me to delete her number
Actually yes
Actually, what's my shoe size?
No. I'm at home.
no clue
no, it's okay
Sorry, can you repeat that?
Ich hab total vergessen einzukaufen
Ich habe gestern mein Facebook-Konto gelöscht
Die Löschtaste ist kaputt
Eigentlich ja
Eigentlich nicht
Nein. Ich bin zu Hause.
Nein, schon gut
Entschuldigung, kannst du das wiederholen?
我完全忘了周一的会
我删除了我的账号
其实不是
不，没事
抱歉，能再说一遍吗？
Olvidé por completo la reunión del lunes
Borré mi cuenta de Facebook
En realidad sí
No. Estoy en casa.
No, está bien
J'ai complètement oublié la réunion de lundi
J'ai supprimé mon compte Facebook
En fait oui
Non. Je suis à la maison.
Non, c'est bon
Я совсем забыл про встречу в понедельник
Я удалил свой аккаунт
На самом деле да
Нет. Я дома.
Нет, всё нормально
Actually I think so too
Actually no
No way!
No idea
no, I have not
No, not today
No, I am not sure
Sorry about that
Sorry for being late
Sorry, what?
Sorry I can't
Wait a minute
Oh no
Hmm
I mean it
I forgot to buy milk
I forget names easily
Please don't forget my birthday
Remember that I like tea
My old code was 4711
Delete the app from my phone
delete all my emails
Remove the stain with vinegar
I need to remove the wallpaper on Monday
He said forget it
Never forget a face
Forget it, it doesn't matter
Can you remember my code?
The teacher wants us to forget the exam
What did I say about the code?
How can I delete my account?
Nein, das glaube ich nicht
Nein, heute nicht
Nein, noch nicht
Entschuldigung für die Verspätung
Eigentlich mag ich das
Eigentlich geht es mir gut
Eigentlich wollte ich schlafen
Ich vergesse immer meine Schlüssel
Vergiss nicht, dass Oma kommt
Ich habe die Milch vergessen
Lösch das Licht
Falsch abgebogen
Ich will nicht vergessen, Milch zu kaufen
Wie lösche ich eine Notiz?
不知道
不要
不客气
其实我很开心
其实也没什么
我忘记密码了
别忘记我的生日
对不起，我迟到了
不好意思，打扰了
你记得我的密码吗
我怎么删除笔记？
No sé
No importa
No, ahora no
En realidad me gusta
Lo siento mucho
Perdón por el retraso
Se me olvidó la leche
No olvides que mañana es lunes
Non, pas encore
Non, je ne sais pas
En fait j'aime bien
Pardon pour le retard
Désolé, je suis en retard
J'oublie toujours mes clés
Нет, не знаю
Нет, ещё нет
Извини за опоздание
На самом деле мне нравится
Я всегда забываю ключи
Не забывай про молоко
Прости, я устал
Actually, can you help me?
Actually I was thinking about you
actually let's talk about something else
No, I'd rather not
No, leave it
No, please stop
no, that's all
No, it isn't raining
Sorry, my phone died
Sorry, wrong chat
Oops, I did it again
Oops
Wait, what?
I mean, it was nice
I actually like it here
We never forget our roots
I'm trying to forget her
Remember to delete the test account
Tomorrow I have to delete the old backups
The app deletes everything about users
Peter told me to forget about it
forget about it
Forgetting names is normal
Erase the whiteboard
My grandmother is forgetting everything about us
Don't forget that I like tea
Please never delete my notes
Please don't forget anything
Can you forget things?
Remind me what time it is
Can you remind me where the key is?
Nein, das ist alles
Nein, lass mal
Nein, mir geht es gut
Eigentlich will ich nur reden
Sorry, falscher Chat
Ups, zu schnell getippt
Moment, ich komme gleich
Oma vergisst immer alles über uns
Ich versuche, sie zu vergessen
Bitte nichts vergessen
Bitte lösche nie meine Notizen
Ich muss morgen die Backups löschen
Kannst du Dinge vergessen?
Kannst du mich erinnern, wo der Schlüssel ist?
Das vergesse ich nie
其实我想问你一件事
不，我很好
抱歉，发错了
等等，我马上来
奶奶什么都忘了
我想忘记她
请不要忘记任何事
你会忘记事情吗？
我明天要删除旧备份
No, eso es todo
No, déjalo
En realidad solo quiero hablar
Perdón, chat equivocado
Mi abuela se olvida de todo
Intento olvidarla
Mañana tengo que borrar las copias
Por favor no borres mis notas
Non, c'est tout
Non, laisse
En fait je veux juste parler
Désolé, mauvais chat
Ma grand-mère oublie tout
J'essaie de l'oublier
Demain je dois effacer les sauvegardes
Нет, это всё
Нет, не надо
На самом деле я просто хочу поговорить
Извини, не тот чат
Бабушка всё забывает
Я пытаюсь её забыть
Завтра надо удалить бэкапы
Пожалуйста, не удаляй мои заметки
The code is 4711
I like tea
My dog forgot where his bone is
What's my shoe size?
Do you remember my shoe size?
Thanks, that's great
Actually, thank you so much
No, you're right
No, that's not what I want
Sorry, I was asleep
no worries
Not bad
No, nothing else
forget about it, no problem
Delete Facebook from my phone tomorrow
clear the table
Remove the cake from the oven at 5
drop the kids at school
Cancel the newspaper on Monday
It is not cold, but windy
I'm not tired, just bored
Anna is not vegan but vegetarian
How was your day? Mine was not good
Ich bin nicht müde, sondern hungrig
Nein, du hast recht
Nein, das will ich nicht
Eigentlich schade
Eigentlich bin ich müde
Sorry, ich habe geschlafen
Räum den Tisch ab
Nimm den Kuchen um 5 aus dem Ofen
Streich die Wand am Samstag
Mach dir keine Sorgen
Nicht schlecht
我的狗忘了骨头在哪
不，你说得对
其实我累了
抱歉，我睡着了
不错
取消周一的报纸
No, tienes razón
En realidad estoy cansado
Perdón, estaba dormido
No está mal
Quita la mesa
Non, tu as raison
En fait je suis fatigué
Pardon, je dormais
Pas mal
Débarrasse la table
Нет, ты прав
На самом деле я устал
Прости, я спал
Неплохо
Убери со стола
""",
}
"""Messages of many situations, and what is wished."""


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


@pytest.mark.parametrize(("kind", "said"), [(kind, said) for kind, block in KINDS.items() for said in lines(block)])
def test_it_is_told_what_is_wished(kind: WishKind | None, said: str) -> None:
    found = wish(said)

    assert (found.kind if found else None) == kind


@pytest.mark.parametrize("said", ["forget everything", "Vergiss alles", "忘掉一切", "Olvida todo", "Oublie tout"])
def test_a_wish_to_forget_everything_there_is_keeps_the_word_for_it(said: str) -> None:
    found = wish(said)

    assert found is not None
    assert (found.kind, found.everything) == (WishKind.FORGET, True)
    assert found.what in said


@pytest.mark.parametrize("name", ["answer", "neither"])
def test_questions_and_small_talk_ask_neither_to_forget_nor_to_correct(name: str) -> None:
    said = lines((Path(__file__).parents[3] / "data" / "capture" / f"{name}.txt").read_text(encoding="utf-8"))

    assert [text for text in said if (found := wish(text)) and found.kind is not WishKind.REMIND] == []


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
