// Products and factors of matrices in double precision: what second moments and their use are made of.
#include "CHearthCompression.h"

#include <math.h>
#include <string.h>

#include "wide.h"

typedef double lanes __attribute__((vector_size(64), aligned(8)));

/// Four rows by sixteen columns of `out`, held in registers over all terms.
WIDE static void tile(
    const double *restrict a, size_t a_row, const double *restrict b, size_t b_row, size_t terms, double sign,
    double *restrict out, size_t out_row)
{
    lanes sum[4][2];
    memset(sum, 0, sizeof sum);
    for (size_t s = 0; s < terms; s++, a += a_row, b += b_row) {
        lanes low = *(const lanes *)b, high = *(const lanes *)(b + 8);
        for (int i = 0; i < 4; i++) {
            sum[i][0] += low * a[i];
            sum[i][1] += high * a[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        lanes *row = (lanes *)(out + i * out_row);
        row[0] += sum[i][0] * sign;
        row[1] += sum[i][1] * sign;
    }
}

static void edge(
    const double *a, size_t a_row, size_t rows, const double *b, size_t b_row, size_t columns, size_t terms,
    double sign, double *out, size_t out_row)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (size_t s = 0; s < terms; s++) sum += a[s * a_row + i] * b[s * b_row + j];
            out[i * out_row + j] += sign * sum;
        }
}

void hc_add_products(
    const double *a, size_t a_row, size_t rows, const double *b, size_t b_row, size_t columns, size_t terms,
    double sign, double *out, size_t out_row)
{
    // Terms in pieces: what sixteen columns need of them stays in the nearest cache.
    for (size_t first = 0; first < terms; first += 128) {
        size_t count = terms - first < 128 ? terms - first : 128;
        const double *x = a + first * a_row, *y = b + first * b_row;
        size_t whole = rows & ~(size_t)3, j = 0;
        for (; j + 16 <= columns; j += 16) {
            for (size_t i = 0; i < whole; i += 4)
                tile(x + i, a_row, y + j, b_row, count, sign, out + i * out_row + j, out_row);
            edge(x + whole, a_row, rows - whole, y + j, b_row, 16, count, sign, out + whole * out_row + j, out_row);
        }
        edge(x, a_row, rows, y + j, b_row, columns - j, count, sign, out + j, out_row);
    }
}

bool hc_factor(double *a, size_t n, hc_stop stop, const void *context)
{
    enum { panel = 32 };
    for (size_t k = 0; k < n; k += panel) {
        size_t end = k + panel < n ? k + panel : n;
        if (stop && stop(context)) return false;
        // What the rows above take away from this panel, in columns that take some milliseconds.
        for (size_t p = 0; p < k; p += 512) {
            size_t terms = k - p < 512 ? k - p : 512;
            hc_add_products(a + p * n + k, n, end - k, a + p * n + k, n, n - k, terms, -1, a + k * n + k, n);
        }
        for (size_t i = k; i < end; i++) {
            double *row = a + i * n;
            for (size_t p = k; p < i; p++) {
                double factor = a[p * n + i];
                const double *above = a + p * n;
                for (size_t j = i; j < n; j++) row[j] -= factor * above[j];
            }
            if (!(row[i] > 0) || !isfinite(row[i])) return false;
            double root = sqrt(row[i]);
            row[i] = root;
            for (size_t j = i + 1; j < n; j++) row[j] /= root;
        }
    }
    return true;
}

WIDE static double dot(const double *restrict a, const double *restrict b, size_t count)
{
    lanes sum = {0};
    size_t at = 0;
    for (; at + 8 <= count; at += 8) sum += *(const lanes *)(a + at) * *(const lanes *)(b + at);
    double total = 0;
    for (int i = 0; i < 8; i++) total += sum[i];
    for (; at < count; at++) total += a[at] * b[at];
    return total;
}

WIDE static void add_scaled(double *restrict y, const double *restrict x, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] += factor * x[i];
}

bool hc_solve(
    const double *factor, size_t n, double *rows, size_t count, hc_stop stop, const void *context)
{
    for (size_t row = 0; row < count; row++) {
        if (stop && stop(context)) return false;
        double *x = rows + row * n;
        for (size_t i = 0; i < n; i++) {
            x[i] /= factor[i * n + i];
            add_scaled(x + i + 1, factor + i * n + i + 1, -x[i], n - i - 1);
        }
        for (size_t i = n; i-- > 0;)
            x[i] = (x[i] - dot(factor + i * n + i + 1, x + i + 1, n - i - 1)) / factor[i * n + i];
    }
    return true;
}

double hc_dot(const double *a, const double *b, size_t count) { return dot(a, b, count); }
void hc_add_scaled(double *y, const double *x, double factor, size_t count) { add_scaled(y, x, factor, count); }
