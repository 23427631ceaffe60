"""What a message does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture import Act, act_of
from memory.capture.intent import is_courtesy
from memory.capture.lexicon import LISTED
from memory.capture.sentences import MAX_END_CHARS

EXAMPLES = Path(__file__).parents[3] / "data" / "capture"
CALLED = {Act.NOTE: "note", Act.QUESTION: "answer"}
ACTS = tomllib.loads((EXAMPLES / "acts.toml").read_text(encoding="utf-8"))
CLASSES = tomllib.loads((EXAMPLES / "spoken.toml").read_text(encoding="utf-8"))


def called(text: str) -> str:
    return CALLED.get(act_of(text), "neither")


@pytest.mark.parametrize(("lang", "act"), [(lang, act) for lang, acts in ACTS.items() for act in acts])
def test_what_is_said_is_taken_for_what_it_is(lang: str, act: str) -> None:
    texts = ACTS[lang][act].splitlines()

    misread = [(text, got) for text in texts if (got := act_of(text)) != act]

    assert len(texts) > 2
    assert misread == []


@pytest.mark.parametrize("kind", CLASSES)
def test_a_saying_is_taken_for_what_its_class_says(kind: str) -> None:
    wanted = CLASSES[kind]["act"]
    said = {lang: block.strip().splitlines() for lang, block in CLASSES[kind].items() if lang != "act"}

    misread = [(lang, text, got) for lang, texts in said.items() for text in texts if (got := called(text)) != wanted]

    assert all(len(texts) > 1 for texts in said.values())
    assert misread == []


@pytest.mark.parametrize("code", LISTED)
def test_a_message_is_read_as_in_the_examples_of_its_language(code: str) -> None:
    lines = (EXAMPLES / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()
    said = [(example["act"], example["text"]) for example in map(json.loads, lines)]

    misread = [f"{act} as {got}: {text}" for act, text in said if (got := called(text)) != act]

    assert len(said) >= 120
    assert all(sum(act == wanted for act, _ in said) >= 25 for wanted in ("note", "answer", "neither"))
    assert misread == []


@pytest.mark.parametrize("wanted", ["note", "answer", "neither"])
def test_a_message_is_read_as_in_the_examples(wanted: str) -> None:
    texts = (EXAMPLES / f"{wanted}.txt").read_text(encoding="utf-8").splitlines()

    misread = [(called(text), text) for text in texts if called(text) != wanted]

    assert len(texts) > 600
    assert misread == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("My train leaves at nine. When should I get up?", Act.QUESTION),
        ("Hi! My train leaves at nine. Thanks!", Act.NOTE),
        ("Thanks! And when does my train leave?", Act.QUESTION),
        ("Write a card for my aunt. She turns 60.", Act.REQUEST),
        ("Hello. Thank you.", Act.THANKS),
        ("Hallo. Ok.", Act.GREETING),
    ],
)
def test_the_weightiest_part_of_a_message_counts(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Think step by step, please", Act.SMALL_TALK),
        ("Denk gut nach!", Act.SMALL_TALK),
        ("请好好想想", Act.SMALL_TALK),
        ("Piénsalo bien", Act.SMALL_TALK),
        ("S'il te plaît, réfléchis bien", Act.SMALL_TALK),
        ("Подумай хорошо", Act.SMALL_TALK),
        ("Think twice before you buy a boat", Act.NOTE),
        ("Think hard. Where should we go in summer?", Act.QUESTION),
        ("What a beautiful morning it is today", Act.SMALL_TALK),
        ("zahnarzt ben 12.11. 14:30 dr meier", Act.NOTE),
        ("sport lotta dienstags 16 uhr", Act.NOTE),
        ("Rendez-vous chez l'ophtalmo le 12 mars à 14h30", Act.NOTE),
        ("kommt ben morgen", Act.QUESTION),
        ("下周三我要干嘛", Act.QUESTION),
        ("Danke schön, Sie sind ja richtig klug!", Act.THANKS),
        ("Auf Wiedersehen und einen schönen Advent", Act.FAREWELL),
        ("ugh, what a terrible week this has been", Act.SMALL_TALK),
        ("What an amazing concert!", Act.SMALL_TALK),
        ("what a waste of time that was", Act.SMALL_TALK),
        ("Was für ein toller Ausflug das war", Act.SMALL_TALK),
        ("Was für eine Überraschung", Act.SMALL_TALK),
        ("Welch ein Glück", Act.SMALL_TALK),
        ("What a great restaurant Trattoria Roma is", Act.NOTE),
        ("what a mess tom made in the kitchen", Act.NOTE),
        ("What a week: Tom broke his leg", Act.NOTE),
        ("what a coincidence, Tom lives in our street", Act.NOTE),
        ("Wie schön, dass Tom am Freitag kommt", Act.NOTE),
        ("what a baker earns?", Act.QUESTION),
        ("was für ein Auto fährt Tom", Act.QUESTION),
        ("list birthdays", Act.QUESTION),
    ],
)
def test_an_exclamation_that_names_nothing_is_small_talk(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize(
    "text",
    [
        "O(c=0.9) @Peter: Prefers tea to coffee? #preference",
        "- W @Lena: Lives in Graz.",
        "T(due=2026-12-01) @me: what to send Alice?",
    ],
)
def test_a_fact_in_the_retain_notation_is_a_note_whatever_it_says(text: str) -> None:
    assert act_of(text) is Act.NOTE


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("hola", Act.GREETING),
        ("¿Cuándo es la cita con el dentista?", Act.QUESTION),
        ("Où est la clé de rechange", Act.QUESTION),
        ("Merci beaucoup !", Act.THANKS),
        ("Ma sœur habite à Lyon depuis mai", Act.NOTE),
        ("где мой паспорт", Act.QUESTION),
        ("Мой паспорт лежит в верхнем ящике", Act.NOTE),
        ("鍵はどこですか", Act.QUESTION),
        ("ありがとうございます", Act.THANKS),
        ("Dove ho messo le chiavi", Act.QUESTION),
        ("grazie mille", Act.THANKS),
        ("che caldo", Act.SMALL_TALK),
        ("que bom!", Act.SMALL_TALK),
        ("que horas?", Act.QUESTION),
        ("wat eten", Act.QUESTION),
        ("que significa", Act.QUESTION),
        ("안녕하세요", Act.GREETING),
        ("¿Puedes anotar que mi taquilla es la 14?", Act.NOTE),
        ("¿Puedes recordar cuándo es mi cita?", Act.QUESTION),
        ("Peux-tu noter que mon casier est le 14 ?", Act.NOTE),
        ("Peux-tu retenir où est la clé ?", Act.QUESTION),
        ("Können Sie sich merken, dass der Code 4711 ist?", Act.NOTE),
        ("你能记住什么？", Act.QUESTION),
        ("Ich bin neu hier", Act.SMALL_TALK),
        ("Ich bin neu hier und heiße Ute", Act.NOTE),
        ("Ich bin neu in Berlin", Act.NOTE),
        ("Soy nueva aquí", Act.SMALL_TALK),
        ("Je suis nouveau ici", Act.SMALL_TALK),
        ("我是新来的", Act.SMALL_TALK),
        ("我是新来的邻居", Act.NOTE),
    ],
)
def test_other_languages_have_greetings_thanks_and_question_words(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "👍", "...", "?!", "\x00", "-", "やっぱりいいや"])
def test_a_message_that_says_nothing_is_small_talk(text: str) -> None:
    assert act_of(text) is Act.SMALL_TALK


def test_capitals_spaces_and_quotation_marks_do_not_change_what_a_message_does() -> None:
    assert act_of("WHERE  DID\tI PARK") is Act.QUESTION
    assert act_of("I don’t know where I parked") is act_of("I don't know where I parked") is Act.QUESTION
    assert act_of("我的護照在哪裡") is act_of("我的护照在哪里？") is Act.QUESTION


def test_only_the_ends_of_a_long_message_are_read() -> None:
    statement = "The boiler was serviced in May. " * 400

    assert act_of(f"{statement} where is the key? {statement}") is Act.NOTE
    assert act_of(f"{statement} where is the key?") is Act.QUESTION


@given(st.text(max_size=300))
def test_any_text_does_something(text: str) -> None:
    assert act_of(text) in Act


@given(st.text(alphabet="aI ?!.,:'我吗么什好谢的呢不没ßüwerit\n@[]()\"", max_size=120))
def test_any_text_of_telling_characters_does_something(text: str) -> None:
    assert act_of(text) in Act


@given(
    st.text(alphabet="かのっ何いつ뭐요지ㅋกคะไหม555كم ما؟कब हैँ।लиили кто?;πού τιέñ¿¡où ç'est\u200d\u0301", max_size=120)
)
def test_any_text_of_telling_characters_of_other_scripts_does_something(text: str) -> None:
    assert act_of(text) in Act


@pytest.mark.parametrize(
    "unit",
    [
        "哈",
        "好的",
        "hi ",
        "so ",
        "is ",
        "? ",
        "a, ",
        "what is the ",
        "ich habe nicht mehr ",
        "谁",
        "(",
        '"a',
        "1. ",
        "何",
        "ありがとう",
        "뭐 ",
        "ㅋ",
        "ครับ",
        "ใคร",
        "ألف ",
        "من ",
        "क्या ",
        "एक ",
        "ли ",
        "ха",
        "τι ",
        "χα",
        "que ",
        "qué",
        "où ",
        "merci ",
    ],
)
def test_ten_times_the_text_does_not_take_much_longer_once_its_ends_are_read(unit: str) -> None:
    short, long = (unit * 10_000)[:10_000], (unit * 100_000)[:100_000]

    assert seconds(long) < 10 * seconds(short) + 0.5


def seconds(text: str) -> float:
    """The least of three readings."""
    assert len(text) > 2 * MAX_END_CHARS
    readings = []
    for _ in range(3):
        before = perf_counter()
        act_of(text)
        readings.append(perf_counter() - before)
    return min(readings)


FAREWELLS = """
    bye | Bye bye! | goodbye for now | good night | Good night, Scrubjay | see you tomorrow | take care
    sleep well | ok bye | tschüss | Tschüss! | gute Nacht | auf Wiedersehen | bis morgen
    schönen Abend noch | ciao | mach's gut | 再见 | 拜拜 | 晚安 | 明天见 | 我先走了
    さようなら | じゃあね | おやすみなさい | また明日 | バイバイ
    안녕히 계세요 | 잘 자 | 내일 봐요 | ลาก่อน | ราตรีสวัสดิ์
    บ๊ายบาย | แล้วเจอกันนะ | مع السلامة
    تصبح على خير | إلى اللقاء | باي | अलविदा | शुभ रात्रि
    फिर मिलेंगे | пока | До свидания! | спокойной ночи
    до завтра | αντίο | καληνύχτα | τα λέμε | Adiós | hasta luego
    buenas noches | chao | nos vemos mañana | au revoir | bonne nuit | à demain | à bientôt !
    arrivederci | boa noite | tot ziens | do widzenia | güle güle | до побачення
    להתראות | tạm biệt | ნახვამდის
