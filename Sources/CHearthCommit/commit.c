#include "CHearthCommit.h"

#ifndef HEARTH_COMMIT
#define HEARTH_COMMIT ""
#endif

const char *hearth_commit(void) { return HEARTH_COMMIT; }
