"""What belongs to each wish, part four."""

LORE_D = """
# rainy-day
@thing
the rain
@athing
a rainy day
@at
in the rain
@opening
It had rained since [breakfast|Tuesday], and the [gutters|gargoyles] were gurgling with joy.
In the morning the sky was gray, at noon it was gray, and [then|by the afternoon] it was raining.
It was a rainy day, [and everybody had put up an umbrella|and the window wore long silver strings].
The first drop fell on the [cat|roof], and the second, and then came all the others.
Outside the rain came down, and [all the good games were outside, too|the swing was getting wet].
One wet day in [April|October], the [street|path] had turned into a small river.
@where
The rain hung over the [hills|town] like a curtain of [gray beads|glass beads].
The rain fell on the roof, in the [barrel|pond], and on [the mail carrier's hat|the backs of the ducks].
Wherever you looked there was rain: rain on the leaves, rain on the steps, rain on the nose of the garden gnome.
Nobody was out in the rain, except a [duck|snail] or two, and they were delighted.
@look
The puddles were as round as [plates|coins], and there was a piece of sky in each of them.
The drops ran races down the window, and the fat ones won.
Everything shone as if it had just been painted: the [red|yellow] doors, the green leaves.
@start
{Hero} pulled on {his} boots, one, two, and stepped out, splash.
{Hero} opened the big umbrella, the one that had room for [four|a whole family], and went out.
{Hero} took off {his} shoes, because wet feet dry faster than wet shoes, and ran into the rain.
@sound
Pit, pat, pit-a-pat, said the rain on the umbrella.
Splish, splash, went the puddles.
The gutter sang a deep song: gluck, gluck, gluck.
It smelled of wet [stones|earth] and lilac leaves.
@wonder
In the rain the snails came out with their houses and went visiting.
The rain drummed a different tune on everything: high on the bucket, and low on the barrel.
When you jumped into a puddle, the sky in it broke, and then it put itself back together.
Each raindrop carried a very small upside-down house.
The worms danced, the ducks laughed, and even the moss took off its hat to the rain.
A leaf came sailing down the gutter, and after it another: a whole fleet, with ants as captains.
The rain washed the whole world, behind the ears and all.
@special
The sun looked out underneath the clouds, and every drop of rain lit up like a lamp.
A rainbow stood over the fields, with one foot in the pond, and the frogs sat in the colors.
The rain grew finer and finer, until it was only silver dust, and floated.
All the puddles trembled at once, and in each of them appeared a small, round moon.
@keeper
Drizzle // a duck with a tiny umbrella // f // {Che} said "Lovely weather" to everyone {che} met.
Mister Galosh // an old toad in rubber boots // m // {Che} tested each puddle with one toe, like soup.
Paddy // a wet little dog // m // {Che} shook {chimself} after each sentence, so that it rained twice.
Pearl // a snail with a shining house // f // {Che} spoke so slowly that the rain waited for {chim}.
Umbert // an old black umbrella who had learned to talk // m // {Che} creaked, and was proud of {chis} twelve ribs.
@guest
Wink // a bee with wet wings // f // in the hive behind the currant bushes
Nibs // a young mouse who had been washed out of bed // m // in the dry stone wall
Dib // a duckling who had followed the wrong boots // f // on the pond by the mill
@treasure
a raindrop that stays round
a bit of rainbow in a jar
a tiny umbrella
@trouble
The path was flooded, and the ants stood on the bank and could not get home. // They laid a leaf across, and it floated away. // {He} looked for a long stick, and then a longer one, and laid it down so softly that not a single drop splashed. And all the ants went over in a line.
The umbrella had a hole, exactly over {hero}'s nose. // They turned it around, and then it dripped on {comp}. // {He} took a broad leaf, laid it over the hole, and sewed it on with two blades of grass, in and out, in and out.
The rain barrel was running over, right into the bed of little lettuces. // They bailed with their hands, but the rain was quicker. // {He} knelt down and drew a small ditch in the earth with one finger, and another, always a bit downhill. The water thought it over and took the new way.
@quiet
The rain grew thin and soft, and only the trees went on dripping.
Pit, said the rain, and after a long time, pat.
The puddles lay still and held the evening sky.
The gutter hummed to itself, ever lower.
@home
{Hero} took a hot bath, put on dry socks, and crawled into {his} {nest} with the rain tapping above.
{Hero} hung up the wet coat, and soon {he} lay in {his} {nest} and listened to the roof.
{Kin} rubbed {hero} dry from top to toe and carried {him} to {his} {nest}.

# tiny-island
@thing
the island
@athing
a tiny island
@at
on the island
@where
In the middle of the [lake|bay] lay an island so tiny that it had only one tree.
Far out, where the blue sea turns green, there is a tiny island, and [the gulls say it is theirs|no map shows it].
When the tide went out, an island came up, no bigger than a [barn|tennis court].
Beyond the [harbor|reeds], past two rocks that look like sleeping cows, lay a tiny island.
@look
It had one palm tree, one hill, and one [bench|spring], and that was all it needed.
Its beach was white, its hill was green, and [you could walk around it in a hundred steps|in the middle stood a hut with a blue door].
From far away it looked like a [green hat|cake] that somebody had left on the water.
@start
{Hero} rowed across, splash and pull, splash and pull, and the boat bumped on the sand.
{Hero} rode over on the back of an old sea turtle, who charged one [cookie|song] for the trip.
At low tide {hero} walked across with bare feet, from one warm sandbank to the next.
@sound
The little waves went hush and hush, all the way around the island.
The palm leaves rattled softly, like somebody looking for something in a drawer.
A crab went tick-a-tick across the stones.
It smelled of salt and [coconut|warm sand].
@wonder
The island was so small that the sea sang to it from all sides.
On this island the shells told you what they had heard on their travels.
At night the water around the island glowed blue if you [dipped a toe in|threw in a pebble].
The one tree on the island bore whatever fruit you were thinking of.
If the island had an itch, it shook a little, and everyone on it got a bit of a ride.
On the island there was only one clock, and it was a rooster who got up late.
From its hill one saw the sun go down, and when one turned around, the moon was coming up.
@special
The island gave a sigh, and it was then that one saw it: the island was a huge, old, friendly turtle, swimming slowly under the stars.
The tide brought a thousand small shells to the beach of the island, each with a gleam in it.
A school of dolphins swam around the island, leaping one after another, like a ring of silver.
The whole sea around the island lit up, blue and green, and each wave wrote a line of light on the sand.
@keeper
Old Palmer // a hermit crab with a teapot for a house // m // {Che} knocked on {chis} own house before {che} came out.
Coco // a parrot who knew three songs // f // {Che} repeated the last word of everything, of everything.
Nana Shell // an old woman who had the only hut on the island // f // {Che} gave names to all the waves.
Pelle // a pelican with a big bag of a beak // m // {Che} kept the strangest things in {chis} beak and talked around them.
Sandy // a seal pup // f // {Che} rolled over whenever {che} laughed, and {che} laughed often.
@guest
Finny // a young flying fish // m // in the blue water past the reef
Pinch // the smallest of seven crabs // m // under the flat stone by the spring
Isla // a tired little tern // f // on the long white beach across the water
@treasure
a bottle with a letter in it
a coconut that hums
a pearl as small as a seed
@trouble
The island's only spring had stopped, and the tree was thirsty. // They dug in the sand, and the hole fell in. // {He} lay down and put {his} ear to the ground and listened. There, under the third stone, something gurgled! {Hero} rolled the stone away, and the water jumped up, glad to be out.
The tide had taken the boat away, and there it was, floating far out. // They called it, but boats do not listen. // {He} sat down on the sand. "What the tide takes, it brings back," {he} said. They told each other stories, eleven of them, and during the twelfth the boat bumped on the beach.
The old hut had lost its roof in the wind. // They held up a sail, and the wind took that, too. // {He} wove palm leaves, over and under, over and under, row by row, until it was as tight as a basket.
@quiet
The tide came in and tucked the island up to its knees in water.
The palm tree leaned over a little and let its leaves hang down.
All around the island the waves lay down, one behind another.
The crabs pulled in their legs and shut their doors.
@home
{Hero} rowed home over the smooth water, and went straight to {his} {nest}.
The old turtle carried {hero} home on her back, and {kin} carried {him} the rest of the way, to {his} {nest}.
There was a hammock on the island between two posts, and there {hero} lay down, with {kin} in the other one.

# warm-blanket
@thing
the blanket
@athing
a magic blanket
@at
under the blanket
@where
In the [cedar chest|bottom drawer], folded in four, lay a magic blanket.
Over the back of the old armchair hung a blanket, and it was not quite like other blankets.
[Grandmother's grandmother|An old shepherd] had made the blanket, and somewhere between the stitches she had left some magic.
There was a blanket in the family that belonged to whoever needed it most that night.
@look
It was [blue as the evening|green as a meadow], with a border of [sheep|small stars], and one corner had been chewed.
It was knitted from wool of every color, and there was a [moon|button] in each corner.
It was neither thick nor thin, and it was always exactly long enough.
@start
{Hero} pulled it up to {his} chin, and it began to [hum|grow warm] all by itself.
{Hero} crept under the blanket, all the way, and it was bigger inside than outside.
{Hero} put it around {his} shoulders and whispered, "Please."
@sound
The blanket purred, prr, prr, from one end to the other.
Something under the wool went pit-a-pat, as if the blanket had a small heart.
It rustled like [leaves|a meadow] whenever it moved.
It smelled of [sheep and sun|lavender and cookies].
@wonder
Under the blanket there was a whole meadow, with grass as soft as wool.
The little sheep on the border of the blanket walked around the edge, one behind another.
If somebody was cold, the blanket grew. If somebody was too warm, it [let in a little wind|shrank a bit].
The blanket knew every bed it had ever lain on, and in the dark it told of them.
When you pulled the blanket over your head, there were stars on the inside.
The blanket could turn into a tent, a ship, or the back of a big, calm bear.
One corner of the blanket could always find your hand.
@special
The blanket lifted at the edges and rose, and floated around the room like a big, calm ray.
All the threads of the blanket began to glow, until one could read all the stories that had been knitted into it.
The sheep jumped down from the border of the blanket and lay all around, breathing softly.
The blanket spread itself out, wider and wider, until it was a night sky with a warm wool moon.
@keeper
Woolly // a sheep from the border of the blanket // f // {Che} said "Baa" only when {che} was thinking.
Stitch // a moth who mended holes instead of making them // m // {Che} talked with three pins in {chis} mouth.
Madam Purl // a spider with eight knitting needles // f // {Che} knitted while {che} talked, and never dropped a stitch.
Button // a very old toy rabbit with one ear // m // {Che} whispered, because {chis} stuffing was thin.
Fringe // a little mouse who lived among the tassels // f // {Che} braided something whenever {che} was shy.
@guest
Tassel // a kitten who had been left out in the yard // f // in the basket by the stove next door
Skip // a lamb from the border who had jumped too far // m // between the second sheep and the fourth
Knot // a toy dog with a loose leg // m // on the pillow of the neighbor's baby
@treasure
a ball of wool that never ends
a square of warm wool
a golden button
@trouble
A thread had come loose, and the blanket was getting shorter and shorter. // They pulled at it. That was quite wrong. // {He} followed the thread, over the chair, under the bed, around the cat, and rolled it up as {he} went. Then stitch by stitch it was knitted in again.
The blanket had been washed, and now its magic was gone. // They rubbed it and said all the magic words they knew. // {He} carried it outside, hung it in the moonlight, and sat down beside it. It took half the night to dry. Then it began, very softly, to purr.
There was a hole in the blanket, just where the wind came in. // They put a stocking over it, and it fell off. // {He} cut a heart from {his} oldest shirt and sewed it over the hole, with stitches as small as ants.
@quiet
The blanket purred more slowly, and then only with every third breath.
The sheep on the border stopped walking and lay down.
The blanket sank over everything, as softly as dusk.
The stars inside the blanket turned themselves low.
@home
And because {hero} was already in {his} {nest}, the blanket simply lay down over {him} and tucked itself in.
{Kin} spread the blanket out over {his} {nest}, and {hero} crawled in underneath.
The blanket carried {hero} to {his} {nest} and folded itself around {him}, once and a half.

# wishing-well
@thing
the well
@athing
the wishing well
@at
by the well
@where
At the crossing of three paths, under a [walnut tree|linden tree], stood a wishing well.
In the courtyard of the [old mill|inn] there was a wishing well that everybody had forgotten.
In the deepest, greenest part of the [park|orchard] was a wishing well with a little roof.
Where the village stops and the meadow starts, there is a well, and it grants [small wishes|wishes], if they are kind.
@look
Its stones were round with age, and [ferns|forget-me-nots] grew in the cracks.
It had a wooden bucket, a rope, and a roof on which [a hen|a stork] liked to sit.
Deep down, as small as a coin, you could see the [moon|sky].
@start
{Hero} leaned over the edge and said, "Hello?" And "hello," said the well, from far below.
{Hero} let a penny fall. It took so long, so long, and then: plop.
{Hero} turned the handle, and up came the bucket, full of [water and one star|cold, clear water].
@sound
Plip, said the well, and a long time later, plop.
The handle squeaked, and the rope hummed: hmmm.
Whatever you said into the well came back a bit kinder.
It smelled of moss and cold stone.
@wonder
The wishes lay at the bottom of the well and shone like [fish|little lamps].
Whoever drank from the well remembered a thing they had long forgotten.
The well answered every question with one more question, but in a nice way.
On some nights the stars climbed down into the well to bathe.
The well liked best the wishes that were meant for somebody else.
Sometimes the well was thirsty itself, and then you had to tell it about the sea.
A wish that was too big got stuck in the well and had to be made smaller.
@special
A light came up from the bottom of the well, higher and higher, and stood over it like a small moon.
All the old wishes rose out of the well like bubbles, and each one rang as it burst.
The water in the well climbed to the edge and showed, as clear as a picture, what everybody at home was dreaming.
From the well came a song, many voices strong, of all who had ever wished there.
@keeper
Nix // a water sprite with green hair // f // {Che} left a little puddle wherever {che} sat.
Bert // a frog who sorted the wishes // m // {Che} stamped them: small, medium, and maybe.
Old Mother Moss // the woman who looked after the well // f // {Che} heard everything the wrong way the first time.
Pail // a bucket with a wooden face // m // {Che} slopped a little when {che} laughed.
Cobble // a newt who lived between the stones // m // {Che} came out sideways and spoke in a whisper.
@guest
Penny // a wish so small that it had been overlooked // f // on the third stone from the bottom
Rill // a young spring that had gone astray // m // under the hill with the birches
Tad // a frog child // m // in the ditch behind the mill
@treasure
one wish, small and round
a penny that always comes back
a cup of star water
@trouble
The rope had torn, and the bucket lay deep down in the well. // They fished for it with a stick, but the stick was too short. // {He} took three old strings, none of which was strong, and braided them, left, right, left, right. Together they were strong enough.
The well did not answer any more, no matter what one called down. // They shouted louder, and that hurt everybody's ears. // {He} leaned over and did not call at all. {He} asked, "And what do you wish for?" Nobody had ever asked that. It was still for a long time, and then the well laughed.
Leaves had fallen into the well, so many that no wish could get through. // They stirred with a pole, and the leaves went around and around. // {He} let down the bucket, pulled it up, and let it down again, forty times, leaf by leaf. And there was the sky again.
@quiet
The well grew quite still, and the moon lay down in it.
Plip, said the well in its sleep, and nothing more.
The bucket hung on its hook and dripped, now and then.
The ferns around the well rolled themselves up for the night.
@home
{Hero} went home along the white path, and the echo said good night until {he} was in {his} {nest}.
{Hero} took {kin}'s hand, and they walked home through the wet grass to {his} {nest}.
With a penny's worth of moonlight in {his} pocket, {hero} went home to {his} {nest}.

# forest-at-night
@thing
the forest
@athing
the forest at night
@at
in the forest
@where
Where the last [field|fence] ends begins the forest, and at night it is not at all the same as by day.
Behind the house was a forest, and at night, when the moon shone, it [opened its eyes|woke up].
Most people only know the forest by day. But at night, in the forest, [it really begins|the other half gets up].
The path went over the bridge, past the [woodpile|big stone], and into the forest.
@look
The trees stood close together, as if they were [holding hands|telling each other something], and the moss was soft and deep.
Between the trunks hung strips of moonlight, like [sheets on a line|ribbons].
The mushrooms wore their best hats, and the birches shone like candles.
@start
{Hero} took {kin}'s hand as far as the first tree, and from there on {he} went a little way ahead.
{Hero} stepped from the path onto the moss, and at once {his} steps made no sound.
{Hero} knocked on the first tree, for that is polite, and went in.
@sound
Hoo, said an owl, and hoo-hoo, said another, farther away.
The leaves were rustling: [tip, tip, tap|swish and hush].
A twig snapped, crick, and then came a small "Pardon me."
It smelled of moss and [mushrooms|resin and rain].
@wonder
In the forest at night the eyes in the bushes belong to nice people: a deer, a marten, a shy bird.
The mushrooms glowed a bit, just enough to read [the names of the trees|a short letter] by.
Under a root there was a light, and a family of shrews sat at supper.
The old trees told each other what the birds had told them, and it took until autumn.
The forest had a heart in the middle, and if you put your hand on the moss, you felt it beating.
The deer went by so softly that they seemed to be drawn in pencil.
For everything that makes a noise in the forest at night, there is somebody small who is busy.
@special
In the clearing the foxes and the hares sat side by side, for tonight was the hour when nobody chases anybody.
The whole forest held its breath, and through the trees came the white stag, with a star between his antlers.
Glowworms lit up, first one and then all of them, and the forest looked like the sky.
A wind went through the treetops, and the forest sang one long, low note, like a mother.
@keeper
Bramble // a badger with a walking stick // m // {Che} introduced every tree by its first name.
Tawny // a brown owl // f // {Che} asked "Who?" even when {che} knew.
Mossbeard // a forest gnome // m // {Che} mumbled into {chis} beard, and one had to guess half of it.
Whisk // a dormouse with a lamp // f // {Che} yawned politely behind {chis} tail.
Linden // a young deer // m // {Che} took two steps forward and one back before {che} said anything.
@guest
Nut // a young dormouse // m // in the hazel bush by the spring
Fawna // a fawn with white spots // f // in the ferns behind the three birches
Eek // a little bat on his first flight // m // in the cave with the ivy door
@treasure
a pine cone of silver
an acorn with a tiny light in it
a feather from the old owl
@trouble
A tree had fallen across the path, and the hedgehogs' road was closed. // They pushed. The tree did not even notice. // {He} walked along it, from the roots to the top, patting it all the way, until {he} found a hollow. It went right through! {Hero} swept out the leaves, and the hedgehogs had a tunnel.
The little brook in the forest did not run any more, and all the cups were empty. // They blew on it, and it only wrinkled. // {He} followed it upward, step by step, and there lay a heap of leaves and twigs. Twig by twig {hero} cleared it away, and the brook came hopping down.
The glowworms had forgotten how to glow, and nobody could see where they were going. // They rubbed two stones together, but it was no use. // {He} sat down with them in the moss and breathed slowly, in and out, in and out. And with every breath, they glowed a little more.
@quiet
The forest drew the mist up over its roots.
The owls spoke more softly, and then not at all.
Leaf after leaf stopped rustling.
The moss kept every footprint warm for a while, and then let it go.
@home
{Hero} walked back to the edge of the forest, where {kin} was waiting with a lamp, and they went home to {his} {nest}.
Past the last tree, over the bridge, and there was the house, and in it {his} {nest}.
{Kin} carried {hero} the last part of the way, out of the forest and into {his} {nest}.
"""
