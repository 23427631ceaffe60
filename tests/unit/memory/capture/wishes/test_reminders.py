from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.capture.intent import Act, act_of
from memory.capture.wishes.reminders import called, calls_off, completed, read_reminder, read_typed
from memory.language.time.instants import Unclear

NOW = datetime(2026, 11, 23, 10, 15, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    "text",
    [
        "Don't remind me tomorrow",
        "Erinnere mich morgen bitte nicht an den Termin",
        "明天别提醒我",
        "remind me what Ana said yesterday",
        "Call Ana tomorrow at 9",
        "I don't want to be reminded of school",
        "I like to be reminded of my childhood",
        "Ich möchte nicht an meinen Ex erinnert werden",
        "Ich will nicht morgen an Tom erinnert werden",
        "Tom möchte morgen an den Termin erinnert werden",
        "Am Montag muss Anna an den Termin erinnert werden",
        "I need a reminder app",
        "I'll remind @ben tomorrow at 9 about it",
        "Ana will remind everyone tomorrow at 9",
        "I forgot to remind @ben yesterday at 9",
        "I have to remind @ben tomorrow at 9",
        "Ich erinnere @ben morgen um 9 an den Ausweis",
        "don't remind @ben tomorrow at 9",
        "",
    ],
)
def test_what_is_no_order_to_be_reminded_is_none(text: str) -> None:
    assert read_reminder(text, NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "remind me at what time the train leaves",
        "remind me on which platform the train leaves",
        "remind me to whom I lent the drill",
        "can you remind me until when the ticket is valid?",
        "remind me at what time the train leaves tomorrow",
        "erinnere mich daran, wann der Zug fährt",
        "erinnere mich bitte wieder daran, um wie viel Uhr der Zug fährt",
        "erinner mich daran in welcher Kiste die Schlüssel sind",
        "kannst du mich daran erinnern, wann der Zug fährt?",
    ],
)
def test_who_wants_to_be_told_again_what_they_said_asks(text: str) -> None:
    assert read_reminder(text, NOW) is None
    assert act_of(text) is Act.QUESTION


