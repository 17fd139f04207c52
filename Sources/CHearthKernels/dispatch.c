// Which sets this processor runs.
#include "table.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#if defined(__x86_64__)
static bool runs_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

static bool runs_avx512(void) {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vnni");
}
#endif

#if defined(__aarch64__)
#if defined(__APPLE__)
static bool has_feature(const char *name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}
#endif

static bool runs_dot_products(void) {
#if defined(__linux__)
    const unsigned long dot_products = 1ul << 20;  // HWCAP_ASIMDDP
    return (getauxval(AT_HWCAP) & dot_products) != 0;
#elif defined(__APPLE__)
    return has_feature("hw.optional.arm.FEAT_DotProd");
#else
    return false;
#endif
}

static bool runs_matrix_products(void) {
#if defined(__linux__)
    const unsigned long matrix_products = 1ul << 13;  // HWCAP2_I8MM
    return (getauxval(AT_HWCAP2) & matrix_products) != 0;
#elif defined(__APPLE__)
    return has_feature("hw.optional.arm.FEAT_I8MM");
#else
    return false;
#endif
}
#endif

size_t hk_available(const hk_kernels **out, size_t capacity) {
    const hk_kernels *found[4];
    size_t count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (runs_avx512()) found[count++] = &hk_avx512;
    if (runs_avx2()) found[count++] = &hk_avx2;
#endif
#if defined(__aarch64__)
    // One of the two: their results are the same.
    if (runs_dot_products()) found[count++] = runs_matrix_products() ? &hk_neon_matrices : &hk_neon;
#endif
    found[count++] = &hk_portable;
    for (size_t i = 0; i < count && i < capacity; i++) out[i] = found[i];
    return count;
}
