"""English: what sort of statement, about what, and what stands around a name."""

from __future__ import annotations

from functools import partial

from memory.capture.cues import Marks
from memory.capture.english.parts import english
from memory.types import Kind

_PARTS = {
    "be": "is | are | was | were | 's | 're | isn'?t | aren'?t | wasn'?t | weren'?t",
    "i": "i | we",
    "still": "really | still | also | just | definitely | probably | absolutely | do | honestly | totally | never",
    "just": """
        just | also | finally | already | never | only | then | almost | once | recently | really | both | even
        have | had""",
    "did": """
        was | were | went | got | had | made | met | saw | did | took | bought | sold | found | lost | broke | ate
        drank | slept | woke | ran | swam | rode | drove | flew | left | came | began | told | said | spoke
        heard | felt | wrote | read | sent | paid | gave | put | set | built | taught | learnt | forgot | won
        fell | hurt | cut | hit | moved | grew | spent | been | seen | done | gone | eaten | caught | brought
        thought | kept | hid | threw | stood | sat | quit | \\w{3,}ed""",
    "ago": """
        yesterday | last (night|week|month|year|weekend|summer|winter|spring|autumn|<day>)
        (years|months|weeks|days) ago""",
    "verdict": """
        better | worse | best | worst | overrated | underrated | over-?priced | boring | awful | terrible
        horrible | fun | disgusting | delicious | great | good | bad | excellent | amazing | awesome | fantastic
        wonderful | brilliant | annoying | ugly | beautiful | lovely | disappointing | perfect | expensive | cheap
        useless | too \\w+ | nicer | funny | stupid | tasty | (un)?comfortable | a waste of \\w+
        worth (it|the|every) | ridiculous | (un)?fair""",
    "rather": """
        not | way | much | far | so | really | pretty | just | quite | a bit | a little | the | simply | still
        very""",
    "kin": """
        mother | father | mum | mom | dad | parents? | brothers? | sisters? | sons? | daughters? | wife | husband
        partner | girlfriend | boyfriend | fianc[eé]e? | uncle | aunt | cousins? | niece | nephew
        grand(ma|pa|mother|father|son) | boss | manager | colleagues? | co-?worker | teammate | assistant
        neighbou?rs? | friends? | roommate | flatmate | land(lord|lady) | doctor | gp | dentist | therapist
        teacher | tutor | coach | lawyer | plumber | electrician | accountant | hairdresser | mechanic | vet
        nanny | babysitter | client | customer | \\w+-in-law | god\\w+er""",
    "pet": "cat | dog | puppy | kitten | rabbit | hamster | horse | parrot | tortoise",
    "near": "new | old | best | older | younger | big | little | former | twin | ex",
    "press": """
        press | hold | run | use | turn | click | open | type | pull | push | unplug | enter | go | take | put
        remove | add | select | choose | mix | wait | start | log | dial | restart | switch | insert | lift | boil
        fill | tap | reset""",
    "order": """
        answer | reply | respond | use | write | call | speak | send | suggest | keep | talk | mention | ask
        wake | text | schedule | add | put | book | share | leave | open | close | lock | take | wear | disturb
        interrupt | say | tell | give | address | start | end | make | include | be | translate | buy | contact
        remind""",
}

_signs = partial(english, **_PARTS)

