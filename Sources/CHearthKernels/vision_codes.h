// Between floats and codes: rounding of 16 lanes, borders, conversions of whole tensors, sums.
// Nothing in here is contracted to multiply-adds, which only some sets have: all sets make the same codes.
#ifndef HK_VISION_CODES_H
#define HK_VISION_CODES_H

#include "vision_byte_dots.h"
#include "vision_functions.h"

HK_INLINE size_t hk_codes_row(const hk_codes *codes) {
    return (codes->left + codes->width + codes->right) * codes->channels;
}

// The first channel of a position, which may be in the border.
HK_INLINE uint8_t *hk_code_at(const hk_codes *codes, size_t image, size_t row, size_t column) {
    const size_t rows = codes->top + codes->height + codes->bottom;
    return codes->bytes + (image * rows + row) * hk_codes_row(codes) + column * codes->channels;
}

// What turns floats into codes.
typedef struct {
    hk_lanes factor, low, high;
    bool divides;  // by the factor
    uint32_t origin;  // what the bits of a shifted float exceed the code by
} hk_rounding;

// 1.5 * 2^23: a sum with it has the whole number in its low bits.
#define HK_SHIFT 12582912.0f

// `divides` gives the very quotients of the model; a product with the reciprocal may lie on the other side of a half.
HK_INLINE hk_rounding hk_rounding_of(const hk_codes *codes, bool divides) {
    return (hk_rounding){
        hk_every_lane(divides ? codes->scale : 1.0f / codes->scale), hk_every_lane((float)(codes->lowest - codes->zero)),
        hk_every_lane((float)(codes->highest - codes->zero)), divides, 0x4b400000 - (uint32_t)codes->zero};
}

// The clamp of a function, which is limited with the codes instead: products with a factor keep their order.
HK_INLINE hk_rounding hk_clamped_rounding(const hk_codes *codes, hk_clamp clamp) {
    hk_rounding r = hk_rounding_of(codes, false);
    const float factor = 1.0f / codes->scale;
    const float lowest = (float)(codes->lowest - codes->zero), highest = (float)(codes->highest - codes->zero);
    const float low = clamp.low * factor, high = clamp.high * factor;
    r.low = hk_every_lane(low < lowest ? lowest : low > highest ? highest : low);
    r.high = hk_every_lane(high < lowest ? lowest : high > highest ? highest : high);
    return r;
}

// Halves to even; NaN becomes the highest code.
HK_INLINE void hk_store_codes(uint8_t *to, hk_lanes v, const hk_rounding *r, size_t count) {
    typedef uint8_t bytes __attribute__((ext_vector_type(HK_LANES)));
    uint8_t codes[HK_BLOCK];
    uint8_t *out = count == HK_BLOCK ? to : codes;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        hk_vector x = r->divides ? v.part[k] / r->factor.part[k] : v.part[k] * r->factor.part[k];
        x = hk_min(hk_max(r->low.part[k], x), r->high.part[k]);
        const hk_words whole = hk_as_words(x + HK_SHIFT) - r->origin;
        const bytes rounded = __builtin_convertvector(whole, bytes);
        memcpy(out + k * HK_LANES, &rounded, sizeof rounded);
    }
    for (size_t i = 0; count < HK_BLOCK && i < count; i++) to[i] = codes[i];
}

HK_INLINE hk_integers hk_load_codes(const uint8_t *from) {
    typedef uint8_t bytes __attribute__((ext_vector_type(HK_LANES)));
    bytes codes;
    memcpy(&codes, from, sizeof codes);
    return __builtin_convertvector(codes, hk_integers);
}

// (code - zero) * scale.
HK_INLINE hk_lanes hk_code_values(const uint8_t *from, size_t count, int32_t zero, float scale) {
    uint8_t codes[HK_BLOCK] = {0};
    if (count < HK_BLOCK) {
        for (size_t i = 0; i < count; i++) codes[i] = from[i];
        from = codes;
    }
    hk_lanes v;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        v.part[k] = __builtin_convertvector(hk_load_codes(from + k * HK_LANES) - zero, hk_vector) * scale;
    }
    return v;
}

// The border around the rows of a part, and around its columns where it has not whole rows.
static __attribute__((noinline)) void hk_fill_border(const hk_codes *codes, const hk_part *part) {
    const size_t row = hk_codes_row(codes), channels = codes->channels;
    const int zero = codes->zero;
    if (part->first_row == 0 && part->first_column == 0) memset(hk_code_at(codes, part->image, 0, 0), zero, codes->top * row);
    for (size_t y = part->first_row; y < part->end_row; y++) {
        uint8_t *start = hk_code_at(codes, part->image, codes->top + y, 0);
        if (part->first_column == 0) memset(start, zero, codes->left * channels);
        if (part->end_column == codes->width) {
            memset(start + (codes->left + codes->width) * channels, zero, codes->right * channels);
        }
    }
    if (part->end_row == codes->height && part->end_column == codes->width) {
        memset(hk_code_at(codes, part->image, codes->top + codes->height, 0), zero, codes->bottom * row);
    }
}

// Lanes of a block that memory has room for.
HK_INLINE size_t hk_code_lanes(size_t channels, size_t first) {
    return channels - first < HK_BLOCK ? channels - first : HK_BLOCK;
}

