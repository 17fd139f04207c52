#include "CHearthSystem.h"

__attribute__((weak)) const char *hearth_commit(void) { return ""; }
