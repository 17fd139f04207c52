#ifndef VISION_H
#define VISION_H

#include "CHearthKernels.h"

// Compares one set's vision kernels with plain loops; returns how many values differ.
int compare_vision(const hk_kernels *kernels, int rounds);
// The part about rows, pairs and layouts.
void compare_vision_rows(const hk_vision_kernels *set, int *failures);
// The part about operations along an axis.
void compare_vision_axis(const hk_vision_kernels *set, int *failures);
// The part about weights in fewer bytes.
void compare_vision_expand(const hk_vision_kernels *set, int rounds, int *failures);
// The part about products of 8-bit integers.
void compare_vision_bytes(const hk_vision_kernels *set, int rounds, int *failures);

#endif
