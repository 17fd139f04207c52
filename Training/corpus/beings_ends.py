"""How stories begin and how they end, whatever the plot."""

SLOTS = dict(
    hello=["'I am not tired,' said {n}, and yawned.", "'Is it evening already?' asked {n}.", "'Just one more little thing,' said {n}. 'Then I will go to bed.'", "'Who is still awake?' called {n}.", "'What a day!' said {n}.", "'Listen,' said {n}, all of a sudden.", "'Good evening, world,' said {n}.", "'Something is different today,' said {n}."],
    last=["{n} slept, and the night was kind.", "Good night, {n}. [Good night, {c}.|] Good night, everyone who is still listening.", "And if nobody has woken {him}, {n} is still asleep.", "Sleep well, little {kind}.", "And that is how the {kind} fell asleep that night.", "Then it was quiet, and the quiet slept too.", "And both of them dreamed the same good dream, {n} from the front and {c} from the back.", "The last thing {n} heard was {c}'s breath, and the next thing was a dream.", "They slept until the morning came on tiptoe.", "Nobody said another word, for all were asleep.", "Tomorrow would be a new day; but first came a long, soft sleep.", "Somewhere somebody said good night, and {n} answered in {his} sleep.", "So the day ended, with closed eyes and an open heart.", "Night laid its big hand on everything, and all was asleep.", "{N} smiled once more in {his} sleep, and then there was only night.", "And you, too, may close your eyes now.", "Then even the story grew tired and closed its eyes.", "And what {n} dreamed, only {n} knows.", "{c} slept, {n} slept, and between them slept the whole good day.", "Good night, said the dark, and it meant everyone.", "A small wind came by, saw that everybody slept, and left again.", "In the end there were only two sounds: {n} breathing, and {c} breathing, fast asleep.", "That night there were no worries left, only dreams.", "Shh. They are asleep."],
)

INTRO = [
    "{open} {Home} lived a {adj} {kind} {look}. {His} name was {n}. {habit}",
    "{open} {n} the {kind} was not yet in bed. [{He} lived|{n} lived] {home}, and that was [a good place|just the right place] for {him}. {habit}",
    "{n} was a {adj} {kind} {look}. {He} lived {home}. {habit}",
    "There was once a {adj} {kind} called {n}, who lived {home}. {habit} {open}",
    "[Do you know {n}?|Have you ever met {n}?] {n} was a {adj} {kind} {look}, and [this is what happened one evening|one evening something happened that is worth telling]. {open}",
    "{hello} {n} was a {adj} {kind} {look}, and {he} lived {home}. {open}",
    "{hello} That was {n}, the {kind}. You could tell {him} from far away: a {adj} {kind} {look}. {habit}",
    "{habit} That was how it was with {n}, the {adj} {kind}, who lived {home}. {open}",
    "{Home}, [where nobody was ever in a hurry|where it was never quite silent|and not one step farther away], lived {n}. {n} was a {kind} {look}. {open}",
    "{open} {Home}, {n} the {kind} was still awake and thought about {fav}. {n} was a {adj} {kind} {look}.",
    "{n} the {kind} liked two things above all: {fav}, and the hour before bedtime. {open} {habit}",
    "Sometimes {n}, the {adj} {kind}, worried a little. {He} worried {worry}. But on this evening {he} [forgot all about it|had no time for that]. {open}",
    "Far from here and yet quite near, {home}, there lived a {adj} {kind}. {n} was {his} name. {n} loved {fav}. {open}",
    "{open} Everyone was getting ready for the night, and so was {n}, the {adj} {kind} {look}. {habit}",
]

CLOSING = [
    "[Then it was really late.|It had grown late by now.|Soon it was time.|Now the night had come all the way in.] {sleep} {end}",
    "{sleep} {last}",
    "[When {c} had gone to bed as well, {n} went home.|'Good night, {n},' {csay} {c}. 'Good night, {c},' said {n}.|{n} said good night to {c}, and then to the moon, and then to {his} own feelings, which were all good ones.] {sleep}",
    "[{c} was the first to yawn.|First {c} yawned, and then {n}. Yawns like company.|'I think I am tired now,' {csay} {c}.] [They said good night.|They wished each other sweet dreams.] {sleep} {end}",
    "{n} thought about it all once more: [the beginning, the middle and the good end|the first part, which was hard, and the last part, which was not]. {sleep} {last}",
    "[What a good day it had been!|It had been a long day, and a good one.|So that was that, and it was good.] {sleep} {end} {last}",
    "{end} And {n}? {sleep}",
    "Back {home}, {n} listened. There was {sound}. There was {?sound}. Then there was only sleep.",
    "[Later, when all was still,|When the moon looked in,|A little later,] {n} was back {home}, and [nothing was missing|everything was as it should be]. {sleep} {last}",
]

# After a plot's first beat, where the story starts in the middle of the happening.
MIDDLE = [
    "{n} was a {adj} {kind} {look}, and {he} lived {home}.",
    "All this happened {home}, where {n} the {kind} lived.",
    "{n}, you should know, was a {adj} {kind} {look}.",
    "{n} was a {adj} {kind} {look}. {habit}",
    "{n}, by the way, was a {adj} {kind}, and {he} lived {home}.",
    "Now {n} was a {adj} {kind} {look}, and evening was {his} favourite time.",
    "It was evening, and {n}, the {adj} {kind}, had really been on the way to bed, {home}.",
]
