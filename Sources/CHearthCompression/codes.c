// From values to codes.
#include "CHearthCompression.h"

#include <math.h>
#include <string.h>

void hc_assign(const float *values, size_t count, const float *limits, size_t levels, uint8_t *codes)
{
    // Sixteen limits are counted faster than searched; more are searched in steps of halves, without branches.
    if (levels <= 16) {
        float padded[15];
        for (int i = 0; i < 15; i++) padded[i] = (size_t)i + 1 < levels ? limits[i] : INFINITY;
        int used = levels <= 2 ? 1 : levels <= 4 ? 3 : levels <= 8 ? 7 : 15;
        for (size_t i = 0; i < count; i++) {
            int code = 0;
            for (int j = 0; j < used; j++) code += values[i] > padded[j];
            codes[i] = (uint8_t)code;
        }
        return;
    }
    float padded[256];
    for (int i = 0; i < 256; i++) padded[i] = (size_t)i + 1 < levels ? limits[i] : INFINITY;
    unsigned top = levels <= 64 ? 32 : 128;
    for (size_t i = 0; i < count; i++) {
        unsigned code = 0;
        float value = values[i];
        for (unsigned step = top; step > 0; step >>= 1) code += value > padded[code + step - 1] ? step : 0;
        codes[i] = (uint8_t)code;
    }
}

void hc_assign_halves(const uint16_t *bits, size_t count, const uint8_t *table, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++) codes[i] = table[bits[i]];
}

void hc_pack(const uint8_t *codes, size_t count, unsigned width, uint8_t *out)
{
    if (width == 8) {
        memcpy(out, codes, count);
        return;
    }
    uint64_t window = 0, mask = (1u << width) - 1;
    unsigned filled = 0;
    size_t i = 0;
    // Eight codes are `width` whole bytes.
    for (; i + 8 <= count; i += 8) {
        uint64_t bytes = 0;
        for (unsigned j = 0; j < 8; j++) bytes |= (codes[i + j] & mask) << (j * width);
        for (unsigned j = 0; j < width; j++) *out++ = (uint8_t)(bytes >> (8 * j));
    }
    for (; i < count; i++) {
        window |= (codes[i] & mask) << filled;
        filled += width;
    }
    for (unsigned bits = 0; bits < filled; bits += 8) *out++ = (uint8_t)(window >> bits);
}

void hc_level_sums(
    const float *values, const float *importance, const uint8_t *codes, size_t count, double origin, double *weights,
    double *sums)
{
    for (size_t i = 0; i < count; i++) {
        double weight = importance ? importance[i] : 1;
        weights[codes[i]] += weight;
        sums[codes[i]] += weight * (values[i] - origin);
    }
}

void hc_palette_error(
    const float *values, const uint8_t *codes, size_t count, const float *levels, double *signal, double *noise)
{
    double power[4] = {0}, error[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; j++) {
            double value = values[i + j], off = value - levels[codes[i + j]];
            power[j] += value * value;
            error[j] += off * off;
        }
    for (; i < count; i++) {
        double value = values[i], off = value - levels[codes[i]];
        power[0] += value * value;
        error[0] += off * off;
    }
    *signal += (power[0] + power[1]) + (power[2] + power[3]);
    *noise += (error[0] + error[1]) + (error[2] + error[3]);
}

void hc_range(const float *values, size_t count, float *low, float *high)
{
    float least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    *low = least;
    *high = most;
}

static inline int code(float value, float scale, int zero, int low, int high)
{
    float quotient = rintf(value / scale) + (float)zero;
    return quotient < (float)low ? low : quotient > (float)high ? high : (int)quotient;
}

void hc_linear_codes(const float *values, size_t count, float scale, int zero, int low, int high, int8_t *codes)
{
    for (size_t i = 0; i < count; i++) codes[i] = (int8_t)code(values[i], scale, zero, low, high);
}

double hc_linear_error(
    const float *values, size_t count, float scale, int zero, int low, int high, bool is_half)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double product = (double)scale * (code(values[i], scale, zero, low, high) - zero);
        if (is_half) product = hc_half_to_float(hc_half_from_double(product));
        double off = values[i] - product;
        sum += off * off;
    }
    return sum;
}