@pytest.mark.parametrize(
    ("text", "what", "when"),
    [
        ("remind me tomorrow which bus to take", "which bus to take", "2026-11-24T09:00"),
        ("remind me to ask with whom Tom is coming tomorrow", "ask with whom Tom is coming", "2026-11-24T09:00"),
        ("I'd like to be reminded every Monday at 8 to take out the bins", "take out the bins", "0 8 * * 1"),
        ("can I be reminded tomorrow at 9 to call mum?", "call mum", "2026-11-24T09:00"),
        ("I would like a reminder tomorrow at 9 to pay the rent", "pay the rent", "2026-11-24T09:00"),
        ("erinnere mich morgen daran, wann der Zug fährt", "wann der Zug fährt", "2026-11-24T09:00"),
        ("jeden Montag um 8 Uhr an den Müll erinnern", "den Müll", "0 8 * * 1"),
        ("Ich möchte jeden Montag um 8 Uhr an den Müll erinnert werden", "den Müll", "0 8 * * 1"),
        ("erinnere mich jeden Montag den Müll um 20 Uhr rauszubringen", "den Müll rauszubringen", "0 20 * * 1"),
        ("erinnere mich jeden Tag daran, um 8 Uhr Tee zu kochen", "Tee zu kochen", "0 8 * * *"),
        ("erinnere mich morgen daran, Freitag frei zu nehmen", "Freitag frei zu nehmen", "2026-11-24T09:00"),
        ("erinnere mich morgen, Karten für 20 Uhr zu kaufen", "Karten für 20 Uhr zu kaufen", "2026-11-24T09:00"),
        ("erinnere mich morgen daran, bis 18 Uhr anzurufen", "bis 18 Uhr anzurufen", "2026-11-24T09:00"),
        (
            "erinnere mich morgen, das Paket bis spätestens 18 Uhr abzuholen",
            "das Paket bis spätestens 18 Uhr abzuholen",
            "2026-11-24T09:00",
        ),
        ("Kann ich morgen um 9 an den Müll erinnert werden?", "den Müll", "2026-11-24T09:00"),
        ("Wir wollen morgen Abend erinnert werden, abzuschließen", "abzuschließen", "2026-11-24T19:00"),
        ("heute möchte ich um 20 Uhr an den Müll erinnert werden", "den Müll", "2026-11-23T20:00"),
        ("morgen erinnere mich um 15 Uhr an den Arzt", "den Arzt", "2026-11-24T15:00"),
        ("um 20 Uhr möchte ich an den Müll erinnert werden", "den Müll", "2026-11-23T20:00"),
        ("tomorrow remind me at 15:00 to call Ana", "call Ana", "2026-11-24T15:00"),
        ("tomorrow I'd like to be reminded at 15:00 to call Ana", "call Ana", "2026-11-24T15:00"),
        ("remind me tomorrow to book a table for 8 at Luigi's", "book a table for 8 at Luigi's", "2026-11-24T09:00"),
        ("remind me to take vitamins daily at 8 and 20", "take vitamins", "0 8,20 * * *"),
        ("remind me every day at 8am and 8pm to take vitamins", "take vitamins", "0 8,20 * * *"),
        ("remind me every Monday at 8 and 18 to water", "water", "0 8,18 * * 1"),
        ("Erinner mich jeden Tag um 8 und um 20 Uhr an die Tabletten", "die Tabletten", "0 8,20 * * *"),
        ("每天 8 点和 20 点提醒我背单词", "背单词", "0 8,20 * * *"),
        ("remind me to take ibuprofen at 7, 15 and 23 every day", "take ibuprofen", "0 7,15,23 * * *"),
        ("Erinnere mich jeden Tag um 8, 14 und 20 Uhr an die Tropfen", "die Tropfen", "0 8,14,20 * * *"),
        ("每周一三五晚上8点提醒我健身", "健身", "0 20 * * 1,3,5"),
        ("remind me to read the 2nd and 3rd chapter tomorrow", "read the 2nd and 3rd chapter", "2026-11-24T09:00"),
        ("wake me up tomorrow at 4:45 for the bus", "the bus", "2026-11-24T04:45"),
        ("weck mich morgen um 5 für den Markt", "den Markt", "2026-11-24T05:00"),
        ("明天5点叫我起床", "起床", "2026-11-24T05:00"),
        ("每天5点叫我起床", "起床", "0 5 * * *"),
        ("remind me tomorrow at 5 to wake the baby", "wake the baby", "2026-11-24T17:00"),
        ("Erinnere mich morgen um 4 an den neuen Wecker", "den neuen Wecker", "2026-11-24T16:00"),
        ("明天3点提醒我买闹钟", "买", "2026-11-24T15:00"),
        ("remind me every day at 05:45 to take the pill", "take the pill", "45 5 * * *"),
        ("remind me every Monday at 02:30 to check the oven", "check the oven", "30 2 * * 1"),
        ("remind me every day at 5:45 to take the pill", "take the pill", "45 17 * * *"),
        ("Erinnere mich jeden Tag um 5:45 an die Tablette", "die Tablette", "45 5 * * *"),
        ("每天05:45提醒我吃药", "吃药", "45 5 * * *"),
        ("remind me every day at 5 and 17 to take the drops", "take the drops", "0 5,17 * * *"),
        ("remind me every day at 5:00, 13:00 and 21:00 to take the drops", "take the drops", "0 5,13,21 * * *"),
        ("remind me every day at 05 and 11 to take the drops", "take the drops", "0 5,11 * * *"),
        ("remind me every day at 5 and 9 to take the drops", "take the drops", "0 17,9 * * *"),
        ("每天5点和17点提醒我吃药", "吃药", "0 5,17 * * *"),
        ("每周一五点提醒我吃药", "吃药", "0 17 * * 1"),
        ("周五五点半提醒我吃药", "吃药", "2026-11-27T17:30"),
        ("remind me tomorrow at 9 to call Анна", "call Анна", "2026-11-24T09:00"),
        ("remind me tomorrow at 9 to call 张伟", "call 张伟", "2026-11-24T09:00"),
        ("remind me at 05:45 to take the bread out", "take the bread out", "2026-11-24T05:45"),
        ("remind me at 0230 to check the oven", "check the oven", "2026-11-24T02:30"),
        ("remind me at 09:00 to call Ana", "call Ana", "2026-11-24T09:00"),
        ("erinnere mich um 05:45 Uhr an das Brot", "das Brot", "2026-11-24T05:45"),
        ("recuérdame a las 05:45 sacar el pan", "sacar el pan", "2026-11-24T05:45"),
        ("rappelle-moi à 05h45 de sortir le pain", "sortir le pain", "2026-11-24T05:45"),
        ("05:45提醒我拿面包", "拿面包", "2026-11-24T05:45"),
        ("今晚07:30提醒我拿面包", "拿面包", "2026-11-23T19:30"),
        ("remind me at 5:45 to take the bread out", "take the bread out", "2026-11-23T17:45"),
        ("remind me tomorrow at 02:30 to check the oven", "check the oven", "2026-11-24T02:30"),
        ("remind me tomorrow at 5:05 to call Ana", "call Ana", "2026-11-24T17:05"),
        ("remind me on Friday at 3:00 to call Ana", "call Ana", "2026-11-27T15:00"),
        ("recuérdame mañana a las 5:05 llamar a Ana", "llamar a Ana", "2026-11-24T17:05"),
    ],
)
def test_an_order_that_begins_otherwise_is_read(text: str, what: str, when: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.what == what
    assert when == (found.when.every or f"{found.when.due:%Y-%m-%dT%H:%M}")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind @ben tomorrow at 9 to bring the badge", "@ben: bring the badge"),
        ("can you remind @ben to bring the badge tomorrow at 9?", "@ben: bring the badge"),
        ("tomorrow at 9 remind @ben and @ana.m to call", "@ben and @ana.m: call"),
        ("remind @müllers tomorrow at 9 to bring it", "@müllers: bring it"),
        ("remind @.ben tomorrow at 9 to bring it", "@.ben: bring it"),
        ("remind everyone tomorrow at 9 to submit timesheets", "everyone: submit timesheets"),
        ("Erinnere @ben morgen um 9 an den Ausweis", "@ben: den Ausweis"),
        ("kannst du @ben morgen um 9 an den Ausweis erinnern?", "@ben: den Ausweis"),
        ("明天上午九点提醒@ben带工牌", "@ben: 带工牌"),
        ("recuérdale a @ben mañana a las 9 que traiga la tarjeta", "@ben: traiga la tarjeta"),
        ("rappelle à @ben demain à 9h d'apporter le badge", "@ben: apporter le badge"),
        ("напомни @ben завтра в 9 принести бейдж", "@ben: принести бейдж"),
        ("@benに明日9時にバッジをリマインドして", "@ben: バッジ"),
    ],
)
def test_an_order_that_others_be_reminded_names_them(text: str, what: str) -> None:
    read = read_reminder(text, NOW)
    assert read is not None
    assert (read.what, f"{read.when.due:%Y-%m-%dT%H:%M}") == (what, "2026-11-24T09:00")
    assert "".join(f"@{name}" for name in called(what)) == what.partition(":")[0].replace(" and ", "").replace(
        "everyone", ""
    )


def test_others_are_named_before_what_is_typed_after_the_command() -> None:
    for typed in ("@ben tomorrow at 9 to bring the badge", "@ben bring the badge tomorrow at 9"):
        assert read_typed(typed, NOW).what == "@ben: bring the badge"
    assert read_typed("tomorrow at 9 call @ben", NOW).what == "call @ben"


