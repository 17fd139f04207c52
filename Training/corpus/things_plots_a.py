"""Plots that fit (nearly) every wish, first part. The notation is explained in things.py."""

PLOTS_A = """
# lost
@trait
{Hero} was [somebody who noticed small things|good at noticing things]: [the first ant of spring|a button under the sofa], [a new crack in a cup|one shoe that was sadder than the other].
{Hero} always looked twice, [once quickly and once slowly|once with {his} eyes and once with {his} ears].
If something was hiding, {hero} was the one who found it.
{Kin} said that {hero} had [eyes like a magnifying glass|the best eyes in the family].
{Hero} liked to walk slowly, because then you see more.
@start
[Then|Just then|Suddenly] {hero} heard a very small [sniff|"hm"|sigh]. Behind {comp} sat {guestNP}.
"Shh," said {hero}. "Somebody is crying." And there, [in the corner|in the shadow|almost out of sight], was {guestNP}.
But why was that {guestNP} [sitting all alone|looking so sad]?
{Hero} saw something that nobody else had seen: {guestNP}, [as quiet as a crumb|trembling a little].
It was {hero} who [saw|spotted] the [little|small] visitor first: {guestNP}.
@who
"I am {guest}," said the little one. "I [live|belong] {guesthome}, and I have lost my way."
"My name is {guest}. I only looked the other way for a moment, and now I cannot find the way home. I live {guesthome}."
"I am lost," [whispered|said] {guest}, for that was {ghis} name. "Home is {guesthome}, but where is that?"
"Home is {guesthome}," said {guest}, for so the visitor was called, "and everything looks different in the dark."
{Ghis} name was {guest}, and {ghe} wanted to go home, {guesthome}, and did not know [how|the way].
@try
"[Was it this way?|Over there?]" asked {comp}. {Guest} shook {ghis} head. "[That way, then?|Or here?]" No, [not there|that was not it].
First they looked to the left. Then they looked to the right. {Comp} even looked [up|under a stone], but no home was there.
"[What can you hear at home|What does it smell like at home]?" asked {hero}. {Guest} thought hard. "{?guestclue}," {ghe} said.
They asked the [wind|moon], which only [shrugged|smiled]. They asked [a moth|a beetle], who was in a hurry.
{?feel} "We will not stop looking," said {comp}, "until we have found it."
---
@turn
{Hero} did what {he} always did: {he} looked again, [very slowly|from the very beginning]. And there, [shining in the moonlight|thin as a thread], was a tiny trail of [silver|footprints|crumbs].
{Hero} [knelt down|bent low] until {his} nose [almost touched the ground|was very low]. From down there, everything looked different. "There!" {he} said. "I can see a little light."
Then {hero} stood [perfectly|quite] still, and noticed a thing so small that it was almost nothing: somebody, far away, was calling, "{Guest}! {Guest}!"
"Close your eyes," {hero} told {guest}, "and turn around slowly. Stop when it feels like home." {Guest} turned and turned and stopped, and pointed.
But {hero} had noticed that {guest}'s left [foot|side] was dusty with yellow pollen. "I know where that [grows|comes from]," {he} said.
@wonder
{?special}
{?wonder}
{?sound}
{Comp} came along, because [three are better than two|nobody should walk home alone].
@home
{Hero} was right. {Guest}'s whole family came out, [and everybody talked at once|and nobody was cross]. "Thank you," said {guest}, "for seeing me."
They went there together, step by step by step, and then {guest} cried, "That is it! That is my home!" [And in {ghe} went.|And {ghe} danced once around everybody.]
Soon {guest} was home, {guesthome}, and somebody was hugging {ghim} [very tightly|and would not let go].
And there stood {guest}'s mother with a [lamp|candle], and her face [lit up|shone] more than the light did. 
"Here I live!" called {guest}, and laughed for the first time. {Ghe} gave {hero} [a seed|a tiny blue stone] to keep.
@thanks
{?kindword}
"How did you see that?" asked {comp}. "[I looked|I just went slowly]," said {hero}.
"Now nobody is lost," said {comp}. "[Let me count|I have counted]: nobody at all."

# fix
@trait
{Hero} was not fast, [but {he} was patient|but {he} never gave up]. {He} could untie any knot.
{Hero} liked to know how things worked, and {he} [had time|never pulled where a little push would do].
When something was broken, people said, "[Ask {hero}|Let {hero} look at it]."
{Hero} could wait longer than anybody [in the family|else], even longer than [a cat|soup].
[Once|Last week] {hero} had [mended|repaired] {kin}'s [umbrella|alarm clock], and it had taken the whole of a rainy Sunday.
@trouble
But [tonight|that night|this time] something was wrong. {trouble}
["Oh dear," said {comp}.|{Comp} looked worried.|{Comp} sighed.] {trouble}
Then it happened. {trouble}
"[There is just one thing|I have a problem]," said {comp}. {trouble}
But then {hero} [noticed|saw] something. {trouble}
@wants
[{Comp} wanted to run for help, but who is awake at such an hour?|"What shall we do?" asked {comp}.|"It has never done that before," said {comp}.]
"[Shake it|Kick it]," somebody would have said. But not {hero}. 
"We could ask somebody big," said {comp}. "[Let us try ourselves first|We are two, and two is nearly big]," said {hero}.
"May I [look|try]?" asked {hero}. {Comp} [nodded|stepped aside].
"I have tried everything," said {comp}. "Everything [quick|fast], that is."
@tried
{tried}
First they did it the quick way. {tried}
{tried} "[Never mind|That is all right]," said {hero}. "Now we know one thing more."
{tried} {Comp} [sat down|let {chis} shoulders drop].
---
@turn
{Hero} [took a slow breath|sat down and thought|put {his} head on one side]. {He} had time. {solved}
"Slowly," said {hero}, "[slowly is a kind of quickly|there is no train to catch]." {solved}
Then {hero} [remembered|thought of] something {kin} always said: look first, then touch. {solved}
{Hero} tried once, and twice. And because {he} was {hero}, {he} tried a third time. {solved}
"I think I see it," said {hero} [after a long while|at last]. {solved}
@joy
{?kindword} {?wonder}
{?wonder} {?kindword}
And then! {?wonder}
{?sound} {?kindword}
{?special} {?kindword}
@after
"You can come and mend things here [whenever you like|every evening]," said {comp}.
"You know how to wait," said {comp}. "That is [rarer than gold|the best tool of all]."
They sat side by side and [looked at it|listened] for a long time, simply because it worked.
{Comp} wrote it down, so that next time {che} would know: [ask {hero}|go slowly].

# promise
! not: rainy-day first-snow
@trait
{Hero} kept {his} promises, [the small ones too|even the ones nobody remembered]. And tonight {he} had promised {kin} to be back before the first bird sang.
When {hero} promised something, it was as good as done. "I will be back before the first bird," {he} had told {kin}.
"[Be back before the first bird sings|Be back by the time the milk is warm]," said {kin}. "I promise," said {hero}, [and {hero}'s promises were made of good strong wood|and tied a thread around {his} finger].
{Hero} had promised {kin} to be back [before morning|before the rooster crowed], and a promise is a promise.
"You may go," said {kin}, "if you come home before the last star." {Hero} gave {his} word.
@far
The time went by as [swiftly|quietly] as a [bird|fish]. {?wonder}
They [looked and listened|saw so much] that {hero} forgot to [count|look at] the hours. {?sound}
{?special} Who thinks of the time at such a moment?
There was so much to see! {?wonder}
"Just one more look," said {hero}, and then just one more. {?sound}
@tempt
"[Stay|Do stay]," said {comp}. "The best part comes at sunrise." {Hero} would have loved to see it.
"And now comes the very best thing," said {comp}. "It only takes [until noon|until tomorrow]."
Then {hero} saw that the sky had a [pale|gray] edge. {?feel} How late was it?
"Do not go yet," said {guest}, {guestNP}, who had come to look as well. "We are just beginning to play."
Far away a [rooster|bird] cleared its throat. {Hero} jumped. The promise!
---
@decide
{Hero} thought of {kin}, [standing at the window|sitting by the lamp]. "I [would like to|want to], very much," {he} said, "but I promised."
"I gave my word," said {hero}. It was not easy to say, but afterward it felt [good|light].
{Hero} looked at the thread of light in the east. "A promise does not like to wait," {he} said.
It was hard. {Hero} looked at {comp}, and at {thing}, and then {he} shook {his} head. "[I said I would be back|They are waiting for me]."
"If I break it," said {hero}, "{kin} will sit there [with cold milk|and look down the road]. So I am going."
@praise
{Comp} was not cross [at all|one bit]. "Somebody who keeps promises," {che} said, "may come again. [Always|Any night]."
"Then I shall make you a promise too," said {comp}. "[All this will wait for you|I will keep the best part for you]."
"[Good|Right]," said {comp}. "Then let us hurry together," and together they were twice as quick.
{Comp} [nodded slowly|thought about it]. "Then I will bring you there in time. I promise," {che} said, and {che} kept it, too.
"In that case," said {comp}, "take [a little of it|this] with you," and {che} put [something shining|a small bright stone|a feather] into {hero}'s pocket.
@arrive
The last star was just [rubbing its eyes|packing up] when {hero} [arrived|came to the door]. {Kin} was there. "I knew it," {khe} said.
And the first bird? It was only [opening its beak|clearing its throat] when {hero} was back. [That was close!|In time!]
The milk on the stove was still [a little|just] warm. "You are right on time," said {kin}.
"[Here I am|I am back]!" said {hero}. {Kin} [looked at the clock|held out both arms] and smiled. "And not one minute late."
{Kin} opened the door before {hero} could knock. "I did not worry," {khe} said, "[because I know you|not one bit]."

# sibling
@trait
{Hero} had a [big|little] [cousin|neighbor] called {sib}, and they told each other [everything|nearly everything].
{Hero} was good at keeping secrets, but this one [tickled|was almost too big].
{Hero} did not like to have something lovely all alone. [A cookie|Even a plum], {he} thought, tastes better in two halves.
[{Hero}'s best friend was {sib}.|{Hero} and {sib} were best friends.] But {sib} had been [sad|so quiet] all week.
{Hero} always shared: [the last berry, the window seat|the warm side of the sofa], even the good red crayon.
@secret
Nobody else knew about it. It was {hero}'s secret. And yet, thought {hero}, {sib} [would love this|should see this].
"{Comp}," said {hero}, "may I tell somebody? Only {sib}." {Comp} [scratched {chis} chin|thought for a long time].
"Can you keep a secret?" asked {comp}. "[I can|Yes]," said {hero}, "but it is easier with two."
{Hero} looked at everything and wished for only one thing more: that {sib} were there too.
All the time {hero} thought: how {sib} would laugh if {she} could see this!
@fetch
So {hero} ran [home|back], [tap tap|pit pat], and [tickled {sib}'s foot|whispered in {sib}'s ear]. "Come. Do not ask. Just come."
{Hero} went to fetch {sib}. "Close your eyes and hold my hand," {he} said.
[Quick as a wink|Softly, softly], {hero} fetched {sib}, who came along [in socks|with {shis} coat on inside out].
"[Where are we going|What is it]?" whispered {sib}. "[Wait|You will see]," said {hero}, and [would not say a word more|took {shim} along].
Not much later there were two of them. {Sib} [rubbed {shis} eyes|opened {shis} mouth and forgot to close it].
---
@look
{Sib} stood [quite|very] still. {?wonder} "[Oh|Is it real]?" said {sib}. "[It is|Touch it]," said {hero}.
{?wonder} And {sib}, who had not laughed [for days|all week], began to laugh.
"I will never tell," said {sib} [at once|solemnly]. {?sound}
{?special} {Sib} [held|squeezed] {hero}'s hand so tightly that it tingled.
{Sib} looked, and {hero} looked at {sib} looking, and that was [almost the best of all|twice as good].
@comp
"Now it is a secret for three," said {comp}. "[Three is a good number|That is the strongest kind]."
{Comp} had been a little worried. But {sib} said [hello|good evening] so politely that {che} [bowed|turned pink].
"I see," said {comp}. "A shared secret does not get smaller. [It gets more corners|It gets warmer]."
{Comp} made room, and then there was room for everybody.
"You were right to bring {shim}," said {comp} [to {hero}|softly].
@swear
They shook hands on it, [all three at once, which takes practice|crosswise, and got quite tangled up].
They made up a secret sign: [one tug on the ear|two fingers on the nose], and it meant: do you remember?
And if you had met {hero} and {sib} the next day, you would have seen them wink, [and wondered why|once with each eye].
{Sib} and {hero} went back arm in arm, and did not need to say anything.
"[Thank you|This was the best thing]," said {sib}. "Tomorrow I will show you my secret. It has [six legs|a lid]."

# message
@trait
{Hero} could remember things, word for word, [even very long things|as if they were written inside {his} head].
{Hero} was a good messenger. {He} never [dropped|forgot] a word on the way.
Whoever had [something to tell|a message] gave it to {hero}, because {hero} [listened|listened properly].
{Hero} loved [errands|carrying letters], [the farther the better|big ones and small ones].
In the daytime {hero} carried [notes|messages] from {kin} to the neighbors and back, and never lost one.
@ask
"I have a message," said {comp}, "for {guest}, {guestNP}. You will find {ghim} {guesthome}. But I [cannot leave|must stay here]. Would you take it?"
"Somebody ought to tell {guest}," said {comp}, and sighed. "That is {guestNP}, {guesthome}. [Will you go|Could you]?"
{Comp} [leaned close|looked to the left and to the right]. "This is for {guest}, {guestNP}, {guesthome}. It has to arrive tonight."
"Will you carry something for me?" asked {comp}. "It weighs nothing. It is only words, for {guest}, {guestNP}, {guesthome}."
@words
The message was: {errand} {Hero} said it [three times|once] to {himself}, [to be sure|and nodded].
It went like this: {errand} "[Say it again|Once more]," said {hero}, and then {he} knew it.
And the words were these: {errand} [That was all.|That was the whole message.]
---
@way
On the way the wind [tried to take a word|wanted to play]. "[Not now|Later]," said {hero}, and held the words [tightly|behind {his} teeth].
It was [farther than it looked|a long way]. {?wonder} But {hero} did not stop [to stare|for long].
{Hero} met a [snail|beetle] who wanted to chat, and [a puddle|a path] that wanted to be looked at. "[On my way back|Later, please]," {he} said.
{?special} {Hero} would have liked to stay, but the message was [itching on {his} tongue|waiting].
Left, right, left, right, went {hero}, and said the words over at every step.
@deliver
And at last there was {guest}. {Hero} said the message, [every word of it|slowly and clearly]. {Guest} [listened with {ghis} whole face|sat down with joy].
"Are you {guest}?" asked {hero}, and gave {ghim} the words, one after another, like [eggs|warm rolls]. Not one was [broken|missing].
{Guest} had been [waiting|sad] for so long. When {hero} had said it all, {ghe} [jumped up|laughed out loud]. "[At last|So nobody forgot me]!"
{Guest} wanted to hear it again, and then again. By the third time {ghe} was [humming it|smiling from ear to ear].
@answer
"Now take [this|an answer] back," said {guest}, and it was only one word: "Yes."
"And what shall I tell {comp}?" asked {hero}. "Tell {chim} this," said {guest}, and hugged {hero}. It was a hug to be [carried|passed on].
The answer was a [song|laugh], and {hero} carried it all the way back to {comp}, and it was still warm.
"Tell {comp} I am coming," said {guest}. And when {hero} told {chim}, {comp} [clapped|had to blow {chis} nose].
@thanks
{?kindword}
"And you did not lose a single word," said {comp}.
{?kindword} {?sound}

# three
@trait
{Hero} kept all kinds of things in {his} pockets, [because you never know|and knew each of them by name].
{Hero} was a collector. {He} collected [stones and smells|feathers and good words], and did not mind [getting muddy|how long it took].
"[What do you need that for|Must you keep that]?" people often asked {hero}. "[I do not know yet|For later]," said {hero}.
There was nothing so small that {hero} would not [pick it up|find a use for it].
{Hero} liked lists, [especially lists with three things|and crossing things off].
@need
"Something is missing," said {comp}. "For tonight we need three things: {things}."
"[Tonight|Once a year], we need {things}," said {comp}. "And I have not found a single one."
{Comp} held up [one, two, three fingers|a tiny note]. On it {che} had written: {things}.
"It will only be just right," said {comp}, "with three small things. {things}."
@first
{Hero} turned out {his} [left|right] pocket. There was {t1}. "[That is one|One]!" said {comp}.
The first was easy. Right beside {hero}'s foot lay {t1}. "[May it come with us|Will this do]?" {he} asked. It would.
{Hero} looked [high|under things], and looked [low|behind things], and came back with {t1}. "[Perfect|That is the first]," said {comp}.
@second
For the second they had to ask {guest}, {guestNP}. "[I have something|Take this]," {ghe} said, and gave them {t2}, [simply as a gift|and would not hear of thanks].
{Guest}, {guestNP}, heard them and came to help. {Ghe} went away [hop, hop|without a word] and came back with {t2}. "Two!"
The second was in {comp}'s own [cap|pocket] all the time: {t2}. [How {hero} laughed!|"Ah," said {comp}, and turned pink.]
---
@third
But the third? They looked and looked. {?feel} {?wonder}
The third took [the longest|a long time]. They looked [here and there and here again|until their feet were tired].
"[Two out of three is not so bad|We could do without]," said {comp} sadly. But {hero} [was not done|shook {his} head].
Only one was missing now, and the night was [getting on|already old]. {?sound}
@turn
Then {hero} [remembered|felt] something at the very bottom of {his} pocket, [in the corner with the crumbs|under the string]. It was {t3}. [A year ago|Last summer] {he} had picked it up for later. And now was later.
"Wait," said {hero}, and reached for {t3} that {he} had carried about all [day|week]. It was {his} dearest thing. {He} looked at it once more and put it with the others.
{Hero} found {t3} where nobody else would have [bent down|looked]. "It is not very [pretty|big]," {he} said. "It is [exactly right|perfect]," said {comp}.
@result
They laid the three things side by side {at}. {?special}
One, two, three: now everything was there. {?wonder}
And when all three were [together|in their places], something happened. {?wonder}
"Now," [whispered|said] {comp}, "watch." {?special}
@thanks
{?kindword}
{Comp} [patted|stroked] {hero}'s pocket. "Never throw anything away," {che} said.
"For later is a very good reason," said {comp}.

# giving
@trait
{Hero} was often the first to see when somebody was sad.
{Hero} had [a soft heart|room in {his} heart], {kin} said, [with a very wide door|for everybody].
At supper {hero} always [broke {his} bread in two|left a little on the plate], in case somebody came by.
{Hero} worried about others more than about {himself}: [cold birds, lonely shoes|beetles on their backs, bears with one ear].
If two children wanted the swing, {hero} was the one who [pushed|said, "You first"].
@gift
"You may have one [wonderful thing|gift] from here," said {comp}, "because you [came|are a friend]." And {che} gave {hero} {treasure}.
Then {comp} gave {hero} a present: {treasure}. "It is the [only one|last one]," {che} said. "Take good care of it."
{Hero} was allowed to take something home, and chose {treasure}. It was [the loveliest thing {he} had ever held|small, and it shone a little].
"This is for you," said {comp}, and put {treasure} into {hero}'s [hands|paws|arms].
@happy
{Hero} held the present against {his} cheek. How warm it felt!
[How beautiful it was!|Was there ever such a present?] {Hero} could not stop looking at it.
{Hero} had never owned [such a thing|anything like it]. {He} [turned it this way and that|carried it with both hands].
"Mine," said {hero} softly, and [it felt very good|then again, "mine"].
---
@need
On the way back, {hero} [passed|met] {guest}, {guestNP}. {Guest} was [shivering|sniffing]. "I live {guesthome}," {ghe} said, "and tonight I am [all alone|so lonely]."
But who was that by the path? It was {guest}, {guestNP}, and two big tears [hung from|rolled down] {ghis} nose. "Nobody [came to see me|remembered me]," {ghe} said.
There sat {guest}, {guestNP}, all alone. "[Is it nice out there|What did you see]?" asked {guest}. "[I always miss everything|I could not come]."
@struggle
{Hero} looked at {treasure}. {He} [swallowed|took a step and stood still]. [It was the only one.|It was hard.|Then {he} looked at {guest}.]
{Hero} hid the present behind {his} back. One minute went by. It was [a long minute|not a nice minute].
{?feel} Nobody would ever know. But {hero} would know.
Who needed it more? {Hero} thought about it for [three breaths|as long as it takes to count to ten]. Then {he} knew.
@give
"Here," said {hero}, "you have it." {Guest}'s whole face [lit up|became bright], and that was [brighter than any treasure|worth more than keeping it].
"Take it," said {hero}, and held it out [quickly, before {he} could change {his} mind|with both hands]. {Guest} did not say a word. {Ghe} only held it, and stopped [crying|shivering].
And {hero} gave it away. {Guest} [hugged|pressed] it to {ghis} chest. "For me?" {ghe} asked. "[For you|Truly]," said {hero}.
@after
{Hero}'s hands were empty now, and [{he} felt rich|{his} heart was full]. How could that be?
Later {comp} asked where it was. {Hero} told {chim}. {Comp} was quiet, and then {che} said, "[I hoped you would|That is what it was for]."
"Now come in," said {guest}, "and we will look at it together." So in the end [it belonged to two|they both had it].
{Guest} waved until {hero} was [out of sight|a tiny dot]. And {hero} walked home [on very light feet|humming].

# waiting
@trait
{Hero} was bad at waiting. [One minute|Five minutes], {hero} thought, is as long as [a sausage dog|a winter].
{Hero} wanted everything now: [now the cake, now the birthday|the bread before it was baked, the cherries before they were red].
[Waiting|Sitting still] was the hardest thing in the world for {hero}. {His} [feet|toes] did it worst of all.
"Is it time?" was what {hero} said most, [a hundred times a day|mornings, noons and nights].
Of all the words there are, {hero} liked the word "soon" the least.
@tell
"Tonight, [for one moment|once], you can see the most beautiful thing {at}," said {comp}. "But only if you wait."
"[Sit|Stay here] with me," said {comp}. "Something will happen. I do not know when. It cannot be [hurried|called]."
"It comes to those who wait," said {comp}, "[and not one minute before|and it is very, very shy of noise]."
"There is something," said {comp}, "that most people never see {at}, because they leave too soon."
@wait1
{Hero} sat. {Hero} [wriggled|hopped]. {Hero} counted to ten, and then from ten to one. Nothing.
"[Now|Is it now]?" asked {hero}. "Not yet," said {comp}. "[But now|And now]?" {Comp} only smiled.
{Hero} stood up. {Hero} sat down. {His} left foot wanted to go home, [but {his} right foot wanted to stay|and {his} right foot almost went with it].
A minute went by on [slow|snail's] feet, and then another behind it. {?feel}
@help
"What do you do when you wait?" asked {hero}. "I [listen|look]," said {comp}. "Waiting is [not empty|full of things]. Try it."
"Waiting is like [fishing|baking]," said {comp}. "The best part happens where you cannot see it."
"Give your feet something to do," said {comp}, and showed {hero} how to [draw circles with one toe|count with the toes].
---
@listen
So {hero} tried listening. {?sound} Had that been there all the time?
{Hero} took a breath and grew [quiet|still]. And then {he} noticed something. {?sound}
Little by little {hero}'s feet became [quiet|heavy], and {his} ears grew [wide|big]. {?wonder}
{Hero} stopped asking. {?sound} It was nice, [really|just to sit there].
@happen
And just when {hero} had forgotten that {he} was waiting, it came. {?special}
Then, [without a sound|all by itself], it happened. {?special} {Hero} did not dare to blink.
"Now," breathed {comp}. {?special}
And there it was! {?special} It lasted no longer than [a sneeze|a song].
@after
"[Was it worth it|Well]?" asked {comp}. "I could have waited [twice as long|until Christmas]," said {hero}, and was surprised at {himself}.
"I waited," said {hero} proudly. "[You did|All by yourself]," said {comp}.
{?kindword} And soon, thought {hero}, was perhaps not such a bad word [after all|at all].
{Hero} [let out {his} breath|sat on]. "Can we wait for something else?" {he} asked, and {comp} laughed.

# shy
@trait
{Hero} had a soft voice and soft steps, and [birds did not fly up when {he} came|the neighbor's cat liked {him} best].
{Hero} was a little shy. [At parties {he} sat under the table|When visitors came, {he} looked out from behind {kin}].
{Hero} did not talk much, [but {he} could be quiet in a friendly way|and that was all right].
{Hero} knew what it is like to be shy: your [ears grow hot|cheeks burn] and your words run away.
Loud voices made {hero} want to [crawl into a drawer|hide in a sleeve]. {He} [was better with small, quiet things|liked it quiet].
@hint
"Somebody else is here," said {comp}, "but {ghe} never comes out. I have only seen [one ear|the tip of {ghis} nose]."
There was a rustle, [a very small one|no bigger than a crumb]. "That is {guest}," said {comp}. "[Nobody has ever really seen {ghim}|{Ghe} is terribly shy]."
Something peeped out, and was gone again. "That was {guest}, {guestNP}," said {comp}. "{Ghe} always hides."
"Shh," said {comp}. "{Guest} is here, {guestNP}. But if you look straight at {ghim}, {ghe} is gone."
@try
{Comp} called. [Nobody came.|There was no answer.] {Comp} sang. Still nothing. {Comp} [stood on {chis} head|danced], and that made it worse.
"Come out, come out!" called {comp}, [clapping|waving both arms]. But {guest} only [hid deeper|made {ghimself} smaller].
"I always shout hello," said {comp}, "as loudly as I can. It does not help." {Hero} could imagine why.
---
@turn
But {hero} knew what to do. {He} sat down with {his} back to {guest}, [and looked at the sky|and did nothing at all]. [It was a very kind way of doing nothing.|{He} only hummed a little.]
{Hero} put [a crumb|half a cookie|a berry] on the ground, went [ten|five] steps away, and looked at something else.
"You do not have to come," said {hero} [softly|to the air]. "I am shy too. I will just sit here."
{Hero} told a story, very quietly, to {his} own [shoes|knees]. It was about [somebody small|a snail who lived alone]. And somebody was listening.
@closer
A minute went by. Then there were [steps|footsteps] as light as [snowflakes|petals]: one, and stop. Then one more.
[Tip|Tap], and stop. Then [tip|tap] again, a bit nearer. Something warm [sat down|settled] beside {hero}'s foot.
{?sound} And then, very slowly, a nose came out, and after the nose came the rest of {guest}.
First came a whisker, then an ear, and then all of {guest}. {Hero} [kept on looking away|smiled, but only a little].
@friend
"Hello," said {guest}, in a voice [like a thread|no louder than a moth]. "[Hello|Good evening]," said {hero}, just as softly.
"You are not loud," said {guest}. "[No|Never]," said {hero}. And {guest} came [out|closer] and showed {him} the finest thing {at}. {?wonder}
{Guest} said not a word. {Ghe} only leaned on {hero}. {?special}
"I have never [talked to anybody|had a friend]," said {guest}. "It is [easy|nice]," said {hero}. "We are doing it already."
@after
{Comp} stood there with {chis} mouth open. "How did you do that?" {che} [whispered|asked]. "I did nothing," said {hero}, "[very carefully|slowly]."
{?kindword} From then on {comp} said hello in a whisper.
"So that is how," said {comp}, and [put {chis} voice away|never shouted again].
Now they were three, and all three of them were quiet together.
"""
