// Data, no code: one file a language, as it is, in the program's constants.
#include "CHearthStories.h"

#include "tales.h"

#include <string.h>

#if !defined(__has_embed)
#error "CHearthStories needs a C compiler that knows #embed: clang 19 or later"
#endif

// `#embed` is of C23; the package is C17.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char en[] = {
#embed "Files/en.json"
};
static const unsigned char es[] = {
#embed "Files/es.json"
};
static const unsigned char zh_Hans[] = {
#embed "Files/zh-Hans.json"
};

hearth_stories_bytes hearth_stories(const char *language) {
    if (strcmp(language, "en") == 0) return (hearth_stories_bytes){en, sizeof en};
    if (strcmp(language, "es") == 0) return (hearth_stories_bytes){es, sizeof es};
    if (strcmp(language, "zh-Hans") == 0) return (hearth_stories_bytes){zh_Hans, sizeof zh_Hans};
    return (hearth_stories_bytes){NULL, 0};
}

hearth_stories_bytes hearth_tales(const char *language, const char *wish) {
    const hearth_tales_row *row = NULL;
    if (strcmp(language, "en") == 0) row = hearth_tales_en;
    if (strcmp(language, "es") == 0) row = hearth_tales_es;
    if (strcmp(language, "zh-Hans") == 0) row = hearth_tales_zh_Hans;
    for (; row != NULL && row->wish != NULL; row++) {
        if (strcmp(row->wish, wish) == 0) return row->bytes;
    }
    return (hearth_stories_bytes){NULL, 0};
}
