// The finished stories and the tales, as part of the program.
#ifndef CHEARTHSTORIES_H
#define CHEARTHSTORIES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that live as long as the program.
typedef struct hearth_stories_bytes {
    const unsigned char *start;
    size_t count;
} hearth_stories_bytes;

// `Files/<language>.json`; no start where there is none.
hearth_stories_bytes hearth_stories(const char *language);

// `Tales/<language>/<wish>.tale`; no start where there is none.
hearth_stories_bytes hearth_tales(const char *language, const char *wish);

// `Files/judge-en.bin`: what the bundled model's stories may say (Training/make_judge.py).
hearth_stories_bytes hearth_judge(void);

#ifdef __cplusplus
}
#endif

#endif