"""
GREETINGS = """
    hi | Hello! | good morning | Hallo | guten Tag | Moin | 你好 | 早上好 | こんにちは
    おはようございます | 안녕하세요 | 하이 | สวัสดีครับ | مرحبا
    السلام عليكم | صباح الخير | नमस्ते | सुप्रभात
    привет | Доброе утро! | γεια σου | καλημέρα | ¡Hola! | buenos días
    bonjour | Salut ! | buongiorno | bom dia | dzień dobry | merhaba | привіт | שלום | xin chào
    გამარჯობა
"""
THANKED = """
    thanks | vielen Dank | 谢谢 | ありがとうございます | 감사합니다
    ขอบคุณมากค่ะ | شكرا جزيلا | बहुत धन्यवाद
    спасибо большое | ευχαριστώ πολύ | muchas gracias | merci beaucoup
    grazie mille | obrigada | dziękuję | תודה רבה | cảm ơn
"""


@pytest.mark.parametrize(
    ("act", "said"), [(Act.FAREWELL, FAREWELLS), (Act.GREETING, GREETINGS), (Act.THANKS, THANKED)], ids=str
)
def test_a_courtesy_is_known_for_what_it_is(act: Act, said: str) -> None:
    texts = [text.strip() for text in re.split(r"\||\n", said) if text.strip()]

    misread = [(act_of(text).value, text) for text in texts if act_of(text) is not act]

    assert misread == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("bye, and remember that the key is under the mat", Act.NOTE),
        ("Gute Nacht! Wann geht morgen mein Zug?", Act.QUESTION),
        ("hello and good night", Act.FAREWELL),
        ("thanks, bye", Act.THANKS),
        ("пока не забыл: код от домофона 1234", Act.NOTE),
        ("En el bar Adiós se come bien", Act.NOTE),
    ],
)
def test_a_goodbye_beside_something_else_does_not_hide_it(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize(
    "text",
    [
        "המפתח נמצא מתחת לשטיח",
        "გასაღები ხალიჩის ქვეშ დევს",
        "Բանալին գորգի տակ է",
        "Chìa khóa ở dưới tấm thảm",
        "A chave está debaixo do tapete",
        "ቁልፉ ከምንጣፉ ስር ነው",
        "ключ лежить під килимком",
        "ගෙදර යතුර පාපිස්ස යට",
        "ကုလားထိုင်အောက်မှာသော့ရှိတယ်",
    ],
)
def test_a_statement_in_any_script_is_a_note(text: str) -> None:
    assert act_of(text) is Act.NOTE
    assert act_of(f"{text}?") is Act.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "المفتاح تحت السجادة؟",
        "το κλειδί είναι κάτω από το χαλί;",
        "το κλειδί είναι κάτω από το χαλί\u037e",
        "¿la llave está debajo de la alfombra",
        "hola, ¿la llave está debajo de la alfombra?",
        "鍵はマットの下？",
        "Բանալին գորգի տա՞կ է",
        "ቁልፉ ከምንጣፉ ስር ነው፧",
        "המפתח מתחת לשטיח⸮",
        "the key is under the mat (right?)",
    ],
)
def test_the_question_mark_of_any_script_asks(text: str) -> None:
    assert act_of(text) is Act.QUESTION


def test_a_semicolon_asks_in_greek_alone() -> None:
    assert act_of("the key is under the mat;") is Act.NOTE
    assert act_of("ключ лежит под ковриком;") is Act.NOTE


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ماذا اكلت امس", "مَاذَا أَكَلْتُ أَمْسِ"),
        ("donde deje las llaves", "¿Dónde dejé las llaves?"),
        ("ποτε ληγει η ασφαλεια", "Πότε λήγει η ασφάλεια;"),
        ("кто еще идет", "Кто ещё идёт?"),
        ("चाबी कहां है", "चाबी कहाँ है"),
        ("ｶｷﾞはどこ", "カギはどこ？"),
    ],
)
def test_accents_and_spellings_that_people_leave_out_make_no_difference(text: str, same: str) -> None:
    assert act_of(text) is act_of(same) is Act.QUESTION


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("lena is vegan isn't she", "Anna is coming but he isn't"),
        ("we moved in March, didn't we", "Most people smoke but I don't"),
        ("any appointments tomorrow", "any appointments on Fridays are cancelled"),
        ("how come we moved", "we came home late"),
        ("我家有几只猫", "我家有两只猫"),
        ("我妹妹有几个孩子", "我这里有几张电影票"),
        ("我家有几口人", "我们有几百个用户"),
        ("我的爱好", "我的狗叫小黑"),
        ("我的用户名", "我的电脑坏了"),
        ("我的会员号", "我的女儿8岁"),
        ("我的太太", "我的书在包里"),
        ("我们的比赛", "我的儿子属龙"),
        ("wifi密码", "家里wifi很慢"),
        ("cuantos hijos tengo", "cuantos más mejor, dijo ella"),
        ("a que soy alergico", "Soy alérgico a las nueces"),
        ("con quien comi ayer", "que quede claro: no como carne"),
        ("boiler guy when", "the doctor said when"),
        ("plumber how much", "the kids know where"),
        ("cest quoi le code de la cave", "cest la maison de benoit"),
        ("ou est la clé", "ou sinon on va au parc"),
        ("jai rdv quand", "jai perdu mes cles hier"),
        ("dove abito", "domani vado da luca alle 8"),
        ("che lavoro faccio", "da quando vivo qui dormo meglio"),
        ("come si chiama mia moglie", "come sempre domani palestra alle 7"),
        ("con chi ceno domenica", "con mia moglie parlo tedesco"),
        ("com quem tenho reunião amanhã", "com a Inês tenho reunião amanhã"),
        ("como se chama a minha avó", "como sempre amanhã ginásio"),
        ("onde moro", "hoje comprei pão"),
        ("met wie eet ik zaterdag", "met de trein ben ik om 9 thuis"),
        ("para quem é o presente", "para que eu não me esqueça, o código é 4471"),
        ("per chi è il regalo", "per chi non lo sapesse, mi sono trasferita a Roma"),
        ("voor wie is het cadeau", "voor wie het wil weten: ik ben verhuisd naar Gent"),
        ("che macchina ho", "che brutta giornata oggi"),
        ("non so dove ho messo le chiavi", "non sono allergico ai gatti"),
        ("come mi chiamo", "mi piace il tè"),
        ("was I in Porto", "I was in Porto, Ben."),
        ("quoi de prévu aujourd'hui", "quoi qu'il arrive je ferme lundi"),
        ("pk on a vendu la voiture", "on a vendu la voiture au voisin"),
        ("cuando era lo del dentista", "cuando era niña vivía en Lugo"),
        ("что нельзя маше", "что касается маши, она не ест мясо"),
        ("как пить амоксиклав", "как пить дать опоздает на поезд"),
        ("как испечь пирог", "как испечь пирог: мука, яйца, 40 минут"),
        ("как быть с машиной", "как бывший повар, я готовлю сам"),
        ("во скока поезд", "во сне видел поезд"),
        ("got anything on saturday", "got any sleep at last"),
        ("is die rechnung schon bezahlt", "die rechnung is schon bezahlt"),
        ("歯医者の場所わかる", "歯医者の場所が変わりました"),
    ],
)
def test_a_question_is_none_the_less_one_without_its_mark(asked: str, told: str) -> None:
    assert act_of(asked) is Act.QUESTION
    assert act_of(told) is Act.NOTE


def test_the_first_message_reads_the_lists_of_its_own_language_alone() -> None:
    """In a new process: patterns are compiled once, and those of five languages take a sixth of a second."""
    code = (
        "from memory.capture import act_of\n"
        "from memory.capture.lexicon import read_lexicon\n"
        "assert act_of('hello') == 'greeting'\n"
        "print(read_lexicon.cache_info().currsize)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(ran.stdout) == 1


@pytest.mark.parametrize(
    "announced",
    [
        "Did I mention? We got a red Mazda",
        "Know what? My passport expires in May",
        "Can you believe it, I got the flat!",
        "Can you imagine? Leo got married",
        "Habe ich dir erzählt? Ich habe einen Hund",
        "Kannst du dir vorstellen, Leo hat geheiratet",
        "¿Te conté? Tengo un perro",
        "Je t'ai dit ? J'ai un chien",
        "Представь, Лёва женился",
        "我跟你说过吗？我养了一只狗",
    ],
)
def test_a_question_that_announces_a_statement_asks_nothing(announced: str) -> None:
    assert act_of(announced) is Act.NOTE


@pytest.mark.parametrize(
    "asked", ["Did I mention the car?", "Habe ich dir erzählt, wo der Hund ist?", "我跟你说过车的事吗？"]
)
def test_a_question_of_what_was_told_is_one(asked: str) -> None:
    assert act_of(asked) is Act.QUESTION


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("I hate coriander. So does Judith", "So does Judith like coriander"),
        ("So is my brother", "So is my brother vegan"),
    ],
)
def test_so_before_a_verb_says_that_it_holds_of_somebody_else_too(told: str, asked: str) -> None:
    assert (act_of(told), act_of(asked)) == (Act.NOTE, Act.QUESTION)


@pytest.mark.parametrize(
    "told",
    [
        "Do you know Ute? She lives in Kassel",
        "My shoe size? 42",
        "Allergies? Only penicillin",
        "The best part? We got the flat",
        "Was I nervous? Yes. Did I pass? Also yes",
        "Who says I like sushi? I hate it",
        "How it went? Not well, failed by two points",
        "You know what I love? Rain",
        "Kennst du Ute? Sie wohnt in Kassel",
        "Meine Schuhgröße? 42",
        "Wer sagt, dass ich Sushi mag? Ich hasse es",
        "¿Te acuerdas de Rocío? Pues se casa en mayo",
        "¿Mi talla? La 42",
        "Tu connais Ute ? Elle habite à Kassel",
        "Est-ce que j'ai craqué ? Oui. Deux paires de baskets",
        "你认识小王吗？他搬到上海了",
        "我的鞋码？42",
        "Знаешь Уту? Она живёт в Касселе",
        "Chi dice che mi piace il sushi? Lo odio",
        "My boss? A total nightmare, 12 hour shifts now",
        "Mein Chef? Katastrophe, zwölf Stunden am Tag",
        "ウテさん知ってる？今カッセルに住んでるよ",
        "우테 알아? 지금 카셀에 살아",
    ],
)
def test_a_question_that_its_author_goes_on_to_answer_tells_something(told: str) -> None:
    assert act_of(told) is Act.NOTE


@pytest.mark.parametrize(
    "asked",
    [
        "Do you know Ute? I need her number",
        "Do you know the code? It's the one for the gym",
        "My shoe size? I'm buying boots",
        "My appointments? Thanks",
        "Is Leo vegan? Yes or no?",
        "How did the interview go",
        "Kennst du die PIN? Die vom Schließfach",
        "Meine Schuhgröße?",
        "¿Conoces la clave? La del portal",
        "你记得密码吗？他要用",
    ],
)
def test_a_question_that_nothing_answers_is_one(asked: str) -> None:
    assert act_of(asked) is Act.QUESTION


@pytest.mark.parametrize(
    "told",
    [
        "The vet wanted 90 euros, can you believe it?",
        "Leo got married, isn't that great?",
        "What can I say, I love cheese",
        "Honestly? I prefer the window seat",
        "Who knew I'm allergic to kiwi",
        "How I hate mondays",
        "Did you know I speak Catalan?",
        "Not sure if I told you but I'm left-handed",
        "Guess who's getting married. Ollie and Fern",
        "Der Tierarzt wollte 90 Euro, kannst du dir das vorstellen?",
        "Ist das zu fassen, der Zahnarzt will 340 Euro",
        "Was hab ich gelacht, Opa ist Fallschirm gesprungen",
        "Hätte ich das gewusst, naja, das Auto ist verkauft",
        "El veterinario me cobró 90 euros, ¿te lo puedes creer?",
        "Cómo odio el cilantro",
        "Le véto m'a pris 90 euros, tu te rends compte ?",
        "Qu'est-ce que je déteste les endives",
        "看兽医花了900，你敢信？",
        "哪像我，天天加班到十点",
        "Ветеринар взял 9000, представляешь?",
        "Chi l'avrebbe mai detto che finivo a vivere a Bari",
        "Quando ero piccola vivevamo a Lecce",
        "Quem diria que eu ia morar em Curitiba",
        "獣医に9000円取られた、信じられる？",
        "누가 알았겠어 내가 부산에서 살 줄",
        "مين كان يصدق اني رح اعيش في عمان",
        "किसने सोचा था कि मैं पुणे में रहूँगा",
        "Ποιος να το έλεγε ότι θα μένω στη Λάρισα",
        "ใครจะไปคิดว่าฉันแพ้กุ้ง",
        "The code of the shed is 4711.",
        "What was I thinking, bought a drum kit for 600",
        "Rate mal, wer schwanger ist. Die Sabine!",
        "Hat Oma doch tatsächlich ihr Hörgerät im Kühlschrank abgelegt",
        "Wieso hab ich mir bloß ein Schlagzeug gekauft, 600 Euro",
        "Cómo no voy a estar cansada si dormí 4 horas",
        "能不累吗，昨晚就睡了4小时",
        "什么日本啊，我去的是韩国",
    ],
)
def test_a_question_for_effect_asks_nothing(told: str) -> None:
    assert act_of(told) is Act.NOTE


@pytest.mark.parametrize(
    "asked",
    [
        "Flight's at 6:40, isn't it?",
        "Who knew about the party",
        "How do I love my eggs",
        "Did you know when Leo was born",
        "Der Flug geht um 6:40, oder?",
        "Hätte ich morgen Zeit",
        "Quando era la visita dal dentista",
        "你知道我住哪吗",
        "The dentist, was that the 12th or the 13th",
        "So it was 6:40 right",
        "size of my shoes",
        "A q hora salia el vuelo",
        "C koi deja le code de l'immeuble",
        "我住几栋",
        "Me fala o remédio que eu tomo",
    ],
)
def test_a_question_like_one_for_effect_is_still_one(asked: str) -> None:
    assert act_of(asked) is Act.QUESTION


@pytest.mark.parametrize("said", ["look up Julia", "search Anna", "show me Peter", "find Julia's number"])
def test_a_name_is_looked_up_without_a_question_word(said: str) -> None:
    assert act_of(said) is Act.QUESTION


@pytest.mark.parametrize(
    "said", ["find Peter a present", "Show Julia the new garden", "Look up flights for Anna on Friday"]
)
def test_an_errand_for_somebody_is_not_looked_up(said: str) -> None:
    assert act_of(said) is not Act.QUESTION


@pytest.mark.parametrize(
    "said",
    [
        "Cuando soy feliz canto mucho",
        "Cuando somos muchos pedimos pizza",
        "cuando comi alli me sento mal",
        "Donde comi ayer es muy caro",
    ],
)
def test_a_clause_of_when_or_where_is_no_question(said: str) -> None:
    assert act_of(said) is Act.NOTE


@pytest.mark.parametrize("said", ["donde cene ayer", "cuando hable con Ana", "con quien sali", "quien soy"])
def test_a_spanish_question_needs_no_accents(said: str) -> None:
    assert act_of(said) is Act.QUESTION


def test_a_word_that_names_a_thing_is_no_courtesy() -> None:
    assert [said for said in ("never mind", "lol", "👍", "stove", "friseur", "牙医") if not is_courtesy(said)] == [
        "stove", "friseur", "牙医",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["has hotel ashoka paid", "Arjun kaunsi class mein hai", "mummy kaunsi dawai leti hai"]
)
def test_a_question_in_lower_case_without_a_mark_asks(text: str) -> None:
    assert act_of(text) is Act.QUESTION


@pytest.mark.parametrize("text", ["Spielt Fußball im Verein", "isst vegan heute", "has two dogs called Rex"])
def test_a_statement_without_its_subject_is_noted(text: str) -> None:
    assert act_of(text) is Act.NOTE