// Channel by channel: worth it for the few channels of a picture that comes from outside.
static void hk_quantize_planes(const hk_coded_picture *p, const hk_part *part, const hk_rounding *rounding) {
#pragma clang fp contract(off)
    const hk_codes *codes = &p->codes;
    const size_t width = codes->width;
    for (size_t y = part->first_row; y < part->end_row; y++) {
        uint8_t *row = hk_code_at(codes, part->image, codes->top + y, codes->left);
        for (size_t channel = 0; channel < p->channels; channel++) {
            const float *from = p->floats + ((part->image * p->channels + channel) * codes->height + y) * width;
            for (size_t x = 0; x < width; x += HK_BLOCK) {
                const size_t count = hk_code_lanes(width, x);
                uint8_t block[HK_BLOCK];
                hk_store_codes(block, hk_load_lanes(from + x, count), rounding, HK_BLOCK);
                for (size_t i = 0; i < count; i++) row[(x + i) * codes->channels + channel] = block[i];
            }
        }
    }
}

static void hk_quantize(const hk_coded_picture *p, const hk_part *part) {
#pragma clang fp contract(off)
    const hk_codes *codes = &p->codes;
    const hk_rounding rounding = hk_rounding_of(codes, true);
    if (p->planes) {
        hk_quantize_planes(p, part, &rounding);
        hk_fill_border(codes, part);
        return;
    }
    const size_t height = codes->height, width = codes->width, blocks = (p->channels + HK_BLOCK - 1) / HK_BLOCK;
    for (size_t y = part->first_row; y < part->end_row; y++) {
        uint8_t *to = hk_code_at(codes, part->image, codes->top + y, codes->left);
        for (size_t block = 0; block < blocks; block++) {
            const size_t first = block * HK_BLOCK, lanes = hk_code_lanes(codes->channels, first);
            const float *from = p->blocked
                ? p->floats + ((part->image * blocks + block) * height + y) * width * HK_BLOCK
                : p->floats + (part->image * height + y) * width * p->channels + first;
            const size_t step = p->blocked ? HK_BLOCK : p->channels;
            const size_t there = p->blocked ? HK_BLOCK : hk_code_lanes(p->channels, first);
            for (size_t x = 0; x < width; x++) {
                hk_store_codes(
                    to + x * codes->channels + first, hk_load_lanes(from + x * step, there), &rounding, lanes);
            }
        }
    }
    hk_fill_border(codes, part);
}

static void hk_dequantize(const hk_coded_picture *p, const hk_part *part) {
    const hk_codes *codes = &p->codes;
    const size_t height = codes->height, width = codes->width, blocks = (p->channels + HK_BLOCK - 1) / HK_BLOCK;
    for (size_t y = part->first_row; y < part->end_row; y++) {
        const uint8_t *from = hk_code_at(codes, part->image, codes->top + y, codes->left);
        for (size_t block = 0; block < blocks; block++) {
            const size_t first = block * HK_BLOCK, lanes = hk_code_lanes(codes->channels, first);
            float *to = p->blocked ? p->floats + ((part->image * blocks + block) * height + y) * width * HK_BLOCK
                                   : p->floats + (part->image * height + y) * width * p->channels + first;
            const size_t step = p->blocked ? HK_BLOCK : p->channels;
            const size_t there = p->blocked ? HK_BLOCK : hk_code_lanes(p->channels, first);
            for (size_t x = 0; x < width; x++) {
                const uint8_t *at = from + x * codes->channels + first;
                hk_store_lanes(to + x * step, hk_code_values(at, lanes, codes->zero, codes->scale), there);
            }
        }
    }
}

static void hk_add_codes(const hk_code_sum *s, const hk_part *part) {
#pragma clang fp contract(off)
    const hk_codes *codes = &s->output;
    // Sums of equal scales often lie half way between two codes: the quotient decides, as it does in the model.
    const hk_rounding rounding = hk_rounding_of(codes, true);
    const hk_clamp clamp = hk_clamp_of(s->function, s->a, s->b);
    const size_t channels = codes->channels;
    for (size_t y = part->first_row; y < part->end_row; y++) {
        // Without borders in between, positions follow each other and so do their channels.
        const uint8_t *left = hk_code_at(&s->x, part->image, s->x.top + y, s->x.left);
        const uint8_t *right = hk_code_at(&s->y, part->image, s->y.top + y, s->y.left);
        uint8_t *to = hk_code_at(codes, part->image, codes->top + y, codes->left);
        const size_t count = codes->width * channels;
        for (size_t i = 0; i < count; i += HK_BLOCK) {
            const size_t lanes = hk_code_lanes(count, i);
            hk_lanes v = hk_add_block(
                hk_code_values(left + i, lanes, s->x.zero, s->x.scale),
                hk_code_values(right + i, lanes, s->y.zero, s->y.scale));
            if (clamp.is_clamp) {
                v = hk_clamped(v, clamp);
            } else {
                float values[HK_BLOCK];
                hk_store_block(values, v);
                hk_apply(s->function, s->a, s->b, values, HK_BLOCK, values);
                v = hk_load_block(values);
            }
            hk_store_codes(to + i, v, &rounding, lanes);
        }
    }
    hk_fill_border(codes, part);
}

#endif
