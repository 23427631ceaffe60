"""English: questions, with and without a question mark."""

from __future__ import annotations

from memory.capture.cues import Questions
from memory.capture.english.parts import english

QUESTIONS = Questions(
    look_up=english(
        """
        (just )?(tell|show|send|give|text|read) me( (again|back|once more|quickly|please))*,? <known>
        (just )?(tell|remind) (me|us)( again)?,? <whether>(?! <arrival>) | remind me (of|about)(?!...<time>)
        tell me about | let me know (<whether>|about) | need to know <whether> | (happen to )?know <known>
        (look up|recall|find out|work out|figure out)( again)? <whether> | (double-?check|check)( again)? <wh>
        see <whether> | (look up|retrieve|recall|pull up|bring up) <mine> | search (for <mine>|my|our|everything|all)
        (look|search|go|check)( (in|through))? (my|our|the|your) (\\w+ )?(notes?|memory|diary|log|calendar|entries|
            files)
        list (all|every|everything|my|our|what) | name (all|every) | (brief|refresh) me | (fill|catch) me (in|up)
        (recap|read back|dig out|walk me through|show) (me )?<known>
        (give|send|show|read|get|make) me (an?|the) (list|summary|overview|recap|rundown) of <known> | get me <mine>
        (<mine> |the )?(notes|entries|schedule|agenda|appointments|plans|to-?dos|tasks|to-?do list|
            shopping list)(?!.*(?<!\\w)(is|are|was|were|has|have|got|will|need|\\w+ed)(?!\\w))( (for|on|about|from|
            with) [^:]{2,30})?( please)?$
        (it('d| would) be )?(nice|good|great|helpful) to know <whether>
        find (my|our|what|where|everything|anything|all|out|the (note|entry|place|message|<secret>))
        summari[sz]e (what|everything|all|(my|our) (notes|week|day|month|year|entries|trip))
        make (me )?a list of (my|our|everything|all) | any (idea|clue|news|notes?|info|memory|thoughts|plans)
        (do|did|don'?t|didn'?t) (you|u|we|i) (still |happen to |also |ever )?(know|remember|recall|have|note|save|say|
            tell)
        <i>(wonder|wondered|wondering|curious|was asking myself),? <whether>
        <i>trying to (remember|recall|figure out|find out) (<whether>|<mine>)
        <i>(need to|want to|wanted to|meant to|would like to|like to) (find out|look up|ask( you)?) <whether>
        (have|take) a (quick )?look( (at|in|up))? <known> | slipped my mind | it slipped my mind
        help me( out)?,? <wh> | search for (?!(cheap|flights|hotels|restaurants|an?|some|the best)(?!\\w))\\w+
        the <secret> (of|for|to) (?!.*(?<!\\w)(is|was|are|were|has|changed|will|needs?|\\w+ed)(?!\\w))[^,:\\d]{2,30}$
        <i>(looking for (<mine> (\\w+ )?<secret>|my notes)|not sure( any ?more)?(?! <doubt>(?!\\w)) <whether>)
        <i>((need|want|would like|like|love|'d like|'d love) to|wanna) know <known>
        <i>(forgot|forgotten|forget)( again)?,? (<whether>|<aux>|<mine> (\\w+ )?<secret>(?! (at|in)(?!\\w)))
        <i>(can'?t|cannot|don'?t|do not|couldn'?t|no longer)( (quite|really|even|exactly))* (remember|recall|know|
            find)(?! <doubt>(?!\\w))(?!<settled>(?!\\w)) (<whether>|<mine> (\\w+ )?<secret>|any ?more)
        (<i>(have|'ve got|got) )?no (idea|clue) <whether> | you (still (know|remember)|remember) <whether>
        (everything|anything|all|what) (that )?(you|we|i)('ve)?( (already|ever|still|have))* (know|said|told|noted|
            wrote)(?!... (is|was|are|were)(?!\\w))
        remember (<wh>|if|whether)(?!...:)
        (what|how) about(?! (an?|some|another) (\\w+ )?(joke|story|poem|song|game)s?(?!\\w)) | is it true | who else
        anything (about|on|else|new|for) | <i>(really )?(need|could use) <mine> (\\w+ )?<secret>
        (refresh|jog) my memory | help me (remember|recall) | (my|our) \\w+$
        (\\w+ )?(password|passcode|pin|birthday|phone number|shoe size)$
        <mine> (\\S+ ){0,2}<secret>( again)?( (please|pls))?$
        the <secret> (of|for) [^,:]{2,30}( (please|pls|again))+$ | (<mine>) [^,:]{2,40} again,? (please|pls)$
        <i>(can'?t|cannot|couldn'?t) for the life of me,? (remember|recall|think|say) | for the life of me
        <i>(can'?t|cannot|couldn'?t)( (quite|really|even|just|seem to))* (think|place|come up with|remember|
            recall)(?! the last time) (<wh>(?! to(?!\\w))|the (name|word|title)|<mine> (\\w+ )?(<secret>|(sur|last |
            maiden )name))(?!\\w)
        <i>(blanking on|(drawing|drew|draw) a blank( (on|about))?) | <i>no longer know <wh>
        (pull up|dig up|dig out|bring up|retrieve|fetch|find|show me|list|get me|give me) (all |any )?(of )?(the |my |
            our )?(notes|info|entries|details|stuff)
        (pull up|dig up|dig out|retrieve|fish out|find) (<known>|whatever)(?! boxes)
        (gimm?(e|ie)|sho?w me|shw me|giv me|gve me|tel me|tll me|lemme (see|know)|list|name)( (again|back|please|
            pls))* <known>
        (just )?(tell|show|give|send|get) me what(ever)? | give me <known>
        """,
        i="""
            ((i|i'm|i am|im|i've|i'd)( (just|have|was|am|really|still|quite|completely|totally|already|always|
                seem to have))* )?""",
        whether="<wh> | if | whether",
        known="""
            about | of | everything | anything | all | more | again | if | whether | <wh> | <mine> | notes?
            memory""",
        arrival="(i|we) (get|am|are|arrive|leave|come|go|reach) | i'?m",
        settled="""
            ... (but|anyway|in any case|luckily|at least|either way) (?!<aux>|<wh>|you|please|i (need|want|
                think))\\w+""",
        doubt="""
            <wh>( \\w+)? to
            (if|whether) (i|we)( (can|will|should|want|could|would|am|need|have to|get to|make)|'ll|'m)
            whether to | how to feel | the last time | (if|whether) i should | anyone | him | her | them | why i""",
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
        i (really |still )?(don'?t|do not) (know|remember|care) <wh> [^?]{0,60} (but|anyway|in any case|luckily|
            at least|either way) (?!(you|what|when|where|who|can|do|please)(?!\\w))\\w+
        what (?!<noun_asked>(?!\\w))\\w+ (\\w+s|\\w+ed|said) (?!(the|my|our|an?|i|we|you|he|she|they|
            it)(?!\\w))...(is|was|are|were) (an?|the|to|that|my|his|her|our|their|not|more|less) \\w+
        what('s| is) (more|worse|funny|great|nice|cool|weird|best), \\w+ | who would have thought
        which (reminds|means|is why|was) | what \\w+ (me|us)( \\w+)? (is|was|are)
        what (matters|counts|helps|works|bothers) ... (is|are|was) | what happened ... (is|was) <good>
        what('s| is) <salient> ... (is|are|was) | will (do|call|be|go|try|see|have) | can (?!<subject>)\\w+
        may (\\d|the) | must (?!(i|we|he|she|they)(?!\\w))
        """,
        noun_asked="time | day | colou?r | kind | sort | type | size | date | year | name | floor | number",
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
        (?!have (the|it|an?|my|your)(?!\\w))(?!do (the|it|an?|my|your) \\w+$)<aux> (<subject>|<name>)(?!\\w)(?! (said|
            done|aside)(?!\\w))
        (does|did) (?!<statement>(?!\\w))(?!\\w+ing(?!\\w))[^\\W\\d]+('s \\w+|\\.)? (?!(and|in|at|on|with|for|today|
            well)(?!\\w))\\w+
        (is|are|was|were) (?!<statement>(?!\\w))[^\\W\\d]+('s \\w+)? (still|already|really|an?|the|my|allergic|coming|
            going|okay?|sick|married|home|in|at|on|from|free|back|vegetarian|vegan|ready|left|\\w+ing)
        (has|is|was|are|were) <name> \\w+
        has (?!<statement>(?!\\w))[^\\W\\d]+('s \\w+)? (ever|already|yet|been|called|arrived|paid|got|gone|come|said|
            sent|given|replied|\\w+ed)
        any(thing)? (about|planned|on|left|new|else|scheduled|for)
        <wh>'(ve|d|ll|re)
        (wat|wot|wut|waht|wher|whre|wen|wich|whch|hwo|wots|wats|wens|wers|hows|whats|wheres|whens|whos|
            whys)('?s)?(?!\\w)
        what (have|had) (you|u|we|i)
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
        (i|and|but)( (have|just|still))* (forgot|forgotten|(don'?t|can'?t|cannot) (remember|recall)|no idea|wondering|
            don'?t know) (<wh>|if|whether)(?! (to|i should|i'm|i am|(i|we)('ll| (can|will|could|would|want|
            need)))(?!\\w))
        ^(?!(not|never|only|rarely|hardly|little|nor|so|neither|what|no)(?!\\w))\\w+ (\\w+ )?(did|does) <subject> \\w+
        (do|did) you (still )?(know|remember) | (but|so) (what|when|where|who|how|why) <aux> <subject>
        (is|was|are) (on |at |in )?(what|when|where|who|which|how)( \\w+)? again$
        (is|was|are|starts|begins|ends) (when|where|what time|how (much|old))( exactly)?$
        (tip of my tongue|(escapes|eludes) me( (right now|at the moment|now|again))?)(?!\\w)
        (has|have|had|'s|'ve)( (completely|totally|just|clean))* slipped my mind
        (when|where|who|what|which|how (much|many|old|long)) (again|exactly)$
        ^(?!.*(?<!\\w)(know|knew|matters?|cares?|depends?|told|said|idea|sure|wonder|forgot|decided?|asked|
            no)(?!\\w)).{6,}(?<=\\s)((at|by|until) what time( again| exactly)?|what time|how (much|many|old|often)|
            (on|in|at|from|to|with|for) (which|what|whom)( \\w+)?)$
        (gone|went|slipped|flown|vanished)( \\w+)? (out of|from) my (head|mind|memory)
        """,
        inverted="do | does | did | should | can | could | would | is | was | are | were | will",
    ),
)
