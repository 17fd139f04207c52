// Where the values of a tensor lie: weights of single halves, sums of cells of floats.
#include "CHearthCompression.h"

#include <string.h>

/// Order of the numbers as order of integers. -0 counts as +0.
static inline uint32_t float_rank(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

uint32_t hc_half_rank(uint16_t bits)
{
    if (bits == 0x8000) bits = 0;
    return bits & 0x8000 ? (uint16_t)~bits : bits | 0x8000u;
}

uint16_t hc_half_at_rank(uint32_t rank) { return rank & 0x8000 ? (uint16_t)(rank & 0x7fff) : (uint16_t)~rank; }

void hc_half_weights(const uint16_t *bits, const float *importance, size_t count, double *weights)
{
    if (importance) {
        for (size_t i = 0; i < count; i++) weights[hc_half_rank(bits[i])] += importance[i];
        return;
    }
    for (size_t i = 0; i < count; i++) weights[hc_half_rank(bits[i])] += 1;
}

void hc_float_counts(const float *values, size_t count, uint32_t *counts)
{
    for (size_t i = 0; i < count; i++) counts[float_rank(values[i]) >> 16]++;
}

void hc_float_cells(
    const float *values, const float *importance, size_t count, const uint32_t *first, const uint8_t *bits,
    double origin, double *weights, double *sums, double *squares)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = float_rank(values[i]), coarse = rank >> 16;
        uint32_t cell = first[coarse] + ((rank & 0xffff) >> (16 - bits[coarse]));
        double weight = importance ? importance[i] : 1, distance = (double)values[i] - origin;
        weights[cell] += weight;
        sums[cell] += weight * distance;
        squares[cell] += weight * distance * distance;
    }
}