def test_who_is_named_in_what_to_be_done_is_not_called() -> None:
    assert called("call @ben: he knows") == called("buy @ben a gift") == ()


def test_a_row_of_names_that_nobody_is_reminded_by_is_read_to_its_end() -> None:
    names = "@a" * 200
    assert called(f"{names} x") == called(f"{names}@: x") == ()
    assert called(read_typed(f"{names} tomorrow at 9 x", NOW).what) == ()
    assert read_reminder(f"remind {names}@ tomorrow at 9 to x", NOW) is None
    assert read_reminder(f"remind {names}@", NOW) is None


def test_a_language_whose_times_are_not_read_is_asked_back() -> None:
    found = read_reminder("Ricordami domani alle 20 di portare fuori la spazzatura", NOW)

    assert found is not None
    assert found.when.lack is Unclear.MISSING


@pytest.mark.parametrize(
    ("text", "what", "when"),
    [
        ("recuérdame a las cinco llamar a Tom", "llamar a Tom", "2026-11-23T17:00"),
        ("recuerdame llamar a Ana manana a las 9", "llamar a Ana", "2026-11-24T09:00"),
        ("¿Me puedes recordar que compre leche esta tarde?", "compre leche", "2026-11-23T15:00"),
        ("avísame en dos horas de sacar el pan", "sacar el pan", "2026-11-23T12:15"),
        ("recuérdame en media hora apagar el horno", "apagar el horno", "2026-11-23T10:45"),
        ("recuérdame el viernes a las siete y media de la tarde la cena", "la cena", "2026-11-27T19:30"),
        ("recuérdame el 5 de diciembre a las ocho menos cuarto la cita", "la cita", "2026-12-05T07:45"),
        ("recuérdame a las 9 de la noche cerrar la puerta, por favor", "cerrar la puerta", "2026-11-23T21:00"),
        ("recuérdame cada lunes a las 9 sacar la basura", "sacar la basura", "0 9 * * 1"),
        ("Recuérdame cada lunes sacar la basura a las 20", "sacar la basura", "0 20 * * 1"),
        ("rappelle-moi chaque lundi de sortir les poubelles à 20h", "sortir les poubelles", "0 20 * * 1"),
        ("remind me every Monday to take out the trash at 8 pm", "take out the trash", "0 20 * * 1"),
        ("remind me every 2 hours to drink until 8 pm", "drink until 8 pm", "0 */2 * * *"),
        ("remind me every 2nd Wednesday to take the bottles out", "take the bottles out", "odd"),
        ("erinnere mich jeden zweiten Mittwoch an die Flaschen", "die Flaschen", "odd"),
        ("recuérdame un miércoles sí y otro no sacar las botellas", "sacar las botellas", "odd"),
        ("recuérdame cada dos miércoles sacar las botellas", "sacar las botellas", "odd"),
        ("rappelle-moi un mercredi sur deux de sortir les bouteilles", "sortir les bouteilles", "odd"),
        ("每隔一周的周三提醒我倒垃圾", "倒垃圾", "odd"),
        ("recuérdame luego llamar a Ana", "llamar a Ana", "vague"),
        ("rappelle-moi à dix-sept heures d'appeler Tom", "appeler Tom", "2026-11-23T17:00"),
        ("Rappelle-moi d'appeler Ana demain à 9 h", "appeler Ana", "2026-11-24T09:00"),
        ("Tu peux me rappeler d'acheter du lait ce soir ?", "acheter du lait", "2026-11-23T19:00"),
        ("rappelle-moi dans un quart d'heure d'éteindre le four", "éteindre le four", "2026-11-23T10:30"),
        ("rappelle-moi vendredi à sept heures et demie d'aller au marché", "aller au marché", "2026-11-27T07:30"),
        ("rappelle-moi après-demain matin d'arroser les plantes", "arroser les plantes", "2026-11-25T09:00"),
        ("rappelle-moi d'appeler mon père demain à 9 h", "appeler mon père", "2026-11-24T09:00"),
        ("rappelle-moi demain soir à 8 h d'appeler Luc", "appeler Luc", "2026-11-24T20:00"),
        ("rappelle-moi demain à 8 heures du soir d'appeler Luc", "appeler Luc", "2026-11-24T20:00"),
        ("rappelle-moi tous les jours à 8h de prendre le médicament", "prendre le médicament", "0 8 * * *"),
        ("rappelle-moi d'aller à la réunion de 2 heures demain", "aller à la réunion de 2 heures", "2026-11-24T09:00"),
        ("rappelle-moi plus tard d'appeler Tom", "appeler Tom", "vague"),
        ("rappelle-moi le 1er et le 15 de payer le loyer", "payer le loyer", "several"),
        ("rappelle-moi tous les matins et soirs de prendre mes gouttes", "prendre mes gouttes", "several"),
        ("rappelle-moi tous les soirs à 8h de prendre mes gouttes", "prendre mes gouttes", "0 20 * * *"),
        ("recuérdame todas las mañanas y noches tomar las gotas", "tomar las gotas", "several"),
        ("recuérdame las mañanas y las noches tomar las gotas", "tomar las gotas", "several"),
    ],
)
def test_an_order_in_spanish_or_french_is_read(text: str, what: str, when: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    due = found.when.due.strftime("%Y-%m-%dT%H:%M") if found.when.due else found.when.every or found.when.lack
    assert (found.what, due) == (what, when)


@pytest.mark.parametrize(
    ("text", "what", "when"),
    [
        ("напомни мне завтра в 9 утра позвонить маме", "позвонить маме", "2026-11-24T09:00"),
        ("напомни через 20 минут выключить духовку", "выключить духовку", "2026-11-23T10:35"),
        ("Напомни мне каждый день в 8 вечера принять таблетки", "принять таблетки", "0 20 * * *"),
        ("напоминай мне каждый понедельник в 7:30 вынести мусор", "вынести мусор", "30 7 * * 1"),
        ("напомни по средам и пятницам в 18 полить цветы", "полить цветы", "0 18 * * 3,5"),
        ("напомни по будням в 8 утра пить таблетки", "пить таблетки", "0 8 * * 1-5"),
        ("напомни через час про стирку", "стирку", "2026-11-23T11:15"),
        ("напомни через полчаса проверить духовку", "проверить духовку", "2026-11-23T10:45"),
        ("напомни в полдевятого выйти", "выйти", "2026-11-23T20:30"),
        ("напомни в пятницу в 17:30 забрать Лёву", "забрать Лёву", "2026-11-27T17:30"),
        ("напомни мне завтра в 3 часа дня забрать посылку", "забрать посылку", "2026-11-24T15:00"),
        ("Напомни мне 3 декабря заплатить за квартиру", "заплатить за квартиру", "2026-12-03T09:00"),
        ("напомни вечером купить подарок для дня рождения", "купить подарок для дня рождения", "2026-11-23T19:00"),
        ("поставь напоминание на завтра в 10 о встрече", "встрече", "2026-11-24T10:00"),
        ("напомни мне в 05:45 вынуть хлеб", "вынуть хлеб", "2026-11-24T05:45"),
        ("напомни каждую вторую среду вынести бутылки", "вынести бутылки", "odd"),
        ("поставь будильник на завтра на 7 утра", "поставь будильник на завтра на 7 утра", "2026-11-24T07:00"),
        ("напомни завтра 7 утра про врача", "врача", "2026-11-24T07:00"),
        ("напомни про отель на 3 ночи", "отель на 3 ночи", "missing"),
        ("напомни позже позвонить Тому", "позвонить Тому", "vague"),
        ("напомни мне позвонить маме", "позвонить маме", "missing"),
        ("明日の朝9時に母に電話することをリマインドして", "母に電話する", "2026-11-24T09:00"),
        ("毎朝7時に薬を飲むようにリマインドして", "薬を飲む", "0 7 * * *"),
        ("毎週火曜と金曜にゴミ出しをリマインドして", "ゴミ出し", "0 9 * * 2,5"),
        ("毎週日曜日の9時に植物に水をやるようにリマインドして", "植物に水をやる", "0 9 * * 0"),
        ("明日の午後3時に歯医者に行くことを思い出させてください", "歯医者に行く", "2026-11-24T15:00"),
        ("1時間半後に洗濯物を取り込むよう知らせて", "洗濯物を取り込む", "2026-11-23T11:45"),
        ("12月3日に家賃を払うようにリマインドして", "家賃を払う", "2026-12-03T09:00"),
        ("来週の金曜日に請求書を送るのを忘れないようにして", "請求書を送る", "2026-12-04T09:00"),
        ("2時間後に会議のリマインダーを設定して", "会議", "2026-11-23T12:15"),
        ("05:45にパンを出すようにリマインドして", "パンを出す", "2026-11-24T05:45"),
        ("隔週の水曜日に瓶を出すようにリマインドして", "瓶を出す", "odd"),
        ("내일 아침 9시에 엄마한테 전화하라고 알려줘", "엄마한테 전화하라고", "2026-11-24T09:00"),
        ("20분 뒤에 오븐 끄라고 알려줘", "오븐 끄라고", "2026-11-23T10:35"),
        ("매일 저녁 8시에 약 먹으라고 알려줘", "약 먹으라고", "0 20 * * *"),
        ("매주 월요일 7시에 쓰레기 버리라고 알려주세요", "쓰레기 버리라고", "0 7 * * 1"),
        ("다음 주 금요일에 청구서 보내라고 알려줘", "청구서 보내라고", "2026-12-04T09:00"),
    ],
)
def test_an_order_in_russian_japanese_or_korean_is_set_to_the_minute(text: str, what: str, when: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    due = found.when.due.strftime("%Y-%m-%dT%H:%M") if found.when.due else found.when.every or found.when.lack
    assert (found.what, due) == (what, when)


@pytest.mark.parametrize("text", ["30分後に起こして", "разбуди меня через 30 минут", "30분 후에 깨워줘"])
def test_to_be_woken_up_is_an_order_by_itself(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.what, found.when.due) == (text, NOW + timedelta(minutes=30))


@pytest.mark.parametrize(
    "text",
    [
        "明日の天気を教えて",
        "母の誕生日がいつか教えて",
        "напомни, когда день рождения Ани",
        "엄마 생일이 언제인지 알려줘",
        "내일 일정 알려줘",
        "다음 주 금요일 일정 말해줘",
        "안나에게 내일 9시에 말해줘",
        "Скажи мне планы на завтра",
        "Сообщи Анне завтра в 9, что я опоздаю",
        "Позови Анну в 9",
        "Напоминание пришло вчера в 9",
    ],
)
def test_who_wants_to_be_told_something_now_orders_no_reminder(text: str) -> None:
    assert read_reminder(text, NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "remind me to call mum on her birthday at 9",
        "remind me at 9 to call mum on her birthday",
        "remind me the evening before Tom's wedding at 8 to iron the shirt",
        "Erinnere mich um 9 daran, Mama an ihrem Geburtstag anzurufen",
        "recuérdame llamar a mamá en su cumpleaños a las 9",
        "rappelle-moi d'appeler maman le jour de son anniversaire à 9 h",
        "妈妈生日那天九点提醒我打电话",
        "erinnere mich einen Tag vorher um 18 Uhr daran",
        "remind me the night before at 8 to pack",
        "remind me the day before the exam at 8 to pack",
        "remind me to pack at 8 the day before the exam",
        "remind me two days before Christmas at 9 to buy a turkey",
        "remind me on the day of the exam at 8 to take a pen",
        "remind me an hour before the meeting at 3 to print the slides",
        "ping me the evening before the trip to pack",
        "erinnere mich einen Tag vor der Prüfung um 8 ans Packen",
        "erinnere mich am Abend vor dem Flug um 8 ans Packen",
        "erinnere mich an Bens Geburtstag um 8 an den Kuchen",
        "recuérdame el día antes del examen a las 8 estudiar",
        "rappelle-moi le jour avant l'examen à 8 h de réviser",
        "考试前两天八点提醒我复习",
    ],
)
def test_a_time_of_a_birthday_is_not_taken_for_one_of_today(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.when.due, found.when.lack) == (None, Unclear.VAGUE)


@pytest.mark.parametrize(
    ("text", "what", "due"),
    [
        ("remind me tonight at 8 to pack for the day before the exam", "pack for the day before the exam", "23T20:00"),
        ("remind me in the evening before dinner to lay the table", "before dinner to lay the table", "23T19:00"),
        ("remind me at 6 to leave an hour before the train", "leave an hour before the train", "23T18:00"),
        ("erinnere mich am Abend um 7 an den Stift", "den Stift", "23T19:00"),
        ("remind me at 5 to look at the week ahead", "look at the week ahead", "23T17:00"),
        ("remind me 10 minutes before 3pm to call Ana", "call Ana", "23T14:50"),
        ("erinnere mich um 18 Uhr an Bens Geburtstag", "Bens Geburtstag", "23T18:00"),
        (
            "erinnere mich um 18 Uhr, Anna zum Geburtstag zu gratulieren",
            "Anna zum Geburtstag zu gratulieren",
            "23T18:00",
        ),
        ("八点提醒我吃前两天买的药", "吃前两天买的药", "23T20:00"),
        ("remind me in 5 mins. to put the bins out", "put the bins out", "23T10:20"),
        ("remind me in 1h30 to restart the worker", "restart the worker", "23T11:45"),
        ("erinner mich in 15 mins an die Nudeln", "die Nudeln", "23T10:30"),
        ("erinner mich in 2h15 an den Kuchen", "den Kuchen", "23T12:30"),
    ],
)
def test_a_time_of_today_is_read_as_it_is_said(text: str, what: str, due: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.what, found.when.due) == (what, datetime.fromisoformat(f"2026-11-{due}").replace(tzinfo=NOW.tzinfo))


@pytest.mark.parametrize(
    ("ordered", "said", "due"),
    [
        ("remind me the evening before Lily's birthday at 7 to wrap presents", "13 January", "2027-01-13T19:00"),
        ("remind me the evening before Lily's birthday at 7 to wrap presents", "13 January at 6pm", "2027-01-13T18:00"),
        ("remind me the day before the exam at 8 to pack", "on Thursday", "2026-11-26T08:00"),
        ("remind me the day before the exam at 8 to pack", "in 3 hours", "2026-11-23T13:15"),
        ("remind me the day before the exam at 8 to pack", "today", "2026-11-23T20:00"),
        ("remind me an hour before the meeting at 3 to print the slides", "tomorrow", "2026-11-24T09:00"),
        ("erinnere mich am Abend vor dem Flug um 8 ans Packen", "am 2. Dezember", "2026-12-02T20:00"),
    ],
)
def test_a_day_that_is_asked_back_for_keeps_the_hour_that_was_said(ordered: str, said: str, due: str) -> None:
    found = completed(ordered, said, NOW)

    assert found is not None
    assert found.when.due == datetime.fromisoformat(due).replace(tzinfo=NOW.tzinfo)


def test_a_day_is_read_as_it_is_often_mistyped() -> None:
    found = read_reminder("remind me tommorow at 8 to call the bank", NOW)

    assert found is not None
    assert (found.what, found.when.due) == ("call the bank", datetime(2026, 11, 24, 8, tzinfo=NOW.tzinfo))


def test_a_birthday_that_a_day_is_named_for_is_set() -> None:
    found = read_reminder("remind me to congratulate Tom on his birthday tomorrow at 5", NOW)

    assert found is not None
    assert found.what == "congratulate Tom on his birthday"
    assert found.when.due == datetime(2026, 11, 24, 17, tzinfo=NOW.tzinfo)


@pytest.mark.parametrize(
    ("ordered", "text", "due"),
    [
        ("recuérdame llamar a Tom a las 5", "no, mejor a las 6", "2026-11-23T18:00"),
        ("erinnere mich um 18 Uhr an den Tee", "ach ne, um 19 Uhr", "2026-11-23T19:00"),
        ("rappelle-moi d'appeler Tom à 17 h", "plutôt demain à 9 h", "2026-11-24T09:00"),
    ],
)
def test_a_time_in_spanish_or_french_moves_what_is_set(ordered: str, text: str, due: str) -> None:
    moved = completed(ordered, text, NOW, is_set=True)

    assert moved is not None
    assert moved.is_instead
    assert moved.when.due == datetime.fromisoformat(due).replace(tzinfo=NOW.tzinfo)


@pytest.mark.parametrize(
    "text",
    [
        "no me recuerdes a las 5 llamar a Tom",
        "rappelle-moi ce que j'ai dit d'Ana",
        "hier",
        "recuérdame a qué hora es el partido mañana",
        "recuérdame con quién ceno mañana",
        "rappelle-moi à quelle heure est le match demain",
        "rappelle-moi avec qui je dîne demain",
    ],
)
def test_what_is_no_order_in_spanish_or_french_is_none(text: str) -> None:
    assert read_reminder(text, NOW) is None


@pytest.mark.parametrize("text", ["cancela todos los recordatorios", "Annule tous les rappels, stp"])
def test_reminders_are_called_off_in_spanish_and_french(text: str) -> None:
    assert calls_off(text)


def test_what_is_typed_after_the_command_needs_no_order() -> None:
    found = read_typed("every weekday at 9 stand-up", NOW)

    assert (found.what, found.when.every) == ("stand-up", "0 9 * * 1-5")


@pytest.mark.parametrize("days", [0, 5])
@pytest.mark.parametrize(
    "text",
    [
        "remind me at the end of next month to pay rent",
        "remind me a week from Tuesday to renew",
        "remind me before Friday to pay",
        "remind me on the 2nd Friday in January to pay",
        "remind me a day before 24 December to buy gifts",
        "erinnere mich übernächsten Montag an den Bericht",
        "erinnere mich eine Stunde vor 18 Uhr an den Zug",
        "erinnere mich am ersten Montag im Dezember an den Bericht",
        "提醒我下个月底交房租",
    ],
)
def test_a_time_of_which_only_a_part_is_understood_is_asked_for(text: str, days: int) -> None:
    found = read_reminder(text, NOW + timedelta(days=days))

    assert found is not None
    assert found.when.lack is Unclear.VAGUE


def test_two_orders_in_one_message_are_not_made_one() -> None:
    found = read_reminder("Remind me tomorrow at 9 to call Ana\nRemind me on Monday at 10 to pay the rent", NOW)

    assert found is not None
    assert found.when.lack is Unclear.SEVERAL


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me tomorrow evening after work to call Ana", "after work to call Ana"),
        ("remind me on Monday before lunch to call Ana", "before lunch to call Ana"),
        ("erinnere mich morgen Abend nach der Arbeit an die Milch", "nach der Arbeit an die Milch"),
        ("remind me tomorrow at 9 to pay before Friday", "pay before Friday"),
    ],
)
def test_before_and_after_something_else_than_a_time_leave_the_time_as_it_is(text: str, what: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.when.lack, found.what) == (None, what)


