"""What belongs to each wish, part two."""

LORE_B = """
# magic-garden
@thing
the garden
@athing
the magic garden
@at
in the garden
@where
Behind a wall with [ivy|moss] on it, where everybody walked past, lay a magic garden.
There is a garden that opens its gate only in the evening, [when the bees have gone home|for those who knock].
Between the [church|school] and the [bakery|brook], no wider than two bedsheets, was a garden.
Nobody had planted the garden. One morning it was just there, [gate and all|with dew on everything].
@look
There were bluebells that really rang, and [cabbages as big as armchairs|peas as big as marbles].
Its paths went where you wished to go, and its gate was [painted green|made of roses].
In the middle stood a [pear tree|small tree] with a different fruit on every branch.
@start
{Hero} lifted the latch, [click|very gently], and was inside.
{Hero} said "please" to the gate, and it opened.
{Hero} crept through the hole in the hedge, the one that is just as big as {hero}.
@sound
All over the garden the flowers were humming, each on its own note.
Ding, dong, went the bluebells, [ever so softly|first the big ones, then the small].
It smelled of [mint and wet earth|roses and warm tomatoes].
Somewhere a snail was eating lettuce, crunch, crunch.
@wonder
Every flower in the garden told you its name if you bent down to it.
There was a pumpkin in the garden with a tiny door, and somebody inside was frying an egg.
If you laughed, a poppy opened. If you sighed, a leaf stroked your cheek.
The strawberries glowed in the dark, so that nobody would step on them.
In this garden you could plant a button, and up came a coat.
The sunflowers turned their heads, because they wanted to [see who was there|hear the rest].
The watering can walked around by itself and gave everybody just enough.
@special
One by one, all the night flowers opened, and out of each came a small light.
Then the whole garden breathed in, and breathed out, and the air was full of petals.
The moonflower opened at last, white and round, and the moon bent down to look.
All the bluebells rang together, and even the stones stopped to listen.
@keeper
Mister Thistle // the gardener, who was no taller than a rake // m // {Che} said good evening to each carrot.
Marigold // an old woman with seeds in every pocket // f // {Che} talked to people as if they were roses.
Digby // a mole in green boots // m // {Che} could not see well, so {che} shook hands with everything.
Bumble // a round bee who worked late // m // {Che} hummed between the words.
Petunia // a toad who sat on the warmest stone // f // {Che} thought about each word before {che} let it out.
@guest
Sprout // a seed with legs // m // in the third pot on the windowsill
Flit // a young moth // f // in the white lilac
Slow // a very small snail // m // under the rhubarb
@treasure
a seed that hums
a rose that never closes
a watering can the size of a thimble
@trouble
The oldest rose had let its head hang down and would not look at anybody. // They gave it water, but it only shook its leaves. // {He} sat down by the rose and asked what was wrong, and waited a very long time. "I am cold at the feet," said the rose at last. So {hero} tucked moss all around its roots.
The bluebells had stopped ringing, every one of them. // They tapped one, and it said nothing. // {He} looked inside, bell after bell, and in each there was one drop of rain. Softly, softly, {hero} tipped them out. Ding!
The gate had shut, and the vines had grown right over it. // They pulled at one vine, and it held on all the more tightly. // {He} did not pull at all. {He} tickled the vines, one after another, until they laughed and let go.
@quiet
The flowers folded their petals, first the small ones and then the big.
The watering can set itself down under the bench and slept.
The bluebells gave one last ding and then no dong.
The garden pulled the evening mist up to its chin.
@home
{Hero} closed the gate, click, and walked home with grass between {his} toes, and climbed into {his} {nest}.
The path knew what {hero} wished for now, and led straight to {his} {nest}.
With a bit of pollen on {his} nose, {hero} went home and lay down in {his} {nest}.

# paper-boat
@small
yes
@heroes
Pip // mouse // m
Tinka // mouse // f
Slim // snail // m
Lotta // ladybug // f
Hopper // frog // m
Rosie // beetle // f
Nub // snail // m
Bit // cricket // f
Willi // mouse // m
Minnie // frog // f
Tom // beetle // m
Daisy // mouse // f
@thing
the boat
@athing
the paper boat
@at
on the paper boat
@where
A child had folded a paper boat, set it on the brook, and been called in to supper. So there it lay, [among the reeds|at the bank], and nobody was in it.
At the edge of the [pond|puddle by the gate] lay a paper boat, and it was just big enough for somebody very small.
Down by the brook, tied to a blade of grass, floated a paper boat.
One day a paper boat came down the stream and stopped [under the willow|by a stone].
@look
It was folded from [an old newspaper|a page of music|a blue letter], and on its side you could read the word ["sunny"|"always"|"dear"].
It had a leaf for a sail and a matchstick for a mast.
It was white as a swan, and [hardly bigger|not much longer] than a shoe.
@start
{Hero} put one foot in, then the other, and the boat rocked and set out.
{Hero} pushed off with a straw, and [off they went|the bank slid away].
"All aboard," said {hero} to {himself}, and untied the blade of grass.
@sound
The water went glip, glop, under the paper.
The reeds were whispering, swish, swish, as the boat slipped by.
A frog somewhere said "quorp", [and another said it back|and thought it over].
It smelled of mint and mud and [wet paper|water lilies].
@wonder
The boat sailed under a bridge that was really only a [twig|root], and still they had to bow.
A water lily opened as they passed, as big as a [house|hall].
Below them swam the fish, with their lamps of silver.
The current turned the boat around once, slowly, so that they could see everything.
Dragonflies flew ahead of the boat and showed it where the water was deep.
A leaf came sailing by the other way, and an ant on it [lifted his hat|saluted].
The moon lay in the water, and the boat sailed right across it.
@special
All at once the water was full of stars, above and below, and the paper boat hung in the middle.
A swan bowed her long neck and drew the boat along behind her, [like a queen with a small white train|without a ripple].
The fireflies sat down along the edge of the boat, until it shone like a tiny ship of light.
The brook opened out wide, and there was the lake, as big as the sky.
@keeper
Old Newt // a newt who had sailed every puddle in the land // m // {Che} called everybody "sailor."
Miss Ripple // a water strider with long, neat legs // f // {Che} never stood still and never sank.
Drum // a round little frog // m // {Che} ended every sentence with a small hiccup.
Lacy // a dragonfly who was the pilot here // f // {Che} talked fast and always pointed ahead.
Mister Shell // an elderly water snail // m // {Che} said "no hurry" and meant it.
@guest
Speck // a young ant // m // in the hill by the third willow
Tiny // a tadpole without a single brother in sight // f // in the warm water by the dam
Dandy // a dandelion seed who was tired of flying // m // on the sunny side of the bank
@treasure
a pearl of dew
a golden grain of sand
a blue feather from a kingfisher
@trouble
The boat was getting soft, and water came up between the folds. // They scooped with a nutshell, but the water was faster. // {He} found a candle end on the bank and rubbed the wax along every fold, back and forth, until the paper was as tight as a duck.
The boat was stuck on a stone and would not go on. // They pushed, and only went around in a circle. // {He} felt under the water with one foot and waited for the next wave. When it came, {hero} gave one little push, and off they floated.
There was no wind at all, and the leaf hung down like a sleepy ear. // They blew into the sail until they were dizzy. // {He} looked at the water and noticed that it was moving by itself, very slowly, near the bank. "We only have to steer over there," {he} said, and the brook did the rest.
@quiet
The brook grew slow and wide, and hardly whispered any more.
The water lilies closed, and the frogs said their last word.
The boat rocked a little, the way a mother rocks.
Mist lay down on the water like a white quilt.
@home
The boat bumped softly against the home bank, and {hero} crawled into {his} bed of moss.
{Hero} tied the boat to a blade of grass, and went up the bank and into bed.
Home came the boat, nose first into the reeds, and {hero} curled up right there on the warm bank, where {kin} was waiting.

# moonlight-picnic
@thing
the picnic
@athing
a picnic in the moonlight
@at
at the picnic
@where
On top of the [green|round] hill, when the moon is full, you can have a picnic that you will never forget.
A red cloth lay in the grass [by the pond|under the birch tree], for tonight there was to be a picnic in the moonlight.
Once a year, when the moon comes closest, there is a picnic in the big meadow.
Who has a picnic at night? In the clearing, under the full moon, somebody did.
@look
There were [plums|cherry pies], and little cheeses, and a lemonade that shone in the dark.
The basket was full: [bread and honey|pancakes], pears, and one cake as round as the moon.
There was a cloth with a hundred daisies on it, and some of them were real.
@start
{Hero} carried the basket, which was [nearly bigger than {he} was|so full that it squeaked], all the way to the picnic.
{Hero} tiptoed out through the wet grass, and sat down on the cloth.
{Hero} spread the cloth, smoothed the corners, and said, "The picnic can begin."
@sound
The crickets played for the picnic, [fiddle and flute|zirp, zirp, zirp].
The lemonade went fizz, and the cookies went crunch.
It smelled of [clover and cake|ripe pears and grass].
In the birch tree a nightingale tried out a new song.
@wonder
In the moonlight the milk was blue, and the bread was silver.
Every crumb that fell at the picnic had a small shadow of its own.
The rabbits came out of the bushes, and each one had brought [a carrot|its own spoon].
Whoever drank the moon lemonade hiccuped little bubbles of light.
The moon leaned down so far that one could have given it a sandwich.
The picnic cloth lifted its corners and floated [a hand|an inch] above the grass.
The glowworms had come as candles and sat very straight on the cake.
@special
The moon stepped out from behind a cloud, and the whole meadow turned to silver.
All the guests at the picnic got up and danced, slowly, with their own shadows.
A slice of moonlight fell onto every plate, and it tasted of [vanilla|honey].
Up out of the grass rose a thousand fireflies, like a starry sky turned upside down.
@keeper
Mister Clover // a hare with a bow tie // m // {Che} said "After you" to everyone, even to the ants.
Berry // a hedgehog who had baked the cake // f // {Che} asked all the time if it was sweet enough.
Lady Mothwing // a moth in a gray silk dress // f // {Che} spoke in a very elegant whisper.
Grumble // a badger with a big appetite // m // {Che} talked with {chis} mouth full and said sorry each time.
Nan // an old goat with a picnic basket // f // {Che} finished every sentence with "and have some more."
@guest
Crumb // a field mouse // m // under the old plow at the edge of the field
Lily // a fawn who had come too far // f // where the ferns grow
Glow // the smallest of the glowworms // m // in the hedge by the stile
@treasure
the very last piece of moon cake
a cup of moonlight with a lid
a spoon of pure silver
@trouble
A cloud had slid over the moon, and nobody at the picnic could find their mouth. // They shouted at the cloud. It did not go. // {He} sat down and said, "It will move on, all clouds do. Until then, let us guess what we are eating." They guessed and giggled, and when nobody was thinking of it any longer, the moon came out.
The jar of honey would not open. // They twisted and puffed and turned red. // {He} held the jar between {his} hands and warmed it, as one warms a cold bird. After a long, long while the lid went "pop."
There were nine guests at the picnic, and only one cake. // Everybody cut a piece, but the first pieces were much too big. // {He} laid the pieces back together, thought, and cut again: once across, once down, and twice in between. Now it was enough, and there was even a piece for the moon.
@quiet
The crickets put away their fiddles.
One guest after another said thank you and went off through the grass.
The cake was gone, and the glowworms dimmed their lights.
The moon climbed higher and grew small and far.
@home
{Hero} was carried home over the meadow, with crumbs on {his} chin, and laid into {his} {nest}.
They folded the cloth, corner to corner, and {hero} went home to {his} {nest} with a full tummy.
On the way back {hero} grew so sleepy that {kin} had to steer {him} into {his} {nest}.

# hot-air-balloon
@thing
the balloon
@athing
a hot-air balloon
@at
in the balloon
@where
On the meadow behind the [school|barn], tied to a post, stood a hot-air balloon.
One evening a hot-air balloon had come down among the cows, and it was still there.
Beside the mill, where the wind lives, somebody kept a hot-air balloon.
Something big and round rose up behind the [hedge|hill]. It was not the moon. It was a balloon.
@look
It was striped [red and yellow|blue and white], and its basket smelled of straw.
It was sewn out of [old umbrellas|a hundred curtains], and no two of them matched.
It was as round as an onion and as tall as a tower, and [a small flag waved|a weathervane sat] on top.
@start
{Hero} climbed into the basket. The fire went fooosh, and the grass sank away.
"Let go of the rope," somebody called, and {hero} did, and the balloon rose.
{Hero} took off {his} shoes, so as not to be too heavy, and up they went.
@sound
Fooosh, went the fire, and then it was so quiet that you could hear [your own thoughts|the stars].
The basket creaked like an old chair.
It smelled of straw and warm air and [a little of toast|rain far away].
From below came the bells of the cows, klong, klong, smaller and smaller.
@wonder
The balloon drifted where the wind drifted, and so it felt as if there were no wind at all.
The shadow of the balloon ran over the fields like a [big soft dog|round blue sheep].
They floated so low over the forest that they could pick a [cone|cherry] from a treetop.
Up there the balloon met another balloon, and they bowed to each other.
The birds flew around it and could not think what sort of bird it was.
They could see [four|seven] villages at once, each as big as a plate of cookies.
When somebody in the basket told a joke, the whole balloon shook.
@special
The balloon rose through a cloud, and above it was a second, secret evening, all rose and gold.
The setting sun shone right through the balloon, and it glowed like a giant lantern.
A hundred wild geese parted to the left and right and let the balloon through.
Down below, all the lamps of the town came on at once, as if they were saying hello.
@keeper
Captain Gust // the pilot, who had a very long scarf // m // {Che} licked a finger and held it up before each answer.
Breeze // a young pilot with windy hair // f // {Che} laughed upward, so that the balloon rose a little.
Hamish // a sheep who had stowed away // m // {Che} said "baa" first and the rest afterward.
Miss Finch // a bird with a tiny telescope // f // {Che} announced everything that {che} saw.
Uncle Cork // a mouse with a leather cap // m // {Che} patted the basket and called it "old girl."
@guest
Kit // a small kite with a broken string // f // at the house with the red gate
Gosling // a young goose // m // on the long lake
Sparky // a little rooster who had fallen asleep in the basket // m // at the farm by the bridge
@treasure
a compass that points home
a piece of evening cloud
a striped silk scarf
@trouble
The balloon was sinking, [slowly|little by little], toward the pond. // They threw out the sandbags, and it sank all the same. // {He} let {his} fingers wander over the silk, patch by patch, until {he} felt a tiny breath of air. There was a hole! {Hero} sewed it up with eleven small stitches.
There was no wind, and the balloon hung in the sky like a lamp. // They waved with hats and blew with puffed cheeks. // {He} watched the smoke of the chimneys. Down there it went straight up, but higher it bent to the left. "A little more fire," said {hero}, and there was the wind.
The anchor rope had got into a knot as big as a cabbage. // They pulled, and the knot only got smaller and harder. // {He} sat down on the floor of the basket and loosened it loop by loop, and hummed as {he} did it. At the ninth loop it fell apart by itself.
@quiet
The fire was turned low, and the balloon floated along like a thought.
Below, the villages were asleep under their roofs.
The wind grew small, and the balloon hardly moved.
The sky turned dark blue, with one star in it.
@home
The balloon touched down on the meadow, bump and bump and still, and {hero} walked home to {his} {nest}.
The basket came down right beside the house, and {kin} lifted {hero} out and put {him} into {his} {nest}.
Back on the ground everything still swayed a little, and so did {hero}'s {nest}.

# first-snow
@thing
the snow
@athing
the first snow
@at
in the snow
@opening
It was the [third|last] day of November, and the clouds hung low and gray as [geese|wool].
All day long it had been so cold that the [breath of the horses|puddles] [smoked|crackled].
It was [winter, but it did not look like it yet|December at last], and everything was brown and waiting.
The sky had that strange yellow light which means [something is coming|only one thing].
One winter evening it grew so quiet outside that {kin} [looked up|stopped knitting].
The last leaf had fallen, and the nights were long and cold.
@where
And then, past the [window|lamp by the gate], came something small and white. And another. It was the first snow.
The first snow came in the evening, [without knocking|on very soft shoes].
First there was one flake, then two, then so many that nobody could count them. It was snow!
Between supper and bedtime it began: the first snow of the year.
@look
It put a white hat on every [post|gate] and a white [cushion|pillow] on every chair.
It covered the [road|path], the bench and the roofs, and made them all the same.
Every flake was a star with six points, and no two were alike.
@start
{Hero} wrapped up warm, scarf and all, and stepped out into the snow.
{Hero} opened the door just a crack, and then all the way, and ran out.
{Hero} put out {his} tongue, and a flake sat down on it.
@sound
Crunch, crunch, went every step in the new snow.
It was so still that you could almost hear the flakes land: pff, pff.
Somewhere a branch let go of its load, and the snow went flump.
It smelled of cold and [wood smoke|pine trees], as only snow can smell.
@wonder
In the snow you could read who had passed by: a [hare|fox], a bird, and somebody with very small feet.
The whole garden lay under the snow and shone, although there was no lamp.
The snow made everything round, even [the fence|the grumpiest stone].
Every flake that landed on a sleeve stayed a moment to be looked at.
The snow fell so thickly that the world was no bigger than a room.
The fir trees held out their arms and were dressed in white.
When you lay down in the snow and moved your arms, you were an angel.
@special
The clouds opened, the moon came out, and the snow lit up like a million tiny windows.
A stag stepped out of the white trees, looked around, and bowed his head.
Then the wind lifted the new snow, and it danced once around the garden like a lady in white.
All the lamps in the street came on, and in the light of each the snow fell gold.
@keeper
Mister Muffle // a snowman who had just been built // m // {Che} was so new that {che} asked what everything was called.
Winnie // a white hare // f // {Che} could only be seen when {che} laughed.
Old Frost // an old man with a blue nose // m // {Che} painted a flower on each window as {che} talked.
Jack // a snow bunting from the far north // m // {Che} called the snow "good old snow."
Dame Holly // the lady who shakes out the featherbeds // f // {Che} spoke as softly as falling feathers.
@guest
Chip // a wren with cold feet // m // in the woodpile behind the house
Flake // a snowflake who was afraid of melting // f // on the north side of the hill
Mitten // a small red glove // m // on the left hand of the baker's boy
@treasure
a snowflake that does not melt
an icicle that rings like a bell
a warm red mitten
@trouble
The snow had covered the feeding place, and the birds sat there, hungry and round. // They dug with a stick, and the snow fell right back. // {He} trod a place flat, step by small step, around and around like a clock, and put the seeds in the middle. And the birds came.
The big snowball was so heavy that nobody could lift it, and the snowman had no head. // They heaved together, and sat down with a bump. // {He} pushed snow into a long, gentle ramp, patted it smooth, and then simply rolled the head up.
The path to the door was gone, and it was getting late. // They walked straight on and stood in front of a bush. // {He} looked at the snow and waited for the moon. And there, very faint, like little blue cups, were the footprints they had made on the way.
@quiet
The snow went on falling, softly, on everything alike.
The snow had put the whole town to bed, under one white cover.
Even the footprints were slowly filling up.
Nothing moved any more, except the flakes, down and down and down.
@home
In the house it was warm. {Hero} hung up the wet scarf, drank something hot, and crawled into {his} {nest}.
{Hero} stamped the snow off {his} feet, one, two, and was soon lying in {his} {nest}.
With red cheeks {hero} came in from the cold, and {his} {nest} had never been so warm.
"""
