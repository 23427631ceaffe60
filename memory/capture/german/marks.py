"""German: what sort of statement, about what, and what stands around a name."""

from __future__ import annotations

from functools import partial

from memory.capture.cues import Marks
from memory.capture.german.parts import german
from memory.types import Kind

_PARTS = {
    "ich": "ich | wir",
    "mich": "mich | mir | uns | ich | wir | mein(e|en|em|er)? | unser(e|en|em|er)?",
    "noch": """
        noch | unbedingt | heute | morgen | dringend | bald | nachher | wieder | endlich | mal | auch | dann
        jetzt | gern(e)?""",
    "werten": """
        besser | schlechter | überbewertet | überteuert | langweilig | furchtbar | schrecklich | ekelhaft | lecker
        toll | super | gut | schlecht | großartig | fantastisch | wunderbar | nervig | hässlich | schön | hübsch
        enttäuschend | perfekt | teuer | billig | günstig | nutzlos | zu \\w+ | lustig | blöd | doof | bequem
        unbequem | unfair | klasse | das beste | die beste | der beste | am besten | am schönsten | am liebsten
        empfehlenswert | genial""",
    "gern": "gern | gerne | lieber | am liebsten | ungern | nicht gern",
    "verwandt": """
        mutter | vater | mama | papa | eltern | bruder | schwester | geschwister | sohn | tochter | frau | mann
        partner(in)? | freund(in)? | verlobte[r]? | onkel | tante | cousin(e)? | nichte | neffe | oma | opa
        groß(mutter|vater|eltern) | chef(in)? | kolleg(e|in|en) | mitarbeiter(in)? | nachbar(in|n)?
        mitbewohner(in)? | vermieter(in)? | arzt | ärztin | hausarzt | hausärztin | zahnarzt | zahnärztin
        therapeut(in)? | lehrer(in)? | trainer(in)? | anwalt | anwältin | friseur(in)? | tierarzt | tierärztin
        kunde | kundin | schwager | schwägerin | schwieger\\w+ | pate | patin""",
    "tier": "katze | kater | hund | hündin | welpe | kaninchen | hamster | pferd | papagei | schildkröte",
    "drück": """
        drück(e|en|st)? | halt(e|en)? | dreh(e|en)? | klick(e|en)? | öffn(e|en)? | tipp(e|en)? | zieh(e|en)?
        schieb(e|en)? | einschalten | ausschalten | warten? | wähl(e|en)? | misch(en|e)? | einlegen | gedrückt
        kochen | stecker | eingeben | starten | stellen | aufkochen | füllen | rühren | backen | ausführen
        neu starten""",
    "vorhin": """
        gestern | vorgestern | heute (früh|morgen|mittag) | letzte[nrsm]? \\w+ | vorige[nrsm]? \\w+ | neulich
        kürzlich | vor \\w+ (tagen|wochen|monaten|jahren|jahr|monat|woche) | damals | als kind""",
    "tag": "(mon|diens|donners|frei|sams|sonn)tag(s|abend|früh|nachmittag)? | mittwoch(s|abend|früh)?",
    "befehl": """
        antworte? | schreib(e)? | ruf(e)? | sprich | rede | benutz(e)? | verwend(e)? | nutz(e)? | nenn(e)?
        sag(e)? | erwähn(e)? | frag(e)? | weck(e)? | stör(e)? | schick(e)? | mach(e)? | gib | duz(e)? | siez(e)?
        halt(e)? | fass(e)? | sei""",
    "schaffen": """
        lernen | laufen | abnehmen | werden | lesen | sparen | aufhören | schreiben | anfangen | schaffen
        besuchen | reisen | bauen | erreichen | schlafen | wandern | sprechen""",
}

_signs = partial(german, **_PARTS)

