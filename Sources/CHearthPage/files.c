// Data, no code: the files of `Files/` and the fonts of `Fonts/`, as they are, in the program's constants.
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
static const unsigned char bed_js[] = {
#embed "Files/bed.js"
};
static const unsigned char cards_js[] = {
#embed "Files/cards.js"
};
static const unsigned char device_js[] = {
#embed "Files/device.js"
};
static const unsigned char kept_js[] = {
#embed "Files/kept.js"
};
static const unsigned char moon_js[] = {
#embed "Files/moon.js"
};
static const unsigned char preferences_js[] = {
#embed "Files/preferences.js"
};
static const unsigned char scene_js[] = {
#embed "Files/scene.js"
};
static const unsigned char server_js[] = {
#embed "Files/server.js"
};
static const unsigned char settings_js[] = {
#embed "Files/settings.js"
};
static const unsigned char shelf_js[] = {
#embed "Files/shelf.js"
};
static const unsigned char sleep_js[] = {
#embed "Files/sleep.js"
};
static const unsigned char status_js[] = {
#embed "Files/status.js"
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
static const unsigned char worker_js[] = {
#embed "Files/worker.js"
};
static const unsigned char cards_svg[] = {
#embed "Files/cards.svg"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};
static const unsigned char manifest_webmanifest[] = {
#embed "Files/manifest.webmanifest"
};
// Fonts for Chinese, made by scripts/make-page-font.
static const unsigned char kai_woff2[] = {
#embed "Fonts/kai.woff2"
};
static const unsigned char kai_name_woff2[] = {
#embed "Fonts/kai-name.woff2"
};
// The page of a live feed.
static const unsigned char watch_index_html[] = {
#embed "Files/watch/index.html"
};
static const unsigned char watch_css[] = {
#embed "Files/watch/watch.css"
};
static const unsigned char watch_js[] = {
#embed "Files/watch/watch.js"
};

static const struct {
    const char *name;
    hearth_page_bytes bytes;
} files[] = {
    {"index.html", {index_html, sizeof index_html}},
    {"style.css", {style_css, sizeof style_css}},
    {"app.js", {app_js, sizeof app_js}},
    {"bed.js", {bed_js, sizeof bed_js}},
    {"cards.js", {cards_js, sizeof cards_js}},
    {"device.js", {device_js, sizeof device_js}},
    {"kept.js", {kept_js, sizeof kept_js}},
    {"moon.js", {moon_js, sizeof moon_js}},
    {"preferences.js", {preferences_js, sizeof preferences_js}},
    {"scene.js", {scene_js, sizeof scene_js}},
    {"server.js", {server_js, sizeof server_js}},
    {"settings.js", {settings_js, sizeof settings_js}},
    {"shelf.js", {shelf_js, sizeof shelf_js}},
    {"sleep.js", {sleep_js, sizeof sleep_js}},
    {"status.js", {status_js, sizeof status_js}},
    {"story.js", {story_js, sizeof story_js}},
    {"strings.js", {strings_js, sizeof strings_js}},
    {"telling.js", {telling_js, sizeof telling_js}},
    {"voice.js", {voice_js, sizeof voice_js}},
    {"worker.js", {worker_js, sizeof worker_js}},
    {"cards.svg", {cards_svg, sizeof cards_svg}},
    {"icon.svg", {icon_svg, sizeof icon_svg}},
    {"manifest.webmanifest", {manifest_webmanifest, sizeof manifest_webmanifest}},
    {"kai.woff2", {kai_woff2, sizeof kai_woff2}},
    {"kai-name.woff2", {kai_name_woff2, sizeof kai_name_woff2}},
    {"watch/index.html", {watch_index_html, sizeof watch_index_html}},
    {"watch/watch.css", {watch_css, sizeof watch_css}},
    {"watch/watch.js", {watch_js, sizeof watch_js}},
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
