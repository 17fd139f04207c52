// Runs a kernel's groups one after the other, and the 64 threads of each as coroutines, which barriers and the operations of SIMD
// groups interrupt.
#pragma once

#include <ucontext.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "metal_stdlib"

namespace host {

// A function constant by its number.
static unsigned value(int number) {
    return unsigned(std::stoul(std::getenv(("HEARTH_METAL_CONSTANT_" + std::to_string(number)).c_str())));
}

enum { threads = 64, stack_bytes = 256 << 10 };

static ucontext_t scheduler, contexts[threads];
static std::vector<char> stacks(size_t(threads) * stack_bytes);
static int barriers[threads];
static bool is_done[threads];
static unsigned current;
static void (*body)(unsigned lane);
// Threads of a SIMD group; the last one of a group may have fewer.
static unsigned subgroup_size = 32;
// Their operations so far, and what they bring to the next one: two take turns, as threads read one after the other.
static unsigned exchanges[threads], exchanged[2][threads];

static unsigned subgroups() { return (threads + subgroup_size - 1) / subgroup_size; }

static void enter() {
    body(current);
    is_done[current] = true;
    swapcontext(&contexts[current], &scheduler);
}

// Runs the threads of a SIMD group up to their next barrier, or to their end; `left` counts those at a barrier. Returns false if
// they went different ways.
static bool run_subgroup(unsigned first, unsigned last, bool is_backwards, unsigned &left) {
    unsigned before;
    do {
        before = exchanges[first];
        for (unsigned i = first; i < last; i++) {
            current = is_backwards ? last - 1 - (i - first) : i;
            if (!is_done[current]) swapcontext(&scheduler, &contexts[current]);
        }
        for (unsigned i = first; i < last; i++) {
            if (exchanges[i] != exchanges[first] || is_done[i] != is_done[first]) return false;
        }
    } while (!is_done[first] && exchanges[first] != before);
    if (!is_done[first]) left += last - first;
    return true;
}

// Runs a group; `is_backwards` takes its threads in the opposite order, which shows where a barrier is missing: a SIMD group runs
// as far as it can before the next one does.
// Returns false if not every thread came to the same barriers, or to the same operations of its SIMD group.
static bool run_group(bool is_backwards) {
    for (unsigned lane = 0; lane < threads; lane++) {
        (barriers[lane] = 0, exchanges[lane] = 0, is_done[lane] = false);
        getcontext(&contexts[lane]);
        contexts[lane].uc_stack.ss_sp = &stacks[size_t(lane) * stack_bytes];
        contexts[lane].uc_stack.ss_size = stack_bytes;
        contexts[lane].uc_link = nullptr;
        makecontext(&contexts[lane], enter, 0);
    }
    for (unsigned left = threads; left > 0;) {
        left = 0;
        for (unsigned i = 0; i < subgroups(); i++) {
            const unsigned first = (is_backwards ? subgroups() - 1 - i : i) * subgroup_size;
            const unsigned last = first + subgroup_size < threads ? first + subgroup_size : unsigned(threads);
            if (!run_subgroup(first, last, is_backwards, left)) return false;
        }
        if (left != 0 && left != threads) return false;
        for (unsigned i = 1; i < threads; i++) {
            if (barriers[i] != barriers[0]) return false;
        }
    }
    return true;
}

}  // namespace host

void barrier_of_group() {
    host::barriers[host::current]++;
    swapcontext(&host::contexts[host::current], &host::scheduler);
}

const unsigned *values_of_subgroup(unsigned value, unsigned &count, unsigned &own) {
    const unsigned lane = host::current, first = lane / host::subgroup_size * host::subgroup_size;
    unsigned *values = host::exchanged[host::exchanges[lane]++ % 2];
    values[lane] = value;
    swapcontext(&host::contexts[lane], &host::scheduler);
    own = lane - first;
    count = host::threads - first < host::subgroup_size ? host::threads - first : host::subgroup_size;
    return values + first;
}
