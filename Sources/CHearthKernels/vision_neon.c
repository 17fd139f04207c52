// Vision kernels for 64-bit Arm: four registers a block, 24 of 32 hold sums.
#if defined(__aarch64__)

#define HK_LANES 4
#define HK_NEON 1
#define HK_PANEL_BITS 4
#define HK_DEPTHWISE_RUN 4
#define HK_TILES(TILE, STRIDED) STRIDED(6, 1) STRIDED(4, 1) TILE(3, 1) TILE(2, 1) TILE(1, 1)
#define HK_PLANE_TILES(TILE)                                                                                           \
    TILE(6, 4) TILE(3, 4) TILE(1, 4) TILE(8, 3) TILE(4, 3) TILE(2, 3) TILE(12, 2) TILE(6, 2) TILE(3, 2)                \
    TILE(12, 1) TILE(6, 1) TILE(3, 1)
#define hk_tile_blocks(blocks, positions) ((void)(blocks), (void)(positions), (size_t)1)

#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#include "vision_table.h"

HK_DEFINE_VISION_TABLE(neon)

#pragma clang attribute pop

#endif
