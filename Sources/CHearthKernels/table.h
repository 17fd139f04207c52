// The function table of the including set.
#ifndef HK_TABLE_H
#define HK_TABLE_H

#include "CHearthKernels.h"

extern const hk_vision_kernels hk_vision_portable, hk_vision_avx2, hk_vision_avx512, hk_vision_neon;

// The tables of a set differ in the form of activations; `coarse` is the table of 8 bits or NULL.
#define HK_DEFINE_TABLE(set, coarse)                                                                                  \
    HK_TABLE(hk_##set, set, 16, coarse, sizeof(hk_activation_pair), hk_quantize, hk_multiply)
#define HK_DEFINE_BYTES_TABLE(set)                                                                                    \
    HK_TABLE(hk_##set##_bytes, set, 8, &hk_##set##_bytes, HK_BYTES_PAIR, hk_quantize_bytes, hk_multiply_bytes)

#define HK_TABLE(table, set, bits, coarse, bytes_of_pair, quantize_of_form, multiply_of_form)                         \
    const hk_kernels table = {                                                                                        \
        .name = #set,                                                                                                 \
        .activation_bits = bits,                                                                                      \
        .with_bytes = coarse,                                                                                         \
        .dequantize = hk_dequantize,                                                                                  \
        .pair_bytes = bytes_of_pair,                                                                                  \
        .quantize = quantize_of_form,                                                                                 \
        .multiply = multiply_of_form,                                                                                 \
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
extern const hk_kernels hk_portable_bytes, hk_avx2_bytes, hk_neon_bytes;

#endif
