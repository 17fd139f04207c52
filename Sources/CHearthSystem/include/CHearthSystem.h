#ifndef CHEARTH_SYSTEM_H
#define CHEARTH_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__APPLE__)
#include <mach/mach.h>

// This task's port. Swift sees it only as a variable that anybody may change.
static inline mach_port_t hearth_task_self(void) { return mach_task_self_; }
#endif

// Mapped files that may change under their map.
//
// Touching a page that a file no longer has raises SIGBUS, which ends the process. A map that is watched survives: the handler
// puts zeros in the place of the whole map, marks it as lost, and the access goes on. Whoever uses the map asks afterwards
// whether it is lost, and throws away what was computed from it.
//
// The handler is installed by the first map that is watched. A fault anywhere else is passed on to the handler that was there
// before, or ends the process as it would have done.

// A map that is watched.
typedef struct hearth_mapping hearth_mapping;

// Begins to watch a map; any thread.
//
// `base` is where mmap put it, `count` its bytes. `is_writable` says whether its pages may be written to (private maps
// only); the zeros then may be too. NULL where watching is switched off, or memory is short: the map is then used as if there
// were no handler.
hearth_mapping *_Nullable hearth_mapping_watch(void *_Nonnull base, size_t count, bool is_writable);

// Whether a page of the map was missing since it is watched: its bytes are zeros now. One atomic load; any thread.
bool hearth_mapping_is_lost(const hearth_mapping *_Nonnull mapping);

// Ends the watching. To be called before munmap, or other memory that comes to lie there would be taken for the map.
void hearth_mapping_forget(hearth_mapping *_Nonnull mapping);

// Leaves SIGBUS to the program: no handler is installed and no map is watched from now on. A handler that was installed
// before stays, for the maps that it watches.
void hearth_mapping_switch_off(void);

// The commit that the program was built from; empty where the program does not say. A weak definition: the target
// CHearthCommit, which is linked into the program alone, has the one that counts.
const char *_Nonnull hearth_commit(void);

// Ends the process without running destructors of objects that other threads may still use, as _exit does. Where code coverage
// is measured, writes the counts first, which only exit() would do.
_Noreturn void hearth_leave(int status);

#endif
