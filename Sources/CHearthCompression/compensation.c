// Codes of a row of weights that make up for each other's errors.
//
// A row's error is (q - w)' h (q - w), h the second moments of what the row is multiplied with. Levels are ascending.
// Where `fixed` is not NULL it has an entry a weight, and those that are not 0 have the code `zero` whatever it costs.
#include "CHearthCompression.h"

#include <string.h>

static size_t nearest(double value, const double *levels, size_t count)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (value > (levels[middle] + levels[middle + 1]) / 2) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool hc_compensated_codes(
    const double *target, size_t rows, size_t n, const double *factor, const double *levels, size_t count,
    const uint8_t *fixed, size_t zero, double *scratch, uint8_t *codes, hc_stop stop, const void *context)
{
    for (size_t row = 0; row < rows; row++, target += n, codes += n, fixed = fixed ? fixed + n : NULL) {
        if (stop && stop(context)) return false;
        for (size_t i = n; i-- > 0;) {
            const double *ahead = factor + i * n;
            double value = target[i] + hc_dot(ahead + i + 1, scratch + i + 1, n - i - 1) / ahead[i];
            size_t code = fixed && fixed[i] ? zero : nearest(value, levels, count);
            codes[i] = (uint8_t)code;
            scratch[i] = target[i] - levels[code];
        }
    }
    return true;
}

bool hc_level_moments(
    const uint8_t *codes, size_t rows, size_t n, const double *h, const double *projected, size_t count,
    double *scratch, double *squares, double *crosses, hc_stop stop, const void *context)
{
    for (size_t row = 0; row < rows; row++, codes += n, projected += n) {
        if (stop && stop(context)) return false;
        memset(scratch, 0, count * n * sizeof *scratch);
        for (size_t j = 0; j < n; j++) {
            hc_add_scaled(scratch + codes[j] * n, h + j * n, 1, n);
            crosses[codes[j]] += projected[j];
        }
        for (size_t level = 0; level < count; level++) {
            double *sums = squares + level * count;
            for (size_t j = 0; j < n; j++) sums[codes[j]] += scratch[level * n + j];
        }
    }
    return true;
}

bool hc_descend(
    const double *target, const double *projected, size_t rows, size_t n, const double *h, const double *levels,
    size_t count, const uint8_t *fixed, size_t sweeps, double *scratch, uint8_t *codes, double *error, hc_stop stop,
    const void *context)
{
    for (size_t row = 0; row < rows; row++, target += n, projected += n, codes += n, fixed = fixed ? fixed + n : NULL) {
        // The gradient h (q - w).
        for (size_t j = 0; j < n; j++) scratch[j] = -projected[j];
        for (size_t j = 0; j < n; j++) hc_add_scaled(scratch, h + j * n, levels[codes[j]], n);
        for (size_t sweep = 0; sweep < sweeps; sweep++) {
            if (stop && stop(context)) return false;
            bool changed = false;
            for (size_t j = 0; j < n; j++) {
                double here = levels[codes[j]], slope = scratch[j], bend = h[j * n + j];
                if (!(bend > 0) || (fixed && fixed[j])) continue;
                // The parabola's lowest place; the nearest level is the best one.
                size_t code = nearest(here - slope / bend, levels, count);
                if (code == codes[j]) continue;
                double step = levels[code] - here, gain = step * (2 * slope + step * bend);
                if (gain >= -1e-12 * bend * here * here) continue;
                codes[j] = (uint8_t)code;
                hc_add_scaled(scratch, h + j * n, step, n);
                changed = true;
            }
            if (!changed) break;
        }
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += (levels[codes[j]] - target[j]) * scratch[j];
        error[row] = sum > 0 ? sum : 0;
    }
    return true;
}
