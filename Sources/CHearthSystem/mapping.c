#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // signals and anonymous maps, which ISO C does not know
#endif

#include "CHearthSystem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

// A row of the table that the handler reads. A thread that changes a row makes `version` odd meanwhile: the handler, which
// may not wait, passes over such a row. It cannot be the one that it looks for: who touches a map keeps it.
struct hearth_mapping {
    _Atomic(unsigned) version;
    _Atomic(uintptr_t) first;  // first byte
    _Atomic(uintptr_t) end;    // behind the last page
    _Atomic(bool) is_writable;
    _Atomic(bool) is_lost;
    _Atomic(bool) is_taken;
};

// Rows are never given back to the allocator: the handler may be reading any of them.
enum { rows_of_part = 64 };
typedef struct part {
    hearth_mapping rows[rows_of_part];
    struct part *_Atomic next;
} part;

static part table;
static _Atomic(bool) is_off;
static struct sigaction previous;
static uintptr_t page_mask;

static hearth_mapping *find(uintptr_t address, uintptr_t *first, uintptr_t *end) {
    for (part *here = &table; here != NULL; here = atomic_load(&here->next)) {
        for (int i = 0; i < rows_of_part; i++) {
            hearth_mapping *row = &here->rows[i];
            const unsigned version = atomic_load(&row->version);
            if (version & 1) continue;
            *first = atomic_load(&row->first);
            *end = atomic_load(&row->end);
            if (address < *first || address >= *end) continue;
            if (atomic_load(&row->version) == version) return row;
        }
    }
    return NULL;
}

// Async-signal-safe: atomics without locks, mmap, sigaction and raise.
static void on_fault(int number, siginfo_t *info, void *context) {
    const int saved = errno;
    const bool is_sent = info->si_code <= 0;  // by kill, not by an access
    uintptr_t first, end;
    hearth_mapping *row = is_sent ? NULL : find((uintptr_t)info->si_addr, &first, &end);
    if (row != NULL) {
        // Before the zeros can be read: who sees them also sees the mark.
        atomic_store(&row->is_lost, true);
        // The whole map at once: there is one fault for each thread at most, whatever the size, and one map as before. Another
        // thread may be here with the same map; zeros twice are zeros.
        const int protection = PROT_READ | (atomic_load(&row->is_writable) ? PROT_WRITE : 0);
        void *zeros = mmap(
            (void *)first, end - first, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        errno = saved;
        if (zeros == (void *)first) return;
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler == SIG_IGN && is_sent) {
        // An access that cannot go on is never ignored.
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else {
        // The access faults again when this returns, and ends the process.
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(number, &standard, NULL);
        if (is_sent) raise(number);
    }
    errno = saved;
}

static void install(void) {
    page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    // The earlier handler has to be known before the new one may run.
    sigaction(SIGBUS, NULL, &previous);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static hearth_mapping *take_row(void) {
    for (part *here = &table;;) {
        for (int i = 0; i < rows_of_part; i++) {
            if (!atomic_exchange(&here->rows[i].is_taken, true)) return &here->rows[i];
        }
        part *next = atomic_load(&here->next);
        if (next == NULL) {
            part *more = calloc(1, sizeof *more);
            if (more == NULL) return NULL;
            if (atomic_compare_exchange_strong(&here->next, &next, more)) {
                next = more;
            } else {
                free(more);
            }
        }
        here = next;
    }
}

hearth_mapping *hearth_mapping_watch(void *base, size_t count, bool is_writable) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (count == 0 || atomic_load(&is_off)) return NULL;
    pthread_once(&once, install);
    hearth_mapping *row = take_row();
    if (row == NULL) return NULL;
    atomic_fetch_add(&row->version, 1);
    atomic_store(&row->first, (uintptr_t)base);
    // Whole pages: the last one is the map's to its end.
    atomic_store(&row->end, (((uintptr_t)base + count - 1) | page_mask) + 1);
    atomic_store(&row->is_writable, is_writable);
    atomic_store(&row->is_lost, false);
    atomic_fetch_add(&row->version, 1);
    return row;
}

bool hearth_mapping_is_lost(const hearth_mapping *mapping) {
    return atomic_load_explicit(&mapping->is_lost, memory_order_acquire);
}

void hearth_mapping_forget(hearth_mapping *mapping) {
    atomic_fetch_add(&mapping->version, 1);
    atomic_store(&mapping->first, 0);
    atomic_store(&mapping->end, 0);
    atomic_fetch_add(&mapping->version, 1);
    atomic_store(&mapping->is_taken, false);
}

void hearth_mapping_switch_off(void) { atomic_store(&is_off, true); }