@pytest.mark.parametrize(
    ("text", "lack"),
    [
        ("remind me at 8 am and 8 pm to take my pills", Unclear.SEVERAL),
        ("remind me at 7 and 9 to call", Unclear.SEVERAL),
        ("remind me every morning and evening to stretch", Unclear.SEVERAL),
        ("remind me on the 1st and 15th to pay the rent", Unclear.SEVERAL),
        ("remind me tomorrow and on Thursday at 8 to bring the books", Unclear.SEVERAL),
        ("每天8点和20点半提醒我背单词", Unclear.SEVERAL),
        ("提前三天提醒我给妈妈买礼物", Unclear.MISSING),
    ],
)
def test_an_order_of_several_times_or_of_none_is_asked_about(text: str, lack: Unclear) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.lack is lack


@pytest.mark.parametrize(
    ("text", "what", "due"),
    [
        ("recuérdame el jueves 3 llamar a Ana", "llamar a Ana", "2026-12-03 09:00"),
        ("recuérdame el jueves 3 a las 18:30 llamar a Ana", "llamar a Ana", "2026-12-03 18:30"),
        ("remind me on Thursday 3 to call Ana", "call Ana", "2026-12-03 09:00"),
        ("rappelle-moi jeudi 3 à 9h d'appeler Ana", "appeler Ana", "2026-12-03 09:00"),
        ("напомни мне в четверг 3-го позвонить Ане", "позвонить Ане", "2026-12-03 09:00"),
        ("remind me Thursday 3pm to call Ana", "call Ana", "2026-11-26 15:00"),
        ("erinnere mich am Donnerstag, 3., an Ana", "Ana", "2026-12-03 09:00"),
        ("remind me on Friday 6 to call Ana", "call Ana", "2026-11-27 06:00"),
        ("提醒我一下周六去看牙", "去看牙", "2026-11-28 09:00"),
        ("提醒我下周六去看牙", "去看牙", "2026-12-05 09:00"),
    ],
)
def test_a_weekday_with_its_number_is_the_day_to_be_reminded_on(text: str, what: str, due: str) -> None:
    reminder = read_reminder(text, NOW)

    assert reminder
    assert reminder.when.due
    assert (reminder.what, f"{reminder.when.due:%Y-%m-%d %H:%M}") == (what, due)


