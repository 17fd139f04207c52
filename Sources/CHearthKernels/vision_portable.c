// Vision kernels in plain C for any processor.
#define HK_LANES 4
#define HK_PANEL_BITS 8
#define HK_DEPTHWISE_RUN 2
#define HK_TILES(TILE, STRIDED) STRIDED(2, 1) TILE(1, 1)
#define HK_PLANE_TILES(TILE) TILE(2, 4) TILE(1, 4) TILE(6, 2) TILE(2, 2) TILE(8, 1) TILE(2, 1)
#define hk_tile_blocks(blocks, positions) ((void)(blocks), (void)(positions), (size_t)1)

#include "vision_table.h"

HK_DEFINE_VISION_TABLE(portable)
