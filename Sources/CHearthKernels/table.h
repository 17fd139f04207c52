// The function table of the including set.
#ifndef HK_TABLE_H
#define HK_TABLE_H

#include "CHearthKernels.h"

extern const hk_kernels hk_portable, hk_avx2, hk_avx512, hk_neon, hk_neon_matrices;
extern const hk_kernels hk_portable_bytes, hk_avx2_bytes, hk_avx512_bytes, hk_neon_bytes, hk_neon_matrices_bytes;

extern const hk_vision_kernels hk_vision_portable, hk_vision_avx2, hk_vision_avx512, hk_vision_neon;

// The two tables of a set, which differ in the form of activations. `bytes_first` says that the coarser form is known to be the
// faster one.
#define HK_DEFINE_TABLES(set, bytes_first)                                                                            \
    HK_TABLE(hk_##set, set, hk_##set, 16, bytes_first, sizeof(hk_activation_pair), hk_quantize, hk_multiply)          \
    HK_TABLE(hk_##set##_bytes, set, hk_##set, 8, bytes_first, HK_BYTES_PAIR, hk_quantize_bytes, hk_multiply_bytes)

#define HK_TABLE(table, set, both, bits, bytes_first, bytes_of_pair, quantize_of_form, multiply_of_form)              \
    const hk_kernels table = {                                                                                        \
        .name = #set,                                                                                                 \
        .activation_bits = bits,                                                                                      \
        .with_words = &both,                                                                                          \
        .with_bytes = &both##_bytes,                                                                                  \
        .prefers_bytes = bytes_first,                                                                                 \
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

#endif
