"""English: orders, to the agent and to oneself."""

from __future__ import annotations

from memory.capture.cues import Orders
from memory.capture.english.parts import english

ORDERS = Orders(
    polite=english(
        """
        (it('d| would) be (great|nice|lovely|cool|awesome|helpful)|i'd appreciate it|i'd be grateful) if you( (could|
            would|can))?
        if you (have|find|get) (the )?(time|a moment),? | do you mind | would you mind
        (please |pls )?(can|could|would|will|can'?t|couldn'?t) (you|u)( (please|pls|kindly|quickly|maybe|also|just))*
        i('?d| would)? (want|need|like) you to | i'?d like you to | be so kind and
        """
    ),
    tag=english("(ok(ay)?|alright|will you|would you|can you|could you|please|deal)$"),
    clause=english("<wh> | whether | if"),
    standing=english(
        """
        from (now|today|this (day|moment|point)|tomorrow|here) on(wards?)?(?!\\w) | going forward | as of (now|today)
        in future(?!\\w) | henceforth
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
    reminder=english(
        """
        remind(ing)? (me|us) | set (up )?(a|another|me a) reminder | (reminder|to-?do|task|shopping list) *:
        (remember|don'?t forget|do not forget|try) (not )?to | (don'?t|do not) forget about
        add ... to (my|the|our) (to-?do|shopping|grocery|packing|reading|watch)( list)?
        (give|drop|shoot) (me|us) an? (shout|nudge|ping|heads?[ -]?up|buzz|reminder|ring|poke|message|text)
        (nudge|ping|poke|alert|notify|warn|buzz) (me|us)
        (tell|let) (me|us)( know)? (<time>|every|each|when|before|in (an?|\\d+|two|three|five|ten) )
        """,
    ),
    errand=english(
        """
        ((must|should) (?!<subject>(?!\\w))|gotta|got to|have to|need to|wanna|want to|going to|gonna|
            supposed to) ?\\w+
        <errand>(?! (me|you|us|it)(?!\\w))(?!.* for me( please| pls)?$)
        <chore>(?! (me|you|us|in|to)(?!\\w))(?!... (for|to) me(?!\\w)) ...<time>
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
        (quit|cease|no more|enough with|lay off|cut out|skip) (the |all the )?\\w+
        you (don'?t|do not|needn'?t) (have|need) to
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
        (launch|restart|reboot|google) <it> | tell (my|him|her|them|everyone|everybody|<name>)
        (talk|chat|speak) (to|with) me
        (draft|paint|sketch|sing|rap|design|program|debug|code|download|upload|play|pause|skip|count|compare|phrase|
            plan|move|outline) <it>
        (edit|post|tweet|book|order|send|text|message|schedule|cancel|reserve|quiz|surprise|guess|spell|forward) <it>
        e-?mail (me|us|the|my|this|that|it|him|her|them|a) | (turn|switch) ((it|them|the \\w+) )?(on|off|up|down)
        (open|close|lock) (the|my) | shut (up|down) | go away | be quiet | wake (up|me) | explain | define | describe
        imagine | pretend | act (as|like) | role-?play | invent | brainstorm | suggest | recommend | recite | entertain
        motivate | cheer me | teach | analy[sz]e | improve
        (correct|fix) (this|my|the (bug|code|error|typo|text|grammar)) | say | repeat (that|it|after|what) | continue
        go on | try again | do (it|that|this|something|my) | stop( (it|that|now))?$ | help( me)?$ | help me
        let'?s (play|talk|chat|write|sing) | come up with | put together | (build|run) (me|this|the|a)
        look ((it|this|that) )?up (online|on the) | count to | search for (cheap|flights|hotels|restaurants|an?|some)
        search (online|the (web|internet|net)|google|wikipedia|youtube)
        find (me|an?|some|cheap|good|the (nearest|best|cheapest|closest)|flights|hotels|tickets|restaurants)
        (show|read|book|order|buy|get|bring|make|call|send) me (an?|some|pictures|photos|two|three|\\d) | read me
        (bake|cook|hand|pass|fetch|pour|lend|mix|grab) me | (delete|remove) (this|that|it|the (file|note|entry))
        make me (laugh|smile|happy) | make (an?|some)
        tell (me|us) (an?|another|some|your) (\\w+ )?(joke|story|riddle|fact|poem|secret)s?
        tell me (something(?! about)|jokes|stories)
        give (me|us) (an?|another|some|your|\\d+|two|three|five|ten|ideas|tips)
        set (an?|the|my) (alarm|timer|clock|temperature|volume|heating) | start (an?|the|my) (timer|music|car|engine)
        (i )?(need|want|would like|'?d like|i'd like|i'd love)?( to hear)? ?(an?|some|another) (\\w+ )?(poem|
            translation|summary|recipe|joke|story|letter|speech|essay|song|logo|picture|idea)s?
        check (this|my (code|text|grammar|spelling|essay)) | check the (weather|news|traffic) | make a list of
        writing me | (timer|alarm) (for|at|in)
        (ring|call|phone|text|email|message|book|order|buy|pay|cancel|check|renew|get|fetch|
            clean) ... for me( please| pls)?$
        (whip|knock|rustle|bash|cook|throw|draw|mock) (up|together|out)
        put (an?|the|on an?|on the) ... (timer|alarm|music|song|radio|lights?)( on)?$
        (jot|type|print|craft|pen|formulate|prepare|make|do|prep) (me|up)
        """,
        it="""
            me | us | an? | the | my | this | that | these | some | more | another | it | him | her | them | \\d+
            two | three | music""",
    ),
)
