// One-dimensional k-means: the optimal cut of ordered cells into segments.
//
// Cost of cells i ..< j: q - s^2 / w of their sums. The matrix of costs is totally monotone, so the best last cut moves
// forward with the end (Wu, "Optimal quantization by matrix searching", 1991), which divide and conquer makes use of.
#include "CHearthCompression.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "wide.h"

typedef double lanes __attribute__((vector_size(64), aligned(8)));
typedef int64_t flags __attribute__((vector_size(64), aligned(8)));

typedef struct {
    const double *w, *s, *q;
    /// Best cost of the cells before an index with one segment less, minus `q` there; and the new best costs.
    double *base, *best;
    /// Where the last segment begins: this layer's and the one before's.
    uint32_t *cut;
    const uint32_t *previous;
    /// The last end that the layer before was solved for.
    size_t previous_end;
    hc_stop stop;
    const void *context;
    size_t steps;
    bool stopped;
} layer;

/// The best beginning of the last segment among low ... high, which ends before `end`.
WIDE static size_t scan(
    const double *restrict w, const double *restrict s, const double *restrict base, size_t end, size_t low,
    size_t high, double *cost)
{
    double we = w[end], se = s[end], best = DBL_MAX;
    size_t found = low, at = low;
    if (high - low >= 16) {
        lanes least;
        flags place, now;
        for (int i = 0; i < 8; i++) {
            least[i] = DBL_MAX;
            place[i] = now[i] = (int64_t)low + i;
        }
        for (; at + 8 <= high + 1; at += 8) {
            lanes width = we - *(const lanes *)(w + at), sum = se - *(const lanes *)(s + at);
            lanes value = *(const lanes *)(base + at) - sum * sum / width;
            flags less = value < least;
            least = (lanes)(((flags)value & less) | ((flags)least & ~less));
            place = (now & less) | (place & ~less);
            now += 8;
        }
        for (int i = 0; i < 8; i++)
            if (least[i] < best || (least[i] == best && (size_t)place[i] < found)) {
                best = least[i];
                found = (size_t)place[i];
            }
    }
    for (; at <= high; at++) {
        double sum = se - s[at], value = base[at] - sum * sum / (we - w[at]);
        if (value < best) {
            best = value;
            found = at;
        }
    }
    *cost = best;
    return found;
}

static void solve(layer *l, size_t from, size_t to, size_t low, size_t high)
{
    while (from <= to && !l->stopped) {
        size_t middle = from + (to - from) / 2;
        size_t first = low, last = high < middle ? high : middle - 1;
        // With one segment less the last one begins earlier.
        size_t known = middle < l->previous_end ? middle : l->previous_end;
        if (l->previous && l->previous[known] > first) first = l->previous[known];
        if (first > last) first = last;
        double cost;
        size_t found = scan(l->w, l->s, l->base, middle, first, last, &cost);
        l->best[middle] = cost + l->q[middle];
        l->cut[middle] = (uint32_t)found;
        l->steps += last - first + 8;
        if (l->steps > 1 << 20) {
            l->steps = 0;
            if (l->stop && l->stop(l->context)) l->stopped = true;
        }
        if (middle > from) solve(l, from, middle - 1, low, found);
        from = middle + 1;
        low = found;
    }
}

/// Every stride-th entry and the last.
static double *thinned(const double *values, size_t n, size_t stride, size_t count)
{
    double *out = malloc((count + 1) * sizeof *out);
    if (!out) return NULL;
    for (size_t i = 0; i < count; i++) out[i] = values[i * stride];
    out[count] = values[n];
    return out;
}

