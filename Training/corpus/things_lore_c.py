"""What belongs to each wish, part three."""

LORE_C = """
# music-box
@thing
the music box
@athing
the little music box
@at
beside the music box
@where
In the [attic|cupboard], behind the [hats|winter boots], stood a little music box.
On the shelf over the [stove|sofa], between a vase and a clock, stood a music box.
In the window of the [old shop|clockmaker's shop] stood a music box that nobody had opened for years.
[Great-grandmother|A sailor] had left a music box, wrapped in a [silk scarf|sock].
@look
It was made of [cherry wood|dark wood], and a [silver bird|tiny dancer] lived under the lid.
It was no bigger than a [loaf of bread|brick], and its key was shaped like a [clover leaf|heart].
It was painted with [swans|little blue hills], and one corner had been rubbed bare by many thumbs.
@start
{Hero} wound it up, crick, crack, and lifted the lid.
{Hero} wiped away the dust and turned the key three times.
{Hero} hardly dared to breathe. {He} opened the lid, and the music box began.
@sound
Plink, plink-a-plink, went the music box.
The tune went up like a stair and came down like a [leaf|slide].
Inside, the small wheels went tick and whirr.
It smelled of wood and [roses from long ago|old letters].
@wonder
As long as the music box played, nobody in the house could be cross.
When the music box played, the [flowers on the wallpaper|chairs] swayed a little.
The music box knew a different tune for every night of the year.
Whoever listened to the music box remembered something lovely.
The tune floated out of the window, and the neighbors smiled and did not know why.
On the lid, the painted water began to move, and the painted ducks swam.
The mice came out of the wall and danced in pairs to the music box.
@special
The little figure under the lid stepped down, made a bow, and danced across the table.
The tune became so soft and wide that the whole room turned slowly with it.
From the music box rose small golden notes, which hung in the air like sparks.
All the clocks of the house joined in, and for once they were all on time.
@keeper
Pirouette // the tiny dancer from the lid // f // {Che} stood on one leg even while {che} talked.
Silvio // a silver bird // m // {Che} sang instead of speaking, and it rhymed now and then.
Mister Tock // a clockmaker the size of a thumb // m // {Che} oiled {chis} knees before {che} stood up.
Greta // a gray mouse who lived behind the wheels // f // {Che} tapped the beat with {chis} tail.
Old Anton // a tin drummer without a drum // m // {Che} said "rat-a-tat" when {che} was happy.
@guest
Note // a small golden note // m // at the very end of the tune
Minuet // a mouse child in a white collar // f // under the piano
Tinker // a lost little cogwheel // m // between two bigger wheels
@treasure
a tune nobody else knows
a small silver key
a golden note in a nutshell
@trouble
The music box stopped in the middle of the tune and would not go on. // They wound it up again, and it only said "plonk." // {He} held a lamp to the wheels and looked for as long as it takes. There, between two teeth, sat a bread crumb! {Hero} drew it out with a hair.
One note was missing, and every time the tune stumbled over the hole. // They clapped in the gap, but it did not sound right. // {He} listened to the tune nine times, and then {he} knew which note was needed. {He} sang it, right in its place, and the music box bowed.
The little key had bent, and it would not turn. // They turned it this way and they turned it that way. // {He} warmed the key in {his} hands and bent it back, no farther than a hair at a time.
@quiet
The music box played slower, and slower, and the last note waited a long time before it fell.
The lid closed with a click as soft as a kiss.
The dancer bowed, and the wheels stood still.
One more plink. Then only the quiet after it.
@home
{Hero} put the music box on the chair beside {his} {nest} and lay down.
{Hero} carried the tune to {his} {nest}, in {his} ear, without spilling any.
{Kin} put the music box away and {hero} into {his} {nest}.

# dream-library
@thing
the library
@athing
the library of dreams
@at
in the library
@where
There is a library that opens when all the others close: the library of dreams.
Behind the [last|smallest] door in the hall, where there should have been a broom closet, was a library.
In a tower with a [round roof|thousand steps] was the library where dreams are kept.
Between midnight and morning, in a street with no name, stands the library of dreams.
@look
Its shelves went up so high that [little clouds hung|swallows nested] at the top.
The books glowed in all colors, and [a few of them were snoring|some of them purred].
There were ladders on wheels, and reading lamps like [moons|sleepy eyes].
@start
{Hero} showed {his} library card. It was only a [leaf|paper napkin], but it was enough.
{Hero} put {his} head on the pillow, turned around once, and there was the door.
{Hero} pushed the heavy door with {his} shoulder, and it opened with a [yawn|sigh].
@sound
Flip, flap, the pages were turning by themselves.
Shh, said the library, but it said it very kindly.
The ladders rolled along the shelves, rumble-dee-rumble.
It smelled of paper and [warm milk|vanilla].
@wonder
When you opened a book in this library, you could smell what somebody was dreaming.
In the children's corner, the dreams were kept on the lowest shelf, so that everyone could reach.
There was a book about flying in the library, and it had to be tied down.
The sea dreams stood in a row, and the shelf beneath them was a little wet.
Somebody had brought back a dream about cake, and a slice of it was missing.
The thinnest book in the library was the dream of a fly, and the fattest was the dream of a bear.
New dreams came down a chute, bump, still warm.
@special
A book opened all by itself, and a herd of small blue horses galloped out and around the room.
All the books in the library opened their covers and fluttered up, like a great flock of birds.
Out of one page grew a tree, with ripe red apples, and under it there was room for everybody.
The ceiling of the library opened, and it began to snow letters, softly, from A to Z.
@keeper
Miss Page // the librarian, with a pencil in her hair // f // {Che} whispered, even when {che} laughed.
Professor Nod // an old owl in a dressing gown // m // {Che} fell asleep over every third word.
Inky // a bookworm with a bow tie // m // {Che} tasted each sentence before {che} said it.
Ladders // a cat who lived on the top shelf // f // {Che} answered questions with a slow blink first.
Folio // a mouse who stamped the dreams // m // {Che} stamped everything, bump, even {chis} own breakfast.
@guest
Snippet // a dream no longer than a wink // m // on the shelf with the short dreams
Comma // a very small bookworm // f // on page seven of the big blue book
Lull // a lamb who had jumped out of a counting dream // f // in the book of a hundred sheep
@treasure
a dream to take along
a bookmark of moonlight
a very small book with {hero}'s name on it
@trouble
Somebody had mixed up two dreams, and now the pirates were in the kitchen and the cook was at sea. // They shut both books at once, and that only made a noise. // {He} read both dreams aloud, line by line, and whoever heard a right word climbed back onto the right page.
The biggest book in the library was stuck shut. // They pulled at the cover, and it pulled back. // {He} read the title to it, kindly, and then {his} own name, and then good evening. You have to introduce yourself to a book. It opened.
A dream had lost its ending, and it went around and around in a circle. // They wrote "The End" under it, but the dream did not believe it. // {He} thought for a long time about what the dream was missing. "Somebody has to come home," {he} said, and wrote it in with {his} best letters.
@quiet
One lamp after another went out, from A to Z.
The books leaned on each other's shoulders and slept.
The last page turned, and it was white and quiet.
The ladders rolled into the corner and stood still.
@home
The door closed behind {hero} without a sound, and there {he} was, in {his} own {nest}.
{Hero} took one thin book home, put it under {his} pillow, and lay down in {his} {nest}.
It was not far from the library to {his} {nest}: only one blink.

# little-bakery
@thing
the bakery
@athing
the little bakery
@at
in the bakery
@where
At the corner of [Mill Street|Apple Lane] was a little bakery whose window stayed bright when all the others were dark.
There was a bakery so small that the baker had to go out if the [wedding cake|bread] came in.
Under the roots of the [old beech|big oak], where a chimney stuck out of the moss, was a little bakery.
Long before anyone got up, there was light in the little bakery by the bridge.
@look
It had a round oven, a bell on the door, and a cat [white with flour|in the window].
There were rolls like moons in the window, and [a gingerbread man who winked|buns as round as cheeks].
The floor was white as snow, and [every customer left footprints in the flour|the spoons were as long as oars].
@start
{Hero} opened the door, ding-a-ling, and the warm air took {him} in its arms.
{Hero} followed {his} nose, around one corner and the next, and there {he} was.
{Hero} tied on an apron that came down to {his} toes.
@sound
Pat, pat, pat, went the dough on the table.
The oven hummed like a big contented bear.
Ding-a-ling, went the bell on the door.
It smelled of cinnamon and [warm butter|fresh bread].
@wonder
In this bakery they baked good dreams into the rolls, one in each.
The dough rose so well that it had to be [tied down|tickled so it would sink].
The gingerbread men in the bakery told each other jokes while they cooled.
Anybody who ate a plum bun from this bakery had to hum.
The flour came from the miller, the milk from the cow, and the sparkle from the evening star.
In the bakery there was a loaf for every mood, even for being a bit sad on a Tuesday.
The sugar fell through the sieve like snow on a tiny town.
@special
The oven door opened, and the light that came out was as golden as a whole summer.
All the loaves came out at once, and the crusts crackled a song: snip, snap, crackle.
The smell of the bread floated through the town, in at every window, and everyone smiled in their sleep.
The biggest bun rose and rose, lifted off the tray, and floated like a small moon under the ceiling.
@keeper
Mister Crumble // the baker, who was as round as a roll // m // {Che} sang the recipe instead of reading it.
Nell // the baker, with flour on both ears // f // {Che} called everyone "my little dumpling."
Pretzel // a dachshund who guarded the oven // m // {Che} wagged, and the flour flew.
Grandma Rye // a very old mouse in an apron // f // {Che} tasted everything twice, to be sure.
Sugar // a white cat // f // {Che} said "mmm" before each sentence.
@guest
Currant // a little gingerbread man // m // on the tray by the window
Peep // a hungry sparrow // f // under the gutter across the street
Oats // a mouse from the mill // m // in the sack with the blue patch
@treasure
the first roll of the night
a cookie shaped like a star
a spoonful of sour dough that is a hundred years old
@trouble
The dough would not rise. It lay in its bowl like a sleeping toad. // They put it on the oven, and it only got a hard skin. // {He} covered it with a cloth, set it in a corner without a draft, and waited. {Hero} did not peek, not even once. And look, there was a round white belly under the cloth!
The oven had gone cold, and at dawn the whole town would want rolls. // They put in thick logs, and the logs only smoked. // {He} began with little: a straw, a twig, a thin stick, a thicker one. One after another the flames took hold.
The salt had got into the sugar. // They tried to pick it out, grain by grain, and got as far as six. // {He} thought and thought. "Then we will bake pretzels," {he} said, "sweet ones, with salt on." They were the best the bakery had ever had.
@quiet
The oven ticked as it cooled, slower and slower.
The rolls lay under their cloth, side by side, like children.
The flour sank down and covered everything softly.
The bell on the door hung still.
@home
With a warm roll under each arm, {hero} went home and got into {his} {nest}.
{Hero} fell over onto the flour sacks, and {kin} carried {him} home to {his} {nest}.
{Hero} walked home through the empty street, brushed off the flour, and lay down in {his} {nest}.

# star-lantern
@thing
the lantern
@athing
the lantern full of stars
@at
by the light of the lantern
@where
On a hook by the [back door|cellar door] hung a lantern, and inside it there was no candle. There were stars.
Under the [fig tree|stone bridge], half covered by leaves, stood a lantern full of stars.
In the [night watchman's hut|boathouse] hung a lantern that never needed to be lit.
[An old woman at the market|A peddler] had a lantern full of stars, and it was not for sale. It was only for lending.
@look
It was made of [old green glass|copper], and the stars in it were no bigger than [grains of rice|lentils].
It was light as a bird, and it was [always a little bit warm|never the same color twice].
It had five sides and a ring on top, and it hummed when you [held|carried] it.
@start
{Hero} took the lantern down, and the night stepped back [two paces|to make room].
{Hero} blew softly through the little holes, and all the stars woke up.
{Hero} held the lantern up high, and the path lay there like a ribbon of light.
@sound
In the lantern the stars went tick, tick, like [rain on a window|tiny clocks].
The handle squeaked at each step: eek, eek.
When you put an ear to the glass, you heard a far-off choir.
It smelled of cold air and [matches|sugar].
@wonder
Wherever the light of the lantern fell, even the stones looked friendly.
The lantern shone brighter if somebody told it something nice.
The stars in the lantern liked to play tag, and then the light skipped over the walls.
In the light of the lantern you could see the colors that flowers have at night.
Whoever carried the lantern never stubbed a toe.
Every evening one more star came and asked if there was room in the lantern.
Shadows were not dark in the light of the lantern. They were blue, and some of them waved.
@special
The stars came out of the lantern, one by one, and went around everybody like a shining ring.
The lantern painted all the pictures of the sky on the ground: the swan, the bear, and the little cart.
Up in the sky the big stars blinked, and down in the lantern the small ones answered.
The light went out over the pond, and every drop of it became a star of its own.
@keeper
Old Lucas // the lamplighter with a long pole // m // {Che} counted the stars in the lantern every time {che} stopped.
Vesper // a bat who loved light // f // {Che} hung from the handle and spoke upside down.
Madam Glimmer // an old woman with bright eyes // f // {Che} wore three shawls and gave one to each guest.
Tock // a beetle who polished the glass // m // {Che} breathed on everything, haah, and rubbed it.
Nightjar // a brown bird // m // {Che} talked in a long, soft purr.
@guest
Spark // a young star that had fallen out // f // in the lantern, on the left side
Mole // a mole without his glasses // m // under the third hill in the meadow
Cricket // a boy cricket who had missed the concert // m // by the warm wall of the mill
@treasure
a star as small as a grain of rice
a thimble of light
a copper ring that glows
@trouble
The lantern was growing dim, and the stars in it lay about like tired puppies. // They shook it a little, and that only made the stars dizzy. // {He} set it down on a stone, in the cool air, and told it everything nice that {he} had seen that day. Star by star it grew bright.
The little door of the lantern was rusted shut, and the stars wanted out. // They rattled at it, and it stayed shut. // {He} rubbed it with a drop of oil and waited, and another drop, and waited. At the third drop it opened.
The glass was cracked, and the smallest star had slipped out. // They ran after it, and it flew up higher. // {He} stood still, held out {his} open hand, and waited. The little star was only curious, and came down all by itself.
@quiet
The stars in the lantern lay down close together and only glowed a little.
The humming of the lantern grew deep and slow.
One star after another closed its eye.
The light drew in, and made a small round nest on the ground.
@home
{Hero} hung the lantern on its hook and went to {his} {nest} without bumping into anything.
The lantern lit {hero} all the way home, to the very edge of {his} {nest}.
{Hero} set the lantern in the window and slipped into {his} {nest}.

# small-spaceship
@thing
the spaceship
@athing
a small spaceship
@at
in the spaceship
@where
In the [cabbage patch|vegetable garden], between two rows of beans, stood a small spaceship.
On the roof of the [house|garage], next to the weathervane, a small spaceship had landed.
Out in the [barn|shed], under an old sheet, stood a small spaceship that was as round as a teapot.
At the edge of the [wheat field|playground] lay something silver. It was a small spaceship, with the door open.
@look
It had [three|two] round windows and one big button, and the button said GO.
It was made of [pots and lids|silver tin], and polished till it winked.
It was hardly bigger than a [wardrobe|bathtub], but it had a bunk, a stove, and a bell.
@start
{Hero} sat down, buckled the belt, and pressed the button. Five, four, three, two, one, whoosh!
{Hero} pulled the lever, first gently and then with both hands, and the earth became a blue ball.
"Ready?" blinked a lamp. {Hero} nodded, and the spaceship hopped over the moon like a flea.
@sound
Bleep, said the spaceship, and blip.
The engine went wummm, like a very large cat.
Out among the stars it was so quiet that you could hear your own smile.
It smelled of warm tin and [pancakes|orange peel].
@wonder
In the spaceship everything floated: the spoons, the slippers, and the soup, in round little balls.
Outside the window passed a planet with [stripes|freckles], and it turned to look at the spaceship.
The moon was full of dust as soft as flour, and whoever jumped there took a long time to come down.
They flew past a planet where it was always somebody's birthday.
Saturn lent them one of its rings to slide on.
The spaceship left a silver line behind it, and the little stars went skating on that.
From up there the earth looked so small that one wanted to put a blanket over it.
@special
A comet swept by, and its long tail brushed over the windows of the spaceship like a feather.
All the stars moved a bit to one side, and behind them was another sky, quite new, with two moons.
The spaceship landed on a planet no bigger than a hill, where the flowers were made of glass and rang.
A flock of star fish swam by, slow and shining, and each one tapped its nose on the window.
@keeper
Captain Bolt // a hamster in a silver suit // m // {Che} said "Aye aye" to {chimself}.
Zuzu // a small green lady from a far planet // f // {Che} blinked with one eye for yes, and two for no.
Beep // the ship's computer, which had a kind round face // m // {Che} said "bleep" whenever {che} was pleased.
Orbita // a star pilot with seven braids // f // In space {chis} braids stood up in all directions.
Cosmo // a very old space cat // m // {Che} slept floating, like a fur cushion.
@guest
Plim // a child with three ears // m // on the pink planet with one tree
Comet // a comet who was still little // f // behind the second moon
Dusty // a grain of stardust // m // in the tail of the Great Bear
@treasure
a stone from the moon
a flower made of star glass
a jar of quiet from outer space
@trouble
The big button no longer said GO. It did not say anything. // They pressed it, thumped it, and asked it nicely. // {He} opened the flap beneath it and followed each wire with one finger, the red, the green, the yellow. And the yellow one was simply not plugged in.
The spaceship was out of fuel, and it runs on giggles. // They tried to laugh, but nobody can laugh on purpose. // {He} waited a little. Then {he} told them about the time {kin} had looked for {khis} glasses for an hour, and they were on the dog. The tank was full at once.
The spaceship flew in a circle, always around the same small moon. // They turned the wheel, but the circle only got rounder. // {He} went from window to window and looked. A bit of the moon's long hair had got caught on the fin! {Hero} combed it loose.
@quiet
The engine purred lower, and all the lamps turned blue.
Outside, the planets rolled by like sleepy marbles.
The spoons sank slowly back into the drawer.
The spaceship shut its round windows, first one and then the other.
@home
The spaceship landed as softly as a moth, and {hero} climbed out and into {his} {nest}.
Three, two, one, home. {Hero} floated a little, even in {his} {nest}.
{Hero} waved after the silver line in the sky, and then {he} went in to {his} {nest}.
"""
