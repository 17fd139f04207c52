// What this machine can do at most, with one thread and with several: reading memory, and multiplying in registers. Shares of
// these are what other figures are read as.
//
//     clang -std=c17 -O2 Benchmarks/kernels/ceilings.c -lpthread -o .build/ceilings && .build/ceilings
//
// --json prints one object, --threads N (2) is the larger number of threads, --mb N (512) the memory that is read: keep it far
// above the last-level cache. Best of many short rounds, since neighbours only ever take away; about three seconds.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "read_loop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

enum { MOST_THREADS = 64, ROUNDS = 12, CHUNK = 1 << 20, LOOPS = 1 << 18 };

// A peak: so many operations a loop (multiply-adds, or floating-point operations). `run` returns what it computed, so that it
// has to be computed.
typedef struct {
    const char *instruction;
    uint64_t (*run)(size_t loops);
    double operations;
} peak;

typedef struct {
    const char *set;
    uint64_t (*read)(const uint8_t *bytes, size_t count, int way);
    peak int8, int16, fma;  // without `run`: the machine has no such instruction
} machine;

// Ways to read; which is fastest differs from machine to machine.
enum { WAYS = 3 };
#define READ(name, attribute)                                             \
    attribute static uint64_t name(const uint8_t *p, size_t n, int way) { \
        if (way == 0) return read_linear(p, n, 1, 2048);                  \
        if (way == 1) return read_linear(p, n, 1, 8192);                  \
        return read_linear(p, n, 4, 2048);                                \
    }

// `step` on sixteen (or twelve) independent sums of type `vector`; `hidden` keeps the compiler from taking what does not change
// out of the loop.
#define PEAK(name, attribute, vector, sums, start, hidden, step)                        \
    attribute static uint64_t name(size_t loops) {                                      \
        vector a[sums], x = start(3), y = start(5);                                     \
        for (int i = 0; i < sums; i++) a[i] = start(0);                                 \
        for (size_t k = 0; k < loops; k++) {                                            \
            _Pragma("clang loop unroll(full)") for (int i = 0; i < sums; i++) {         \
                __asm__ volatile("" : "+" hidden(x), "+" hidden(y));                    \
                a[i] = step;                                                            \
            }                                                                           \
        }                                                                               \
        uint64_t total = 0, words[sizeof(vector) / 8];                                  \
        for (int i = 0; i < sums; i++) {                                                \
            memcpy(words, &a[i], sizeof words);                                         \
            for (size_t j = 0; j < sizeof words / sizeof *words; j++) total ^= words[j]; \
        }                                                                               \
        return total;                                                                   \
    }

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVXVNNI __attribute__((target("avx2,fma,avxvnni")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,fma")))
#define BYTES32(v) _mm256_set1_epi8(v)
#define BYTES64(v) _mm512_set1_epi8(v)
#define FLOATS8(v) _mm256_set1_ps(v)
#define FLOATS16(v) _mm512_set1_ps(v)

// As assembler, because clang makes a product and an addition of them where it thinks that this processor would rather have two.
AVX512 static inline __m512i dot_bytes512(__m512i sum, __m512i x, __m512i y) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
}
AVX512 static inline __m512i dot_words512(__m512i sum, __m512i x, __m512i y) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
}
AVXVNNI static inline __m256i dot_bytes256(__m256i sum, __m256i x, __m256i y) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    return sum;
}
AVXVNNI static inline __m256i dot_words256(__m256i sum, __m256i x, __m256i y) {
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    return sum;
}

READ(read_avx512, AVX512)
READ(read_avx2, AVX2)
READ(read_sse2, )
PEAK(int8_avx512, AVX512, __m512i, 16, BYTES64, "v", dot_bytes512(a[i], x, y))
PEAK(int16_avx512, AVX512, __m512i, 16, BYTES64, "v", dot_words512(a[i], x, y))
PEAK(fma_avx512, AVX512, __m512, 16, FLOATS16, "v", _mm512_fmadd_ps(x, y, a[i]))
PEAK(int8_avxvnni, AVXVNNI, __m256i, 12, BYTES32, "x", dot_bytes256(a[i], x, y))
PEAK(int16_avxvnni, AVXVNNI, __m256i, 12, BYTES32, "x", dot_words256(a[i], x, y))
PEAK(int8_avx2, AVX2, __m256i, 10, BYTES32, "x",
    _mm256_add_epi32(a[i], _mm256_madd_epi16(_mm256_maddubs_epi16(x, y), y)))
