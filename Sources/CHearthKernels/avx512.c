// AVX-512 F, BW, VL, DQ with VNNI (Cascade Lake, Zen 4 and later).
#if defined(__x86_64__)

#define HK_LANES 16
#define HK_CONVERTS_HALF 1
#define HK_TILE_ROWS 4
#define HK_TILE_TOKENS 4
#define HK_DECODE_ROWS 4
#define HK_MAX_ROWS 4
#define HK_MULTIPLIES_WORDS 1

#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c,avx2"))), apply_to = function)

#include "blocks.h"

#include "attention.h"
#include "avx512_product.h"
#include "float_ops.h"
#include "quantize.h"
#include "table.h"

HK_DEFINE_TABLE(avx512)

#pragma clang attribute pop

#endif
