"""Heroes, families, openings and closings shared by all stories about things."""

CHILDREN = """Mila // f
Tom // m
Nora // f
Ben // m
Ida // f
Leo // m
Ana // f
Sam // m
Lucy // f
Oskar // m
Rosa // f
Finn // m
Emma // f
Hugo // m
Maya // f
Noah // m
Clara // f
Theo // m
Lena // f
Max // m
Zoe // f
Eli // m
Ella // f
Jonas // m
Suri // f
Amir // m
Yuki // f
Diego // m""".splitlines()

ANIMALS = """Pip // mouse // m
Hazel // squirrel // f
Bruno // badger // m
Tilly // hedgehog // f
Momo // rabbit // m
Fern // fox // f
Otto // otter // m
Wren // rabbit // f
Nino // hedgehog // m
Bella // mouse // f
Rufus // fox // m
Dot // mole // f
Teddy // beaver // m
Poppy // kitten // f
Toby // squirrel // m
Mabel // badger // f
Kiki // raccoon // f
Felix // kitten // m""".splitlines()

KIN = """Grandmother // f
Grandfather // m
Mama // f
Papa // m
Aunt Rose // f
Uncle Paul // m
Grandma // f
Grandpa // m
Mama // f
Papa // m""".splitlines()

COMMON = """
# common
@skeleton
{?setting} {?intro} {trait} // {?where} [{?look}|] {?start} // {?meet} {manner} [{?wonder}|{?wonder}|]
{?where} [{?look}|] // {?intro} {trait} {?itwas} {?start} // {?meet} {manner} [{?wonder}|{?wonder}|]
{?asked} {?introafter} {trait} // {?where} [{?look}|] {?start} // {?meet} {manner} [{?wonder}|{?wonder}|]
{?sound} {?heard} {?where} // {?intro} {trait} {?start} // {?meet} {manner} [{?wonder}|{?wonder}|]
{?setting} {?where} [{?look}|] // {?intro} {trait} {?start} [{?wonder}|{?wonder}|] // {?meet} {manner}
{?intro} {trait} {?setting} // {?where} [{?look}|] {?start} // {?meet} {manner} [{?wonder}|{?wonder}|]
{?intro} {trait} {?itwas} // {?where} {?sound} {?start} // [{?wonder}|{?wonder}|] {?meet} {manner}
{?where} {?sound} {?setting} // {?intro} {trait} {?start} [{?wonder}|{?wonder}|] // {?meet} {manner}
@setting
[It was|It had been] a [mild|soft|quiet|warm] evening in [spring|May|June], and the [blackbird|robin|thrush] was still singing.
The sun had gone down behind the [hill|roofs|mill|big barn], and the [sky was the color of plums|windows were turning gold].
One [autumn|windy] evening the leaves ran down the [street|lane|path] like little [brown mice|feet].
It was summer, and the [evening|day] did not [want|wish] to end.
The moon came up [round as a plate|thin as a fingernail|yellow as butter|like half a cookie].
All day the wind had been [busy|blowing], and now at last it sat down to rest.
On the [last|first|longest] day of [summer|spring|June], everything smelled of [grass|warm hay|strawberries].
The stars were coming out, [one here, one there|one by one, without any hurry].
It was that [blue|soft] hour when the [birds|bees] have gone home and the [bats|moths] come out.
[Outside|Over the fields], the fog was [slowly tucking in|walking softly around] the [fences|trees|cows].
On Friday evening, after [soup|pancakes|noodles], it grew [very|so] quiet everywhere.
The clock [in the hall|on the tower] had just struck [seven|eight].
Supper was over, and the last spoon had been [washed|dried and put away].
It was one of those evenings when even the [dogs|ducks|geese] talk quietly.
[In the garden|By the gate], the crickets were tuning their [tiny|small] violins.
The evening smelled of [apples|wood smoke|wet grass|lemon flowers].
One clear night in [autumn|September|October], the sky was so full that there was hardly room for another star.
It was [Sunday|Monday|Tuesday|Thursday] evening, and nobody had to be anywhere.
A warm wind came over the [hills|sea|fields] and [smelled of far away|turned the leaves over].
The day had been [long|loud|busy], and the evening was glad to be [short and small|soft|quiet].
Every evening, when the lamps were lit, the [town|valley|village] became [very still|soft and slow].
The last light lay on the [windowsill|step|gate] like a [sleeping cat|yellow ribbon].
Far away a [church bell|cow bell] rang [once|twice], and then there was only the night.
[Once|One night], when the [cherries|pears|apples] were ripe, the moon was [so bright|bright enough] that everything had a shadow.
[Not long ago|One evening not long ago], on a night with [hardly any|no] wind, something [lovely|small but wonderful] happened.
The first bats were out, and [the swallows had gone home|the frogs had begun].
In the kitchen the kettle was humming, and outside it was growing [dark|blue].
Somebody, somewhere, was playing [a flute|the piano], and the evening listened.
After the storm the air was clear as water, and every [roof|leaf] shone.
It was one of the long evenings in July, when the light does not know how to leave.
The lamps in the street went on one after another, like a row of [yellow pears|friendly faces].
[The cows had come home|The sheep had been counted|The hens were on their perch], and the farm dog put his chin on his paws.
The moon was so big that evening that it [bumped into the chimney|had to squeeze between the trees].
The wind had gone to bed early, and [no leaf moved|even the flags hung still].
It was an evening in March, with a bit of winter left in [the corners|the shade].
One evening, right after the [bath|bedtime story], when everything smelled of soap, it began.
The evening star was there already, all alone, and seemed to be [waiting for somebody|looking around].
It was a September evening with [spider threads|the smell of plums] in the air.
All the noise of the day had been put away, like toys in a box.
The sky was green at the edge and dark blue on top, [with a thin gold moon in between|and nobody said a word].
It was the hour of slippers.
@intro
[There was once|Once there was|Long ago there was] {heroNP}, who lived with {kin} in [a house with a green door|a round little home|a house with a crooked chimney|a small house by the brook].
[Nearby|Close by|Not far away] lived {heroNP}.
This is [the story of|a story about] {heroNP}.
In [the last house|a yellow house|a cozy home|the smallest home] [on the lane|by the pond|under the hill] lived {heroNP}.
{Hero} was {heroNP2} who [lived with {kin}|had one loose button and two busy hands|liked the time just before bed best of all].
[Somebody was still wide awake|One small person could not sleep yet|Somebody was not sleepy at all]: {heroNP}.
Do you know {hero}? {Hero} was {heroNP2}, [not very big and not very small|and evenings were {his} favorite time].
{Hero} was {heroNP2} with [a pocket full of string|a very soft scarf|a blue hat|a question for everything].
[Here lived|Here, with {kin}, lived] {heroNP}.
Nobody knew this better than {heroNP}.
@introafter
{Hero} was {heroNP2} who [lived with {kin}|had one loose button and two busy hands|liked the time just before bed best of all].
{Hero} was {heroNP2}, [not very big and not very small|and evenings were {his} favorite time].
{Hero} was {heroNP2} with [a pocket full of string|a very soft scarf|a blue hat|a question for everything].
That was {hero}, {heroNP2} with [cold feet and a warm heart|wide open eyes|untied shoelaces].
{Hero}, {heroNP2} [of five and a half|with quick feet|who was small for {his} age], lived with {kin} [by the brook|in a house with a crooked chimney|next to the mill].
@asked
"Is it time [yet|now]?" asked {hero}. "[Almost|Very nearly|Soon]," said {kin}.
"Do we have to go to bed already?" asked {hero}. "[Not quite yet|In a little while]," said {kin} [with a smile|and winked].
"Listen!" [said|whispered] {hero}. "[Did you hear that|Something is out there]?"
"{kin}, what do you do when you cannot sleep?" asked {hero}. "[I listen|I think of lovely things]," said {kin}.
"One more thing," said {hero}. There was always one more thing.
"[Look|Oh, look]!" said {hero}, and [pointed with one finger|stood on tiptoe].
"I am not [one bit|at all] tired," said {hero}, and yawned.
"Tell me about {athing}," said {hero}. "[You should see it for yourself|It is better to see it]," said {kin}.
"Where are my shoes?" called {hero}. They were on {his} feet.
"[May I stay up|May I stay out] a little longer?" asked {hero}. "[A little|Just a little]," said {kin}.
@heard
[Did you hear it too?|Did you notice?|Not everybody notices such things.|That was the very first thing one noticed that evening.|Most people never stopped to notice it.|That was how it began.|And then it was quiet again.|Evening after evening it was just the same.|That is what evenings are like there.]
@itwas
[{Hero} had often thought about {athing}.|Most of all, {hero} loved {athing}.|There was one thing {hero} loved to think about: {athing}.|Whenever {he} had a free minute, {hero} dreamed of {athing}.|And so it was {hero} who came to {athing} that evening.]
@meet
[But {hero} was not alone, for there was|Who was there already? Nobody but] {comp}, {compNP}.
And there was {comp}, {compNP}. "[Good evening|There you are|Hello, {hero}|Come closer]," said {comp}.
[Here {hero} met|There {he} found|And there sat] {comp}, {compNP}.
A [door|shadow|leaf] moved, and out came {comp}, {compNP}.
[First came a cough, and after the cough|First came a yawn, and behind the yawn] came {comp}, {compNP}.
"[Psst|Over here|Oh, hello]," [said somebody|came a voice|somebody whispered]. {Hero} turned around and saw {comp}, {compNP}.
[Who could that be?|Was somebody there?|Who was it?] {Hero} [looked closer|went a step closer]. It was {comp}, {compNP}.
{Hero} bumped into somebody soft, and that was {comp}, {compNP}.
Of course {comp} was there, {compNP}.
{Hero} was greeted by {comp}, {compNP}.
{Hero} had an old friend here: {comp}, {compNP}.
"I was just thinking of you," said {comp}, {compNP}.
"[You are just in time|How nice, a visitor|I hoped you would come]," said [a voice|somebody]. It was {comp}, {compNP}.
{Comp} [waved|nodded] to {hero}. {Comp} was {compNP}.
[Somebody coughed politely|Something rustled|Somebody yawned]. It was {compNP}, and {chis} name was {comp}.
"And who are you?" asked {hero}. "[I am {comp}|My name is {comp}|{Comp}, that is me]," said {compNP}.
{Comp}, {compNP}, [was there as always|made room for {hero}|had been waiting].
@kindword
"[That was well done|You did that well|I could not have done it alone]," said {comp}.
"[Thank you, {hero}|Thank you, my friend]," said {comp}, and {che} meant it.
{Comp} [smiled|beamed] so hard that {chis} [ears moved|cheeks hurt].
{Comp} said nothing at all, but {che} [gave {hero} a long, warm hug|leaned against {hero} for a while].
"[Hooray|Well, well]," said {comp} [softly|under {chis} breath], because loud hoorays are for the morning.
"I will tell everybody about this," said {comp}, "[tomorrow|after breakfast]."
They [looked at each other and laughed|shook hands, first one and then the other].
{Hero} felt [warm from the ears to the toes|as tall as a house|light as a feather|glad all the way through].
It was [the nicest|the best] kind of quiet: the kind with a friend in it.
@feel
{Hero} felt [a little worried|very small for a moment|something flutter in {his} tummy].
{Hero} [bit {his} lip|rubbed {his} nose, which helped with thinking|took a long, slow breath].
{Hero}'s heart went [thump, thump|pit-a-pat].
[Hm, thought {hero}.|Oh dear, thought {hero}.|What now?]
[For a while nobody said anything.|It was quiet for a moment.|They both thought about it.]
@lullaby
"Hush, little wind, the day is done, good night to the moon, good night to the sun."
"Slow goes the river and slow goes the sheep, slow goes the moon when the world goes to sleep."
"Low, low, the lights are low, one star to stay and one star to go."
"One for the owl and two for the tree, three for the night and the night is for me."
"Softly, softly, close the door, the sea is asleep on the sandy floor."
"Round goes the moon and round goes the mill, now it is turning, and now it is still."
"Sleep in the clover and sleep in the hay, tomorrow will bring you another whole day."
"Far is the mountain and near is the light, all little travelers, good night, good night."
"Lie down, little river, lie down, little hill, the day has been busy, and now it is still."
@winding
{?quiet} {?home} {?last}
{?home} {?lastkin} {?last}
{?quiet} {?home} {?lastkin} {?last}
{?home} {?quiet} {?last}
{?quiet} {?home} {?insight} {?last}
{?home} {?insight} {?last}
@insight
Some [wonders|things] [are best when you do not hurry them|grow bigger when there are two to look at them].
[Small|Little] hands, {hero} thought, are sometimes exactly the right size.
A friend is a good thing, {hero} thought, and so is a pillow.
{Hero} thought that tomorrow could take its time.
There would be [so much|a lot] to tell at breakfast[.|, if anybody would believe it.]
{Hero} gave the day one last little wave.
What was the best part? {Hero} could not decide.
{Hero} felt for the nice warm spot inside, and it was still there.
Tomorrow was [still far away|not in a hurry], and that was good.
[A kind word|A little help] is not heavy, [and it goes a long way|but it can carry a lot].
[And that was enough for one day.|That was plenty for one evening.|It had been just enough.]
{Hero} counted the good things of the day and ran out of fingers.
@lastkin
"Well?" asked {kin}. "[I will tell you tomorrow|It was lovely]," said {hero}, and [yawned|smiled].
{Kin} [tucked the cover around|pulled the cover up over] {his} feet, first the left one, then the right.
{Kin} [kissed|stroked] {him} on the [forehead|nose|cheek] and [left the door open a crack|asked no questions at all].
"You smell of [adventure|the night|something lovely]," said {kin}, and gave {him} a hug.
"Good night, {hero}," [said|whispered] {kin}. "Good night, {kin}," said {hero}.
"Did you have a good time?" asked {kin}. {Hero} only nodded, [for {his} mouth was busy yawning|because {he} was too sleepy for words].
{Kin} [had kept the milk warm|had left a small lamp burning], just in case.
{Kin} hummed a little, and the [lamp|candle] grew [small|low].
@last
The night put one soft hand on {hero}'s forehead, and {he} slept.
[Three|Four] slow breaths, one small smile, and {hero} was off to the land of dreams.
The moon moved on to the next window, for {hero} was already asleep.
{Hero} listened for one more sound, but there was only sleep.
[Good night, little one|Good night], said the evening, and {hero} was too deep asleep to answer.
{Hero} pulled up {his} knees, made {himself} round, and slept like a stone in warm sand.
And because every day must end somewhere, this one ended here, with {hero} asleep.
Up in the sky one star went out, then another, and {hero} dreamed on.
First the room went quiet, then the thoughts, and then {hero} was sleeping.
[Before you could count to three|One, two, three], {hero} was [asleep|fast asleep].
{Hero} closed {his} eyes, and the night closed its eyes too.
Soon there was no sound but {hero}'s breathing, in and out, and all the world was asleep.
And {hero} slept until [the sun came in at the window|the birds began|the morning knocked].
{Hero} wanted to think about it [all|once more from the beginning], but {he} was asleep before the second thought.
{He} smiled, turned over once, and [drifted off to sleep|slid softly into a dream].
That night {hero} dreamed of {thing}, and it was just as lovely in the dream.
Then everybody slept: {comp}, and {hero}, and the whole wide night.
Good night, {hero}. Good night, {comp}. Good night, everyone, sleep well.
{Hero} [meant|wanted] to say good night to [everything|the moon], but only got as far as "Good", and then {he} slept.
[And somewhere|And far away] {comp} was [dreaming|asleep] too.
[Breath by breath|Little by little], {hero} sank down into sleep, as soft as [feathers|flour|wool].
{His} eyes grew heavy, and heavier, and then they were closed.
The last thing {hero} heard was [the wind|the clock|{his} own heart], saying sleep, sleep, sleep.
[One ear slept first, then the other|First {his} feet slept, then {his} hands], and then all of {hero} was asleep.
And if nobody has woken {him}, {hero} is sleeping still.
And what {hero} dreamed is another story, for another night.
[Outside|Up above], the moon kept watch, and {hero} slept [without a single worry|deep and sound].
{Hero} yawned [the biggest yawn|a yawn as big as a barn], and the dreams came in on tiptoe.
[Hush now|Hush]. {Hero} is asleep.
[In a minute|In no time] {he} was snoring, very softly, like a [small|sleepy] [bee|cat|kettle].
{Hero} held on to the day [a moment|a little] longer, then let it go, and slept.
[It was late, and it was warm|It was dark, and it was safe], and {hero} was already dreaming.
So {hero} slept, and {thing} slept too, in its own way.
"Tomorrow," {hero} murmured, and was asleep before the word was quite [over|finished].
The dark was soft, the pillow was cool, and {hero} drifted away on a dream.
[If you are very quiet|If you listen], you can hear {him} breathe. {He} is sound asleep.
Even the [clock|mouse in the wall|kitchen cat] [tiptoed|went softly], because {hero} was asleep.
{Hero} [tucked|put] the whole evening under {his} pillow, and slept on it.
Then the night drew its curtain, and {hero} slept, and all was well.
[It did not take long|It took only a moment]: two blinks, one sigh, and {hero} was dreaming.
There was one more yawn, a very small one, and after that only dreams.
"Sleep well," whispered the [leaves|wind|night], and {hero} did.
{Hero} counted [backward from five|{his} toes], and somewhere near two {he} fell asleep.
All the little lights went out, and {hero} went out like a little light too, fast asleep.
[Snug as a bean in its pod|Warm as a loaf of bread|Curled up like a cat], {hero} slept the whole night through.
The stars looked in, saw that {hero} was asleep, and went on [shining|their way].
{Hero} was smiling, even after {his} eyes had closed.
[Slowly|Gently] the day folded itself up, and {hero} slept in the middle of it.
And nobody in the whole [valley|town|wide world] slept better that night than {hero}.
"Good night," said {hero} to [nobody at all|the dark], and the dark seemed to say good night as well.
{His} last thought was a small and happy one, and then {he} was asleep.
[Down, down, down|Softly, softly], like a leaf, {hero} drifted into sleep.
The night was long and kind, and {hero} slept through every bit of it.
The house [creaked once|sighed], made itself comfortable, and fell asleep around {hero}.
[Do you want to know a secret?|Here is a secret.] {Hero} smiled in {his} sleep.
Sleep came [on soft paws|like a warm wave|without a sound] and lay down beside {hero}.
{He} was going to say something more, but a dream had already begun.
All that was left of the day was a smile, and {hero} took it along into {his} dreams.
Now the lamp is out, and {hero} is asleep. Good night.
"What a good day," {he} thought, and that was when {his} eyes closed.
Somewhere between one breath and the next, {hero} fell asleep.
{Hero} listened to the quiet until the quiet became a dream.
And the dream that came to {hero} that night was [gentle|warm|long] and had {thing} in it.
[Nobody heard it|Only the moon heard it], but {hero} laughed softly in {his} sleep.
@thing3
a bit of lamb's wool // a smooth round pebble // a tiny humming top // something soft, something round, and something that hums
a mitten with a hole // a snail shell // a piece of yellow glass // something warm, something small, and something that shines
a rusty old key // a fresh green leaf // a button with a smiling face // something old, something new, and something that makes you smile
a blue feather // a sleepy ladybug on a leaf // a sprig of dry mint // something blue, something sleepy, and something that smells of summer
a dandelion seed // a small bell // the ribbon from {his} last birthday // something light, something loud, and something you do not like to give away
a red thread // a pine cone // a drop of dew in a nutshell // something thin, something brown, and something wet
a white stone // a hair from a kind cat // a very short pencil // something hard, something kind, and something short
a chestnut // a yellow leaf // a candle end // something smooth, something from a tree, and something that has given light
@errand
"The [moon|night] is early, and the tea is ready."
"Do not worry, we are coming on Sunday."
"The blue door is open, bring the small spoon."
"Thank you for the soup, the bowl comes tomorrow."
"We miss you, and the cat says hello."
"Sleep well, and leave one light on."
"There is a new baby, and she has your nose."
"The swallows are back, look up."
@guestclue
It smells of [mint|bread] there
It hums a little
There is always a drip, plip, plip
The wind comes around the corner there
It is soft, and somebody sings
One can see the moon from there
"""
