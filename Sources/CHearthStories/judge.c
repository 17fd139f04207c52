// Data, no code: the table of the judge of stories, as it is, in the program's constants.
#include "CHearthStories.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char judge[] = {
#embed "Files/judge-en.bin"
};

hearth_stories_bytes hearth_judge(void) { return (hearth_stories_bytes){judge, sizeof judge}; }