@pytest.mark.parametrize(
    "when",
    [
        "remind me on Friday the 9th to call Ana",
        "remind me on Friday the 9 to call Ana",
        "remind me on Friday 13 to call Ana",
        "remind me on Friday 9 at 7 to call Ana",
        "remind me on Friday 31 to call Ana",
        "erinnere mich am Freitag, dem 9., an Ana",
        "recuérdame el viernes 9 llamar a Ana",
        "recuérdame el viernes día 9 llamar a Ana",
        "rappelle-moi le vendredi 13 d'appeler Ana",
        "rappelle-moi vendredi le 9 d'appeler Ana",
        "напомни мне в пятницу 9 позвонить Ане",
        "напомни мне в пятницу 9-го позвонить Ане",
    ],
)
def test_a_day_that_is_not_the_weekdays_is_asked_about(when: str) -> None:
    reminder = read_reminder(when, NOW)

    assert reminder
    assert reminder.when.lack is Unclear.IMPOSSIBLE


@pytest.mark.parametrize("text", ["アンナが明日来るって教えてくれた", "田中さんが明日9時に来るって教えてもらった"])
def test_who_was_told_something_orders_nothing(text: str) -> None:
    assert read_reminder(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me on Thursday 3 packs of milk", "3 packs of milk"),
        ("recuérdame el jueves 3 huevos", "3 huevos"),
        ("rappelle-moi jeudi 3 pains", "3 pains"),
        ("напомни в четверг 3 яйца", "3 яйца"),
    ],
)
def test_how_many_is_no_day_to_be_reminded_on(text: str, what: str) -> None:
    reminder = read_reminder(text, NOW)

    assert reminder
    assert reminder.when.due
    assert (reminder.what, f"{reminder.when.due:%Y-%m-%d}") == (what, "2026-11-26")


