"""Plots that fit (nearly) every wish, second part."""

PLOTS_B = """
# endless
! not: rainy-day
@trait
{Hero} never wanted anything lovely to stop. At the end of every song {he} [called, "Again!"|said, "Once more!"]
When something was nice, {hero} wanted all of it: [the whole cake, the whole summer|every page and then the cover].
"Why must things end?" {hero} often asked. Nobody had ever given {him} a good answer.
{Hero} was the last one in from the garden, and the last one out of the bath, every single day.
@wish
It was so lovely that {hero} said, without thinking, "I wish this night would never end!" [Pling!|Far away something went click.]
"If I had one wish," said {hero}, "it would be this: that it never, never stops." {Comp} said, "Oh. [I think somebody heard you|You should not have said that out loud]."
{Hero} looked at the moon. "Stay where you are," {he} told it, "for ever!" And the moon [stayed|did as it was told].
There was a falling star, and {hero} wished at once: "Let it always be tonight."
@first
At first it was wonderful. {?wonder} And then the same again, and again.
At first {hero} clapped {his} hands. {?special} Afterward {he} [yawned|sat down for a moment].
They did everything twice, and then everything nine times. {?sound}
So they went on, and on, and on. {?wonder} The moon did not move one inch.
---
@trouble
But by and by {comp} could hardly keep {chis} eyes open, and the birds [waited in the trees with nothing to sing|stood there with their morning song and could not begin].
Then {hero} saw {guest}, {guestNP}, sitting in the dark. "When will it be morning?" {guest} asked. "I [am hungry for breakfast|wanted to play in the sun]."
{Hero}'s legs were tired, and {his} eyes were tired, and even {thing} seemed a little tired. But it could not be tomorrow, because there was no tomorrow.
@turn
{Hero} thought about it. Would {he} like a song that was all middle? "[No|I take it back]," said {hero}. "A nice thing should be allowed to lie down and rest."
"The best thing about cake," said {hero} slowly, "is that one is full afterward. I wish it could end now, please. And start again another time."
Then {hero} [took a deep breath|looked up at the sky]. "Thank you, moon," {he} said. "You may go on. I know that you will come back."
"If it never stops," said {hero}, "I can never look forward to it." And {he} let the wish go, like a bird from an open hand.
@?end
Pling! A small wind came up, and the moon began to walk again. Everybody [sighed with relief|stretched and smiled].
At once the clocks went on. Tick, they said, [very much relieved|as if nothing had happened], tock.
And the moon nodded, and took one step to the west.
Far off in the east a tiny bit of gray appeared, and {comp} [beamed|said, "Thank goodness"].
@after
"Will it be [nice again next time|as lovely the next time]?" asked {hero}. "It will," said {comp}, "[because there is a next time|as sure as bread]."
"Endings," said {comp}, "are only [doors|beds for stories]." And {che} yawned.
{?kindword}

# younger
! not: star-lantern music-box rainy-day
@trait
{Hero} had always been the youngest, and everybody explained things to {him}. Nobody ever asked {him} anything.
{Hero} was proud tonight, because for once {he} was the big one.
{Hero} had learned to [tie a bow|whistle] last week, and now {he} wanted to learn everything.
[Once|Long ago, when {he} was little], somebody had been very patient with {hero}. {Hero} had not forgotten it.
@who
Tonight little {sib} from next door had come along, who was only three and had never been {at}.
Little {sib}, {hero}'s cousin, held on to {hero}'s sleeve with both hands. It was {shis} very first time {at}.
"May I come?" asked {sib}, who was small and round and asked that about everything. "[Well, come on|If you hold my hand]," said {hero}.
@afraid
But {sib} [hid behind {hero}|stopped short]. "It is so big," {she} said, "and I am so little."
{Sib} did everything wrong. {She} [fell over {shis} own feet|put {shis} hat on {comp}], and then {she} wanted to go home.
"I cannot do it," said {sib}, and {shis} lip began to tremble. {Comp} looked at {hero}. What now?
{Sib} asked why, and why, and why. {Comp} [was quite dizzy|held {chis} head]. And then {sib} was a little afraid, too.
---
@turn
{Hero} remembered how it had been when {he} was small. So {he} knelt down. "I was afraid too, the first time," {he} [whispered|said]. "I will show you a trick."
"You do not have to do it all," said {hero}. "Just the first bit. I will do it with you." That was what {kin} had once said to {him}.
{Hero} did not laugh. {He} went first, very slowly, and at every step {he} looked back and said, "Now you."
{Hero} took {sib}'s hand and counted: one for looking, two for breathing, three for going on.
@try
First try: oops. Second try: oh! And the third time, {sib} did it, [all alone|with {shis} tongue between {shis} teeth].
{Sib} took one step, and then another. {?sound} "[Nice|Pretty]," said {sib}, and let go of {hero}'s sleeve.
It took [a long time|a little longer than long]. That did not matter. {?wonder}
{Sib} opened one eye, and after that the other. {?special} "Again!" said {sib}.
@proud
"I can do it!" called {sib}, and now it was {she} who pulled {hero} along.
{Sib} laughed so hard that {she} got the hiccups, and {hero} felt [at least ten years old|a whole head taller].
"When I am big," said {sib}, "I will show somebody too." "[Do that|That is how it goes]," said {hero}.
@after
{Comp} whispered in {hero}'s ear, "You are a good teacher. You know why? You remember."
{?kindword} {Sib} fell asleep on {hero}'s shoulder, quite suddenly, like a kitten.
Going back, {hero} carried {sib} a part of the way, and {she} was surprisingly heavy, and very warm.

# lullaby
@trait
{Kin} had a lullaby, and {kin} had got it from {khis} mother, and she from hers. Now {hero} had it.
{Hero} could not fall asleep without {his} lullaby, and {kin} sang it every night.
There was a small song in {hero}'s family that nobody had ever written down. It only lived in mouths and ears.
{Hero} knew lots of things by heart: [the days of the week, all the cats of the street|{his} address and seven good jokes], and one lullaby.
@need
Somebody {at} was crying quietly. It was {guest}, {guestNP}. "I cannot sleep," said {guest}. "I have [counted everything there is|been lying on every side]."
{Guest} was there too, {guestNP}. How tired {ghe} looked! "{Ghe} has not slept for three nights," said {comp}. "We have tried [warm milk|feathers and tea]."
And who was turning around and around, and could find no rest? It was {guest}, {guestNP}. "[Everybody can sleep but me|How do the others do it]?" {ghe} asked.
@?try
{Comp} [told {ghim} a long story about turnips|fanned {ghim} with a leaf], but {comp} fell asleep over it, and {guest} did not.
They tried counting. At a hundred {guest} was wide awake and wanted to [know what comes next|count stars as well].
{Comp} rocked {ghim} to the left and rocked {ghim} to the right. {Guest} only got [dizzy|hungry].
---
@sing
{Hero} sat down close to {guest}. "I know something," {he} said, "but it is very small." And {he} sang: {lullaby}
Then {hero} did what {kin} did every evening. {He} laid one hand on {guest}'s back and sang: {lullaby}
{Hero} felt a bit shy. But {guest} looked so tired that {hero} simply began: {lullaby}
@effect
{Guest} breathed more slowly. {?sound} Even that seemed to belong to the song now.
{?special} But {guest} saw nothing of it, for {ghis} eyes had [closed|fallen shut].
At the second line {guest} yawned. At the third {ghe} was [gone|asleep], with {ghis} nose in {hero}'s hand.
Everything {at} grew quiet and listened. {Guest} sighed once, deep down, and slept.
@passon
"Teach it to me," whispered {comp}, "for the nights when you are not here." So {hero} did, [line by line|three times over], and now {comp} had it, too.
"Where did you get that song?" asked {comp}. "From {kin}," said {hero}, "and now it is yours." A song is like that. You can give it away and still have it.
{Comp} learned it by heart, [humming|note by note]. And if they have not forgotten it, they sing it {at} to this day.
The next night {guest} sang it to somebody even smaller. And so it wanders on, from mouth to ear, from ear to mouth.
@after
On the way home {hero} hummed it to {himself}, just to see if it was still there. It was.
{?kindword}
"[Once more|One time more]," murmured {guest} in {ghis} sleep.

# toy
@trait
{Hero} went nowhere without Flop, a cloth rabbit with [one long ear and one short|a patch on his tummy].
{Hero} had a little wooden horse [named|called] Clip. It fitted in a pocket, and it was good at listening.
{Hero} had a blue scarf that {kin} had knitted, and {he} wore it [even in the bath|day and night].
Under {his} arm {hero} carried Bo, a bear who had been hugged so much that he was [thin in the middle|nearly flat].
@gone
[Then|And then] {hero} put a hand in {his} pocket, and under {his} arm, and felt nothing. {His} dear old friend was gone!
All of a sudden {hero} stood still. "I had it with me," {he} said. "I know I did. Now it is gone."
What was that? Something was missing. The thing {he} loved most was not there any more.
@?search
"[Do not cry|Wait], we will look for it," said {comp}. "What is lost is always somewhere." They looked [under everything and behind everything|high and low].
{?feel} {Comp} looked on the left, {hero} looked on the right. {?sound} But that was not it.
They went back the way they had come, step by step. {?wonder} Tonight {hero} hardly noticed.
They asked everyone they met. "[Is it large or small|Can it fly]?" they were asked. "It is soft at the edges," said {hero}, "and it knows all about me."
---
@think
Then {hero} sat down and thought: if I were lost, where would I want to be? Somewhere [warm|soft]. Where somebody is.
"Let us be quiet," said {hero}, "and think very hard of it." That was something {hero} could do. And [there|at that moment] {he} heard someone humming.
{Hero} did not give up. You do not give up on a friend. {He} looked in the one place where {he} had been quite sure that it was not.
@found
And there it was! {Guest}, {guestNP}, had it in {ghis} arms. "It lay there so alone," said {guest}, "so I kept it company."
There sat {guest}, {guestNP}, [singing to it|telling it a story]. "Is it yours?" asked {guest}. "It was sad at first. Now it has had a nice time."
In a dry, soft corner lay {guest}, {guestNP}, and slept, with {hero}'s treasure as a pillow. [They waited until {ghe} woke up|Very gently they tickled {ghim} awake].
@?thankyou
{Hero} pressed it to {his} cheek. It smelled of [adventure|outdoors], and it seemed to have a lot to tell. "Thank you, {guest}," {he} said.
"I never have anything to hug," said {guest} quietly. So {hero} [thought for a moment, and hugged|hugged] {guest}, as long as was needed.
"Thank you for being kind to it," said {hero}. And {guest} [turned pink|grew a whole inch].
@?joy
Now that nothing was missing, {hero} could see again how lovely it was {at}. {?special}
And all at once the night was [round and whole|bright] again. {?wonder}
{?wonder} This time there were two of them to see it.
@after
{?kindword}
"Hold it tight," said {comp}. "I am," said {hero}. "It is holding me, too."

# dark
@trait
{Hero} was brave in the daytime. But in the evening, when it grew dark, {he} [kept a hand in {kin}'s pocket|liked to have the door open].
{Hero} did not like the dark very much. It was so [big|black], and one could not see where it stopped.
At night {hero} slept with a lamp on, [and one for the lamp, so that it was not alone|a yellow one like a mushroom].
"There is nothing in the dark that is not there by day," {kin} always said. {Hero} was not so sure.
@out
Then a cloud came, and all the light went out. It was dark {at}, as dark as the inside of a [boot|pocket]. {?feel}
All at once it grew dark. {Hero} could not see {his} own [nose|hands]. "{Comp}?" {he} whispered.
The night grew deeper. The last bit of light went away, and {hero} [stopped|held on to {comp}]. "I would like to go home now," {he} said.
@?comp
"I am here," said {comp}, quite close. "Do you know what the dark is? It is [the blanket of the sun|where the quiet lives]."
"Are you afraid?" asked {comp}. "A little," said {hero}. "Me too, once," said {comp}, "[until I was introduced|until I asked it its name]."
"Give me your hand," said {comp}. "Now there are two of us, and the dark is only one."
@?ears
"What do you hear?" asked {comp}. {Hero} listened. {?sound}
"Do not look," said {comp}. "[Smell|Listen]." {?sound}
And then something rustled! But {hero} bit {his} lip and listened. {?sound} It was only that.
---
@guest
"Who is there?" asked {hero}. "Me," said a tiny voice. It was {guest}, {guestNP}. "I am afraid of the dark," said {guest}. And {hero} said, "[Come here|Hold on to me]. I know how that is."
Beside them somebody sniffed. It was {guest}, {guestNP}, who was even smaller and even more worried. {Hero} forgot about {his} own fear, because {he} had to [hold {guest}'s hand|comfort {ghim}].
@turn
"We can ask it something," said {hero}. And into the dark {he} said, "Good evening. Are you friendly?" A soft wind stroked {his} hair. It felt like a yes.
"Let us wait till our eyes have got used to it," said {hero}. And slowly, slowly, the dark turned blue, and there were edges in it, and [a path|shapes they knew].
{Hero} told {guest} what was there: "That is only a shadow, and that is only the wind. I know them both from the daytime." And while {he} said it, {he} noticed that it was true.
@see
Then they saw what can only be seen when it is really dark. {?special}
And because it was so dark, it was twice as lovely. {?special}
{?special} "That needs the dark," said {comp}. "By day you would never see it."
@after
"[You were brave|How brave you are]," said {guest}. "Me?" said {hero}, and was amazed. "I was only [there|talking]."
When the cloud had moved on, {hero} was almost [sorry|a bit disappointed].
{?kindword}

# small
@trait
{Hero} was the smallest in {his} family, and even {his} shadow was short.
"You are too small for that" was what {hero} heard all day, [at the table, at the gate, at the shelf with the jam|from everybody].
Every morning {hero} measured {himself} against the door, and every morning {he} was [as small as yesterday|exactly the same].
{Hero} wished for only one thing: to be big. As big as {kin}, or [at least|better still] as big as a horse.
@?wish
"Is there anything here for somebody small?" asked {hero}. {Comp} [tilted {chis} head|thought]. "Perhaps," {che} said. "Wait and see."
{Hero} sighed. "Nobody ever needs me," {he} told {comp}. "I cannot reach anything, and I cannot carry anything."
"I am no use here either," said {hero}. "I am too little." "[Hm|We will see]," said {comp}.
@call
Just then came a cry for help. {Guest}, {guestNP}, was [stuck|trapped] in a gap that was no wider than a [hand|loaf of bread]!
But what was that? A tiny voice called, "Help!" {Guest}, {guestNP}, had slipped into a narrow crack and could not get out.
"Oh no," cried {comp}. "{Guest} has fallen in!" And really, deep down in a little hole sat {guest}, {guestNP}, looking up.
@?big
{Comp} tried it. {Chis} arm was too [thick|short]. Somebody who was passing tried it as well, and was far too wide.
The big ones came running: first one, then two, then a whole crowd. They stood around the gap and could not get in with more than [a thumb|a whisker].
"We need somebody long," said one. "We need somebody strong," said another. "[But who fits in there|But who is narrow enough]?"
---
@turn
Then everyone looked at {hero}. "I am small," said {hero}. For the first time {he} said it [loudly|proudly]. And {he} breathed in and slipped inside.
"I will go," said {hero}. {He} made {himself} even smaller than {he} was, and it [fitted|was just right], as if it had been made for {him}.
{Hero} did not wait to be asked. Head first, arms first, and wriggle, wriggle, in {he} went.
@inside
It was [narrow|dark] in there, and dusty. "Here I am," said {hero}, and {guest} held on tight. They crept back inch by inch.
"Take my hand," said {hero}. "[One|Here], two, three!" And plop, there they were, both of them, gray with dust.
{Hero} reached {guest} and said, "We will go together. I know the way: it is the way I came." And so they did.
@?cheer
How everyone cheered! {?special}
"[Thank you|You came]!" said {guest}. "If you had been one inch bigger, I would be in there still."
They all wanted to carry {hero}, and because {he} was so light, they could. {?wonder}
"Just the right size," said {comp}. "[I always thought so|I will never say too small again]."
@after
{?kindword}
That evening {hero} did not measure {himself}. {He} had forgotten about it.

# quarrel
@trait
{Hero} and {sib} did everything together, [and they shared even their colds|all but the washing up].
{Hero}'s best friend was called {sib}, and there was room for both of them under one [hat|umbrella].
Where {hero} was, {sib} was not far. That was so tonight, too.
{Hero} liked to be right. {His} friend {sib} liked to be right as well. Otherwise they were very happy together.
@start
{Sib} had come along. And then, nobody knows how it began, they quarreled. "I was first," said {hero}. "No, I was," said {sib}.
But tonight {sib} and {hero} both wanted to be the one who [went first|held it]. "Me!" said one. "Me!" said the other. {Comp} [covered {chis} ears|looked from one to the other].
"You are standing on my foot," said {hero}. "Your foot is under mine," said {sib}. And so they quarreled, [back and forth|until their ears were red].
@apart
Then {sib} sat down on the one side, and {hero} sat down on the other, and each of them looked at nothing.
So {sib} went to the left, and {hero} went to the right, [stamp, stamp|with {his} nose in the air].
They turned their backs to each other. Between them was a gap as wide as a [door|cow].
@?alone
{?wonder} "Look!" {hero} wanted to say. But there was nobody to say it to.
{?special} {Hero} saw it. But alone it was only half as lovely, [if that|or maybe less].
{Hero} tried to enjoy it. {?sound} It did not work.
---
@comp
{Comp} sat down next to {hero} and said nothing. After a while {che} said, "It is hard to [be right all alone|hug yourself, I have tried]."
"Who was right?" {hero} asked {comp}. "Both," said {comp}. "That is the trouble with quarrels."
{Comp} came by with {guest}, {guestNP}. "We argue every Monday," said {comp}. "And on Tuesday [one of us|somebody] says sorry. Today is Tuesday."
@turn
{Hero} swallowed. Saying sorry was like [taking off a wet sweater|jumping into cold water]: hard at first, and then so good. {He} went over to {sib}. "Sorry," {he} said.
{Hero} liked to be right, but {he} liked {sib} more. So {he} got up. It was only nine steps. They were long ones. "I am sorry," {he} said.
But {hero} was somebody who could not stay cross, {he} always forgot what about. {He} [tapped|tickled] {sib} on the shoulder. "I am sorry I was so loud."
@peace
"I am sorry too," said {sib}, [very fast|before {hero} had even finished]. And {she} moved over, and there was room.
"I had forgotten what it was about," said {sib}. "Me too," said {hero}, and they had to laugh, [until they held their tummies|and could not stop].
{Sib} put half a cookie in {hero}'s hand. It was the bigger half, and it was a little damp. That was as good as [a letter|any words].
@?together
Now they looked together, head beside head. {?wonder}
"You go first," said {hero}. "No, you," said {sib}. And then they went at the same time. {?special}
They sat so close that there was room for a third, and so {comp} sat down with them. {?sound}
@after
"That was our best quarrel," said {sib}, "because it is over."
On the way home they walked in step, left, right, and held hands.

# guest
@trait
{Hero} was fond of visitors, and always set one plate too many.
In {hero}'s house it was the rule: whoever comes in at the door gets [soup|a chair and something warm].
{Hero} could say hello in [five|four] languages, and two of those were for [cats|birds].
{Hero} liked to know how other people did things: what they had for breakfast, and how they [sneezed|sang].
@arrive
That night a guest from far away came. It was {guest}, {guestNP}. {Ghe} [put down a tiny suitcase|shook the dust from {ghis} coat] and said something that nobody understood.
There was a knock. Outside stood {guest}, {guestNP}, who had traveled for [seven days|a long time] to see {thing}. {Ghe} spoke in a language like [small bells|running water].
"Somebody is coming," said {comp}. It was {guest}, {guestNP}. {Ghe} had come so far, and now {ghe} stood there and did not know where to put {ghis} hands.
@?strange
{Guest} did everything differently. {Ghe} said hello with {ghis} [elbow|nose], and shook {ghis} head for yes.
{Comp} spoke louder and louder, as people do, but {guest} only [grew smaller|looked at {ghis} feet].
They offered {guest} a cookie, and {ghe} [put it on {ghis} head|listened to it]. {Comp} did not know what to say.
When {comp} bowed, {guest} turned around once. When {comp} waved, {guest} sat down. It was a muddle.
---
@turn
{Hero} did not laugh. {He} did the same as {guest}: [nose for nose|elbow for elbow]. And {guest}'s eyes began to shine.
"Show me," said {hero}, and pointed, and {guest} showed {him}. Then {hero} showed {guest} something. For that, you need no words at all.
{Hero} pointed at {himself}. "{Hero}," {he} said. The guest thought, and pointed too. "{Guest}," said {guest}. That was a beginning.
{Hero} put one plate more on the table and patted the place beside {him}. That means the same [everywhere|in all languages].
@share
Then they looked at it side by side. {?wonder} "Ah," said {guest}. And "ah," said {hero}. It was the same word!
{?special} {Guest} put both hands on {ghis} heart. Nobody had to explain that.
{?sound} {Guest} hummed along, a bit higher, and suddenly it was a song for two.
@?gift
{Guest} opened {ghis} bag and took out {treasure}. "{Treasure}," said {hero}, amazed. It was a present.
{Guest} taught {hero} {ghis} word for good night. It sounded like ["oola-loo"|"mim-ba-lee"], and it made one sleepy right away.
"Home," said {guest}, and drew it in the dust: {guesthome}. It looked quite [nice|friendly], and there was a chair in it for visitors.
@after
"Come again," said {comp}, with {chis} nose, and {guest} shook {ghis} head, which meant yes.
{?kindword}
When {guest} left, {ghe} said, quite clearly, "Friend." It was {ghis} first new word.
"How did you know what to do?" asked {comp}. "I did not know," said {hero}. "I asked with my eyes."

# remember
@trait
{Hero} liked it best when {kin} told {him} about the time when {kin} was small.
{Kin} had grown [quiet|a little forgetful] lately, and {hero} wished {he} could make {khim} laugh.
{Hero} and {kin} were good friends, although one of them was [small and one was big|new and the other was not].
{Hero} could not imagine that {kin} had ever been little. With such [big shoes|long legs]!
@told
"I was here too, once," {kin} had said, "when I was as small as you. There was [a friend|somebody] I never said good-bye to."
And {hero} knew that {kin} had been here long ago, for there was an old picture of it [in the kitchen|in a drawer].
"Do you know {kin}?" {hero} asked {comp}. {Comp} [dropped what {che} was holding|sat up straight]. "{kin}! With the [scraped knees|loud laugh]? Of course!"
@wait
"I have been waiting for {khim} ever since," said {comp}. "I still have something that belongs to {khim}." And {che} showed {hero} {treasure}.
{Comp} took something from the very back of a drawer. It was {treasure}. "{Kin} left this here," {che} said, "on a night just like tonight."
"{Khe} promised to come back," said {comp}, "but then {khe} grew up. That happens to the best of them."
---
@turn
{Hero} did not think twice. {He} loved {kin} too much for that. {He} ran and fetched {khim}, just as {khe} was, in {khis} slippers.
"Then {khe} must come," said {hero}. "Now." And {he} went home and took {kin} by the hand, and pulled, and did not say where they were going.
{Hero} had an idea. {He} went to get {kin}. "It is too late for me," said {kin}. "[It is not|Only till half past]," said {hero}, and helped {khim} into {khis} coat.
@meet
And there stood {kin}. {?sound} "[It still sounds the same|I remember that]," {khe} said, and {khis} voice was quite small.
When {kin} saw {comp}, {khe} stood still. "You," said {kin}. "You," said {comp}. Then they [laughed|hugged] for a long time.
{Kin} looked. {?wonder} And {hero} saw it quite clearly: just for a moment, {kin} was six years old.
@?joy
They sat there, all three of them. {?special}
"Do you still know how?" asked {comp}. And {kin} did. {?wonder}
{Kin} and {comp} had so much to tell each other that {hero} only had to listen.
@after
"[Thank you|You brought me back]," said {kin} to {hero} on the way home.
{Kin} hummed all the way home, and {khis} steps were as light as a child's.
"Tomorrow I will tell you the rest," said {kin}. And tomorrow there would be a lot to tell.

# sleepless
@trait
{Hero} could not fall asleep. The pillow was too [warm|high], and then it was too [cool|flat].
Tonight {hero} was wide awake, [from {his} toes to the tips of {his} ears|and the bed was full of elbows].
{Hero} had tried lying on the left, on the right, and upside down. {He} was not sleepy at all.
There were so many thoughts in {hero}'s head that they [bumped into each other|had to stand in line].
@tell
"I cannot sleep," {hero} said to {comp}. "[What shall I do|Where does one get sleep]?" "Sleep?" said {comp}. "It comes by here. You must only not look for it."
"You should be asleep by now," said {comp}. "I know," said {hero}, "but sleep has forgotten me." "Then we will go and meet it," said {comp}.
{Comp} looked at {hero}. "Somebody has too many thoughts," {che} said. "Put them down here, one after another. They will keep till morning."
@?thoughts
So {hero} put down the first thought, which was about [a lost sock|tomorrow]. Then the second, which was about [soup|a dog]. It was already quieter.
"What is the biggest thought?" asked {comp}. {Hero} [whispered it|said it quietly] in {comp}'s ear. It was much smaller once it was outside.
They laid the thoughts in a row: a red one, a loud one, a silly one. {Comp} put a leaf over each of them.
---
@slow
Then they went along, very slowly, and {hero} only had to look. {?wonder}
"Now just listen," said {comp}. {?sound} {Hero} listened until {his} shoulders [sank|grew soft].
"We will do nothing at all now," said {comp}, "and we will do it very well." {?sound}
{Comp} showed {hero} how to breathe: in, as when you smell a flower, and out, as when you cool your soup.
@?guest
On the way they met {guest}, {guestNP}, who was sleepwalking home. {Ghe} lived {guesthome}. They turned {ghim} gently in the right direction.
{Guest}, {guestNP}, was already asleep there, with {ghis} mouth open. "So that is how it is done," whispered {hero}.
"What do you think of before you sleep?" {hero} asked {guest}, {guestNP}. "Of home," said {guest}, "{guesthome}. I think my way through every room."
@special
{?special}
{?special} {Hero} meant to say "oh", but it turned into a yawn.
{?wonder} {Hero} saw it with one eye. The other was closed already.
@turn
And {hero}, who had been so wide awake, did not notice at all how {his} head grew heavy.
"There it is," said {comp} softly. "Can you feel it? It has come up behind you on [bare feet|soft paws]." {Hero} nodded, very slowly.
{Hero} yawned, and {comp} caught the yawn and yawned as well, and it went all around.
"Am I sleepy?" asked {hero}. "A bit," said {comp}. "[It begins at the knees|It suits you]."

# newcomer
@trait
{Hero} was new here. {He} had moved in only last week, and {he} did not know [a single name|anyone yet].
{Hero} had come from far away with {kin} and [eleven boxes|a cat in a basket], and nothing smelled right yet.
In the old house {hero} had known every stair. In the new one {he} [bumped into doors|counted wrong].
{Hero} missed {his} old friends so much that {he} had a lump in {his} throat, as big as a [plum|walnut].
@?sad
"Do you miss something?" asked {comp}. {Hero} only nodded. {?feel}
It was all very beautiful, and still {hero} thought: at home it was different.
"You look like somebody with a long way behind {him}," said {comp}. "Your eyes are still [traveling|on the road]."
{Hero} looked at everything from a distance, with {his} hands in {his} pockets.
@other
"There is somebody here," said {comp}, "who looks just the same." And {che} pointed to {sib}, who sat there and drew circles with one toe.
And there sat {sib}, from the house [across the street|next door]. {She} was alone too. {She} looked at {hero}, and {hero} looked at {his} own shoes.
Not far off stood {sib}, all by {shimself}. Neither of them said hello. They both looked [up|very hard at a stone].
---
@turn
Somebody must start, thought {hero}. It was not easy. {He} took one step, and another. "I am {hero}," {he} said. "I am new."
{Hero} remembered how it feels when nobody says anything. So {he} said something. "Do you like [pears|beetles]?" It was the first thing that {he} could think of.
{Hero} had one cookie left from the old house. {He} broke it in two and held out a half. "It is from where I come from," {he} said.
@answer
"I am {sib}," said {sib}. "I thought you did not want to talk to me." "And I thought you did not," said {hero}. [Then they laughed.|They both turned red.]
{Sib} smiled. {She} had a gap in {shis} teeth, in exactly the same place as {hero}. That helps.
"Come," said {sib}, "I will show you the best spot." {She} took {hero} by the sleeve.
@?wonder2
There you could see it best. {?special}
They lay down on their tummies, side by side. {?wonder}
{?sound} "That is always so here," said {sib}. "You will get used to it." And {hero} thought: yes, perhaps.
@?here
And something had changed. It no longer felt like a strange place. It felt like [the beginning|a place with {sib} in it].
"See you tomorrow?" asked {sib}. "[Tomorrow|Right after breakfast]," said {hero}. It was the first thing on {his} new list.
{Hero} felt for the lump in {his} throat. It had grown quite small, like a [pea|cherry stone].
@after
{Comp} [winked|rubbed {chis} hands], as if {che} had planned it all.
{?kindword}
Now {hero} knew three names, and one of them belonged to a friend.
"Where is home now?" asked {comp}. {Hero} thought about it. "[Here and there|In two places]," {he} said. "I have got more of it."
"""
