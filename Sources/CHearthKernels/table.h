// The function table of the including set.
#ifndef HK_TABLE_H
#define HK_TABLE_H

#include "CHearthKernels.h"

extern const hk_vision_kernels hk_vision_portable, hk_vision_avx2, hk_vision_avx512, hk_vision_neon;

#define HK_DEFINE_TABLE(set)                                                                                          \
    const hk_kernels hk_##set = {                                                                                     \
        .name = #set,                                                                                                 \
        .dequantize = hk_dequantize,                                                                                  \
        .pair_bytes = sizeof(hk_activation_pair),                                                                     \
        .quantize = hk_quantize,                                                                                      \
        .multiply = hk_multiply,                                                                                      \
        .rms_norm = hk_rms_norm,                                                                                      \
        .add_rms_norm = hk_add_rms_norm,                                                                              \
        .add = hk_add,                                                                                                \
        .add_scaled = hk_add_scaled,                                                                                  \
        .scale = hk_scale,                                                                                            \
        .multiply_each = hk_multiply_each,                                                                            \
        .match_rms = hk_match_rms,                                                                                    \
        .cut_below = hk_cut_below,                                                                                    \
        .gated_gelu = hk_gated_gelu,                                                                                  \
        .soft_cap = hk_soft_cap,                                                                                      \
        .rotate = hk_rotate,                                                                                          \
        .attend = hk_attend,                                                                                          \
        .join_attention = hk_join_attention,                                                                          \
        .pack_row = hk_pack_row,                                                                                      \
        .hadamard = hk_hadamard,                                                                                      \
        .vision = &hk_vision_##set,                                                                                   \
    };

extern const hk_kernels hk_portable, hk_avx2, hk_avx512, hk_neon;

#endif
