"""Question words by language."""

from __future__ import annotations

QUESTION_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "what when where which who whom whose why how",
        "de": "was wann wo woher wohin wer wem wen wessen warum weshalb wieso wie welche welchem welchen welcher "
        "welches womit wofür wozu worüber woran worauf wovon wieviel",
        "fr": "qui que quoi quand où comment pourquoi combien quel quelle quels quelles lequel laquelle",
        "es": "qué quién quiénes cuándo dónde adónde cómo cuál cuáles cuánto cuánta cuántos cuántas",
        "it": "chi cosa quando dove come perché perchè quale quali quanto quanta quanti quante",
        "pt": "quem quê quando onde como porquê qual quais quanto quanta quantos quantas",
        "nl": "wie wat wanneer waar waarom hoe welk welke waarmee waarvan hoeveel",
        "ru": "кто кого кому кем что чего чему чем когда где куда откуда почему зачем как какой какая какое какие "
        "сколько чей чья чьё",
        "uk": "хто кого кому що чого коли де куди звідки чому як який яка яке які скільки чий",
        "pl": "kto kogo komu co czego kiedy gdzie dokąd skąd dlaczego czemu jak jaki jaka jakie który która które ile",
        "cs": "kdo koho komu co kdy kde kam odkud proč jak jaký jaká jaké který která které kolik",
        "sv": "vem vems vad när var vart varför hur vilken vilket vilka",
        "da": "hvem hvis hvad hvornår hvor hvorfor hvordan hvilken hvilket hvilke",
        "no": "hvem hva når hvor hvorfor hvordan hvilken hvilket hvilke",
        "fi": "kuka kenen ketä mikä mitä missä mistä mihin milloin miksi miten kuinka",
        "hu": "ki kit kinek mi mit mikor hol hova honnan miért hogyan melyik mennyi hány",
        "ro": "cine cui ce când unde cum care cât câtă câți câte",
        "tr": "kim kimi kime kimin ne neden niçin niye nasıl nerede nereye nereden hangi kaç",
        "el": "ποιος ποια ποιο τι πότε πού γιατί πώς πόσο",
        "ar": "من ما ماذا متى أين اين لماذا كيف كم أي هل",
        "fa": "چه کی کجا چرا چگونه چطور کدام چند آیا",
        "he": "מי מה מתי איפה לאן למה מדוע איך כמה איזה האם",
        "hi": "कौन किसने किसको क्या कब कहाँ कहां क्यों कैसे कितना कितने कौनसा",
        "id": "siapa apa kapan dimana mana mengapa kenapa bagaimana berapa",
        "vi": "ai gì nào đâu sao",
    }.items()
}
"""Words that open or make a question; Chinese, Japanese, Korean and Thai have theirs in `particles.PHRASES`."""
