"""More of what belongs to each wish: the first ten. Entries here are added to those of parts one to four."""

LORE_E = """
# flying-bed
@where
Everybody has a bed, but there was one bed that had wanted to be a bird.
Up the stairs, second door on the left, stood a bed with a very restless mattress.
@look
Somebody had sewn four wings onto its quilt, no bigger than handkerchiefs.
Its headboard had a little window in it, for looking back.
@start
{Hero} whispered the right word, which is "mmm", and the bed began to float.
{Hero} bounced once, bounced twice, and at the third bounce the bed forgot to come down.
@sound
Whoosh, said the curtains, as the bed sailed by.
Deep in the mattress a spring went boing, very quietly.
@wonder
From the bed you could reach out and stroke the top of a [poplar|church tower].
Whenever the bed met another flying bed, both of them rang their bells.
Cats on the roofs looked up at the bed and [waved with their tails|forgot to be proud].
The bed knew a warm wind by name, and the warm wind carried it.
@special
High above the clouds the bed lay down on the wind, like a boat on a calm lake, and a thousand stars came to look.
The bed flew under the rainbow that only shines at night, and came out with seven colors on its sheets.
@keeper
Pom // a small white dog who had always slept at the foot end // m // {Che} turned around three times before each remark.
@guest
Sock // a sock without a brother // m // behind the stove in the yellow house
Mimi // a kitten who had climbed too high // f // on the baker's windowsill
@trouble
The pillow had run away and was floating behind the bed like a shy cloud. // They grabbed for it, and each time it jumped back. // {He} stopped grabbing. {He} plumped up the empty place, patted it, and looked the other way. Soon something soft came back and lay down.
The wind had turned, and the bed was being blown backward. // They rowed with two slippers, and the slippers got tired. // {He} noticed that the wind was much softer lower down. So they sank, just a little, and went home along the hedges.
@quiet
The mattress breathed out, and all its springs lay down.
A last swallow flew ahead to turn down the sheets.
@home
One soft bump, and the bed was back. {Hero} was too sleepy to get out, and luckily {he} did not have to.

# star-train
@where
Where the railway map ends, somebody had drawn one more line with a silver pencil. That was the train to the stars.
If you stand under the big clock when it strikes nothing at all, a train comes by.
@look
It was as blue as the evening, and its wheels were round and yellow like [cheeses|little suns].
On the roof of the last car sat a [weather vane|small garden], because somebody had wanted one.
@start
{Hero} heard the whistle, ran as fast as {he} could, and was lifted up by a friendly hand.
@sound
Ding, ding, said the small bell, each time they passed a planet.
The couplings murmured to each other: hold on, hold on, hold on.
@wonder
The train was never late, because it had as much time as it wanted.
Through the window {hero} saw a star that was being polished by [its grandmother|a small man on a ladder].
In the luggage rack slept the dreams that had to get off in the morning.
The train had a car just for [pillows|singing], and one just for looking.
@special
In the deepest dark the train put out all its lights, and the stars came so near that they could be touched.
The train rolled through a field of young stars, and all of them ran along beside it, laughing.
@keeper
Brake // a very small elephant who worked as the brakeman // m // {Che} sat down to slow the train, and said "Pardon" each time.
@guest
Tick // a little clock who was ahead of the time // m // on the wall of the small station
Vega // a star child with a suitcase // f // at the end of the Milky Way
@trouble
There was a sheep on the rails, a white one, fast asleep. // They whistled softly, and it only moved one ear. // {He} got out and sat by the sheep until it woke by itself. "Oh," it said, "I was counting people." Then it hopped aside.
Two suitcases had been mixed up, and now the moon had somebody's pajamas. // They shouted up to the moon, but it was out of earshot. // {He} read the labels one after another, all forty of them, and at the very bottom lay a case that glowed. So each got back what was theirs.
@quiet
The conductor hung a sign on the door: Shh.
The rails of moonlight were rolled up behind the train.
@home
When the train had puffed away, it was only a hop over the fence, and {hero} was in {his} {nest}.

# cloud-castle
@where
There is a castle that never touches the ground. It lies at anchor in the evening sky.
Over the [lake|village] hung a cloud that did not move on with the others. On top of it was a castle.
@look
It had a drawbridge made of a single sunbeam, and more stairs than anybody had use for.
Everything in it was white, except one red cushion.
@start
{Hero} whistled, and a little gray cloud trotted up like a pony and carried {him} there.
@sound
Somewhere in the castle somebody was beating the pillows: pomf, pomf, pomf.
A bell of frozen dew rang the hour: ting.
@wonder
Each guest in the castle was given slippers, so as not to step through.
The castle cat was made of mist, and when you stroked her, she was [everywhere|twice as big].
In the castle the thunder slept in a basket by the stove, and it was quite small.
Through the floor of the castle you could watch the [swallows|kites] from above.
@special
The castle opened all its windows, and out of each flew a white dove with a bit of evening light in its beak.
Around the castle the clouds began to dance, slowly, like big dogs on a small rug, with great care.
@keeper
Tuffet // a sheep who was really a cloud // m // {Che} grew a bit thinner whenever {che} talked too much.
@guest
Bolt // a very small thunder who was afraid of himself // m // in the gray cupboard over the stairs
Swift // a paper kite // f // on a string in the town below
@trouble
The castle's bell had frozen, and nobody knew what time it was. // They rang it, and it only went "tup." // {He} wrapped {his} scarf around it and held it for as long as a good thought lasts. Then it rang, soft and clear.
The little clouds had got out of their pen and were all over the sky. // They ran after them, and the clouds thought it was a game. // {He} sat down in the middle and opened a picture book. One after another they came to see the pictures.
@quiet
Someone drew the fog across the castle windows.
The castle let itself sink a bit deeper into its cloud, as into a pillow.
@home
{Hero} slid down the last sunbeam of the day, quite slowly, and landed at {his} {nest}.

# cozy-treehouse
@where
If you follow the cat past the beehives and then look straight up, you see the treehouse.
Twelve steps from the back door, and then eleven steps up, was the treehouse.
@look
It had a red flag, a leaky pot, and a sign that said: Please come in.
It was small outside and quite large inside, because [it was so tidy|there was a mirror].
@start
{Hero} put {his} foot on the first branch, which was smooth from so many feet.
@sound
Tap, tap, tap, said a woodpecker who lived next door to the treehouse.
In the wind the rope ladder went clack against the trunk, clack.
@wonder
In the treehouse there was a telescope made from a [mailing tube|rolled-up map], and it showed whatever one hoped to see.
The wind left its letters in the treehouse, and they were all written on leaves.
In the treehouse you could hear what the tree was dreaming, if you laid your ear on the wall.
On the ceiling of the treehouse somebody had painted all the stars, and two of them were real.
@special
An owl flew past the window without a sound, and behind her, in a row, came all her children for the first time.
The tree had saved up its blossoms, and that night they all opened around the treehouse at once.
@keeper
Nut Brown // a small brown bear cub with mittens // m // {Che} smelled everything first and then nodded.
@guest
Flick // a lizard child // m // in the warm wall of the barn
June // a June bug who had flown against the window // f // in the linden tree down the lane
@trouble
The bucket on the string had got caught on a twig, and supper was in it. // They shook the string, and the sandwiches fell out a bit. // {He} lay down on the branch, crept forward like a caterpillar, and lifted the bucket off. One sandwich was squashed, and it was the best one.
A bird had built her nest in the doorway of the treehouse, and nobody could go in. // They knocked politely, and the bird only puffed herself up. // {He} looked for another way and took a plank from the side, quite low down. From then on one went in by the window, until the eggs had become birds.
@quiet
The tree put its leaves together, the way one closes a book.
Under the treehouse the crickets had stopped to think.
@home
When {hero} could hardly see the rungs any more, {kin} came with a lamp and took {him} to {his} {nest}.

# old-lighthouse
@where
Ships from far away could see it first: the old lighthouse on the point.
There was a lighthouse that stood with one foot in the sea, [and the fish knew its socks|to see if it was cold].
@look
Its windows were round like [portholes|surprised eyes], and no two stairs were of the same height.
On its roof turned a weathervane that looked like a whale.
@start
"Come in before the wind does," someone called, and {hero} slipped through the door.
@sound
The wind whistled down the stairs, wheee, and had to come all the way up again.
Splash, went the waves at the foot of the lighthouse, and hiss, went the foam.
@wonder
In the logbook of the lighthouse stood every night for two hundred years, and most of them said: All well.
The lighthouse keeper's soup was always warm, because the pot stood next to the lamp.
Moths from the whole coast came to dance around the lighthouse.
If you waved from the lighthouse, somebody on a ship always waved back.
@special
The beam met the beam of another lighthouse, far across the water, and for one blink they held hands.
The waves began to glow, blue-green, all around the lighthouse, as if somebody had switched on the sea.
@keeper
Pia // a puffin with an orange beak // f // {Che} did everything three times, to be on the safe side.
@guest
Bottle // a letter in a green bottle // f // in the hands of a girl on the other shore
Ebb // a small wave who had come too far // m // in the deep water beyond the point
@trouble
The stairs were so dark that nobody dared to go up to the lamp. // They felt their way along, and bumped heads. // {He} put one shell on each step, a white one, all the way up. In the moonlight they shone like a string of pearls.
The weathervane was stuck and said "west" all the time. // They called up to it, but it is a bit deaf. // {He} climbed up with a feather and some oil, and stroked the rust away. "Oh!" squeaked the whale. "South! All this time it has been south."
@quiet
The keeper wrote two words in the logbook: All well.
The fog lay down at the foot of the lighthouse like a sheepdog.
@home
Seven waves, nine stones and one gate: that was the way home, and then came {his} {nest}.

# magic-garden
@where
There was a gate in the hedge that was only there on [Thursdays|Sundays], and behind it was the garden.
Where the old greenhouse used to be there was now a garden that nobody watered and nobody mowed.
@look
It was not big, but it was full to the brim, like a [cup of cocoa|laundry basket].
There was a bench for tired bees, and a pond for tired clouds.
@start
{Hero} bent down, took off {his} shoes, and stepped from the path into the garden.
@sound
Hum, hum, hum, went the last bees on their way home.
Pop, went the seed pods of the balsam, and giggled.
@wonder
There was a hedge in the garden that could be asked for the way.
The apple tree gave you the apple it would have liked for itself.
A row of lettuces in the garden was learning to sing, and they sang rather green.
In the garden the butterflies hung up their wings at night, to air them.
@special
Then a rosebud opened that had waited for seven years, and in it slept a tiny bird.
The paths of the garden got up, shook themselves, and lay down again in the shape of a star.
@keeper
Basil // a garden gnome with a chipped hat // m // {Che} stood very still and only moved between two words.
@guest
Beatrix // a bumblebee who had eaten too much // f // in the old teapot under the hedge
Pea // a pea who had rolled out of his pod // m // in the third row, by the string
@trouble
Someone was nibbling the moonflowers, every night one more. // They put up a sign: Please do not eat. But the someone could not read. // {He} sat down and waited, and at midnight came a very thin rabbit. So {hero} showed it the clover, which grows back.
The little fountain had stopped, and all the frogs looked up. // They clapped, they stamped, they whistled. // {He} put in a straw, and felt about, and felt about, until something came loose. It was a water lily bud. Up jumped the water!
@quiet
A last petal came down, turned around, and found a good place.
The gate of the garden leaned against its post and slept standing up.
@home
When {hero} looked back, there was only the hedge. But {his} feet were still green, all the way to {his} {nest}.

# paper-boat
@where
Between two stones in the ditch, after the storm, lay a paper boat, and it was still dry.
Somebody had set a paper boat on the water and forgotten it, the way people do.
@look
It had a red stripe along its side, drawn with a crayon, and a paper flag.
On its bow was written, in a child's letters: Ship.
@start
{Hero} took a spoon from a clover leaf for an oar, and rowed.
@sound
Plop, said a fish, and drew a ring on the water.
The paper rustled a little, as if the boat were reading itself.
@wonder
The boat passed a town of snails, where every house was [locked from inside|just going for a walk].
The grasses bowed over the boat and dipped their tips in the water.
A duck came by, as high as a mountain, and said "Excuse me."
The boat went through a field of forget-me-nots that grew right in the water.
@special
Just then the rain stopped, and a rainbow put its foot in the water, so close to the boat that the paper turned seven colors.
Hundreds of willow seeds came floating down, soft and white, and sailed along beside the boat, a whole fleet.
@keeper
Aunt Gudgeon // a fish with kind round eyes // f // {Che} swam alongside and talked in bubbles.
@guest
Floss // a caterpillar who had fallen off her leaf // f // on the tallest nettle by the fence
Ant // an ant with a very heavy crumb // m // under the flat stone by the bridge
@trouble
Two brooks came together there, and the boat spun around and around. // They pulled to the left, and everything turned to the right. // {He} looked for the one thing that stood still. It was a willow root. {He} threw a grass rope over it, and they waited until the water had made up its mind.
A leaf as big as a table had stuck to the boat, and they could see nothing at all. // They pushed with both hands, and fell in a heap. // {He} did not push. {He} thought, and bent the leaf up into a sail. Now they were faster than before.
@quiet
A small wave said hush, and the next one said nothing.
The paper was warm and dry again, and hardly rustled.
@home
Where the water is shallow, the boat stopped by itself, and it was only two hops from there to {his} {nest}.

# moonlight-picnic
@where
On the [flat stone|small beach] by the river, where the moon comes first, they wanted to have a picnic.
The note said: Picnic in the moonlight, by the three birches, bring a spoon.
@look
There were cups of blue tin, and a teapot with a woolen hat.
There were seven sorts of bread rolls and one pickle, [and everybody wanted the pickle|which was very proud].
@start
{Hero} followed the smell of pancakes through the dark, and it led {him} right to the picnic.
@sound
The teapot sang under its hat, and the spoons went clink.
A frog was asked to say a few words. He said "quark."
@wonder
The ants had their own picnic next to the big one, with a cloth made of one petal.
At this picnic the shadows got something to eat too: dark bread, of course.
The pears tasted of summer, and the plums tasted of the day before yesterday.
Somebody had hung the tea towels in the tree, and they glowed like [small sails|lamps].
@special
A cloud of white moths settled on the picnic cloth, and all at once it looked like a field of flowers breathing.
The moon went behind the birch tree, and on every plate lay the shadow of a different animal.
@keeper
Olive // a mole with a folding chair // f // {Che} praised the lovely view, though {che} could not see it.
@guest
Quill // a hedgehog with a sweet tooth // m // under the hazel hedge by the brook
Fawnette // a very small deer // f // in the tall grass behind the hill
@trouble
The wind kept blowing the cloth over the cake. // They sat down on the corners, but there were four corners and only two of them. // {He} went and looked for stones, a good flat one for each corner, and set a daisy on top. Now let the wind come!
All the cups were at home in the kitchen. // They tried to drink from their hands, and it ran up their sleeves. // {He} looked around and picked big leaves, rolled them up, and pinned each with a bit of twig. It was the best lemonade of the year.
@quiet
Somebody had curled up in the empty basket.
Only one crumb was left, and it was promised to a mouse.
@home
Under the moon, over the stile, along the hedge, and there was {his} {nest}, already turned down.

# hot-air-balloon
@where
One morning a basket came sailing over the [fence|river], and above it was the biggest, roundest balloon.
In the field where the fair had been, something had been left behind: a hot-air balloon.
@look
It was the color of an orange, and in the sun it [shone like one|looked good enough to eat].
Around its basket ran a row of pockets: one for maps, one for sandwiches, one for wind.
@start
{Hero} stepped onto a crate, then into the basket. "Ready?" "Ready!" And the fire breathed out.
@sound
The ropes hummed in the wind like a very big guitar.
Flap, went the silk, and after that nothing.
@wonder
The balloon was so quiet that the deer on the hill only looked up and went on eating.
A storyteller of a wind came along and told them what it had seen at the sea.
From the balloon one could see where the rain began and where it stopped.
They lowered a basket on a string, and a [farmer|miller] put a warm loaf in it.
@special
The balloon floated into the full moon, and everyone below who looked up saw it: a round thing in a round thing.
A whole crowd of dandelion seeds rose with the balloon, each one a tiny traveler, all lit by the last sun.
@keeper
Fern Feather // an owl who was afraid of heights // f // {Che} kept {chis} eyes shut and asked what there was to see.
@guest
Skye // a young lark // f // in the barley field by the chapel
Pom // a red toy balloon who had been let go // m // on the wrist of a boy at the fair
@trouble
A cloud had got stuck under the balloon and would not let them down. // They poked it, and it started to drip. // {He} asked it what it wanted. "Company," said the cloud. So they stayed a while and told it jokes, and it floated off, feeling lighter.
The map had blown away, and everything looked alike from above. // They guessed left, and they guessed right, and they guessed wrong. // {He} looked down and searched for something {he} knew: a bent poplar, a red roof, a pond like a bean. "There," said {hero}. "Follow the ducks."
@quiet
The basket hardly creaked now, like a chair in which someone has gone to sleep.
The big silk lay down in the grass with a long, long sigh.
@home
Grass, gate, stairs, {nest}: {hero} floated along as if {he} were still up there.

# first-snow
@where
It began without a sound. When {hero} next looked out, the first snow lay on everything.
The snow had been on its way for days, from far in the north, and tonight it came.
@look
It lay on the fence like a long white [cat|sausage], and on the bell like a cap.
It was so soft and so new that one hardly dared to step on it.
@start
{Hero} pulled on two pairs of socks and one pair of boots, and jumped right into the middle.
@sound
Under the snow the whole world said one word, and the word was "mmm."
Swish, went a sled somewhere, and someone laughed.
@wonder
The scarecrow in the field had got a coat of snow at last.
In the snow, every sound took off its shoes.
The dog next door bit into the snow and was amazed that it was gone.
If you looked up into the snow, it seemed that you were flying and the flakes stood still.
@special
Each flake of snow that fell through the lamplight turned around once, as if to show its dress.
Far out in the white field, hares came together in a ring and danced, and left the shape of a star.
@keeper
Bertie // a bullfinch with a round red belly // m // {Che} puffed {chimself} up before each sentence, until {che} was a ball.
@guest
Tuck // a dormouse who had woken up too early // m // in the leaves under the beech tree
Juno // a small star-shaped flake // f // at the very top of the fir tree
@trouble
The sled would not go. It sat in the new snow like a hen. // They pulled it and pushed it and called it names like "dear sled." // {He} turned it over, rubbed the runners with a candle end, up and down, up and down, and set it back. Swish!
The little fir tree was bent down to the ground by so much snow. // They shook it hard, and got all the snow on their heads. // {He} brushed it off with a mitten, twig after twig, beginning at the top. The tip sprang up and nodded.
@quiet
The sky and the ground were the same color now, and both were resting.
Somewhere the snow slid off a roof with a sigh, and then it was still.
@home
{Hero} looked back at {his} own small footprints, all the way from the gate, and then got into {his} {nest}.
"""
