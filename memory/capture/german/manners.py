"""German: hello, thanks, small talk."""

from __future__ import annotations

from memory.capture.cues import Manners
from memory.capture.german.parts import german

MANNERS = Manners(
    greeting=german(
        """
        hallo+( (zusammen|du|ihr|nochmal|wieder|mein \\w+))* | halloechen | hallöchen | hi+( (du|zusammen|nochmal))*
        hey+( du)? | moin( moin)? | servus | grüß (gott|dich|euch)<stop> | grüezi( mitenand)? | tach<stop> | tag<stop>
        huhu<stop> | na du<stop>
        (einen )?((wunder)?schönen )?guten (morgen|tag|abend)( (zusammen|allerseits|dir|euch))*<stop>
        (guten )?morgen( zusammen)?(?=!|,|$) | gute nacht( (dir|euch|zusammen))?<stop> | nabend<stop> | mahlzeit<stop>
        willkommen( zurück)?<stop> | lange nicht gesehen<stop> | (schlaf|schlaft) (gut|schön)<stop>
        auf wiedersehen<stop> | tschüss(i|chen)?<stop> | tschau<stop> | ciao<stop> | ade<stop>
        (bis|bis zum) (bald|später|dann|morgen|gleich|nachher|nächsten mal|demnächst)( dann| mal)?<stop>
        mach'?s? gut<stop> | servus
        (hab |habt |wünsche (dir|euch) )?(einen |eine )?(schönen?|schönes|gute|guten) (tag|abend|sonntag|samstag|
            freitag|montag|feierabend|woche|wochenende|morgen|fahrt|reise)( noch| dir| euch| gewünscht)*<stop>
        (liebe|viele|beste|schöne|herzliche) grüße<stop> | (mit freundlichen grüßen|lg|vg|mfg|gruß)<stop>
        bin (wieder )?(da|zurück)<stop> | gute besserung<stop> | alles gute<stop> | frohe (weihnachten|ostern)<stop>
        frohes neues( jahr)?<stop> | guten rutsch<stop> | ich muss (jetzt )?los<stop> | tschö<stop>
        """
    ),
    thanks=german(
        """
        (ok |okay |super |alles klar |perfekt |gut |vielen |besten |lieben |herzlichen |tausend )*(dank|danke)(?! (der|
            dem|des)(?!\\w))( <viel>)*( <grund>)?
        ich (danke|bedanke) (dir|euch|mich)( (sehr|vielmals|herzlich))?( <grund>)?
        (merci|dankeschön|dankesehr|thx|thanks|bedankt)( <viel>)* | das ist (sehr |so |echt )?(lieb|nett) von dir<stop>
        (du bist|bist) (ein (schatz|engel)|der hammer|meine rettung)<stop>
        """
    ),
    filler=german(
        """
        (nur )?(so )?aus (reiner )?(neugier|interesse) | nur so | kurz gefragt | nochmal( kurz)?(?=,|:) | ey
        mensch(?=,) | ok(ay)? | und | also | aber | ach( ja| so| übrigens)? | oh | ah | äh+m? | hm+ | na( ja| gut)?
        ja | jo | (übrigens|so|dann|jetzt|außerdem|eigentlich|ehrlich gesagt|nebenbei( bemerkt)?)(?=,|:| <wh>)
        gut(?=,) | moment | warte | sorry | entschuldigung | entschuldige | sag mal | hör mal | apropos | nein(?=,)
        nee(?=,)
        (noch |nur |kurz |mal |schnell |eine |ne |kleine |kurze |andere |blöde |dumme |
            weitere )*frage( an dich| noch| dazu)?
        du(?=,) | weißt du was | was anderes | achja | achso | btw | erstens
        """
    ),
    please=german("bitte( mal)?"),
    chatter=german(
        """
        wie (cool|geil|krass|süß|lustig|toll|schön|nett|lieb) ist das( denn)?
        (da )?(du )?hast (du )?(ja |wohl )?recht | gefällt mir( gut)? | mach ich | guten appetit
        (ich )?weiß (es |ich )?nicht | (ich )?bin gleich (wieder )?(da|zurück) | (ach )?du meine güte | wird gemacht
        geht klar | ist gut | kann sein | vielleicht | schauen wir mal | sehe ich genauso | find(e)? ich (auch )?gut
        klingt nach einem plan | (schön|freut mich|nett),? dich (zu sehen|kennenzulernen|zu treffen) | ok(ay|i)? | ja+
        jo+ | jep | jawohl | jupp | nein | nee+ | nö+ | ne | doch | klar( doch)? | na( klar| ja| gut| und| sowas)?
        sicher | genau | stimmt( so| auch)? | richtig | natürlich | logisch | logo | eben | echt( jetzt)? | wirklich
        aha | ach( so| ja| was)? | oh+( je| nein| mann)? | ah+ | uff | puh | wow | krass | oha | ups | hoppla | autsch
        juhu | hurra | hm+ | tja | na ja | egal | passt( schon)? | (ha){2,} | (he){2,} | (hi){2,} | lol | xd+ | rofl
        haha? | (<sehr> )*<gut>( <gelobt>)? | weiter so | bravo | respekt | glückwunsch | gratuliere
        (das|du|es|dies|der|die) (ist|bist|war|warst|klingt|sieht|hört sich|wird) (<sehr> )*(<gut>|genug|
            alles)( aus| an| von dir| gewesen| zu hören)?
        (das )?(hilft|half|hat geholfen|reicht|funktioniert|klappt|hat geklappt|passt|genügt|freut mich)( mir)?( (sehr|
            weiter|gut|super|schon))*
        gut gemacht | so ein mist | mist | verdammt | quatsch | blödsinn | (herzlichen )?glückwunsch
        läuft( bei (dir|mir))? | geht so | muss ja | alles paletti | schön,? dass es dich gibt | du fehlst mir
        (das )?hat (mir )?(<sehr> )*(geholfen|weitergeholfen) | (wie |sehr |so )*(lieb|nett) von dir
        (das )?(klingt|hört sich|sieht) (<sehr> )*<gut>( (an|aus))? | schon gut
        alles (klar|gut|roger|okay|in ordnung|super) | in ordnung
        kein(e)? (problem|ursache|ahnung|sorge|thema|stress) | macht nichts | gern(e)?( geschehen)?
        bitte( schön| sehr)? | nichts zu danken | tut mir leid | verzeihung | sorry | vergiss es | schon okay | na klar
        verstanden | verstehe | kapiert | ich verstehe | ich weiß | weiß ich( schon| doch)? | mir auch
        ich auch( nicht)? | finde ich auch | sehe ich auch so | (ich )?(lach|freu) mich( kaputt| schlapp| sehr)?
        wie schade | was für ein(e)?n? (\\w+ )?(<wetter>|pech|glück|chaos|leben|welt|woche) | moment( mal)? | sekunde
        mal (sehen|schauen|gucken) | viel (glück|spaß|erfolg) | (<sehr> )*<gut>(e|er|es|en)? <wetter>( heute| draußen)?
        schöner tag( heute)? | heute(?=$) | wahnsinn | test(s|e)? | ping
        mir (geht es|geht's|gehts) (<sehr> )*(<gut>|prima)( heute)? | mir ist (<sehr> )*(langweilig|fad)
        nichts( besonderes| neues)? | nicht (viel|so|schlecht|wirklich) | nur (ein )?(spaß|scherz)
        war nur (ein )?(spaß|scherz) | los geht'?s | auf geht'?s | gleichfalls | ebenso | dito | dir auch | euch auch
        meinetwegen | von mir aus | ich (mag|liebe|hab|habe) dich( (lieb|sehr|gern))* | hab dich lieb
        ich (rede|chatte|spreche) gern(e)? mit dir | ist das (<sehr> )*<gut>( heute)? | mein fehler
        das dachte ich mir | (das )?hab(e)? ich mir gedacht | meine schuld
        (genau )?das (hab|habe) ich (gebraucht|gesucht|gemeint) | und (dir|du|selbst) | gesundheit | prost | oder | ne
        gell | und | aber | dann | so | da | jetzt | mal | noch | auch | schon | du | scrubjay
        """
    ),
    about_agent=german(
        """
        (und,? )?(wie )(geht es|geht's|gehts|geht|läuft es|läuft's|läufts|läuft|war)( (dir|euch|so|denn|heute|dein tag|
            dein wochenende|bei dir|es|deine nacht|der tag))*
        was (geht|geht ab|läuft|machst du|treibst du|tust du|denkst du|gibt'?s neues|gibt es neues)( (so|gerade|heute|
            denn|jetzt|da|den ganzen tag|über .{1,30}))*
        (wer|was|wie alt|wie groß|wo) bist du( (eigentlich|denn|genau|überhaupt|gerade|jetzt))*
        wie heißt du( (eigentlich|denn))* | wo (wohnst|lebst) du | woher kommst du
        was kannst du( (alles|so|eigentlich|für mich tun|denn))* | bist du (?!.{0,20}sicher).{1,40}
        (kannst|könntest) du (auch |eigentlich )*(mich )?(hören|sehen|fühlen|träumen|singen|tanzen|schwimmen|denken|
            kochen|fliegen|lachen|deutsch|englisch|schlafen|verstehen).{0,20}
        (magst|liebst|hasst|träumst|schläfst|isst|trinkst|fühlst|glaubst|vermisst|verstehst|sprichst|hörst) du .{0,40}
        was hältst du von .{1,30} | wie findest du .{1,30} | wo kommst du her | was magst du.{0,20}
        (gut )?(geschlafen|gefrühstückt|gegessen) | hast du (heute )?(schon )?(was|etwas) vor
        hast du (geschwister|kinder|haustiere|familie|einen freund|gut geschlafen|hunger|durst|gefühle|freunde|hobbys|
            einen namen|mich vermisst|zeit|lust|langeweile|geschlafen)
        (wirst|fühlst|langweilst|wärst) du .{0,30} | wer hat dich (gemacht|gebaut|erschaffen|programmiert|erfunden)
        wer hätte das gedacht | echt( jetzt)? | wirklich | ernsthaft | im ernst | und (du|selbst|dir|bei dir)
        (na,? )?alles (gut|klar|okay|fit)( bei dir)? | wie bitte | was | hä+ | wieso | warum( nicht)?
        was meinst du( damit)? | ist das nicht <gut> | was ist (dein|deine) .{1,40} | was ist (los|der sinn des lebens)
        na | oder | nicht wahr | heiratest du mich
        (<sehr> )*<gut>(e|er|es)? <wetter>( heute)?,? (oder|nicht wahr|ne|gell|nicht)( nicht)?
        """
    ),
)
