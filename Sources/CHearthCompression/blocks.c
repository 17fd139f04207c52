// GGUF's blocks: https://github.com/ggml-org/ggml, structures of ggml-common.h.
//
// q8_0 and q4_0 follow the arithmetic of the reference quantizer operation by operation, because their bytes have to be
// the same. q4_k is a search of its own for the least squared error.
#include "CHearthCompression.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "wide.h"

// Every processor has to make the same bytes.
#pragma STDC FP_CONTRACT OFF

static void put_half(uint8_t *out, float value)
{
    uint16_t bits = hc_half_from_double(value);
    out[0] = (uint8_t)bits;
    out[1] = (uint8_t)(bits >> 8);
}

static float get_half(const uint8_t *in) { return hc_half_to_float((uint16_t)(in[0] | in[1] << 8)); }

void hc_q8_0(const float *values, size_t count, uint8_t *out)
{
    for (size_t b = 0; b < count / 32; b++, values += 32, out += 34) {
        float most = 0;
        for (int i = 0; i < 32; i++) most = fabsf(values[i]) > most ? fabsf(values[i]) : most;
        float d = most / 127, inverse = d != 0 ? 1 / d : 0;
        put_half(out, d);
        for (int i = 0; i < 32; i++) {
            float code = roundf(values[i] * inverse);
            out[2 + i] = (uint8_t)(int8_t)(code > -128 && code < 128 ? code : 0);
        }
    }
}

void hc_q4_0(const float *values, size_t count, uint8_t *out)
{
    for (size_t b = 0; b < count / 32; b++, values += 32, out += 18) {
        float most = 0, size = 0;
        for (int i = 0; i < 32; i++)
            if (fabsf(values[i]) > size) {
                size = fabsf(values[i]);
                most = values[i];
            }
        float d = most / -8, inverse = d != 0 ? 1 / d : 0;
        put_half(out, d);
        uint8_t codes[32];
        for (int i = 0; i < 32; i++) {
            float product = values[i] * inverse, code = product + 8.5f;
            codes[i] = code >= 0 && code < 15 ? (uint8_t)code : code >= 15 ? 15 : 0;
        }
        for (int i = 0; i < 16; i++) out[2 + i] = codes[i] | (uint8_t)(codes[i + 16] << 4);
    }
}

// MARK: - q4_k: 8 sub-blocks of 32 values, x = d s q - dmin m, with s and m of 6 bits and q of 4

enum { subs = 8, sub = 32 };

typedef float lanes __attribute__((vector_size(32), aligned(4)));

/// The nearest code, ties to even: adding this number leaves no bits for a fraction.
#define NEAREST(value) (__builtin_elementwise_min(__builtin_elementwise_max((value), zero), top) + magic - magic)
#define CONSTANTS const lanes zero = {0}, top = zero + 15.0f, magic = zero + 0x1.8p23f

static inline float nearest(float value)
{
    float limited = value < 0 ? 0 : value > 15 ? 15 : value;
    return limited + 0x1.8p23f - 0x1.8p23f;
}

#define TOTAL(v) ((((v)[0] + (v)[4]) + ((v)[1] + (v)[5])) + (((v)[2] + (v)[6]) + ((v)[3] + (v)[7])))

/// Squared error of a sub-block with a given step and offset, every value at its nearest code.
#define SUB_ERROR(x, step, offset, result) \
    do { \
        CONSTANTS; \
        float inverse = (step) > 0 ? 1 / (step) : 0; \
        lanes sums = zero; \
        for (int i = 0; i < sub; i += 8) { \
            lanes value = *(const lanes *)((x) + i); \
            lanes off = value - ((step) * NEAREST((value + (offset)) * inverse) - (offset)); \
            sums += off * off; \
        } \
        (result) = TOTAL(sums); \
    } while (0)

