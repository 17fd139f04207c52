#ifndef ATTENTION_H
#define ATTENTION_H

#include "CHearthKernels.h"

// Compares one set's attention and the packing of its cache with plain loops and with the portable set; returns how many
// values differ.
int compare_attention(const hk_kernels *set, const hk_kernels *reference, int rounds);

#endif
