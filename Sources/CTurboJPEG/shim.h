#ifndef HEARTH_CTURBOJPEG_SHIM_H
#define HEARTH_CTURBOJPEG_SHIM_H

// Types and constants come from libjpeg-turbo's header; its functions are looked up when the first picture needs them, and
// nothing here may refer to one by its name: that would make every start of the program load the library.
#include <turbojpeg.h>

#endif