/// The step and the offset (not below 0) of least squared error for a sub-block by itself: steps around the range are
/// tried, and for the codes that each gives the best line is solved for.
WIDE static void fit_sub(const float *x, float *step, float *offset)
{
    float low = x[0], high = x[0], sum_x = x[0];
    for (int i = 1; i < sub; i++) {
        sum_x += x[i];
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    if (low > 0) low = 0;
    *step = *offset = 0;
    if (high <= low) {
        *offset = -low;
        return;
    }
    float best = FLT_MAX;
    for (int trial = 0; trial <= 22; trial++) {
        float inverse = (13.6f + 0.1f * (float)trial) / (high - low), start = -low;
        for (int round = 0; round < 2; round++) {
            CONSTANTS;
            lanes c = zero, cc = zero, cx = zero;
            for (int i = 0; i < sub; i += 8) {
                lanes value = *(const lanes *)(x + i), code = NEAREST((value + start) * inverse);
                c += code, cc += code * code, cx += code * value;
            }
            float sum_c = TOTAL(c), sum_cc = TOTAL(cc), sum_cx = TOTAL(cx);
            float determinant = sub * sum_cc - sum_c * sum_c, s, o;
            if (determinant <= 0) break;
            s = (sub * sum_cx - sum_c * sum_x) / determinant;
            o = -(sum_cc * sum_x - sum_c * sum_cx) / determinant;
            if (o < 0) {
                o = 0;
                s = sum_cc > 0 ? sum_cx / sum_cc : 0;
            }
            if (!(s > 0) || !isfinite(s)) break;
            float error;
            SUB_ERROR(x, s, o, error);
            if (error < best) {
                best = error;
                *step = s;
                *offset = o;
            }
            start = o, inverse = 1 / s;
        }
    }
}

/// The codes of 6 bits near (a, b) that make the least error, and that error.
WIDE static float refine_sub(const float *x, float d, float dmin, int *scale, int *minimum, int reach)
{
    int s0 = *scale, m0 = *minimum;
    float best = FLT_MAX;
    for (int s = s0 - reach; s <= s0 + reach; s++)
        for (int m = m0 - reach; m <= m0 + reach; m++) {
            if (s < 0 || s > 63 || m < 0 || m > 63) continue;
            float step = d * (float)s, offset = dmin * (float)m, error;
            SUB_ERROR(x, step, offset, error);
            if (error < best) {
                best = error;
                *scale = s;
                *minimum = m;
            }
        }
    return best;
}

static int six_bits(float value)
{
    float code = rintf(value);
    return code < 0 || !isfinite(code) ? 0 : code > 63 ? 63 : (int)code;
}

typedef struct {
    float d, dmin, error;
    int scales[subs], minimums[subs];
} k_block;

/// A super-block with the step that gives the largest sub-block the code `top` (and `bottom` for offsets).
static k_block try_block(
    const float *x, const float *steps, const float *offsets, float most, float least, float top, float bottom, int reach)
{
    k_block b = {.d = hc_half_to_float(hc_half_from_double(most / top)),
                 .dmin = hc_half_to_float(hc_half_from_double(least / bottom))};
    for (int j = 0; j < subs; j++) {
        b.scales[j] = b.d > 0 ? six_bits(steps[j] / b.d) : 0;
        b.minimums[j] = b.dmin > 0 ? six_bits(offsets[j] / b.dmin) : 0;
        b.error += refine_sub(x + j * sub, b.d, b.dmin, &b.scales[j], &b.minimums[j], reach);
    }
    return b;
}

static void write_block(const float *x, const k_block *b, uint8_t *out)
{
    put_half(out, b->d);
    put_half(out + 2, b->dmin);
    uint8_t *packed = out + 4;
    memset(packed, 0, 12);
    for (int j = 0; j < 4; j++) {
        int s = b->scales[j], m = b->minimums[j], s4 = b->scales[j + 4], m4 = b->minimums[j + 4];
        packed[j] = (uint8_t)(s | (s4 >> 4) << 6);
        packed[j + 4] = (uint8_t)(m | (m4 >> 4) << 6);
        packed[j + 8] = (uint8_t)((s4 & 15) | (m4 & 15) << 4);
    }
    uint8_t codes[subs * sub];
    for (int j = 0; j < subs; j++) {
        float step = b->d * (float)b->scales[j], offset = b->dmin * (float)b->minimums[j];
        float inverse = step > 0 ? 1 / step : 0;
        for (int i = 0; i < sub; i++) {
            codes[j * sub + i] = (uint8_t)nearest((x[j * sub + i] + offset) * inverse);
        }
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < sub; i++)
            out[16 + j * sub + i] = codes[2 * j * sub + i] | (uint8_t)(codes[(2 * j + 1) * sub + i] << 4);
}

void hc_q4_k(const float *values, size_t count, uint8_t *out)
{
    for (size_t b = 0; b < count / 256; b++, values += 256, out += 144) {
        float steps[subs], offsets[subs], most = 0, least = 0;
        for (int j = 0; j < subs; j++) {
            fit_sub(values + j * sub, &steps[j], &offsets[j]);
            most = steps[j] > most ? steps[j] : most;
            least = offsets[j] > least ? offsets[j] : least;
        }
        static const float tops[] = {63, 61.5f, 60};
        k_block best = try_block(values, steps, offsets, most, least, 63, 63, 1);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) {
                if (a == 0 && c == 0) continue;
                k_block other = try_block(values, steps, offsets, most, least, tops[a], tops[c], 0);
                if (other.error < best.error) best = other;
            }
        for (int j = 0; j < subs; j++)
            refine_sub(values + j * sub, best.d, best.dmin, &best.scales[j], &best.minimums[j], 2);
        write_block(values, &best, out);
    }
}

// MARK: - Back to values

static void q4_k_values(const uint8_t *block, float *out)
{
    float d = get_half(block), dmin = get_half(block + 2);
    const uint8_t *p = block + 4;
    for (int j = 0; j < subs; j++) {
        int s = j < 4 ? p[j] & 63 : (p[j + 4] & 15) | p[j - 4] >> 6 << 4;
        int m = j < 4 ? p[j + 4] & 63 : p[j + 4] >> 4 | p[j] >> 6 << 4;
        float step = d * (float)s, offset = dmin * (float)m;
        for (int i = 0; i < sub; i++) {
            int code = block[16 + j / 2 * sub + i] >> (j % 2 * 4) & 15;
            out[j * sub + i] = step * (float)code - offset;
        }
    }
}

bool hc_block_values(const uint8_t *blocks, size_t count, uint32_t format, float *out)
{
    switch (format) {
    case 8:
        for (size_t b = 0; b < count / 32; b++, blocks += 34, out += 32) {
            float d = get_half(blocks);
            for (int i = 0; i < 32; i++) out[i] = d * (float)(int8_t)blocks[2 + i];
        }
        return true;
    case 2:
        for (size_t b = 0; b < count / 32; b++, blocks += 18, out += 32) {
            float d = get_half(blocks);
            for (int i = 0; i < 16; i++) {
                out[i] = d * (float)((blocks[2 + i] & 15) - 8);
                out[i + 16] = d * (float)((blocks[2 + i] >> 4) - 8);
            }
        }
        return true;
    case 12:
        for (size_t b = 0; b < count / 256; b++, blocks += 144, out += 256) q4_k_values(blocks, out);
        return true;
    default: return false;
    }
}
