"""German: questions, with and without a question mark."""

from __future__ import annotations

from memory.capture.cues import Questions
from memory.capture.german.parts import german

QUESTIONS = Questions(
    look_up=german(
        """
        (sag(e)?|erzähl(e)?|zeig(e)?|verrat(e)?|nenn(e)?|gib|schick|lies)( <bitte>)* ?,? (?!was \\w+es$)(<wh>|ob|alles|
            von|vom|über)(?!\\w)
        (sag(e)?|erzähl(e)?|zeig(e)?|nenn(e)?|gib|schick|lies)( <bitte>)* mir( <bitte>)* (<mein>|<der>)(?! (witz|
            geschichte|zeitung|wetter|nachrichten|news)(?!\\w))
        (such|suche|suche nach) *: *\\w+ | such \\S*notiz\\w*
        du weißt (doch )?(sicher|noch|bestimmt)( \\w+)*,? (<wh>|ob)
        du hast dir ... (gemerkt|notiert|aufgeschrieben),? (<wh>|ob)
        noch (was|etwas) (offen|zu tun|übrig|frei)(?!.*:)
        (zeig(e)?|lies|nenn(e)?|list(e)?)( <bitte>)* (<mein>|die)(?! (nachrichten|news|zeitung|uhrzeit)(?!\\w))
        (zeig(e)?|list(e)?|such(e)?|find(e)?)( <bitte>)* (alle )?<sachen>
        (<mein> )?(<sachen>|einkaufsliste)(?!.*(?<!\\w)(<steht>|fallen|werden|kommen|liegen|stehen|folgen|
            haben)(?!\\w))( (für|am|zu|zum|zur|über|von|vom|bei|beim|der) [^:]{2,40}| (morgen|heute|nächste woche|
            diese woche))?( bitte)?$
        fass(e)? ... zusammen,? was | (schau|guck|sieh|check|prüf|überprüf)(e)?( <bitte>)*( nach)?,? (<wh>|ob)
        fällt dir( <bitte>)* ein | mir helfen,? mich
        hol(e)? mir( <bitte>)* (<der>|<mein>) (notiz\\w*|eintrag|<sachen>|\\S*<ding>)
        erinner(e)? mich( <bitte>)*,? (<wh>|ob) | erinner(e)? mich ((kurz|bitte) )?(nochmal|noch mal|noch einmal) an
        gib mir( <bitte>)* (eine?n? )?(überblick|update|zusammenfassung|liste|übersicht) | bring mich ... stand
        (kannste|weißte|haste|kennste)(?!\\w) | fass(e)? (mir |bitte )*(meine?n?|unsere?n?|alles?) ... zusammen
        zähl(e)? (mir |mal |bitte )*(auf,? <wh>|alle|meine) | schreib(e)? mir( <bitte>)* (auf|zusammen),? <wh>
        (mach|erstell|schreib)(e)? (mir )?(eine )?(liste|übersicht|zusammenfassung) (aller|meiner|von allem|mit allem|
            über alles)
        (steht|läuft|liegt|passiert|ist) (was|etwas|irgendwas) (an|los|im|in|am|auf)
        (<mein>|<der>|alles) ... (nennen|raussuchen|heraussuchen|durchgeben|auflisten)$
        (mir|uns)( <bitte>)* (<mein>|<der>|alles) ... (sagen|nennen|raussuchen|heraussuchen|geben|zeigen|vorlesen|
            durchgeben|schicken|mitteilen|wiederholen|anzeigen|auflisten)$
        (<mein>) ... (finden|suchen|vorlesen)$
        (ich )?(brauch|brauche|benötige)( <bitte>)* (<der>|<mein>) (\\S+ )?\\S*<ding>(?! (ist|war|
            nicht)(?!\\w))(?!.* (bis|morgen|heute|am|um|ab)(?!\\w))
        hilf mir( <bitte>)*,? (<wh>|ob) | hilf mir auf die sprünge
        ich (bräuchte|such|suche|hätte gern(e)?)( <bitte>)* (<der>|<mein>) (\\S+ )?\\S*<ding> | <mein> \\w+$
        (nochmal )?(<der> |<mein> |\\w+s )\\S*<ding>( (nochmal|noch mal|bitte))*$
        \\S*(passwort|kennwort|pin|nummer|adresse)$
        (nochmal )?(<der> |<mein> |\\w+s )?\\S*<ding>(?!.*(?<!\\w)(am|um|ist|heute|morgen|\\w+tag)(?!\\w))( (von|vom|
            der|für|zum|zur)(?!.*(?<!\\w)(<steht>|\\w*(ge|ver|be)\\w+(t|en)$)(?!\\w)) [^,:\\d]{2,30})?( (nochmal|
            noch mal|bitte))*$
        mich( <bitte>)* erinnern,? (<wh>|ob) | (schlag|schau|guck|sieh)(e)? ... nach$ | dich ... (erinnern|entsinnen)
        (bitte )?(schau|guck|sieh|schlag|lies)( <bitte>)* (nach|in)(?!\\w)
        (?!<selbst>(?!\\w))... (nachschauen|nachsehen|nachgucken|nachschlagen)$
        such(e)?( <bitte>)* <der>(?! (job|arzt|weg)(?!\\w)) | gib( <bitte>)* (<mein>|<der>) \\S*<ding>
        lies( <bitte>)* vor,? <wh>
        ... (in|aus|unter) (meinen|den|deinen) (notizen|aufzeichnungen|erinnerungen) ... \\w+en$
        (mir|uns) ... (über|von|zu|zum|zur) ... (sagen|erzählen|verraten|berichten)$
        (such(e)?|find(e)?|list(e)?)( <bitte>)* (<mein>|<der> (<ding>|notiz|eintrag)|alle|alles|heraus|raus|auf|in|
            nach (<mein>|notizen|dem|der))(?!\\w)
        (weißt|kennst) du( <bitte>)* | erinnerst du dich
        hast du( dir)? (noch |schon |was |etwas )*(notiert|gespeichert|gemerkt|aufgeschrieben|zu|über|von|eine notiz|
            infos|<der>|<mein>)
        ich (weiß|wusste|erinnere mich)( <bitte>)* (nicht|nimmer)( mehr| genau| sicher| mehr genau)*,? ?(<wh>|ob|
            an)(?!\\w)(?! (ich|wir)(?!.*(habe?|hatten?|war(en)?|bin|sind|haben|heiße?n?|wohne?n?)$)(?!\\w))
        weiß( <bitte>| grad| gerade| leider| jetzt)* (nicht|nimmer)( mehr)?(?!<erledigt>(?!\\w)),? (<wh>|ob)
        (sagen|zeigen|nennen|geben|suchen|erinnern|verraten) sie( <bitte>)*,? (<wh>|ob|alles|<mein>|
            mir ... (<wh>|<mein>|\\S*<ding>))
        (könnten|können|würden) sie ...(sagen|zeigen|nennen|heraussuchen|raussuchen|nachsehen)
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
        ich bin (mir )?(nicht|un)( mehr)?( ganz)? ?sicher,? (<wh>|ob)(?! (ich|wir)(?!.*(habe?|hatten?|war(en)?|bin|
            sind|haben)$)(?!\\w))
        (ich )?(hab|habe)?( ?leider)? ?(keine|null) (ahnung|idee|plan|schimmer)( mehr)?(?!<erledigt>(?!\\w)),? (<wh>|ob)
        (irgend)?(eine|ne) (ahnung|idee),? (<wh>|ob) | (idee|tipp|ahnung),? (<wh>|ob)
        (ich )?hätte (gern|gerne) gewusst,? (<wh>|ob) | vergessen,? (<wh>|ob)
        mir fällt [^.?]{0,40}nicht (mehr )?ein | mir ist ... entfallen
        alles (über|was du|was wir|was ich)(?!\\w)
        alles (zu|zum|zur|von|vom) (?!(teuer|viel|spät|voll|laut|vorne)(?!\\w))
        (irgend)?was (weißt|weiß|wissen|hab|habe|haben|hatte|steht)
        gibt( es|'?s)( schon| noch| was| etwas| neues| irgend\\w+)* (zu|von|über|notizen|infos)
        ich (komm|komme)( \\w+){0,3} nicht (mehr )?(drauf|darauf|auf)
        (mir )?(will|mag|möchte)( mir)?( \\w+){0,3} nicht (mehr )?einfallen
        mir fällt [^.?]{0,60}nicht (mehr )?ein
        (ich )?(hab|habe)( \\w+){0,2} (verschwitzt|verpeilt|verdrängt),? (<wh>|ob)
        (ich )?(krieg|kriege|bekomm|bekomme|bring|bringe)( \\w+){0,3} nicht (mehr )?(zusammen|hin),? (<wh>|ob)
        (ich )?(hab|habe)( \\w+){0,2} (ein(en)? )?(blackout|brett vorm kopf),? (<wh>|ob|bei)
        (gib|sag|zeig|nenn|such|hol)(e)?( ma)?( <bitte>)* (<der>|<mein>|\\w+s) (\\S+ ){0,2}\\S*<ding>
        (sag|zeig|gib|such|verrat|erzähl)(e)? ma(?!\\w)( <bitte>)* (<wh>|ob|<mein>|<der>|alles|alle)
        (kram|such|hol|grab|wühl|krame?|fisch)(e)?( <bitte>)* (raus|heraus|vor|hervor|zusammen),? (<wh>|ob|alles|
            <mein>|<der>)
        (zeig|list|such|find|gib|nenn)(e)?( <bitte>)* (mir )?(alles|alle|sämtliche)
        (alle|alles|sämtliche) ... (auflisten|anzeigen|zeigen|raussuchen|heraussuchen|vorlesen|nennen|suchen|finden)$
        """,
        selbst="ich | wir | muss | müssen | will | sollte | noch | werde",
        erledigt="""
            ,? ...[,;:–-] (jedenfalls|aber|egal|hauptsache|immerhin|zum glück|auf jeden fall) (?!(weißt|wo|wann|wer|
                wie))\\w+""",
        steht="ist|sind|war|waren|lautet|hat|habe|hab|wird|kommt|steht|muss|liegt|gilt|passt",
    ),
    no_question=german(
        """
        (puh|uff|boah|mann|oh mann|wow|krass|mensch|herrje|meine güte|gott|oh gott),? (war|ist|hab|habe|bin|hat|sind|
            waren) \\w+
        <wh> [^?]{3,80}, weiß ich (jetzt|inzwischen|nun|endlich|mittlerweile|schon|ja|längst|wieder)
        bin ich (<sehr> )*(froh|müde|fertig|satt|stolz|glücklich|sauer|gespannt|kaputt|erleichtert|platt|aufgeregt|
            <gut>)
        (war|ist) (das|der|die|es) (aber|vielleicht|ja|echt|mal|ein(e)? (tag|woche|stress|chaos|aufregung|freude))
        wie wär('?s|e es| es) mit (einem|einer) (witz|gedicht|lied|spiel|geschichte)
        wenn (ich|mich|jemand|einer) ... (frage|fragt), | was (a|the|my|at|on|really|it|that|he|she|there)
        was für eine?n? \\w+( \\w+)?(?=,|$)
        wie (schön|schade|nett|lieb|süß|toll|cool|blöd|doof|ärgerlich|traurig|peinlich|geil|lustig|gut)(?=$|,| (dass|
            von|du)(?!\\w))
        wie (gesagt|immer|besprochen|vereinbart|versprochen|erwähnt|geplant|üblich|du|wir (wissen|besprochen))
        wer hätte | (wer|was|wo|wie) [^,:?]{3,60}(t|en|e), (ist|hat|wird|muss|darf|kann|soll|(?!weißt)\\w+t)(?!\\w)
        was (ich|wir) ... (ist|war|sagen wollte|angeht|betrifft) | was (\\w+ )?(angeht|betrifft) | was solls?
        (wer|was|wo|wie|wann|warum|wieso|wohin) auch immer | wo wir (schon|gerade)
        wie (viel|oft|lange|groß|alt|schwer|schnell|weit) (man|ich|wir|er|sie|der|die|das|<mein>) [^:?]{1,60}: *\\w+
        was soll ich sagen
        (<prep> )?(welche[rsnm]? \\w+|wem|wen) (man|ich|wir|er|sie|der|die|das|<mein>) [^:?]{1,60}: *\\w+
        was (neues|gutes|tolles|schönes|lustiges) [^:]{0,40}: *\\w+
        (<wh>) (er|sie|ihr|<name>|man|ich|wir|mich|mir|uns|der|die|das|mein\\w*|unser\\w*|es|ein|
            eine) [^:,?]{1,80}[:,–] *(?!(bitte|nochmal|oder|und|weiß ich|hab ich|habe ich|weißt|erinnerst|kannst|
            sag)(?!\\w))\\w+
        (hab|habe) (heute|gestern|morgen|am|um|gerade|noch|schon|den|das|die|eine?n?)(?!\\w)
        (war|hat|ist) (das|der|die|es|mir) [^?]*!$ | (war|ist|sind|hat|haben) (das|es) (schön|toll|super)
        (sollte|sollten|hätte|wäre|würde) [^,?]{3,60}, \\w+ | wird schon
        """
    ),
    question=german(
        """
        <prep> (<wh>)(?!\\w) | <wh>(?!\\w) | ob (ich|wir|er|sie|es|man|<der>|<mein>)(?!...,)
        (hab|habe|bin|muss|brauche|kann|will|darf|soll|sollte|werde|weiß|könnte|müsste|hätte|würde|mach|mache|geh|gehe|
            komm|komme|fahre|kenn|kenne|dürfen|müssen|können|sollen|wollen|werden|haben|sind|hatten|waren|hatte|muss|
            kann) (denn |nun |jetzt )?(ich|wir|du|er|sie|ihr|man|es)(?!\\w)
        (?!(<kein_verb>|<meinen>)(?!\\w))\\w+(t|te|en|ten|st|e) (denn |nun |jetzt |eigentlich )?(ich|du|er|wir|ihr|man)
        (?!(<kein_verb>|<meinen>)(?!\\w))\\w+t (denn |nun |jetzt |eigentlich )?(der|die|das|<mein>|ein|eine|sie|es|
            jemand|<name>)(?!...!$)
        (ist|war|mag|kann|muss|wird|soll|darf) (<name>) | (?!(<kein_verb>|<meinen>)(?!\\w))\\w+te (<name>)
        (wohnt|arbeitet|kommt|spricht|lebt|heiratet|fährt|nimmt|verträgt) (?!<umstand>(?!\\w))\\w+ \\w+
        ist (?!<umstand>(?!\\w))[^\\W\\d]+ (okay|ok|erlaubt|giftig|gesund|vegan|offen|frei|fertig|da|zu|nötig|gut|
            schlecht|drin)
        ist (heute|morgen|übermorgen|am \\w+) (?!<umstand>(?!\\w))(?!\\w*(ge|ver|be|um|ab)\\w+(t|en)(?!\\w))\\w{4,}$
        hat (tante|onkel|<name>) \\w+
        sind (?!(<umstand>|alle|beide|schon|noch|wieder)(?!\\w))[^\\W\\d]+ (erlaubt|verboten|dabei|okay|noch|schon|
            eigentlich|im|in|auf|drin|vegan|vegetarisch)(?!.* an\\w+$)
        (mag|kann|will|soll|darf|muss|isst|trinkt|hat|ist|war|wird|braucht|kommt|wohnt|arbeitet|heißt|fährt|
            spielt) (?!<umstand>(?!\\w))\\w+ (eigentlich|denn|überhaupt)
        gibt'?s (noch |schon |was |etwas |heute |morgen )+\\w+
        \\w+t (noch |da |schon |auch )+(was|etwas|irgend\\w+)( \\w+)?$
        (hieß|kam|ging|lag|stand|fuhr|rief|gab|nahm|trug|sah|blieb|hielt|aß|trank) (er|sie|es|ich|wir|<name>)
        \\w+t (noch |schon |auch )jemand | gehört (da|dort|hier|dazu) \\w+
        (ist|hat|war|hatte) (?!<umstand>(?!\\w))\\w+ (noch|schon|eigentlich|jemals|wieder|immer noch)
        (steht|ist|gibt|gibt's|läuft|findet|passiert) (am|im|heute|morgen|übermorgen|nächste\\w*|diese\\w*) ... (was|
            etwas|los|an|frei|statt)(?!,)
        (muss|soll|kann|darf|wird) (heute|morgen|noch|eigentlich|am \\w+) (der|jemand|<name>)
        (hat|haben|hatte|ist|wird) (sich|dir|mir|uns) (<subject>|<name>)
        (war|gab|gibt) (es |da )?(nicht )?(mal |da )?(was|etwas)
        (hast|bist|warst|kannst|weißt|musst|hattest|magst|kennst|willst|darfst|sollst|findest|meinst|denkst|glaubst|
            brauchst|machst|gehst|kommst|könntest|hättest|würdest) (du|ich)(?!\\w)
        (ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|wurde|gibt|gab|heißt|geht|kommt|kam|steht|liegt|kostet|
            wohnt|wohnte|fährt|macht|braucht|beginnt|fängt|findet|läuft|stimmt|gilt|gehört|passt|mag|isst|trinkt|
            arbeitet|spricht|schließt|öffnet|lebt|funktioniert) (denn |nun |jetzt |eigentlich |
            nicht )?(<subject>)(?!\\w)(?! (ganze|ganzen|letzte|letzten|gut|schön|zu teuer|egal)(?!\\w))
        (weche[rsnm]?|welchs|welsche[rsnm]?|wecher|wan|wiviel|wievil|wofon|wiso|wilange)(?!\\w)
        (in|mit|auf|zu|von|bei|aus|an) (welche[rsnm]?|wechem?)(?!\\w)
        """,
        umstand="""
            morgen | heute | gestern | jetzt | gleich | später | bald | immer | nie | nicht | auch | noch | schon
            sehr | gut | gern | in | im | am | an | bei | beim | um | aus | von | vom | zu | zum | zur | nach
            mit | für | ab | bis | mir | mich | uns | dir | sich | auf | über | seit | ohne | kein\\w* | neue\\w*
            viel\\w* | ja | doch | super | toll | so | leider | kaputt | krank | weg | da | egal | halt | eben
            echt | wirklich | zu | ganz | total | verdammt | ziemlich | gerade | dort | hier | als | schön | nett
            teuer | angekommen | schade | fertig | ihm | ihr | etwas | was | endlich | nur | sogar | wohl | zwei
            drei | nur | wieder | alles | nichts""",
    ),
    asks=german(
        """
        <wh> (?!<kein_verb>(?!\\w))\\w+(e|st|t|en|te|ten) (ich|du|er|sie|wir|ihr|man|es)
        (<wh>) (<ist>)( <bitte>| denn)* (<subject>|<name>) | (?<=[,:–—-]) ((und|aber|also) )?<wh> <ist> \\w+
        ((und )?weiß ich( <bitte>)* nicht( mehr)?|und weiß( <bitte>)* nicht( mehr)?|(ich|und) (hab|
            habe) ... (vergessen|keine ahnung( mehr)?)|frage? mich),? (<wh>|ob) (?!ich .{0,15}soll)\\w+
        (<ist>) (wann|wo|wem|wen|woher|wohin)(?!\\w) | welche[rsnm]? \\w+ (<ist>)( <bitte>| denn)* (<subject>)
        (<wh>) (<ist>) ... (nochmal|noch mal|noch einmal|noch gleich|gleich nochmal|doch gleich)(?!\\w)
        ^(?!.{0,60}(?<!\\w)(ich|wir|er|es|sie|man|du|morgen|heute)(?!\\w)).{2,50} (nochmal|noch mal|noch gleich|
            doch gleich)( bitte)?$
        (?<=,) (oder|stimmt das|stimmt'?s|nicht wahr|richtig|oder nicht)$ | (ist|sind) mir( \\w+)? entfallen$
        fällt mir( \\w+)? nicht( mehr)? ein$
        ^<wh> .{2,60}, (weiß ich|hab ich|habe ich)( \\w+)? (nicht( mehr)?|vergessen)$
        (war|ist) (nochmal |noch gleich )?(wie|wann|wo|was|wer)( nochmal)?$ | weiß (jemand|wer|einer) | oder nicht$
        weißt du ((den|die|das|es) )?(noch|zufällig|vielleicht)
        auf der zunge(?!\\w) | entfallen,? (<wh>|ob)
        ^(?!.*(?<!\\w)(weiß|egal|gesagt|sagte?|klar|wusste|je nach|wissen|hängt|drauf an|
            keine)(?!\\w)).{4,}(?<=\\s)(wieviele?|wie viele?|wie (lange|oft|alt|teuer|spät)|wann|wohin|woher)( (genau|
            eigentlich|nochmal|noch mal|gleich))*$
        (heißt|hieß|ist|war|kommt|geht|fährt|kostet|wohnt|steht|liegt|hat|kriegt|macht|bekommt|sind|waren|treffen|
            beginnt|fängt) (mir |uns |sich |nochmal |noch mal |gleich )*(wie|wer|wann|wo|was|wohin|woher|wem|wen|
            wieviel)( (nochmal|noch mal|genau|gleich|eigentlich))*$
        """
    ),
)