PEAK(int16_avx2, AVX2, __m256i, 10, BYTES32, "x", _mm256_add_epi32(a[i], _mm256_madd_epi16(x, y)))
PEAK(fma_avx2, AVX2, __m256, 12, FLOATS8, "x", _mm256_fmadd_ps(x, y, a[i]))

static machine here(void) {
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")) {
        return (machine){"AVX-512 VNNI", read_avx512, {"vpdpbusd", int8_avx512, 16 * 64},
            {"vpdpwssd", int16_avx512, 16 * 32}, {"vfmadd", fma_avx512, 16 * 32}};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        machine m = {"AVX2", read_avx2, {"vpmaddubsw", int8_avx2, 10 * 32}, {"vpmaddwd", int16_avx2, 10 * 16},
            {"vfmadd", fma_avx2, 12 * 16}};
        if (__builtin_cpu_supports("avxvnni")) {
            m.set = "AVX2 VNNI";
            m.int8 = (peak){"vpdpbusd", int8_avxvnni, 12 * 32};
            m.int16 = (peak){"vpdpwssd", int16_avxvnni, 12 * 16};
        }
        return m;
    }
    return (machine){"SSE2", read_sse2, {0}, {0}, {0}};
}
#elif defined(__aarch64__)
#define DOT __attribute__((target("dotprod")))
#define BYTES16(v) vdupq_n_s8(v)
#define FLOATS4(v) vdupq_n_f32(v)

READ(read_neon, )
PEAK(int8_neon, DOT, int8x16_t, 16, BYTES16, "w",
    vreinterpretq_s8_s32(vdotq_s32(vreinterpretq_s32_s8(a[i]), x, y)))
PEAK(int16_neon, , int8x16_t, 16, BYTES16, "w",
    vreinterpretq_s8_s32(vmlal_s16(vreinterpretq_s32_s8(a[i]), vget_low_s16(vreinterpretq_s16_s8(x)),
        vget_low_s16(vreinterpretq_s16_s8(y)))))
PEAK(fma_neon, , float32x4_t, 16, FLOATS4, "w", vfmaq_f32(a[i], x, y))

static machine here(void) {
#if defined(__linux__)
    const bool dots = getauxval(AT_HWCAP) & (1ul << 20);  // HWCAP_ASIMDDP
#else
    const bool dots = true;  // every Apple processor since the A11
#endif
    machine m = {"NEON", read_neon, {0}, {"smlal", int16_neon, 16 * 4}, {"fmla", fma_neon, 16 * 8}};
    if (dots) m.set = "NEON dotprod", m.int8 = (peak){"sdot", int8_neon, 16 * 16};
    return m;
}
#else
READ(read_words_of_c, )
static machine here(void) { return (machine){"portable", read_words_of_c, {0}, {0}, {0}}; }
#endif

// What the threads of one round share.
typedef struct {
    const machine *machine;
    const peak *peak;  // NULL: reading
    const uint8_t *bytes;
    size_t count;
    int way, threads;
    atomic_int ready;
    atomic_size_t next;
    atomic_ullong sink;
} job;

typedef struct {
    job *job;
    int index;
    double begin, end;
} worker;

// Where there are as many processors as threads, each takes one: on a busy machine new threads may share one for a while.
static void take_processor(int index, int threads) {
#if defined(__linux__)
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) || CPU_COUNT(&allowed) != threads) return;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && index-- == 0) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
#else
    (void)index, (void)threads;
#endif
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *argument) {
    worker *w = argument;
    job *j = w->job;
    take_processor(w->index, j->threads);
    atomic_fetch_add(&j->ready, 1);
    while (atomic_load(&j->ready) < j->threads) sched_yield();
    w->begin = now();
    uint64_t found = 0;
    if (j->peak) {
        found = j->peak->run(LOOPS);
    } else {
        // Claimed in chunks: a thread that a neighbour stopped does not keep the others waiting.
        for (size_t at; (at = atomic_fetch_add(&j->next, CHUNK)) < j->count;) {
            found ^= j->machine->read(j->bytes + at, CHUNK, j->way);
        }
    }
    w->end = now();
    atomic_fetch_xor(&j->sink, found);
    return NULL;
}

