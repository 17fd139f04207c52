// Data, no code: the files of `Files/`, as they are, in the program's constants.
#include "CHearthPage.h"

#include <string.h>

#if !defined(__has_embed)
#error "CHearthPage needs a C compiler that knows #embed: clang 19 or later"
#endif

// `#embed` is of C23; the package is C17.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char index_html[] = {
#embed "Files/index.html"
};
static const unsigned char style_css[] = {
#embed "Files/style.css"
};
static const unsigned char app_js[] = {
#embed "Files/app.js"
};
static const unsigned char cards_js[] = {
#embed "Files/cards.js"
};
static const unsigned char moon_js[] = {
#embed "Files/moon.js"
};
static const unsigned char preferences_js[] = {
#embed "Files/preferences.js"
};
static const unsigned char server_js[] = {
#embed "Files/server.js"
};
static const unsigned char story_js[] = {
#embed "Files/story.js"
};
static const unsigned char strings_js[] = {
#embed "Files/strings.js"
};
static const unsigned char telling_js[] = {
#embed "Files/telling.js"
};
static const unsigned char voice_js[] = {
#embed "Files/voice.js"
};
static const unsigned char cards_svg[] = {
#embed "Files/cards.svg"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};

static const struct {
    const char *name;
    hearth_page_bytes bytes;
} files[] = {
    {"index.html", {index_html, sizeof index_html}},
    {"style.css", {style_css, sizeof style_css}},
    {"app.js", {app_js, sizeof app_js}},
    {"cards.js", {cards_js, sizeof cards_js}},
    {"moon.js", {moon_js, sizeof moon_js}},
    {"preferences.js", {preferences_js, sizeof preferences_js}},
    {"server.js", {server_js, sizeof server_js}},
    {"story.js", {story_js, sizeof story_js}},
    {"strings.js", {strings_js, sizeof strings_js}},
    {"telling.js", {telling_js, sizeof telling_js}},
    {"voice.js", {voice_js, sizeof voice_js}},
    {"cards.svg", {cards_svg, sizeof cards_svg}},
    {"icon.svg", {icon_svg, sizeof icon_svg}},
};

hearth_page_bytes hearth_page(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, name) == 0) return files[i].bytes;
    }
    return (hearth_page_bytes){NULL, 0};
}

size_t hearth_page_count(void) { return sizeof files / sizeof files[0]; }

const char *hearth_page_name(size_t index) {
    return index < sizeof files / sizeof files[0] ? files[index].name : NULL;
}
