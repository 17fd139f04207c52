// Written by Training/tales/tale.py embed. Data, no code: one file a wish, as it is, in the program's constants.
#include "tales.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char baby_dinosaur[] = {
#embed "Tales/es/baby-dinosaur.tale"
};
static const unsigned char baby_turtle[] = {
#embed "Tales/es/baby-turtle.tale"
};
static const unsigned char brave_mouse[] = {
#embed "Tales/es/brave-mouse.tale"
};
static const unsigned char cloud_castle[] = {
#embed "Tales/es/cloud-castle.tale"
};
static const unsigned char cloud_sheep[] = {
#embed "Tales/es/cloud-sheep.tale"
};
static const unsigned char clumsy_penguin[] = {
#embed "Tales/es/clumsy-penguin.tale"
};
static const unsigned char cozy_treehouse[] = {
#embed "Tales/es/cozy-treehouse.tale"
};
static const unsigned char curious_kitten[] = {
#embed "Tales/es/curious-kitten.tale"
};
static const unsigned char dancing_bunny[] = {
#embed "Tales/es/dancing-bunny.tale"
};
static const unsigned char dream_library[] = {
#embed "Tales/es/dream-library.tale"
};
static const unsigned char first_snow[] = {
#embed "Tales/es/first-snow.tale"
};
static const unsigned char flying_bed[] = {
#embed "Tales/es/flying-bed.tale"
};
static const unsigned char forest_at_night[] = {
#embed "Tales/es/forest-at-night.tale"
};
static const unsigned char friendly_dragon[] = {
#embed "Tales/es/friendly-dragon.tale"
};
static const unsigned char friendly_snowman[] = {
#embed "Tales/es/friendly-snowman.tale"
};
static const unsigned char gentle_elephant[] = {
#embed "Tales/es/gentle-elephant.tale"
};
static const unsigned char glowing_firefly[] = {
#embed "Tales/es/glowing-firefly.tale"
};
static const unsigned char hot_air_balloon[] = {
#embed "Tales/es/hot-air-balloon.tale"
};
static const unsigned char kind_giant[] = {
#embed "Tales/es/kind-giant.tale"
};
static const unsigned char little_bakery[] = {
#embed "Tales/es/little-bakery.tale"
};
static const unsigned char little_fox[] = {
#embed "Tales/es/little-fox.tale"
};
static const unsigned char little_robot[] = {
#embed "Tales/es/little-robot.tale"
};
static const unsigned char lost_star[] = {
#embed "Tales/es/lost-star.tale"
};
static const unsigned char magic_garden[] = {
#embed "Tales/es/magic-garden.tale"
};
static const unsigned char moon_rabbit[] = {
#embed "Tales/es/moon-rabbit.tale"
};
static const unsigned char moonlight_picnic[] = {
#embed "Tales/es/moonlight-picnic.tale"
};
static const unsigned char music_box[] = {
#embed "Tales/es/music-box.tale"
};
static const unsigned char old_lighthouse[] = {
#embed "Tales/es/old-lighthouse.tale"
};
static const unsigned char old_teddy[] = {
#embed "Tales/es/old-teddy.tale"
};
static const unsigned char paper_boat[] = {
#embed "Tales/es/paper-boat.tale"
};
static const unsigned char patient_snail[] = {
#embed "Tales/es/patient-snail.tale"
};
static const unsigned char playful_puppy[] = {
#embed "Tales/es/playful-puppy.tale"
};
static const unsigned char rainbow_unicorn[] = {
#embed "Tales/es/rainbow-unicorn.tale"
};
static const unsigned char rainy_day[] = {
#embed "Tales/es/rainy-day.tale"
};
static const unsigned char sea_otter[] = {
#embed "Tales/es/sea-otter.tale"
};
static const unsigned char shy_hedgehog[] = {
#embed "Tales/es/shy-hedgehog.tale"
};
static const unsigned char singing_whale[] = {
#embed "Tales/es/singing-whale.tale"
};
static const unsigned char sleepy_bear[] = {
#embed "Tales/es/sleepy-bear.tale"
};
static const unsigned char small_spaceship[] = {
#embed "Tales/es/small-spaceship.tale"
};
static const unsigned char star_lantern[] = {
#embed "Tales/es/star-lantern.tale"
};
static const unsigned char star_train[] = {
#embed "Tales/es/star-train.tale"
};
static const unsigned char tiny_fairy[] = {
#embed "Tales/es/tiny-fairy.tale"
};
static const unsigned char tiny_island[] = {
#embed "Tales/es/tiny-island.tale"
};
static const unsigned char wandering_duckling[] = {
#embed "Tales/es/wandering-duckling.tale"
};
static const unsigned char warm_blanket[] = {
#embed "Tales/es/warm-blanket.tale"
};
static const unsigned char wise_owl[] = {
#embed "Tales/es/wise-owl.tale"
};
static const unsigned char wishing_well[] = {
#embed "Tales/es/wishing-well.tale"
};
static const unsigned char young_mermaid[] = {
#embed "Tales/es/young-mermaid.tale"
};

