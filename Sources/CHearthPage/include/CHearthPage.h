// The page that `hearth serve` shows, as part of the program.
#ifndef CHEARTHPAGE_H
#define CHEARTHPAGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that live as long as the program.
typedef struct hearth_page_bytes {
    const unsigned char *start;
    size_t count;
} hearth_page_bytes;

// The file of that name in `Files/` or `Fonts/`, such as "index.html"; no start where there is none.
hearth_page_bytes hearth_page(const char *name);

// How many files there are.
size_t hearth_page_count(void);

// The name of a file, by its number from 0; null beyond the last.
const char *hearth_page_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif
