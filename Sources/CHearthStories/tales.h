// The tales of each language, by wish.
#ifndef HEARTH_TALES_H
#define HEARTH_TALES_H

#include "CHearthStories.h"

typedef struct hearth_tales_row {
    const char *wish;
    hearth_stories_bytes bytes;
} hearth_tales_row;

// The last row has no wish.
extern const hearth_tales_row hearth_tales_en[], hearth_tales_es[], hearth_tales_zh_Hans[];

#endif
