// Tables of the formats whose values are points of lattices; see grids.c.
#ifndef HK_GRIDS_H
#define HK_GRIDS_H

#include <stdint.h>

// Eight signed bytes a point, the first value lowest: eight times the numbers -1, 0 and 1.
extern const uint64_t hk_grid_iq1[2048];
// Eight positive bytes a point.
extern const uint64_t hk_grid_iq2_xxs[256], hk_grid_iq2_xs[512], hk_grid_iq2_s[1024];
// Four positive bytes a point.
extern const uint32_t hk_grid_iq3_xxs[256], hk_grid_iq3_s[512];
// Which of eight values are negative: a bit of the index each, a byte of ones each.
extern const uint64_t hk_sign_masks[256];

#endif
