"""Plots that fit (nearly) every wish, third part."""

PLOTS_C = """
# tired
@trait
{Hero} liked to help. [Carrying, stirring, sweeping|Folding, sorting, shelling peas]: {he} liked all of it.
"[Let me|I can do that]!" was what {hero} said [before breakfast|most often].
{Hero} was small, but {he} had strong [arms|legs] and a good [will|heart].
{Hero} knew when somebody was tired, [because {kin} sometimes fell asleep over {khis} soup|even if they said they were not].
Nobody could [sweep a floor|sort buttons] like {hero}, for {he} sang while {he} did it.
@yawn
But how tired {comp} looked! [{Chis} eyes kept closing.|{Che} yawned so wide that a moth flew in and out again.]
{Comp} yawned. Then {che} yawned again. "[Every night I work here|I have been up for so long], and never a night [off|of sleep]," {che} said.
In the middle of a word, {comp} [fell asleep|began to snore]. Then {che} woke with a start. "[I am awake|I was only thinking]!"
"I must not sleep," said {comp}. "Who would look after {thing}?" And {chis} chin sank slowly [down to {chis} chest|lower and lower].
@offer
"Lie down," said {hero}. "I will [look after everything|keep watch] for you." "[You|All alone]?" asked {comp}. "[I will be careful|Show me how]," said {hero}.
{Hero} [took {comp} by the arm|fetched a cushion]. "[You sleep|Sleep a little]," {he} said, "and I will do your work until you wake."
"One hour," said {hero}. "Give me one hour. [What needs to be done|What is the most important thing]?"
---
@work
"[Watch and listen, that is all|Be gentle with everything]," [murmured|said] {comp}, and then {che} was asleep. So {hero} watched. {?sound}
{Hero} [swept|wiped] here and [straightened|tidied] there. {He} did it on tiptoe. {?wonder}
First {hero} did this, and then {he} did that, and all the time {he} sang very softly. {?wonder}
It was more work than {he} had thought. {Hero} went [round and round|back and forth], [pat, pat, pat|on quiet feet], and forgot nothing.
@hitch
Once {guest}, {guestNP}, came and wanted to know something [loudly|in a big voice]. "[Shh|Softly]," said {hero}, and helped {ghim} in a whisper.
Then something [creaked|rattled], and {hero}'s heart jumped. But it was only {guest}, {guestNP}. "May I help too?" {ghe} asked. And they were two.
When {he} did not know what to do next, {he} asked {guest}, {guestNP}. And {guest} knew, for {ghe} lived {guesthome} and had often watched.
{?feel} "What would {comp} do now?" {hero} asked {himself}. And then {he} simply did it.
@special
{?special}
{?special} If only {comp} could see it, thought {hero}. But sleeping was better.
{?wonder}
@wake
At last {comp} [woke|stretched] and looked around. Everything was in its place. "I have not slept like that," {che} said, "for [a hundred nights|seven years]."
When {comp} opened {chis} eyes, {che} was [rosy|bright] and rested. "[You did all this|And nothing went wrong]?" {che} asked. {Hero} nodded.
"I had a dream," said {comp}, [waking up|rubbing {chis} eyes], "that somebody was taking care of everything. And it was true."
@after
From that night on, {hero} came every [Friday|Sunday], and {comp} had a night off.
"Now it is your turn to be sleepy," said {comp}, and [gave {hero} a little push toward home|{che} was right].
{?kindword}
{Comp} gave {hero} [a small cap|a little badge], on which was written: Helper.

# song
! not: rainy-day first-snow moonlight-picnic
@trait
{Hero} hummed all day long, [in the bath, on the stairs|while eating, which is not easy], and did not notice.
{Hero} knew only one song by heart, but {he} knew it very well. {Kin} had sung it to {him} [every night|when {he} was tiny].
{Hero} thought that {he} could not sing. [{His} voice was too small|It came out like a squeak], {he} said.
In {hero}'s family everybody sang, and {hero} sang [the softest|most softly] of all.
[Whenever {hero} was happy|Whenever {hero} was alone], a tune came out of {him}, like [steam out of a kettle|water from a spring].
@door
[{At}|Hidden {at}], {hero} found a little door, no bigger than a [book|slice of bread]. It had no handle and no keyhole.
"Have you seen the small door?" asked {comp}. It was [round|blue], and it was locked, and nobody had ever found a key.
There was a box there, with a lid that would not open. On the lid was written, in tiny letters: sing.
In one place there was a curtain of [mist|ivy], and it would not let anybody through. "It opens for a song," said {comp}, "but which one?"
@try
{Comp} sang [a marching song|a song about soup]. Nothing happened. {Che} sang it louder. It only shut more tightly.
They tried a [loud|jolly] song, and it stayed shut. They tried a fast song, and it only shut its eyes. {Comp} [knocked|sneezed] in time, and that did not help at all.
{Guest}, {guestNP}, came and sang as well, high and fast, la la la. It did not help.
---
@turn
"Now you," said {comp}. {?feel} Then {hero} closed {his} eyes and sang, very softly: {lullaby}
"I only know a little one," said {hero}. And {he} sang it, the way {kin} always did: {lullaby}
{Hero} was not even trying. {He} was thinking of home, and so {he} hummed, and then there were words: {lullaby}
"Perhaps," said {hero}, "it is [tired|sleepy], and wants a lullaby." And {he} sang: {lullaby}
@open
Click. It opened, just a [crack|finger's width], and warm light came out. Inside lay {treasure}.
It began to [tremble|hum along], and then, slowly, it opened. And what was inside? {Treasure}.
Something sighed, [as if it had waited a hundred years|like someone who has been waiting], and opened wide. There, on [moss|velvet], was {treasure}.
@wonder
{?wonder}
{?special}
"It wanted to be [sung to|spoken to softly]," said {comp}. "[Who does not|Just like me]?"
@after
"Sing it once more," said {comp}, "[for me|just because]." And {hero} did, and was not shy at all.
{?kindword} They looked for a long time, and then they closed it gently again, so that it could sleep.
{Hero} left everything inside, where it belonged. The song was enough [to take home|for {him}].
"Your song is the key," said {comp}. "You can never lose it. [It fits in any pocket|It is always with you]."

# map
! not: rainy-day music-box warm-blanket moonlight-picnic hot-air-balloon flying-bed paper-boat small-spaceship
@trait
{Hero} loved maps, [even the ones {he} drew {himself}, with too many islands|and always knew where the cookies were kept].
{Hero} liked to ask questions. [How far is far?|Who lives at the end?|What is behind that?] {He} had a new one every minute.
{Hero} had a good head for finding the way. {He} never got lost, [not even in fog|except once, in a coat].
When {hero} drew, {he} liked to leave one white corner. "For what I do not know yet," {he} said.
{Hero} was curious, from the tip of {his} nose to [the tips of {his} toes|the end of {his} longest toe].
@map
"I have a map of this place," said {comp}, and [unfolded|unrolled] a yellow paper. But one corner was missing.
{Comp} [pulled|drew] an old map from {chis} sleeve. It showed everything {at}. Only one corner had been [torn off|eaten by moths].
There was a map on the wall, full of [paths and tiny names|fine blue lines]. "The last corner is gone," said {comp}. "Nobody knows what was on it."
@plan
"Then we will go and look," said {hero}, "and draw it in." {He} [sharpened a pencil|found a stub of pencil].
"What is in the corner?" asked {hero}. "I never dared to look," said {comp}. "[Together we dare|Now there are two of us]," said {hero}.
{Comp} wanted to leave it. But {hero} could not sleep with an empty corner.
---
@go
So off they went, [twelve steps this way|as far as the paper knew the way], and then [three steps into the unknown|on from there]. {?wonder}
They followed the [thin|blue] line to where it ended. Then they went on without a line. {?sound}
"Right or left?" asked {comp}. {Hero} [licked a finger and felt the wind|looked at the moon]. "Left," {he} said. {?wonder}
They walked [on tiptoe|hand in hand]. {?sound} Every few steps {hero} drew a little more.
@find
And there, where the map knew nothing, lived somebody: {guest}, {guestNP}. "A visitor!" cried {guest}. "[At last|How did you find me]?"
In the missing corner they found {treasure}. Nobody had touched it for years and years. Beside it sat {guest}, {guestNP}. "I [look after it|was hoping someone would come]," {ghe} said.
It was {guest} who lived there, {guestNP}. {Ghe} was so [glad|surprised] that {ghe} [put the kettle on at once|fell over backward, plop].
@draw
{Hero} drew it all in, [neatly|with {his} tongue between {his} teeth]. And over it {he} wrote: {Guest}'s corner.
"Am I on the map now?" asked {guest}. "You are," said {hero}, "[with a tiny red dot|right here]." {Guest} [stroked|touched] the dot again and again.
With four lines and a dot the map was whole. {Comp} [held it up to the light|had to look at it three times].
@after
{?kindword}
"Now I can find my way to a friend," said {comp}, and [folded|rolled] it up.
"I thought that nothing was there," said {comp}. "[Nothing is often somebody|How wrong a map can be]."
And {hero} took home a new question, [a small one|which is the best souvenir].
"""
