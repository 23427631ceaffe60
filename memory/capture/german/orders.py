"""German: orders, to the agent and to oneself."""

from __future__ import annotations

from memory.capture.cues import Orders
from memory.capture.german.parts import german

ORDERS = Orders(
    polite=german(
        """
        (bitte )?(kannst|könntest|würdest|magst|willst) du(?! \\w+$)( (bitte|mal|mir bitte|vielleicht|kurz|eben|auch|
            schnell))*
        (es )?(wäre|ist) (toll|nett|schön|super|lieb|gut|klasse|cool), wenn du | wenn du (zeit|lust) hast,?
        (hättest|hast) du (lust|zeit|bock)(?! auf(?!\\w)),? | darf ich dich bitten,? | ich bitte dich,?
        (schreibst|erzählst|machst|spielst|singst|malst|zeichnest|bestellst|buchst|rufst|kochst|bringst|holst|kaufst|
            schickst|stellst|schaltest|erklärst|hilfst) du(?= (mir|uns|bitte|mal|das|die|den)(?!\\w))
        (ich )?(würde|hätte) (mich freuen|es schön gefunden|gern(e)?), wenn du | würde es dir was ausmachen
        sei so (gut|lieb|nett) und
        """
    ),
    tag=german("(ok(ay)?|ja|bitte|einverstanden|in ordnung|gut|machst du das|abgemacht)$"),
    clause=german("<wh> | ob"),
    standing=german(
        """
        (?!(<wh>|ob)(?!\\w))... (ab (jetzt|sofort|heute|nun)|von (jetzt|nun|heute) an|in zukunft|künftig|zukünftig|
            fortan)(?!\\w)
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
    reminder=german(
        """
        erinner(e|st|t)? (mich|uns) | erinnerst du (mich|uns) | mich ... (zu )?erinnern
        (bitte )?(nicht vergessen|vergiss (bitte )?nicht|vergesst nicht|denk(e)? (bitte |auch |noch )*(dran|daran|an))
        (to-?do|aufgabe|einkaufsliste|erinnerung) *: | setz(e)? ... auf die (\\w*liste)
        auf die (einkaufsliste|liste|to-?do-?liste) | schreib(e)? ... auf (die|meine) \\w*liste
        leg(e)? (mir )?eine erinnerung
        (sag|gib)(e)?( <bitte>)* (mir|uns) ... bescheid | (sag|gib)(e)? (mir|uns)( <bitte>)* ... bescheid
        (sag|gib|meld|schreib|stups|ping|stoß|piks)(e)? (mir|mich|dich)( <bitte>)* (<zeit>|jeden?|am|um|vor|bevor|
            rechtzeitig|sobald)(?!.*(witz|gedicht|geschichte))
        (stups|ping|stoß)(e)? (mich|uns) | meld(e)? dich( <bitte>)* ... (damit|wenn|sobald|wegen|dass)
        """
    ),
    errand=german(
        """
        (muss|müssen|sollte|will|darf nicht|möchte|werde|wollte) (noch|unbedingt|heute|morgen|dringend|nächste|bald|
            nachher|später|am|bis|nur|wieder|endlich|mal|dann)(?! der(?!\\w))
        """
    ),
    rule=german(
        """
        (immer|nie|niemals|grundsätzlich|generell) | ab (jetzt|sofort|heute|nun) | von (jetzt|nun|heute) an | künftig
        zukünftig | in zukunft | fortan | (nenn|nenne|duz|duze|siez|sieze) mich | mich ... (nennen|duzen|siezen)
        ich (will|möchte|hätte gern),? dass du (mich|mir|nie|nicht|immer|nur|kein\\w*) | mein name ist
        hör(e)? auf, ... zu \\w+ | du (darfst|kannst) mich
        du (sollst|darfst|musst) ... (nie|nicht|niemals|immer|nur|kein\\w*)
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
        (ruf|weck|stör|frag|schreib|erinner|schick|benutz|verwend|nutz|erwähn|sag|mach|wiederhol|gib|red|nenn|komm|
            stell)(e|st|t)?( mich| mir| uns| bitte| dich)* ... (nie|niemals|nicht|nichts|kein|keine|
            keinen)(?!\\w)(?! vergessen)
        lass (bitte |mal )*(das|die|den|dein\\w*)( mit)? ... (weg|bleiben|sein)$ | lass (bitte |mal )*das mit
        schluss mit | du (musst|brauchst) ... (nicht|nie|kein\\w*)(?!\\w)
        hör(e)?( bitte| mal)* (auf|damit auf),? (mich|mir|mit|ständig|immer|dauernd|\\w+ zu)
        """
    ),
    request=german(
        """
        (kauf|hol|bezahl|zahl|gieß|bring|putz|kündig|besorg|erledig|meld|ruf|sag|frag|hilf|wasch|koch|räum|trag|nimm|
            geh) [^\\W\\d]+(?!ung(?!\\w))
        schreib(?! (ich|dir|morgen|heute)(?!\\w)) | schreibe (mir|bitte|ein|eine|einen|uns|das) | dichte | zeichne
        mal(e)? (mir|bitte|doch|ein|eine|einen|uns)(?!\\w) | sing(e)?(?! ich) | rappe? | übersetz(e)?
        fass(e)? ... zusammen | erklär(e)? | erfind(e)? | berechne | rechne | google (mal|bitte|nach)
        such(e)? (mir |uns )?(bitte )?(ein|eine|einen|nach eine[mr]|im (internet|netz|web)|online|flüge|hotels|
            restaurants|günstige)
        spiel(e)? (mir|bitte|mal|ein|eine|etwas|musik|was|das lied)
        mach(e)? (mir|bitte|mal|das|die|den|ein|eine|einen|es|musik|weiter|was|schluss)(?!\\w)
        (schreiben|senden|schicken|buchen|stornieren|bestellen|übersetzen|erstellen|rufen|reservieren|machen|stellen|
            spielen|öffnen|schließen|erzählen|erklären|helfen|schalten|sagen|verschieben|
            berechnen) sie(?!... (nie|niemals|nicht|kein\\w*|immer|stets)(?!\\w))(?! (mir )?(bitte )?(<wh>|ob)(?!\\w))
        stell(e)? (mir |bitte |mal )*(den|einen|'?nen|'?ne|die|das|eine) | schalt(e)? | öffne | schließ(e)? | dreh(e)?
        bestell(e)? (mir|bitte|uns|eine|einen|ein|mal)(?!\\w)
        buch(e)? (mir|bitte|uns|eine|einen|ein|für|den|das)(?!\\w)
        reservier(e)? (mir|bitte|uns|einen|ein|für|den|das)
        (schick|sende|schicke|send)(e)? (mir ein|bitte|die|das|den|diese\\w*|eine|einen|\\w+ (eine?n?|das|die|den))
        empfiehl | empfehle mir | schlag(e)? (mir |uns |bitte )*(ein|was|etwas|mal|... vor$) | zeig(e)? mir \\w+
        gib mir \\w+ | such(e)? mir \\w+
        spiel (?!(gegen|am|um|in|im|ist|war|der|von|mit|heute|morgen|bei)(?!\\w))[^\\W\\d]+$
        lies (mir )?(die )?(nachrichten|news|zeitung) | hilf
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
        (ich )?(brauche|will|möchte|hätte gern(e)?|würde gern(e)?|mag)?( mal| noch)? ?(ein|eine|
            einen) (\\w+ )?(gedicht|text|entwurf|vorschlag|idee|tipp|plan|mail|e-mail|bewerbung|lied|übersetzung|
            zusammenfassung|rezept|witz|geschichte|rede|aufsatz|logo|bild|brief)(?!\\w)
        ich (will|möchte), dass du
        (definier|beschreib|sortier|konvertier|formatier|ergänz|lös|beantwort|würfel|poste?|install|aktualisier|
            stornier|simulier|druck|lad)(e)? (mir|bitte|mal|das|den|die|diese\\w*|eine?n?|folgende\\w*|alle)(?!\\w)
        (wirf|zieh) (mir |mal |bitte )?eine
        nenn(e)? (mir |bitte )*(ein|eine|einen|zwei|drei|vier|fünf|sechs|zehn|\\d+|einige|beispiele)(?!\\w)
        prüf(e)? (diesen|das|meinen|den) | plan(e)? (mir|uns|bitte|eine|einen) | organisier(e)? | starte | beende
        lösch(e)? (bitte )?(die|das|den|alle|diese\\w*) | mach mir
        (stornier|aktivier|deaktivier|dimm|erhöh|senk|verbind|änder)e? (mein\\w*|die|den|das)
        antworte (?!(mir|auf|in|immer|nur|bitte)(?!\\w))\\w+ | debugge? | google (das|die|den) | recherchiere?
        finde eine?n? | (timer|wecker|alarm|countdown) (auf|um|für|in|stellen)
        (musik|radio|heizung|fernseher|tv) (an|aus|lauter|leiser)$ | (heiter|munter|motivier|beruhig|tröst)e? mich
        mach'?s | lass (das|die|den) | setz(e)? (mir )?(einen|den) (timer|wecker|alarm)
        (versuch|probier)'?s? (es )?(nochmal|noch mal) | verrate? mir (ein|eine|einen)
        du (sollst|musst|kannst|könntest|solltest) | wie wär('?s|e es| es) mit (einem|einer)
        (licht|lampe|heizung|musik|radio|tv|fernseher) ... \\w+(machen|schalten|drehen|stellen|spielen)$
        (das |die )(licht|lampe|heizung|musik) ... \\w+(machen|schalten|drehen|stellen)$
        (witz|gedicht|geschichte|lied) (erzählen|schreiben|singen|vorlesen)$
        (text|satz|brief|artikel) (übersetzen|zusammenfassen|korrigieren)
        (ich )?(will|möchte|würde gern(e)?) (mit dir )?(ein bisschen |etwas |mal )?(spielen|reden|plaudern|quatschen|
            chatten)
        (rede?|sprich|plauder|quatsch|unterhalte? dich)( <bitte>)* mit mir(?! wie(?!\\w)) | leiser | lauter
        licht (an|aus) | nächstes lied | (weiter|nochmal|abbrechen)$ | spiel mit | (ich )?brauche? hilfe
        bezahle? (die|das|den) ... für mich
        (?!(das|die|der|es|eine?|ist|was|nichts|mein\\w*|klappt|gut)(?!\\w))\\w+e? (mein\\w*|die|den|das) ... für mich$
        bestell [^\\W\\d]+ | ruf(e)? (bitte|mal) | (plan|verschieb)(e)? (mein|meine|meinen|das|den|die)(?!\\w)
        fahr ... (herunter|hoch) | leg(e)? (mir )?eine?n? | mach(e)? \\w+ (an|aus|auf|zu|lauter|leiser)
        tu mir (einen|den) gefallen
        \\w+(?<![tns]) (bitte|mal|doch)( <bitte>)* (?!(nur|nicht|nie|immer|erst|wieder|
            kein\\w*)(?!\\w))(?!.{0,200}\\wen$)\\w+
        (?!hab )\\w+(?<![tnse]) (mir|uns)( <bitte>)* (ein|eine|einen|etwas|was)(?!\\w)
        (verfassen|formulieren|entwerfen|zeichnen|malen|dichten|korrigieren|prüfen|planen|suchen|organisieren|rechnen|
            fassen|kochen|geben|bringen|holen) sie (?!... (nie|niemals|nicht|kein\\w*|immer|stets)(?!\\w))(bitte|mir|
            uns|eine?n?|das|die|den|diese\\w*)(?!\\w)
        (bastel|zauber|tipp|skizzier|schmeiß|spendier)(e)? (mir|mal|bitte|uns|eine?n?|'?ne?n?)(?!\\w)
        (stell|mach|schreib)(e)? ('?ne?n?|eine?n?)(?!\\w)
        """
    ),
)