@pytest.mark.parametrize(
    ("text", "what", "due"),
    [
        ("Guten Morgen, erinnere mich um 18 Uhr an die Tabletten", "die Tabletten", "23T18:00"),
        ("guten Morgen erinner mich am Freitag um 8 an den Müll", "den Müll", "27T08:00"),
        ("Morgen! erinnere mich um 18 Uhr an die Post", "die Post", "23T18:00"),
        ("Morgen um 18 Uhr erinnere mich an die Post", "die Post", "24T18:00"),
        ("Good evening, can you remind me at 9 to call Ana", "call Ana", "23T21:00"),
        ("good morning remind me at 5 to call Ana", "call Ana", "23T17:00"),
        ("晚上好，11点提醒我吃药", "吃药", "23T11:00"),
        ("buenas tardes recuérdame a las 5 llamar a Ana", "llamar a Ana", "23T17:00"),
        ("bonsoir, rappelle-moi à 11h d'appeler Ana", "appeler Ana", "23T11:00"),
        ("добрый вечер, напомни в 17:00 позвонить Ане", "позвонить Ане", "23T17:00"),
    ],
)
def test_a_greeting_says_no_time_and_is_no_part_of_what_to_be_reminded_of(text: str, what: str, due: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.what, found.when.due) == (what, datetime.fromisoformat(f"2026-11-{due}").replace(tzinfo=NOW.tzinfo))


