#ifndef HEARTH_CZLIB_SHIM_H
#define HEARTH_CZLIB_SHIM_H

#include <zlib.h>

// Types and constants come from zlib's header; its functions are looked up when the first archive needs them, and nothing
// here may refer to one by its name: that would make every program that is linked with this load the library.

#endif
