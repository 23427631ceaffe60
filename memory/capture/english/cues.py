"""English: questions and orders."""

from __future__ import annotations

from memory.capture.cues import Cues
from memory.capture.english.parts import english

CUES = Cues(
    polite=english(
        """
        would you mind
        (please |pls )?(can|could|would|will|can'?t|couldn'?t) (you|u)( (please|pls|kindly|quickly|maybe|also|just))*
        i('?d| would)? (want|need|like) you to | i'?d like you to | be so kind and
        """
    ),
    keep=english(
        """
        (also |always |just )?remember(ing)? (that|this(?= *[:,–-])|:)(?! (one|guy|place|restaurant|
            time)(?!\\w)) *[:,]?
        (also |just )?(make|take|leave) (a |me a )?(quick |short |
            mental )?note( for me)?( that| of the fact that| of)? *[:,]?
        (also |just )?(write|writing|jot|jotting|note|noting|put|putting) ((this|that|it|
            the following) )?down( for me)?( that)? *[:,]?
        (also |just )?note (that|this(?= *[:,–-])|for (me|later)) *[:,]? | (side |quick )?note *[:–-] | memo *:
        note to (my)?self *[:,–-]? | (keep|bear|have) (this |that |it )?in mind( that)? *[:,]? | (new )?fact *:
        (save|store|record|log|memori[sz]e) (that|the fact that|((this|it|the following)( for (me|
            later))?(?= *[:,–-]))) *[:,]?
        (just )?for the record *[:,]? | (just )?(fyi|for your info(rmation)?) *[:,]? | (just )?so you know *[:,]?
        just to let you know *[:,]? | (you should |you need to |you must )(remember|know|note|keep in mind) that
        (do not|don'?t|never) forget (that|this(?= *[:,–-])|:) *[:,]?
        add (this )?to (your |the |my )?(memory|notes?) *[:,]?
        """
    ),
    keep_bare=english(
        """
        (also |always |just )?remember(?! (<wh>|if|whether|to|me|this|us)(?!\\w)) *[:,]? | memori[sz]e *:?
        (do not|don'?t|never) forget(?! (to|<wh>|about)(?!\\w)) *[:,]? | note(?! (to|from|about|in|on|by)(?!\\w)) *:?
        """,
    ),
    kept=english(
        """
        (please |pls )?((can|could|would|will) you )?(please |pls )?(also |just )?(remember|note|save|store|
            keep)( <it>)*
        (please |pls )?((can|could|would|will) you )?(please |pls )?(memori[sz]e|don'?t forget|make a note of)( <it>)+
        (please |pls )?((can|could|would|will) you )?(please |pls )?(write|note|jot|put)( <it>)* down( <it>)*
        """,
        it="that|this|it|in mind|for me|for later|somewhere|ok|okay|please|pls|will you|would you",
    ),
    look_up=english(
        """
        (just )?(tell|show|send|give|text|read) me( (again|back|once more|quickly|please))*,? <known>
        (just )?(tell|remind) (me|us)( again)?,? <whether>(?! <arrival>) | remind me (of|about)(?!...<time>)
        tell me about | let me know (<whether>|about) | need to know <whether> | (happen to )?know <known>
        (look up|recall|find out|work out|figure out)( again)? <whether> | (double-?check|check|see)( again)? <wh>
        (look up|retrieve|recall|pull up|bring up) <mine> | search (for <mine>|my|our|everything|all)
        (look|search|go|check)( (in|through))? (my|our|the|your) (\\w+ )?(notes?|memory|diary|log|calendar|entries|
            files)
        list (all|every|everything|my|our|what) | name (all|every) | (brief|refresh) me | (fill|catch) me (in|up)
        (recap|read back|dig out|walk me through|show) (me )?<known>
        (give|send|show|read|get|make) me (an?|the) (list|summary|overview|recap|rundown) of <known> | get me <mine>
        (<mine> |the )?(notes|entries|schedule|agenda|appointments|plans|to-?dos|tasks)( (for|on|about|from|
            with) .{2,30})?$
        (it('d| would) be )?(nice|good|great|helpful) to know <whether>
        find (my|our|what|where|everything|anything|all|out|the (note|entry|place|message|<secret>))
        summari[sz]e (what|everything|all) | any (idea|clue|news|notes?|info|memory|thoughts|plans)
        (do|did|don'?t|didn'?t) (you|u|we|i) (still |happen to |also |ever )?(know|remember|recall|have|note|save|say|
            tell)
        <i>(wonder|wondered|wondering|curious|was asking myself),? <whether>
        <i>(trying to|need to|want to|would like to|'d like to) (remember|recall|figure out|find out|
            look up) (<whether>|<mine>)
        <i>(looking for (<mine> (\\w+ )?<secret>|my notes)|not sure( any ?more)? <whether>)
        <i>((need|want|would like|'d like|'d love) to|wanna) know <known>
        <i>(forgot|forgotten|forget)( again)?,? (<whether>|<aux>|<mine> (\\w+ )?<secret>(?! (at|in)(?!\\w)))
        <i>(can'?t|cannot|don'?t|do not|couldn'?t|no longer)( (quite|really|even|exactly))* (remember|recall|know|
            find)(?! <doubt>(?!\\w)) (<whether>|<mine> (\\w+ )?<secret>|any ?more)
        (<i>(have|'ve got|got) )?no (idea|clue) <whether> | you (still |probably )?(know|remember) <whether>
        (everything|anything|all|what) (that )?(you|we|i)('ve)?( (already|ever|still|have))* (know|said|told|noted|
            wrote)(?!... (is|was|are|were)(?!\\w))
        remember (<wh>|if|whether)(?!...:) | (what|how) about | is it true | who else
        anything (about|on|else|new|for) | <i>(really |could )?(need|use) <mine> (\\w+ )?<secret>
        (refresh|jog) my memory | help me (remember|recall)
        (\\w+ )?(password|passcode|pin|birthday|phone number|shoe size)$
        <mine> (\\S+ ){0,2}<secret>( again)?( (please|pls))?$
        the <secret> (of|for) [^,:]{2,30}( (please|pls|again))+$ | (<mine>) [^,:]{2,40} again,? (please|pls)$
        """,
        i="""
            ((i|i'm|i am|im|i've)( (just|have|was|am|really|still|quite|completely|totally|already|always|
                seem to have))* )?""",
        whether="<wh> | if | whether",
        known="""
            about | of | everything | anything | all | more | again | if | whether | <wh> | <mine> | notes?
            memory""",
        arrival="(i|we) (get|am|are|arrive|leave|come|go|reach) | i'?m",
        doubt="what to | how to feel | the last time | (if|whether) i should | anyone | him | her | them | why i",
    ),
    reminder=english(
        """
        remind(ing)? (me|us) | set (up )?(a|another|me a) reminder | (a )?reminder *:? | to-?do *:? | task *:?
        shopping list *:? | (remember|don'?t forget|do not forget|try) (not )?to | (don'?t|do not) forget about
        add ... to (my|the|our) (to-?do|shopping|grocery|packing|reading|watch)( list)?
        """,
    ),
    errand=english(
        """
        (gotta|got to|have to|need to|must|should|wanna|want to|going to|gonna|supposed to) \\w+
        <errand>(?! (me|you|us|it)(?!\\w)) | <chore>(?! (me|you|us|in|to)(?!\\w))(?!... (for|to) me(?!\\w)) ...<time>
        """,
        errand="""
            buy | get | grab | pick up | drop off | call | ring | phone | pay | renew | return | submit | hand in
            finish | bring | take | pack | water | feed | walk | clean | wash | vacuum | mow | repair | change
            visit | meet | register | apply | collect | congratulate | thank""",
        chore="""
            send | e-?mail | text | message | write | cancel | reply | answer | review | read | ask | tell | check
            (book|order|schedule|reserve|make|set up|plan|arrange)(?! (an?|two|three|\\d+)(?!\\w)) | look for
            prepare | print | fix""",
    ),
    rule=english(
        """
        (always|never|only ever) \\w+ | from (now|today|this day) on(wards?)? | in (the )?future | going forward
        as of (now|today) | as a rule | whenever | (every|each) time | my name is | address me
        <speak>( (to me|with me|me|back|only|always))* (in|more|less|only|briefly|shortly|formally|informally)(?!\\w)
        call me (?!(an?|back|at|later|tomorrow|when|if|on|in|tonight|the|asap|today|up|after|before)(?!\\w))\\w+
        (do not|don'?t|stop|avoid|refrain from) (ever )?\\w+ | (switch|change) to <tongue>
        use (only |always )?<style>
        (keep|make) (all )?(your|the|my) (answers?|replies|responses?|messages|explanations)
        keep (it|things) (short|brief|concise|simple|formal|casual)
        be (more |less |very |a bit |always )*(brief|concise|short|polite|honest|direct|formal|critical|precise|
            careful)
        """,
        speak="answer | reply | respond | write | speak | talk | chat | communicate",
        tongue="english | german | french | spanish | italian | chinese | mandarin | (in)?formal",
        style="""
            metric | imperial | celsius | fahrenheit | kilomet\\w+ | the 24 | 24 | 12 | bullet | short | simple
            plain | (in)?formal | emojis? | no | fewer | less | more | british | american | iso | euros?
            markdown""",
    ),
    request=english(
        """
        write | compose | draw | generate | create | translate | rewrite | rephrase | paraphrase | proof-?read
        summari[sz]e | calculate | compute | convert | solve | browse | (un)?install | dim | unlock
        (launch|restart|reboot|google) <it>
        (draft|paint|sketch|sing|rap|design|program|debug|code|download|upload|play|pause|skip|count|compare|
            outline) <it>
        (edit|post|tweet|book|order|send|e-?mail|text|message|schedule|cancel|reserve|quiz|surprise|guess|spell|
            forward) <it>
        (turn|switch) ((it|them|the \\w+) )?(on|off|up|down) | (open|close|lock) (the|my) | shut (up|down) | go away
        be quiet | wake (up|me) | explain | define | describe | imagine | pretend | act (as|like) | role-?play | invent
        brainstorm | suggest | recommend | recite | entertain | motivate | cheer me | teach | analy[sz]e | improve
        (correct|fix) (this|my|the (bug|code|error|typo|text|grammar)) | say | repeat (that|it|after|what) | continue
        go on | try again | do (it|that|this|something|my) | stop( (it|that|now))?$ | help( me)?$ | help me
        let'?s (play|talk|chat|write|sing) | come up with | put together | (build|run) (me|this|the|a)
        look ((it|this|that) )?up (online|on the) | search (online|the (web|internet|net)|google|wikipedia|youtube)
        find (me|an?|some|cheap|good|the (nearest|best|cheapest|closest)|flights|hotels|tickets|restaurants)
        (show|read|book|order|buy|get|bring|make|call|send) me (an?|some|pictures|photos|two|three|\\d) | read me
        (bake|cook|hand|pass|fetch|pour|lend|mix|grab) me | (delete|remove) (this|that|it|the (file|note|entry))
        make me (laugh|smile|happy) | make (an?|some)
        tell (me|us) (an?|another|some|your) (\\w+ )?(joke|story|riddle|fact|poem|secret)s?
        tell me (something(?! about)|jokes|stories)
        give (me|us) (an?|another|some|your|\\d+|two|three|five|ten|ideas|tips)
        set (an?|the|my) (alarm|timer|clock|temperature|volume|heating) | start (an?|the|my) (timer|music|car|engine)
        i need (an?|some) (\\w+ )?(poem|translation|summary|recipe|joke|story|letter|speech|essay|song|logo|picture|
            idea)s?
        check (this|my (code|text|grammar|spelling|essay)) | check the (weather|news|traffic) | make a list of
        """,
        it="""
            me | us | an? | the | my | this | that | these | some | more | another | it | him | her | them | \\d+
            two | three | music""",
    ),
    no_question=english(
        """
        what an?
        how (nice|lovely|sweet|funny|strange|sad|cute|cool|annoying|wonderful|great|kind|awful|weird|
            beautiful)(?! <aux>)
        (when|whenever|while|where|wherever|what|how|why|which|who)(?! <inverted>) [^:,?]{1,80}[:,–] *(?!(again|right|
            please)(?!\\w))\\w+
        (how|where|what|why|when) to [^:?]{1,80}[:–] *\\w+ | what (i|we|he|she|they) ... (is|was|are)
        (what|which|who|how)ever | do not | don'?t (?!(you|we|i|they)(?!\\w)) | have to | has to
        had (an?|the|my|our|some|lunch|dinner|breakfast|coffee|to) | (was|is) an? | was (the|my) \\w+(?<=st)
        did (the|my|an?|some|our) \\w+( (today|yesterday|tonight|this|last|on|at|with|and).*)?$
        (should|had|were) <subject> [^,?]{2,60}, \\w+ | which (is|was) (<good>|also|not|an?|because)
        what('s| is) (more|worse|funny|great|nice|cool|weird|best), \\w+ | which (reminds|means|is why|was)
        what \\w+ (me|us)( \\w+)? (is|was|are) | what (matters|counts|helps|works|bothers) ... (is|are|was)
        what('s| is) <salient> ... (is|are|was) | will (do|call|be|go|try|see|have) | can (?!<subject>)\\w+
        may (\\d|the) | must (?!(i|we|he|she|they)(?!\\w))
        """,
        salient="important|left|nice|great|good|best|weird|funny|annoying|more|new|clear|certain|missing",
        inverted="(exactly |else |again )?<aux>(?!\\w) | (many|much|old|long|often|time|day|kind|year)(?!\\w)",
    ),
    question=english(
        """
        <wh>( (exactly|else|again|on earth))? <aux> | (<wh>)'?s | what the <secret>
        (what|which|whose) (?!(an?|i|we|you|he|she|it|they|the)(?!\\w))\\w+
        how (many|much|long|often|far|old|tall|big|late|early|soon|high|deep|heavy|fast|to|about|likely|expensive|well)
        who (?!(knows|needs|i|we|he|she|they|ever)(?!\\w))\\w+ | why (not|no|the|so)
        where (to|in|at|on|exactly|the|else|i|we|my) | when (to|exactly|again) | when (i|we|he|she|they) (last|first)
        (for|at|in|on|to|from|with|by|since|until|till|about|under|of|around) (what|which|whom|whose|who|when|
            where)(?! (i|we|it|they|he|she)(?!\\w))
        (?!(have|do) (the|it|an?|my|your)(?!\\w))<aux> <subject>(?!\\w)(?! (said|done|aside)(?!\\w))
        (does|did) (?!<statement>(?!\\w))(?!\\w+ing(?!\\w))[^\\W\\d]+('s \\w+|\\.)? (?!(and|in|at|on|with|for|today|
            well)(?!\\w))\\w+
        (is|are|was|were) (?!<statement>(?!\\w))[^\\W\\d]+('s \\w+)? (still|already|really|an?|the|my|allergic|coming|
            going|okay?|sick|married|home|in|at|on|from|free|back|vegetarian|vegan|ready|left|\\w+ing)
        (has|is|was|are|were) <name> \\w+
        has (?!<statement>(?!\\w))[^\\W\\d]+('s \\w+)? (ever|already|yet|been|called|arrived|paid|got|gone|come|said|
            sent|given|replied|\\w+ed)
        any(thing|one|body)? (about|planned|from|on|left|new|else|scheduled|for)
        """,
        statement="""
            not | now | no | still | also | always | never | allergic | going | coming | moving | on | in | at
            from | due | out | back | with | about | really | very | so | too | sick | ill | closed | open
            broken | late | up | down | gone | located | born | married | made | done | fine | it | great
            nothing | <good>""",
    ),
    asks=english(
        """
        (what|when|where|how|why) <inverted> <subject> | (what|which|how) (?!<pronoun>(?!\\w))\\w+ <inverted> <subject>
        (?<=[,:;–—-]) (what|when|how|where|who)'?s <subject>
        (?<=[, ])(what|who|when|where) (was|is|were) (it|that|he|she)$ | <wh> (was|were|is) ... again$
        (do|did) you (still )?(know|remember) | (but|so) (what|when|where|who|how|why) <aux> <subject>
        (is|was|are) (on |at |in )?(what|when|where|who|which|how)( \\w+)? again$
        """,
        inverted="do | does | did | should | can | could | would | is | was | are | were | will",
    ),
    tag=english("(ok(ay)?|alright|will you|would you|can you|could you|please|deal)$"),
    clause=english("<wh> | whether | if"),
)
