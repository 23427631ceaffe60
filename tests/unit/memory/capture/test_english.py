"""English messages and what they do."""

from __future__ import annotations

import pytest

from memory.capture import Act, act_of
from tests.unit.memory.capture.sayings import each

NOTES = """
My sister's name is Charlotte and she lives in Leeds
the spare key hangs behind the boiler
I had my wisdom teeth out this morning
we've decided to paint the hallway green
Ben can't stand coriander
My blood type is A negative
Car insurance runs out on 3 March
I'm moving to a new flat in June
Hey! the plumber comes on Thursday between 8 and 10
hi there, I started my new job today
thanks for earlier! the parcel arrived btw
Ok, so the meeting moved to 3pm
by the way, Olga is left-handed
Remember that the bins go out on Tuesdays
please remember my shoe size is 43
Could you remember that I'm allergic to penicillin?
Can you make a note that the boiler was serviced in May?
note to self: never book a morning flight again
Note: the router sits behind the TV
Don't forget that Grandma hates surprises
keep in mind that I don't work on Fridays
write this down: locker 214, combination 7-22-9
FYI the office closes early tomorrow
The wifi at the cabin is called BearNet, please save that
Max's school starts at 8:10, can you remember that?
Remind me to defrost the freezer
remind me tomorrow at 9 to ring the bank
can you remind me to take my pills at eight?
remind me about the dentist on Tuesday
don't forget to water the tomatoes
buy oat milk and bananas
Call the landlord about the heating
need to renew my passport before the summer
I still have to hand in my tax return
todo: clean the gutters
I want to learn how to sail this year
my goal is to run ten kilometres without stopping
email Karen the invoice by Friday
Always answer in Spanish
never schedule anything before ten
please don't use exclamation marks
from now on call me Captain
Keep your answers short
please use Celsius
don't ever text me after midnight
answer me in plain English please
Could you always reply in French from now on?
When I was a kid we lived next to a quarry
What I like most about the flat is the light
How to restart the pump: hold the red switch for ten seconds
Where the fuse box is: under the stairs, behind the coats
what a day, my train was cancelled twice and I missed the interview
To descale the kettle, boil it with vinegar and wait an hour
I forgot my umbrella at the office
I like the blue one better
we met Hannah's parents for the first time on Sunday
dentist tomorrow 9:30
Passport number: X1234567
vet appointment moved to monday
Design review is on Wednesday at two
Code for the garage: 5519
Will starts at Siemens in October
she asked me "when are you coming home?" and I had no answer
I think the new curtains are too dark
He said he would call back on Monday
That restaurant on Mill Lane was overpriced
We don't eat pork at home
no visitors in the lab without a badge
My password hint is the name of my first hamster
"""

QUESTIONS = """
what was the name of that plumber again
When does the car insurance run out?
who lives in Leeds
Is Ben vegetarian?
is the parcel here yet
did I pay the electricity bill
Do we have any paint left?
have I ever been to Norway
how old is Charlotte
how much did the sofa cost
which locker is mine
What's my blood type
whats the wifi at the cabin called
when is mum's birthday
and what about the garage code?
tell me what you know about Olga
Tell me about my insurance
show me everything about the boiler
remind me what the combination was
remind me where we parked
Remind me about Ben's allergies
can you tell me when the plumber comes?
Could you look up my shoe size
look up the locker number
find my notes about the holiday
list all my appointments this week
search my notes for curtains
I wonder where I left my glasses
I forgot what the landlord said about pets
I can't remember which bank we chose
I don't know when school starts
no idea which day the bins go out, do you?
I was wondering if we ever fixed the pump
do you remember the name of the hotel
do you know who painted the hallway
any idea how tall the shelf was?
Hi! when is the vet appointment?
good morning, what's on my list today?
Thanks! And where is the fuse box?
Cheers. Also, what did Karen want?
ok and who was it that called
I started a new job today. What was my old salary?
My train leaves at nine, doesn't it?
The meeting is on Wednesday, right?
I'm at the door, what is the code
in which year did we buy the car
for whom was the blue present
why did we cancel the trip
does Hannah eat fish
was it Tuesday or Wednesday
what do I need to bring to the lab
should I take the pills with food?
who told me about the quarry
everything you know about Max's school
need to know when the passport expires
what time does the pool open
how do I restart the pump
remember the name of the restaurant?
the landlord's number again?
what happened at the interview
can I park in front of the school
What did I say I wanted for Christmas?
When was the last time I saw the dentist
Summarise what I told you about the trip
"""

GREETINGS = """
hi
Hello there!
hey
good evening everyone
Hiya, Jay!
Hi, how are you?
hello, it's me again
"""

FAREWELLS = """
bye!
see you tomorrow
Good night 😴
"""

THANKED = """
thanks
Thank you so much!
thx, that helped
Thanks for the reminder!
ok thanks
great, thank you very much
Perfect, thanks a lot 🙏
cheers, much appreciated
Thanks, you're the best!
thank you for your help with the trip
"""

SMALL_TALK = """
ok
lol
haha nice
cool
sounds good
how's it going
what's up
What can you do?
are you a robot?
do you like music?
who are you
nice weather today, isn't it?
what a lovely day!
you're funny
never mind
good job!
I see
👍
no problem
yes
just kidding
I'm bored
that's great to hear
wow, really?
Good idea!
"""

REQUESTS = """
write me a limerick about penguins
Can you draw a fox?
please translate this into French: the house is on fire
Could you book a table for four tonight?
sing me something
Turn off the kitchen lights
order me a pizza
explain quantum computing to me
set an alarm for six
help me write a cover letter
can you call the restaurant for me?
Summarize this article for me
give me three ideas for dinner
find me a cheap hotel in Lisbon
Please draft an email to my boss
recommend a good film
let's play chess
calculate 15 percent of 240
Would you mind proofreading my essay?
I need a birthday poem for my aunt
generate a picture of a castle
make me laugh
"""


SAYINGS = {
    Act.NOTE: NOTES,
    Act.QUESTION: QUESTIONS,
    Act.GREETING: GREETINGS,
    Act.FAREWELL: FAREWELLS,
    Act.THANKS: THANKED,
    Act.SMALL_TALK: SMALL_TALK,
    Act.REQUEST: REQUESTS,
}


@pytest.mark.parametrize(("act", "text"), each(SAYINGS))
def test_what_is_said_is_taken_for_what_it_is(act: Act, text: str) -> None:
    assert act_of(text) is act
