"""German: questions and orders."""

from __future__ import annotations

from memory.capture.cues import Cues
from memory.capture.german.parts import german

CUES = Cues(
    polite=german(
        """
        (bitte )?(kannst|könntest|würdest|magst|willst) du(?! \\w+$)( (bitte|mal|mir bitte|vielleicht|kurz|eben|auch|
            schnell))*
        würde es dir was ausmachen | sei so (gut|lieb|nett) und
        """
    ),
    keep=german(
        """
        (merk|notier)(e)?( (dir|bitte|mal|auch|noch))*( <folgendes>)?<dass>
        (dir )?(bitte |mal |auch )*(das |folgendes )?(bitte )?(zu )?(merken|notieren|aufschreiben|
            speichern)(?=[,:])<dass>
        (merkst|notierst) du dir( (bitte|mal|auch))*<dass>
        schreib(e)? (dir |bitte |mal |noch )*(<folgendes> )?(auf|mit)(?!\\w)<dass>
        speicher(e)? (bitte |mal |ab |<folgendes>)*<dass> | halt(e)? (bitte |mal )*(<folgendes> )?fest(?!\\w)<dass>
        (behalt(e)?|behalte) (bitte )?(im (hinter)?kopf)<dass>
        (vergiss|vergesse) (bitte )?nicht(?=[,:] ?| dass)<dass>(?! .{0,80} zu \\w+$)
        denk(e)? (bitte |immer )*(dran|daran)(?=[,:]? dass)<dass>
        (nur )?(zur|als) (info|information|kenntnis|erinnerung|notiz)<dass> | (kurze |neue )?notiz( an mich)? *[:–-]
        merke? *: | fürs protokoll *[:,]? | nur damit du'?s? (es )?weißt *[:,]?
        du (sollst|solltest|musst) (dir )?(wissen|merken|bedenken)<dass>
        (nimm|nehme) (bitte )?(auf|zur kenntnis)<dass> | fyi *[:,]? | gut zu wissen *: | (neuer )?fakt *:
        """,
        folgendes="(folgendes|das(?= *[:,–-])|dies(?= *[:,–-])|eine notiz)",
    ),
    keep_bare=german("speicher(e)? | nicht vergessen *: | merken *: | wichtig( zu wissen)? *:(?=$)"),
    kept=german(
        """
        (bitte )?(kannst du dir |könntest du dir )?(merk(e)?|notier(e)?|speicher(e)?)( <das>)*
        (bitte )?(das )?(bitte )?(merken|notieren|speichern|nicht vergessen|im kopf behalten)
        (bitte )?(kannst|könntest) du dir das (bitte )?(merken|notieren|aufschreiben) | (bitte )?schreib( <das>)* auf
        (bitte )?vergiss <das> nicht | (bitte )?behalt( <das>)* im kopf
        """,
        das="dir|das|es|bitte|mal|gut",
    ),
    look_up=german(
        """
        (sag(e)?|erzähl(e)?|zeig(e)?|verrat(e)?|nenn(e)?|gib|schick|lies)( <bitte>)* ?,? (?!was \\w+es$)(<wh>|ob|alles|
            von|vom|über)(?!\\w)
        (sag(e)?|erzähl(e)?|zeig(e)?|nenn(e)?|gib|schick|lies)( <bitte>)* mir( <bitte>)* (<mein>|<der>)(?! (witz|
            geschichte|zeitung)(?!\\w))
        (zeig(e)?|lies|nenn(e)?|list(e)?)( <bitte>)* (<mein>|die)
        (zeig(e)?|list(e)?|such(e)?|find(e)?)( <bitte>)* (alle )?<sachen>
        (<mein> )?<sachen>( (für|am|zu|zum|zur|über|von|vom) .{2,30}| (morgen|heute|nächste woche|
            diese woche))?( bitte)?$
        fass(e)? ... zusammen,? was | erinner(e)? mich( <bitte>)*,? (<wh>|ob)
        (<bitte> )*... (sagen|verraten|erzählen|nennen|zeigen|erklären),? (<wh>|ob)(?!\\w)
        (<bitte> )*(<mein>|<der>|alles) ... (sagen|nennen|raussuchen|heraussuchen|geben|zeigen|vorlesen|durchgeben|
            schicken|mitteilen|wiederholen|anzeigen|auflisten)$
        (<bitte> )*(schauen|gucken|sehen|prüfen|checken|finden),? (<wh>|ob) | (<mein>) ... (finden|suchen|vorlesen)$
        (ich )?(brauch|brauche|benötige)( <bitte>)* (<der>|<mein>) (\\S+ )?\\S*<ding>(?! (ist|war|nicht)(?!\\w))
        hilf mir( <bitte>)*,? (<wh>|ob) | hilf mir auf die sprünge
        ich (bräuchte|suche|hätte gern(e)?)( <bitte>)* (<der>|<mein>) (\\S+ )?\\S*<ding>
        (nochmal |<der> |<mein> |\\w+s )?\\S*<ding>( (von|vom|der|für|zum|zur)(?!.*(?<!\\w)(<steht>|\\w*(ge|ver|
            be)\\w+(t|en)$)(?!\\w)) [^,:\\d]{2,30})?( (nochmal|noch mal|bitte))*$
        mich( <bitte>)* erinnern,? (<wh>|ob) | (schlag|schau|guck|sieh)(e)? ... nach$ | dich ... (erinnern|entsinnen)
        (bitte )?(schau|guck|sieh|schlag|lies)( <bitte>)* (nach|in)(?!\\w)
        (<bitte> )*(nachschauen|nachsehen|nachgucken|nachschlagen|nachlesen|herausfinden|rausfinden)
        ... (nachschauen|nachsehen|nachgucken|nachschlagen)$
        (such|find)(e)?( <bitte>)* <der>(?! (job|arzt|weg)(?!\\w)) | gib( <bitte>)* (<mein>|<der>)
        lies( <bitte>)* vor,? <wh>
        ... (in|aus|unter) (meinen|den|deinen) (notizen|aufzeichnungen|erinnerungen) ... \\w+en$
        (<bitte> )*(etwas |was |mehr |alles )?(über|von|zu|zum|zur) ... (sagen|erzählen|verraten|berichten)$
        (such(e)?|find(e)?|list(e)?)( <bitte>)* (<mein>|<der> (<ding>|notiz|eintrag)|alle|alles|heraus|raus|auf|in|
            nach (<mein>|notizen|dem|der))(?!\\w)
        (weißt|kennst) du( <bitte>)* | erinnerst du dich
        hast du( dir)? (noch |schon |was |etwas )*(notiert|gespeichert|gemerkt|aufgeschrieben|zu|über|von|eine notiz|
            infos|<der>|<mein>)
        ich (weiß|wusste|erinnere mich)( <bitte>)* (nicht|nimmer)( mehr| genau| sicher| mehr genau)*,? ?(<wh>|ob|
            an)(?!\\w)(?! ich .{0,15}(tun|machen|sagen) soll)
        weiß( <bitte>| grad| gerade| leider| jetzt)* (nicht|nimmer)( mehr)?,? (<wh>|ob)
        ich (komm|komme)( gerade)? nicht (mehr )?(drauf|darauf|auf)
        (ich )?(hab|habe|hatte)( <bitte>| ganz| leider| total| schon| wieder| völlig)* vergessen,? (<wh>|ob)
        ich (hab|habe)( leider| ganz| schon wieder| total)* (<mein>|<der>|\\w+s) (\\S+ )?\\S*<ding>\\S* vergessen
        (ich )?vergesse immer(,? wh)? | (ich )?(frag|frage) mich( <bitte>| gerade| immer| oft)*,? (<wh>|ob)
        ich (wüsste|möchte|würde|will|muss|
            wollte)( <bitte>| gern| gerne| jetzt| unbedingt)*( wissen| fragen| erfahren)?( wissen)?,? (<wh>|ob)(?!\\w)
        (ich )?(kann|konnte) mich ... nicht ... erinnern | (mich|es) (würde|interessiert) ... (<wh>|ob)
        (ich )?(überlege|überleg)( <bitte>| gerade| grad| immer)*,? (<wh>|ob)
        (würde|wüsste|möchte) gern(e)?( wissen)?,? (<wh>|ob)
        (ich )?(hab|habe) ... nicht mehr (im kopf|parat|präsent),? (<wh>|ob)
        ich bin (mir )?(nicht|un)( mehr)?( ganz)? ?sicher,? (<wh>|ob)
        (ich )?(hab|habe)?( ?leider)? ?(keine|null|(irgend)?(eine|ne)) (ahnung|idee|plan|schimmer)( mehr)?,? (<wh>|ob)
        (idee|tipp|ahnung),? (<wh>|ob) | (ich )?hätte (gern|gerne) gewusst,? (<wh>|ob) | vergessen,? (<wh>|ob)
        mir (fällt|ist)( gerade| grad| nicht| mehr| der| name| das)* (nicht (mehr )?ein|entfallen)
        alles (über|zu|von|was du|was wir|was ich)(?!\\w) | (irgend)?was (weißt|weiß|wissen|hab|habe|haben|hatte|steht)
        gibt( es|'?s)( schon| noch| was| etwas| neues| irgend\\w+)* (zu|von|über|notizen|infos)
        """,
        steht="ist|sind|war|waren|lautet|hat|habe|hab|wird|kommt|steht|muss|liegt|gilt|passt",
    ),
    reminder=german(
        """
        erinner(e|st|t)? (mich|uns) | erinnerst du (mich|uns) | mich ... (zu )?erinnern
        (bitte )?(nicht vergessen|vergiss (bitte )?nicht|vergesst nicht|denk(e)? (bitte |auch |noch )*(dran|daran|an))
        to-?do *:? | aufgabe *: | einkaufsliste *:? | erinnerung *:? | setz(e)? ... auf die (\\w*liste)
        auf die (einkaufsliste|liste|to-?do-?liste) | schreib(e)? ... auf (die|meine) \\w*liste
        leg(e)? (mir )?eine erinnerung
        """
    ),
    errand=german(
        """
        (muss|müssen|sollte|will|darf nicht|möchte|werde|wollte) (noch|unbedingt|heute|morgen|dringend|nächste|bald|
            nachher|später|am|bis|nur|wieder|endlich|mal|dann)
        kauf(e)?(?! mir) | hol(e)?(?! mir) | ruf(e)?(?! (mir|uns)(?!\\w)) ... an | bezahl(e)? | zahl(e)? | gieß(e)?
        bring(e)?(?! (mir|mich|uns)(?!\\w)) | putz(e)? | kündig(e)? | erledig(e)? | besorg(e)?(?! mir) | meld(e)?
        melden
        """
    ),
    rule=german(
        """
        (immer|nie|niemals|grundsätzlich|generell) | ab (jetzt|sofort|heute|nun) | von (jetzt|nun|heute) an | künftig
        zukünftig | in zukunft | fortan | (nenn|nenne|duz|duze|siez|sieze) mich | mich ... (nennen|duzen|siezen)
        mein name ist | hör(e)? auf, ... zu \\w+ | du (sollst|darfst|kannst mich|musst)
        (antworte?|sprich|schreib(e)?|rede?|
            kommunizier(e)?)( mir| mit mir| bitte| immer| nur| mal| doch| in zukunft| ab jetzt| künftig)* (auf|in|
            deutsch|englisch|französisch|kurz|knapp|kürzer|ausführlich|immer|nur|formell|informell|ohne|weniger|mehr|
            höflich|einfach)(?! (einen|eine|ein|den|das)(?!\\w))
        ... (auf|in) (deutsch|englisch|französisch|spanisch|chinesisch)( \\w+)? (antworten|schreiben|reden|sprechen)
        (ruf|weck|stör|frag|schreib|erinner|schick|benutz|verwend|nutz|erwähn|sag|mach|sprich|wiederhol|gib|sprech)(e|
            st|t|s)?( mich| mir| bitte| dich)* (nie|niemals|nicht|kein|keine|keinen|immer|nur|ausschließlich|erst|
            bloß)(?!\\w)
        keine? \\w+ (vor|nach|am|im|beim|bei|in|mehr|verwenden|benutzen|nutzen) | halt(e)? dich kurz
        fass(e)? dich kurz | dich kurz fassen
        sei (bitte )?(immer |etwas |mehr |weniger )*(kurz|knapp|präzise|höflich|ehrlich|direkt|freundlich|kritisch|
            vorsichtig)
        (benutz(e)?|verwend(e)?|nutz(e)?) (bitte )?(immer|nur|metrisch|das|die|den|celsius|euro|weniger|mehr|
            \\w+zeichen|emojis|aufzählung\\w*)
        wechsel(e)? (zu|zum|auf|ins) (deutsch|deutsche|englisch|englische|sie|du)
        """
    ),
    request=german(
        """
        schreib(?! (ich|dir|morgen|heute)(?!\\w)) | schreibe (mir|bitte|ein|eine|einen|uns|das) | dichte | zeichne
        mal(e)? (mir|bitte|doch|ein|eine|einen|uns)(?!\\w) | sing(e)?(?! ich) | rappe? | übersetz(e)?
        fass(e)? ... zusammen | erklär(e)? | erfind(e)? | berechne | rechne | google (mal|bitte|nach)
        such(e)? (mir |uns )?(bitte )?(ein|eine|einen|im (internet|netz|web)|online|flüge|hotels|restaurants|günstige)
        spiel(e)? (mir|bitte|mal|ein|eine|etwas|musik|was|das lied)
        mach(e)? (mir|bitte|mal|das|die|den|ein|eine|einen|es|musik|weiter|was|schluss)(?!\\w)
        stell(e)? (mir |bitte |mal )*(den|einen|die|das) | schalt(e)? | öffne | schließ(e)? | dreh(e)?
        bestell(e)? (mir|bitte|uns|eine|einen|ein|mal)(?!\\w) | buch(e)? (mir|bitte|uns|eine|einen|ein)(?!\\w)
        reservier(e)? (mir|bitte|uns|einen|ein)
        (schick|sende|schicke|send)(e)? (mir ein|bitte|eine|einen|\\w+ (eine?n?|das|die|den)) | empfiehl | empfehle mir
        schlag(e)? (mir |uns |bitte )*(ein|was|etwas|mal|\\w+ vor) | hilf
        gib mir (ein|eine|einen|tipps|ideen|bitte ein\\w*|mal ein\\w*|\\d+|drei|fünf|zehn|rat|ratschläge)
        (erzähl|erzähle|sag|sage)( <bitte>)* (ein|eine|einen|was|etwas|was lustiges|'?nen)(?!\\w)(?! (über (<mein>|
            <der>)|ich|wir|du))
        bring(e)? mir | lies (mir )?(vor|eine|die) | les(e)? mir | programmier(e)? | reparier(e)?
        (generier|erstell|erzeug|gestalt)(e)? | entwirf | formulier(e)? | korrigier(e)? | verbesser(e)? | analysier(e)?
        verfass(e)? | kürz(e)? | überprüf(e)? | vergleich(e)? | zähl(e)? (bis|auf|mir) | weck(e)? mich | stopp?$
        hör auf | sei (still|leise|ruhig) | ruhe$ | halt (die|den) | unterhalt(e)? mich | überrasch(e)? mich
        tröste mich | kauf(e)? mir | hol(e)? mir | besorg(e)? mir | koch(e)? (mir|uns)
        lass uns ... (spielen|reden|quatschen|plaudern|singen) | bring mich zum | stell dir vor, du | tu so | rate mal
        buchstabier(e)? | wiederhol(e)? | zeig(e)? mir (ein|eine|einen|bilder|fotos|wie man)
        ich (brauche|hätte gern) (ein|eine|einen) (\\w+ )?(gedicht|übersetzung|zusammenfassung|rezept|witz|geschichte|
            rede|aufsatz|logo|bild|brief)(?!\\w)
        ich (will|möchte), dass du
        (definier|beschreib|sortier|konvertier|formatier|ergänz|lös|beantwort|würfel|poste?|install|aktualisier|
            stornier|simulier|druck|lad)(e)? (mir|bitte|mal|das|den|die|diese\\w*|eine?n?|folgende\\w*|alle)(?!\\w)
        (wirf|zieh) (mir |mal |bitte )?eine
        nenn(e)? (mir |bitte )*(ein|eine|einen|zwei|drei|vier|fünf|sechs|zehn|\\d+|einige|beispiele)(?!\\w)
        prüf(e)? (diesen|das|meinen|den) | plan(e)? (mir|uns|bitte|eine|einen) | organisier(e)? | starte | beende
        lösch(e)? (bitte )?(die|das|den|alle|diese\\w*) | mach mir | mach(e)? \\w+ (an|aus|auf|zu|lauter|leiser)
        tu mir (einen|den) gefallen
        \\w+(?<![tns]) (bitte|mal|doch)( <bitte>)* (?!(nur|nicht|nie|immer|erst|wieder|
            kein\\w*)(?!\\w))(?!.{0,200}\\wen$)\\w+
        \\w+(?<![tnse]) (mir|uns)( <bitte>)* (ein|eine|einen|etwas|was)(?!\\w)
        """
    ),
    no_question=german(
        """
        was (a|an|the|my|at|on|so|really|it|that|he|she|there) | was für ein
        wie (schön|schade|nett|lieb|süß|toll|cool|blöd|doof|ärgerlich|traurig|peinlich|geil|lustig|gut)(?! (ist|war|
            sind|hat|geht))
        wie (gesagt|immer|besprochen|vereinbart|versprochen|erwähnt|geplant|üblich|du|wir (wissen|besprochen))
        wer hätte | (wer|was|wo|wie) [^,:?]{3,60}(t|en|e), (ist|hat|wird|muss|darf|kann|soll|\\w+t)(?!\\w)
        was (ich|wir) ... (ist|war|sagen wollte|angeht|betrifft) | was (\\w+ )?(angeht|betrifft) | was solls?
        (wer|was|wo|wie|wann) auch immer | wo wir (schon|gerade)
        (<wh>) (man|ich|wir|mich|mir|uns|der|die|das|mein\\w*|unser\\w*|es|ein|eine) [^:,?]{1,80}[:,–] *(?!(bitte|
            nochmal|oder|und|weiß ich|hab ich|habe ich)(?!\\w))\\w+
        (hab|habe) (heute|gestern|morgen|am|um|gerade|noch|schon|den|das|die|eine?n?)(?!\\w)
        (war|hat|ist) (das|der|die|es|mir) [^?]*!$ | (war|ist|sind|hat|haben) (das|es) (nicht|schön|toll|super)
        (sollte|sollten|hätte|wäre|würde) [^,?]{3,60}, \\w+ | wird schon
        """
    ),
    question=german(
        """
        (auf|für|mit|von|zu|in|an|bei|aus|nach|um|ab|seit|bis|über|vor|unter|gegen|hinter|neben|ohne|wegen|pro|
            während) (<wh>)(?!\\w)
        <wh>(?!\\w) | ob (ich|wir|er|sie|es|man|<der>|<mein>)(?!...,)
        (hab|habe|bin|muss|brauche|kann|will|darf|soll|sollte|werde|weiß|könnte|müsste|hätte|würde|mach|mache|geh|gehe|
            komm|komme|fahre|kenn|kenne|dürfen|müssen|können|sollen|wollen|werden|haben|sind|hatten|waren|hatte|muss|
            kann) (denn |nun |jetzt )?(ich|wir|du|er|sie|ihr|man|es)(?!\\w)
        (?!<kein_verb>(?!\\w))\\w+(t|te|en|ten|st|e) (denn |nun |jetzt |eigentlich )?(ich|du|er|wir|ihr|man)
        (?!<kein_verb>(?!\\w))\\w+t (denn |nun |jetzt |eigentlich )?(der|die|das|<mein>|ein|eine|sie|es|jemand|
            <name>)(?!...!$)
        (ist|war|hat|hatte|mag|kann|muss|wird|soll|darf) (<name>)
        (wohnt|arbeitet|kommt|spricht|lebt|heiratet|fährt|nimmt|verträgt) (?!<umstand>(?!\\w))\\w+ \\w+
        ist (?!<umstand>(?!\\w))[^\\W\\d]+ \\w+ | ist (heute|morgen|übermorgen|am \\w+) (?!<umstand>(?!\\w))\\w{4,}$
        hat (?!<umstand>(?!\\w))(?!(spaß|zeit|lust|geburtstag|urlaub|angst|recht|glück|pech|
            frei)(?!\\w))[^\\W\\d]+ \\w+
        sind [^\\W\\d]+ (erlaubt|verboten|dabei|okay|noch|schon|eigentlich|im|in|auf|drin|vegan|
            vegetarisch)(?!.* an\\w+$)
        \\w+t (noch |schon |auch )jemand | (?!<kein_verb>(?!\\w))\\w+t (da|dort|hier|dazu)(?! (oben|unten|drüben)) \\w+
        (ist|hat|war|hatte) (?!<umstand>(?!\\w))\\w+ (noch|schon|eigentlich|jemals|wieder|immer noch)
        (steht|ist|gibt|gibt's|läuft|findet|passiert) (am|im|heute|morgen|übermorgen|nächste\\w*|diese\\w*) ... (was|
            etwas|los|an|frei|statt)
        (hat|haben|hatte|ist|wird) (sich|dir|mir|uns) (<subject>|<name>)
        (war|gab|gibt) (es |da )?(nicht )?(mal |da )?(was|etwas)
        (hast|bist|warst|kannst|weißt|musst|hattest|magst|kennst|willst|darfst|sollst|findest|meinst|denkst|glaubst|
            brauchst|machst|gehst|kommst|könntest|hättest|würdest) (du|ich)(?!\\w)
        (ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|wurde|gibt|gab|heißt|geht|kommt|kam|steht|stand|liegt|
            lag|kostet|wohnt|wohnte|fährt|macht|braucht|beginnt|fängt|findet|läuft|stimmt|gilt|gehört|passt|mag|isst|
            trinkt|arbeitet|spricht|schließt|öffnet|lebt|funktioniert) (denn |nun |jetzt |eigentlich |
            nicht )?(<subject>)(?!\\w)(?! (ganze|ganzen|letzte|letzten|gut|schön|zu teuer|egal)(?!\\w))
        """,
        kein_verb="""
            mit | seit | statt | samt | selbst | fast | jetzt | erst | nicht | sonst | oft | dort | heut | zuletzt
            zuerst | laut | meist | weit | fest | damit | nebst | zunächst | längst | einst | insgesamt | gespannt
            bekannt | gut | direkt | recht | zeit | seht | wenn | weil | dass | falls | bevor | sobald | solange
            soweit | während | nachdem | indem | obwohl | trotzdem | wegen | ohne | bitte | danke | neben | gegen
            zwischen | heute | gestern | morgen | gerade | seitdem | sofern | nachts | überhaupt | bereits
            vielleicht""",
        umstand="""
            morgen | heute | gestern | jetzt | gleich | später | bald | immer | nie | nicht | auch | noch | schon
            sehr | gut | gern | in | im | am | an | bei | beim | um | aus | von | vom | zu | zum | zur | nach
            mit | für | ab | bis | mir | mich | uns | dir | sich | auf | über | seit | ohne | kein\\w* | neue\\w*
            viel\\w* | ja | doch | super | toll | so | leider | kaputt | krank | weg | da | egal | halt | eben
            echt | wirklich | zu | ganz | total | verdammt | ziemlich | gerade | schön | nett | teuer | angekommen
            schade | fertig | ihm | ihr | etwas | was | zwei | drei | nur | wieder | alles | nichts""",
    ),
    asks=german(
        """
        (<wh>) (<ist>)( <bitte>| denn)* (<subject>) | welche[rsnm]? \\w+ (<ist>)( <bitte>| denn)* (<subject>)
        (<wh>) (<ist>) ... (nochmal|noch mal|noch einmal|noch gleich|gleich nochmal|doch gleich)(?!\\w)
        ^(?!.{0,60}(?<!\\w)(ich|wir|er|es|sie|man|du|morgen|heute)(?!\\w)).{2,50} (nochmal|noch mal|noch gleich|
            doch gleich)( bitte)?$
        (ist|sind) mir( \\w+)? entfallen$ | fällt mir( \\w+)? nicht( mehr)? ein$
        ^<wh> .{2,60}, (weiß ich|hab ich|habe ich)( \\w+)? (nicht( mehr)?|vergessen)$
        (war|ist) (nochmal |noch gleich )?(wie|wann|wo|was|wer)( nochmal)?$ | weiß (jemand|wer|einer) | oder nicht$
        weißt du (noch|zufällig|vielleicht)
        """
    ),
    tag=german("(ok(ay)?|ja|bitte|einverstanden|in ordnung|gut|machst du das|abgemacht)$"),
    clause=german("<wh> | ob"),
)