// Seconds from the first thread's beginning to the last one's end.
static double seconds(job *j) {
    pthread_t threads[MOST_THREADS];
    worker workers[MOST_THREADS];
    atomic_store(&j->ready, 0);
    atomic_store(&j->next, 0);
    for (int i = 0; i < j->threads; i++) {
        workers[i] = (worker){.job = j, .index = i};
        if (pthread_create(&threads[i], NULL, work, &workers[i])) exit(1);
    }
    double begin = 1e300, end = 0;
    for (int i = 0; i < j->threads; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i].begin < begin) begin = workers[i].begin;
        if (workers[i].end > end) end = workers[i].end;
    }
    return end - begin;
}

// Thousand millions of bytes or operations a second, the best of the rounds; 0 where there is no such instruction.
static double best(const machine *m, const peak *p, const uint8_t *bytes, size_t count, int threads) {
    if (p && !p->run) return 0;
    double most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < (p ? 1 : WAYS); way++) {
            job j = {.machine = m, .peak = p, .bytes = bytes, .count = count, .way = way, .threads = threads};
            const double amount = p ? p->operations * LOOPS * threads : (double)count;
            const double rate = amount / seconds(&j) * 1e-9;
            if (rate > most) most = rate;
        }
    }
    return most;
}

static void print_row(const char *name, const char *how, const double *rates, const char *unit) {
    if (!how) {
        printf("%-12s this machine has no instruction for it\n", name);
    } else {
        printf("%-12s %10.1f %10.1f %-8s %s\n", name, rates[0], rates[1], unit, how);
    }
}

static void print_field(const char *name, const char *how, const double *rates, const char *end) {
    if (how) {
        printf("\"%s\": [%.2f, %.2f]%s", name, rates[0], rates[1], end);
    } else {
        printf("\"%s\": null%s", name, end);
    }
}

int main(int count, char **arguments) {
    bool json = false;
    int threads = 2;
    size_t bytes = 512;
    for (int i = 1; i < count; i++) {
        const bool more = i + 1 < count;
        if (!strcmp(arguments[i], "--json")) json = true;
        else if (!strcmp(arguments[i], "--threads") && more) threads = atoi(arguments[++i]);
        else if (!strcmp(arguments[i], "--mb") && more) bytes = strtoul(arguments[++i], NULL, 10);
        else return fprintf(stderr, "usage: ceilings [--json] [--threads N] [--mb N]\n"), 2;
    }
    if (threads < 1 || threads > MOST_THREADS || bytes < 1 || bytes > 1 << 20) {
        return fprintf(stderr, "ceilings: --threads is 1 to %d, --mb at least 1\n", MOST_THREADS), 2;
    }
    bytes <<= 20;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) return perror("ceilings"), 1;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    for (size_t i = 0; i < bytes; i += 8) memcpy(memory + i, &(uint64_t){i * 0x9E3779B97F4A7C15u}, 8);

    const machine m = here();
    const int teams[2] = {1, threads};
    double rates[4][2];
    for (int t = 0; t < 2; t++) {
        rates[0][t] = best(&m, NULL, memory, bytes, teams[t]);
        rates[1][t] = best(&m, &m.int8, NULL, 0, teams[t]);
        rates[2][t] = best(&m, &m.int16, NULL, 0, teams[t]);
        rates[3][t] = best(&m, &m.fma, NULL, 0, teams[t]);
    }
    if (json) {
        printf("{\"set\": \"%s\", \"threads\": [1, %d], ", m.set, threads);
        print_field("readGBs", m.set, rates[0], ", ");
        print_field("int8GMACs", m.int8.instruction, rates[1], ", ");
        print_field("int16GMACs", m.int16.instruction, rates[2], ", ");
        print_field("fmaGFLOPs", m.fma.instruction, rates[3], "}\n");
        return 0;
    }
    printf("%-12s %8s 1 %8s %d threads, %s\n", "ceiling", "", "", threads, m.set);
    print_row("read", "linear, fetched ahead", rates[0], "GB/s");
    print_row("int8 dot", m.int8.instruction, rates[1], "GMAC/s");
    print_row("int16 pairs", m.int16.instruction, rates[2], "GMAC/s");
    print_row("float32 fma", m.fma.instruction, rates[3], "GFLOP/s");
    return 0;
}
