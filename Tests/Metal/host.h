// Runs a kernel's groups one after the other, and the 64 threads of each as coroutines, which a barrier interrupts.
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

static void enter() {
    body(current);
    is_done[current] = true;
    swapcontext(&contexts[current], &scheduler);
}

// Runs a group; `is_backwards` takes its threads in the opposite order, which shows where a barrier is missing.
// Returns false if not every thread came to the same barriers.
static bool run_group(bool is_backwards) {
    for (unsigned lane = 0; lane < threads; lane++) {
        (barriers[lane] = 0, is_done[lane] = false);
        getcontext(&contexts[lane]);
        contexts[lane].uc_stack.ss_sp = &stacks[size_t(lane) * stack_bytes];
        contexts[lane].uc_stack.ss_size = stack_bytes;
        contexts[lane].uc_link = nullptr;
        makecontext(&contexts[lane], enter, 0);
    }
    for (unsigned left = threads; left > 0;) {
        left = 0;
        for (unsigned i = 0; i < threads; i++) {
            current = is_backwards ? threads - 1 - i : i;
            if (is_done[current]) continue;
            swapcontext(&scheduler, &contexts[current]);
            left += !is_done[current];
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
