// Inner loops of compression. Plain C, no allocation except where said, no global state; memory belongs to the caller.
//
// Sizes are elements unless a name says bytes. A function that takes `stop` asks it every few milliseconds and returns
// false as soon as it says true.
#ifndef CHEARTH_COMPRESSION_H
#define CHEARTH_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Asked now and then whether the work is still wanted; true ends it.
typedef bool (*hc_stop)(const void *_Nullable context);

// MARK: - Half precision

/// The number of half precision with these bits.
float hc_half_to_float(uint16_t bits);
/// The bits of the nearest number of half precision, ties to even; beyond 65504 the infinity.
uint16_t hc_half_from_double(double value);
void hc_halves_to_floats(const uint16_t *_Nonnull bits, size_t count, float *_Nonnull out);
/// - Returns: how many became infinite.
size_t hc_floats_to_halves(const float *_Nonnull values, size_t count, uint16_t *_Nonnull out);
/// The place of the first NaN or infinity; `count` where there is none.
size_t hc_first_not_finite(const float *_Nonnull values, size_t count);
size_t hc_first_half_not_finite(const uint16_t *_Nonnull bits, size_t count);

// MARK: - Distributions

/// Adds the weight of each value to `weights`, which has 65,536 entries in the order of the numbers (see
/// `hc_half_at_rank`). `importance` is one weight an element; 1 each where it is NULL.
void hc_half_weights(
    const uint16_t *_Nonnull bits, const float *_Nullable importance, size_t count, double *_Nonnull weights);
/// The bits of the number with the rank among all 65,536 patterns; -0 and +0 have the rank of +0.
uint16_t hc_half_at_rank(uint32_t rank);
uint32_t hc_half_rank(uint16_t bits);

/// Counts floats by the upper 16 bits of their rank; `counts` has 65,536 entries.
void hc_float_counts(const float *_Nonnull values, size_t count, uint32_t *_Nonnull counts);
/// Sums of finer cells. Coarse cell c is cut into 1 << bits[c] cells, the first of which is number first[c].
/// For each cell: sum of weights, of weight times (value - origin), of weight times its square.
void hc_float_cells(
    const float *_Nonnull values, const float *_Nullable importance, size_t count, const uint32_t *_Nonnull first,
    const uint8_t *_Nonnull bits, double origin, double *_Nonnull weights, double *_Nonnull sums,
    double *_Nonnull squares);

// MARK: - Segments

/// Optimal cut of n cells in order into k segments of least sum of squared distances from their means.
///
/// `w`, `s`, `q` have n + 1 entries: weight, sum and sum of squares of the cells before an index, up to a constant.
/// `stride` > 1 allows cuts at every stride-th cell only. On success `bounds` (k + 1 entries) holds 0 ... n.
/// Divide and conquer over a totally monotone matrix, n k log n steps; allocates k n / stride indices.
/// - Returns: false where it was stopped or memory was lacking.
bool hc_segments(
    const double *_Nonnull w, const double *_Nonnull s, const double *_Nonnull q, size_t n, size_t k, size_t stride,
    uint32_t *_Nonnull bounds, hc_stop _Nullable stop, const void *_Nullable context);

/// The same where cut j may move by `radius` around `bounds[j]`, every pair tried, and each segment's level is rounded
/// to half precision if `half`. `bounds` is the result too.
/// - Returns: the cost; negative where it was stopped or memory was lacking.
double hc_segments_band(
    const double *_Nonnull w, const double *_Nonnull s, const double *_Nonnull q, size_t n, size_t k, size_t radius,
    double origin, bool half, uint32_t *_Nonnull bounds, hc_stop _Nullable stop, const void *_Nullable context);

// MARK: - Codes

/// For each value the number of thresholds below it: `limits` has `levels` - 1 entries, ascending.
void hc_assign(
    const float *_Nonnull values, size_t count, const float *_Nonnull limits, size_t levels, uint8_t *_Nonnull codes);
/// The same by a table of 65,536 codes, one a pattern.
void hc_assign_halves(
    const uint16_t *_Nonnull bits, size_t count, const uint8_t *_Nonnull table, uint8_t *_Nonnull codes);
/// Packs the low `width` bits of each code, the first in the lowest bits of the first byte.
void hc_pack(const uint8_t *_Nonnull codes, size_t count, unsigned width, uint8_t *_Nonnull out);
/// Adds to `weights` and `sums` what each level was given; `sums` about `origin`.
void hc_level_sums(
    const float *_Nonnull values, const float *_Nullable importance, const uint8_t *_Nonnull codes, size_t count,
    double origin, double *_Nonnull weights, double *_Nonnull sums);
/// Adds the sum of squares of the values to `signal`, and that of their distances from their levels to `noise`.
void hc_palette_error(
    const float *_Nonnull values, const uint8_t *_Nonnull codes, size_t count, const float *_Nonnull levels,
    double *_Nonnull signal, double *_Nonnull noise);

