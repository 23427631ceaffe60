"""German: hello, thanks, small talk."""

from __future__ import annotations

from memory.capture.cues import Manners
from memory.capture.german.parts import german

MANNERS = Manners(
    greeting=german(
        """
        hallo+( (zusammen|du|ihr|nochmal|wieder|mein \\w+))* | halloechen | hallöchen | hi+( (du|zusammen|nochmal))*
        hey+( du)? | moin(sen)?( moin)? | servus | grüß (gott|dich|euch)<end> | grüezi( mitenand)?
        (griaß|servus) (di|eich|euch|dich)<end> | hallihallo<end> | hallöle<end> | ahoi<end>
        glück auf<end>
        (guten|schönen) (start|flug|hunger)( in (den|die) \\w+)?<end>
        (frohe|schöne) (feiertage|ostern|weihnachten|pfingsten|ferien|zeit)<end> | tach( auch)?<end>
        (da )?bin ich (wieder )?(da|zurück|wieder)<end> | (ich )?bin (wieder |jetzt |dann )*(mal )?(da|zurück)<end>
        tag<end> | huhu<end> | na du<end>
        (einen )?((wunder)?schönen )?guten (morgen|tag|abend)( (zusammen|allerseits|dir|euch))*<end>
        (guten )?morgen( zusammen)?(?=!|,|$) | nabend<end> | mahlzeit<end>
        willkommen( zurück)?<end> | lange nicht gesehen<end> | servus
        ((liebe|viele|beste|schöne|herzliche) )?grüße( (aus|an|von) \\w+)?<end>
        (mit freundlichen grüßen|lg|vg|mfg|gruß)<end>
        bin (wieder )?(da|zurück)<end> | gute besserung<end> | erhol dich( gut)?<end> | frohes (schaffen|fest)<end>
        schön,? (von dir zu hören|wieder (hier|da) zu sein|dass du (wieder )?da bist)<end>
        alles (gute|liebe)( (zum|zur) \\w+)?<end> | (herzlichen )?glückwunsch( (zum|zur) \\w+)?<end>
        frohe (weihnachten|ostern)<end> | frohes neues( jahr)?<end> | guten rutsch( ins neue jahr)?<end>
        """
    ),
    farewell=german(
        """
        (pfiat|pfüat) (di|eich|euch)<end> | bis denne<end> | hau(t)? rein<end> | (auf )?wieder(sehen|hören|schauen)<end>
        (ich )?bin (jetzt |dann )*(mal )?weg<end> | (ich )?gehe? (jetzt |dann )?(ins bett|schlafen)<end>
        (ich )?(melde mich|schreibe? dir|komme?)( (dann|mal|wieder|später|morgen|bald|nachher|gleich))+<end>
        (ich )?muss (jetzt |dann |mal )*(weg|gehen|los|schluss machen|auflegen)<end>
        wir (sprechen|reden|hören|sehen|schreiben) (uns )?(morgen|später|bald|nachher)<end> | man sieht sich<end>
        wir (hören|sehen) uns( \\w+)?<end> | (ich wünsche? (dir|euch) eine )?gute nacht( (dir|euch|zusammen|\\w+))?<end>
        (schlaf|schlaft) (gut|schön)<end> | auf wiedersehen<end>
        tschüss+(i|chen)?( (dann|zusammen|erst ?mal))*<end> | tschüs(?!s)<end> | tschau( tschau)?<end>
        ciao( ciao)?<end> | baba<end> | ade<end> | tschö<end> | leb(e|t)? wohl<end> | byebye<end>
        (bis|bis zum) (bald|später|dann|morgen|gleich|nachher|nächsten mal|demnächst|montag|freitag)( dann| mal)?<end>
        mach'?s? gut<end>
        (hab |habt |(ich )?wünsche? (dir|euch) |(dir|euch) auch )(noch )?(einen |
            eine )?(<schoenen>) (<zeit>)( <noch>)*<end>
        (noch )?(einen |eine )?(schönen?|schönes) (<zeit>)( <noch>)*<end>
        (noch )?(einen |eine )?gute[ns]? (<zeit>)( <noch>)+<end> | gute (fahrt|reise|woche)<end>
        süße träume<end> | träum (was schönes|süß|schön)<end> | komm(t)? gut (nach hause|heim|an)<end>
        pass(t)? (gut )?auf (dich|euch) auf<end>
        (ich )?hau(e)? (mich )?((mal|jetzt|dann) )*(hin|ab|rein|aufs ohr|in die (falle|federn)|ins bett)<end>
        (ich )?(leg|pack|mach|verzieh|verabschied)(e)? mich( (mal|jetzt|dann|nun|so))*( (schlafen|hin|vom acker|ab|
            aufs ohr|auf den (weg|heimweg)|ins bett))?<end>
        (ich )?bin( (dann|jetzt|mal|schon))* (raus|weg|off|im bett|fort)<end> | feierabend( für (heute|mich))?<end>
        schluss für heute<end>
        ab (in die (heia|falle|federn)|ins bett)( mit mir)?<end> | (nachti|nacht|nachtle|gn8|n8|gute n8)<end>
        (bussi|küsschen|bussis|hdl|drück dich|kuss|fühl dich gedrückt)<end>
        (ich )?(geh|gehe|muss)( (jetzt|dann|mal|nun|schon))* (ins bett|schlafen|pennen|heim|nach hause|los|weg|off)<end>
        tschüssi+<end> | tschö mit ö<end> | bis (morgen|bald|dann) dann<end>
        """,
        schoenen="schönen? | schönes | gute[ns]?",
        zeit="""
            tag | abend | sonntag | samstag | freitag | montag | feierabend | woche | wochenende | morgen | fahrt
            reise""",
        noch="noch | dir | euch | gewünscht",
    ),
    thanks=german(
        """
        (ok |okay |super |alles klar |perfekt |gut )*((vielen |besten |lieben |herzlichen |tausend |1000 )+dank|
            dank (dir|euch)|danke+)(?! (der|dem|des)(?!\\w))( <viel>)*( <grund>)?
        ich (danke|bedanke) (dir|euch|mich)( <viel>)*( <grund>)? | ich bin dir (<sehr> )*dankbar<stop>
        danke der nachfrage<stop> | (merci|dankeschön|dankesehr|thx|thanks|bedankt)( <viel>)*
        das ist (sehr |so |echt )?(lieb|nett) von dir<stop>
        (du bist|bist) (ein (schatz|engel)|der hammer|meine rettung)<stop>
        """
    ),
    filler=german(
        """
        (nur )?(so )?aus (reiner )?(neugier|interesse) | nur so | kurz gefragt | nochmal( kurz)?(?=,|:) | ey
        mensch(?=,) | ok(ay)? | und | also | aber | ach( ja| so| übrigens)? | oh | ah | äh+m? | hm+ | na( ja| gut)?
        ja | jo
        (so|dann|jetzt|na dann)(?= (bis|tschüss|gute|guten|schöne[ns]?|mach'?s|danke|vielen|ciao|viel)(?!\\w))
        (übrigens|so|dann|jetzt|außerdem|eigentlich|ehrlich gesagt|nebenbei( bemerkt)?)(?=,|:| <wh>) | gut(?=,)
        moment | warte | sorry | entschuldigung | entschuldige | sag mal | hör mal | apropos | nein(?=,) | nee(?=,)
        (noch |nur |kurz |mal |schnell |eine |ne |kleine |kurze |andere |blöde |dumme |
            weitere )*frage( an dich| noch| dazu)?
        du(?=,) | weißt du was | weißt du(?=,(?! (<wh>|ob)(?!\\w))) | was anderes | achja | achso | btw | erstens
        """
    ),
    please=german("bitte( mal)?"),
    chatter=german(
        """
        ey | alter | digga+ | jaja+ | och | menno | supi | joa+ | (so )?isses | (genau )?so isses | ach sooo*
        oh mann( ey)?
        wer'?s glaubt(,? wird selig)?
        wie (cool|geil|krass|süß|lustig|toll|schön|nett|lieb) ist das( denn)?
        (da )?(du )?hast (du )?(ja |wohl )?recht | gefällt mir( gut)? | mach ich | guten appetit
        (ich )?weiß (es |ich )?nicht(?!,) | (ich )?bin gleich (wieder )?(da|zurück) | (ach )?du meine güte
        wird gemacht | geht klar | ist gut | kann sein | vielleicht | schauen wir mal | sehe ich genauso
        find(e)? ich (auch )?gut | klingt nach einem plan | ach komm( schon)? | na dann( mal)?( los)?
        lass (mal )?gut sein | (schön|freut mich|nett),? dich (zu sehen|kennenzulernen|zu treffen)
        (mir geht'?s )?(so lala|ganz (ok|okay|gut)) | (so ein |was für ein )?\\w+wetter( heute| draußen)?
        schon wieder (montag|dienstag|mittwoch|donnerstag|regen) | (da hast du )?auch wieder (wahr|recht)
        (na )?immerhin | besser als nichts | geht doch | na (also|bitte|endlich) | siehste | sag ich (doch|ja)
        mein ich (ja|doch) | (ist )?doch klar | versteht sich | von wegen | so so | ach n(ee|ö) | och nö
        lass (mal|stecken) | passt scho | (das )?wird schon( werden| wieder)? | alles wird gut | kopf hoch
        halb so (wild|schlimm) | kann (ja )?(mal )?passieren | kommt vor | macht (ja )?nix | nix( für ungut)?
        (ganz )?entspannt? dich | chill( mal)? | keine (eile|panik|hektik) | (das )?(hat|eilt) (zeit|nicht)
        nur die ruhe | (nimm|lass) dir zeit | du schaffst das | toi toi toi | daumen hoch
        ich (fass|glaub|kann)('s| es)? nicht( mehr)? | ich (werd|werde|dreh|drehe) (verrückt|durch) | zum totlachen
        (ist|war) (ja|doch|aber|echt) (<sehr> )*(<gut>|irre) | (klingt|hört sich) .{1,20}
        find(e)? ich (<sehr> )*(<gut>) | gefällt mir( sehr| gut| echt)* | ach nichts | nichts weiter | schon in ordnung
        jup | joa | auf (jeden|keinen) fall | niemals(?=\\W*$) | nie im leben | was du nicht sagst
        das darf doch nicht wahr sein | wünsche? ich dir auch | ebenfalls | (immer|sehr)( wieder)? gern(e)? | gern doch
        kein ding | da nicht für | (ist|geht) (okay|ok|in ordnung) | (hab'?s |alles )verstanden | (macht|ergibt) sinn
        leuchtet ein | unglaublich | kaum zu glauben | ohne witz | kein scherz | (das )?gibt'?s( doch| ja)? nicht
        sag bloß | oh gott | mein gott | gott sei dank | zum glück | leider( ja| nein| nicht)? | hoffentlich
        (ich )?hoffe,? (es geht dir|dir geht('?s| es)) (<sehr> )*gut
        ich (glaube|denke|hoffe)( es)?( schon| nicht| auch)?(?!,) | denke ich auch | wie du (willst|meinst|möchtest)
        wenn du meinst | nur zu | los | komm schon | warte( mal)?( kurz)? | moment noch | bin (dran|dabei)
        jetzt nicht | heute nicht | (lieber|eher) nicht | auch (gut|egal) | was soll'?s | so ist es | aber sicher
        spannend | sekunde noch | bla(bla)* | jemand da | genau das(?! hab) | na logo | schwamm drüber | na ?ja
        okidoki | nicht so (wichtig|schlimm|wild) | schon erledigt
        (vergiss|vergesst) (es|das|dies)( einfach| wieder| ruhig| mal)* | (das )?kannst du( ruhig| gleich)? vergessen
        (ist|mir) (ist )?egal
        das glaube? ich( dir)? | du nervst | (ich )?habe? nur spaß gemacht | war (nur )?(ein )?(spaß|scherz)
        das war'?s( schon| dann)?( für (heute|jetzt))? | (das |du )?(hat|hast) mir (<sehr> )*geholfen
        (draußen )?(ist )?(es )?(ist )?(<sehr> )+(kalt|heiß|warm|schön|kühl|sonnig|neblig)( heute| draußen)?
        endlich (mal )?(wochenende|freitag|feierabend|urlaub|sommer|frühling)
        es (regnet|schneit|gewittert)( schon wieder| wieder| immer noch| heute)?
        (dann |jetzt )?weiß ich('s)? (bescheid|wieder|jetzt) | (genau )?das wollte ich (wissen|hören)
        jetzt (erinnere ich mich|fällt'?s mir wieder ein) | (das )?(dachte|wusste) ich('s)?( mir)?( doch)?
        das hatte ich (ganz |schon |fast )?vergessen | du hast mir den tag gerettet | du rettest mich( \\w+)?
        auf dich ist verlass | du bist gold wert | ohne dich .{1,20} | einverstanden | abgemacht
        so machen wir('s| es| das) | dann machen wir( es| das)( so)? | passt für mich | kann man so machen
        dann (eben|halt) nicht | schade eigentlich | ok(ay|i)? | ja+ | jo+ | jep | jawohl | jupp | nein | nee+ | nö+
        ne | doch | klar( doch)? | na( klar| ja| gut| und| sowas)? | sicher | genau | stimmt( so| auch)? | richtig
        natürlich | logisch | logo | eben | echt( jetzt)? | wirklich | aha | ach( so| ja| was)? | oh+( je| nein| mann)?
        ah+ | (uff|puh|wow|krass|boah|mann|mensch)(?!,? (war|ist|hab|habe|bin|hat|sind|waren)(?!\\w)) | oha | ups
        hoppla | autsch | juhu | hurra | hm+ | tja | na ja | egal | passt( schon)? | (ha){2,} | (he){2,} | (hi){2,}
        lol | xd+ | rofl | haha? | (<sehr> )*<gut>( <gelobt>)? | weiter so | bravo | respekt | glückwunsch | gratuliere
        (das|du|es|dies|der|die) (ist|bist|war|warst|klingt|sieht|hört sich|wird) (<sehr> )*(<gut>|genug|
            alles)( aus| an| von dir| gewesen| zu hören)?
        (das )?(hilft|half|hat geholfen|reicht|funktioniert|klappt|hat geklappt|passt|genügt|freut mich)( mir)?( (sehr|
            weiter|gut|super|schon))*
        gut gemacht | ich drück(e)? dir die daumen | (ich habe?|habe?) dich vermisst | du hast mir gefehlt
        das hast du (<sehr> )*<gut> (gemacht|erklärt|gesagt|hinbekommen) | (das |dieses )?wetter ist .{1,25}
        heute ist (<sehr> )*(ein )?(<sehr> )*<gut>(e|er|es)? <wetter> | ich langweile? mich | ich bin gut drauf
        (ich )?hoffe,? (es geht dir|dir geht('?s| es)) (<sehr> )*gut | du hast mir( \\w+)? (<sehr> )*geholfen
        das war'?s für (heute|jetzt) | (hast|hättest) du (lust|zeit|bock) auf .{1,30}
        (ich )?bin (heute |gerade )?(<sehr> )*(müde|kaputt|fertig|platt|hungrig|durstig|erledigt)( heute| gerade)?
        (ich )?hab(e)? (<sehr> )*(hunger|durst|langeweile)( heute| gerade)?
        mir ist (<sehr> )*(kalt|warm|heiß)( heute)? | wie die zeit vergeht | wer weiß( das)?( schon)?
        was soll man (machen|tun|sagen) | wie geht'?s wie steht'?s | so ein mist | mist | verdammt | quatsch | blödsinn
        (herzlichen )?glückwunsch | läuft( bei (dir|mir))? | geht so | muss ja | alles paletti
        schön,? dass es dich gibt | du fehlst mir | (das )?hat (mir )?(<sehr> )*(geholfen|weitergeholfen)
        (wie |sehr |so )*(lieb|nett) von dir | (das )?(klingt|hört sich|sieht) (<sehr> )*<gut>( (an|aus))? | schon gut
        alles (klar|gut|roger|okay|in ordnung|super) | in ordnung
        kein(e)? (problem|ursache|ahnung(?!,)|sorge|thema|stress) | macht nichts | gern(e)?( geschehen)?
        bitte( schön| sehr)? | nichts zu danken | tut mir leid | verzeihung | sorry | vergiss es | schon okay | na klar
        verstanden | verstehe | kapiert | ich verstehe | ich weiß(?!,) | weiß ich( schon| doch)? | mir auch
        ich auch( nicht)? | finde ich auch | sehe ich auch so
        (ich )?(lache?|freue?) mich( kaputt| schlapp| sehr| auf dich| schon| darauf| für dich)* | wie schade
        was für ein(e)?n? (\\w+ )?(<wetter>|pech|glück|chaos|leben|welt|woche) | moment( mal)? | sekunde
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
        wie (fühlst|schläfst|funktionierst|arbeitest|lernst) du( dich)?.{0,20} | wie heißt du( (eigentlich|denn))*
        wo (wohnst|lebst) du | woher kommst du | was kannst du( (alles|so|eigentlich|für mich tun|denn))*
        (so|sehr|echt|voll|total|richtig|wirklich|wie|ganz|mega) \\w+ | bist du (?!.{0,20}sicher).{1,40}
        du bist .{1,40} | du (machst|kannst|weißt) (das|ja|aber|echt|wirklich) .{1,30}
        was (würde|täte) ich (nur )?ohne dich.{0,10}
        (kannst|könntest) du (auch |eigentlich )*(mich )?(hören|sehen|fühlen|träumen|singen|tanzen|schwimmen|denken|
            kochen|fliegen|lachen|deutsch|englisch|schlafen|verstehen).{0,20}
        (magst|liebst|hasst|träumst|schläfst|isst|trinkst|fühlst|glaubst|vermisst|verstehst|sprichst|
            hörst) du (?!mir ).{0,40}
        was hältst du von .{1,30} | wie findest du .{1,30} | wo kommst du her | was magst du.{0,20}
        was sind deine .{1,30} | was hast du (heute |gestern |so )*(gemacht|getrieben|erlebt)
        geht('?s| es) dir( <sehr>)* gut | bei dir (so )?(auch )?(alles )?(klar|gut|okay|los)
        (und )?wie war('?s| es)( bei dir)? | (gut )?(geschlafen|gefrühstückt|gegessen)
        hast du (heute )?(schon )?(was|etwas) vor
        hast du (geschwister|kinder|haustiere|familie|einen freund|gut geschlafen|hunger|durst|gefühle|freunde|hobbys|
            einen namen|mich vermisst|zeit|lust|langeweile|geschlafen)
        (wirst|fühlst|langweilst|wärst) du .{0,30} | wer hat dich (gemacht|gebaut|erschaffen|programmiert|erfunden)
        wer hätte das gedacht | echt( jetzt)? | wirklich | ernsthaft | im ernst | und (du|selbst|dir|bei dir)
        (na,? )?alles (gut|klar|okay|fit)( bei dir)? | wie bitte | was | hä+ | wieso | warum( nicht)?
        was meinst du( damit)? | ist das nicht <gut> | was ist (dein|deine) .{1,40} | was ist (los|der sinn des lebens)
        na | oder | nicht wahr | heiratest du mich
        (<sehr> )*<gut>(e|er|es)? <wetter>( heute)?,? (oder|nicht wahr|ne|gell|nicht)( nicht)?
        alles (im (lot|grünen|griff)|paletti|easy|bestens|roger|gut|fit|frisch|senkrecht)( bei (dir|euch))?
        (und |na )*,? ?(wie|was) (läuft|geht|machst du|treibst du)('?s)?( (so|bei dir|denn|grad|gerade|heute))*
        (und |na )*(bist du )?(fit|munter|wach|ausgeschlafen)( heute)?
        """
    ),
)
