"""What belongs to each wish, part one. The notation is explained in things.py."""

LORE_A = """
# flying-bed
@thing
the bed
@athing
a bed that could fly
@at
on the bed
@where
[Under the roof|In the attic], between two old trunks, stood a bed [that had forgotten how to stand still|with four brass feet].
[Grandmother's old bed|The old brass bed] had stood by the window for a hundred years, and it was no ordinary bed.
There was a bed in the blue room, and at night its four feet did not touch the floor.
In the corner of the room a wooden bed was waiting, as it did every night, [facing the window|for somebody to say the word].
@look
It had [a patched quilt|a quilt with ninety-nine patches] and a little bell on each post.
Its pillows were as fat as [geese|puddings], and its posts were carved like [swans' necks|pine cones].
It was painted blue, and [small clouds were stuck in its springs|wherever the paint was gone, the sky looked out].
@start
{Hero} climbed in, pulled up the quilt and said, "Up, please." And up it went.
{Hero} knocked three times on the bedpost. Creak, went the bed, and floated [out of the window|over the garden].
{Hero} shook the pillow once, and the bed rose like [bread in the oven|a balloon].
{Hero} lay down and breathed out, and the bed lifted off as softly as a [feather|yawn].
@sound
The bed went creak-a-creak, like a [small ship|boat on a lake].
The quilt flapped softly, flip, flap, [like a big slow bird|in the night wind].
The little bells on the bedposts went ting, ting.
It smelled of clean sheets and [a little of cloud|lavender].
@wonder
The bed flew over the [rooftops|town], and all the chimneys looked like [little hats|sleepy men].
When you leaned to the left, the bed turned left, and when you yawned, it slowed down.
They flew through a cloud, and it left [a cool drop on every nose|the quilt as soft as soap bubbles].
A row of geese flew beside the bed and [tried out the pillows|asked politely for a rest].
Under the bed hung a small lamp, so that the moths would know the way.
From up there the river was no wider than a [ribbon|shoelace].
The bed could fly as high as a [lark|kite], but it liked best to go just above the treetops.
@special
The bed made a slow, wide circle around the moon, and all the bells rang at once.
Then the bed dipped its feet into the lake, and rings of silver ran [out to both shores|away over the water].
A hundred swallows took the corners of the quilt and carried the bed along.
Star dust fell on the bed, and every patch of the quilt began to glow.
@keeper
Captain Plume // a gray goose in a nightcap // m // {Che} steered with one foot and said "Steady, steady" to everything.
Nettie // a tiny woman who lived in the bottom drawer // f // {Comp} counted the pillows whenever she was nervous.
Dusty // a moth with spectacles // m // {Comp} spoke so softly that you had to lean in.
Bolster // a pillow with a round and friendly face // m // {Che} [chuckled|sighed] feathers when {che} talked.
Madam Spring // a bat who slept by day and flew by night // f // {Che} called everybody "my duck."
@guest
Nib // a small swallow with a tired wing // m // under the roof of the old mill
Tuft // a baby cloud // f // behind the blue mountain
Ollo // a very young owl // m // in the hollow oak
@treasure
a feather that floats
a patch of quilt that is always warm
a small brass bell
@trouble
The bed hung crooked in the air and would not go straight. // They pulled the quilt to one side, but it slid right back. // {He} looked under every pillow, one by one, and under the last one lay a sleeping hedgehog. Carefully {hero} moved it into the middle, and the bed was straight again.
One of the bells had lost its ring, and without it the bed did not know the way. // They shook it. They blew into it. It only said "pff." // {He} turned the bell over and picked out a bit of fluff with a pine needle, thread by thread. Ting!
The bed sank lower and lower, until its feet brushed the treetops. // They threw out one sock and a slipper. It did not help. // {He} felt the quilt. It was heavy with rain, that was all! They wrung it out corner by corner, and up went the bed.
@quiet
The bed flew home more and more slowly, as if it were falling asleep itself.
The bells on the posts rang lower, and then not at all.
The geese said good night, and the sky was wide and still.
One by one, the windows below went dark.
@home
The bed came in at the window and set its four feet down on the floor, [soft as a cat|without a bump], with {hero} already under the quilt.
Home it went, through the window, and {hero} did not even have to go to bed, for {he} was in it.
The bed landed in its corner, and {hero} put {his} head on the pillow.

# star-train
@thing
the train
@athing
the train to the stars
@at
on the train
@where
Behind the [last house|old mill] there was a small station, and once a night a train stopped there that was in no timetable.
Every night, on the rails where only daisies grew, came a little train to the stars.
At the end of the [street|garden] stood a signal with a green light. Where there is a signal, there must be a train.
High on the hill was a platform, just one bench long, and from there the train to the stars set out.
@look
It had [three|five] round cars, and its smoke was made of [silver|tiny sparks].
Its engine was no bigger than a [hay cart|kitchen], and on the front shone a lamp like a small moon.
Its seats were of blue velvet, and in every window stood a [candle|glass of stars].
@start
{Hero} climbed aboard. The doors went pff, the wheels went click, and the train rolled straight up into the sky.
"All aboard!" called a voice, and {hero} jumped in, and the train ran up the moonlight as if it were a hill.
{Hero} found a seat by the window. Slowly, slowly, the ground [slid away|grew small], and the train was flying.
{Hero} held out a [button|leaf] for a ticket, and it was just the right one.
@sound
Click-a-clack, went the train, click-a-clack, [over the rails of light|past the moon].
The whistle blew, not loud, but long and soft: hoooo.
The train smelled of [warm iron and peppermint|soot and oranges].
In the engine the fire sang to itself, hum and crackle.
@wonder
The train stopped at every star, and at every star somebody [got on with a basket|waved a lantern].
The rails were made of moonlight and lay down only when the train came.
In the dining car there was [cocoa with stars in it|soup with tiny stars].
The train passed the Great Bear, who [lifted one paw|moved her foot out of the way].
Whoever looked out on the left saw yesterday, and whoever looked out on the right saw tomorrow.
They crossed a bridge over the Milky Way, and it [splashed white against the windows|foamed like warm milk].
A comet raced beside the train for a while, and [lost by a nose|then let it win].
At one stop the stars were so small that they came in to ride along, [two to a seat|six on each bench].
@special
The train ran three times around the moon, because the moon [likes it so much|had asked for it].
Then all the stars along the rails were lit, one after another, as far as you could see.
A shower of falling stars ran down the windows like golden rain.
The train let out one round puff of silver, and out of the puff came a brand new star.
@keeper
Mister Punch // the conductor, an old badger with a silver punch // m // {Che} said "Tickets, please" to the stars as well.
Stella // the engine driver, who had a star on her cap // f // {Che} [laughed|talked] in short puffs, like a steam engine.
Olga // an owl with a very big suitcase // f // {Che} knew the timetable by heart and said it like a poem.
Fidget // a mouse who lit the lamps // m // {Che} could not stand still for one moment.
Aunt Amber // the lady who poured the cocoa // f // {Che} began every sentence with "My dear."
@guest
Glim // a star no bigger than a pea // m // at the third stop after the moon
Luna // a moth with silver wings // f // in the lamp at the little station
Pebble // a small round piece of the moon // m // on the dark side of the moon
@treasure
a ticket for one more ride
a star the size of a pea
a silver whistle
@trouble
The train had stopped in the middle of the sky, and the engine only said "huff." // They pushed from behind, but how do you push a train in the sky? // {He} opened the little door of the engine. The fire was not out, it was only tired! {Hero} blew on it, softly and evenly, until it glowed again.
The signal stayed red, and the train stood and waited. // They whistled. They waved. The signal stayed red. // {He} climbed up and found that a cobweb had caught the switch. Thread by thread {hero} loosened it and set the spider on a leaf. Green!
The lamps in the train went out, one after another. // They lit a match, and it went out as well. // {He} asked the smallest stars to come in and sit in the lamps. They had always wanted to.
@quiet
The train rolled on more quietly now, click, and after a long while, clack.
In all the cars the passengers were nodding.
The stars turned down their lights to let the train go by.
The whistle blew once more, so softly that nobody woke up.
@home
The train set {hero} down at the little station, and from there it was only [a few|ten] steps to {his} {nest}.
"Home, last stop," called {comp}, and soon {hero} was lying in {his} {nest}.
{Hero} rode all the way back with {his} cheek against the window, and was carried home to {his} {nest}.

# cloud-castle
@thing
the castle
@athing
the castle in the clouds
@at
in the castle
@where
Above the [highest hill|mountains], where the clouds lie down in the evening, there is a castle.
If you look up at the right moment, [just after the rain|just as the sun goes down], you can see a castle in the clouds.
On the biggest, whitest cloud stood a castle, and it never stayed in one place.
Some clouds look like sheep and some look like ships, but this one really was a castle.
@look
It had [seven|nine] white towers, and the doors were made of mist.
Its walls were soft, and if you leaned on them, [you left a dent|they leaned back].
Its windows were [rose|pale gold] from the evening sun, and its flags were made of wind.
@start
A stair of little clouds came down, and {hero} climbed it, [hop, hop, hop|step by soft step].
{Hero} took hold of a kite string, and the wind lifted {him} right up to the castle gate.
The cloud came down so low that {hero} only had to take one big step.
A rainbow ended at {hero}'s feet. {He} walked up it with careful steps, all the way to the castle.
@sound
In the halls of the castle the wind hummed through the keyholes, hooo, haaa.
The floor went puff, puff, at every step.
It smelled of [rain that has not fallen yet|clean washing and snow].
Far below a dog barked, as small as a [cricket|squeak].
@wonder
In the castle kitchen they were stirring tomorrow's [fog|weather] in a big pot.
All the beds in the castle were clouds, and all the pillows were smaller clouds.
There was a room where the sunsets were kept, [rolled up like carpets|neatly folded, red on red].
The castle's fountain did not splash. It snowed.
When somebody in the castle sneezed, it rained a little on the fields below.
In the tallest tower hung the rainbows, drying on a line.
The king's throne was empty, and anybody who was tired could [sit on it|take a nap there].
@special
All at once the castle turned pink from bottom to top, then gold, then blue.
The big gate opened, and a flock of baby clouds came [tumbling in|skipping home] from the pasture.
The castle sailed right through the moonlight, and every tower lit up like a candle.
From the tower fell a thousand flakes of light, and wherever one landed, somebody below smiled in their sleep.
@keeper
Princess Flurry // the princess, who wore slippers of fog // f // {Che} [tripped over her slippers|giggled] at every second word.
Old Nimbus // the doorkeeper with a beard of mist // m // {Che} spoke slowly, and a tiny thunder rolled in {chis} voice.
Wisp // a maid who swept the sky // f // {Che} never stopped sweeping, even while {che} talked.
Sir Puff // a small, round knight with a feather duster // m // {Che} bowed to everybody, even to the chairs.
Cook Cumulus // the castle cook // m // {Che} tasted the air with a spoon before {che} spoke.
@guest
Lamb // a baby cloud // f // on the cloud meadow behind the castle
Drip // a raindrop who did not want to fall alone // m // in the gray cloud next door
Aria // a young swift who had flown too high // f // under the church roof
@treasure
a small cloud on a string
a jar of sunset
a slipper of fog that fits every foot
@trouble
The castle had drifted too low, and one tower was caught on a [church spire|mountain top]. // They blew as hard as they could, but the castle only wobbled. // {He} lay down on {his} tummy, reached over the edge, and undid the soft cloud loop by loop. And the castle floated free.
There was a hole in the floor of the castle, and the moonlight fell through. // They put a cushion on it, and the cushion fell through too. // {He} took a little mist, rolled it between {his} hands like wool, and darned the hole, over and under, over and under.
The evening red was gone. The castle had nothing to put into the sky! // They looked in the cupboard and found only gray. // {He} searched the jam jars, shelf by shelf, and behind the last one was a spoonful of strawberry red. A spoonful was enough.
@quiet
The castle closed its gates of mist, one behind the other.
The towers sank into each other, soft as dough, and slept.
The wind lay down in the castle hall like a big old dog.
The flags hung still, for the wind that made them was asleep.
@home
The stair of clouds let {hero} down, step by step, right beside {his} {nest}.
{Comp} let {hero} down on a [moonbeam|small gray cloud], and it set {him} gently into {his} {nest}.
A soft wind carried {hero} home, and a piece of cloud [came along as a pillow|stayed with {him}].

# cozy-treehouse
@thing
the treehouse
@athing
the treehouse
@at
in the treehouse
@where
In the old [oak|chestnut tree|apple tree] [behind the house|at the edge of the meadow], higher than a ladder and lower than the moon, was a treehouse.
The biggest tree of all held a treehouse in its arms, [the way you hold a kitten|and never once let go].
Nobody knew who had built the treehouse in the [linden|beech] tree. It had simply always been there.
Up in the leaves, where only squirrels have business, there was a treehouse.
@look
It had a crooked roof, a round window, and room for [three, if one was small|two and a teapot].
Its walls were made of [old doors|bits of an old boat], and every one had a different color.
It had a rope ladder, a lamp, and a bucket on a string for [sandwiches|letters].
@start
{Hero} climbed the ladder, one rung, two rungs, three rungs, and [pushed open the little door|put {his} head through the floor].
Up the rope {hero} went, hand over hand, until the leaves closed below.
{Hero} gave the secret knock, tap, tap-tap, tap, and climbed inside.
{Hero} climbed from branch to branch, the way you go up stairs, and slipped in at the window.
@sound
The treehouse creaked softly whenever the tree [breathed|stretched].
The leaves were whispering, sh, sh, [all around the treehouse|as if they knew a secret].
Plop, went an acorn on the roof, and after a while, plop again.
It smelled of [bark and blankets|warm wood and apples].
@wonder
From the window of the treehouse you could see [three ponds and a half|all the way to the sea].
When the wind blew, the treehouse rocked a little, like a cradle.
The tree pushed a twig in at the window, so that there was always a place to hang your hat.
At night the fireflies came to the treehouse and sat down in the lamp.
Every year the treehouse grew a little higher, because the tree did.
There was a shelf of books in there that smelled of [leaves|rain], and on the lowest lived a beetle who could nearly read.
In the treehouse, even plain bread tasted like a feast.
@special
The moon climbed up the branches, one by one, and looked in at the window of the treehouse.
Then all the leaves turned over at once, and the whole treehouse was full of silver.
The tree took a deep breath, and the treehouse rose and sank, as gently as a boat.
A hundred fireflies came in and hung themselves under the roof like tiny lamps.
@keeper
Acorn // a squirrel with a very neat tail // m // {Che} offered everybody a nut before {che} said anything else.
Madam Hoot // an old owl from the top branch // f // {Che} said everything twice, once for each ear.
Twig // a tiny man with a cap of bark // m // {Che} talked in a voice that creaked like a branch.
Ruby // a robin who came for the crumbs // f // {Che} hopped from one foot to the other while {che} talked.
Moss // a sleepy tree frog // m // {Che} took a little nap between one word and the next.
@guest
Pipkin // a baby woodpecker // m // three branches above the hole with the moss
Lulu // a young bat who was upside down and confused // f // in the barn across the meadow
Bean // a small caterpillar // m // on the lilac bush by the gate
@treasure
a cup made from half a nut
a lamp with a firefly asleep in it
a whistle of willow wood
@trouble
The rope ladder had fallen down, and now nobody could get down from the treehouse. // They let down a scarf, but it was much too short. // {He} took the blanket, and the string, and both belts, and tied them together with the knots that {kin} had taught {him}. They held.
Rain was dripping into the treehouse, right onto the pillow. // They put a cup there. Soon the cup was full. // {He} looked at how the leaves lay on the tree, one over the other, and laid big leaves on the roof in just the same way. Not one more drop came in.
The little door was stuck, and outside it was getting cold. // They pulled together and fell down together. // {He} ran one finger around the door and found a tiny sprout growing in the crack. Gently {he} bent it aside, and the door swung open.
@quiet
The fireflies put out their lamps, one after another.
The tree held very still, so that nobody in it would wake.
Now only one leaf was talking, and then that one was silent too.
The treehouse rocked slowly, once to this side and once to that.
@home
{Hero} climbed down the ladder with heavy legs and walked through the grass to {his} {nest}.
That night {hero} was allowed to sleep in the treehouse, on [a heap of blankets|the softest blanket], with {kin} right beside {him}.
Down the rope went {hero}, over the grass, and into {his} {nest}.

# old-lighthouse
@thing
the lighthouse
@athing
the lighthouse
@at
at the lighthouse
@where
Where the land ends and the sea begins stood an old lighthouse.
On the rocks, with wet feet and a bright head, stood a lighthouse.
At the end of a long, [bumpy|sandy] path, among the gulls, was the lighthouse.
The lighthouse had stood in the bay for two hundred years and had never once sat down.
@look
It was red and white like a [candy cane|striped sock], and the sea had nibbled at its paint.
It had [a hundred and one|ninety-nine] steps, a green door, and on top a lamp as big as a cow.
It leaned a little to one side, [as you do when you are listening|because of the wind].
@start
{Hero} pushed open the green door and climbed up, around and around and around, until {his} nose was dizzy.
{Hero} ran along the sand, over the rocks, and knocked: tock, tock.
{Hero} counted the steps on the way up, and at the top {he} was so [high|out of breath] that {he} forgot the number.
{Hero} carried a basket of [bread|soup and pears] to the lighthouse, as {he} did every week.
@sound
The sea said shhh, and then it took a breath and said shhh again.
High above, the big lamp turned with a hum: whirr, whirr.
A gull called, [far out|once], and the foghorn answered: mooo.
It smelled of salt and lamp oil and [old rope|fried fish].
@wonder
The light of the lighthouse walked over the water on one long leg.
From the top, the ships looked like [toys on a blue carpet|crumbs on a plate].
When the light touched a wave, the wave turned white and waved back.
Every ship said good night to the lighthouse with one short toot.
In the wall of the lighthouse lived the echo, and it liked to be greeted.
On clear nights the lighthouse and the moon took turns.
The lighthouse knew every boat by its cough.
@special
The beam swept over the bay, and for a moment every drop of water was a star.
Out on the dark sea a whole row of small lamps came on, one for every boat that was coming home.
A big gray whale lifted its tail out of the water, right in the middle of the light.
The fog opened like a curtain, and there lay the sea, smooth and shining.
@keeper
Captain Barnaby // the old keeper with a white beard // m // {Che} began every sentence with "Well, well, well."
Gilda // a gull with only one sock // f // {Che} knew all the news from here to the harbor and told it at once.
Marina // the keeper, who knitted very long scarves // f // {Che} counted stitches in the middle of {chis} sentences.
Salty // an old cat who lived by the lamp // m // {Che} purred in time with the turning light.
Crusty // a crab with polished claws // m // {Che} walked sideways and talked a bit sideways, too.
@guest
Skipper // a young seal // m // on the flat rock beyond the bay
Tern // a little sea bird with wet wings // f // on the far side of the harbor
Bobbin // a fishing boat no longer than a sofa // m // at the blue pier
@treasure
a shell with the sea in it
a piece of green sea glass
a tiny brass key to the lamp room
@trouble
The big lamp would not turn, and its light lay on the water and did not move. // They pushed it. It weighed as much as a cow. // {He} put {his} ear to the wheels and heard a small click. Between two of them was a shell! {Hero} wiggled it out, and around went the light.
The fog was so thick that no boat could see the light. // They lit a second lamp, and the fog ate that, too. // {He} thought: what you cannot see, you can perhaps hear. And {he} rang the dinner bell, evenly, ding and ding and ding, until the last boat was in.
The glass of the lamp was gray with salt. // They wiped it with a sleeve, and it got worse. // {He} fetched warm water and washed the glass, one small window after the other, forty in all. How it shone then!
@quiet
All the boats were home now, and their ropes creaked in the harbor.
The light walked once around the bay, on tiptoe, and then again.
The sea breathed in, and the sea breathed out.
Even the gulls put their heads under their wings.
@home
{Hero} walked home along the beach, and the beam lit {his} path [as far as the door|right up to {his} {nest}].
There was a small round room below the lamp, and in it a {nest} just right for {hero}.
{Comp} took {hero} by the hand, home over the rocks, and there stood {his} {nest}, waiting.
"""