const hearth_tales_row hearth_tales_es[] = {
    {"baby-dinosaur", {baby_dinosaur, sizeof baby_dinosaur}},
    {"baby-turtle", {baby_turtle, sizeof baby_turtle}},
    {"brave-mouse", {brave_mouse, sizeof brave_mouse}},
    {"cloud-castle", {cloud_castle, sizeof cloud_castle}},
    {"cloud-sheep", {cloud_sheep, sizeof cloud_sheep}},
    {"clumsy-penguin", {clumsy_penguin, sizeof clumsy_penguin}},
    {"cozy-treehouse", {cozy_treehouse, sizeof cozy_treehouse}},
    {"curious-kitten", {curious_kitten, sizeof curious_kitten}},
    {"dancing-bunny", {dancing_bunny, sizeof dancing_bunny}},
    {"dream-library", {dream_library, sizeof dream_library}},
    {"first-snow", {first_snow, sizeof first_snow}},
    {"flying-bed", {flying_bed, sizeof flying_bed}},
    {"forest-at-night", {forest_at_night, sizeof forest_at_night}},
    {"friendly-dragon", {friendly_dragon, sizeof friendly_dragon}},
    {"friendly-snowman", {friendly_snowman, sizeof friendly_snowman}},
    {"gentle-elephant", {gentle_elephant, sizeof gentle_elephant}},
    {"glowing-firefly", {glowing_firefly, sizeof glowing_firefly}},
    {"hot-air-balloon", {hot_air_balloon, sizeof hot_air_balloon}},
    {"kind-giant", {kind_giant, sizeof kind_giant}},
    {"little-bakery", {little_bakery, sizeof little_bakery}},
    {"little-fox", {little_fox, sizeof little_fox}},
    {"little-robot", {little_robot, sizeof little_robot}},
    {"lost-star", {lost_star, sizeof lost_star}},
    {"magic-garden", {magic_garden, sizeof magic_garden}},
    {"moon-rabbit", {moon_rabbit, sizeof moon_rabbit}},
    {"moonlight-picnic", {moonlight_picnic, sizeof moonlight_picnic}},
    {"music-box", {music_box, sizeof music_box}},
    {"old-lighthouse", {old_lighthouse, sizeof old_lighthouse}},
    {"old-teddy", {old_teddy, sizeof old_teddy}},
    {"paper-boat", {paper_boat, sizeof paper_boat}},
    {"patient-snail", {patient_snail, sizeof patient_snail}},
    {"playful-puppy", {playful_puppy, sizeof playful_puppy}},
    {"rainbow-unicorn", {rainbow_unicorn, sizeof rainbow_unicorn}},
    {"rainy-day", {rainy_day, sizeof rainy_day}},
    {"sea-otter", {sea_otter, sizeof sea_otter}},
    {"shy-hedgehog", {shy_hedgehog, sizeof shy_hedgehog}},
    {"singing-whale", {singing_whale, sizeof singing_whale}},
    {"sleepy-bear", {sleepy_bear, sizeof sleepy_bear}},
    {"small-spaceship", {small_spaceship, sizeof small_spaceship}},
    {"star-lantern", {star_lantern, sizeof star_lantern}},
    {"star-train", {star_train, sizeof star_train}},
    {"tiny-fairy", {tiny_fairy, sizeof tiny_fairy}},
    {"tiny-island", {tiny_island, sizeof tiny_island}},
    {"wandering-duckling", {wandering_duckling, sizeof wandering_duckling}},
    {"warm-blanket", {warm_blanket, sizeof warm_blanket}},
    {"wise-owl", {wise_owl, sizeof wise_owl}},
    {"wishing-well", {wishing_well, sizeof wishing_well}},
    {"young-mermaid", {young_mermaid, sizeof young_mermaid}},
    {NULL, {NULL, 0}},
};