MARKS = Marks(
    kinds={
        Kind.PROCEDURE: _signs(
            """
            first ... then | steps? (\\d|one) | (the|my|our) (way|trick|procedure|recipe|steps) (to|for|is|of|are)
            ^how to
            (to|for) (?!(be|me|my|the|an?|us|go)(?!\\w))\\w+ [^.!?]{2,60}?[,:] (you |just |first |always |
                then )*<press>
            <press> ... (and|then|for \\d+|until|before|after that) (?=<press>|it|you) | run `[^`]+` | in order to
            you (have|need) to <press> | by (pressing|holding|running|turning|clicking|typing|pulling|pushing)
            """,
        ),
        Kind.INTENTION: _signs(
            """
            remind (me|us) | reminder | to-?do | (don'?t|do not) forget (to|about) | remember to | shopping list
            <i>( <still>)* (need to|have to|must|should|ought to|gotta|got to|want to|wanna|plan to|intend to|hope to)
            <i>( <still>)* (will|shall|aim to|plan on) | i'?ve got to | i'll | we'll
            (i'd|i would|we'd|we would) like to
            (i'?m|i am|we're|we are) (also |still |now )*(going to|gonna|planning|about to|hoping|flying|meeting|
                leaving)
            my (\\w+ )?(goal|plan|dream|resolution|aim)s? | (my|our|the) deadline
            due (on|by|at|in|next|this|tomorrow|\\d) | (^|i |we )(still )?need (to|some|more|an?|new)
            (^|still )(have|need|got) to | by (tomorrow|tonight|<day>)
            """,
        ),
        Kind.OPINION: _signs(
            """
            prefer(s|red)?
            <i>( <still>)* (like|love|hate|dislike|enjoy|think|believe|feel (that|like)|guess|suppose|doubt)
            <i>( <still>)* (trust|adore|loathe|despise|find|reckon|suspect|agree|disagree|admire|appreciate)
            (likes|loves|hates|dislikes|enjoys|thinks|believes|adores|loathes|finds|agrees|detests)
            (don'?t|do not|doesn'?t|does not|didn'?t|never) (really )?(like|love|want|think|believe|trust|enjoy|
                care for)
            (can'?t|cannot|can not|could not|couldn'?t) stand | favou?rites? | in my (opinion|view) | imh?o | rather
            (<be>|tastes?|tasted|looks?|looked|sounds?|seems?|seemed|smells?)( <rather>)* <verdict>
            (fan|fond|sick) of | (always|never|please|don'?t|do not) (ever )?<order>
            (keep|make) (your|the|my) (answers|replies) | from now on
            (answer|reply|respond|speak|write)( to me| me)?( only)? in \\w+ | the best ... (ever|i know|in town)
            """,
        ),
        Kind.EXPERIENCE: _signs(
            """
            (<i>|i'?ve|we'?ve|i'd|we'd)( <just>)* <did> | (today|<ago>|this (morning|afternoon)) ... (<i>|me|us|my|our)
            (took|gave|showed|told|taught|sent|asked|invited|called|helped|visited) (me|us) | <i> (have )?never
            (i'?m|i am|i'?ve been|i feel) (feeling |a bit |so |very |really )*(sick|ill|exhausted|stressed|sad|happy|
                proud)
            (i'?m|i am|i'?ve been|i feel) (feeling |a bit |so |very |really )*(tired|nervous|excited|injured|homesick|
                anxious)
            (i'?m|i am|we'?re) (in|at|on) | my (first|last) (day|trip|visit|time|week)
            (^|had )a (great|good|bad|terrible) day
            """,
        ),
        Kind.WORLD: _signs(
            """
            <be> | has | have | had | will | won'?t | can | can'?t | costs? | opens? | closes? | starts? | ends?
            begins? | contains? | lives? | works? | means? | needs? | takes? | comes? | goes | got | became | died
            left | keeps? | speaks? | owns? | plays? | studies | drives? | runs? | uses? | belongs? | says? | said
            wants? | hangs? | stands? | born | expires? | arrives? | leaves? | departs? | lands? | lasts? | did | does
            do | don'?t | doesn'?t | \\w{3,}ed | knows? | moves? | sits? | i'?m | turns? | requires? | includes?
            \\d{1,2}(:\\d\\d| ?[ap]m) | (appointment|meeting|flight|birthday|exam|dentist|wedding|party|interview)
            on (<day>) | [^:]{2,40}:(?!//) *\\S+ | (\\w+\\W+){4}\\w+
            """,
        ),
    },
    categories=(
        (
            "rule",
            _signs(
                """
                (always|never|don'?t ever|do not ever) <order> | from (now|today) on
                (please|pls) (don'?t|do not|<order>) | ^(don'?t|do not|no more) (ever )?<order>
                must (not|never|always) | mustn'?t | (not|isn'?t|aren'?t) (allowed|permitted)
                (is|are) (forbidden|prohibited|banned|mandatory|required)
                (^|there are )no \\w+ (before|after|in|on|at|during|without) | (the )?rules?( is| are|:)
                (answer|reply|respond|speak|write)( to me| me)?( only)? in \\w+ | call me (?!<later>)\\w+
                (keep|make) (your|the|my) (answers|replies|responses|messages) | only (allowed|permitted)
                under no circumstances | every(one|body) (must|has to|needs to) | use (metric|celsius|euros|the 24)
                """,
                later="(back|at|later|when|if|on|tomorrow|tonight|about)(?!\\w)",
            ),
        ),
        (
            "decision",
            _signs(
                """
                decided | decides? | decision | (we'?re|we are|i'?m|i am) (now )?going with
                <i> (\\w+ )?(chose|picked|opted|settled) | settled on | agreed (to|on|that|with) | opted for
                went with | made up (my|our) mind | it'?s settled
                (we'?ll|we will|i'?ll|i will) (use|go with|stick (with|to)|switch to|stay with)
                """,
            ),
        ),
        (
            "lesson",
            _signs(
                """
                (learn(ed|t)|reali[sz]ed|discovered|figured out|found out) (today |the hard way |that |to |never )+
                lessons? | turn(s|ed) out | next time | mistake | never again | in hindsight | should(n'?t)? have
                moral of | takeaway | the hard way | note to self
                """,
            ),
        ),
        (
            "workflow",
            _signs(
                """
                first ... then | steps? (\\d|one) | ^how to | in order to
                (the|my|our) (procedure|recipe|routine|process)
                """
            ),
        ),
        (
            "goal",
            _signs(
                """
                my (\\w+ )?(goal|dream|resolution|aim|target)s? | goals? | bucket list
                <i>( <still>)* (want to|would like to|'d like to|wanna|hope to|aim to|plan to) <achieve>
                """,
                achieve="""
                    learn | run | lose | become | read | finish | save | be | stop | quit | get | write | start
                    reach | visit | master | walk | eat | sleep | build | earn | travel | see""",
            ),
        ),
        (
            "preference",
            _signs(
                """
                prefers? | (?<!would\\s)(?<!looks\\s)(?<!feels\\s)likes? | loves? | hates? | dislikes? | enjoys?
                adores? | rather | favou?rites? | (can'?t|cannot) stand | (fan|fond|sick) of | not (keen|into)
                vegetarian | vegan | allerg\\w+ | (doesn'?t|don'?t) (eat|drink|like)
                """
            ),
        ),
        (
            "event",
            _signs(
                """
                birthday | appointment | flight | meeting | wedding | party | concert | conference | exam | trip
                interview | funeral | anniversary | graduation | surgery | operation
                (dinner|lunch|breakfast) (with|at|on|is) | festival | holiday | vacation | workshop | webinar
                rehearsal | <ago> | tomorrow | tonight | (on|next|this) (<day>)
                this (morning|afternoon|evening|weekend) | at \\d{1,2}(:\\d\\d| ?[ap]m| o'?clock)
                (dentist|vet|doctor) (at|on|<day>)
                (arrives?|arrived|leaves|departs?|lands?|starts?|begins?|happened|takes place|died|born|
                    married) ... (in|on|at) \\d
                """,
            ),
        ),
        (
            "entity",
            _signs(
                """
                is (an? |the )?(\\w+ )?(company|startup|start-up|app|brand|project|product|restaurant|cafe|shop|store|
                    city|town)
                is (an? |the )?(\\w+ )?(village|river|band|book|film|movie|website|tool|library|team|agency)
                (is|are) (called|named) | nickname
                """,
            ),
        ),
        (
            "person",
            _signs(
                """
                (<be>|<mine>) (my |our |his |her |their |the |an? )?((<near>) )*(<kin>|<pet>) | works? (at|for|as|in)
                lives? (in|at|near|with|next)
                (is|got|was|are) (married|born|divorced|engaged|pregnant|retired|single|from)
                is an? (\\w+ )?(nurse|doctor|teacher|engineer|lawyer|student|designer|developer|pilot|chef|artist|
                    musician)
                is an? (\\w+ )?(actor|architect|manager|carpenter|programmer|scientist|journalist|baker|farmer|
                    vegetarian|vegan)
                (is|turn(s|ed)) \\d{1,3} years old | turn(s|ed) \\d{1,3} | speaks \\w+ | studies | grew up
                left-handed
                has (two|three|four|an?|one|\\d) (\\w+ )?(kids?|children|sons?|daughters?|brothers?|sisters?|cats?|
                    dogs?)
                """,
            ),
        ),
    ),
    before_name=_signs(
        """
        mrs?\\.? | ms\\.? | miss | dr\\.? | prof(essor)?\\.? | uncle | aunt(ie)? | named | called
        (my|our|his|her|their) ((<near>) )*(<kin>|<pet>)('s name)?( is)?( called| named)?
        """,
    ),
    after_name=_signs(
        """
        likes | loves | hates | prefers | works | lives | said | says | told | called | thinks | wants | knows | wrote
        asked | studies | speaks | and i | owes | recommended | drinks | eats | married | turned \\d+ | moved to
        can'?t stand | is out (sick|of office|until)
        is (on (holiday|leave|vacation)|left-handed|in charge|responsible|retired) | (my|our) \\w+'s name is
        is (my|our|his|her|allergic|married|pregnant|vegetarian|vegan|coming|\\d+ years)
        is an? (vegetarian|vegan|doctor|nurse)
        """
    ),
)
