// Vision kernels for AVX-512: one register a block, 28 of 32 hold sums.
#if defined(__x86_64__)

#define HK_LANES 16
#define HK_PANEL_BITS 6
#define HK_DEPTHWISE_RUN 8
// Few positions (7 x 7 and 13 x 13 pictures) take four blocks at a time, many take two.
#define HK_TILES(TILE, STRIDED)                                                                                       \
    STRIDED(14, 2) STRIDED(10, 2) STRIDED(7, 2) STRIDED(4, 2) TILE(2, 2) TILE(1, 2)                                    \
    STRIDED(7, 4) STRIDED(4, 4) TILE(2, 4) TILE(1, 4)                                                                  \
    STRIDED(14, 1) TILE(7, 1) TILE(4, 1) TILE(2, 1) TILE(1, 1)
#define HK_PLANE_TILES(TILE)                                                                                           \
    TILE(6, 4) TILE(4, 4) TILE(2, 4) TILE(1, 4) TILE(8, 3) TILE(4, 3) TILE(2, 3) TILE(1, 3)                            \
    TILE(12, 2) TILE(6, 2) TILE(3, 2) TILE(1, 2) TILE(12, 1) TILE(6, 1) TILE(3, 1) TILE(1, 1)
#define hk_tile_blocks(blocks, positions) \
    ((size_t)((blocks) >= 4 && hk_is_narrow(positions) ? 4 : (blocks) >= 2 ? 2 : 1))

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c,avx2"))), apply_to = function)

#include "vision_table.h"

HK_DEFINE_VISION_TABLE(avx512)

#pragma clang attribute pop

#endif
