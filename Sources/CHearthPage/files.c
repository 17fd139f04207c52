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
static const unsigned char page_css[] = {
#embed "Files/page.css"
};
static const unsigned char page_js[] = {
#embed "Files/page.js"
};
static const unsigned char art_js[] = {
#embed "Files/art.js"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};

static const struct {
    const char *name;
    hearth_page_bytes bytes;
} files[] = {
    {"index.html", {index_html, sizeof index_html}}, {"page.css", {page_css, sizeof page_css}},
    {"page.js", {page_js, sizeof page_js}},          {"art.js", {art_js, sizeof art_js}},
    {"icon.svg", {icon_svg, sizeof icon_svg}},
};

size_t hearth_page_count(void) { return sizeof files / sizeof files[0]; }

const char *hearth_page_name(size_t index) { return index < hearth_page_count() ? files[index].name : NULL; }

hearth_page_bytes hearth_page(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, name) == 0) return files[i].bytes;
    }
    return (hearth_page_bytes){NULL, 0};
}
