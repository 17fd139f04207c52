// The vision functions of the including set.
#ifndef HK_VISION_TABLE_H
#define HK_VISION_TABLE_H

#include "vision_axis.h"
#include "vision_bytes.h"
#include "vision_convolution.h"
#include "vision_depthwise.h"
#include "vision_elementwise.h"
#include "vision_layout.h"
#include "vision_order.h"
#include "vision_peak.h"
#include "vision_planes.h"
#include "vision_product.h"
#include "vision_rows.h"

#define HK_DEFINE_VISION_TABLE(set)                                                                                   \
    HK_DEFINE_BYTE_TABLE(set)                                                                                         \
    const hk_vision_kernels hk_vision_##set = {                                                                       \
        .name = #set,                                                                                                 \
        .convolve = hk_convolve,                                                                                      \
        .transform_weights = hk_transform_weights,                                                                    \
        .convolve_planes = hk_convolve_planes,                                                                        \
        .convolve_depthwise = hk_convolve_depthwise,                                                                  \
        .pool = hk_pool,                                                                                              \
        .average = hk_average,                                                                                        \
        .multiply = hk_multiply_rows,                                                                                 \
        .pack_product = hk_pack_product,                                                                              \
        .apply = hk_apply,                                                                                            \
        .combine = hk_combine,                                                                                \
        .scale_shift = hk_scale_shift,                                                                                \
        .softmax = hk_softmax,                                                                                        \
        .reduce = hk_reduce,                                                                                          \
        .find_extreme = hk_find_extreme,                                                                              \
        .running_sum = hk_running_sum,                                                                                \
        .order = hk_order_some,                                                                                       \
        .ordered = hk_ordered,                                                                                        \
        .layer_norm = hk_layer_norm,                                                                                  \
        .copy = hk_copy_all,                                                                                          \
        .copy_channels = hk_copy_channels,                                                                            \
        .to_block = hk_to_block,                                                                                      \
        .from_block = hk_from_block,                                                                                  \
        .expand = hk_expand,                                                                                          \
        .panel_bits = HK_PANEL_BITS,                                                                                  \
        .bytes = &hk_bytes_##set,                                                                                     \
        .peak = hk_peak,                                                                                              \
    };

extern const hk_vision_kernels hk_vision_portable, hk_vision_avx2, hk_vision_avx512, hk_vision_neon;

#endif
