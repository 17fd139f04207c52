// Time of every layer of MobileNetV2-224 and ResNet-50-224 (float32, one picture), GFLOP/s and share of what the
// processor's multiply-adds reach in the same run. Threads claim parts from a counter, as the worker pool does.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CHearthKernels.h"

enum { ROUNDS = 15, MOST_THREADS = 16, MOST_PARTS = 4096 };

static size_t thread_count = 2;

// With one thread its own time, which preemption by a neighbour does not change.
static double now(void) {
    struct timespec t;
    clock_gettime(thread_count == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A pool whose threads spin between layers: this measures kernels, not waking up.
typedef struct {
    void (*run)(void *context, size_t part);
    void *context;
    size_t parts;
} job;

static job current;
static _Atomic unsigned long ticket, completed, generation;

static void work(void) {
    for (;;) {
        const size_t part = atomic_fetch_add(&ticket, 1);
        if (part >= current.parts) return;
        current.run(current.context, part);
        atomic_fetch_add(&completed, 1);
    }
}

static _Atomic unsigned long idle;

static void *worker(void *unused) {
    unsigned long seen = 0;
    for (;;) {
        while (atomic_load(&generation) == seen) __builtin_ia32_pause();
        seen = atomic_load(&generation);
        work();
        atomic_fetch_add(&idle, 1);
    }
    return unused;
}

static void perform(job next) {
    current = next;
    atomic_store(&completed, 0);
    atomic_store(&ticket, 0);
    atomic_store(&idle, 0);
    atomic_fetch_add(&generation, 1);
    work();
    while (atomic_load(&completed) < next.parts || atomic_load(&idle) < thread_count - 1) __builtin_ia32_pause();
}

typedef enum { FULL, DEPTHWISE, POOL, AVERAGE, LINEAR } kind;

typedef struct {
    kind kind;
    size_t size, inputs, outputs, kernel, stride;
    bool residual;
    char net;
} layer;

typedef struct {
    layer l;
    hk_convolution convolution;
    hk_depthwise depthwise;
    hk_pooling pooling;
    hk_product product;
    hk_part parts[MOST_PARTS];
    size_t part_count;
    const hk_vision_kernels *set;
    const float *x;
    float *y;
} task;

static void run_part(void *context, size_t index) {
    const task *t = context;
    const hk_part *p = &t->parts[index];
    switch (t->l.kind) {
    case FULL: t->set->convolve(&t->convolution, p); break;
    case DEPTHWISE: t->set->convolve_depthwise(&t->depthwise, p); break;
    case POOL: t->set->pool(&t->pooling, p); break;
    case AVERAGE: t->set->average(t->x, t->l.size * t->l.size, p->first_block, p->end_block, t->y); break;
    case LINEAR: t->set->multiply(&t->product, p->first_column, p->end_column, p->first_block, p->end_block); break;
    }
}

static float *floats(size_t count) {
    float *x = aligned_alloc(64, (count * sizeof *x + 4095) / 4096 * 4096);
    for (size_t i = 0; i < count; i++) x[i] = (float)((int)(i * 7919 % 2001) - 1000) * 1e-4f;
    return x;
}

// Activations go round in three buffers, as a memory plan has them: what a layer reads was just written.
static float *ring[3];
static size_t ring_at;

static float *activation(size_t turn) {
    enum { LARGEST = 112 * 112 * 96 };
    if (!ring[turn % 3]) ring[turn % 3] = floats(LARGEST);
    return ring[turn % 3];
}

static size_t blocks_of(size_t channels) {
    return (channels + 15) / 16;
}

static layer layers[256];
static size_t layer_count;

static size_t add(char net, kind kind, size_t size, size_t inputs, size_t outputs, size_t kernel, size_t stride, bool residual) {
    layers[layer_count++] = (layer){kind, size, inputs, outputs, kernel, stride, residual, net};
    return (size + stride - 1) / stride;
}

static void mobilenet(void) {
    const size_t plan[][4] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    size_t size = add('M', FULL, 224, 3, 32, 3, 2, false), channels = 32;
    for (size_t s = 0; s < 7; s++) {
        for (size_t i = 0; i < plan[s][2]; i++) {
            const size_t wide = channels * plan[s][0], stride = i == 0 ? plan[s][3] : 1, out = plan[s][1];
            if (plan[s][0] > 1) add('M', FULL, size, channels, wide, 1, 1, false);
            size = add('M', DEPTHWISE, size, wide, wide, 3, stride, false);
            add('M', FULL, size, wide, out, 1, 1, stride == 1 && channels == out);
            channels = out;
        }
    }
    add('M', FULL, size, channels, 1280, 1, 1, false);
    add('M', AVERAGE, size, 1280, 1280, 1, 1, false);
    add('M', LINEAR, 1, 1280, 1000, 1, 1, false);
}

static void resnet(void) {
    const size_t plan[][3] = {{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}};
    size_t size = add('R', FULL, 224, 3, 64, 7, 2, false), channels = 64;
    size = add('R', POOL, size, 64, 64, 3, 2, false);
    for (size_t s = 0; s < 4; s++) {
        for (size_t i = 0; i < plan[s][1]; i++) {
            const size_t stride = i == 0 ? plan[s][2] : 1, width = plan[s][0];
            add('R', FULL, size, channels, width, 1, 1, false);
            if (i == 0) add('R', FULL, size, channels, 4 * width, 1, stride, false);
            size = add('R', FULL, size, width, width, 3, stride, false);
            add('R', FULL, size, width, 4 * width, 1, 1, true);
            channels = 4 * width;
        }
    }
    add('R', AVERAGE, size, 2048, 2048, 1, 1, false);
    add('R', LINEAR, 1, 2048, 1000, 1, 1, false);
}

static void prepare(task *t, const hk_vision_kernels *set, layer l) {
    memset(t, 0, sizeof *t);
    t->l = l;
    t->set = set;
    const size_t out = (l.size + l.stride - 1) / l.stride, ib = blocks_of(l.inputs), ob = blocks_of(l.outputs);
    const hk_window window = {l.kernel, l.kernel, l.stride, l.stride, 1, 1, l.kernel / 2, l.kernel / 2};
    float *bias = floats(ob * 16);
    t->x = activation(ring_at);
    t->y = activation(ring_at + 1);
    const hk_epilogue epilogue = {bias, l.residual ? activation(ring_at + 2) : NULL, false, HK_CLIP, 0, 6};
    ring_at++;
    switch (l.kind) {
    case FULL: {
        const bool plain = l.inputs < 16;
        t->convolution = (hk_convolution){
            t->x, NULL, NULL, t->y, epilogue, window, plain, l.inputs, l.size, l.size, l.outputs, out, out, l.inputs, l.outputs,
            plain ? l.inputs : ib, 0};
        t->convolution.weights = floats(ob * hk_packed_block(&t->convolution));
        t->part_count = hk_plan_convolution(&t->convolution, 1, t->parts, MOST_PARTS);
        break;
    }
    case DEPTHWISE:
        t->depthwise = (hk_depthwise){
            t->x, floats(ob * 16 * l.kernel * l.kernel), t->y, epilogue, window, ib, l.size, l.size, out, out};
        t->part_count = hk_plan_rows(1, ib, out, out, out * 16 + l.size * 16 * l.stride, t->parts, MOST_PARTS);
        break;
    case POOL:
        t->pooling = (hk_pooling){t->x, t->y, window, false, false, 0, 0, ib, l.size, l.size, out, out};
        t->part_count = hk_plan_rows(1, ib, out, out, out * 16 + l.size * 16 * l.stride, t->parts, MOST_PARTS);
        break;
    case AVERAGE:
        t->part_count = hk_plan_rows(1, ib, 1, 1, l.size * l.size * 16, t->parts, MOST_PARTS);
        break;
    case LINEAR:
        t->product = (hk_product){
            t->x, floats(ib * 256 * ob), NULL, t->y, {bias, NULL, false, HK_IDENTITY, 0, 0}, l.inputs, l.outputs, l.inputs, 1,
            l.outputs, 1};
        t->part_count = hk_plan_product(&t->product, 1, t->parts, MOST_PARTS);
        break;
    }
    if (t->part_count > MOST_PARTS) exit(1);
}

static double products(const layer *l) {
    const double out = (double)((l->size + l->stride - 1) / l->stride);
    switch (l->kind) {
    case FULL: return out * out * (double)(l->inputs * l->outputs * l->kernel * l->kernel);
    case DEPTHWISE: return out * out * (double)(l->outputs * l->kernel * l->kernel);
    case LINEAR: return (double)(l->inputs * l->outputs);
    default: return 0;
    }
}

// Independent chains of multiply-adds in registers.
#define CHAINS 12
static float sink[MOST_PARTS];
#if defined(__x86_64__)
typedef float wide __attribute__((ext_vector_type(16)));
typedef float half __attribute__((ext_vector_type(8)));
#define PEAK(name, type, features)                                                                                    \
    __attribute__((target(features))) static void name(void *context, size_t part) {                                  \
        type a[CHAINS], x = (float)part * 1e-9f, y = 1.0f - *(float *)context * 1e-9f;                                \
        for (int i = 0; i < CHAINS; i++) a[i] = (float)i;                                                             \
        for (long k = 0; k < 100000; k++) {                                                                           \
            _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; i++) a[i] = a[i] * y + x;                  \
        }                                                                                                             \
        for (int i = 0; i < CHAINS; i++) sink[part] += a[i][0];                                                       \
    }
PEAK(peak_16, wide, "avx512f,fma")
PEAK(peak_8, half, "avx2,fma")
#endif

static double measure_peak(const hk_vision_kernels *set) {
#if defined(__x86_64__)
    float one = 1;
    const bool is_wide = strcmp(set->name, "avx512") == 0;
    const double start = now();
    perform((job){is_wide ? peak_16 : peak_8, &one, 4 * thread_count});
    return 4.0 * (double)thread_count * 1e5 * (is_wide ? 16 : 8) * CHAINS * 2 / (now() - start);
#else
    (void)set;
    return 1;
#endif
}

static const char *kind_name(const layer *l) {
    switch (l->kind) {
    case FULL: return l->inputs < 16 ? "first" : l->kernel == 1 ? (l->stride == 1 ? "pointwise" : "pointwise/2") : l->stride == 1 ? "3x3" : "3x3/2";
    case DEPTHWISE: return l->stride == 1 ? "depthwise" : "depthwise/2";
    case POOL: return "pool";
    case AVERAGE: return "average";
    case LINEAR: return "linear";
    }
    return "";
}

static void report(char net, const task *tasks, const double *best, double peak, bool each) {
    static const char *kinds[] = {"first", "pointwise", "pointwise/2", "3x3", "3x3/2", "depthwise", "depthwise/2", "pool", "average", "linear"};
    double total = 0, total_work = 0;
    for (size_t i = 0; i < layer_count; i++) {
        const layer *l = &layers[i];
        if (l->net != net) continue;
        const double gflops = 2e-9 * products(l) / best[i];
        if (each) {
            printf("  %-12s %3zu^2 %4zu -> %4zu  %3zu parts %8.3f ms %7.1f GFLOP/s %5.1f %%\n", kind_name(l), l->size, l->inputs,
                l->outputs, tasks[i].part_count, best[i] * 1e3, gflops, gflops * 1e11 / peak);
        }
        total += best[i];
        total_work += products(l);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double time = 0, work = 0;
        for (size_t i = 0; i < layer_count; i++) {
            if (layers[i].net != net || strcmp(kind_name(&layers[i]), kinds[k])) continue;
            time += best[i];
            work += products(&layers[i]);
        }
        if (time > 0) printf("  %-12s %8.3f ms %7.1f GFLOP/s %5.1f %%\n", kinds[k], time * 1e3, 2e-9 * work / time, 2e2 * work / time / peak);
    }
    printf("%s: %.3f ms, %.1f GFLOP/s, %.1f %% of %.1f\n", net == 'M' ? "MobileNetV2-224" : "ResNet-50-224", total * 1e3,
        2e-9 * total_work / total, 2e2 * total_work / total / peak, peak * 1e-9);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int count, char **arguments) {
    thread_count = count > 1 ? strtoul(arguments[1], NULL, 10) : 2;
    const char *only = count > 2 && strcmp(arguments[2], "all") ? arguments[2] : NULL;
    const bool each = count > 3;
    if (thread_count < 1 || thread_count > MOST_THREADS) return 1;
    for (size_t i = 1; i < thread_count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
    }
    mobilenet();
    resnet();
    const hk_kernels *sets[8];
    const size_t set_count = hk_available(sets, 8);
    task *tasks = calloc(layer_count, sizeof *tasks);
    for (size_t s = 0; s < set_count; s++) {
        if (only ? strcmp(only, sets[s]->name) != 0 : s + 1 == set_count) continue;
        for (size_t i = 0; i < layer_count; i++) prepare(&tasks[i], sets[s]->vision, layers[i]);
        double best[256], runs[256][ROUNDS], whole[2][ROUNDS], peak = 0;
        for (int r = 0; r < ROUNDS; r++) {
            const double reached = measure_peak(sets[s]->vision);
            if (reached > peak) peak = reached;
            // Layers in the order of the network, so that weights come from where they would.
            for (int net = 0; net < 2; net++) {
                const double begin = now();
                for (size_t i = 0; i < layer_count; i++) {
                    if (layers[i].net != "MR"[net]) continue;
                    const double start = now();
                    perform((job){run_part, &tasks[i], tasks[i].part_count});
                    runs[i][r] = now() - start;
                }
                whole[net][r] = now() - begin;
            }
        }
        for (size_t i = 0; i < layer_count; i++) {
            qsort(runs[i], ROUNDS, sizeof(double), ascending);
            best[i] = runs[i][0];
        }
        printf("%s, %zu threads\n", sets[s]->name, thread_count);
        for (int net = 0; net < 2; net++) {
            report("MR"[net], tasks, best, peak, each);
            qsort(whole[net], ROUNDS, sizeof(double), ascending);
            printf("  whole passes: best %.3f ms, median %.3f ms\n", whole[net][0] * 1e3, whole[net][ROUNDS / 2] * 1e3);
        }
    }
    exit(0);
}
