"""German: the parts that phrases are made of."""

from __future__ import annotations

from memory.capture.names.lexicon import GIVEN_NAMES
from memory.capture.phrases import Pattern, phrases

PARTS = {
    "wh": """
        wer | wen | wat | wem | wessen | was | wann | wo | wohin | woher | wie | wieso | weshalb | warum | wozu
        wieviele? | wielange | wieoft | (am |der |den )?wievielte[rnsm]? | worin | wovor | worunter
        welche?[rsnm]? | womit | wofür | woran | worüber | wovon | worauf | wonach | worum | wogegen | wodurch
        wobei""",
    "ich": "ich | du | er | sie | es | wir | ihr | man",
    "mein": "(mein|dein|sein|ihr|unser|euer|eur)(e|en|em|er|es)?",
    "der": "der | die | das | den | dem | des",
    "subject": "<ich> | <der> | <mein> | ein | eine | einen | jemand | irgend\\w+ | dies\\w+ | es | da | hier",
    "ist": """
        ist | sind | war | waren | bin | bist | warst | hat | haben | hab | habe | hast | hatte | hatten | hattest
        wird | wird | werden | wurde | kann | kannst | können | könnte | muss | musst | müssen | soll | sollte
        sollen | darf | dürfen | will | wollte | wollten | mag | möchte | gibt | gab | heißt | hieß | geht | ging
        kommt | kam | steht | stand | liegt | lag | kostet | wohnt | fährt | macht | braucht | beginnt | fängt
        findet | mach | komm | brauche""",
    "bitte": """
        bitte | mal | doch | kurz | nochmal | noch mal | noch einmal | eben | schnell | noch | auch | mir | uns
        schon""",
    "dass": "\\s*[,:–-]?( dass| daß)?",
    "tag": "(mon|diens|donners|frei|sams|sonn)tag(s|abend|früh|morgen)? | mittwoch(s|abend|früh)?",
    "zeit": """
        morgen | übermorgen | heute | später | (am |bis |vor |ab |nächsten |kommenden )*(<tag>)
        (um|gegen|ab|bis|vor) \\d.{0,8} | (nächste|kommende|diese)[nrs]? (woche|monat|wochenende|jahr)
        in \\w+ (minuten?|stunden?|tagen?|wochen?)""",
    "gut": """
        gut | super | toll | klasse | prima | schön | nett | lieb | lustig | witzig | cool | genial | großartig
        perfekt | freundlich | hervorragend | ausgezeichnet | wunderschön | wunderbar | spitze | okay | ok
        richtig | falsch | wahr | schlecht | blöd | doof | schade | traurig | stark | krass | interessant
        hilfreich | nützlich | fein | klar | verrückt | komisch | mega | hammer | geil | klug | schlau | süß
        furchtbar | schrecklich | schlimm | herrlich | kalt | heiß | warm | kühl | sonnig | der hammer | die beste
        der beste""",
    "sehr": """
        so | sehr | echt | wirklich | ja | aber | ganz | total | richtig | voll | wie | ziemlich | zu | doch
        auch | nicht""",
    "wetter": "wetter | tag | abend | morgen | sache | idee | frage | antwort | arbeit | witz | job | leistung",
    "end": "<stop> | (?= und (bis|gute|guten|schöne|schönen|danke|schlaf|tschüss|süße|träum|viel|liebe|mach)(?!\\w))",
    "sachen": """
        infos? | details | informationen | neuigkeiten | (letzter )?stand( der dinge)? | termine | notizen
        einträge | aufgaben | erinnerungen | pläne | geburtstage | listen?""",
    "viel": "(sehr|vielmals|schön|dir|euch|ihnen|nochmals?|auch|im voraus|von herzen|trotzdem|gleichfalls)",
    "prep": """
        auf | für | mit | von | zu | in | an | bei | aus | nach | um | ab | seit | bis | über | vor | unter
        gegen | hinter | neben | ohne | wegen | pro | während""",
    "kein_verb": """
        mit | seit | statt | samt | selbst | fast | jetzt | erst | nicht | sonst | oft | dort | heut | zuletzt
        zuerst | laut | meist | weit | fest | damit | nebst | zunächst | längst | einst | insgesamt | gespannt
        bekannt | gut | antworte | gute | beste | leute | direkt | recht | zeit | seht | wenn | weil | dass
        falls | bevor | sobald | solange | soweit | während | nachdem | indem | obwohl | trotzdem | wegen | ohne
        bitte | danke | neben | gegen | zwischen | heute | gestern | morgen | gerade | seitdem | sofern | nachts
        überhaupt | bereits | vielleicht""",
    "meinen": "hoffe | glaube? | denke? | meine | finde | schätze | wette | dachte | vermute | fürchte | merke",
    "grund": "(für|dass) [^,.!?;]{1,60}<stop>",
    "gelobt": "(gemacht|gesagt|zu hören|zu wissen|erklärt|idee|sache|arbeit|von dir|geworden)",
    "name": " | ".join(sorted(map(str.lower, GIVEN_NAMES))) + " | dr\\.? | oma | opa | mama | papa | herr | frau",
    "ding": """
        passwort | kennwort | pin | code | name | namen | adresse | nummer | datum | geburtstag | termin | uhrzeit
        iban | kennzeichen | blutgruppe | rezept | mail | titel | zugangscode | geheimzahl | größe""",
}


_TYPED = str.maketrans({"ä": "(ä|ae)", "ö": "(ö|oe)", "ü": "(ü|ue)", "ß": "(ß|ss)"})


def german(block: str, /, **own: str) -> Pattern:
    """German phrases, made of the parts above and of some of their own; also as typed without umlauts and ß."""
    parts = {name: part.translate(_TYPED) for name, part in (PARTS | own).items()}
    return phrases(block.translate(_TYPED), parts)
