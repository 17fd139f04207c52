#include "CHearthKernels.h"
size_t hk_available(const hk_kernels **out, size_t capacity) { (void)out; (void)capacity; return 0; }