bool hc_segments(
    const double *w, const double *s, const double *q, size_t n, size_t k, size_t stride, uint32_t *bounds,
    hc_stop stop, const void *context)
{
    if (stride < 1 || k < 1 || n < k * stride) return false;
    size_t count = (n + stride - 1) / stride;
    if (count < k) return false;
    double *thin[3] = {NULL, NULL, NULL}, *base = malloc((count + 1) * sizeof *base),
           *best = malloc((count + 1) * sizeof *best);
    uint32_t *cuts = malloc(k * (count + 1) * sizeof *cuts);
    bool done = base && best && cuts;
    if (stride > 1) {
        const double *all[3] = {w, s, q};
        for (int i = 0; i < 3; i++) {
            thin[i] = thinned(all[i], n, stride, count);
            done = done && thin[i];
        }
        w = thin[0], s = thin[1], q = thin[2];
    }
    if (done) {
        layer l = {.w = w, .s = s, .q = q, .base = base, .best = best, .stop = stop, .context = context};
        memset(cuts, 0, (count + 1) * sizeof *cuts);
        best[0] = DBL_MAX;
        for (size_t end = 1; end <= count; end++) {
            double sum = s[end] - s[0];
            best[end] = q[end] - q[0] - sum * sum / (w[end] - w[0]);
        }
        for (size_t m = 2; m <= k && !l.stopped; m++) {
            for (size_t i = m - 1; i <= count; i++) base[i] = best[i] - q[i];
            l.cut = cuts + (m - 1) * (count + 1);
            l.previous = m > 2 ? cuts + (m - 2) * (count + 1) : NULL;
            l.previous_end = count - (k - m) - 1;
            // The last layer has one end only.
            solve(&l, m == k ? count : m, count - (k - m), m - 1, count - 1);
        }
        done = !l.stopped;
        size_t end = count;
        for (size_t m = k; done && m > 0; m--) {
            bounds[m] = (uint32_t)(end == count ? n : end * stride);
            end = m > 1 ? cuts[(m - 1) * (count + 1) + end] : 0;
        }
        bounds[0] = 0;
    }
    for (int i = 0; i < 3; i++) free(thin[i]);
    free(base), free(best), free(cuts);
    return done;
}

static double segment_cost(
    const double *w, const double *s, const double *q, size_t from, size_t to, double origin, bool half)
{
    double weight = w[to] - w[from], sum = s[to] - s[from], square = q[to] - q[from], mean = sum / weight;
    double least = square - sum * mean;
    if (!half) return least;
    double level = hc_half_to_float(hc_half_from_double(origin + mean)) - origin, off = level - mean;
    return least + weight * off * off;
}

double hc_segments_band(
    const double *w, const double *s, const double *q, size_t n, size_t k, size_t radius, double origin, bool half,
    uint32_t *bounds, hc_stop stop, const void *context)
{
    size_t span = 2 * radius + 1;
    double *before = malloc(span * sizeof *before), *now = malloc(span * sizeof *now), result = -1;
    uint32_t *cuts = malloc((k + 1) * span * sizeof *cuts), *lows = malloc((k + 1) * sizeof *lows),
             *highs = malloc((k + 1) * sizeof *highs);
    if (before && now && cuts && lows && highs) {
        for (size_t j = 0; j <= k; j++) {
            size_t at = bounds[j], low = at > j + radius ? at - radius : j;
            size_t high = at + radius < n - (k - j) ? at + radius : n - (k - j);
            lows[j] = (uint32_t)(j == 0 ? 0 : j == k ? n : low);
            highs[j] = (uint32_t)(j == 0 ? 0 : j == k ? n : high);
        }
        before[0] = 0;
        bool stopped = false;
        size_t steps = 0;
        for (size_t j = 1; j <= k && !stopped; j++) {
            for (size_t end = lows[j]; end <= highs[j]; end++) {
                double least = DBL_MAX;
                uint32_t found = lows[j - 1];
                size_t last = highs[j - 1] < end ? highs[j - 1] : end - 1;
                for (size_t from = lows[j - 1]; from <= last; from++) {
                    double sum = before[from - lows[j - 1]];
                    if (sum >= least) continue;
                    sum += segment_cost(w, s, q, from, end, origin, half);
                    if (sum < least) {
                        least = sum;
                        found = (uint32_t)from;
                    }
                }
                now[end - lows[j]] = least;
                cuts[j * span + (end - lows[j])] = found;
                steps += span;
            }
            double *swap = before;
            before = now, now = swap;
            if (steps > 1 << 17) {
                steps = 0;
                stopped = stop && stop(context);
            }
        }
        if (!stopped) {
            result = before[0] > 0 ? before[0] : 0;
            size_t end = n;
            for (size_t j = k; j > 0; j--) {
                bounds[j] = (uint32_t)end;
                end = cuts[j * span + (end - lows[j])];
            }
            bounds[0] = 0;
        }
    }
    free(before), free(now), free(cuts), free(lows), free(highs);
    return result;
}
