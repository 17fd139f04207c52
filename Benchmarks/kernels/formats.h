// The formats of weights, with the values and bytes of a block of each.
#include "CHearthKernels.h"

typedef struct {
    const char *name;
    hk_format format;
    size_t values, bytes;
} format_case;

static const format_case formats[] = {
    {"Q4_0", HK_Q4_0, 32, 18},   {"Q8_0", HK_Q8_0, 32, 34},   {"Q4_K", HK_Q4_K, 256, 144}, {"Q6_K", HK_Q6_K, 256, 210},
    {"Q5_K", HK_Q5_K, 256, 176}, {"Q4_1", HK_Q4_1, 32, 20},   {"Q5_0", HK_Q5_0, 32, 22},   {"Q5_1", HK_Q5_1, 32, 24},
    {"F16", HK_F16, 1, 2},       {"BF16", HK_BF16, 1, 2},     {"F32", HK_F32, 1, 4},
    {"Q3_K", HK_Q3_K, 256, 110}, {"Q2_K", HK_Q2_K, 256, 84},  {"IQ4_NL", HK_IQ4_NL, 32, 18},
    {"IQ4_XS", HK_IQ4_XS, 256, 136}, {"MXFP4", HK_MXFP4, 32, 17}, {"NVFP4", HK_NVFP4, 64, 36},
    {"IQ3_S", HK_IQ3_S, 256, 110}, {"IQ3_XXS", HK_IQ3_XXS, 256, 98}, {"IQ2_S", HK_IQ2_S, 256, 82},
    {"IQ2_XS", HK_IQ2_XS, 256, 74}, {"IQ2_XXS", HK_IQ2_XXS, 256, 66}, {"IQ1_M", HK_IQ1_M, 256, 56},
    {"IQ1_S", HK_IQ1_S, 256, 50}, {"TQ2_0", HK_TQ2_0, 256, 66}, {"TQ1_0", HK_TQ1_0, 256, 54},
};
