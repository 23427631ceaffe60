"""English: hello, thanks, small talk."""

from __future__ import annotations

from memory.capture.cues import Manners
from memory.capture.english.parts import english

MANNERS = Manners(
    greeting=english(
        """
        (hi+|he+y+|hello+|hiya|heya|howdy|hullo|yo<end>)( (there|again|all|everyone|guys|team|buddy|mate|my friend))*
        good (morning|afternoon|evening|day)( (to you|my \\w+|[a-z]+))?<end>
        (morning|evening|afternoon)( (all|everyone|team))?<end> | g'day | greetings( from \\w+)?<end>
        welcome back<end> | long time no see<end> | (nice|good|great|lovely) to (see|meet) you( again| too)?<end>
        cheers<end> | i'?m (back|here)( again| now)?<end> | it'?s me( again)?<end>
        (happy|merry) (birthday|new year|easter|holidays|friday|monday|christmas)( to you| too)?<end>
        (best|kind|warm) (wishes|regards)<end>
        """,
    ),
    farewell=english(
        """
        good night( (to you|my \\w+|[a-z]+))?<end> | (night|night night|nighty night|nite)( (all|everyone|team))?<end>
        (ok(ay)? |right |well |so )?good ?bye( for now| then)?<end> | bye+(-| )?(bye)?( for now| then| all)?<end>
        farewell<end> | cya<end> | ttyl<end> | see (you|ya|u)( (again|later|soon|tomorrow|around|then|on \\w+))*<end>
        (talk|speak) (to you )?(later|soon|tomorrow)<end> | take care( of yourself)?<end> | sleep (well|tight)<end>
        (until|till) (tomorrow|next time|later|then)<end> | so long<end> | cheerio<end> | ta-?ta<end> | later<end>
        ((i'?m )?wishing you|(i )?wish you|have) an? (good|nice|great|lovely|wonderful) (one|day|evening|night|weekend|
            time|week)( too)?<end>
        sweet dreams<end> | i'?m off( again| now| to bed)?<end> | (i'?m )?going to (bed|sleep)( now)?<end>
        (i )?(gotta|got to|have to|must) (go|run)( now)?<end> | catch you later<end> | signing off<end>
        (i'?m |im )?(off|heading|headed|popping)( (to|out|home|for|off|now|then|bed|the night|today|sleep))+<end>
        (to|time for|straight to) bed( for me)?<end> | bedtime( for me)?<end>
        (i )?(gotta|got to|have to|must|need to|should|better) (dash|go|run|head (off|out|home)|sleep|get going|
            be off|leave|bounce|crash|hit the (hay|sack))( now| then| to bed)*<end>
        (that'?s|thats) (me|it|all)( (done|off|out))? for (today|now|tonight|the (day|night))<end>
        hitting the (hay|sack)<end>
        laters?<end> | catch (you|ya|u)( (later|tomorrow|soon))?<end> | love (you|ya|u)( (lots|too))?<end>
        kisses<end> | hugs<end> | (xo)+x?<end>
        i'?m (out|outta here|calling it a (night|day))<end>
        (toodles|peace out|over and out|nighty?|nite nite|gn|g'?night)<end>
        (until|till) (next time|tomorrow)<end>
        """
    ),
    thanks=english(
        """
        (many |big |ok |okay |great |perfect )?(thanks|thank (you|u|ya)|thx|tysm|tnx|
            thanx)(?! to)( <much>)*( <what_for>)?
        ty<stop> | much appreciated | (i )?(really )?appreciate (it|that|this|your help)<stop> | i owe you( one)?<stop>
        i'?m (so |very |really )?grateful<stop> | you('?re| are) a (life ?saver|star|legend|gem|genius|angel)<stop>
        """,
        much="""
            (so|very) much|a (lot|million|bunch|
                ton)|loads|again|anyway|in advance|from the bottom of my heart|man|mate|buddy""",
        what_for="for [^,.;!?]{1,60}<stop>",
    ),
    filler=english(
        """
        ok(ay)? | and | so | but | also | then | oh | ah | hey | well | hm+ | u[mh]+ | erm | yes | yeah | yep | now
        anyway | btw | by the way | sorry | excuse me | wait | again | actually | alright | all right | listen
        let'?s see | guess what(?=,) | (do )?you know what(?=,) | say(?=,)
        (one |a |another )?(last |more |quick |small |stupid |silly |random )*(question|thing) | no(?=,) | first(?=,)
        just (wondering|curious|asking) | maybe(?=,) | unrelated(?=,|:)
        """
    ),
    please=english("please | pls | plz | kindly"),
    chatter=english(
        """
        lma+o+ | ye+s+ | ye+a+h+ | aw+( bless( (him|her|you|them))?)? | bless( (him|her|you|them))? | true( that)?
        ikr | ta(?!-) | fab | grand | ace
        (i'?m |i am |im )?(<very> )*(knackered|shattered|pooped|wiped|beat|whacked|done in) | yup+ | aye | cheers
        that'?s what i (wanted|needed) to (know|hear) | definitely not | same to you | ok(ay|ie|ey)? | k+ | lol | rofl
        lmao | (ha){2,}h? | (he){2,} | yes | yep | yeah | yup | nope | nah | sure( thing)? | right | exactly | indeed
        absolutely | definitely | of course | certainly | agreed | same( here)? | me (too|neither) | wow | whoa | o+h+
        a+h+ | aha | aw+ | hm+ | huh | oops | ouch | yay | phew | yikes | ugh | meh | damn | gosh | omg
        oh my( god| goodness)? | whatever | never ?mind | nvm
        (just )?(forget|drop|skip) (about )?(it|that|this)( for now)? | got it | gotcha | i see | understood
        roger | noted | will do | done | makes sense | all (good|set) | deal | (sounds|looks|feels|seems) <good>
        no (problem|worries|idea|rush|way|doubt|need|thanks?) | np | xd+
        (that'?s|that was|this is|exactly|just)( exactly| just)? what i (needed|wanted|was looking for|meant)
        my (bad|mistake|fault|apologies) | sorry( about that| for that)? | please | (you'?re )?welcome | any ?time
        my pleasure | touché | (lovely|nice|great|good) (chatting|talking) (to|with) you | you('?re| are) right
        unbelievable | thank goodness | as you (like|wish|say) | wait( a (sec|second|minute|moment))? | for sure
        no way | not really | whatever you say | maybe | perhaps | could be | (i )?(don'?t know|dunno)(?!,) | idk
        no clue | beats me | on it | as you wish | (i'?ll be )?right back | catch you later | later
        get home safe(ly)? | (i )?missed you | you did (that |it )?(<very> )*(<good>|well) | (the )?weather is .{1,25}
        (i )?hope (you('?re| are)|all is|everything is) (doing )?(well|good|ok|okay|fine)
        you helped me (a lot|so much)?( today)? | i'll (get back to you|be back|write you)( later| soon| tomorrow)?
        (i'?m|i am) (<very> )*(tired|hungry|thirsty|sleepy|exhausted|freezing|cold|hot|starving|
            beat)( today| right now| again)?
        (now )?i remember( now)? | i (knew|thought) (it|so|as much) | you saved (me|my \\w+)( today)? | works for me
        (that'?s )?fine by me | i told you so | see\\? | better than nothing | at least | it happens | no hurry
        take your time | relax | chill | keep it up | hang in there | i can'?t believe it | sounds (?!like)\\w+
        bummer | too bad | oh well | poor (you|thing) | (i'?m )?(so )?(glad|happy|sorry|sad) to hear( (that|it))?
        pity | (oh )?come on | that'?s (all|it)( for now| for today)? | good for you | that'?s life | no kidding
        (i )?miss(ed)? you
        (you|u|you'?re|you are|that'?s|that (is|was)|this is|it'?s|it (is|was)) (<very> )*<good>( <praised>)?
        (<very> )+<good>( <praised>)? | <good>( <praised>)? | well done | bravo | congrat(s|ulations) | good luck
        have fun | let me (think|see)( about (it|that))? | (just )?(a|one) (sec|second|moment|minute) | hold on
        hang on | brb | (i )?love (it|that|you|this)( so much)? | i like (you|it|that|this)( a lot)?
        i (love|like|enjoy) (talking|chatting) (to|with) you( so much)? | just (kidding|testing) | jk
        i'?m (so )?(fine|good|great|ok|okay|well|bored|kidding|joking|done|ready|not sure|doing (well|fine|great|ok))
        you (rock|rule|made my day|helped( me)?( a lot)?) | that('s| is)? (helps|helped|works|worked|did the trick|it)
        (what a|such a) (<good> )?(<weather>|world|life|pity|shame|surprise|mess|relief)( today)? | enjoy | test(ing)?
        ping | that'?s what i thought | (it'?s )?(<very> )*<good> <weather>( today| outside)?
        nothing( much| special| new)? | not (much|really|yet|bad) | let'?s (go|start|begin) | here we go
        (how )?time flies | who knows | what else is new | how (you|ya) doing? | thank god | i (think|guess|hope) so
        i know(?!,) | fair enough | if you say so | why not | you bet | isn'?t it | sounds like a plan | cheers
        fingers crossed | you too | then | now | so | very | well | man | dude | bro | too | as well | it | that
        there | again | really | already | you | and | but | no | mate | my friend | scrubjay | bot | today | just
        a lot | me
        """,
        praised="""
            (one|bot|job|work|idea|of you|to (hear|know)|point|news|joke|day|weather|evening|morning|stuff|
                question|answer|try|thing)""",
    ),
    about_agent=english(
        """
        how (are|r) (you|u|things)( <lately>)* | how do you (do|feel)( <lately>)* | how have you been
        how'?s it going( <lately>)*
        how('?s| is| was) (life|everything|things|your (day|morning|evening|weekend|
            night))( going| so far)?( <lately>)*
        what'?s (up|new|going on|happening) | wass?up | sup | what('?s| is) your (name|(favou?rite|age|job) ?.{0,40})
        (are )?you (still |again )?<state>( again| still| <lately>| or .{1,30})?
        (so|very|really|how|super|quite|pretty) \\w+ | are you .{1,40}
        (how|what) about (an?|some|another) (\\w+ )?(joke|story|poem|song|game)s? | you('?re| are) .{1,40}
        what would i do without you | would you (like|rather|ever|say) .{1,60}
        what('s| is) your (opinion|view|take) .{1,40} | who are you
        what are you( (doing|up to|called|thinking|made of))?( <lately>)* | what can you do( for me)?
        what do you (do|think|want|mean|dream)( (of|about|by) .{1,30}| all day| for fun)?
        how (old|tall|smart) are you | where (are you|do you (live|come))( from)?( <lately>)*
        who (made|built|created|programmed|trained|owns|invented) you | do you (ever )?<mental>( .{1,40})?
        can you <ability>( .{1,25})? | (did|have) you (sleep|slept|miss|eat|eaten).{0,10}
        what are your (hobbies|plans|dreams|pronouns|interests) | who would have thought( it| that)?
        who (knew|cares)( anyway| about (it|that|this))?
        (do )?you know what | (oh )?really | seriously | right | you know | guess what
        is(n'?t)? (it|that)( so)?( <good>)? | will you marry me | what('?s| is) the meaning of life | why (not|me)
        how come | what | huh | (and )?(you|yourself) | what do you mean | how so | is that so | ready
        (<very> )*<good> <weather>( today)?,? (isn'?t it|right|huh)
        how('?s|s| is| was| has| are) (your|ur|the) (week|day|weekend|morning|night|evening|life|family|
            things)( (going|been|treating you|so far))*( <lately>)*
        how('?s|s| is| are) (things|it|everything|life|stuff)( (with|on|at|going) ?(you|u|ya|your end)?)?( <lately>)*
        (are )?(you|u|ya) (having|enjoying) (an? |your )?(<good> )?(day|morning|evening|week|weekend|life|time|one|
            fun).{0,12}
        (what|whatcha|wot)( (are|have))? ?(you|u|ya)?( been)? (up to|doing)( <lately>)* | (wyd|hru|hbu|wbu|wassup|sup)
        (have you |you |u )?been (busy|well|good|up to much|keeping (well|busy)|ok(ay)?)( <lately>)*
        (slept|sleep|eaten) (well|ok(ay)?|yet|already)
        (are )?(you|u|ya) (ok(ay)?|good|well|al(l )?right|fine)( (mate|buddy|man|bro|love|there|today))*
        (are )?(you|u|ya) (doing|feeling|keeping|holding up) ?(ok(ay)?|good|well|al(l )?right|fine)?( <lately>)*
        """,
        lately="doing|feeling|going|all|today|tonight|now|right now|these days|this \\w+",
        state="""
            ok(ay)? | there | alright | around | here | awake | alive | kidding | joking | serious | sure | real
            human | happy | sad | tired | busy | smart | single | bored | angry | conscious | ready | listening""",
        mental="""
            like | love | hate | enjoy | feel | dream | sleep | eat | drink | miss | trust | believe in | speak
            understand | want | think | get (bored|tired|lonely)
            have (an? |any )?(name|feelings?|friends|soul|hobbies|siblings|brothers|kids|pets|plans|family)""",
        ability="""
            hear | see | feel | dream | sing$ | dance | swim | fly | cook | speak | understand | think | sleep
            eat | lie | love | laugh | cry | read (my )?minds?""",
    ),
)