MARKS = Marks(
    kinds={
        Kind.PROCEDURE: _signs(
            """
            (erst|zuerst|zunächst) ... (dann|danach) | schritt \\d | um [^.!?]{2,60} zu \\w+, | wie man \\w+
            (der trick|das rezept|die anleitung|das vorgehen) | indem man | zum \\w+en [^.!?]{0,40}<drück>
            man muss ... <drück> | [^.!?:]{3,50}: [^.!?]{0,60}<drück> | <drück> ... (und|dann|bis) ... <drück>
            """,
        ),
        Kind.INTENTION: _signs(
            """
            erinner(e|st)? (mich|uns) | (mich|uns) ... (zu )?erinnern | nicht vergessen | vergiss nicht
            denk(e)? (dran|daran|an) | to-?do | einkaufsliste
            <ich>( <noch>)* (muss|müssen|sollte|sollten|will|wollen|werde|werden|möchte|möchten|plane)
            (muss|müssen|sollte|will|werde|möchte|würde)( <noch>)* (<ich>|<noch>|den|die|das|meine?n?|am|bis|zum|zur)
            (ich habe|wir haben|hab|habe) vor | (mein|unser) (ziel|plan|vorsatz|traum)
            bis (zum |spätestens )?(<tag>|morgen|ende) | (ich |wir )?(brauch(e|en)?) (noch|neue?[nrs]?|einen|eine|ein)
            ^[^,.:]{2,60} (kaufen|anrufen|bezahlen|abgeben|abholen)
            ^[^,.:]{2,60} (schicken|schreiben|buchen|bestellen|gießen|putzen|reparieren|kündigen|besorgen|erledigen|
                bringen|machen)
            (ich|wir) (fliege|fliegen|fahre|fahren|treffe|treffen|ziehe|ziehen) ... (morgen|nächste\\w*|am|im|um|ab|
                nach)
            (am|im|ab|nächste\\w*|morgen) ... (fliege|fliegen|fahre|fahren|treffe|treffen|ziehe|ziehen) <ich> | frist
            fällig
            """,
        ),
        Kind.OPINION: _signs(
            """
            (mag|mögen|liebe|liebt|lieben|hasse|hasst|hassen|bevorzuge|bevorzugt|verabscheut?) | lieblings\\w+ | <gern>
            ich (glaube?|denke?|meine|finde?|vermute|bezweifle|schätze) | wir (glauben|denken|meinen|finden)
            (find|finde|glaube|denke|meine) <ich> | meiner meinung nach | meines erachtens
            (mir|uns|ihm|ihr) (gefällt|gefallen|schmeckt|schmecken) | (gefällt|schmeckt) (mir|uns|ihm|ihr)
            kann ... nicht (leiden|ausstehen|ab) | (findet|hält) ... (für|<werten>)
            (ist|sind|war|waren|schmeckt|schmeckte|klingt|wirkt|sieht)( \\w+){0,3} <werten> | fan von | genervt von
            (immer|nie|niemals|bitte|bitte nicht|ab jetzt|künftig|in zukunft) ... (auf deutsch|auf englisch|antworten)
            ^(bitte )?<befehl>( mir| mich| dich| bitte| immer)* (nie|niemals|nicht|keine?n?|immer|nur|auf|kurz|bitte|
                ab)
            ab (jetzt|sofort) | (duz|siez|nenn)e? mich | kurz fassen | <befehl> dich kurz | lieber
            """,
        ),
        Kind.EXPERIENCE: _signs(
            """
            (hab|habe|haben|bin|sind|war|waren|hatte|hatten|wurde|musste|konnte|durfte|ging|gingen)( \\w+){0,1} <ich>
            <ich> (hab|habe|haben) ... (ge\\w+|\\w+iert|ver\\w+|be\\w+|er\\w+|\\w+ge\\w+(t|en))
            <ich> (bin|sind) ... \\w*ge\\w+
            <ich> (war|waren|hatte|hatten|wurde|ging|gingen|musste|konnte|kam|sah|traf|fuhr)
            ^(hab|habe|war|bin|hatte)(?! (ich|wir|das|der|die)(?! \\w+ (heute|gestern))(?!\\w))
            (<vorhin>) ... (<mich>) | (<mich>) ... (<vorhin>) | mir (ist|war|wurde|geht|ging)
            mein (erster|letzter) \\w+ | (heute|gestern) (wurden?|war|bin|hab|habe|hatte)
            """,
        ),
        Kind.WORLD: _signs(
            """
            ist | sind | war | waren | hat | haben | hatte | heißt | heißen | wohnt | lebt | arbeitet | kostet | öffnet
            schließt | beginnt | endet | fängt | hängt | steht | liegt | kommt | geht | läuft | fährt | fliegt | gehört
            gibt | wird | werden | wurde | kann | können | darf | dürfen | muss | müssen | soll | sollen | gilt
            braucht | macht | spricht | studiert | spielt | isst | trinkt | essen | trinken | trägt | zieht | heiratet
            feiert | verboten | \\d{1,2}(:\\d\\d| uhr)
            (termin|flug|geburtstag|prüfung|hochzeit|zahnarzt|besprechung|meeting) | am (<tag>)
            [^:]{2,40}:(?!//) *\\S+ | verschoben | bin | bist | \\w{3,}(iert|test) | fehlt | bleibt | stimmt | passt
            dauert | (\\w+\\W+){4}\\w+
            """,
        ),
    },
    categories=(
        (
            "rule",
            _signs(
                """
                (bitte )?<befehl>( mir| mich| dich| bitte| ab jetzt)* (nie|niemals|nicht|keine?n?|immer|nur|auf|kurz|
                    ausschließlich)
                (nie|niemals|immer|nur|bitte|keine?n?) ... (antworten|anrufen|schreiben|verwenden|benutzen|stören|
                    duzen|siezen)$
                ab (jetzt|sofort|heute) | von (jetzt|nun) an | künftig | in zukunft | grundsätzlich
                (darf|dürfen|soll|sollen) ... (nicht|nie|nur) | verboten | untersagt | (nicht )?erlaubt | pflicht
                (^|bitte )(keine?n?|kein) ... (vor|nach|ohne|im|am|beim) | regeln?( ist|:) | muss immer | müssen immer
                nenn(e)? mich | (bitte )?(duz|siez)(e)? mich | halt(e)? dich kurz | fass(e)? dich kurz
                """,
            ),
        ),
        (
            "decision",
            _signs(
                """
                entschieden | beschlossen | entscheidung | beschluss | entscheiden uns | geeinigt | abgemacht
                festgelegt | wir (nehmen|bleiben bei|wechseln zu) | ausgesucht | fiel die wahl
                """,
            ),
        ),
        (
            "lesson",
            _signs(
                """
                gelernt, | (habe|hab|haben) (heute )?gelernt | gemerkt, dass | festgestellt | herausgefunden
                herausgestellt | lektion | nächstes mal | nie wieder | im nachhinein | hätte(n)? ... sollen | fehler
                lehre | aus erfahrung
                """,
            ),
        ),
        (
            "workflow",
            _signs(
                """
                (erst|zuerst|zunächst) ... (dann|danach) | schritt \\d | wie man \\w+ | anleitung | rezept | ablauf
                """
            ),
        ),
        (
            "goal",
            _signs(
                """
                (mein|unser) (\\w+ )?(ziel|traum|vorsatz) | ziele? | vorsätze
                (will|möchte|wollen|möchten) ... <schaffen>$
                """,
            ),
        ),
        (
            "preference",
            _signs(
                """
                mag | mögen | liebe | liebt | lieben | hasse | hasst | hassen | bevorzugt? | lieblings\\w+ | <gern>
                gefällt | schmeckt | kann ... nicht (leiden|ausstehen) | fan von | vegetarier(in)? | veganer(in)?
                vegan | vegetarisch | (isst|trinkt|esse|trinke|essen|trinken) ... (kein|keine|keinen|nur|nie)
                allergisch | \\w+allergie | verträgt
                """,
            ),
        ),
        (
            "event",
            _signs(
                """
                \\w*(geburtstag|termin|flug|besprechung|meeting|hochzeit|party|feier|konzert|konferenz|prüfung|klausur|
                    reise)
                beerdigung | jubiläum | operation | (abend|mittag)essen (mit|bei|am) | urlaub | ferien | workshop
                <vorhin> | morgen | übermorgen | heute (abend|nachmittag|nacht|früh) | (am|nächsten|diesen) (<tag>)
                (<tag>) | um \\d{1,2}(:\\d\\d| uhr)? | vorstellungsgespräch
                am \\d{1,2}\\. \\w+ ... (kommt|fliegt|fährt|beginnt|heiratet)
                """,
            ),
        ),
        (
            "entity",
            _signs(
                """
                ist (ein|eine|der|die|das) (\\w+ )?(firma|startup|app|marke|projekt|produkt|restaurant|café|laden|
                    stadt|dorf|fluss|band)
                ist (ein|eine|der|die|das) (\\w+ )?(buch|film|webseite|werkzeug|team|verein|agentur|unternehmen|kneipe)
                spitzname
                """,
            ),
        ),
        (
            "person",
            _signs(
                """
                (mein|unser|dein|sein|ihr)(e|en|em|er|es)? ((\\w+e[nrs]?) )?(<verwandt>|<tier>)
                ist (mein|unser|die|der)(e)? (<verwandt>) | arbeitet (bei|als|in|für|im|am) | wohnt (in|bei|neben|im)
                lebt (in|bei|mit) | ist (verheiratet|geboren|schwanger|ledig) | ist \\d{1,3}( jahre alt)?
                wird \\d{1,3} | spricht \\w+ | studiert | aufgewachsen | linkshänder(in)? | ist \\w+er(in)? von beruf
                hat (zwei|drei|vier|ein|eine|einen|\\d) (\\w+ )?(kind(er)?|sohn|söhne|tochter|töchter|brüder|bruder|
                    schwester(n)?|katzen?|hunde?)
                heißt
                """,
            ),
        ),
    ),
    before_name=_signs(
        """
        frau | herrn? | kund(e|in) | kolleg(e|in) | nachbar(in)? | dr\\.? | prof(essor(in)?)?\\.? | familie | onkel
        tante | namens | heiß(t|en|e) | genannt | (wohn|leb)(e|t|en|te) (\\S+ ){0,3}in | (geboren|aufgewachsen) in
        komm(e|t) aus | nach(?= \\w+ (ziehen|zieht|gezogen|umziehen|umgezogen|fliegen|geflogen|reisen|gereist)(?!\\w))
        (fliege?|fliegt|fliegen|reise|ziehe?|zieht|ziehen) (\\S+ ){0,4}nach
        (arbeite[tn]?|angestellt|praktikum|konto|vertrag|bewerbung|vorstellungsgespräch) (\\S+ ){0,3}bei
        (mein|unser|dein|sein|ihr)(e|en|em|er|es)? ((\\w+e[nrs]?) )?(<verwandt>|<tier>)( heißt)?
        """,
    ),
    after_name=_signs(
        """
        wohnt | arbeitet | heißt | studiert | hasst | liebt | isst | trinkt | heiratet | meint | sagt(e)? | findet
        glaubt | spielt | spricht | kocht | feiert | mag (?!(ich|wir|er|sie|man|keiner|jeder)(?!\\w)) | und ich
        ist (mein|unser|allergisch|schwanger)
        ist (zuständig|krankgeschrieben|umgezogen|geboren|aufgewachsen|linkshänder(in)?|in elternzeit)
        hat ... (angerufen|gesagt|erzählt|geheiratet|gekündigt|bestanden|zugesagt|abgesagt|versprochen|empfohlen|
            geschrieben)
        hat (ein|einen|eine|zwei|drei) (kind|sohn|tochter|kinder|söhne|töchter) | ruft | verträgt | bevorzugt | heißt
        ist (vegetarier|veganer|verheiratet|krank|\\d+ jahre) | hat ... geburtstag | kann ... nicht (leiden|ausstehen)
        """
    ),
)