@pytest.mark.parametrize(
    "text",
    [
        "remind me 3pm check the oven and 5pm feed the cat",
        "remind me to call Ana at 3 and pay the rent at 5",
        "remind me at noon to call Ana and at 6 the shopping",
        "erinnere mich am Samstag um 9 Kuchen zu bestellen und um 15 Uhr Rosi das Geld zu geben",
        "erinner mich um 11 an die Tabletten und um 18 Uhr nochmal",
        "recuérdame a las 3 llamar a Ana y a las 5 pagar el alquiler",
        "rappelle-moi d'appeler Ana à 15h et de payer le loyer à 17h",
        "напомни в 15:00 позвонить Ане и в 17:00 заплатить за квартиру",
        "提醒我下午3点量血压，5点交班",
        "提醒我明天8点吃药和9点开会",
        "朝8時と夜8時に薬をリマインドして",
    ],
)
def test_a_further_thing_with_a_time_of_its_own_is_not_taken_for_a_part_of_the_first(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.lack is Unclear.SEVERAL


@pytest.mark.parametrize(
    "text",
    [
        "remind me tomorrow at 9 to bring 5 eggs and 2 apples",
        "remind me tomorrow at 9 that Mia has piano at 3 and at 5 swimming",
        "remind me tomorrow at 9 of the dentist, 10:30 Dr. Quist",
        "remind me tomorrow at 9 of lunch with Tom and Eva at 1",
        "erinnere mich morgen um 9, dass der Laden um 10 aufmacht und um 12 schließt",
        "recuérdame mañana a las 9 comprar pan y 2 huevos",
        "提醒我明天9点买牛奶、鸡蛋和3个苹果",
    ],
)
def test_numbers_and_times_of_what_to_be_reminded_of_stay_with_it(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.due == datetime(2026, 11, 24, 9, tzinfo=NOW.tzinfo)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("shoot i mean sunday at 8", "29T08:00"),
        ("sorry it's at 8:15 not 7:30", "23T20:15"),
        ("quatsch, um 19 Uhr", "23T19:00"),
        ("ach nein, am Sonntag um 8 meinte ich", "29T08:00"),
        ("不对 是周日7点15", "29T07:15"),
        ("说错了 周日8点", "29T08:00"),
        ("zut, dimanche à 8h", "29T08:00"),
        ("digo el domingo a las 8", "29T08:00"),
        ("間違えた、日曜日の8時", "29T08:00"),
    ],
)
def test_a_time_behind_the_opening_of_a_correction_moves_what_was_just_set(said: str, due: str) -> None:
    moved = completed("remind me on saturday at 7:30 to leave", said, NOW, is_set=True)

    assert moved is not None
    assert moved.is_instead
    assert moved.when.due == datetime.fromisoformat(f"2026-11-{due}").replace(tzinfo=NOW.tzinfo)


@pytest.mark.parametrize("said", ["no, also at 9", "oh, tomorrow is Ana's birthday", "sorry, I can't come at 9"])
def test_a_further_time_or_another_statement_behind_such_an_opening_moves_nothing(said: str) -> None:
    assert completed("remind me on saturday at 7:30 to leave", said, NOW, is_set=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "remind me every day except Sunday at 8 to water the plants",
        "remind me every morning but not on Sundays at 8 to water the plants",
        "erinnere mich jeden Tag außer Sonntag um 8 an die Pflanzen",
        "erinnere mich jeden Morgen um 8 an die Pflanzen, außer am Wochenende",
        "recuérdame todos los días excepto domingos a las 8 regar las plantas",
        "rappelle-moi tous les matins sauf dimanche à 3h30 de rafraîchir le levain",
        "напоминай каждый день в 8 кроме воскресенья полить цветы",
        "除了周日每天8点提醒我浇花",
        "每天8点提醒我浇花，周日除外",
        "日曜以外毎日8時に水やりをリマインドして",
        "일요일 빼고 매일 8시에 물 주라고 알려줘",
    ],
)
def test_a_day_that_is_kept_out_of_what_repeats_is_not_read_over(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.when.every, found.when.lack) == ("", Unclear.ODD)


