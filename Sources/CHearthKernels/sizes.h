// Arithmetic of sizes that plans share.
#ifndef HK_SIZES_H
#define HK_SIZES_H

#include <stddef.h>

static inline size_t divided_up(size_t a, size_t b) {
    return (a + b - 1) / b;
}

static inline size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static inline size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

#endif
