// The files that the output filter and the sanitizer read, as part of the program.
#ifndef CHEARTHLEXICON_H
#define CHEARTHLEXICON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that live as long as the program.
typedef struct hl_bytes {
    const unsigned char *start;
    size_t count;
} hl_bytes;

// The file of that name in `Files/`, such as "en.txt"; no start where there is none.
hl_bytes hl_file(const char *name);

#ifdef __cplusplus
}
#endif

#endif
