// How often the calling thread has asked for heap memory since it began.
#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations are counted here: with glibc, and without a sanitizer, which brings an allocator of its own.
bool allocation_count_is_kept(void);
uint64_t allocation_count_of_this_thread(void);

#endif