def test_who_is_kept_out_of_what_to_do_leaves_the_time_as_it_is() -> None:
    found = read_reminder("remind me every day at 8 to feed all the cats except Tom", NOW)

    assert found is not None
    assert found.when.every == "0 8 * * *"


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("hola mañana recuérdame a las 9 llamar a Ana", "24T09:00"),
        ("hello Friday, remind me to call Ana", "27T09:00"),
        ("morgen, 8 Uhr: erinner mich an den Müll", "24T08:00"),
        ("salut, à 17h rappelle-moi d'appeler Ana", "23T17:00"),
        ("good evening, on Friday at 3pm remind me to call Ana", "27T15:00"),
        ("good afternoon set a reminder tonight to call Ana", "23T19:00"),
    ],
)
def test_a_day_or_a_time_beside_a_greeting_counts(text: str, due: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.due == datetime.fromisoformat(f"2026-11-{due}").replace(tzinfo=NOW.tzinfo)


@pytest.mark.parametrize("what", ["say good morning to Ana", "wish everybody a good evening", "跟Ana说早上好"])
def test_a_greeting_within_what_to_be_reminded_of_says_no_time(what: str) -> None:
    found = read_reminder(f"remind me to {what}" if what.isascii() else f"提醒我{what}", NOW)

    assert found is not None
    assert (found.what, found.when.lack) == (what, Unclear.MISSING)


@pytest.mark.parametrize(
    "text", ["remind me at noon and at 6 to take the pill", "remind me daily at noon and 6pm to eat"]
)
def test_noon_and_another_time_are_two(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.lack is Unclear.SEVERAL


@pytest.mark.parametrize("text", ["remind me at 12 noon to eat", "erinnere mich um 12 Uhr mittags ans Essen"])
def test_noon_said_twice_is_one(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.due == datetime(2026, 11, 23, 12, tzinfo=NOW.tzinfo)


def test_the_hour_of_a_thing_is_no_further_time() -> None:
    found = read_reminder("明天9点提醒我带钥匙和10点的票", NOW)

    assert found is not None
    assert (found.what, found.when.lack) == ("带钥匙和10点的票", None)


@pytest.mark.parametrize(
    "text",
    [
        "remind me every Monday except holidays at 8 to run",
        "remind me every Monday at 8 but not this week to run",
        "erinnere mich jeden Tag außer in den Ferien um 8 ans Laufen",
    ],
)
def test_what_is_kept_out_right_behind_what_repeats_is_not_read_over(text: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.lack is Unclear.ODD


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("erinnere mich jeden Tag um 8 bis auf weiteres an die Tabletten", "0 8 * * *"),
        ("recuérdame cada lunes a las 8 correr al menos 5 km", "0 8 * * 1"),
        ("каждый день напоминай мне в 8 пить воду", "0 8 * * *"),
    ],
)
def test_the_time_of_what_repeats_is_read_around_other_words(text: str, every: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert found.when.every == every


@pytest.mark.parametrize(
    ("earlier", "further", "what"),
    [
        ("rappelle-moi à 17h d'acheter du pain", "et à 18h de commander le beurre", "commander le beurre"),
        ("remind me at 5 to buy bread", "and at 6pm to order butter", "order butter"),
        ("erinnere mich um 17 Uhr an das Brot", "und um 18 Uhr an die Butter", "die Butter"),
        ("напомни в 17:00 про хлеб", "и в 18:00 про масло", "масло"),
    ],
)
def test_a_further_time_and_thing_behind_an_order_is_an_order_too(earlier: str, further: str, what: str) -> None:
    found = completed(earlier, further, NOW, is_set=True)

    assert found is not None
    assert (found.what, found.is_instead) == (what, False)
    assert found.when.due == datetime(2026, 11, 23, 18, tzinfo=NOW.tzinfo)
    assert completed(earlier, further, NOW) is None


@pytest.mark.parametrize(
    ("further", "what"),
    [
        ("and the dentist at 9", "the dentist"),
        ("also at 9 the dentist", "the dentist"),
        ("and at 9 to the bank", "the bank"),
        ("auch die Tabletten um 9 Uhr", "die Tabletten"),
        ("und um 9 an die Bank", "die Bank"),
        ("y el dentista a las 9", "el dentista"),
        ("et le dentiste à 9h", "le dentiste"),
        ("и стоматолог в 9", "стоматолог"),
        ("还有上午九点开会", "开会"),
    ],
)
def test_a_further_thing_at_an_hour_is_of_the_day_of_what_was_set(further: str, what: str) -> None:
    found = completed("remind me on Friday at 8 to call Ana", further, NOW, is_set=True, day=date(2026, 11, 27))

    assert found is not None
    assert (found.what, found.when.due) == (what, datetime(2026, 11, 27, 9, tzinfo=NOW.tzinfo))


@pytest.mark.parametrize(
    "said",
    [
        "and I leave at 9",
        "and he comes at 9",
        "also it rained at 9",
        "and the kids come at 3",
        "还有我下午三点开会",
        "and Ben left at 5",  # "ben" and "y" open orders in other languages
        "and you at 5",
        "and Tom at 5?",
        "and 3 pm is lunch",
    ],
)
def test_what_somebody_does_at_an_hour_is_no_further_thing(said: str) -> None:
    assert completed("remind me at 5 to buy bread", said, NOW, is_set=True, day=NOW.date()) is None


@pytest.mark.parametrize("said", ["and at 6 Ana comes", "and on Friday we go to Rome", "und um 18 Uhr kommt Ana"])
def test_a_statement_with_a_time_behind_an_order_is_none(said: str) -> None:
    assert completed("remind me at 5 to buy bread", said, NOW, is_set=True) is None


def test_a_no_that_is_said_many_times_is_read_once() -> None:
    assert completed("明天八点提醒我浇花", "不是" * 60 + "花，九点", NOW, is_set=True) is None