/// Smallest and largest value; `count` > 0.
void hc_range(const float *_Nonnull values, size_t count, float *_Nonnull low, float *_Nonnull high);
/// Codes round(value / scale) + zero, ties to even, limited to low ... high.
void hc_linear_codes(
    const float *_Nonnull values, size_t count, float scale, int zero, int low, int high, int8_t *_Nonnull codes);
/// Sum of the squared distances of the values from scale * (code - zero), which a reader of halves rounds to one.
double hc_linear_error(
    const float *_Nonnull values, size_t count, float scale, int zero, int low, int high, bool is_half);

// MARK: - Products in double precision

/// out[i][j] += sign * sum over s < terms of a[s][i] * b[s][j]; `…_row` is the distance of rows in elements.
void hc_add_products(
    const double *_Nonnull a, size_t a_row, size_t rows, const double *_Nonnull b, size_t b_row, size_t columns,
    size_t terms, double sign, double *_Nonnull out, size_t out_row);
/// Cholesky: the upper triangle of a positive definite matrix of n rows becomes r with a = r' r. What is below stays.
/// - Returns: false where it is not positive definite, or was stopped.
bool hc_factor(double *_Nonnull a, size_t n, hc_stop _Nullable stop, const void *_Nullable context);
/// Solves x a = row for each of `count` rows, in place, `factor` being a's from `hc_factor`.
/// - Returns: false where it was stopped.
bool hc_solve(
    const double *_Nonnull factor, size_t n, double *_Nonnull rows, size_t count, hc_stop _Nullable stop,
    const void *_Nullable context);
double hc_dot(const double *_Nonnull a, const double *_Nonnull b, size_t count);
/// y += factor * x
void hc_add_scaled(double *_Nonnull y, const double *_Nonnull x, double factor, size_t count);

// MARK: - Codes that compensate

/// Codes of `rows` rows of n weights each, from the last column to the first; each column's error is passed on to those
/// before it (LDLQ, Chee et al., 2023, the same as GPTQ, Frantar et al., 2022). `factor`: of the second moments, from
/// `hc_factor`. `levels`: `count`, ascending. `scratch`: n entries. `fixed`, where it is not NULL, has an entry a weight:
/// those that are not 0 take the code `zero`.
/// - Returns: false where it was stopped.
bool hc_compensated_codes(
    const double *_Nonnull target, size_t rows, size_t n, const double *_Nonnull factor, const double *_Nonnull levels,
    size_t count, const uint8_t *_Nullable fixed, size_t zero, double *_Nonnull scratch, uint8_t *_Nonnull codes,
    hc_stop _Nullable stop, const void *_Nullable context);
/// Adds what the levels of least error are made of: squares[k][l] += sum of h over columns of codes k and l;
/// crosses[k] += sum of `projected` over columns of code k. `scratch`: count * n entries.
/// - Returns: false where it was stopped.
bool hc_level_moments(
    const uint8_t *_Nonnull codes, size_t rows, size_t n, const double *_Nonnull h, const double *_Nonnull projected,
    size_t count, double *_Nonnull scratch, double *_Nonnull squares, double *_Nonnull crosses,
    hc_stop _Nullable stop, const void *_Nullable context);
/// Coordinate descent: changes one code at a time as long as that makes a row's error smaller, at most `sweeps` times
/// through the row; those of `fixed` weights stay. `projected`: h times the target. `error`: of each row, at the end. `scratch`: n entries.
/// - Returns: false where it was stopped.
bool hc_descend(
    const double *_Nonnull target, const double *_Nonnull projected, size_t rows, size_t n, const double *_Nonnull h,
    const double *_Nonnull levels, size_t count, const uint8_t *_Nullable fixed, size_t sweeps,
    double *_Nonnull scratch, uint8_t *_Nonnull codes, double *_Nonnull error, hc_stop _Nullable stop, const void *_Nullable context);

// MARK: - GGUF's blocks

/// Whole blocks of `count` values (a multiple of 32, or of 256 for q4_K) as GGUF has them.
void hc_q8_0(const float *_Nonnull values, size_t count, uint8_t *_Nonnull out);
void hc_q4_0(const float *_Nonnull values, size_t count, uint8_t *_Nonnull out);
void hc_q4_k(const float *_Nonnull values, size_t count, uint8_t *_Nonnull out);
void hc_bfloats_to_floats(const uint16_t *_Nonnull bits, size_t count, float *_Nonnull out);
/// The values that blocks stand for, by the definition of the formats; `format` is GGUF's number of the type.
bool hc_block_values(const uint8_t *_Nonnull blocks, size_t count, uint32_t format, float *_Nonnull out);

#endif
