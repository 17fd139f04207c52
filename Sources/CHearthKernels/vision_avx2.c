// Vision kernels for AVX2 with FMA: two registers a block, twelve of sixteen hold sums.
#if defined(__x86_64__)

#define HK_LANES 8
#define HK_PANEL_BITS 4
#define HK_DEPTHWISE_RUN 4
#define HK_TILES(TILE, STRIDED) STRIDED(6, 1) STRIDED(4, 1) TILE(3, 1) TILE(2, 1) TILE(1, 1)
#define HK_BYTE_TILES(TILE) TILE(4, 1) TILE(3, 1) TILE(2, 1) TILE(1, 1)
#define hk_byte_tile_blocks(blocks, positions) ((void)(blocks), (void)(positions), (size_t)1)
#define HK_PLANE_TILES(TILE)                                                                                           \
    TILE(2, 4) TILE(1, 4) TILE(3, 3) TILE(2, 3) TILE(1, 3) TILE(6, 2) TILE(3, 2) TILE(1, 2)                            \
    TILE(12, 1) TILE(6, 1) TILE(3, 1) TILE(1, 1)
#define hk_tile_blocks(blocks, positions) ((void)(blocks), (void)(positions), (size_t)1)

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

#include "vision_table.h"

HK_DEFINE_VISION_TABLE(avx2)

#pragma clang attribute pop

#endif
