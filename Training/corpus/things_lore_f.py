"""More of what belongs to each wish: the last ten."""

LORE_F = """
# music-box
@where
At the very bottom of the toy box, under the blocks, lay a music box.
Nobody could say how old the music box was, not even [Grandfather|the tall clock], who had known it all his life.
@look
When you shook it a little, something inside said "ting", as if it had been asleep.
It stood on four lion's feet, each as big as a bean.
@start
{Hero} set it on {his} knees and gave the key one turn for each year of {his} life.
@sound
Ting, ting-a-ling, it went, and each note was as round as a pea.
The spring hummed, deep down, like a cat that is thinking.
@wonder
The music box played so softly that even the snow outside stopped to listen.
If you were sad, the music box played a bit slower and waited for you.
The curtains danced with the music box, and the lamp nodded.
Some evenings the music box played backward, and then one remembered what was for breakfast.
@special
The walls of the room grew thin as paper, and behind them stood a hall full of candles, where everyone was dancing.
Above the music box the tune could be seen: it was a thread of silver, and it wound around them all.
@keeper
Mazurka // a lady beetle in a red coat // f // {Che} waltzed from one place to another.
@guest
Bim // a little bell // m // on the collar of the cat next door
Trill // a young canary who had forgotten her song // f // at the shoemaker's window
@trouble
A moth had fallen asleep between the wheels, and nobody wanted to hurt it. // They hummed to wake it, and it only snuggled down. // {He} put a lamp beside the music box and waited, quite still, till the moth woke, saw the light, and came out by itself.
The lid would not close, and so the music could not rest. // They pressed it, and up it sprang again. // {He} looked along the edge with one eye shut. A bit of velvet had slipped into the crack. {Hero} smoothed it back with a fingernail, as you smooth a small forehead.
@quiet
The spring had nothing more to tell, and it curled up.
The silver bird put its head under its silver wing.
@home
The tune went ahead up the stairs, and {hero} came after, and so to {his} {nest}.

# dream-library
@where
Some say the library of dreams is under the hill, and some say it is under the pillow.
On the street of the lamplighters there was one door with no number, and it led to the library of dreams.
@look
It had an armchair for every size of reader, and the smallest was for [beetles|mice].
Over the door stood the words: Please wipe your feet and open your heart.
@start
{Hero} knocked, and a little window slid open. "Password?" {Hero} yawned. "That is the one," said a voice.
@sound
Bump, bump went the date stamp, far away between the shelves.
A book cleared its throat. Another turned over in its sleep.
@wonder
You could borrow a dream from the library for one night, and you had to bring it back uncrumpled.
Some of the dreams in the library were still quite short, because the dreamers were only two.
The picture books in the library were warm, like rolls.
A dog had brought in his dream himself. It was about a bone, and it was eleven pages long.
@special
From one book the sea ran out, quite shallow, and little ships sailed around the table legs and back in again before the page was turned.
The lamps of the library bowed, and all the names of those who were dreaming appeared on the ceiling in golden ink.
@keeper
Quilly // a hedgehog who wrote the labels // f // {Che} used one of {chis} own quills and never made a blot.
@guest
Dot // a full stop who had lost her sentence // f // at the end of the longest story
Rascal // a very small pirate // m // on page twelve of the sea book
@trouble
The ladder had rolled away by itself, and the cat was stuck on the top shelf. // They called the ladder, but it was reading. // {He} built a stair of thick books, one upon another, and begged each book's pardon. And the cat came down like a queen.
The youngest dream kept crying and woke all the rest. // They rocked it, and they hushed it. // {He} opened it a crack and read what was in it. There was somebody standing in the rain. So {hero} drew an umbrella in the margin, and it was quiet.
@quiet
The little lamp over the children's corner was the last to go out.
The library said shh once more, and this time it meant itself.
@home
{Hero} turned a page, and on it was a picture of {his} own {nest}. And {he} lay down in it.

# little-bakery
@where
Where the street smells good there is always a reason, and this time it was a little bakery.
Between the shoemaker and the [pump|post office] a tiny bakery had squeezed itself in.
@look
Its shelves were crooked, so that the rolls lay there as if they were laughing.
Over its door hung a golden pretzel, [and a sparrow lived in it|that swung in the wind].
@start
"Psst, in here," called someone, and {hero} slipped in under the counter, right into the warmth.
@sound
Flop, went the dough, and poof, went the flour.
The spoon went around in the bowl: klonk, klonk, klonk.
@wonder
In the bakery the clock had no numbers, only: rise, bake, and eat.
The oven in this bakery knew more stories than anyone, because it had heard everybody waiting.
A pinch of kindness went into each cake, and it was kept in a blue tin.
When the croissants were ready they rolled over onto their other side.
@special
All the windows of the bakery had fogged up, and on the glass, by itself, appeared a drawing of everyone who would eat the bread.
The gingerbread people on the big tray stood up, took one another by the hand, and danced a round for as long as they were warm.
@keeper
Barley // a hamster with full cheeks // m // {Che} had to put something aside before {che} could speak.
@guest
Poppyseed // a mouse child covered in flour // f // behind the clock of the town hall
Crust // a hungry little stray cat // m // under the stairs of the bridge
@trouble
The gingerbread men had run out of the door, all twelve of them. // They called, "Come back!" and the gingerbread men ran faster. // {He} sat down on the step and told, not too loudly, the funniest story {he} knew. One by one they came back to hear the end.
The one recipe that everybody loves had a big spot on it, right in the middle. // They guessed: salt? soap? {Comp} shook {chis} head. // {He} smelled the paper, and smelled it again, and licked it a little. "Cinnamon," said {hero}, "and a bit of orange." That was it.
@quiet
Somebody hung up the apron, and it went on smelling good in the dark.
In the oven there was only one small red spark, like an eye that is falling shut.
@home
Past the pump, over the bridge, with warm pockets: {hero} went home to {his} {nest}.

# star-lantern
@where
Far down in the sea chest of a [captain|fisherman] lay, wrapped in wool, a lantern full of stars.
At the fork in the road, where most people stop and wonder, hung a lantern full of stars.
@look
It was dented on one side, and that was exactly the side on which the light was the warmest.
In it there were nineteen stars, or twenty, for they would not keep still.
@start
{Hero} said "Good evening" to it, politely, and the lantern lit itself.
@sound
There was a tiny giggle in the lantern, and then nineteen small voices said "Shh!"
The ring on the lantern went clink against its hook.
@wonder
In the light of the lantern even cabbages looked like roses.
The lantern grew heavier when you went the wrong way, and lighter when you were right.
The stars in the lantern had names, and the littlest was called Oh.
A moth who had once seen the lantern wanted no other light for the rest of the summer.
@special
All the windows of the village, one after another, caught a bit of the lantern light and kept it.
The smallest star stood up in the lantern and sang, and the sky came closer to hear it.
@keeper
Juniper // a gnome with a coat full of holes // m // {Che} shone a bit through the holes when {che} was pleased.
@guest
Oona // a young owl who could not see in the dark // f // in the hollow tree by the crossroads
Puck // a snail who was late // m // under the third lamp on the bridge
@trouble
The hook had broken, and the lantern had nowhere to hang. // They set it on the ground, and then one only saw everybody's knees. // {He} looked at the apple tree, and at the way its branch was bent, like an arm. {Hero} asked, and the tree was happy to hold it.
The stars in the lantern were quarreling about who was brightest. // They told them to stop, and it grew louder. // {He} took them out one at a time and looked at each for a long while. "You are a little blue," {he} said, "and you have a twinkle." After that nobody had to be the brightest.
@quiet
The littlest star asked for one more story, and was asleep before it began.
The glass cooled, and clicked, and was quiet.
@home
The lantern stayed at the corner and shone until {hero} had reached {his} {nest}.

# small-spaceship
@where
Where the washing hangs, between two bedsheets, something blinked. It was a small spaceship.
When the pond froze over, one could see it at the bottom: a small spaceship. And in spring it came up by itself.
@look
It was as yellow as a lemon, and it stood on three thin legs like a heron.
On its door hung a wreath, and a bell with a note: Please ring gently.
@start
{Hero} put a saucepan on {his} head for a helmet, saluted, and shut the door behind {him}.
@sound
Psst, said the door, as doors of spaceships do.
Somewhere a tiny meteor knocked on the roof: tok.
@wonder
The spaceship stopped for everybody who stuck out a thumb, even for [moons|a lost sock].
On one planet they had no noses, and they admired {hero}'s very much.
The stars outside the spaceship smelled a little of lemon.
In the glove box of the spaceship there was a map of everything, folded wrong.
@special
From the dark side of the moon came a parade of little lamps: the moon moles were carrying the new moon around the corner.
The spaceship flew through a veil of green and violet light, and it rustled like silk.
@keeper
Tutu // a robot maid with a feather duster // f // {Che} dusted each star that came near enough.
@guest
Oob // a baby moon // m // next to the big blue planet
Mirra // a small robot with a blinking nose // f // at the lighthouse on Mars
@trouble
A young asteroid was following the spaceship and would not go home. // They waved it away, and it thought that they were waving hello. // {He} opened the hatch a bit and spoke to it. It only wanted to be thrown once. So {hero} threw it, far and high, all the way to its mother.
The window was so full of stardust that nobody could see a thing. // They switched on the wiper, and it only drew a mustache. // {He} breathed on the glass, and rubbed, and breathed, and rubbed, a small circle first, and then a bigger one. And there were all the stars, freshly washed.
@quiet
The stars outside drew their curtains, one here, one there.
The big button said, in very small letters: Good.
@home
The spaceship folded up its legs behind the beans, and {hero} tiptoed past the cabbages to {his} {nest}.

# rainy-day
@where
The rain walked over the roofs on a thousand small feet.
The rain had come to stay for a while, and it had brought everything along: drums, ribbons, and mirrors.
@look
The rain hung in the spiders' webs in long rows, like beads.
The rain ran along the gutter and jumped off at the corner, over and over again.
@start
{Hero} held out one hand, got three drops, and followed them out of the door.
@sound
Drip, said the pear tree. Drop, said the plum tree.
Rub-a-dub, went the rain on the lid of the barrel, rub-a-dub.
@wonder
Under the rhubarb leaf it was dry, and four people and a beetle were already standing there.
The rain wrote something on the pond, and wiped it out, and wrote it again.
In the rain the colors of the stones woke up: red ones, green ones, and one with a stripe.
The rain made a river in the road, and it had a waterfall as high as a thumb.
@special
For a moment the rain and the sun were both there, and they danced together over the roofs.
The clouds opened a window, and down came the light on one single tree, full of drops, and it shone like a chandelier.
@keeper
Plash // a frog who conducted the rain with a reed // m // {Che} tapped three times before {che} spoke.
@guest
Dewey // a drop of rain who had missed the pond // m // in the lily pond behind the church
Midge // a wet little moth // f // under the eaves of the blue house
@trouble
A snail was sitting in the middle of the path, where the bicycles come by. // They told it to hurry, and it hurried, but you could not see it. // {He} held the umbrella over it and walked along beside it, all the way across, one step for each of its minutes.
The little bridge of planks had floated off, and on the other side stood {hero}'s supper. // They jumped as far as they could, splash, splash. // {He} rolled a stone into the water, and then one more a bit farther on, and so on. At the seventh stone {hero} was across.
@quiet
The rain went on tiptoe now, from leaf to leaf.
The clouds had told everything they knew.
@home
The boots stayed outside and filled up with rain, but {hero} was inside, warm and dry, in {his} {nest}.

# tiny-island
@where
Once the sea had a crumb in its beard, and people called it a tiny island.
Nobody could find the tiny island twice, unless [they hummed|it liked them].
@look
It had one path, which went around once and came back to itself.
On it grew nine flowers, and each one had a name on a little sign.
@start
{Hero} sat down in a washtub, took a wooden spoon, and paddled there.
@sound
Glup, said the water under the rocks, and after a while, glup.
The one tree on the island whispered to its one shadow.
@wonder
In the morning the island lay here, and in the evening it lay a bit farther on.
The fish came to the beach of the island to hear what was new on land.
On the island one could be alone and yet wave to somebody.
The island was so tiny that when somebody told a joke at one end, they laughed at the other.
@special
At that moment the moon laid a path on the water, right up to the island, and along it came a small white horse of foam.
All the sea turtles came ashore on the island, one after another, and laid their chins on the sand to look at the stars.
@keeper
Mister Driftwood // an old man carved out of wood by the waves // m // {Che} told every story as if it had floated in that morning.
@guest
Puff // a very round little fish // m // in the coral garden
Sula // a young gull with a sore foot // f // on the mast of the old ship
@trouble
A small whale had swum too close and lay in the shallow water. // They pushed, and it was like pushing a hill. // {He} looked at the moon and at the wet line on the sand, and said, "The tide will be here soon." Until then {hero} poured water over the whale with a shell and told it about the deep sea. Then the tide came.
The rooster of the island had lost his voice, and so it would not become morning there. // They crowed for him, but no one believed them. // {He} made him a warm drink of herbs and honey, and let him hold it himself. By and by there came a "cock", and much later a "doodle."
@quiet
The sea folded its waves and put them away.
The nine flowers closed, in the order of their names.
@home
The washtub knew the way, and {hero} had only to hold on until {his} {nest} came in sight.

# warm-blanket
@where
On rainy Mondays, on the clothesline, one could see it dancing: the magic blanket.
In the back of the car, where the dog used to sleep, was a blanket that had its own ideas.
@look
It was as soft as a rabbit's ear, and in one corner somebody had embroidered the word: Now.
It was made of a hundred squares, and each square had once been someone's favorite shirt.
@start
{Hero} shook it out, whoosh, and instead of falling, the blanket stayed in the air and waited.
@sound
Swish, swish, went the tassels, as if they were sweeping away the day.
Very softly, in a wooly voice, the blanket hummed.
@wonder
The blanket smelled of whatever you missed the most.
When you told the blanket a worry, it knitted it into a tiny knot and kept it.
The blanket made room for as many as there were, and nobody's feet ever stuck out.
One could walk into the pattern of the blanket, along the blue stripe, and come out by the red.
@special
The blanket rose like a tent, with a lamp of moonlight in it, and along its seams grew tiny blue flowers.
From each of its hundred squares came a voice, very soft, and each voice said something kind.
@keeper
Papa Patch // an elephant as small as a thimble, who lived in the pattern // m // {Che} blew one small note before {che} spoke.
@guest
Nap // a dream who was cold // m // under the eyelids of the baby next door
Lina // a doll without shoes // f // in the dollhouse on the landing
@trouble
Everyone wanted the blanket on the same night: the cat, the baby, and Grandfather. // They pulled at it, one here and one there. // {He} did not pull. {He} laid it crosswise, and measured, and turned it once. Now the cat lay in the middle and there was an end for everyone.
The moon button had come off the blanket, and in that corner it was always cold. // They pinned on a spoon, which was shiny but no help. // {He} went over the floor on {his} knees, board by board, with a lamp. There it was in the mouse hole, and the mouse gave it back for a crumb of cheese.
@quiet
The blanket let out a breath, and grew a little heavier, the nice kind of heavy.
The tassels hung down, and not one of them swung.
@home
The blanket walked ahead, on its four corners, and turned itself down on {hero}'s {nest}.

# wishing-well
@where
Behind the chapel, where the blackberries are, was a well, and children said that it could grant wishes.
Nobody drew water from the old well any more. It was a wishing well, and it had more time than water.
@look
A vine had grown around it, like a scarf, and it had a wooden lid with a heart-shaped hole.
It was as wide as three hugs and as deep as a long story.
@start
{Hero} sat down on the edge, let {his} legs hang on the outside, and told the well what kind of day it had been.
@sound
Bloop, came a bubble from below, and that meant: go on.
The chain went rattle-rattle, and the bucket bumped against the wall.
@wonder
The well kept the wishes cool, so that they would stay fresh.
There was a second sky in the well, and some birds preferred it.
Wishes for other people came up from the well twice as fast.
Somebody had once wished for a song, and since then the well hummed on Wednesdays.
@special
The moon in the well winked, came up in the bucket, and lay there shining till everyone had looked.
From the bottom of the well grew a flower of light, up and up, and it opened exactly at the edge.
@keeper
Heron // a tall gray bird who counted the coins // m // {Che} stood on one leg to think, and on the other to talk.
@guest
Echo // an echo who had been forgotten // f // at the very bottom of the well
Clink // a small copper coin // m // in the purse of the flower seller
@trouble
Someone had wished for a horse, and it was stuck in the well with its head out. // They pulled it by the ears, quite gently, and the horse said no. // {He} thought it over. "Can you wish yourself smaller?" {he} asked. Nobody had told the horse that it was allowed to wish, too. Now it is a pony, and very happy.
The wishes had got tangled, and a duck had been given somebody's bicycle. // They asked the duck to give it back, but the duck was just learning. // {He} sat down by the well with a pencil and wrote a list, line by line: who, and what, and for whom. In the end there was just one wish too many, and it said: a list.
@quiet
The wishes lay at the bottom, side by side, and shone a little less, and then a little less.
A leaf floated down, turned once, and lay on the water like a small boat at anchor.
@home
The path was pale in the moonlight, {hero}'s steps were small and slow, and at the end of it was {his} {nest}.

# forest-at-night
@where
By day it was only a small wood. But at night it turned into a forest, and there was no end to it.
There is a forest where the trees take turns sleeping, and half of them are always awake at night.
@look
The roots made stairs, the branches made roofs, and between them it was as dark and soft as a coat.
There was a path of white pebbles, which somebody had swept.
@start
{Hero} waited until {his} eyes had got used to the dark, and then the forest let {him} in.
@sound
Knock, knock, went somebody on a hollow trunk. Then came two knocks in answer.
High above, the treetops were talking, shoo, shoo, in their sleep.
@wonder
In this forest the lost gloves grew on a bush, so that people could find them again.
In the forest a spider was hanging up drops of dew, one by one, and stepped back each time to look.
The old oak in the middle of the forest was so thick that the night had to walk around it.
There was a pond in the forest in which no wind ever went, and there the moon washed its face.
@special
Out of the earth, in a ring, came a hundred small mushrooms, and under each one somebody lit a lamp.
The nightingale began. And all the trees of the forest leaned in by the width of a leaf.
@keeper
Prickle // a hedgehog with a tray of nuts // f // {Che} served everybody before {che} answered.
@guest
Wilma // a very young wild pig with stripes // f // in the soft hollow behind the oak
Flint // a firefly with no light on // m // on the ferns along the brook
@trouble
The old owl had lost her glasses and was reading the moon upside down. // They looked on the ground, for that is where lost things usually are. // {He} looked at the owl, once from the front and once from behind. They were on top of her head, deep in the feathers.
There was a fork in the path, and the signpost had turned around in the wind. // They ran a bit to the left and a bit to the right. // {He} felt the trees with {his} hand. "The moss always grows on the side toward the mill," {he} said. So {hero} turned the signpost back, and it pointed home.
@quiet
The night birds went home, and the day birds had not got up yet.
The pond closed over its moon, and not a ripple was to be seen.
@home
The white pebbles led {hero} out of the forest, each one a bit sleepier than the last, and so to {his} {nest}.
"""
